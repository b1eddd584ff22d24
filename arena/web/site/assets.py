"""Style sheets and scripts: read once, served and written as they are."""

from functools import cache
from importlib.resources import files

from arena.league.report.page import STYLE

TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


@cache
def assets() -> dict[str, bytes]:
    """The static files by name. `site.css` begins with the style of the report, which both have in common."""
    folder = files("arena.web") / "static"
    found = {one.name: one.read_bytes() for one in folder.iterdir() if one.name[one.name.rfind(".") :] in TYPES}
    return dict(sorted({**found, "site.css": STYLE.encode() + found["site.css"]}.items()))


def type_of(name: str) -> str:
    return TYPES[name[name.rfind(".") :]]
