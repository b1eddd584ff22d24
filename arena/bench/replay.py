"""What a replay of 300 steps weighs, and how soon a browser shows its first frame."""

import random
import shutil
import statistics
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from arena.match.record import MatchRecord
from arena.match.scripted import ScriptedMatch
from arena.web.replay_page import replay_page
from engine.catalogue import game as find_game
from protocol.messages import Move

GAME, SEATS, STEPS = "dinodocus", 2, 300
BYTES, FRAME_MS = 300_000, 1000.0
"""The budgets."""
TIMES = 5
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def replay_checks() -> Iterator[dict[str, Any]]:
    """Bytes of the page, and the median time from its opening to its first frame."""
    page = replay_page(long_match())
    check = {"name": "web.replay_bytes", "unit": "bytes", "budget": BYTES, "better": "lower"}
    yield {**check, "value": len(page), "ok": len(page) <= BYTES}
    check = {"name": "web.first_frame_ms", "unit": "ms", "budget": FRAME_MS, "better": "lower"}
    try:
        frame = first_frame_ms(page)
    except (ImportError, OSError) as error:
        yield {**check, "value": None, "ok": None, "reason": f"no browser to show it: {error}"}
    else:
        yield {**check, "value": round(frame, 1), "ok": frame <= FRAME_MS}


def long_match() -> MatchRecord:
    """The first match between bots that choose at random that has STEPS steps or a few more."""
    return next(one for seed in range(1000) if STEPS <= len((one := _played(seed)).steps) < STEPS + 10)


def _played(seed: int) -> MatchRecord:
    match, dice = ScriptedMatch(find_game(GAME), SEATS, seed=seed), random.Random(seed)
    while not match.referee.over:
        for seat in [seat.index for seat in match.referee.seats if seat.is_asked]:
            question = match.last(seat)
            match.hear(seat, Move(question.id, dice.choice(question.legal), None), 0.01)
    return match.referee.record()


def first_frame_ms(page: bytes) -> float:
    """From the opening of the file to its first frame. ImportError without Playwright, OSError without a browser."""
    with ThreadPoolExecutor(1) as apart:  # Playwright runs a loop of its own, of which a thread can have only one
        return apart.submit(_first_frame_ms, page).result()


def _first_frame_ms(page: bytes) -> float:
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        raise OSError(f"none of {', '.join(BROWSERS)} is installed")
    with TemporaryDirectory() as name, sync_playwright() as playwright:
        file = Path(name, "replay.html")
        file.write_bytes(page)
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        times = list[float]()
        for _ in range(TIMES):
            opened = browser.new_page()
            opened.goto(file.as_uri())
            times.append(opened.wait_for_function(PAINTED).json_value())
            opened.close()
        browser.close()
    return statistics.median(times)
