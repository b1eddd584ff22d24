"""A league as one HTML file: no network, no script, no fonts. Pure: results are read once, in plan order.

Names of bots, texts of faults and options come from strangers. So all markup is made by `tag`, which escapes everything
that is not Html, and spells out what cannot be printed, such as marks that change the writing direction. If that ever
failed, the page's own security policy still forbids scripts and everything from elsewhere.

`page` makes the whole, and the other modules one or two sections each. They share `facts`, which follow from the
`census` of the results, `markup`, `words` for numbers, and `drawing`. `style.css` is the style sheet. The page of a
thousand bots must open in a browser, so matrices and drawings show the first of them, and say so.
"""

from arena.league.report.census import MOST_FAULTS, MOST_MATCHES
from arena.league.report.facts import MOST_DRAWN, MOST_LISTED, Report
from arena.league.report.page import SECTIONS, render
from arena.league.report.scores import MOST_ZONES

__all__ = [
    "MOST_DRAWN", "MOST_FAULTS", "MOST_LISTED", "MOST_MATCHES", "MOST_ZONES", "SECTIONS", "Report", "render",
]  # fmt: skip
