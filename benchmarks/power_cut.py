"""Whether a league survives a power cut: every moment of a real run, and what the disk may hold after it.

A small league is played under strace, which notes every change of its folder: by the runner, by the workers and by
SQLite. Then the power is cut in the model, after each of these changes. What was synced before is on the disk. Of all
that came later anything may be there: nothing, everything, names without contents, contents without names, or any part
of it, with writes that are torn between sectors of 512 bytes. This is less than any journaling file system promises.
For each moment several such disks are made up, and the store is really opened. Then

- every result that was reported as kept before the cut must be in it,
- every result in it must have its record, whole and of the match that counts,
- and some of these leagues are continued, and must end as the one that was left alone.

A check that cannot fail shows nothing. So the same is done as if nobody had synced the records, and has to fail.

    python benchmarks/power_cut.py                            # every moment of 40 matches, some minutes; needs strace
    python benchmarks/power_cut.py --blocks 4 --cuts 100 --resumes 0
"""

import argparse
import hashlib
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena import running
from arena.errors import ArenaError
from arena.league import run as league
from arena.league.store import FILE, Row, Store, open_store
from arena.league.tournament import read_tournament
from arena.league.wire import RECORDS, record_path
from arena.league.worker import match_message
from arena.match.record_file import from_bytes
from benchmarks.kill_league import rows_of, way, write_league

ROOT = Path(__file__).parents[1]
SECTOR = 512
BY_DESCRIPTOR = ("write", "pwrite64", "writev", "ftruncate", "fsync", "fdatasync")
CALLS = (
    "openat,write,pwrite64,writev,ftruncate,truncate,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,"
    "mkdirat,link,linkat,fsync,fdatasync,syncfs,sync"
)
NEVER = sys.maxsize
FOLDER = -1
"""Stands for the contents of a folder."""
STORE = (FILE, f"{FILE}-wal", f"{FILE}-journal")
"""The index in shared memory is not one of them: SQLite makes it again."""


# What was done


@dataclass(slots=True)
class Change:
    """Something that a process did to the folder, and when it was on the disk for sure."""

    at: int
    safe: int = NEVER
    names: Mapping[str, int | None] = field(default_factory=dict)
    """The names that were given, with what they stand for, and taken away."""
    file: int = FOLDER
    """What was written to, from where on; without data it was cut to this length."""
    offset: int = 0
    data: bytes | None = None


@dataclass(slots=True)
class History:
    """All that was done to a folder, in order."""

    changes: list[Change] = field(default_factory=list)
    kept: list[tuple[int, int]] = field(default_factory=list)
    """When it was reported that so many results are kept."""
    end: int = 0
    _live: dict[str, int] = field(default_factory=dict)
    _sizes: dict[int, int] = field(default_factory=dict)

    def reported(self, cut: int) -> int:
        return max((count for at, count in self.kept if at < cut), default=0)

    def note(self, at: int, **what: object) -> None:
        self.changes.append(Change(at, **what))  # type: ignore[arg-type]

    # What the calls mean

    def create(self, at: int, path: str) -> None:
        if path not in self._live:
            self._live[path] = len(self._sizes)
            self._sizes[self._live[path]] = 0
            self.note(at, names={path: self._live[path]})

    def make_folder(self, at: int, path: str) -> None:
        self._live[path] = FOLDER
        self.note(at, names={path: FOLDER})

    def write(self, at: int, path: str, data: bytes, offset: int | None = None) -> None:
        """Without an offset, what is written follows what is there: no program here does anything else."""
        file = self._live[path]
        offset = self._sizes[file] if offset is None else offset
        self._sizes[file] = max(self._sizes[file], offset + len(data))
        self.note(at, file=file, offset=offset, data=data)

    def cut_off(self, at: int, path: str, size: int) -> None:
        self._sizes[self._live[path]] = size
        self.note(at, file=self._live[path], offset=size)

    def rename(self, at: int, old: str, new: str) -> None:
        inside = [path for path in self._live if path.startswith(f"{old}/")]
        moved = {old: new, **{path: f"{new}{path[len(old) :]}" for path in inside}}
        files = {target: self._live.pop(path) for path, target in moved.items()}
        self._live |= files
        self.note(at, names={**dict.fromkeys(moved), **files})

    def remove(self, at: int, path: str) -> None:
        self._live.pop(path, None)
        self.note(at, names={path: None})

    def sync(self, since: int, at: int, path: str) -> None:
        """A file's contents, or a folder's names, as they were when the call began."""
        file = self._live.get(path, FOLDER)
        for change in self.changes:
            is_here = change.file == file if file != FOLDER else any(_parent(name) == path for name in change.names)
            if is_here and change.at < since:
                change.safe = min(change.safe, at)

    def sync_all(self, since: int, at: int) -> None:
        for change in self.changes:
            if change.at < since:
                change.safe = min(change.safe, at)


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


