"""Bots are kept: the archive of a bot, and the copy of it that plays."""

import gzip
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import running
from arena.errors import FileError, RosterError
from arena.match.play import MatchSetup, play
from arena.roster.archive import archive_of, check, is_intact, pack, unpack
from arena.roster.belongings import KEPT, kept_digest, kept_items
from arena.roster.copies import differs, from_archive, kept, portable
from arena.roster.digests import digest_now
from arena.roster.entries import Entry, as_whole, find
from arena.roster.folders import digest, stamp_of
from arena.roster.kits import create
from arena.roster.parts import new_file, new_folder, remove
from tests.machine import need_tier

ROOT = Path(__file__).parents[2]
GOOD = 'name = "mine"\ncommand = ["./mine"]\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    put(folder / "bot.toml", GOOD)
    put(folder / "mine", "#!/bin/sh\n").chmod(0o755)
    put(folder / "lib" / "weights", "1")
    return folder


@pytest.fixture
def league(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "league"
    if (tmp_path / "league").exists():
        remove(tmp_path / "league")  # which pytest could not, if it is not root


def put(path: Path, text: str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def keep(folder: Path, league: Path) -> Entry:
    return kept(find(str(folder)), league / "bots", league / "unpacked")


def names(folder: Path) -> list[str]:
    return [item.name for item in kept_items(find(str(folder)))]


def refused(folder: Path, league: Path) -> str:
    with pytest.raises(RosterError) as error:
        keep(folder, league)
    words = str(error.value)
    assert "\n" not in words
    assert not list((league / "bots").glob("*")), "nothing was kept"
    return words.replace(f"{folder}", "FOLDER")


def tree(folder: Path) -> dict[str, tuple[str, object]]:
    """All files, links and folders in a folder: mode, and contents or target."""
    found: dict[str, tuple[str, object]] = {}
    for path in sorted(folder.rglob("*")):
        mode = oct(path.lstat().st_mode)
        what = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(folder))] = (mode, what)
    return found


# What is kept


def test_files_and_links_are_kept_and_litter_is_not(folder):
    put(folder / "lib" / "__pycache__" / "x.pyc")
    put(folder / "main.o")
    put(folder / "records" / "x")
    (folder / "empty").mkdir()
    (folder / "link").symlink_to("lib/weights")
    assert names(folder) == ["bot.toml", "lib/weights", "link", "mine"]


def test_files_of_bot_toml_says_what_is_kept_and_bot_toml_always_is(folder):
    put(folder / "bot.toml", GOOD + 'files = ["mine"]\n')
    assert names(folder) == ["bot.toml", "mine"]
    put(folder / "bot.toml", GOOD + 'files = ["!bot.toml", "!lib"]\n')
    assert names(folder) == ["bot.toml", "mine"]
    put(folder / "other.toml", GOOD + 'files = ["mine"]\n')
    assert names(folder / "other.toml") == ["mine", "other.toml"]


