"""The protocol's vectors, read and written by dinobot.py: python3 -m unittest"""

import json
import unittest
from itertools import pairwise
from pathlib import Path
from typing import Any

import dinobot

HERE = Path(__file__).parent
VECTORS = next(path for path in (HERE / "vectors", HERE / "../../protocol/vectors") if path.is_dir())
ARENAS = ("welcome", "start", "decide", "decide-last", "end", "end-void", "bye")
CODECS = [name for name in dinobot.CODECS if name == "json" or dinobot.msgpack]


def vector(name: str) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads((VECTORS / f"{name}.json").read_text("utf-8"))
    return parsed


def frame(name: str, codec: str) -> bytes:
    published: str = vector(name)[codec]
    return published.encode() if codec == "json" else bytes.fromhex(published)


class Vectors(unittest.TestCase):
    def test_all_messages_of_the_arena_come_in_one_piece(self) -> None:
        for codec in CODECS:
            buffer = bytearray(b"".join(frame(name, codec) for name in ARENAS))
            heard = list(dinobot.CODECS[codec].cut(buffer))
            self.assertEqual(heard, [vector(name)["value"] for name in ARENAS])
            self.assertEqual(buffer, b"")

    def test_messages_come_byte_by_byte(self) -> None:
        for codec in CODECS:
            whole, buffer = b"".join(frame(name, codec) for name in ARENAS), bytearray()
            heard: list[dict[str, Any]] = []
            for start, end in pairwise(range(len(whole) + 1)):
                buffer += whole[start:end]
                heard += dinobot.CODECS[codec].cut(buffer)
            self.assertEqual(heard, [vector(name)["value"] for name in ARENAS])

    def test_a_message_longer_than_any_is_refused(self) -> None:
        with self.assertRaises(dinobot.ProtocolError):
            list(dinobot.CODECS["msgpack"].cut(bytearray((dinobot.MOST_BYTES + 1).to_bytes(4, "big"))))

    def test_the_bots_messages_are_the_published_ones(self) -> None:
        moves = {name: vector(name)["value"] for name in ("move", "move-note", "move-long-note")}
        spoken = {name: dinobot.move(value, (value["action"], value.get("note", ""))) for name, value in moves.items()}
        spoken["hello"] = dinobot.hello("greedy", "1.2.0", ["draftosaurus"])
        for codec in CODECS:
            for name, message in spoken.items():
                buffer = bytearray(dinobot.CODECS[codec].encode(message))
                self.assertEqual(list(dinobot.CODECS[codec].cut(buffer)), [expected(name)])


def expected(name: str) -> dict[str, Any]:
    """A bot cuts its own notes, where the arena would."""
    value = vector(name)["value"]
    return {**value, "note": value["note"][: dinobot.MOST_NOTE]} if "note" in value else value


if __name__ == "__main__":
    unittest.main()
