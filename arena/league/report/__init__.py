"""A league as one HTML file: no network, no script, no fonts. Pure; the order of results does not matter.

Names of bots, texts of faults and options come from strangers. So all markup is made by `tag`, which escapes everything
that is not Html, and spells out what cannot be printed, such as marks that change the writing direction. If that ever
failed, the page's own security policy still forbids scripts and everything from elsewhere.

`page` makes the whole, and the other modules one or two sections each. They share `facts`, which follow from the
results, `markup`, `words` for numbers, and `drawing`. `style.css` is the style sheet.
"""

from arena.league.report.facts import Report
from arena.league.report.faults import MOST_FAULTS
from arena.league.report.page import SECTIONS, render
from arena.league.report.scores import MOST_ZONES

__all__ = ["MOST_FAULTS", "MOST_ZONES", "SECTIONS", "Report", "render"]
