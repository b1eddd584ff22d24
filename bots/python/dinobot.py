"""A bot's side of the arena's protocol, in one file. Copy it next to your bot.

    import dinobot

    class FirstPlayer:
        def __init__(self, start):  # called at the start of every match, with the `start` message
            self.seat = start["seat"]

        def decide(self, question):  # called with every `decide` message
            return question["legal"][0]  # or (action, note)

    if __name__ == "__main__":
        dinobot.run(name="first", version="1.0", games=["draftosaurus"], player=FirstPlayer)

The messages are dicts; views.py has types for `question["view"]`. It speaks framed MessagePack if `msgpack` is
installed, else JSON lines; set DINOBOT_CODEC to `json` or `msgpack` to choose. Print as you like: it goes to stderr. If
your player raises, the process ends with the traceback and status 1.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import sys
from itertools import zip_longest

TYPE_CHECKING = False
if TYPE_CHECKING:  # no bot has to wait for these: `typing` takes longer to import than MessagePack
    from collections.abc import Callable, Iterator
    from typing import Any, Protocol
else:
    Protocol = object

try:
    import msgpack
except ImportError:
    msgpack = None

REVISION = 1
MOST_BYTES = 1 << 20
MOST_NOTE = 1024
SIGQUIT = 3  # the module `signal` takes a millisecond to import

Message = dict[str, "Any"]
Answer = str | tuple[str, str]
"""An action, or an action and a note for the record of the match."""


class Player(Protocol):
    """What plays one match."""

    def decide(self, question: Message, /) -> Answer: ...


class ProtocolError(Exception):
    """The arena said something that this revision of the protocol does not know."""


class JsonLines:
    """One JSON object a line. `json` is imported by those who speak it, because that takes as long as MessagePack."""

    def encode(self, message: Message) -> bytes:
        import json

        return json.dumps(message).encode() + b"\n"

    def cut(self, buffer: bytearray) -> Iterator[Message]:
        """The complete messages at the front of the buffer, which are taken from it."""
        import json

        while (end := buffer.find(b"\n")) >= 0:
            line = buffer[:end].strip()
            del buffer[: end + 1]
            if line:
                yield json.loads(line)


class FramedMessagePack:
    """The length as four bytes, big-endian, and then one MessagePack map."""

    def encode(self, message: Message) -> bytes:
        payload: bytes = msgpack.packb(message)
        return len(payload).to_bytes(4, "big") + payload

    def cut(self, buffer: bytearray) -> Iterator[Message]:
        """The complete messages at the front of the buffer, which are taken from it."""
        while len(buffer) >= 4:
            end = 4 + int.from_bytes(buffer[:4], "big")
            if end > 4 + MOST_BYTES:
                raise ProtocolError(f"a message of {end - 4} bytes, but {MOST_BYTES} are the most")
            if len(buffer) < end:
                break
            payload = bytes(buffer[4:end])
            del buffer[:end]
            yield msgpack.unpackb(payload)


CODECS: dict[str, JsonLines | FramedMessagePack] = {"json": JsonLines(), "msgpack": FramedMessagePack()}


class Wire:
    """The way to the arena: the real stdin and stdout, and a codec."""

    def __init__(self, codec: str) -> None:
        self._codec = CODECS[codec]
        self._out = os.dup(1)
        os.dup2(2, 1)  # from here on whatever is printed, even by a library written in C, goes to stderr
        sys.stdout.flush()
        sys.stdout = sys.stderr

    def send(self, message: Message) -> None:
        frame = self._codec.encode(message)
        try:
            while frame:
                frame = frame[os.write(self._out, frame) :]
        except BrokenPipeError:
            sys.exit(0)  # the arena has hung up, which is not an error

    def batches(self) -> Iterator[list[Message]]:
        """The messages of the arena, those that came together in one list, until it hangs up."""
        buffer = bytearray()
        while piece := os.read(0, 1 << 16):
            buffer += piece
            yield list(self._codec.cut(buffer))
            if len(buffer) > MOST_BYTES + 4:
                raise ProtocolError(f"a message of more than {MOST_BYTES} bytes")


def run(
    name: str, version: str, games: list[str], player: Callable[[Message], Player], codec: str | None = None
) -> None:
    """Play all matches that the arena starts, each with a new player, until it says bye or hangs up."""
    _print_stacks()
    gc.freeze()  # what is imported is never garbage: looking through it would delay the end of the process
    wire = Wire(codec or os.environ.get("DINOBOT_CODEC") or ("msgpack" if msgpack else "json"))
    wire.send(hello(name, version, games))
    for batch in wire.batches():
        for message, following in zip_longest(batch, batch[1:]):
            match message["type"]:
                case "welcome":
                    _check(message)
                case "start":
                    current = player(message)
                    wire.send({"type": "ready"})
                case "decide" if following is None:  # whatever follows a question withdraws it
                    wire.send(move(message, current.decide(message)))
                case "decide" | "end":
                    pass
                case "bye":
                    return
                case unknown:
                    raise ProtocolError(f"an unknown message {unknown!r}")


def _print_stacks() -> None:
    """Print where Python is on stderr when it hangs and the arena sends SIGQUIT, and when a library crashes."""
    faulthandler.enable()
    if hasattr(faulthandler, "register"):
        faulthandler.register(SIGQUIT, all_threads=True)


def hello(name: str, version: str, games: list[str]) -> Message:
    """What the bot says first."""
    return {"type": "hello", "protocol": REVISION, "name": name, "version": version, "games": games}


def _check(welcome: Message) -> None:
    if welcome["protocol"] != REVISION:
        raise ProtocolError(f"the arena speaks revision {welcome['protocol']}, this bot {REVISION}")


def move(question: Message, answer: Answer) -> Message:
    """The answer to a question; a note is cut where the arena would."""
    action, note = answer if isinstance(answer, tuple) else (answer, "")
    if not isinstance(action, str):
        asked = " Is a `return` missing?" if action is None else ""
        raise TypeError(f"decide() answered {action!r:.60} instead of an action of question['legal'].{asked}")
    said = {"type": "move", "id": question["id"], "action": action}
    return {**said, "note": note[:MOST_NOTE]} if note else said
