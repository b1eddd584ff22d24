"""The report on a screen of 390 pixels, in a real browser, if this machine has one."""

import random
import re
import shutil
import subprocess
from html import escape
from pathlib import Path

import pytest

from arena.league.kinds import Entrants, Groups, KnockOut, LeagueKind, RoundRobin
from arena.league.page import page
from arena.league.store import open_store
from tests.league.test_kinds import walk
from tests.league.test_store import LEAGUE

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
NAMES = (
    "greedy",
    "random",
    "pb",
    *(f"my-super-duper-reinforcement-learning-bot-v{number}" for number in range(12, 17)),
)
LOOK = """<!doctype html><iframe id="phone" width="390" height="2000" style="border:0" src="{}"></iframe><pre id="found"></pre><script>
phone.onload = () => {{
  const page = phone.contentDocument;
  page.querySelectorAll("details").forEach(one => one.open = true);
  const outside = [...page.body.querySelectorAll("*")].filter(
    one => one.getBoundingClientRect().right > 390.5 && !one.closest(".scroll") && !one.closest("pre"));
  const hidden = [...page.querySelectorAll(".scroll")].filter(
    one => one.scrollWidth > one.clientWidth && !getComputedStyle(one).backgroundImage.includes("radial-gradient"));
  found.textContent = [page.documentElement.scrollWidth, ...outside.map(one => one.outerHTML.slice(0, 80)),
    ...hidden.map(one => one.ariaLabel)].join("|");
}};
</script>"""


@pytest.mark.skipif(BROWSER is None, reason="needs Chromium")
@pytest.mark.parametrize("kind", [KnockOut(), Groups(2, 2), RoundRobin(200)], ids=lambda kind: kind.name)
def test_nothing_is_outside_of_the_screen_without_a_sign(tmp_path, kind: LeagueKind):
    entrants = Entrants(NAMES, (2,), dice=7)
    league = {"planned": kind.total(entrants), "schedule": [kind.name, 2], "seeding": NAMES, "order": NAMES}
    with open_store(tmp_path / "league", create=True) as store:
        store.settle({**LEAGUE, **league, "bots": {name: ["1", "x"] for name in NAMES}, **kind.identity()})
        walk(kind, entrants, store, random.Random(3))
        (tmp_path / "report.html").write_text(page(store, "arena league run a-file-with-a-long-name.toml"), "utf-8")
    assert seen_on_a_phone(tmp_path) == ["390"]


def seen_on_a_phone(folder: Path) -> list[str]:
    """The width of the page, what is outside of it, and what can be scrolled but does not look like it."""
    (folder / "look.html").write_text(LOOK.format(escape((folder / "report.html").as_uri())))
    command = [
        str(BROWSER),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--allow-file-access-from-files",
    ]
    command += [f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=5000", "--dump-dom"]
    ended = subprocess.run([*command, (folder / "look.html").as_uri()], capture_output=True, text=True, timeout=300)
    (found,) = re.findall(r'<pre id="found">(.*?)</pre>', ended.stdout, re.DOTALL)
    return found.split("|")
