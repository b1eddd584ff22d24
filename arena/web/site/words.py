"""Errors in words: what the server answers where there is no page."""

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from arena.errors import ArenaError

MEANING: Mapping[int, str] = {
    404: "There is no such page. The list of leagues is at /.",
    405: "These pages can only be read: use GET or HEAD.",
}


async def in_words(request: Request, error: Exception) -> Response:
    """An answer for an error: JSON where a program asked, else text."""
    status, words = 500, f"{error}"
    headers: Mapping[str, str] | None = None
    if isinstance(error, HTTPException):
        status, headers = error.status_code, error.headers
        words = error.detail if error.detail not in STANDARD else MEANING.get(status, error.detail)
    elif isinstance(error, ArenaError):
        status, headers = 503, {"retry-after": "5"}
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": words}, status, headers)
    return PlainTextResponse(f"{words}\n", status, headers)


STANDARD = frozenset(("Not Found", "Method Not Allowed", "Bad Request"))
ERRORS: Mapping[Any, Any] = {HTTPException: in_words, ArenaError: in_words}
