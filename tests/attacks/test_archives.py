"""Hostile archives: each is refused with its reason, nothing is written outside, and nothing is left behind."""

import gzip
import io
import os
import subprocess
import sys
import tarfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.errors import FileError
from arena.roster.archive import MOST_ARCHIVE, check, unpack
from arena.roster.folders import MOST_BYTES, MOST_FILES
from arena.roster.parts import remove
from arena.roster.tar import END, Packed, Sort, head

ROOT = Path(__file__).parents[2]
ANY = "a" * 40
FILE, LINK = Sort.FILE, Sort.LINK


def member(name: str, data: bytes = b"evil", sort: Sort = FILE) -> bytes:
    packed = Packed(name, sort, len(data))
    return head(packed) + data + bytes(packed.padding)


def link(name: str, target: str) -> bytes:
    return head(Packed(name, LINK, target=target))


def zipped(*parts: bytes, end: bytes = END) -> bytes:
    return gzip.compress(b"".join(parts) + end, mtime=0)


def changed(data: bytes, at: int, new: bytes) -> bytes:
    """A header with other bytes somewhere, and the right checksum."""
    header = bytearray(data[:512])
    header[at : at + len(new)] = new
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + data[512:]


def of_type(letter: bytes, name: str = "x") -> bytes:
    return changed(member(name, b""), 156, letter)


