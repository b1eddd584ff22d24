"""A bot that plays the first legal action, except that it misbehaves in one way, at one point of the match.

    python -I -S faulty_bot.py FAULT AT [FOLDER] [CODEC]

FAULT is one of FAULTS; `noise:7` is noise that is the same each time. AT is `hello`, `start`, `end` or `bye` (instead of what is due there), a number N (instead of the answer to the N-th
decision), `N+` (that and all later ones) or `afterN` (right after that answer). In FOLDER, if there is one, each process
leaves a file `WHAT.PID` when it has come to the point. CODEC is `json` or `msgpack`.

It is a program of its own: nothing but the standard library, and every byte it writes is made here.
"""

import json
import os
import random
import signal
import struct
import sys
import time
from contextlib import suppress

FAULT, AT, FOLDER, CODEC = (sys.argv[1:] + ["none", "1", "", "json"][len(sys.argv) - 1 :])[:4]
HELLO = {"type": "hello", "protocol": 1, "name": "faulty", "version": "1", "games": ["draftosaurus"]}
READY = {"type": "ready"}


# Bytes


def write(data):
    """All of it, whatever the pipe takes at a time."""
    while data:
        data = data[os.write(1, data) :]


def say(message):
    write(frame(message))


def frame(message):
    if CODEC == "json":
        return json.dumps(message).encode() + b"\n"
    payload = packed(message)
    return struct.pack(">I", len(payload)) + payload


def packed(value):
    """MessagePack, in the longest forms, which are the simplest."""
    if isinstance(value, dict):
        return struct.pack(">BI", 0xDF, len(value)) + b"".join(packed(k) + packed(v) for k, v in value.items())
    if isinstance(value, list):
        return struct.pack(">BI", 0xDD, len(value)) + b"".join(map(packed, value))
    if isinstance(value, int):
        return struct.pack(">Bq", 0xD3, value)
    data = value.encode()
    return struct.pack(">BI", 0xDB, len(data)) + data


def messages():
    buffer = b""
    while True:
        while (found := first_of(buffer)) is None:
            data = os.read(0, 1 << 16)
            if not data:
                return
            buffer += data
        message, buffer = found
        yield message


def first_of(buffer):
    if CODEC == "json":
        line, end, rest = buffer.partition(b"\n")
        return (json.loads(line), rest) if end else None
    length = struct.unpack(">I", buffer[:4])[0] if len(buffer) >= 4 else 0
    return (unpacked(buffer, 4)[0], buffer[4 + length :]) if length and len(buffer) >= 4 + length else None


def unpacked(data, at):
    """The value that begins there, and where the next one does."""
    byte = data[at]
    if byte < 0x80 or byte >= 0xE0:
        return struct.unpack_from("b", data, at)[0], at + 1
    if byte in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[byte], at + 1
    if 0xCA <= byte <= 0xD3:
        form = ">" + "fdBHIQbhiq"[byte - 0xCA]
        return struct.unpack_from(form, data, at + 1)[0], at + 1 + struct.calcsize(form)
    if byte < 0xC0:
        kind, count = ("str", byte & 0x1F) if byte >= 0xA0 else (("array" if byte >= 0x90 else "map"), byte & 0x0F)
        at += 1
    else:
        kind, form = {
            0xD9: ("str", ">B"), 0xDA: ("str", ">H"), 0xDB: ("str", ">I"),
            0xDC: ("array", ">H"), 0xDD: ("array", ">I"), 0xDE: ("map", ">H"), 0xDF: ("map", ">I"),
        }[byte]  # fmt: skip
        count = struct.unpack_from(form, data, at + 1)[0]
        at += 1 + struct.calcsize(form)
    if kind == "str":
        return data[at : at + count].decode(), at + count
    items = []
    for _ in range(count * (2 if kind == "map" else 1)):
        item, at = unpacked(data, at)
        items.append(item)
    return (items if kind == "array" else dict(zip(items[::2], items[1::2]))), at


# The course of a match


def main():
    due("hello", None, lambda: say(HELLO))
    asked = 0
    for message in messages():
        if message["type"] == "start":
            due("start", message, lambda: say(READY))
        elif message["type"] == "decide":
            asked += 1
            due(str(asked), message, lambda message=message: answer(message))
            due(f"after{asked}", message, lambda: None)
        elif message["type"] == "end":
            due("end", message, lambda: None)
        elif message["type"] == "bye":
            due("bye", message, lambda: None)
            return


