"""What a bot's folder holds: listed within bounds, digested as it is shown, and refused in words where it is hostile."""

import os
import shutil
import stat
import tempfile
import time
from pathlib import Path

import pytest

from arena.errors import FileError, RosterError
from arena.roster.digests import as_known, changed, digest_now, old_digest, stamp
from arena.roster.entries import find
from arena.roster.folders import (
    MOST_BYTES,
    MOST_COVERED,
    MOST_DEEP,
    MOST_FILES,
    digest,
    digest_of,
    out_of_sight,
    stamp_of,
    survey,
)
from tests.cli.command import very_deep
from tests.machine import somebody_else

GOOD = 'name = "mine"\ncommand = ["./mine"]\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    put(folder / "bot.toml", GOOD)
    put(folder / "lib" / "weights", "1")
    return folder


def put(path: Path, text: str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def refused(folder: Path) -> str:
    """The words with which a bot is refused, in one line."""
    with pytest.raises(RosterError) as error:
        find(str(folder))
    words = str(error.value)
    assert "\n" not in words
    assert len(words) < 400
    return words


# The digest


@pytest.mark.parametrize(
    "name",
    [
        "lib/other",
        ".brain.py",
        ".cache/x",
        "lib/.hidden",
        "lib/__pycache__/impl.pyc",
        "lib/records/x",
        "lib/old.match.jsonl.gz",
        "node_modules/.bin/x",
        "leagues.txt",
        "empty/",
    ],
)
def test_whatever_the_bot_sees_changes_its_digest(folder, name):
    before, before_stamp = digest(folder), stamp(find(str(folder)))
    if name.endswith("/"):
        (folder / name).mkdir()
        assert digest(folder) != before
        return
    put(folder / name)
    first = digest(folder)
    assert first != before
    assert stamp(find(str(folder))) != before_stamp
    put(folder / name, "y")
    assert digest(folder) not in (before, first)


@pytest.mark.parametrize(
    "name",
    [
        "leagues/spring/league.sqlite3",
        "records/x",
        "draftosaurus-7.match.jsonl.gz",
        "__pycache__/mine.pyc",
        ".git/HEAD",
        ".gitignore",
        ".pytest_cache/x",
    ],
)
def test_what_the_bot_does_not_see_changes_nothing(folder, name):
    entry = find(str(folder))
    before = stamp(entry)
    put(folder / name)
    assert out_of_sight(folder) == [name.partition("/")[0]]
    assert digest(folder) == entry.digest
    assert stamp(entry) == before


def test_a_link_is_what_it_says_and_never_followed(folder, tmp_path):
    target = put(tmp_path / "outside")
    before = digest(folder)
    (folder / "link").symlink_to(target)
    linked = digest(folder)
    assert linked != before
    put(target, "another")
    assert digest(folder) == linked, "what lies elsewhere is not shown"
    (folder / "link").unlink()
    (folder / "link").symlink_to(tmp_path)
    assert digest(folder) != linked


def test_a_link_is_not_out_of_sight_whatever_its_name(folder):
    before = digest(folder)
    (folder / "leagues").symlink_to("lib")
    assert out_of_sight(folder) == []
    assert digest(folder) != before


@pytest.mark.parametrize(
    "target", ["/proc/kmsg", "/dev/zero", "/proc/self/pagemap", "/proc/self/mem", "/", ".", "loop"]
)
def test_a_link_to_anything_at_all_is_no_trouble(folder, target):
    (folder / "loop").symlink_to(target)
    assert len(find(str(folder)).digest) == 32


def test_pipes_and_sockets_are_named_in_the_digest_and_not_opened(folder):
    before = digest(folder)
    os.mkfifo(folder / "pipe")
    assert digest(folder) != before


def test_files_cannot_change_places_unnoticed(folder):
    put(folder / "a", "1")
    put(folder / "b", "2")
    before = digest(folder)
    put(folder / "a", "2")
    put(folder / "b", "1")
    assert digest(folder) != before
    put(folder / "a", "")
    put(folder / "b", "21")
    assert digest(folder) != before


def test_a_large_folder_is_digested_whole(folder):
    with open(folder / "large", "wb") as file:
        file.truncate(65 << 20)
    before = digest(folder)
    with open(folder / "large", "r+b") as file:
        file.seek(33 << 20)
        file.write(b"x")
    assert digest(folder) != before


def test_a_stamp_changes_with_a_file_whose_time_is_put_back(folder):
    entry, path = find(str(folder)), folder / "lib" / "weights"
    before, status = stamp(entry), path.stat()
    while path.stat().st_ctime_ns == status.st_ctime_ns:  # the clock of a file system may be coarse
        time.sleep(0.001)
        put(path, "2")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert (path.stat().st_mtime_ns, path.stat().st_size) == (status.st_mtime_ns, status.st_size)
    now = stamp(entry)
    assert now != before
    assert changed(before, now) == "lib/weights"
    assert stamp(entry) == now


def test_a_stamp_changes_with_a_file_that_takes_the_place_of_another(folder):
    entry, path = find(str(folder)), folder / "lib" / "weights"
    before = stamp(entry)
    put(folder / "lib" / "new", "2").rename(path)
    assert [one[:2] for one in stamp(entry)] == [one[:2] for one in before]
    assert stamp(entry) != before
    numbers = [0o100644, 1, 2, 1, 0, 0, 7, 100, 100, 100]
    other = [numbers[0], 3, *numbers[2:]]
    made_at_once = [stamp_of("x", os.stat_result(one)) for one in (numbers, other)]
    assert made_at_once[0] != made_at_once[1], "the clock of a file system may be coarse"


# Old leagues


def test_a_bot_is_known_by_its_old_digest_as_long_as_its_files_are_the_same(folder):
    put(folder / ".hidden")
    entry = find(str(folder))
    old = "ca22535cb929bd06"
    assert old_digest(entry) == old, "as the last version made it"
    known = as_known(entry, old)
    assert known.digest == old
    assert digest_now(known) == old
    put(folder / "lib" / "weights", "2")
    assert digest_now(known) != old
    assert as_known(entry, old) == entry


def test_a_bot_is_not_known_by_its_old_digest_in_a_new_league(folder):
    entry = find(str(folder))
    assert as_known(entry, entry.digest) == entry
    assert digest_now(entry) == entry.digest
    put(folder / ".brain.py")
    assert old_digest(find(str(folder))) == old_digest(entry)
    assert digest_now(entry) != entry.digest


def test_a_command_line_is_known_by_its_old_digest(folder):
    script = put(folder / "mine.sh", "echo")
    entry = find(f"sh {script}")
    old = "092c79e8f80e559e"
    assert old_digest(entry) == old
    assert as_known(entry, old).digest == old


# Hostile folders


@pytest.mark.parametrize("mode", [stat.S_ISUID, stat.S_ISGID])
def test_a_file_that_runs_as_its_owner_is_refused(folder, mode):
    path = put(folder / "lib" / "tool")
    path.chmod(mode | 0o755)
    assert refused(folder) == (
        f"{path}: it has a set-user-ID or set-group-ID bit, which no bot needs. Run: chmod ug-s {path}"
    )
    path.chmod(0o755)
    assert find(str(folder)).name == "mine"


@pytest.mark.usefixtures("processes")
def test_a_hard_link_to_a_file_elsewhere_is_refused(folder, tmp_path):
    private = put(tmp_path / "private")
    (folder / "lib" / "linked").hardlink_to(private)
    assert refused(folder) == (
        f"{folder}/lib/linked: a hard link to a file that is also elsewhere, which the bot would see. Use a copy of the "
        f"folder: cp -r {folder} mine-copy"
    )
    os.system(f"cp -r {folder} {folder}-copy")
    assert find(f"{folder}-copy").name == "mine"


def test_hard_links_within_the_folder_are_welcome(folder):
    """As cargo makes them in target/."""
    (folder / "target").mkdir()
    (folder / "target" / "one").hardlink_to(folder / "lib" / "weights")
    assert find(str(folder)).name == "mine"
    (folder / "leagues").mkdir()
    (folder / "leagues" / "two").hardlink_to(folder / "lib" / "weights")
    assert "lib/weights: a hard link" in refused(folder), "one of its names is out of sight"


def test_a_folder_of_too_many_files_is_refused_before_all_are_listed(folder, monkeypatch):
    monkeypatch.setattr("arena.roster.folders.MOST_FILES", 50)
    for number in range(47):
        put(folder / f"{number}")
    assert len(survey(folder)) == 50
    put(folder / "one more")
    assert refused(folder) == (
        f"{folder}: more than 50 files, the most that a bot may have. Move what it does not need elsewhere, or give it a "
        "folder of its own."
    )


def test_twenty_thousand_files_are_the_most():
    assert MOST_FILES == 20_000


@pytest.mark.usefixtures("processes")
def test_a_folder_that_is_too_deep_is_refused_wherever_it_ends(folder):
    (folder / "/".join("d" * MOST_DEEP)).mkdir(parents=True)
    assert len(survey(folder)) == MOST_DEEP + 3
    shutil.rmtree(folder / "d")
    with very_deep(folder):
        words = refused(folder)
    assert words.endswith(f"d/d: more than {MOST_DEEP} folders within each other. Move it elsewhere.")


def test_a_folder_of_too_many_bytes_is_refused_with_its_largest_file(folder):
    with open(folder / "lib" / "huge", "wb") as file:
        file.truncate(MOST_BYTES + 1)
    assert refused(folder) == (
        f"{folder}: more than 2 GiB, the most that a bot may have; the largest file is lib/huge with 2,147,483,649 "
        "bytes. Move what it does not need elsewhere."
    )


def test_a_folder_with_too_much_to_cover_is_refused(folder):
    for number in range(MOST_COVERED):
        put(folder / f"{number}.match.jsonl.gz")
    assert find(str(folder)).name == "mine"
    put(folder / "another.match.jsonl.gz")
    assert refused(folder) == (
        f"{folder}: it has more than 500 records and the like, such as 0.match.jsonl.gz. Move them to another folder."
    )


@pytest.mark.parametrize("name", ["lib/weights", "lib"])
def test_what_cannot_be_read_is_named(folder, name):
    with tempfile.TemporaryDirectory() as other:
        shutil.copytree(folder, f"{other}/mine")
        os.chmod(other, 0o755)
        find(f"{other}/mine")  # imports what it needs, which another user may not be able to read
        Path(other, "mine", name).chmod(0)
        with somebody_else():
            assert refused(Path(other, "mine")) == f"{other}/mine/{name}: Permission denied"
        Path(other, "mine", name).chmod(0o755)


def test_a_file_that_fails_while_it_is_read_is_named(folder, monkeypatch):
    """As /proc/self/pagemap does, or a bad disk."""

    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "read", fail)
    assert refused(folder) == f"{folder}/bot.toml: Input/output error"


def test_a_script_that_has_become_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "bot.py")
    with pytest.raises(FileError, match=r"/bot\.py: this is a pipe, not an ordinary file$"):
        digest_of((tmp_path / "bot.py",))