def by_tarfile(kind: int, **fields: object) -> bytes:
    """As Python's own module writes it."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", format=kind) as tar:
        info = tarfile.TarInfo("x")
        for key, value in fields.items():
            setattr(info, key, value)
        tar.addfile(info)
    return out.getvalue()


def pax(records: bytes, then: bytes) -> bytes:
    header = changed(member("././@PaxHeader", b""), 156, b"x")
    return changed(header, 124, b"%011o" % len(records)) + records + bytes(-len(records) % 512) + then


DEEP = "/".join(["d"] * 65) + "/x"
HOSTILE: dict[str, tuple[bytes, str]] = {
    "absolute": (zipped(member("/tmp/evil")), "/tmp/evil: this is not the path of a file in a folder"),
    "above": (zipped(member("../evil")), "../evil: this is not the path of a file in a folder"),
    "above, inside": (zipped(member("a/../../evil")), "this is not the path of a file in a folder"),
    "a dot": (zipped(member("./evil")), "this is not the path of a file in a folder"),
    "only a dot": (zipped(member(".")), "this is not the path of a file in a folder"),
    "an empty part": (zipped(member("a//evil")), "this is not the path of a file in a folder"),
    "a slash at the end": (zipped(member("evil/")), "this is not the path of a file in a folder"),
    "no name": (zipped(member("")), "this is not the path of a file in a folder"),
    "control characters": (zipped(member("a\nb")), "a\\nb: its name has control characters"),
    "a null in the name": (zipped(member("a\0b")), "its name has control characters"),
    "not UTF-8": (zipped(member("caf\udce9")), "its name is not UTF-8"),
    "twice": (zipped(member("x"), member("x")), "x: it comes twice, or not in the order of names"),
    "twice, as a link": (zipped(link("x", "y"), member("x")), "x: it comes twice"),
    "disorder": (zipped(member("b"), member("a")), "a: it comes twice, or not in the order of names"),
    "below a file": (zipped(member("x"), member("x/evil")), "x/evil: it is in x, which is not a folder"),
    "below a link": (zipped(link("x", "/usr"), member("x/evil")), "x/evil: it is in x, which is not a folder"),
    "far below a link": (zipped(link("x", "."), member("x/a/b/evil")), "x/a/b/evil: it is in x, which is not a folder"),
    "a link that leaves": (zipped(link("x", "../..")), "x: a link to ../.., which is outside of the bot's folder"),
    "a link that leaves by another": (zipped(link("d", "."), link("x", "d/..")), "x: a link to d/.., with .. after a name"),
    "an absolute link": (zipped(link("x", "/etc/shadow")), "x: a link to /etc/shadow, which is not kept with the bot"),
    "a link through the system": (zipped(link("x", "/usr/../etc/shadow")), "which is not kept with the bot"),
    "a link to nothing": (zipped(link("x", "")), "x: a link to nothing"),
    "an interpreter without its folder": (zipped(link("bin/python", "/root/x")), "which is not kept with the bot"),
    "a hard link": (zipped(of_type(b"1")), "x: this is a hard link"),
    "a character device": (zipped(of_type(b"3")), "x: this is a device"),
    "a block device": (zipped(of_type(b"4")), "x: this is a device"),
    "a folder": (zipped(of_type(b"5")), "x: this is a folder"),
    "a pipe": (zipped(of_type(b"6")), "x: this is a pipe"),
    "a contiguous file": (zipped(of_type(b"7")), "x: its header is not as the arena writes it"),
    "a sparse file": (zipped(of_type(b"S")), "x: this is a sparse file"),
    "an unknown kind": (zipped(of_type(b"Z")), "x: its header is not as the arena writes it"),
    "an old kind": (zipped(of_type(b"\0")), "x: its header is not as the arena writes it"),
    "a global record": (zipped(of_type(b"g")), "x: this is a record for all files"),
    "GNU's long name": (zipped(of_type(b"L")), "x: this is a long name as GNU tar writes it"),
    "set-user-ID": (zipped(changed(member("x"), 100, b"0004755")), "x: its header is not as the arena writes it"),
    "an owner": (zipped(changed(member("x"), 108, b"0001750")), "x: its header is not as the arena writes it"),
    "a time": (zipped(changed(member("x"), 136, b"00000000001")), "x: its header is not as the arena writes it"),
    "a prefix": (zipped(changed(member("x"), 345, b"../..")), "x: its header is not as the arena writes it"),
    "a link with contents": (zipped(changed(link("x", "y"), 124, b"00000001000")), "x: its header is not as the arena"),
    "a file with a target": (zipped(changed(member("x"), 157, b"/etc")), "x: its header is not as the arena writes it"),
    "a wrong checksum": (zipped(b"y" + member("x")[1:]), "y: its header is not as the arena writes it"),
    "a size in binary": (zipped(changed(member("x"), 124, b"\x80" + bytes(11))), "it has a header without a size"),
    "a negative size": (zipped(changed(member("x"), 124, b"-0000000001")), "it has a header without a size"),
    "no tar": (gzip.compress(b"evil" * 1000), "it has a header without a size: this is not a tar archive"),
    "no gzip": (b"evil" * 1000, "not a gzip file, or a damaged one"),
    "empty": (b"", "it ends too early"),
    "an empty gzip": (gzip.compress(b""), "it ends too early"),
    "cut in a file": (zipped(member("x", bytes(5000))[:2000], end=b""), "it ends too early"),
    "cut in a header": (zipped(member("x")[:100], end=b""), "it ends too early"),
    "cut before the end": (zipped(member("x"), end=b""), "it ends too early"),
    "half an end": (zipped(member("x"), end=bytes(512)), "it ends too early"),
    "cut gzip": (zipped(member("x", os.urandom(5000)))[:-9], "it ends too early"),
    "a gzip without its checksum": (zipped(member("x"))[:-8], "it ends too early"),
    "a wrong gzip checksum": (zipped(member("x"))[:-8] + bytes(8), "not a gzip file, or a damaged one"),
    "more after the end": (zipped(member("x"), end=END + b"evil"), "something follows its end"),
    "zeros after the end": (zipped(member("x"), end=END + bytes(512)), "something follows its end"),
    "a member after the first empty block": (zipped(member("x"), end=bytes(512) + member("y")), "something follows its end"),
    "bytes after the gzip": (zipped(member("x")) + b"evil", "something follows its end"),
    "another gzip after it": (zipped(member("x")) + zipped(member("y")), "something follows its end"),
    "something in the padding": (zipped(member("x")[:-1] + b"!"), "x: something stands between its end and the next file"),
    "a huge PAX record": (zipped(pax(b"9999999 path=" + b"x" * 9_000_000, b"")), "it has a name or a link of more than 1024 bytes"),
    "a long name": (zipped(member("n" * 1025)), "its path has more than 1024 bytes, or a name of more than 255"),
    "a long part": (zipped(member("n" * 256)), "its path has more than 1024 bytes, or a name of more than 255"),
    "a long link": (zipped(link("x", "n" * 1025)), "x: a link to nothing, to control characters, or to more than 1024"),
    "a PAX record that is not one": (zipped(pax(b"evil", member("x"))), "it has a damaged PAX record"),
    "a PAX record of size 0": (zipped(pax(b"0 path=x\n", member("x"))), "it has a damaged PAX record"),
    "a PAX record without need": (zipped(pax(b"10 path=y\n", member("x"))), "y: its header is not as the arena writes it"),
    "PAX that hides a name": (zipped(pax(b"16 path=../evil\n", member("x"))), "its header is not as the arena writes it"),
    "a PAX size": (zipped(pax(b"11 size=99\n", member("x"))), "x: its header is not as the arena writes it"),
    "PAX on PAX": (zipped(pax(b"", pax(b"", member("x")))), "its header is not as the arena writes it"),
    "too deep": (zipped(member(DEEP)), "it is in more than 64 folders within each other"),
    "out of sight": (zipped(member("records/x")), "records/x: no bot sees a file of this name"),
    "history": (zipped(member(".git/hooks/x")), ".git/hooks/x: no bot sees a file of this name"),
    "too large by its header": (zipped(head(Packed("x", FILE, MOST_BYTES + 1))), "x: with it, more than 2 GiB"),
    "Python's tar": (by_tarfile(tarfile.USTAR_FORMAT, mtime=1), "x: its header is not as the arena writes it"),
    "Python's hard link": (by_tarfile(tarfile.GNU_FORMAT, type=tarfile.LNKTYPE, linkname="/etc/shadow"), "x: this is a hard link"),
    "Python's PAX": (by_tarfile(tarfile.PAX_FORMAT, pax_headers={"GNU.sparse.major": "1"}), "x: its header is not as"),
    "another digest": (zipped(member("x")), "its files have the digest "),
}  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder with something in it that no archive may touch."""
    (tmp_path / "evil").write_text("good")
    (tmp_path / "unpacked").mkdir()
    yield tmp_path
    remove(tmp_path / "unpacked")


