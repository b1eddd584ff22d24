"""A league as one HTML file that needs nothing else: no network, no script, no fonts. Pure, and free of order.

Names of bots, words of faults and options come from strangers. So all markup is made by `tag`, which escapes whatever
is not Html already, and spells out what cannot be printed, as marks that turn the direction of writing. Should that
ever fail, the page's own policy still forbids scripts and everything from elsewhere.

`page` has the whole, and the other modules a section or two each; these share `facts`, which follow from the results,
`markup`, `words` for numbers, and `drawing`. All of it looks as `style.css` says.
"""

from arena.league.report.facts import Report
from arena.league.report.faults import MOST_FAULTS
from arena.league.report.page import SECTIONS, render
from arena.league.report.scores import MOST_ZONES

__all__ = ["MOST_FAULTS", "MOST_ZONES", "SECTIONS", "Report", "render"]