# The log of strace

CALL = re.compile(r"(\w+)\((.*)\) += (-?\d+)")
HALF = re.compile(r"(\d+) +(\w+\(.*) <unfinished \.\.\.>$")
REST = re.compile(r"(\d+) +<\.\.\. \w+ resumed>(.*)$")
TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')
PLACE = re.compile(r"(?:\d+|AT_FDCWD)<((?:\\x[0-9a-f]{2})*)>")


def calls_of(lines: Iterable[str]) -> Iterator[tuple[int, int, str, str]]:
    """Each call that succeeded: when it began and ended, its name, its words. Calls of several processes overlap."""
    open_calls: dict[str, tuple[int, str]] = {}
    for at, line in enumerate(lines):
        if half := HALF.match(line):
            open_calls[half[1]] = at, half[2]
            continue
        began, text = at, line.partition(" ")[2].strip()
        if rest := REST.match(line):
            began, first = open_calls.pop(rest[1])
            text = first + rest[2]
        if (call := CALL.match(text)) and int(call[3]) >= 0:
            yield began, at, call[1], call[2]


@dataclass(frozen=True, slots=True)
class Call:
    """One call with what it names."""

    began: int
    at: int
    name: str
    words: str

    @property
    def places(self) -> list[str]:
        """The paths of its descriptors."""
        return [_bytes(found).decode() for found in PLACE.findall(self.words)]

    @property
    def texts(self) -> list[bytes]:
        found = TEXT.findall(self.words)
        assert not any(is_cut for _, is_cut in found), f"strace has cut off what was written: {self.words[:200]}"
        return [_bytes(text) for text, _ in found]

    @property
    def last(self) -> int:
        """Its last word, which is a number."""
        return int(self.words.rpartition(",")[2])

    @property
    def paths(self) -> list[str]:
        """The paths that it names, each from the folder that it names before."""
        places, texts = self.places, self.texts
        bases = [places[min(index, len(places) - 1)] if places else "/" for index in range(len(texts))]
        return [os.path.normpath(os.path.join(base, text.decode())) for base, text in zip(bases, texts)]


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def history_of(lines: Iterable[str], folder: str, report: str) -> History:
    """What a log says about a folder, and about the file in which results are reported as kept."""
    history = History()
    for words in calls_of(lines):
        call = Call(*words)
        history.end = call.at + 1
        if call.name in ("syncfs", "sync"):
            history.sync_all(call.began, call.at)
        elif call.name in BY_DESCRIPTOR:
            path = call.places[0] if call.places else ""
            if path == report:
                history.kept.append((call.at, int(call.texts[0])))
            elif _is_ours(path, folder):
                _use(history, call, path)
        elif any(_is_ours(path, folder) for path in call.paths):
            _rearrange(history, call, call.paths)
    return history


def _is_ours(path: str, folder: str) -> bool:
    return (path == folder or path.startswith(f"{folder}/")) and not path.endswith("-shm")


def _use(history: History, call: Call, path: str) -> None:
    """A call on an open file or folder."""
    if call.name == "write":
        history.write(call.at, path, call.texts[0])
    elif call.name == "pwrite64":
        history.write(call.at, path, call.texts[0], call.last)
    elif call.name == "ftruncate":
        history.cut_off(call.at, path, call.last)
    else:
        assert call.name in ("fsync", "fdatasync"), f"{call.name} of {path} is not known here"
        history.sync(call.began, call.at, path)


def _rearrange(history: History, call: Call, paths: list[str]) -> None:
    """A call on names."""
    if call.name == "openat":
        if "O_CREAT" in call.words:
            history.create(call.at, paths[0])
        if "O_TRUNC" in call.words:
            history.cut_off(call.at, paths[0], 0)
    elif call.name.startswith("mkdir"):
        history.make_folder(call.at, paths[0])
    elif call.name.startswith("rename"):
        history.rename(call.at, paths[0], paths[1])
    else:
        assert call.name.startswith(("unlink", "rmdir")), f"{call.name} of {paths} is not known here"
        history.remove(call.at, paths[0])


# What the disk may hold after a cut


Choice = Callable[[Change], bytes | bool | None]
"""Of a change that was not synced: whether it is on the disk; of data also what of it is."""


def nothing(_change: Change) -> bool:
    return False


def everything(_change: Change) -> bool:
    return True


def only_names(change: Change) -> bool:
    return bool(change.names)


