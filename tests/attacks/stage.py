"""One match against hostile bots, in a process and with a user of its own, and what the host has to say about it.

    python3 stage.py < task.json > found.json

The task names the tier, the policy, the attacks, the clock and the folder of the stage. What is found is written as
JSON: the verdict, the notes of both seats, and facts that no bot can make up: what listeners heard, what files hold,
whom signals reached, which processes, descriptors and mounts are left.
"""

import fcntl
import hashlib
import json
import os
import select
import signal
import socket
import stat
import sys
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import trio

from arena import running
from arena.doctor.resources import look
from arena.errors import ArenaError
from arena.match import play as matches
from arena.match.bot import Bot
from arena.match.clock import TimeControl
from arena.match.company import open_company
from arena.match.cores import FREE
from arena.match.launch import Command, ProcessExit, SpawnedProcess, SpawnerLauncher
from arena.match.record import MatchRecord
from arena.match.record_file import from_bytes, to_bytes
from arena.match.tiers import in_tier
from arena.replay.moments import disqualified
from arena.replay.verify import verify
from arena.roster.entries import PYTHON, Entry, Limits
from arena.sandbox import cgroup
from arena.sandbox.policy import Policy, Tier
from engine.catalogue import game as find_game
from protocol.messages import Hello, Move

WITNESS, HOSTILE = 0, 1  # seats
TIMES: dict[str, Any] = {"hello_ms": 20_000, "prepare_ms": 20_000, "bank_ms": 20_000, "increment_ms": 1_000}


