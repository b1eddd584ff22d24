"""Ten small attacks from inside a sandbox, which show whether it holds.

Theory of operation. A real program is started like a bot, and receives what a bot would have to guess: our process id,
the address of a listener, the name of a file. It tries each attack and prints, line by line, whether it got through and
what the kernel answered. Where an attack leaves a trace on our side, the trace decides, not the program's answer: an
accepted connection, a file, a delivered signal.
"""

import hashlib
import json
import os
import secrets
import select
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from arena.errors import LaunchError
from arena.match.launch import Command, SpawnedProcess, SpawnerLauncher
from arena.sandbox.runtime import home, search_path

ATTACKS = ("shadow", "home", "environment", "network", "socket", "temporary", "folder", "signal", "processes", "memory")
PATIENCE_S = 5.0
PREFIX = ".arena-canary-"
SOCKET = "socket"
BEYOND_MB = 64
"""How much more than the limit the program asks for."""

PROGRAM = """
import hashlib, json, mmap, os, signal, socket
with open("plan.json") as file:
    plan = json.load(file)

def read(path):
    with open(path, "rb") as file:
        return file.read()

def write(path):
    with open(path, "x") as file:
        return file.write("canary")

def connect(family, address):
    with socket.socket(family) as client:
        client.settimeout(1)
        client.connect(address)
    return True

def fork():
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return True

def send(pid):
    os.kill(pid, signal.SIGURG)
    return True

for name, attack in {
    "shadow": lambda: read("/etc/shadow"),
    "home": lambda: read(plan["home"]).decode() == plan["secret"],
    "environment": lambda: hashlib.sha256(read(plan["environ"])).hexdigest() == plan["digest"],
    "network": lambda: connect(socket.AF_INET, ("127.0.0.1", plan["port"])),
    "socket": lambda: connect(socket.AF_UNIX, plan["socket"]),
    "temporary": lambda: write(plan["temporary"]),
    "folder": lambda: write(plan["folder"]),
    "signal": lambda: send(plan["pid"]),
    "processes": fork,
    "memory": lambda: mmap.mmap(-1, plan["bytes"], flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS),
}.items():
    try:
        through, answer = bool(attack()), ""
    except Exception as error:
        through, answer = False, getattr(error, "strerror", None) or type(error).__name__
    print(json.dumps({"attack": name, "through": through, "answer": answer}), flush=True)
"""


@dataclass(frozen=True, slots=True)
class Canary:
    """How an attack went. If `held` is None, it could not be tried, and `answer` says why."""

    attack: str
    held: bool | None
    answer: str
    """What the kernel answered."""


@dataclass(frozen=True, slots=True)
class Flight:
    """How all attacks on a sandbox of this tier went."""

    tier: str
    python: str
    """The interpreter that ran the program: ours, or the system's if bots cannot use ours, or none."""
    seconds: float
    canaries: tuple[Canary, ...]

    @property
    def all_held(self) -> bool:
        return all(canary.held for canary in self.canaries)


def fly(launcher: SpawnerLauncher) -> Flight:
    """Try every attack on this launcher's sandbox, and close it. Only for the main thread, which gets the signals."""
    start, python = time.perf_counter(), ""
    try:
        with ExitStack() as stack:
            targets = Targets.set_up(stack)
            python, heard, reason = _run(launcher, targets)
            judged = tuple(_judge(attack, heard, targets, reason) for attack in ATTACKS)
    except (LaunchError, OSError) as error:
        judged = tuple(Canary(attack, None, str(error)) for attack in ATTACKS)
    finally:
        launcher.close()
    return Flight(launcher.tier.value, python, time.perf_counter() - start, judged)


@dataclass(frozen=True, slots=True)
class Targets:
    """What is attacked, and how to see from our side whether an attack worked."""

    folder: Path
    """The program's own folder, which every process outside the sandbox could write to."""
    plan: dict[str, object]
    traces: Mapping[str, Callable[[], bool]]
    """For some attacks: whether they left a trace."""
    impossible: Mapping[str, str] = field(default_factory=dict)
    """For some attacks: why they cannot be tried here."""

    @classmethod
    def set_up(cls, stack: ExitStack) -> "Targets":
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-canary-")))
        folder.chmod(0o1777)  # so that only the sandbox can stop it, not file permissions
        tcp, unix = (stack.enter_context(socket.socket(family)) for family in (socket.AF_INET, socket.AF_UNIX))
        tcp.bind(("127.0.0.1", 0))
        _bind(unix, folder)
        (folder / SOCKET).chmod(0o777)
        for listener in (tcp, unix):
            listener.listen()
            listener.setblocking(False)
        temporary = Path(tempfile.gettempdir(), f"{folder.name}-outside")
        stack.callback(temporary.unlink, missing_ok=True)
        signals = stack.enter_context(_signals())
        secret, private, why_not = stack.enter_context(_secret())
        environment = Path("/proc/self/environ").read_bytes()
        plan = {
            "home": private,
            "secret": secret,
            "environ": f"/proc/{os.getpid()}/environ",
            "digest": hashlib.sha256(environment).hexdigest(),
            "port": tcp.getsockname()[1],
            "socket": SOCKET,
            "temporary": str(temporary),
            "folder": str(folder / "written"),
            "pid": os.getpid(),
        }
        traces = {
            "network": lambda: _has_caller(tcp),
            "socket": lambda: _has_caller(unix),
            "temporary": temporary.exists,
            "folder": (folder / "written").exists,
            "signal": lambda: bool(signals),
        }
        impossible = {"home": why_not} if why_not else {}
        if not environment:
            impossible["environment"] = "our environment is empty"
        return cls(folder, plan, traces, impossible)


