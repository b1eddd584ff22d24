"""A stranger's bot.toml, folder, tournament or deck may be anything: the arena refuses it at once, in words.

Each command has a gigabyte, and must end by itself.
"""

import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import Ended, arena, prepared_arena, very_deep

GIGABYTE = 1 << 30
SECONDS = 60
"""A limit for what would otherwise never end; it takes about one."""


def pipe(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def sparse(path: Path) -> None:
    with open(path, "wb") as file:
        file.truncate(8 << 30)


def unix_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def of_dots(path: Path) -> None:
    path.write_text("a." * 30_000 + "a = 1")


def deep(path: Path) -> None:
    path.write_text("a = " + "[" * 60_000)


def circular(path: Path) -> None:
    path.symlink_to(path)


HOSTILE: dict[Callable[[Path], None], str] = {
    pipe: "this is a pipe, not an ordinary file",
    endless: "this is a device, not an ordinary file",
    sparse: "it has more than {most:,} bytes, the most that such a file may have",
    unix_socket: "this is a socket, not an ordinary file",
    of_dots: "it has a key of more than 32 parts: it is nested too deeply",
    deep: "it is nested too deeply",
    circular: "Too many levels of symbolic links",
}


@pytest.fixture(params=HOSTILE, ids=lambda make: make.__name__)
def make(request: pytest.FixtureRequest) -> Callable[[Path], None]:
    made: Callable[[Path], None] = request.param
    return made


def within_bounds(*words: object) -> Ended:
    """The command line, which must do with a gigabyte, and without waiting."""
    command = ["arena", *map(str, words)]
    ended = prepared_arena().run(command, os.environ, os.getcwd(), timeout_s=SECONDS, most_bytes=GIGABYTE)
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def check_refused(ended: Ended, code: int, *words: str) -> None:
    assert (ended.code, ended.out) == (code, "")
    assert "Traceback" not in ended.err
    for word in words:
        assert word in ended.err


def test_a_bot_toml_of_any_kind_is_refused_at_once(tmp_path, make):
    path = tmp_path / "bot.toml"
    make(path)
    ended = within_bounds("play", tmp_path, "random")
    check_refused(ended, 4, f"arena: {path}: ", HOSTILE[make].format(most=64 << 10))
    assert ended.err.count("\n") == 1


def test_a_tournament_file_of_any_kind_is_refused_at_once(tmp_path, make):
    path = tmp_path / "league.toml"
    make(path)
    for command in ("run", "status"):
        ended = within_bounds("league", command, path)
        check_refused(ended, 4, f"arena: {path}: ", HOSTILE[make].format(most=1 << 20))


@pytest.mark.parametrize("make", [pipe, endless, sparse, unix_socket])
def test_a_deck_of_any_kind_is_refused_at_once(tmp_path, make):
    make(tmp_path / "deck")
    words = HOSTILE[make].format(most=1 << 20)
    ended = within_bounds("play", "random", "random", "--game", "dinodocus", "--option", f"deck={tmp_path / 'deck'}")
    check_refused(ended, 4, f"option deck: {tmp_path / 'deck'}: {words}. Write house-60, or the name of a file.")
    league = 'name = "x"\nbots = ["random", "greedy"]\ngame = "dinodocus"\n[options]\ndeck = "deck"\n'
    (tmp_path / "league.toml").write_text(league)
    ended = within_bounds("league", "run", tmp_path / "league.toml")
    check_refused(ended, 4, f"options.deck: {tmp_path / 'deck'}: {words}.")


BOT = 'name = "mine"\ncommand = ["true"]\n'


def test_a_folder_of_very_many_files_is_refused_at_once(tmp_path):
    (tmp_path / "bot.toml").write_text(BOT)
    (tmp_path / "lib").mkdir()
    for number in range(20_000):
        os.mknod(tmp_path / "lib" / f"{number}")
    ended = within_bounds("play", tmp_path, "random")
    check_refused(
        ended, 4, f"arena: {tmp_path}: more than 20,000 files, the most that a bot may have. Move what it does"
    )


def test_a_folder_that_is_very_deep_is_refused(tmp_path):
    (tmp_path / "bot.toml").write_text(BOT)
    with very_deep(tmp_path):
        ended = within_bounds("play", tmp_path, "random")
    check_refused(ended, 4, "more than 64 folders within each other. Move it elsewhere.")


def test_a_huge_file_in_a_folder_is_refused(tmp_path):
    (tmp_path / "bot.toml").write_text(BOT)
    sparse(tmp_path / "weights")
    ended = within_bounds("play", tmp_path, "random")
    check_refused(
        ended, 4, f"arena: {tmp_path}: more than 2 GiB", "weights with 8,589,934,592 bytes. Move what it does"
    )


@pytest.mark.parametrize("target", ["/proc/kmsg", "/dev/zero", "/proc/self/pagemap"])
def test_a_link_in_a_folder_leads_nowhere(tmp_path, target):
    """As root, to read the first of them would wait for ever, and to read the last would be an error."""
    (tmp_path / "bot.toml").write_text(BOT)
    (tmp_path / "x").symlink_to(target)
    ended = within_bounds("check", "--no-build", "--sandbox", "none", tmp_path)
    assert ended.code == 3, "it is a bot, if one that says nothing"
    assert "Traceback" not in ended.err


def test_a_deck_at_a_long_path_is_not_said_to_be_missing(tmp_path):
    folder = tmp_path / "/".join(["x" * 200] * 6)
    folder.mkdir(parents=True)
    (folder / "deck").write_text("{}")
    league = f'name = "x"\nbots = ["random", "greedy"]\ngame = "dinodocus"\n[options]\ndeck = "{folder}/deck"\n'
    (tmp_path / "league.toml").write_text(league)
    ended = within_bounds("league", "run", tmp_path / "league.toml")
    check_refused(ended, 4, "options.deck: dinodocus: option deck: the deck has no cards")
    assert "No such file" not in ended.err


def test_too_little_memory_is_said_in_words():
    """Wherever it is that it does not suffice: for an import, for a library, for a thread."""
    command = [sys.executable, "-m", "arena", "league", "run", "nosuch.toml"]
    codes = {subprocess.run(command, capture_output=True).returncode}
    # All of it is compiled by now. Without memory to compile a file, Python 3.11 may call it a wrong syntax.
    assert codes == {4}
    for kilobytes in range(36_000, 66_000, 6_000):
        words = f"ulimit -v {kilobytes}; ulimit -t 5; exec {shlex.join(command)}"
        ended = subprocess.run(["sh", "-c", words], capture_output=True, text=True)
        if ended.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            continue  # Python 3.11 can loop for ever where it has no memory for the line number of an error
        if ended.returncode == -signal.SIGABRT:
            assert ended.stderr.startswith("memory allocation of ")
            continue  # a library in Rust has said so, and ended the process
        assert "Traceback" not in ended.stderr, ended.stderr
        assert ended.stderr.count("\n") == 1
        codes.add(ended.returncode)
    assert 5 in codes
    assert codes <= {4, 5}


@pytest.mark.parametrize("command", [["duel", "greedy", "random", "--units", "16"], ["league", "run", "cup.toml"]])
def test_a_folder_that_is_called_like_a_package_of_ours_is_not_run(command, tmp_path, monkeypatch):
    """Workers of a league start in the folder in which the user is, perhaps that of a stranger's bot."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cup.toml").write_text(
        'name = "cup"\nbots = ["greedy", "random"]\n[schedule]\nseats = [2]\nblocks = 1\n'
    )
    for package in ("arena", "engine", "protocol", "bots"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text(f'open({str(tmp_path / "run")!r}, "a").write(__name__)\n')
    ended = arena(*command)
    assert ended.code == 0, ended.err
    assert not (tmp_path / "run").exists()