def only_contents(change: Change) -> bool:
    return not change.names


def anything(dice: random.Random) -> Choice:
    """Half of the changes, and writes that are torn."""

    def choose(change: Change) -> bytes | bool:
        if change.data is None or dice.random() < 0.5:
            return dice.random() < 0.5
        sectors = range(0, len(change.data), SECTOR)
        return b"".join(
            part if dice.random() < 0.5 else bytes(len(part)) for part in (change.data[s : s + SECTOR] for s in sectors)
        )

    return choose


class DiskLeft:
    """What a folder holds after a cut."""

    def __init__(self, history: History, cut: int, choose: Choice, folder: str) -> None:
        self._folder = folder
        self._names: dict[str, int] = {folder: FOLDER}
        self._files: dict[int, bytearray] = {}
        for change in history.changes:
            if change.at >= cut:
                break
            found = True if change.safe < cut else choose(change)
            if found is not False:
                self._apply(change, found)

    def _apply(self, change: Change, found: bytes | bool | None) -> None:
        for path, file in change.names.items():
            if file is None:
                self._names.pop(path, None)
            else:
                self._names[path] = file
        if change.file != FOLDER:
            contents = self._files.setdefault(change.file, bytearray())
            if change.data is None:
                del contents[change.offset :]
                contents.extend(bytes(change.offset - len(contents)))
            else:
                data = found if isinstance(found, bytes) else change.data
                contents.extend(bytes(max(0, change.offset - len(contents))))
                contents[change.offset : change.offset + len(data)] = data

    def read(self, name: str) -> bytes | None:
        """The contents of a file; None if no name leads to it any more."""
        path = f"{self._folder}/{name}"
        file = self._names.get(path, FOLDER)
        if file == FOLDER or not self._is_reached(path):
            return None
        return bytes(self._files.get(file, b""))

    def _is_reached(self, path: str) -> bool:
        while path != self._folder:
            path = _parent(path)
            if self._names.get(path) != FOLDER:
                return False
        return True

    def write(self, place: Path, names: Iterable[str] | None = None) -> None:
        """Put it, or these files of it, into a real folder."""
        every = (path[len(self._folder) + 1 :] for path in self._names if path != self._folder)
        for name in every if names is None else names:
            contents = self.read(name)
            if contents is not None:
                (place / name).parent.mkdir(parents=True, exist_ok=True)
                (place / name).write_bytes(contents)


# What must be there


@dataclass(slots=True)
class Inspector:
    """Opens the stores of leagues after a cut."""

    place: Path
    _known: dict[tuple[str, str], str] = field(default_factory=dict)
    """By digest of a result and of the bytes of its record, what is wrong with that."""

    def wrong(self, disk: DiskLeft, reported: int) -> Iterator[str]:
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()
        disk.write(self.place, STORE)
        try:
            with open_store(self.place, create=True) as store:
                rows = list(store.rows())
        except ArenaError as error:
            yield f"the store cannot be opened: {error}"
            return
        if len(rows) < reported:
            yield f"{reported} results were reported as kept, and {len(rows)} are"
        for row in rows:
            if wrong := self._record(disk, row):
                yield f"match {row.match}: {wrong}"

    def _record(self, disk: DiskLeft, row: Row) -> str:
        data = disk.read(str(record_path(Path(RECORDS), row.match)))
        if data is None:
            return "it has a result and no record"
        key = row.digest, hashlib.sha256(data).hexdigest()
        if key not in self._known:
            self._known[key] = _wrong_record(data, row)
        return self._known[key]


def _wrong_record(data: bytes, row: Row) -> str:
    try:
        record = from_bytes(data)
    except ArenaError as error:
        return f"its record is damaged: {error}"
    is_it = record.header.match == row.match and match_message({"match": row.match}, record)["digest"] == row.digest
    return "" if is_it else "its record is of another match"


def states(dice: random.Random, random_ones: int) -> Iterator[Choice]:
    yield from (nothing, everything, only_names, only_contents)
    for _ in range(random_ones):
        yield anything(dice)


