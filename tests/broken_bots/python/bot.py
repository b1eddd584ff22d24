"""A bot that plays the first legal action, and has one defect: `python bot.py print-at-start`.

`Bot` is the correct player. Every class after it is named for a defect, and is that player with as little changed as the
defect needs. The file of the same name, `print-at-start.toml`, says what the defect is.
"""

import bisect
import importlib
import json
import os
import sys
import threading
import time
from collections import namedtuple
from contextlib import suppress

READY = {"type": "ready"}
ORDER = "TDCSGP"
"""The species, in the order in which the arena lists them."""


class Bot:
    codec = "json"
    revision = 1
    games = ("draftosaurus",)

    def run(self):
        self.prepare()
        self.say(self.hello())
        for message in self.messages():
            self.heard(message)
        self.hung_up()

    def heard(self, message):
        getattr(self, message["type"])(message)

    # What it says

    def hello(self):
        return {"type": "hello", "protocol": self.revision, "name": NAME, "version": "1", "games": self.games}

    def move(self, decide):
        return {"type": "move", "id": decide["id"], "action": self.action(decide)}

    def action(self, decide):
        return decide["legal"][0]

    def say(self, message):
        self.write(self.frame(message))

    def frame(self, message):
        if self.codec == "json":
            return json.dumps(message).encode() + b"\n"
        import msgpack

        payload = msgpack.packb(message)
        return self.length(payload) + payload

    def length(self, payload):
        return len(payload).to_bytes(4, "big")

    def write(self, data):
        while data:
            data = data[os.write(1, data) :]

    # What it hears

    def messages(self):
        buffer = bytearray()
        while piece := os.read(0, 1 << 16):
            buffer += piece
            while (end := self.end_of_frame(buffer)) > 0:
                yield self.decoded(bytes(buffer[:end]))
                del buffer[:end]

    def end_of_frame(self, buffer):
        if self.codec == "json":
            return buffer.find(b"\n") + 1
        end = 4 + int.from_bytes(buffer[:4], "big")
        return end if 4 < end <= len(buffer) else 0

    def decoded(self, frame):
        if self.codec == "json":
            return json.loads(frame)
        import msgpack

        return msgpack.unpackb(frame[4:])

    def prepare(self):
        pass

    def welcome(self, message):
        pass

    def start(self, _message):
        self.say(READY)

    def decide(self, message):
        self.say(self.move(message))

    def end(self, message):
        pass

    def bye(self, _message):
        sys.exit(0)

    def hung_up(self):
        pass


class Good(Bot):
    pass


# Bytes on stdout


class PrintAtStart(Bot):
    def prepare(self):
        self.write(b"pygame 2.5.2 (SDL 2.28.3, Python 3.11.7)\nHello from the pygame community.\n")


class LittleEndian(Bot):
    codec = "msgpack"

    def length(self, payload):
        return len(payload).to_bytes(4, "little")


class Unframed(Bot):
    codec = "msgpack"

    def length(self, _payload):
        return b""


class ByteOrderMark(Bot):
    def hello(self):
        self.write(b"\xef\xbb\xbf")
        return super().hello()


class EndlessNote(Bot):
    def move(self, decide):
        return {**super().move(decide), "note": "I looked at this, and at that. " * 50_000}


class NestedThoughts(Bot):
    def move(self, decide):
        line: list = []
        for _ in range(40):
            line = [line]
        return {**super().move(decide), "line": line}


# Fields and times of messages


class NoVersion(Bot):
    def hello(self):
        hello = super().hello()
        del hello["version"]
        return hello


class NextId(Bot):
    def move(self, decide):
        return {**super().move(decide), "id": decide["id"] + 1}


class ReadyTwice(Bot):
    def start(self, _message):
        self.write(2 * self.frame(READY))


class OtherRevision(Bot):
    revision = 2


class LowerCase(Bot):
    def action(self, decide):
        return decide["legal"][0].lower()


class OwnIds(Bot):
    asked = 0

    def move(self, decide):
        self.asked += 1
        return {**super().move(decide), "id": self.asked}