def test_a_mistake_in_files_is_named(folder):
    put(folder / "bot.toml", GOOD + 'files = ["../x"]\n')
    with pytest.raises(RosterError, match=r"bot\.toml: files\.0: expected a path in the bot's folder"):
        find(str(folder))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda folder: os.mkfifo(folder / "pipe"), "FOLDER/pipe: this is a pipe, which cannot be kept. Remove it"),
        (lambda folder: put(folder / "a\nb"), "FOLDER/a\\nb: its name has control characters. Rename it"),
        (lambda folder: put(folder / "a\x9bb"), "its name has control characters"),
        (lambda folder: put(folder / os.fsdecode(b"caf\xe9")), "its name is not UTF-8. Rename it"),
        (lambda folder: put(folder / "/".join(["d" * 200] * 6)), "its path has more than 1024 bytes"),
        (lambda folder: (folder / "l").symlink_to("../outside"), "a link to ../outside, which is outside of the bot's folder. Put a copy in its place"),
        (lambda folder: (folder / "lib" / "l").symlink_to("../../x"), "a link to ../../x, which is outside"),
        (lambda folder: (folder / "l").symlink_to(".."), "a link to .., which is outside"),
        (lambda folder: (folder / "l").symlink_to("lib/../mine"), "a link to lib/../mine, with .. after a name"),
        (lambda folder: (folder / "l").symlink_to("/etc/passwd"), "a link to /etc/passwd, which is not kept with the bot"),
        (lambda folder: (folder / "l").symlink_to(folder / "mine"), "FOLDER/mine, which is not kept with the bot"),
        (lambda folder: (folder / "l").symlink_to("/usr/../etc/passwd"), "which is not kept with the bot"),
        (lambda folder: (folder / "l").symlink_to("/usrlocal"), "which is not kept with the bot"),
        (lambda folder: (folder / "l").symlink_to("a\x1b[31m"), "a link to nothing, to control characters"),
        (lambda folder: (folder / "l").symlink_to(os.fsdecode(b"caf\xe9")), "a link to a name that is not UTF-8"),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_named_with_the_way_out(folder, league, change, words):
    change(folder)
    found = refused(folder, league)
    assert found.startswith("mine cannot be kept: FOLDER/")
    assert words in found
    assert ' Or leave it out of the bot, in bot.toml: files = ["!' in found


def test_the_way_out_is_one(folder, league):
    (folder / "l").symlink_to("/etc/passwd")
    assert refused(folder, league).endswith('Or leave it out of the bot, in bot.toml: files = ["!l"]')
    put(folder / "bot.toml", GOOD + 'files = ["!l"]\n')
    assert "l" not in tree(keep(folder, league).folder)


def test_links_that_stay_inside_or_name_the_system_are_kept_as_links(folder, league):
    put(folder / "venv" / "pyvenv.cfg")
    links = {
        "a": "lib/weights", "b": "lib", "lib/c": "../mine", "d": ".", "lib/e": "..", "f": "nowhere", "g": "/usr/bin/python3",
        "venv/bin/python": "/home/ann/.pyenv/versions/3.11/bin/python3", "venv/bin/python3.11": "python",
    }  # fmt: skip
    for name, target in links.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).symlink_to(target)
    found = tree(keep(folder, league).folder)
    assert {name: found[name][1] for name in links} == links


@pytest.mark.parametrize(
    "name", ["bin/python", "venv/lib/python", "venv/bin/perl", "venv/bin/python/x", "venv2/bin/python"]
)
def test_only_the_interpreter_of_a_virtual_environment_may_be_anywhere(folder, league, name):
    put(folder / "venv" / "pyvenv.cfg")
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).symlink_to("/home/ann/python3")
    assert "a link to /home/ann/python3, which is not kept" in refused(folder, league)


def test_a_pattern_that_names_nothing_is_a_mistake(folder, league):
    put(folder / "bot.toml", GOOD + 'files = ["mine", "weigths", "*.bin"]\n')
    assert refused(folder, league) == (
        "mine cannot be kept: `files` in its bot.toml names weigths, and there is nothing of that name. Correct it, or "
        "build the bot first: --build."
    )


@pytest.mark.parametrize("word", ["./mine", "mine", "lib/../mine", "FOLDER/mine"])
def test_a_program_that_is_not_kept_is_a_mistake(folder, league, word):
    put(
        folder / "bot.toml",
        f'name = "mine"\ncommand = ["sh", "{word}"]\nfiles = ["lib"]\n'.replace("FOLDER", str(folder)),
    )
    assert "its command names mine, which does not belong to it. Add it to `files`" in refused(folder, league)
    put(folder / "bot.toml", f'name = "mine"\ncommand = ["sh", "{word}"]\n'.replace("FOLDER", str(folder)))
    assert keep(folder, league).is_copy


