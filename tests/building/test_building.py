"""Builds: what they see, how long they may take, what is shown of them, and what they may bring into a bot's folder.

What hostile builds can do, inside and outside the sandbox, is tested in tests/attacks/test_builds.py.
"""

import os
import pwd
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio

from arena.building import build as building
from arena.building import toolchains
from arena.building.build import Way, build
from arena.building.delivery import MOST_NAME, Delivery, parts
from arena.cli.building import Printout, plain, spelled
from arena.errors import LaunchError, RosterError
from arena.match.excerpt import Excerpt
from arena.roster.entries import Entry
from arena.roster.platforms import is_unbuilt
from arena.sandbox.workbench import HEADER
from tests.cli.command import arena
from tests.machine import need_tier

LIMIT_S = 30


def entry_of(folder: Path, *words: str, command: tuple[str, ...] = ("./bot",)) -> Entry:
    return Entry("built", "1", command, folder, words)


def built(folder: Path, script: str, way: Way = Way.YES) -> tuple[str | None, str]:
    """What is said of a build by the shell, and what it printed."""
    printed = Excerpt()
    why = trio.run(build, entry_of(folder, "sh", "-c", script), way, printed.add, LIMIT_S)
    return why, printed.text()


def bot_in(folder: Path, build: str, command: str = "./bot") -> Path:
    words = f"name = 'built'\ncommand = ['{command}']\nbuild = ['sh', '-c', '''{build}''']\n"
    (folder / "bot.toml").write_text(words)
    return folder


# Outside of the sandbox


@pytest.mark.usefixtures("processes")
def test_a_build_runs_in_the_folder_and_all_that_it_prints_is_heard_in_its_order(tmp_path):
    assert built(tmp_path, "pwd; echo two >&2; echo three; touch made") == (None, f"{tmp_path}\ntwo\nthree\n")
    assert (tmp_path / "made").exists()


def test_a_bot_without_a_build_command_has_nothing_to_build(tmp_path):
    assert trio.run(build, entry_of(tmp_path), Way.YES, print, LIMIT_S) is None
    assert trio.run(build, entry_of(tmp_path, "false"), Way.NO, print, LIMIT_S) is None


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("false",), "exited with status 1"),
        (("sh", "-c", "kill -9 $$"), "was ended by signal 9 (SIGKILL)"),
        (("./nosuch",), "could not be executed: program not found"),
        (("no-such-program",), "could not be executed: program not found"),
    ],
)
def test_a_build_that_fails_says_how(words, why, tmp_path):
    told = trio.run(build, entry_of(tmp_path, *words), Way.YES, lambda _: None, LIMIT_S)
    assert told.partition(": the arena has not done it")[0] == why


@pytest.mark.usefixtures("processes")
def test_a_build_that_is_broken_off_is_ended_with_all_that_it_has_started(tmp_path):
    async def main() -> None:
        script = "(setsid sh -c 'echo $$ >new; mv new pid; sleep 600' &); sleep 600"
        with trio.fail_after(LIMIT_S):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(build, entry_of(tmp_path, "sh", "-c", script), Way.YES, lambda _: None, LIMIT_S)
                while not (tmp_path / "pid").exists():
                    await trio.sleep(0.01)
                nursery.cancel_scope.cancel()

    trio.run(main)
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}").exists()


@pytest.mark.usefixtures("processes")
def test_a_build_sees_what_toolchains_need_and_no_token(tmp_path, monkeypatch):
    for name in (
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "CARGO_REGISTRY_TOKEN",
        "npm_config__authtoken",
        "SSH_AUTH_SOCK",
    ):
        monkeypatch.setenv(name, "decoy")
    for name in (
        "CARGO_HOME",
        "GOPROXY",
        "https_proxy",
        "HTTPS_PROXY",
        "npm_config_registry",
        "PIP_INDEX_URL",
        "LC_TIME",
    ):
        monkeypatch.setenv(name, "needed")
    _, printed = built(tmp_path, "env")
    assert printed.count("=needed") == 7
    assert "decoy" not in printed
    assert f"HOME={os.environ['HOME']}\n" in printed


@pytest.mark.parametrize(("has_name", "seen"), [(True, "-Xmx1g"), (False, "-Xmx1g -Duser.home=/home/me")])
def test_maven_learns_where_the_home_folder_of_a_user_without_a_name_is(has_name, seen, monkeypatch):
    """Java asks by name. Without one Maven makes a folder "?" in the bot's, and its packages would be the bot's."""

    def look_up(_number: int) -> SimpleNamespace:
        if not has_name:
            raise KeyError
        return SimpleNamespace(pw_name="me")

    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("MAVEN_OPTS", "-Xmx1g")
    monkeypatch.setattr(pwd, "getpwuid", look_up)
    assert toolchains.environment()["MAVEN_OPTS"] == seen


def test_no_variable_that_is_passed_on_is_named_like_a_secret():
    names = " ".join(toolchains.PASSED_ON.values()).split()
    assert not [name for name in names if re.search("TOKEN|SECRET|PASS|KEY|AUTH|CREDENTIAL", name)]
    assert len(names) == len(set(names))


