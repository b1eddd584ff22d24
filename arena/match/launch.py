"""How bots are started: the interface behind which a bot is a plain process, a sandboxed one, or not a process.

A Launcher starts a Command and returns a Process: three pipes, a fourth that reports its end, and a way to end it at
once. SpawnerLauncher lets another process (arena/sandbox/spawner.py) start the bots, in a tier of the sandbox, so that
neither a bot nor anything that it has started outlives its match or this process.
"""

import logging
import marshal
import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from arena.errors import FileError, HostError, LaunchError
from arena.match.cores import move
from arena.roster.folders import out_of_sight
from arena.sandbox import cgroup
from arena.sandbox.policy import Policy, Tier
from arena.sandbox.runtime import check_folder, check_reach, locate, plain, runtime, search_path, stand_in
from arena.texts import one_line

LOG = logging.getLogger(__name__)
"""What `--verbose` prints."""
PACKAGES = Path(__file__).parents[2]
"""The folder that holds the arena."""
ENGINE = str(PACKAGES / "engine")
"""The rules, which bots in our own interpreter may import: an editable install leaves them outside of its folders."""
RULES = str(PACKAGES / ".rules")
"""A folder of a checkout that has only a link to ENGINE. Python lists the folder that it imports from, and in the tier
lite a bot must not list the checkout."""
SPAWNER = "import sys; sys.path.append(sys.argv[1]); from arena.sandbox.spawner import main; main()"
"""Not the name of the file: Python would compile it again each time, which is a quarter of its start."""
FIRST_UID = 2_100_000_000
"""If root runs the arena, each bot gets its own user number, from this one on, where there are no other users."""
CLOSE_S = 5.0
"""How long the spawner may take to end all bots and itself."""


@dataclass(frozen=True, slots=True)
class Command:
    """What to execute, where, with which environment (nothing is inherited), on which cores (none named: all)."""

    argv: Sequence[str]
    folder: Path
    env: Mapping[str, str]
    cpus: Sequence[int] = ()
    memory_mb: int | None = None
    """What the bot asks for; the launcher's policy is the most it gets."""
    shown: Sequence[str] = ()
    """What else it may read in a sandbox, apart from its folder and its interpreter."""
    is_ours: bool = False
    """Whether it comes with the arena (arena.roster.entries.is_built_in), and may play where it has no sandbox."""


@dataclass(frozen=True, slots=True)
class ProcessExit:
    """How a process ended, and what it used. `failed` says why the program could not be executed at all."""

    status: int | None = None
    signal: int | None = None
    cpu_us: int = 0
    rss_kb: int = 0
    peak_kb: int = 0
    """The most that its control group has had, kernel memory and scratch space included; 0: it had no group."""
    failed: str | None = None
    over: str | None = None
    """The limit of its policy that it exceeded, such as `256 MB of memory`."""
    killed: str | None = None
    """For a process that was killed, but not by us: what is known about it."""

    def __str__(self) -> str:
        if self.failed is not None:
            return f"could not be executed: {self.failed}"
        if self.over is not None:
            return f"used more than {self.over}"
        if self.signal is not None:
            by = f": {self.killed}" if self.killed else ""
            return f"was ended by signal {self.signal} ({_signal_name(self.signal)}){by}"
        return f"exited with status {self.status}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


class Process(Protocol):
    """A running bot: descriptors that do not block, which we read, write and close, and a pipe that reports its end."""

    pid: int | None
    """The process whose CPU clock to read, if there is one."""
    cgroup: str | None
    """The folder of its control group, if it has one of its own (arena/sandbox/cgroup.py)."""
    stdin: int
    stdout: int
    stderr: int
    report: int
    """Readable when there is news of the process: call `news`."""

    @property
    def tier(self) -> Tier:
        """Its tier of the sandbox; kept in records."""

    @property
    def layers(self) -> Sequence[str]:
        """The names of the walls around it."""

    def news(self) -> ProcessExit | None:
        """Read what is reported. Its end, once it has ended. LaunchError if that can never be known."""

    def freeze(self) -> bool:
        """Stop it until it is thawed. Whether that is possible here. A frozen process can still be ended."""

    def thaw(self) -> None:
        """Let it run again."""

    def keep_on(self, cores: Sequence[int]) -> bool:
        """Let it run on these cores only. Whether that is possible here."""

    def ask_for_stack(self) -> None:
        """Have it print where it is, if its runtime can; else it may end. Only for one that is ended soon after."""

    def end(self) -> None:
        """Kill it now, with everything that it has started. Its end is reported."""

    def close(self) -> None:
        """Close the descriptors."""