def test_a_program_behind_a_link_is_kept(folder, league):
    (folder / "current").symlink_to("lib")
    put(folder / "bot.toml", 'name = "mine"\ncommand = ["sh", "current/weights"]\n')
    assert keep(folder, league).is_copy


# The digest


def test_the_digest_is_of_names_contents_executability_and_links(folder):
    (folder / "link").symlink_to("lib")
    found = {kept_digest(find(str(folder)))}

    def is_new() -> bool:
        count = len(found)
        found.add(kept_digest(find(str(folder))))
        return len(found) > count

    put(folder / "lib" / "weights", "2")
    assert is_new()
    (folder / "lib" / "weights").chmod(0o744)
    assert is_new()
    (folder / "lib" / "weights").chmod(0o711)
    assert not is_new()
    (folder / "lib" / "weights").rename(folder / "lib" / "w")
    assert is_new()
    (folder / "link").unlink()
    assert is_new()
    (folder / "link").symlink_to("mine")
    assert is_new()
    put(folder / "lib" / "__pycache__" / "x.pyc")
    (folder / "empty").mkdir()
    assert not is_new()


def test_the_digest_never_changes_its_rule(folder):
    """Leagues know their bots by it."""
    (folder / "link").symlink_to("lib/weights")
    what = [
        ("bot.toml", b"file " + hashlib.sha256(GOOD.encode()).digest()),
        ("lib/weights", b"file " + hashlib.sha256(b"1").digest()),
        ("link", b"link lib/weights"),
        ("mine", b"program " + hashlib.sha256(b"#!/bin/sh\n").digest()),
    ]
    state = hashlib.sha256(b"dino-arena kept files 1\n")
    for name, contents in what:
        state.update(b"%d:%s%d:%s" % (len(name), name.encode(), len(contents), contents))
    assert kept_digest(find(str(folder))) == state.hexdigest()[:KEPT]


def test_the_digest_of_a_bot_in_its_folder_is_the_one_it_was(folder):
    """Old leagues know their bots by that."""
    entry = find(str(folder))
    assert entry.digest == digest(folder)
    assert len(entry.digest) == 32
    assert digest_now(entry) == entry.digest


# The archive


def test_the_archive_is_one_that_tar_reads(folder, league):
    put(folder / "größe" / ("n" * 120), "long")
    (folder / "link").symlink_to("größe/" + "n" * 120)
    pack(find(str(folder)), league)
    (path,) = league.iterdir()
    with tarfile.open(path) as tar:
        members = {member.name: member for member in tar.getmembers()}
        assert tar.extractfile("größe/" + "n" * 120).read() == b"long"
    assert sorted(members) == ["bot.toml", "größe/" + "n" * 120, "lib/weights", "link", "mine"]
    assert members["link"].linkname == "größe/" + "n" * 120
    assert {(m.uid, m.gid, m.uname, m.gname, m.mtime) for m in members.values()} == {(0, 0, "", "", 0)}
    assert [members[name].mode for name in ("bot.toml", "mine")] == [0o644, 0o755]


def test_the_archive_is_the_same_whoever_makes_it_from_the_same_files(folder, league, tmp_path):
    (folder / "link").symlink_to("lib")
    first = pack(find(str(folder)), league / "1")
    other = tmp_path / "elsewhere" / "mine"
    other.mkdir(parents=True)
    umask = os.umask(0o077)
    try:
        (other / "link").symlink_to("lib")
        for name in ("mine", "lib/weights", "bot.toml"):
            put(other / name, (folder / name).read_text())
        (other / "mine").chmod(0o700)
        os.utime(other / "mine", (1, 1))
        if os.geteuid() == 0:
            os.chown(other / "bot.toml", 12345, 12345)
        assert pack(find(str(other)), league / "2") == first
    finally:
        os.umask(umask)
    assert archive_of(league / "1", first).read_bytes() == archive_of(league / "2", first).read_bytes()