# In the sandbox


def test_without_the_tier_full_a_sandboxed_build_is_refused_with_the_way_out(tmp_path, monkeypatch):
    monkeypatch.setattr(building, "try_out", lambda launcher: ((), "no namespaces here"))
    with pytest.raises(LaunchError, match=r"needs the tier full .*: no namespaces here\. .* --build\."):
        built(tmp_path, "touch made", Way.SANDBOXED)
    assert not (tmp_path / "made").exists()


def test_only_what_toolchains_keep_is_shown_of_a_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CARGO_HOME", "RUSTUP_HOME", "GOMODCACHE"):
        monkeypatch.delenv(name, raising=False)
    for name in (".cargo/registry", ".cargo/bin", "go/pkg/mod", ".m2/repository", ".ssh"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / ".cargo" / "credentials.toml").touch()
    (tmp_path / ".m2" / "settings.xml").touch()
    given = toolchains.bench("make", tmp_path / "bot")
    shown = [path.removeprefix(f"{tmp_path}/") for path in given.shown if path.startswith(f"{tmp_path}/")]
    assert shown == [".cargo/bin", ".cargo/registry", "go/pkg/mod", ".m2/repository"]
    assert given.env["CARGO_HOME"] == f"{tmp_path}/.cargo"
    assert given.env["MAVEN_OPTS"] == f"-Dmaven.repo.local={tmp_path}/.m2/repository"


