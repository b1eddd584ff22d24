"""Which tests run: all of them, those that start no process (--quick), or those that write golden files (--update-golden).

Nothing has to be listed for a new test to run where it belongs, unless it starts a process: then it fails with --quick, and
says what to do. A golden test is known by its fixture.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
COVERING = ("engine", "protocol", "games")
"""Folders whose tests have to cover the rules and the protocol."""
STARTING = (
    "anywhere",
    "kits",
    "attacks",
    "check/test_broken_bots.py",
    "match/test_faulty_bots.py",
    "match/test_survival.py",
    "league/test_league_survival.py",
    "cluster/test_cluster.py",
    "cli/test_human.py",
    "match/test_match.py",
    "match/test_dinodocus_matches.py",
    "replay/test_ask.py",
    "bench/test_bench_c.py",
    "bench/test_bench_sandbox.py",
    "cli/test_cli.py",
    "doctor/test_doctor.py",
    "arena/test_hostile_files.py",
    "cli/test_play.py",
    "match/test_tiers.py",
    "cli/test_trace.py",
    "roster/test_trust.py",
    "roster/test_built_bots.py",
    "bots/test_raptor.py",
    "bots/test_raptor_rules.py",
    "sandbox/test_landlock.py",
    "sandbox/test_root.py",
    "sandbox/test_seccomp.py",
    "web/test_table.py",
    "web/test_play_http.py",
    "league/test_report_on_a_phone.py",
    "bots/test_search_bot.py",
)
"""Folders and files whose tests start processes. In other files a test or a fixture that does uses `processes`.

They run first, in this order: who is left with a test of half a minute at the end keeps the other workers waiting."""
STARTS = ("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "subprocess.Popen")
"""What Python tells of processes that are about to start."""
WAY_OUT = (
    'a test of `make quick` starts a process. Put @pytest.mark.usefixtures("processes") above the test, let its fixture '
    "use `processes`, or name its file in STARTING of tests/selection.py"
)


def place(path: Path) -> Path:
    """Below tests."""
    return path.relative_to(TESTS)


def is_left_out(path: Path, config: pytest.Config) -> bool:
    """Whether a folder or file is not even read."""
    is_below = path.is_relative_to(TESTS)
    return bool(config.getoption("--quick")) and is_below and place(path).as_posix() in STARTING


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave those that were asked for, the longest first."""
    if config.getoption("--update-golden"):
        keep(config, items, lambda item: "is_rewriting" in fixtures(item))
    if config.getoption("--quick"):
        keep(config, items, is_quick)
    items.sort(key=rank)


def covers(item: pytest.Item) -> bool:
    """Whether the lines that a test reaches are counted. That takes twice the time, so a few tests have to reach them all."""
    return place(item.path).parts[0] in COVERING and item.get_closest_marker("thorough") is None


def fixtures(item: pytest.Item) -> list[str]:
    """The names of those that a test uses. Pytest has them for functions, and all of our tests are functions."""
    assert isinstance(item, pytest.Function)
    return item.fixturenames


def is_quick(item: pytest.Item) -> bool:
    return "processes" not in fixtures(item) and item.get_closest_marker("thorough") is None


def rank(item: pytest.Item) -> int:
    """The lower, the earlier it runs."""
    return _rank_of(item.path)


@cache
def _rank_of(path: Path) -> int:
    where = place(path)
    return next((i for i, name in enumerate(STARTING) if where.is_relative_to(name)), len(STARTING))


def keep(config: pytest.Config, items: list[pytest.Item], is_wanted: Callable[[pytest.Item], bool]) -> None:
    config.hook.pytest_deselected(items=[item for item in items if not is_wanted(item)])
    items[:] = filter(is_wanted, items)


class Guard:
    """Lets no process start, and fails a test that has tried, also if it did not notice."""

    def __init__(self) -> None:
        self.is_up = False
        self.caught: list[str] = []

    def hear(self, event: str, _arguments: object) -> None:
        """For sys.addaudithook."""
        if self.is_up and event in STARTS:
            self.caught.append(event)
            raise PermissionError(f"{event}: {WAY_OUT}")

    @contextmanager
    def up(self) -> Iterator[None]:
        self.is_up, self.caught = True, []
        try:
            yield
        finally:
            self.is_up = False

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self) -> Generator[None, object, object]:
        with self.up():
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self) -> Generator[None, object, object]:
        with self.up():
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        with self.up():
            result = yield
        if self.caught:
            pytest.fail(f"{self.caught[0]}: {WAY_OUT}", pytrace=False)
        return result