@contextmanager
def _signals() -> Iterator[list[int]]:
    """The SIGURG signals from now on, which are harmless."""
    seen: list[int] = []
    before = signal.signal(signal.SIGURG, lambda number, _frame: seen.append(number))
    try:
        yield seen
    finally:
        signal.signal(signal.SIGURG, before)


@contextmanager
def _secret() -> Iterator[tuple[str, str, str]]:
    """A secret, the file that holds it, and why there is no file if there is none.

    The file is in the home folder, or in the folder for temporary files if the home folder is read-only or missing.
    """
    secret = secrets.token_hex()
    try:
        fd, path = _private_file()
    except OSError as error:
        yield secret, "", f"no file can be created: {error}"
        return
    try:
        os.write(fd, secret.encode())
        os.fchmod(fd, 0o644)
        yield secret, path, ""
    finally:
        os.close(fd)
        os.unlink(path)


def _bind(listener: socket.socket, folder: Path) -> None:
    """Listen in a folder whose path may be longer than the 107 bytes of a unix socket address."""
    place = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        listener.bind(f"/proc/self/fd/{place}/{SOCKET}")
    finally:
        os.close(place)


def _private_file() -> tuple[int, str]:
    with suppress(OSError):
        return tempfile.mkstemp(dir=home(), prefix=PREFIX)
    return tempfile.mkstemp(prefix=PREFIX)


def _has_caller(listener: socket.socket) -> bool:
    with suppress(BlockingIOError):
        listener.accept()[0].close()
        return True
    return False


def _run(launcher: SpawnerLauncher, targets: Targets) -> tuple[str, dict[str, tuple[bool, str]], str]:
    """The interpreter that ran the program, what the program printed, and how it ended."""
    plan = {**targets.plan, "bytes": (launcher.policy.memory_mb + BEYOND_MB) << 20}
    for name, text in (("plan.json", json.dumps(plan)), ("canary.py", PROGRAM)):
        (targets.folder / name).write_text(text)
        (targets.folder / name).chmod(0o644)
    for python in pythons():
        heard, reason = _try(launcher, python, targets.folder)
        if heard:
            return python, heard, reason
    return "", {}, reason


def pythons() -> list[str]:
    """Our interpreter, and the system's in case bots cannot use ours."""
    system = shutil.which("python3", path=search_path())
    return [sys.executable, system] if system else [sys.executable]


def _try(launcher: SpawnerLauncher, python: str, folder: Path) -> tuple[dict[str, tuple[bool, str]], str]:
    try:
        process = launcher.start(Command((python, "-I", "-S", "canary.py"), folder, {}))
    except LaunchError as error:  # bots cannot use this interpreter
        return {}, str(error)
    try:
        said, words, ended = _listen(process)
    finally:
        process.close()
    printed = [json.loads(line) for line in said.splitlines()]
    last = f": {words.splitlines()[-1]}" if words.strip() else ""
    return {line["attack"]: (line["through"], line["answer"]) for line in printed}, f"the program {ended}{last}"


def _listen(process: SpawnedProcess) -> tuple[str, str, str]:
    """What it writes to stdout and stderr until it ends, and how it ends."""
    said = {process.stdout: b"", process.stderr: b""}
    open_ones, deadline, ended = set(said), time.monotonic() + PATIENCE_S, None
    while ended is None or open_ones:
        fds = [*open_ones, *([] if ended else [process.report])]
        readable = select.select(fds, [], [], max(0.0, deadline - time.monotonic()))[0]
        if not readable:
            return *_texts(said, process), f"did not end within {PATIENCE_S} s"
        for fd in readable:
            if fd == process.report:
                ended = process.news()
            elif data := os.read(fd, 1 << 16):
                said[fd] += data
            else:
                open_ones.remove(fd)
    return *_texts(said, process), str(ended)


def _texts(said: Mapping[int, bytes], process: SpawnedProcess) -> tuple[str, str]:
    whole_lines = said[process.stdout].rpartition(b"\n")[0]
    return whole_lines.decode(), said[process.stderr].decode("utf-8", "replace")


def _judge(attack: str, heard: Mapping[str, tuple[bool, str]], targets: Targets, reason: str) -> Canary:
    trace = targets.traces.get(attack)
    if trace is not None and trace():
        return Canary(attack, False, "")
    if attack in targets.impossible:
        return Canary(attack, None, targets.impossible[attack])
    if attack not in heard:
        return Canary(attack, None, reason)
    through, answer = heard[attack]
    if trace is not None and through:
        return Canary(attack, True, "it worked, but only inside the sandbox")
    return Canary(attack, not through, answer or ("" if through else "it found something else there"))