def test_the_archive_is_the_same_byte_by_byte_as_ever(folder, league):
    """What is compressed; how it is compressed may depend on zlib."""
    put(folder / "größe")
    (folder / "link").symlink_to("lib/weights")
    pack(find(str(folder)), league)
    (path,) = league.iterdir()
    assert hashlib.sha256(gzip.decompress(path.read_bytes())).hexdigest()[:16] == "9c178c8783ea1d7d"
    assert path.read_bytes()[:9] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00", "no name, no time"


@given(
    st.dictionaries(
        st.lists(st.text(st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="/"), min_size=1, max_size=70)
                 .filter(lambda part: part not in (".", "..") and len(part.encode()) < 256), min_size=1, max_size=3)
        .map("/".join),
        st.tuples(st.binary(max_size=2000) | st.integers(0, 3).map(lambda n: bytes(512 * n)), st.booleans()),
        max_size=6,
    )
)  # fmt: skip
def test_what_is_unpacked_is_what_was_packed(files):
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "mine")
        put(folder / "bot.toml", GOOD + 'files = ["**"]\n')
        for name, (contents, is_program) in files.items():
            try:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(contents)
            except OSError:
                continue  # another one is a folder here, or a file there
            (folder / name).chmod(0o755 if is_program else 0o644)
        entry = find(str(folder))
        found = kept(entry, Path(place, "bots"), Path(place, "unpacked"))
        assert kept_digest(found) == kept_digest(entry) == found.digest == found.folder.name
        for item in kept_items(entry):
            copy = found.folder / item.name
            assert copy.read_bytes() == (folder / item.name).read_bytes()
            assert copy.stat().st_mode & 0o777 == (0o555 if item.status.st_mode & 0o100 else 0o444)
        assert not differs(entry, found)
        remove(Path(place, "unpacked"))


def test_a_file_that_grows_while_it_is_packed_is_refused(folder, league, monkeypatch):
    entry = find(str(folder))
    items = kept_items(entry)
    monkeypatch.setattr("arena.roster.archive.kept_items", lambda _: items)
    put(folder / "lib" / "weights", "12")
    with pytest.raises(FileError, match="lib/weights: it has changed while it was kept"):
        pack(entry, league)
    put(folder / "lib" / "weights", "")
    with pytest.raises(FileError, match="lib/weights: it has changed while it was kept"):
        pack(entry, league)
    assert list(league.iterdir()) == []


@pytest.mark.usefixtures("processes")
def test_large_files_pass_through_little_memory(folder, league):
    with open(folder / "large", "wb") as file:
        file.truncate(300 << 20)
    program = (
        "import resource, sys\nfrom pathlib import Path\nfrom arena.roster.copies import kept\n"
        "from arena.roster.entries import find\nbefore = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "kept(find(sys.argv[1]), Path(sys.argv[2], 'bots'), Path(sys.argv[2], 'unpacked'))\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, folder, league], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(ended.stdout) < 30_000, "KiB"
    assert sum(path.stat().st_size for path in (league / "unpacked").rglob("large")) == 300 << 20


# The copy


def test_the_copy_is_read_only_and_open_to_all(folder, league):
    umask = os.umask(0o077)
    try:
        copy = keep(folder, league).folder
    finally:
        os.umask(umask)
    assert {name: mode for name, (mode, _) in tree(copy).items()} == {
        "bot.toml": "0o100444", "lib": "0o40555", "lib/weights": "0o100444", "mine": "0o100555",
    }  # fmt: skip
    assert [oct(path.stat().st_mode & 0o777) for path in (copy, copy.parent)] == ["0o555", "0o755"]
    remove(copy)
    assert list(copy.parent.iterdir()) == []


