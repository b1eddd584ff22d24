"""The site in a real browser, and as a process of its own, while leagues are played."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.league import run as league
from arena.league.store import open_store
from arena.league.tournament import read_tournament
from arena.running import run
from arena.web.site.written import write_site
from tests.browser import PHONE, Visitor, misplaced, serious_findings
from tests.cli.command import arena
from tests.league.test_report import HOSTILE
from tests.league.test_store import begun, row
from tests.web.site_server import SiteClient, played_league, served

pytestmark = pytest.mark.usefixtures("processes")
PAGES = ("index.html", "small/index.html", "small/bots/first.html", "small/pairs/first/last.html", "small/matches/index.html",
         "small/figures.html", "small/data.html")  # fmt: skip
BUILT_IN = """name = "live"
bots = ["greedy", "random"]
sandbox = "none"
processes = "worker"
workers = 1
exam = false
[schedule]
blocks = {}
"""


@pytest.fixture
def guest(browser) -> Iterator[Visitor]:
    """Opens pages of a server. At the end no page may have complained."""
    visitor = Visitor(browser)
    yield visitor
    visitor.close()
    assert visitor.complaints == []


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    return played_league(tmp_path_factory.mktemp("browsed"))


@pytest.fixture(scope="module")
def site(small) -> Iterator[SiteClient]:
    with served(small) as client:
        yield client


# In a browser


@pytest.mark.parametrize(("size", "scheme"), [((1280, 900), "light"), (PHONE, "dark")], ids=["desktop", "phone"])
def test_pages_are_tidy_and_can_be_read_aloud(guest, site, small, size, scheme):
    match = next(iter(small.glob("records/*/*"))).name.partition(".")[0]
    page = guest.open(f"{site.address}/", size, color_scheme=scheme)
    for path in (*PAGES, f"small/matches/{match}.html"):
        page.goto(f"{site.address}/{path}")
        assert misplaced(page, ".top a, h1, h2, form label, .button, aside li") == [], path
        assert serious_findings(page) == [], path
    assert all(address.startswith(site.address) for address in guest.requests)


def test_a_replay_opens_from_the_list_of_matches(guest, site):
    page = guest.open(f"{site.address}/small/matches/index.html")
    page.get_by_role("link", name=re.compile("^replay of match")).first.click()
    page.wait_for_selector("#replay *")
    assert "/small/replays/" in page.url


def test_filters_choose_matches(guest, site):
    page = guest.open(f"{site.address}/small/matches/index.html")
    page.select_option("select[name=bot]", "first")
    page.select_option("select[name=result]", "won")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**/index.html?bot=first&**")
    rows = page.locator(".matches tbody tr")
    assert rows.count() == page.locator(".matches tbody tr b", has_text=re.compile("^first")).count() > 0
    assert page.locator("select[name=bot]").input_value() == "first"


def test_a_page_follows_its_league_only_while_it_is_seen(guest, tmp_path):
    """The league is refereed here, so that a result comes when the test wants one."""
    folder = begun(tmp_path / "live", [row(plan) for plan in range(4)])
    with served(folder) as site:
        page = guest.open(f"{site.address}/live/")
        page.get_by_text("4 of 24 matches").wait_for()
        with open_store(folder, create=True) as store:
            store.add([row(plan) for plan in range(4, 10)])
        page.get_by_text("10 of 24 matches").wait_for()
        page.evaluate(HIDE, "hidden")
        while site.hall.watchers:  # it goes when the server notices that the stream has ended
            site.get("/live/")
        asked = len(guest.requests)
        with open_store(folder, create=True) as store:
            store.add([row(plan) for plan in range(10, 16)])
        assert "16 of 24" in site.get("/live/").text
        assert len(guest.requests) == asked, "a page that nobody sees asks for nothing"
        page.evaluate(HIDE, "visible")
        page.get_by_text("16 of 24 matches").wait_for()


HIDE = """(state) => {
  Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_hostile_names_do_nothing_in_a_browser(guest, tmp_path):
    names = HOSTILE[:3]
    found = [
        row(plan, bots=(names[plan % 3], names[(plan + 1) % 3]), breakdown=({HOSTILE[0]: 1}, {})) for plan in range(12)
    ]
    bots = {name: [HOSTILE[1], "x"] for name in names}
    with served(begun(tmp_path / "evil", found, name=HOSTILE[6], bots=bots, order=list(names))) as site:
        page = guest.open(f"{site.address}/evil/")
        assert page.locator(".places tbody th").all_inner_texts().count(HOSTILE[0]) == 1
        page.get_by_role("link", name=HOSTILE[0]).first.click()
        page.get_by_role("heading", name=HOSTILE[0], level=1).wait_for()
        assert page.locator("main img, main script, main style").count() == 0


def test_files_work_without_a_server(guest, tmp_path, small):
    write_site([small], tmp_path / "out", replays=3)
    page = guest.open((tmp_path / "out" / "index.html").as_uri())
    page.get_by_role("link", name="small").click()
    assert page.evaluate("getComputedStyle(document.querySelector('.places thead th')).borderBottomStyle") == "solid"
    page.get_by_role("link", name="replay").first.click()
    page.wait_for_selector("#replay *")


# As a process


@contextmanager
def process(*words: object, cwd: Path) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "arena", "serve", *map(str, words)]
    started = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield started
    finally:
        started.kill()
        started.communicate()