class Launcher(Protocol):
    """A way to start processes."""

    tier: Tier
    policy: Policy
    """Of its bots; a built-in bot may have less (arena/match/tiers.py)."""

    def start(self, command: Command) -> Process:
        """Start it. LaunchError if that is impossible here; a program that does not exist is a ProcessExit."""

    def close(self) -> None:
        """End all that were started."""


@dataclass(slots=True)
class SpawnedProcess:
    """A process that the spawner has started."""

    launcher: "SpawnerLauncher"
    key: int
    stdin: int
    stdout: int
    stderr: int
    report: int
    hidden: Sequence[str] = ()
    """What its command names and it cannot see."""
    pid: int | None = None
    reported: Sequence[str] | None = None
    """The layers that its own process found around it, once it has reported them."""
    cgroup: str | None = None
    _failed: str | None = None
    _over: str | None = None
    _killed: str | None = None
    _exit: ProcessExit | None = None
    _unheard: bytes = b""
    _pidfd: int | None = None
    """The bot itself, whatever happens to its number; only if it can be frozen."""
    _freezer: int | None = None
    """The same for its control group, if it has one: it stops the bot and everything that the bot has started."""

    @property
    def tier(self) -> Tier:
        return self.launcher.tier

    @property
    def layers(self) -> Sequence[str]:
        return self.launcher.layers

    def news(self) -> ProcessExit | None:
        while self._exit is None:
            try:
                data = os.read(self.report, 4096)
            except BlockingIOError:
                return None
            if not data:
                raise LaunchError("the process that starts the bots ended before its bots")
            self._unheard += data
            while (end := 2 + int.from_bytes(self._unheard[:2])) <= len(self._unheard):
                line, self._unheard = marshal.loads(self._unheard[2:end]), self._unheard[end:]
                self._hear(line)
        return self._exit

    def _hear(self, line: dict[str, Any]) -> None:
        if "pid" in line:
            self.pid = int(line["pid"])
            if self.launcher.freezes:
                with suppress(OSError):  # it has ended already
                    self._pidfd = os.pidfd_open(self.pid)
        elif "layers" in line:
            self._see_walls(line["layers"])
        elif "failed" in line:
            self._failed = str(line["failed"]) + "".join(
                f"; a bot cannot see {path}, which is neither in its folder nor on your PATH" for path in self.hidden
            )
        elif "cgroup" in line:
            self.cgroup = str(line["cgroup"])
            if self.launcher.freezes:
                with suppress(OSError):
                    self._freezer = cgroup.open_freezer(self.cgroup)
        elif "over" in line:
            self._over = str(line["over"])
        elif "killed" in line:
            self._killed = str(line["killed"])
        elif "unable" in line:
            raise LaunchError(f"could not start a process for a bot: {line['unable']}")
        else:
            code = os.waitstatus_to_exitcode(int(line["status"]))
            how = {"status": code} if code >= 0 else {"signal": -code}
            used = {name: int(line[name]) for name in ("cpu_us", "rss_kb", "peak_kb")}
            self._exit = ProcessExit(**how, **used, failed=self._failed, over=self._over, killed=self._killed)

    def _see_walls(self, layers: list[str]) -> None:
        """A bot with fewer layers than the others, or than expected, must not play."""
        if self.launcher.layers and tuple(layers) != tuple(self.launcher.layers):
            raise LaunchError(f"the sandbox of a bot has the layers {layers}, expected {list(self.launcher.layers)}")
        self.reported = layers

    def freeze(self) -> bool:
        return self._set_frozen(True)

    def thaw(self) -> None:
        self._set_frozen(False)

    def _set_frozen(self, is_frozen: bool) -> bool:
        """Whether that is possible."""
        try:
            if self._freezer is not None:
                cgroup.freeze(self._freezer, is_frozen)
            elif self._pidfd is not None:
                signal.pidfd_send_signal(self._pidfd, signal.SIGSTOP if is_frozen else signal.SIGCONT)
            else:
                return False
        except OSError:  # it has just ended
            return False
        return True

    def keep_on(self, cores: Sequence[int]) -> bool:
        # The spawner reports an end at once, and the kernel gives a number to another process only after all others.
        return self.news() is None and self.pid is not None and move(self.pid, cores)

    def ask_for_stack(self) -> None:
        self._order("quit")

    def end(self) -> None:
        self._order("end")

    def _order(self, what: str) -> None:
        if self._exit is None:
            with suppress(LaunchError):  # the spawner has ended, and `news` will say so
                self.launcher.tell({what: self.key})

    def close(self) -> None:
        for fd in (self.stdin, self.stdout, self.stderr, self.report, self._pidfd, self._freezer):
            if fd is not None:
                os.close(fd)
        self._pidfd = self._freezer = None