def test_the_bot_that_is_returned_plays_the_copy(folder, league):
    entry = replace(
        find(str(folder)), command=("sh", f"{folder}/mine", "mine", "/usr/bin/env", sys.executable, f"{folder}x")
    )
    found = kept(entry, league / "bots", league / "unpacked")
    assert found.folder == league / "unpacked" / found.digest
    assert found.command == ("sh", f"{found.folder}/mine", "mine", "/usr/bin/env", sys.executable, f"{folder}x")
    assert replace(found, folder=folder, command=entry.command, digest=entry.digest, is_copy=False) == entry
    assert digest_now(found) == found.digest
    assert kept(found, league / "no", league / "no") == found, "a copy is kept already"


def test_a_command_line_plays_the_copy_of_its_folder(folder, league):
    entry = as_whole(find(f"sh {folder}/mine --fast"))
    found = kept(entry, league / "bots", league / "unpacked")
    assert found.command == ("sh", f"{found.folder}/mine", "--fast")
    assert (found.named, found.files) == ((found.folder / "mine",), None)
    assert (found.folder / "lib" / "weights").exists()


def test_a_built_in_bot_is_not_kept(league):
    greedy = find("greedy")
    assert kept(greedy, league / "bots", league / "unpacked") == greedy
    assert not league.exists()


def test_the_arenas_python_is_the_arenas_also_in_the_bots_folder(folder, league, monkeypatch):
    python = put(folder / "venv" / "bin" / "python")
    monkeypatch.setattr(sys, "executable", str(python))
    put(folder / "bot.toml", 'name = "mine"\ncommand = ["{python}", "mine"]\nfiles = ["mine"]\n')
    assert keep(folder, league).command == (str(python), "mine")


def test_a_version_is_kept_once_and_others_beside_it(folder, league):
    first = keep(folder, league)
    made = (archive_of(league / "bots", first.digest), first.folder, first.folder / "mine")
    before = [stamp_of(path.name, path.stat()) for path in made]
    assert keep(folder, league) == first
    assert [stamp_of(path.name, path.stat()) for path in made] == before, "nothing was written"
    put(folder / "lib" / "weights", "2")
    second = keep(folder, league)
    assert {path.name for path in (league / "unpacked").iterdir()} == {first.digest, second.digest}
    assert (first.folder / "lib" / "weights").read_text() == "1"


def spoil(path: Path, text: str = "evil") -> None:
    """As an owner can, who insists."""
    path.parent.chmod(0o755)
    if path.exists():
        path.chmod(0o644)
    path.write_text(text)


@pytest.mark.parametrize(
    "change",
    [
        lambda copy: spoil(copy / "lib" / "weights"),
        lambda copy: spoil(copy / "new"),
        lambda copy: spoil(copy / "new.pyc"),
        lambda copy: (copy / "mine").chmod(0o444),
        lambda copy: (copy.chmod(0o755), (copy / "mine").unlink()),
        lambda copy: (remove(copy), copy.symlink_to("/etc")),
        lambda copy: (remove(copy), copy.write_text("")),
        lambda copy: (remove(copy), copy.mkdir()),
        lambda copy: (copy.chmod(0o755), os.mkfifo(copy / "pipe")),
        remove,
    ],
)
def test_a_copy_that_was_changed_is_made_again(folder, league, change):
    first = keep(folder, league)
    before = tree(first.folder)
    change(first.folder)
    assert keep(folder, league) == first
    assert not first.folder.is_symlink()
    assert tree(first.folder) == before
    assert [path.name for path in first.folder.parent.iterdir()] == [first.digest]


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda _: b"", lambda data: data + b"x", lambda _: b"evil"])
def test_an_archive_that_was_damaged_is_written_again_from_the_folder(folder, league, damage):
    first = keep(folder, league)
    path = archive_of(league / "bots", first.digest)
    good = path.read_bytes()
    path.write_bytes(damage(good))
    with pytest.raises(RosterError, match=f"mine cannot be kept: .*{first.digest}"):
        from_archive(portable(first), path, league / "elsewhere")
    assert not list((league / "elsewhere").iterdir())
    keep(folder, league)
    assert path.read_bytes() == good


