"""What all tests share: which of them run, golden files, and packages that plug something in."""

import gc
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from arena.version import is_compiled
from tests import selection
from tests.machine import need_sandbox
from tests.sizes import sweep

# A slow example is no wrong one: machines are noisy, and speed is measured by `arena bench`.
settings.register_profile("any machine", deadline=None, max_examples=sweep(30, 500))
settings.register_profile("compiled", deadline=None, max_examples=10)
settings.register_profile("quick", deadline=None, max_examples=5)
settings.load_profile("any machine")

# Programs inherit signals that are ignored: after `nohup make test &` no test could interrupt what it has started.
for number, usual in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
    (signal.SIGTERM, signal.SIG_DFL),
):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, usual)

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="run the golden tests only and write what they see, then look at git diff",
    )
    parser.addoption("--quick", action="store_true", help="run only tests that start no process, with few examples")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--quick"):
        guard = selection.Guard()
        sys.addaudithook(guard.hear)
        config.pluginmanager.register(guard)
        settings.load_profile("quick")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return selection.is_left_out(collection_path, config) or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    selection.select(config, items)
    is_counting = config.pluginmanager.hasplugin("pytest_cov")  # which is not there in the machines of tests/anywhere
    for item in items:
        if is_counting and not selection.covers(item):
            item.add_marker(pytest.mark.no_cover)


# What is skipped


def pytest_runtest_setup(item: pytest.Item) -> None:
    if reason := why_pure(item):
        pytest.skip(f"only in pure Python: {reason}")


def why_pure(item: pytest.Item) -> str | None:
    """Why a test is left out on the compiled arena (`make test-fast`); None: it is not."""
    mark = item.get_closest_marker("pure") if is_compiled() else None
    return None if mark is None else str(mark.args[0])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """On CI nothing else is skipped: a layer that is missing there must not hide a failure."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI") and not why_pure(item):
        report.outcome = "failed"
        report.longrepr = f"skipped on CI, where everything is tested: {_reason(report)}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The reasons, the most frequent first."""
    reasons = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", ()))
    if reasons:
        terminalreporter.section("skipped here")
    for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
        terminalreporter.line(f"{count:5} {reason}")


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    words = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return words.removeprefix("Skipped: ").partition("\n")[0]


# What tests share


@pytest.fixture
def sandbox(processes: None) -> None:  # noqa: ARG001
    """Skips the test where no tier of the sandbox works."""
    need_sandbox()


@pytest.fixture(autouse=True, scope="session")
def _open_to_bots(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The folder of all tests can be passed by bots of a root user, who are others."""
    base = tmp_path_factory.getbasetemp()
    for folder in (base, *base.parents):
        if not folder.stat().st_mode & 0o001:
            folder.chmod(0o711)


@pytest.fixture(autouse=True, scope="session")
def _state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What the arena remembers of bots in tests is forgotten with them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture
def tmp_path(tmp_path: Path) -> Path:
    """A folder that others may read: bots of a root user are others."""
    tmp_path.chmod(0o755)
    return tmp_path


@pytest.fixture(scope="session")
def processes() -> None:
    """Used by tests and fixtures that start processes, in files whose other tests do not: `make quick` leaves them out."""


@pytest.fixture
def is_rewriting(request: pytest.FixtureRequest) -> bool:
    """Whether what is compared with a file is written there first. `make golden` runs the tests that ask this."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture
def golden(is_rewriting: bool) -> Callable[[str, str], None]:
    """golden(name, text) fails unless tests/golden/<name> holds just this text."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if is_rewriting:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        assert path.is_file(), f"{path} is missing; write it with: pytest --update-golden"
        assert text == path.read_text("utf-8")

    return compare


@pytest.fixture
def plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str, str], None]]:
    """plug_in(package, code, entry) installs a package whose module has this code and this line of entry points."""

    def install(package: str, code: str, entry: str) -> None:
        (tmp_path / f"{package}.py").write_text(code)
        info = tmp_path / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        group, _, point = entry.partition(": ")
        (info / "entry_points.txt").write_text(f"[{group}]\n{point}\n")

    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield install
    for module in set(sys.modules) - before:
        del sys.modules[module]


def pytest_collection_finish() -> None:
    """What has been imported and collected stays: the garbage collector need not look through it again and again."""
    gc.collect()
    gc.freeze()