@dataclass
class Stage:
    """The folders, listeners and secrets around one match."""

    task: dict[str, Any]
    stack: ExitStack
    signals: list[int] = field(default_factory=list)
    addresses: dict[int, int] = field(default_factory=dict)

    @property
    def base(self) -> Path:
        return Path(self.task["base"])

    @property
    def hostile(self) -> Path:
        return self.base / "bots" / "hostile"

    def set_up(self) -> None:
        self.token = self.base.name
        self.secret = os.environ["ARENA_SECRET"]
        self._listen()
        self._put_secrets()
        self.fifo = os.open(self.hostile / "fifo", os.O_RDWR | os.O_NONBLOCK)
        self.stack.callback(os.close, self.fifo)
        signal.signal(signal.SIGURG, lambda number, _: self.signals.append(number))
        leaked = os.open(self.secrets["league"], os.O_RDONLY)
        os.dup2(leaked, 77, inheritable=True)
        os.dup2(leaked, 200, inheritable=True)
        os.set_inheritable(leaked, True)

    def _listen(self) -> None:
        def listener(family: int, kind: int, address: Any) -> socket.socket:
            sock = self.stack.enter_context(socket.socket(family, kind))
            sock.bind(address)
            if kind == socket.SOCK_STREAM:
                sock.listen()
            return sock

        self.paths = {"stream": str(self.base / "stream"), "dgram": str(self.base / "dgram"), "abstract": self.token}
        self.listeners = {
            "tcp": listener(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            "udp": listener(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            "stream": listener(socket.AF_UNIX, socket.SOCK_STREAM, self.paths["stream"]),
            "dgram": listener(socket.AF_UNIX, socket.SOCK_DGRAM, self.paths["dgram"]),
            "abstract": listener(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + self.token),
        }
        for name in ("stream", "dgram"):
            os.chmod(self.paths[name], 0o777)

    def _put_secrets(self) -> None:
        self.secrets = {
            "league": str(self.base / "league" / "secret.txt"),
            "home": str(self.base / "home" / "secret.txt"),
            "sibling": str(self.base / "bots" / "witness" / "hostile_bot.py"),
            "bots": str(self.base / "bots"),
            "link": str(self.hostile / "link"),
            "shadow": "/etc/shadow",
        }
        for name in ("league", "home"):
            Path(self.secrets[name]).write_text(self.secret)
        (self.hostile / "link").symlink_to(self.secrets["sibling"])
        for name in ("victim.txt", "other.txt", "victim.lock"):
            (self.hostile / name).write_text("as it was")
        os.mkfifo(self.hostile / "fifo")
        os.chmod(self.hostile / "fifo", 0o666)
        (self.hostile / "targets.json").touch()
        for name in ("league", "home", "sibling", "bots"):  # whatever a script calls its interpreter may not be shown
            for what, path in ((name, Path(self.secrets[name])), (f"{name}-folder", Path(self.secrets[name]).parent)):
                (self.hostile / f"script-{what}").write_text(f"#!{path}\n")
                (self.hostile / f"script-{what}").chmod(0o755)
                (self.hostile / f"program-{what}").symlink_to(path)
        self.decoys = sorted(str(path) for path in self.hostile.glob("*-*"))
        names = {
            "tmp": "/tmp",
            "shm": "/dev/shm",
            "vartmp": "/var/tmp",
            "league": str(self.base / "league"),
            "own": str(self.hostile),
        }
        self.writes = {name: str(Path(folder) / f"{self.token}-written") for name, folder in names.items()}

    def tell_targets(self, bots: list[Bot], launcher: SpawnerLauncher) -> None:
        """Whom to attack, once all are there."""
        assert launcher._process is not None
        tier = self.task["tier"]
        none = tier == "none"
        targets = {
            "tier": tier,
            "token": self.token,
            "secret": self.secret,
            "secrets": self.secrets,
            "writes": self.writes,
            "arena": os.getpid(),
            "spawner": launcher._process.pid,
            "sibling": bots[WITNESS].process.pid,
            "sibling_secret": self.addresses[WITNESS],
            "tcp": self.listeners["tcp"].getsockname()[1],
            "udp": self.listeners["udp"].getsockname()[1],
            "cap_mb": 600 if none else 10_240,
            "hidden_mb": 600 if none else 1500,
            "tables_mb": 100 if none else 1500,
            "cpu_s": 1.2 if none else 30,
            "most_threads": 2000,
            "threads": launcher.policy.threads_for("", len(os.sched_getaffinity(0))),
            "kernel_mb": 200,
            "most_children": 50 if none else 5_000,
            "fill_mb": 64 if none else 256,
            "sockets_mb": 80 if none else 10_240,
            "fill_files": 100 if none else 20_000,
            **self.paths,
        }
        path = self.hostile / "targets.json"
        path.write_text(json.dumps(targets))

    def entries(self) -> list[Entry]:
        program = self.task.get("program", "/usr/bin/python3")
        words = {
            "witness": ("/usr/bin/python3", self.task.get("witness", "witness"), []),
            "hostile": (program, ",".join(self.task["attacks"]), [*self.decoys, *self.secrets.values()]),
        }
        return [
            Entry(
                name,
                "1",
                (python, "-I", "-S", str(self.base / "bots" / name / "hostile_bot.py"), attacks, *decoys),
                self.base / "bots" / name,
                limits=Limits(memory_mb=65536),
            )
            for name, (python, attacks, decoys) in words.items()
        ]

    # What is found

    def heard(self) -> list[str]:
        ready = select.select(list(self.listeners.values()), [], [], 0)[0]
        return [name for name, sock in self.listeners.items() if sock in ready]

    def left(self) -> list[str]:
        """The processes whose words name this stage: bots, and whatever they have started."""
        found = []
        for process in Path("/proc").iterdir():
            if process.name.isdigit() and int(process.name) != os.getpid():
                with suppress(OSError):
                    words = (process / "cmdline").read_bytes()
                    if self.token.encode() in words:
                        found.append(f"{process.name} {words.decode()}")
        return found

    def is_locked(self) -> bool:
        with open(self.hostile / "victim.lock") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def fifo_says(self) -> str:
        try:
            return os.read(self.fifo, 100).decode()
        except BlockingIOError:
            return ""

    def folder(self) -> str:
        """A digest of all names and contents in the bot's folder, and their modes."""
        state = hashlib.sha256()
        for path in sorted(self.hostile.iterdir()):
            status = path.lstat()
            regular = stat.S_ISREG(status.st_mode) and path.name != "targets.json"
            state.update(f"{path.name} {status.st_mode} {path.read_bytes() if regular else b''!r}".encode())
        return state.hexdigest()

    def league(self) -> list[Any]:
        status = os.stat(self.secrets["league"])
        return [status.st_mode, status.st_mtime_ns, status.st_uid, os.listxattr(self.secrets["league"])]

    def clean(self) -> None:
        for folder in ("/tmp", "/dev/shm", "/var/tmp"):
            for path in Path(folder).glob(f"{self.token}-*"):
                path.unlink(missing_ok=True)


def highest_rss_mb() -> int:
    """The most memory this process has had. What getrusage tells begins with that of the process it was forked from."""
    with open("/proc/self/status", encoding="utf-8") as file:
        return int(file.read().partition("VmHWM:")[2].split()[0]) >> 10


def sibling_facts(pid: int) -> dict[str, Any]:
    limits = Path(f"/proc/{pid}/limits").read_text().splitlines()
    return {
        "nice": os.getpriority(os.PRIO_PROCESS, pid),
        "cores": len(os.sched_getaffinity(pid)),
        "files": next(line.split()[3] for line in limits if line.startswith("Max open files")),
    }


def has_asynchronous_io(pid: int) -> bool:
    with suppress(OSError):  # it has ended
        return "[aio]" in Path(f"/proc/{pid}/maps").read_text()
    return False


def own_facts() -> dict[str, Any]:
    return {
        "children": Path(f"/proc/self/task/{os.getpid()}/children").read_text().split(),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "mounts": Path("/proc/self/mountinfo").read_text(),
        "umask": os.umask(0o022),
    }


async def play(stage: Stage, launcher: SpawnerLauncher, found: dict[str, Any]) -> MatchRecord:
    task = stage.task
    clock = TimeControl(**TIMES | task.get("clock", {}))
    game = find_game("draftosaurus")
    setup = matches.MatchSetup(
        stage.entries(), seed=5, clocks=[TimeControl(**TIMES), clock], strikes=task.get("strikes", 3)
    )
    notes: dict[str, Any] = {"witness": {}, "hostile": {}}
    thought = found["thought_us"] = []

    def listen(bot: Bot, direction: str, message: object) -> None:
        if isinstance(message, Hello):
            stage.addresses[WITNESS if bot.entry.name == "witness" else HOSTILE] = int(message.version)
        if direction == "<" and isinstance(message, Move) and message.note:
            note = json.loads(message.note)
            notes[bot.entry.name].update(note)
            thought.extend(us for name, us in note.items() if name == "crowd_and_think")

    async with open_company(launcher, (), listen, FREE) as company:  # the arena itself moves no bot to another core
        bots = await company.hire(setup.entries, clock.hello_ms)
        stage.tell_targets(bots, launcher)
        before = sibling_facts(bots[WITNESS].process.pid)
        match = await company.play(game, setup.header(company, game, bots), bots)
        record = match.record()
        found["sibling"] = [before, sibling_facts(bots[WITNESS].process.pid)]
        found["locked"] = stage.is_locked()
        found["aio"] = has_asynchronous_io(bots[HOSTILE].process.pid)
        found["hostile_is_usable"] = bots[HOSTILE].is_usable
        await company.dismiss(list(bots))
        found["rss_mb"] = [bot.exit.rss_kb >> 10 if bot.exit else None for bot in bots]
        found["endings"] = [str(bot.exit) for bot in bots]
    found["left"] = stage.left()  # at once: 100 ms would be allowed
    found["notes"] = notes
    return record


def perform(task: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with ExitStack() as stack:
        stage = Stage(task, stack)
        stage.set_up()
        stack.callback(stage.clean)
        trio.run(trio.lowlevel.checkpoint)  # whatever it opens once is open now
        before, folder, league = own_facts(), stage.folder(), stage.league()
        launcher = in_tier(Tier(task["tier"]), policy=Policy(**task.get("policy", {})))
        record = trio.run(play, stage, launcher, found)
        after = own_facts()
        verdict, hostile = record.verdict, record.header.players[HOSTILE]
        found |= {
            "void": verdict.void,
            "faults": [[fault.kind, fault.seat, fault.text] for fault in verdict.faults],
            "out": sorted(disqualified(record)),
            "verify": verify(record),
            "same_when_read": from_bytes(to_bytes(record)) == record,
            "sandbox": [hostile.sandbox, list(hostile.layers)],
            "statuses": sorted({str(d.status) for _, _, d in record.decisions() if d.seat == WITNESS}),
            "used_us": [d.used_us for _, _, d in record.decisions() if d.seat == HOSTILE and d.status == "accepted"],
            "stderr": [account.stderr for account in verdict.accounts],
            "exits": [account.exit for account in verdict.accounts],
            "peaks_kb": [account.peak_kb for account in verdict.accounts],
            "threads": launcher.policy.threads_for("", len(os.sched_getaffinity(0))),
            "resources": asdict(look(hostile.layers)),
            "heard": stage.heard(),
            "fifo": stage.fifo_says(),
            "signals": len(stage.signals),
            "folder_changed": stage.folder() != folder,
            "league_changed": stage.league() != league,
            "written": [name for name, path in stage.writes.items() if os.path.exists(path)],
            "changed": [name for name in before if before[name] != after[name]],
            "arena_rss_mb": highest_rss_mb(),
        }
    return found


# Scenes without a match


def table(task: dict[str, Any]) -> dict[str, Any]:
    """One match between these commands, in their folders."""
    entries = [
        Entry(name, "1", tuple(sys.executable if word == PYTHON else word for word in words), Path(folder))
        for name, words, folder in task["bots"]
    ]
    setup = matches.MatchSetup(entries, seed=5, clocks=[TimeControl(**TIMES)] * len(entries))
    launcher = in_tier(Tier(task["tier"]))
    record = running.run(lambda: matches.play(setup, launcher)).record()
    verdict = record.verdict
    return {
        "void": verdict.void,
        "faults": [[record.header.players[f.seat].name, f.kind, f.text] for f in verdict.faults if f.seat is not None],
        "verify": verify(record),
        "statuses": sorted({str(d.status) for _, _, d in record.decisions()}),
        "stderr": {entry.name: account.stderr for entry, account in zip(entries, verdict.accounts)},
    }


def named(task: dict[str, Any]) -> dict[str, Any]:
    """One match between bots that are named as people name them; or the words with which they are refused."""
    os.environ["PATH"] = task.get("path", os.environ["PATH"])
    os.chdir(task["where"])
    try:
        entries = matches.find_all(task["words"])
        clocks = [TimeControl(**TIMES)] * len(entries)
        setup = matches.MatchSetup(entries, seed=5, clocks=clocks, sandbox=task["tier"])
        record = running.run(lambda: matches.play(setup)).record()
    except ArenaError as error:
        return {"refused": f"{type(error).__name__}: {error}"}
    return {
        "refused": None,
        "faults": [[fault.kind, fault.text] for fault in record.verdict.faults],
        "said": [json.loads(account.stderr or "null") for account in record.verdict.accounts],
    }


def started(launcher: SpawnerLauncher, base: Path) -> SpawnedProcess:
    """A program that has said hello, and waits for the end of its input."""
    process = launcher.start(Command(("/bin/sh", "-c", "echo hello; read line; exit 0"), base / "bots" / "witness", {}))
    assert select.select([process.stdout], [], [], 20)[0], "it says nothing"
    assert os.read(process.stdout, 4096) == b"hello\n"
    while process.pid is None:  # in `full` its number comes by another way than its words, and can be later
        assert select.select([process.report], [], [], 20)[0], "its number is not known"
        process.news()
    return process


def awaited(process: SpawnedProcess) -> ProcessExit:
    while (ended := process.news()) is None:
        assert select.select([process.report], [], [], 20)[0], "it does not end"
    return ended


def orphans(task: dict[str, Any]) -> dict[str, Any]:
    """What becomes of the bots when the spawner is killed?"""
    launcher = in_tier(Tier(task["tier"]))
    process = started(launcher, Path(task["base"]))
    pidfd = os.pidfd_open(process.pid)
    launcher._process.kill()
    gone = bool(select.select([pidfd], [], [], 10)[0])
    if not gone:
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    launcher.close()
    return {"gone": gone}


def strangers(task: dict[str, Any]) -> dict[str, Any]:
    """The users that the bots of two arenas are."""
    launchers = [in_tier(Tier(task["tier"])) for _ in range(2)]
    processes = [started(launcher, Path(task["base"])) for launcher in launchers for _ in range(2)]
    users = [os.stat(f"/proc/{process.pid}").st_uid for process in processes]
    for launcher in launchers:
        launcher.close()
    return {"users": users}


def many_starts(task: dict[str, Any]) -> dict[str, Any]:
    """What grows while bots come and go?"""
    outside = own_facts()
    launcher = in_tier(Tier(task["tier"]))
    spawner = launcher._process.pid if launcher._process else None
    samples = []
    for number in range(task["starts"] + 1):
        process = started(launcher, Path(task["base"]))
        spawner = launcher._process.pid
        if number % 2:
            process.end()
        else:
            os.close(process.stdin)
            process.stdin = os.open("/dev/null", os.O_RDONLY)
        ended = awaited(process)
        process.close()
        assert ended.status == 0 or ended.signal == signal.SIGKILL, str(ended)
        if number % (task["starts"] // 4) == 0:
            samples.append(spawner_facts(spawner))
    launcher.close()
    after = own_facts()
    return {"samples": samples, "changed": [name for name in outside if outside[name] != after[name]]}


def spawner_facts(pid: int) -> dict[str, Any]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {
        "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
        "children": Path(f"/proc/{pid}/task/{pid}/children").read_text().split(),
        "mounts": Path(f"/proc/{pid}/mountinfo").read_text().count("\n"),
        "rss_kb": next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")),
    }


def killed(task: dict[str, Any]) -> dict[str, Any]:
    """How does a bot's end read that another process has brought about, and one that we have?"""
    launcher = in_tier(Tier(task["tier"]))
    by_another, by_us = (started(launcher, Path(task["base"])) for _ in range(2))
    os.kill(by_another.pid, signal.SIGKILL)
    by_us.end()
    ended = [str(awaited(process)) for process in (by_another, by_us)]
    launcher.close()
    return {"by_another": ended[0], "by_us": ended[1]}


def shares(task: dict[str, Any]) -> dict[str, Any]:
    """Among whom does the kernel share out the cores? For each of two bots its session's group and its control group."""
    launcher = in_tier(Tier(task["tier"]))
    processes = [started(launcher, Path(task["base"])) for _ in range(2)]
    sessions = [os.getsid(process.pid) for process in processes]
    groups = [process.cgroup and Path(process.cgroup, "cgroup.procs").read_text().split() for process in processes]
    found = {
        "sessions": sessions,
        "groups": groups,
        "pids": [str(process.pid) for process in processes],
        "layers": list(launcher.layers),
        "cores": look(launcher.layers).cores,
        "lack": look(launcher.layers).lack,
    }
    launcher.close()
    found["left"] = [process.cgroup for process in processes if process.cgroup and os.path.exists(process.cgroup)]
    return found


def frozen(task: dict[str, Any]) -> dict[str, Any]:
    """A bot that is frozen says nothing, goes on when it is thawed, and can be ended as it is."""
    launcher = in_tier(Tier(task["tier"]))
    process = launcher.start(
        Command(("/bin/sh", "-c", "while read line; do echo $line; done"), Path(task["base"]) / "bots" / "witness", {})
    )
    found: dict[str, Any] = {"said": [ask(process, b"one\n")], "cgroup": process.cgroup}
    if process.cgroup:
        freezer = cgroup.open_freezer(process.cgroup)
        cgroup.freeze(freezer, True)
        while "frozen 1" not in Path(process.cgroup, "cgroup.events").read_text():
            pass  # it comes to every thread's turn, soon
        os.write(process.stdin, b"two\n")
        found["while_frozen"] = bool(select.select([process.stdout], [], [], 0.3)[0])
        cgroup.freeze(freezer, False)
        found["said"].append(ask(process, b""))
        cgroup.freeze(freezer, True)
    process.end()
    found["ended"] = str(awaited(process))
    launcher.close()
    return found


def ask(process: SpawnedProcess, words: bytes) -> str:
    os.write(process.stdin, words)
    assert select.select([process.stdout], [], [], 20)[0], "it says nothing"
    process.news()
    return os.read(process.stdout, 4096).decode()


def stale(task: dict[str, Any]) -> dict[str, Any]:
    """Whose groups does a new spawner remove: those of one that was killed, and those of one that lives?"""
    dead, alive = in_tier(Tier(task["tier"])), in_tier(Tier(task["tier"]))
    processes = [started(launcher, Path(task["base"])) for launcher in (dead, alive)]
    pidfd = os.pidfd_open(processes[0].pid)
    dead._process.kill()
    assert select.select([pidfd], [], [], 10)[0], "the bot of a dead spawner lives"
    dead.close()
    trees = [os.path.dirname(process.cgroup) if process.cgroup else None for process in processes]
    before = [bool(tree) and os.path.exists(tree) for tree in trees]
    in_tier(Tier(task["tier"])).close()
    found: dict[str, Any] = {"before": before, "after": [bool(tree) and os.path.exists(tree) for tree in trees]}
    found["alive"] = ended_well(processes[1])
    alive.close()
    return found


def ended_well(process: SpawnedProcess) -> bool:
    os.write(process.stdin, b"go\n")
    return awaited(process).status == 0


SCENES = {
    "match": perform,
    "table": table,
    "named": named,
    "orphans": orphans,
    "strangers": strangers,
    "many_starts": many_starts,
    "killed": killed,
    "shares": shares,
    "frozen": frozen,
    "stale": stale,
}


if __name__ == "__main__":
    given = json.load(sys.stdin)
    print(json.dumps(SCENES[given.get("scene", "match")](given)))  # noqa: T201 it is a program
