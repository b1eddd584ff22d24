"""`make pictures`: the pictures of README and docs, taken from the real pages.

    python -m tests.web.pictures

Matches and the league have seeds, so the same games are shown whenever the pictures are made again; only the deal at
the table of `play` is a new one. They are WebP, because a PNG of a board is twice as large.
"""

import base64
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.browser import Visitor, started
from tests.web.server import playing

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
MOST_BYTES = 150_000
QUALITY = 82
WIDE, PHONE = (1280, 860), (390, 844)
PLAYS = {
    "summer": ("greedy", "random", "greedy", "--seed", "7"),
    "winter": ("greedy", "random", "greedy", "random", "--seed", "11", "--option", "season=winter"),
    "dinodocus": ("greedy", "random", "greedy", "--seed", "5", "--game", "dinodocus"),
}


def arena(folder: Path, *words: str) -> None:
    command = [sys.executable, "-m", "arena", *words]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@contextmanager
def stage() -> Iterator[Path]:
    """A folder with replays and a league."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for match, words in PLAYS.items():
            arena(folder, "play", *words, "--html", f"{match}.html", "-o", f"{match}.match.jsonl.gz")
        arena(folder, "demo", "--seed", "7")
        yield folder


def take(page: Any, name: str) -> None:
    """A picture of what the window shows."""
    page.evaluate("document.fonts.ready")
    session = page.context.new_cdp_session(page)
    data = session.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})["data"]
    picture = base64.b64decode(data)
    if len(picture) > MOST_BYTES:
        raise SystemExit(f"{name} has {len(picture):,} bytes, and {MOST_BYTES:,} are the most. Lower QUALITY.")
    (FOLDER / f"{name}.webp").write_bytes(picture)
    sys.stdout.write(f"{name}.webp  {len(picture):,} bytes\n")


def replays(visitor: Visitor, folder: Path) -> None:
    def at(match: str, step: int) -> str:
        return f"{(folder / f'{match}.html').as_uri()}#step={step}"

    take(visitor.open(at("summer", 33), WIDE), "replay")
    take(visitor.open(at("winter", 30), WIDE, color_scheme="dark"), "replay-winter-dark")
    take(visitor.open(at("dinodocus", 150), WIDE), "replay-dinodocus")
    take(visitor.open(at("summer", 33), PHONE), "replay-phone")


def site(visitor: Visitor, folder: Path) -> None:
    (league,) = (folder / "leagues").iterdir()
    with playing(folder, "--sandbox", "none", str(league)) as server, closing(visitor):
        take(visitor.open(f"{server.origin}/{league.name}/index.html", WIDE), "league")
        page = visitor.open(f"{server.origin}/play/", WIDE)
        page.check("#game-draftosaurus")
        page.click("button[type=submit]")
        page.wait_for_selector(".stage-asked .choices")
        take(page, "play")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with started() as browser, stage() as folder:
        visitors = Visitor(browser), Visitor(browser)
        with closing(visitors[0]) as visitor:
            replays(visitor, folder)
        site(visitors[1], folder)
        if complaints := [text for visitor in visitors for text in visitor.complaints]:
            raise SystemExit("\n".join(complaints))


if __name__ == "__main__":
    main()