@dataclass(slots=True)
class SpawnerLauncher:
    """Starts bots through one spawner process, which is started with the first bot."""

    tier: Tier = Tier.NONE
    policy: Policy = field(default_factory=Policy)
    layers: Sequence[str] = ()
    """What every bot's own process must report; empty: anything."""
    _control: socket.socket | None = None
    _process: subprocess.Popen[bytes] | None = None
    _keys: "count[int]" = field(default_factory=count)

    @property
    def freezes(self) -> bool:
        """Whether its bots are frozen while they owe no answer."""
        return self.tier is not Tier.NONE and self.policy.freeze

    def start(self, command: Command) -> SpawnedProcess:
        key = next(self._keys)
        request, hidden = self._request(key, command)
        LOG.debug("starts %s in %s, sandbox %s", one_line(shlex.join(request["argv"])), command.folder, self.tier.value)
        ours, theirs = _pipes()
        try:
            self.tell(request, theirs)
        except BaseException:
            for fd in ours:
                os.close(fd)
            raise
        finally:
            for fd in theirs:
                os.close(fd)
        stdin, stdout, stderr, report = ours
        return SpawnedProcess(self, key, stdin, stdout, stderr, report, hidden)

    def check(self, command: Command) -> None:
        """HostError if this tier cannot run it on this machine."""
        self._request(0, command)

    def _request(self, key: int, command: Command) -> tuple[dict[str, Any], Sequence[str]]:
        """What the spawner must know about the program and its cell; and what the bot cannot see."""
        argv, env, folder = list(command.argv), dict(command.env), command.folder
        hidden: Sequence[str] = ()
        cell = asdict(self.policy) | {
            "tier": self.tier.value,
            "uid": None,
            "me": (os.getuid(), os.getgid()),
            "read": [],
            "covered": [],
        }
        env["PYTHONDONTWRITEBYTECODE"] = "1"  # in every tier: otherwise playing would change the files of a bot
        if self.tier is not Tier.NONE:
            if folder.is_symlink() or plain(folder) != folder:
                folder = folder.resolve()
            check_folder(folder)
            is_reaching = os.geteuid() == 0 and self.tier is Tier.LITE
            if is_reaching:
                argv[0] = stand_in(argv[0])
            try:
                cell["covered"] = out_of_sight(folder)
                argv[0], cell["read"], hidden = locate(argv, folder)
            except (FileError, OSError) as error:
                raise HostError(f"cannot find out what the bot in {folder} needs: {error}") from error
            cell["threads"] = self.policy.threads_for(runtime(argv), len(usable_cpus()))
            cell["read"] = [*cell["read"], *command.shown]
            if sys.executable in command.argv:
                cell["read"] += [ENGINE, RULES] if self.tier is Tier.LITE else [ENGINE]
                env |= {"PYTHONPATH": RULES} if self.tier is Tier.LITE else {}
            env = self.policy.hints() | env | {"PATH": search_path(), "HOME": "/scratch", "TMPDIR": "/scratch"}
            if os.geteuid() == 0:
                cell["uid"] = FIRST_UID
            if is_reaching:
                check_reach(argv[0], str(folder))
            if command.memory_mb is not None:
                cell["memory_mb"] = min(command.memory_mb, self.policy.memory_mb)
        words = {"argv": argv, "env": env, "folder": str(folder), "cpus": list(command.cpus)}
        return {"start": key, "cell": cell, **words}, hidden

    def tell(self, request: dict[str, Any], fds: Sequence[int] = ()) -> None:
        """Send the spawner a request."""
        if self._control is None:
            self._control = self._begin()
        try:
            socket.send_fds(self._control, [marshal.dumps(request)], fds)
        except OSError as error:
            raise LaunchError(f"the process that starts the bots does not respond: {error}") from error

    def _begin(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            # Its own session: a Ctrl-C in the terminal is ours to handle, and our end is what it waits for.
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", SPAWNER, str(PACKAGES)],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                start_new_session=True,
                env={"LD_BIND_NOW": "1"},  # otherwise each bot would look up the functions of C itself, after its fork
            )
        return ours

    def close(self) -> None:
        if self._control is not None and self._process is not None:
            self._control.close()
            try:
                self._process.wait(CLOSE_S)
            except subprocess.TimeoutExpired:
                self._process.kill()  # and with it, by their parent-death signal, all bots
                self._process.wait()
            self._control = self._process = None


def _pipes() -> tuple[list[int], list[int]]:
    """Descriptors for stdin, stdout, stderr and reports: ours, which do not block, and theirs."""
    ours, theirs = [], []
    for ours_reads in (False, True, True, True):
        read, write = os.pipe()
        ours.append(read if ours_reads else write)
        theirs.append(write if ours_reads else read)
        os.set_blocking(ours[-1], False)
    return ours, theirs


def usable_cpus() -> list[int]:
    """The cores that this process may use."""
    with suppress(AttributeError):
        return sorted(os.sched_getaffinity(0))
    return []
