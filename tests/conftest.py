"""What all tests share: the switch that writes golden files anew, and packages that plug something in."""

import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# A slow example is no wrong one: machines are noisy, and speed is measured by `arena bench`.
settings.register_profile("any machine", deadline=None)
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
        "--update-golden", action="store_true", help="write what the golden tests see, then look at git diff"
    )


@pytest.fixture(autouse=True, scope="session")
def _state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What the arena remembers of bots in tests is forgotten with them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture
def tmp_path(tmp_path: Path) -> Path:
    """A folder that others may read, and reach: bots of a root user are others."""
    tmp_path.chmod(0o755)
    for parent in tmp_path.parents:
        if not parent.stat().st_mode & 0o001:
            parent.chmod(0o711)
    return tmp_path


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """golden(name, text) fails unless tests/golden/<name> holds just this text."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
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