# The process and its time


class MissingModule(Bot):
    def prepare(self):
        importlib.import_module("numpy_of_my_laptop")


class WaitsForWelcome(Bot):
    def run(self):
        os.read(0, 1)


class ForgetsReady(Bot):
    def start(self, message):
        pass


class CrashesWithFive(Bot):
    seats = 2

    def start(self, message):
        self.seats = message["seats"]
        super().start(message)

    def action(self, decide):
        weight = {2: 0.5, 3: 0.3, 4: 0.2}[self.seats]
        return decide["legal"][int(weight)]


class Deadlock(Bot):
    asked = 0
    lock = threading.Lock()

    def decide(self, message):
        self.asked += 1
        self.lock.acquire()
        super().decide(message)
        if self.asked != 3:
            self.lock.release()


class UsesAllTime(Bot):
    def decide(self, message):
        time.sleep(sum(message["clock"][key] for key in ("bank_ms", "increment_ms")) / 1000 + 0.1)
        super().decide(message)


# Reading


class ReadIsMessage(Bot):
    def messages(self):
        while data := os.read(0, 1 << 16):
            yield json.loads(data)


Question = namedtuple("Question", "type id phase view legal events clock last", defaults=[None])


class StrictFields(Bot):
    def decide(self, message):
        super().decide(Question(**message)._asdict())


class NullLast(Bot):
    def decide(self, message):
        if "last" in message and message["last"]["status"] != "accepted":
            os.write(2, b"that was wrong\n")
        super().decide(message)


# Choosing


class Bisects(Bot):
    def action(self, decide):
        def rank(action):
            return ORDER.index(action[0])

        if decide["phase"] != "pick":
            return super().action(decide)
        wanted = max(map(rank, decide["legal"]))
        return decide["legal"][bisect.bisect_left(decide["legal"], wanted, key=rank)]


class NeverWrong(Bot):
    def decide(self, message):
        assert message.get("last") is None or message["last"]["status"] == "accepted"
        super().decide(message)


# Several matches


class ExitsAfterEnd(Bot):
    def end(self, _message):
        sys.exit(0)


class SeatOfTheFirst(Bot):
    seat = None

    def start(self, message):
        self.seat = message["seat"] if self.seat is None else self.seat
        super().start(message)

    def action(self, decide):
        hand = decide["view"]["hands"][self.seat] if decide["phase"] == "pick" else "?"
        return min(hand) if min(hand) in decide["legal"] else super().action(decide)


class OneStreamOfDice(Bot):
    dice = None

    def prepare(self):
        self.random = importlib.import_module("random")

    def start(self, message):
        self.dice = self.dice or self.random.Random(message["bot_seed"])
        super().start(message)

    def action(self, decide):
        return self.dice.choice(decide["legal"])


class TooLarge(Bot):
    def prepare(self):
        self.table = b"x" * (80 << 20)


# Leaving


class LeavesDaemon(Bot):
    def prepare(self):
        with suppress(OSError):  # not in a sandbox
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    os.closerange(0, 3)
                    time.sleep(600)
                os._exit(0)


# The sandbox


class LogsInItsFolder(Bot):
    def start(self, message):
        with open("bot.log", "a") as log:
            log.write(f"{message['match']}\n")
        super().start(message)


class LooksIntoHome(Bot):
    def prepare(self):
        os.listdir("/home")


# Warnings


class OtherName(Bot):
    def hello(self):
        return {**super().hello(), "name": "the-sdk-example"}


class OtherGames(Bot):
    pass  # its file lists another game too


class TalksOnStderr(Bot):
    def decide(self, message):
        os.write(2, b"depth 7, 123456 nodes, and all of them are worth a line\n" * 1_000)
        super().decide(message)


class LoadsSlowly(Bot):
    def prepare(self):
        time.sleep(1.6)


if __name__ == "__main__":
    NAME = sys.argv[1]
    globals()[NAME.title().replace("-", "")]().run()