def test_a_cache_is_where_its_variable_says_unless_the_variable_is_for_more(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CARGO_HOME", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("MAVEN_OPTS", str(tmp_path / "elsewhere"))
    for name in ("elsewhere/registry", ".cargo/registry", ".m2/repository"):
        (tmp_path / name).mkdir(parents=True)
    given = toolchains.bench("make", tmp_path / "bot").env
    assert given["CARGO_HOME"] == f"{tmp_path}/elsewhere"
    assert given["MAVEN_OPTS"] == f"-Dmaven.repo.local={tmp_path}/.m2/repository"


def test_a_user_without_a_home_has_no_caches(tmp_path, monkeypatch):
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    for name in ("CARGO_HOME", "RUSTUP_HOME", "GOMODCACHE"):
        monkeypatch.delenv(name, raising=False)
    assert "CARGO_HOME" not in toolchains.bench("make", tmp_path).env


def stream(*files: tuple[bytes, bytes]) -> bytes:
    return b"".join(HEADER.pack(False, len(name), len(contents)) + name + contents for name, contents in files)


@pytest.fixture
def delivery(tmp_path) -> Delivery:
    (tmp_path / "shelf").mkdir()
    (tmp_path / "bot").mkdir()
    return Delivery(tmp_path / "shelf")


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_files_come_out_of_the_sandbox_in_whatever_pieces(size, delivery, tmp_path):
    data = stream((b"bot", b"x" * 3000), (b"lib/deep/empty", b""), (b"caf\xe9", b"y"))
    for i in range(0, len(data), size):
        delivery.take(data[i : i + size])
    delivery.install(tmp_path / "bot")
    files = {
        path.relative_to(tmp_path / "bot").as_posix(): path.read_bytes()
        for path in (tmp_path / "bot").rglob("*")
        if path.is_file()
    }
    assert files == {"bot": b"x" * 3000, "lib/deep/empty": b"", os.fsdecode(b"caf\xe9"): b"y"}


@pytest.mark.parametrize(
    "name", [b"", b"/etc/passwd", b"../x", b"a/../../x", b"a//b", b"./a", b"a/", b"a\0b", b"x" * 256, b"a/" * 33 + b"b"]
)
def test_names_that_lead_elsewhere_are_refused(name):
    with pytest.raises(RosterError, match="it made a file with"):
        parts(name)


def test_more_than_may_come_is_refused_before_it_is_kept(delivery, monkeypatch):
    monkeypatch.setattr("arena.building.delivery.MOST_FILES", 5)
    with pytest.raises(RosterError, match="a name of 65535 bytes"):
        Delivery(delivery.shelf).take(HEADER.pack(False, 65535, 0))
    with pytest.raises(RosterError, match="1024 MB"):
        Delivery(delivery.shelf).take(HEADER.pack(False, 1, 1 << 40) + b"x")
    with pytest.raises(RosterError, match="5 files"):
        delivery.take(stream(*[(b"x", b"")] * 6))
    assert MOST_NAME < 65535


def test_as_much_as_may_come_is_kept(delivery, monkeypatch):
    monkeypatch.setattr("arena.building.delivery.MOST_FILES", 5)
    monkeypatch.setattr("arena.building.delivery.MOST_BYTES", 10)
    longest = b"/".join(b"x" * 204 for _ in range(5))
    delivery.take(stream((longest, b"12"), *[(b"x", b"34")] * 4))
    delivery.close()
    assert len(longest) == MOST_NAME
    assert len(delivery.files) == 5
    with pytest.raises(RosterError, match=f"a name of {MOST_NAME + 1} bytes"):
        Delivery(delivery.shelf).take(stream((longest + b"x", b"")))


@pytest.mark.parametrize("cut", [1, HEADER.size, HEADER.size + 3, HEADER.size + 5])
def test_half_a_stream_changes_nothing(cut, delivery, tmp_path):
    delivery.take(stream((b"whole", b"1")) + stream((b"bot", b"xyz"))[:cut])
    with pytest.raises(RosterError, match="did not come out of the sandbox completely"):
        delivery.install(tmp_path / "bot")
    delivery.close()
    assert list((tmp_path / "bot").iterdir()) == []


# The command line


def test_build_may_stand_alone_or_before_one_of_its_words():
    assert spelled(["play", "--build", "a", "b"]) == ["play", "--build=yes", "a", "b"]
    assert spelled(["a", "--build"]) == ["a", "--build=yes"]
    assert spelled(["--build", "sandboxed", "a"]) == ["--build=sandboxed", "a"]
    assert spelled(["--build=no", "--", "--build", "yes"]) == ["--build=no", "--", "--build", "yes"]


@pytest.mark.usefixtures("processes")
def test_a_way_that_is_none_is_refused():
    ended = arena("play", "random", "random", "--build=maybe")
    assert (ended.code, "choose one of no, yes, sandboxed" in ended.err) == (2, True)


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("way", ["yes", "sandboxed"])
def test_bots_are_built_before_a_match_and_what_that_prints_is_words(way, tmp_path):
    if way == "sandboxed":
        need_tier("full")
    bot_in(tmp_path, "printf '#!/bin/sh\\nexit 5\\n' > bot; chmod 755 bot; echo building")
    ended = arena("play", "--build", way, "random", tmp_path, "-o", tmp_path / "x")
    assert "building\n" in ended.err
    assert "building" not in ended.out
    assert (tmp_path / "bot").stat().st_mode & 0o777 == 0o755


@pytest.mark.usefixtures("processes")
def test_a_build_that_hangs_is_ended_when_its_time_is_up(tmp_path):
    ended = arena(
        "play", "random", bot_in(tmp_path, "sleep 20; exit 0"), "--build", "--build-limit", 1, "-o", tmp_path / "x"
    )
    assert ended.code == 4
    assert ended.err.endswith(f"in {tmp_path} took longer than 1 s and was killed; see above.\n")


@pytest.mark.usefixtures("processes")
def test_no_build_speaks_to_the_terminal(tmp_path):
    bot_in(
        tmp_path, r"printf '\033]0;title\007\033[2J\033[31mred\033[0m\ttab\n\302\233ansi \342\200\256turned\n'; exit 1"
    )
    ended = arena("play", "random", tmp_path, "--build", "-o", tmp_path / "x")
    assert ended.err.startswith("red      tab\n\\x9bansi \\u202eturned\n")


@pytest.mark.usefixtures("processes")
def test_of_a_flood_the_beginning_and_the_end_are_shown(tmp_path):
    bot_in(tmp_path, "echo first; yes flood | head -c 3000000; printf %01000000d 0; echo; echo last; exit 1")
    ended = arena("play", "random", tmp_path, "--build", "-o", tmp_path / "x")
    assert ended.err.startswith("first\nflood\n")
    assert "\narena: the build prints more; only the beginning is shown\n" in ended.err
    assert "\nlast\n" in ended.err
    assert len(ended.err) < 150_000


def test_lines_come_as_they_are_printed_and_long_ones_in_pieces(capsys):
    printed = Printout()
    printed.hear(b"caf\xc3")
    printed.hear(b"\xa9\nhalf")
    assert capsys.readouterr().err == "café\n"
    printed.hear(b"x" * 5000)
    printed.close(failed=False)
    assert max(map(len, capsys.readouterr().err.splitlines())) <= 4000
    assert plain("a\r") == "a"


@pytest.mark.usefixtures("processes")
def test_a_bot_that_has_not_been_built_gets_a_warning_with_the_options(tmp_path):
    ended = arena("play", "random", bot_in(tmp_path, "make"), "-o", tmp_path / "x")
    assert re.search(
        r"arena: built has not been built \(sh -c make\)\. Add --build sandboxed .*, or --build", ended.err
    )
    (tmp_path / "bot").touch()
    assert "built (" not in arena("play", "random", tmp_path, "-o", tmp_path / "x").err


@pytest.mark.parametrize(
    ("command", "unbuilt"),
    [
        (("./bot",), True),
        (("java", "-jar", "target/bot.jar"), True),
        (("node", "bot.js"), False),
        (("/bin/sh", "x"), False),
    ],
)
def test_a_bot_looks_unbuilt_if_a_file_of_its_command_is_not_there(command, unbuilt, tmp_path):
    assert is_unbuilt(entry_of(tmp_path, "make", command=command)) is unbuilt
    assert not is_unbuilt(entry_of(tmp_path, command=command))