def test_another_machine_plays_it_from_the_archive_alone(folder, league, tmp_path, monkeypatch):
    put(folder / "bot.toml", 'name = "mine"\ncommand = ["{python}", "mine"]\n')
    entry = find(str(folder))
    first = kept(replace(entry, command=(*entry.command, f"{folder}/mine")), league / "bots", league / "unpacked")
    values = portable(first)
    shutil.rmtree(folder)
    monkeypatch.setattr(sys, "executable", "/opt/python")
    there = tmp_path / "there"
    second = from_archive(values, archive_of(league / "bots", first.digest), there)
    assert second.command == ("/opt/python", "mine", f"{there}/{first.digest}/mine")
    assert tree(second.folder) == tree(first.folder)
    assert (second.digest, second.is_copy) == (first.digest, True)
    remove(there)


@pytest.mark.parametrize("digest", ["", "../x", "a" * 32, "A" * 40, "a" * 40 + "\n", "a" * 39 + "/"])
def test_a_digest_from_elsewhere_never_becomes_a_path_unless_it_is_one(folder, league, digest):
    values = portable(replace(keep(folder, league), digest=digest))
    with pytest.raises(RosterError, match="is not the digest of a kept bot"):
        from_archive(values, league / "x", league / "elsewhere")


def test_a_missing_archive_is_named(folder, league):
    first = keep(folder, league)
    path = archive_of(league / "bots", first.digest)
    path.unlink()
    with pytest.raises(RosterError, match=r"tar\.gz: No such file or directory"):
        from_archive(portable(first), path, league / "elsewhere")


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("tier", ["full", "lite", "none"])
def test_a_kept_bot_plays_in_every_tier(league, tmp_path, tier):
    need_tier(tier)
    entry = create(tmp_path / "rex", "python")
    found = kept(entry, league / "bots", league / "unpacked")
    shutil.rmtree(entry.folder)
    setup = MatchSetup([found, find("random")], seed=5, sandbox=tier)
    record = running.run(lambda: play(setup)).record()
    assert record.verdict.faults == ()
    assert record.header.players[0].digest == found.digest
    assert is_intact(found.folder, found.digest), "playing leaves nothing in it"


# What differs


def test_what_differs_from_the_copy_is_named(folder, league):
    entry, first = find(str(folder)), keep(folder, league)
    assert not differs(entry, first)
    put(folder / "lib" / "weights", "2")
    put(folder / "notes.txt")
    (folder / "mine").unlink()
    changes = differs(entry, first)
    assert (changes.changed, changes.new, changes.removed) == (("lib/weights",), ("notes.txt",), ("mine",))
    assert str(changes) == "lib/weights changed, notes.txt new, mine removed"
    put(folder / "more")
    put(folder / "lib" / "more")
    assert str(differs(entry, first)) == "lib/weights changed, lib/more new, more new, and 2 more"


def test_a_mode_is_a_change_and_litter_is_not(folder, league):
    entry, first = find(str(folder)), keep(folder, league)
    put(folder / "x.o")
    assert not differs(entry, first)
    (folder / "mine").chmod(0o644)
    assert str(differs(entry, first)) == "mine changed"


# Several at once, and killed


