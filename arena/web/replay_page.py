"""A replay as one HTML file: data, one script and one style, and nothing from a network.

The page's security policy allows the script and the style by their hashes, so nothing else can run, whatever a record
holds. The data is JSON in a block that is not a script, with all `<` escaped.
"""

import base64
import hashlib
import html
import json
from collections.abc import Mapping
from typing import Any

from arena.match.record import MatchRecord
from arena.replay.reel import no_pictures, reel_of, terminal_pictures
from arena.texts import flat
from arena.web.boards import STATIC, BoardFiles, board_for
from arena.web.bundle import bundle

HEAD = b"<!doctype html>\n<!-- Dino Arena replay -->\n"
"""How every such file begins, by which it is recognised."""
_UNSAFE = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}
_NEEDS = (
    "This page shows a recorded match. It needs JavaScript, which is all in this file; nothing comes from a network."
)


def replay_page(record: MatchRecord, seat: int | None = None) -> bytes:
    """The file of a match, or of what only this seat could know. The same record gives the same bytes.

    RecordError if the record cannot be shown; SettingError if a plug-in's board cannot be used.
    """
    board = board_for(record.header.game)
    reel = reel_of(record, seat, terminal_pictures if board.is_generic else no_pictures)
    return page(reel, board)


def page(reel: Mapping[str, Any], board: BoardFiles) -> bytes:
    """The file of a reel."""
    script = bundle("replay", {str(reel["game"]): board.module}, board.read)
    style = (STATIC / "page.css").read_text("utf-8") + board.style
    title = f"{reel['game']}: {', '.join(player['name'] for player in reel['players'])}"
    return HEAD + (
        '<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(script, style)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{_escaped(title)}</title>\n"
        f"<style>{style}</style></head>\n"
        f'<body><div id="replay"></div><noscript><p>{_NEEDS}</p></noscript>\n'
        f'<script type="application/json" id="reel">{data(reel)}</script>\n'
        f"<script>{script}</script></body></html>\n"
    ).encode("utf-8", "backslashreplace")


def data(value: object) -> str:
    """JSON that can stand in a page: nothing in it ends its element. A lone surrogate stays an escape."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_UNSAFE)


def policy(script: str, style: str) -> str:
    """What the page may do: run this script and use this style."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _escaped(text: str) -> str:
    return html.escape(flat(text))