def everything(folder: Path) -> dict[str, bytes | None]:
    return {str(path): path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


def refused(place: Path, data: bytes, how: Callable[[Path, Path], None]) -> str:
    archive = place / f"{ANY}.tar.gz"
    archive.write_bytes(data)
    before = everything(place)
    with pytest.raises(FileError) as error:
        how(archive, place / "unpacked" / ANY)
    assert everything(place) == before, "nothing is left, and nothing has changed"
    words = str(error.value)
    assert words.startswith(f"{archive}: ")
    assert "\n" not in words
    assert len(words) < 700
    return words


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_is_refused_with_its_reason(place, name):
    data, reason = HOSTILE[name]
    assert reason in refused(place, data, lambda archive, into: unpack(archive, into, ANY))
    assert reason in refused(place, data, lambda archive, _: check(archive, ANY))


def test_the_control_of_these_attacks_unpacks(place):
    """So that an archive of this test is refused for what is wrong with it."""
    data = zipped(link("a", "b"), member("b"), member("c/" + "d" * 200), link("ü", "c/" + "d" * 200))
    archive = place / "good.tar.gz"
    archive.write_bytes(data)
    with pytest.raises(FileError) as error:
        check(archive, ANY)
    digest = str(error.value).partition("the digest ")[2][:40]
    unpack(archive, place / "unpacked" / digest, digest)
    copy = place / "unpacked" / digest
    assert (copy / "a").read_bytes() == (copy / "ü").read_bytes() == b"evil"
    assert os.readlink(copy / "a") == "b"


def test_names_that_differ_by_case_only_are_two(place):
    archive = place / "good.tar.gz"
    archive.write_bytes(zipped(member("A"), member("a", b"2")))
    digest = _digest(archive)
    unpack(archive, place / "unpacked" / digest, digest)
    assert len(os.listdir(place / "unpacked" / digest)) == 2


def _digest(archive: Path) -> str:
    with pytest.raises(FileError) as error:
        check(archive, ANY)
    return str(error.value).partition("the digest ")[2][:40]


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (os.mkfifo, "this is a pipe, not an ordinary file"),
        (os.mkdir, "this is a folder, not an ordinary file"),
        (lambda path: path.symlink_to("good.tar.gz"), "Too many levels of symbolic links"),
        (lambda path: path.symlink_to("/dev/zero"), "Too many levels of symbolic links"),
        (lambda path: path.touch() or os.truncate(path, MOST_ARCHIVE + 1), "more than 2,415,919,104 bytes"),
    ],
)
def test_an_archive_that_is_not_an_ordinary_file_is_refused_at_once(place, make, reason):
    (place / "good.tar.gz").write_bytes(zipped(member("x")))
    make(place / "x.tar.gz")
    with pytest.raises(FileError, match=reason):
        unpack(place / "x.tar.gz", place / "unpacked" / ANY, ANY)
    assert list((place / "unpacked").iterdir()) == []