def start(folder: Path, league: Path) -> subprocess.Popen[bytes]:
    program = (
        "import sys; from pathlib import Path; from arena.roster.copies import kept; from arena.roster.entries import find\n"
        "print(flush=True); sys.stdin.read()\n"
        "kept(find(sys.argv[1]), Path(sys.argv[2], 'bots'), Path(sys.argv[2], 'unpacked'))"
    )
    return subprocess.Popen(
        [sys.executable, "-c", program, folder, league], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def let_go(process: subprocess.Popen[bytes]) -> None:
    process.stdout.readline()
    process.stdin.close()


def end(process: subprocess.Popen[bytes]) -> int:
    code = process.wait()
    process.stdout.close()
    return code


@pytest.mark.usefixtures("processes")
def test_several_processes_can_keep_one_bot_at_once(folder, league):
    for number in range(300):
        put(folder / "many" / f"{number}", "x" * number)
    first = keep(folder, league)
    expected = tree(first.folder)
    spoil(first.folder / "new")
    running = [start(folder, league) for _ in range(3)]
    for process in running:
        process.stdout.readline()
    for process in running:
        process.stdin.close()
    assert [end(process) for process in running] == [0, 0, 0]
    assert tree(first.folder) == expected
    assert [path.name for path in (league / "unpacked").iterdir()] == [first.digest]
    assert len(list((league / "bots").iterdir())) == 1


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("where", ["bots", "unpacked"])
def test_a_maker_that_is_killed_leaves_nothing_half(folder, league, where):
    with open(folder / "large", "wb") as file:
        for _ in range(24):
            file.write(os.urandom(1 << 20))
    process = start(folder, league)
    let_go(process)
    until = time.monotonic() + 60
    while not (parts := [p for p in list_of(league / where) if p.name.startswith(".part-")]) or not has_begun(parts[0]):
        assert process.poll() is None, "it was too fast to be killed"
        assert time.monotonic() < until
    process.send_signal(signal.SIGKILL)
    assert end(process) == -signal.SIGKILL
    visible = [path for path in list_of(league / where) if not path.name.startswith(".")]
    assert visible == []
    assert parts[0].exists(), "or it was not killed in the middle"
    first = keep(folder, league)
    assert [path.name for path in (league / "unpacked").iterdir()] == [first.digest]
    assert [path.name for path in (league / "bots").iterdir()] == [f"{first.digest}.tar.gz"]
    assert is_intact(first.folder, first.digest)


def list_of(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.exists() else []


def has_begun(part: Path) -> bool:
    try:
        return any(part.iterdir()) if part.is_dir() else part.stat().st_size > 1 << 20
    except FileNotFoundError:
        return False


def test_what_another_maker_is_making_stays(folder, league):
    with new_file(league / "bots") as (file, _), new_folder(league / "unpacked") as part:
        put(part / "half")
        first = keep(folder, league)
        assert file.exists()
        assert (part / "half").exists()
    assert not file.exists()
    assert [path.name for path in (league / "unpacked").iterdir()] == [first.digest]


def test_a_full_disk_leaves_nothing(folder, league, monkeypatch):
    entry = find(str(folder))
    digest = pack(entry, league / "bots")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fchmod", fail)
    with pytest.raises(RosterError, match=r"mine cannot be kept: .*: No space left on device"):
        keep(folder, league)
    assert list((league / "unpacked").iterdir()) == []
    monkeypatch.setattr(os, "fsync", fail)
    put(folder / "lib" / "weights", "2")
    with pytest.raises(RosterError, match=r"mine cannot be kept: .*bots: No space left on device"):
        keep(folder, league)
    assert [path.name for path in (league / "bots").iterdir()] == [f"{digest}.tar.gz"]


def test_remove_deletes_read_only_copies_and_never_what_links_lead_to(folder, league, tmp_path):
    private = put(tmp_path / "private" / "file")
    copy = keep(folder, league).folder
    copy.chmod(0o755)
    (copy / "link").symlink_to(private.parent)
    remove(copy)
    assert not copy.exists()
    copy.symlink_to(private.parent)
    remove(copy)
    assert private.exists()
    assert not copy.is_symlink()


def test_an_archive_is_checked_without_writing(folder, league):
    digest = pack(find(str(folder)), league / "bots")
    check(archive_of(league / "bots", digest), digest)
    with pytest.raises(FileError, match=f"its files have the digest {digest}, not {'a' * 40}"):
        check(archive_of(league / "bots", digest), "a" * 40)
    with pytest.raises(FileError, match=f"its files have the digest {digest}, not {'a' * 40}"):
        unpack(archive_of(league / "bots", digest), league / "unpacked" / "x", "a" * 40)
    assert list((league / "unpacked").iterdir()) == []