def test_a_league_that_is_being_played_is_shown_and_ctrl_c_ends_the_server(tmp_path, browser):
    """Built-in bots play while a page watches; the runner does not notice."""
    file = tmp_path / "live.toml"
    file.write_text(BUILT_IN.format(10))
    visitor = Visitor(browser)
    with process("--port", 0, cwd=tmp_path) as server:
        address = server.stdout.readline().strip()
        page = visitor.open(f"{address}")
        page.get_by_text("There are no leagues here yet.").wait_for()
        run_it = [sys.executable, "-m", "arena", "league", "run", str(file)]
        runner = subprocess.Popen(run_it, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        page.get_by_role("link", name="live").click()  # it appears when the league has begun
        assert runner.wait() == 0
        page.get_by_text("20 of 20 matches").wait_for()
        page.get_by_text("Complete").wait_for()
        server.send_signal(signal.SIGINT)  # while the page still listens
        assert server.wait() == 130
        assert server.stderr.read() == "arena: only this machine can open it. Stop: Ctrl-C.\narena: interrupted\n"
    visitor.close()


def test_a_port_that_is_taken_ends_in_one_line(site, tmp_path):
    ended = arena("serve", tmp_path, "--port", site.port)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == (
        f"arena: port {site.port} is taken by another program. Choose another one: --port {site.port + 1}, or --port 0 for any.\n"
    )


def test_opening_it_to_others_is_said_aloud(tmp_path):
    with process(tmp_path, "--port", 0, "--host", "0.0.0.0", cwd=tmp_path) as server:
        assert server.stdout.readline().startswith("http://127.0.0.1:")
        words = server.stderr.readline()
    assert words.startswith(
        "arena: every machine that can reach this one can read all of these leagues, without a password."
    )


def test_the_tables_at_which_bots_play_are_known_while_a_league_runs(tmp_path):
    file = tmp_path / "live.toml"
    file.write_text(BUILT_IN.format(2))
    seen = []

    def watch(progress, store):
        seen.append((store.settings().get("playing"), list(map(tuple, progress.tables()))))

    run(lambda: league.run(read_tournament(file), tmp_path / "league", watch))
    assert ("greedy", "random") in {table for _, tables in seen for table in tables} | {
        tuple(reversed(t)) for _, ts in seen for t in ts
    }
    assert seen[-1][1] == []
    with open_store(tmp_path / "league") as store:
        assert store.settings()["playing"] == []