# Bombs


def stream(path: Path, pieces: Iterator[bytes]) -> None:
    squeezer = zlib.compressobj(1, zlib.DEFLATED, 31)
    with open(path, "wb") as file:
        for piece in pieces:
            file.write(squeezer.compress(piece))
        file.write(squeezer.flush())


def million() -> Iterator[bytes]:
    """A million members; those after the first 25,000 are the same again and again, which is faster to make."""
    for number in range(24_000):
        yield member(f"{number:07}", b"")
    again = b"".join(member(f"{number:07}", b"") for number in range(24_000, 25_000))
    for _ in range(976):
        yield again


def million_folders() -> Iterator[bytes]:
    for number in range(MOST_FILES // 10):
        yield member(f"{number:06}/" + "/".join("abcdefghijklmnopqrst") + "/x", b"")
    yield END


def endless_zeros() -> Iterator[bytes]:
    yield END
    for _ in range(1 << 8):
        yield bytes(1 << 20)


def long_records() -> Iterator[bytes]:
    """A PAX record of 1 GiB."""
    header = changed(member("././@PaxHeader", b""), 156, b"x")
    yield changed(header, 124, b"%011o" % (1 << 30)) + b"%d path=" % (1 << 30)
    for _ in range(1 << 8):
        yield bytes(1 << 20)


PROGRAM = """
import resource, sys, time
from pathlib import Path
from arena.errors import FileError
from arena.roster.archive import check
before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
try:
    check(Path(sys.argv[1]), "a" * 40)
except FileError as error:
    print(error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, time.process_time() - start)
"""


@pytest.mark.parametrize(
    ("bomb", "reason", "seconds"),
    [
        (million, "more than 20,000 files, the most that a bot may have", 10),
        (million_folders, "more than 20,000 files, the most that a bot may have", 10),
        (endless_zeros, "something follows its end", 2),
        (long_records, "it has a name or a link of more than 1024 bytes", 2),
    ],
)
def test_a_bomb_is_refused_soon_and_with_little_memory(tmp_path, bomb, reason, seconds):
    stream(tmp_path / "bomb", bomb())
    assert (tmp_path / "bomb").stat().st_size < 40 << 20
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, tmp_path / "bomb"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    words, numbers = ended.stdout.splitlines()
    assert reason in words
    kibibytes, took = map(float, numbers.split())
    assert kibibytes < 40_000
    assert took < seconds


@pytest.mark.parametrize(
    "how", [check, lambda archive, digest: unpack(archive, archive.parent / "unpacked" / ANY, digest)]
)
def test_bytes_count_together_and_before_they_are_unpacked(tmp_path, monkeypatch, how):
    monkeypatch.setattr("arena.roster.members.MOST_BYTES", 3 << 20)
    stream(
        tmp_path / "bomb",
        iter([member("a", bytes(1 << 20)), member("b", bytes(1 << 20)), head(Packed("c", FILE, 2 << 20))]),
    )
    with pytest.raises(FileError, match="c: with it, more than 0 GiB"):  # and not that it ends too early
        how(tmp_path / "bomb", ANY)
    assert {path.name for path in tmp_path.iterdir()} <= {"bomb", "unpacked"}
    assert not any((tmp_path / "unpacked").glob("*"))