def due(point, message, good):
    from_here = AT.endswith("+") and point.isdigit() and int(point) >= int(AT[:-1])
    if FAULT == "none" or not (point == AT or from_here):
        return good()
    remark(f"{FAULT} at {point}")
    mark("bot")
    return FAULTS[FAULT.partition(":")[0]](message, good)


def remark(text):
    """For the author, on stderr."""
    os.write(2, f"{text}\n".encode())


def mark(what):
    if FOLDER:
        with open(os.path.join(FOLDER, f"{what}.{os.getpid()}"), "w"):
            pass


def move(message, **changes):
    return {"type": "move", "id": message["id"], "action": message["legal"][0], **changes}


def due_message(message):
    """What is to be said to this message; None is the beginning."""
    return HELLO if message is None else READY if message["type"] == "start" else move(message)


def answer(message, **changes):
    say(move(message, **changes))


def forever():
    while True:
        time.sleep(60)


# Ends of the process


def crash(_message, _good):
    remark("Traceback: the sky is falling")
    os._exit(3)


def leave(_message, _good):
    os._exit(0)


def signalled(number):
    def fault(_message, _good):
        os.kill(os.getpid(), number)

    return fault


def half_a_frame(message, _good):
    whole = frame(due_message(message))
    write(whole[: len(whole) // 2])
    os._exit(3)


def good_then_leave(_message, good):
    good()
    os._exit(0)


def good_then_close(_message, good):
    good()
    os.close(1)
    forever()


# Silence


def hang(_message, _good):
    forever()


def deaf(_message, _good):
    """Never reads again, from a pipe that holds next to nothing."""
    import fcntl

    fcntl.fcntl(0, fcntl.F_SETPIPE_SZ, 4096)
    forever()


def stubborn(_message, _good):
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    forever()


def close_stdout(_message, _good):
    os.close(1)
    forever()


def close_stdin(_message, _good):
    os.close(0)
    forever()


def drip(message, _good):
    """An answer that takes far too long, although bytes keep coming."""
    for byte in frame(move(message, note="z" * 100_000)):
        write(bytes([byte]))
        time.sleep(0.05)


def burst_of_nothing(_message, _good):
    """Bytes that mean nothing, one at a time, as fast as can be, and no answer: it keeps the referee busy for nothing."""
    end = time.monotonic() + 3
    while time.monotonic() < end:
        write(b"\n")
    forever()


def crowd_of_stale(message, _good):
    """As many stale moves as may be, and no answer."""
    write(frame({"type": "move", "id": message["id"] - 1, "action": "z"}) * 40_000)
    forever()


def crowd_at_work(_message, _good):
    """No answer, and eight children that take all the time there is."""
    for _ in range(8):
        if os.fork() == 0:
            while True:
                pass
    forever()


def late(_message, good):
    time.sleep(1.2)
    good()


# Noise


def endless(make):
    def fault(message, _good):
        piece = make(message)
        piece *= max(1, 65536 // len(piece))
        while True:
            write(piece)

    return fault


def stderr_flood(_message, good):
    for _ in range(1 << 14):
        os.write(2, b"0123456789abcde\n" * 4096)
    good()


def stderr_and_on(_message, good):
    """A lot on stderr, but no more than is allowed."""
    for i in range(20_000):
        os.write(2, b"line %d\n" % i)
    good()


def raw(data):
    def fault(_message, good):
        write(data)
        good()

    return fault


def deep(_message, _good):
    if CODEC == "json":
        write(b'{"type":"move","id":1,"action":' + b"[" * 1_000_000 + b"\n")
    else:
        write(struct.pack(">I", 1_000_000) + b"\x91" * 1_000_000)
    forever()


def too_deep(message, _good):
    nested: object = "z"
    for _ in range(100):
        nested = [nested]
    answer(message, extra=nested)


def noise(message, _good):
    """What is due, with some bytes changed, left out or said again."""
    dice = random.Random(FAULT)
    data = bytearray(frame(due_message(message)))
    for _ in range(dice.randrange(1, 4)):
        at = dice.randrange(len(data))
        data[at : at + dice.randrange(3)] = dice.choice([b"", b"\n", dice.randbytes(2), data[:at]])
    remark(f"noise: {bytes(data)!r}")
    write(bytes(data))


# Mistakes


def changed(**changes):
    def fault(message, _good):
        answer(message, **{name: make(message) for name, make in changes.items()})

    return fault


def another_species(legal):
    """A legal action, but with a species that no legal action has."""
    return next(letter for letter in "TDCSGP" if letter not in {action[0] for action in legal}) + legal[0][1:]


def twice(message, _good):
    """In one write, so that nothing comes in between."""
    write(2 * frame(due_message(message)))


def ahead(message, _good):
    """It answers what it has not been asked, in one write with what is due."""
    write(frame(due_message(message)) + frame({"type": "move", "id": message.get("id", 0) + 1, "action": "z"}))


def other_hello(**changes):
    def fault(_message, _good):
        say({**HELLO, **changes})

    return fault


def look_around(_message, good):
    found = sorted(os.listdir("/proc/self/fd"), key=int)[:-1]  # the last one is the look itself
    remark(f"descriptors: {' '.join(found)}")
    good()


# What is left behind


def leave_behind(child):
    """Start a process, wait until it is there, and play on."""

    def fault(_message, good):
        ours, theirs = os.pipe()
        if os.fork() == 0:
            child(theirs)
        os.close(theirs)
        assert os.read(ours, 1) == b"!"
        os.close(ours)
        remark("a child is there")
        good()

    return fault


def child_in_group(there):
    mark("child")
    os.write(there, b"!")
    forever()


def daemon(there):
    os.setsid()
    if os.fork():
        os._exit(0)
    for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
        with suppress(OSError, ValueError):  # some belong to the C library
            signal.signal(number, signal.SIG_IGN)
    mark("daemon")
    os.write(there, b"!")
    os.close(there)
    forever()


def respawner(there):
    """A daemon whose number never stays the same for long."""
    os.setsid()
    os.write(there, b"!")
    os.close(there)
    while True:
        if os.fork():
            os._exit(0)


def and_hang(fault):
    def both(message, _good):
        fault(message, lambda: None)
        mark("hung")
        forever()

    return both


def heir(_message, _good):
    """A child in another session holds all three streams open after the bot itself has gone."""
    leave_behind(daemon)(None, lambda: None)
    os._exit(0)


FAULTS = {
    "crash": crash,
    "leave": leave,
    "segfault": signalled(signal.SIGSEGV),
    "stop": signalled(signal.SIGSTOP),
    "half-a-frame": half_a_frame,
    "good-then-leave": good_then_leave,
    "good-then-close": good_then_close,
    "hang": hang,
    "deaf": deaf,
    "stubborn": stubborn,
    "close-stdout": close_stdout,
    "close-stdin": close_stdin,
    "drip": drip,
    "burst-of-nothing": burst_of_nothing,
    "crowd-of-stale": crowd_of_stale,
    "crowd-at-work": crowd_at_work,
    "late": late,
    "junk": endless(lambda message: frame({"type": "log", "text": "hm"})),
    "blank-lines": endless(lambda message: b"\n"),
    "stale-moves": endless(lambda message: frame(move(message, id=message["id"] - 1))),
    "endless-line": endless(lambda message: b"{" + b" " * 65535),
    "four-gigabytes": endless(lambda message: b"\xff\xff\xff\xff" + b"\x00" * 65532),
    "stderr-flood": stderr_flood,
    "stderr-and-on": stderr_and_on,
    "garbage": raw(b"\xc1\xff\x9f\x00\xfe garbage"),
    "print": raw(b"thinking...\n"),
    "unframed": lambda _message, _good: write(packed(HELLO)),
    "deep": deep,
    "too-deep": too_deep,
    "noise": noise,
    "future-id": changed(id=lambda message: message["id"] + 1),
    "id-0": changed(id=lambda message: 0),
    "negative-id": changed(id=lambda message: -1),
    "string-id": changed(id=lambda message: str(message["id"])),
    "illegal": changed(action=lambda message: another_species(message["legal"])),
    "malformed": changed(action=lambda message: "I resign"),
    "action-of-wrong-type": changed(action=lambda message: [1, 2]),
    "no-action": changed(action=lambda message: None),
    "twice": twice,
    "ahead": ahead,
    "wrong-revision": other_hello(protocol=99),
    "other-game": other_hello(games=["chess", "go"]),
    "look-around": look_around,
    "child": leave_behind(child_in_group),
    "daemon": leave_behind(daemon),
    "respawner": leave_behind(respawner),
    "child-and-hang": and_hang(leave_behind(child_in_group)),
    "daemon-and-hang": and_hang(leave_behind(daemon)),
    "respawner-and-hang": and_hang(leave_behind(respawner)),
    "heir": heir,
}


if __name__ == "__main__":
    main()