def inspect(history: History, folder: str, cuts: Iterable[int], random_ones: int, seed: int) -> Iterator[str]:
    """What is wrong after these cuts; an empty text for each disk on which nothing is."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with TemporaryDirectory(dir=memory) as name:
        inspector, dice = Inspector(Path(name, "league")), random.Random(seed)
        for cut in cuts:
            for choose in states(dice, random_ones):
                disk = DiskLeft(history, cut, choose, folder)
                found = next(inspector.wrong(disk, history.reported(cut)), "")
                yield f"cut {cut}: {found}" if found else ""


def chosen_cuts(history: History, most: int, dice: random.Random) -> list[int]:
    """After every change, or after some of them."""
    every = sorted({change.at + 1 for change in history.changes} | {at + 1 for at, _ in history.kept})
    return every if len(every) <= most else sorted(dice.sample(every, most))


def without_syncs_of_records(history: History) -> History:
    """The same run, as if no record had ever been synced."""
    records = {
        file
        for change in history.changes
        for name, file in change.names.items()
        if f"/{RECORDS}/" in name and file != FOLDER
    }
    changes = [
        Change(one.at, NEVER if one.file in records else one.safe, one.names, one.file, one.offset, one.data)
        for one in history.changes
    ]
    return History(changes, history.kept, history.end)


# The league


def play(path: Path, folder: Path, report: Path) -> None:
    """Run a league, and report how many results are kept, as soon as a reader of the store would see them."""
    kept = 0
    with report.open("wb", buffering=0) as file:

        def watch(_progress: league.Progress, store: Store) -> None:
            nonlocal kept
            if store.count() != kept:
                kept = store.count()
                file.write(b"%d\n" % kept)

        running.run(lambda: league.run(read_tournament(path), folder, watch))


def traced(path: Path, folder: Path, report: Path, log: Path) -> None:
    words = ["strace", "-f", "-qq", "-y", "-xx", "-s", str(1 << 22), "-e", f"trace={CALLS}", "-o", str(log)]
    own = [sys.executable, str(Path(__file__)), "--play", str(path), str(folder), str(report)]
    subprocess.run([*words, *own], check=True, cwd=ROOT)


def resumed(history: History, folder: Path, cut: int, path: Path, place: Path, dice: random.Random) -> str:
    """What is wrong with a league that was continued after a cut."""
    DiskLeft(history, cut, anything(dice), str(folder)).write(place)
    command = [sys.executable, "-m", "arena", "league", "run", str(path), "--folder", str(place)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if ended.returncode != 0:
        return f"cut {cut}: it cannot be continued: {ended.stderr.decode(errors='replace')[-300:]}"
    if [way(row) for row in rows_of(place)] != [way(row) for row in rows_of(folder)]:
        return f"cut {cut}: it was continued, and its results are not the same"
    return ""


def trial(place: Path, options: argparse.Namespace) -> int:
    path = write_league(place, options)
    folder, report, log = place / "league", place / "kept", place / "log"
    traced(path, folder, report, log)
    with log.open() as lines:
        history = history_of(lines, str(folder), str(report))
    dice = random.Random(options.seed)
    cuts = chosen_cuts(history, options.cuts, dice)
    planned = len(rows_of(folder))
    say(f"{planned} matches, {len(history.changes)} changes, reported as kept {len(history.kept)} times")
    found = list(inspect(history, str(folder), cuts, options.states, options.seed))
    wrong = [words for words in found if words]
    say(f"{len(cuts)} cuts, {len(found)} disks: {len(wrong)} of them lack something")
    if history.reported(history.end) != planned:
        wrong.append(f"{planned} matches were played, and {history.reported(history.end)} were reported as kept")
    control = inspect(without_syncs_of_records(history), str(folder), cuts, options.states, options.seed)
    missed = sum(map(bool, control))
    say(f"control: if no record had been synced, {missed} of them would")
    if not missed:
        wrong.append("the check finds nothing wrong even if no record is synced")
    for number, cut in enumerate(sorted(dice.sample(cuts, min(options.resumes, len(cuts))))):
        again = resumed(history, folder, cut, path, place / f"again{number}", dice)
        say(again or f"cut {cut}: continued, and ended as the league that was left alone")
        wrong += [again] if again else []
    for words in wrong[:20]:
        say(f"WRONG: {words}")
    return 1 if wrong else 0


def say(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--blocks", type=int, default=20, help="of two matches")
    parser.add_argument("--cuts", type=int, default=NEVER, help="most moments to look at; all without it")
    parser.add_argument(
        "--states", type=int, default=3, help="disks with any part of what was not synced, for each cut"
    )
    parser.add_argument("--resumes", type=int, default=5, help="leagues that are continued")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--play", nargs=3, type=Path, metavar=("FILE", "FOLDER", "REPORT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.play:
        play(*options.play)
        return 0
    if shutil.which("strace") is None:
        sys.stderr.write("There is no strace here. Install it (apt install strace), and run the same command again.\n")
        return 5
    options.kind, options.processes, options.sandbox = "round_robin", "match", "none"
    with TemporaryDirectory() as name:
        return trial(Path(name).resolve(), options)


if __name__ == "__main__":
    sys.exit(main())
