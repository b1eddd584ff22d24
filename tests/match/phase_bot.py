"""A bot that plays Dinodocus by seeded chance, except that it misbehaves in one way, at certain points of certain phases.

    python -I -S phase_bot.py [SEED] [FAULT] [AT] [GATE]

SEED is a number. FAULT is one of FAULTS. AT says when: with `offer:2,react:1` it misbehaves when it is asked for the second time in phase
`offer` and for the first time in phase `react`. GATE is a named pipe, out of which it takes a byte before each answer in
phase `offer`, and waits for it.

What it answers follows from its seed and the number of the question alone. It likes to change the dinosaurs of others,
so that they react, to make real ones, and to offer and to take cards, so that all phases come. It is a program of its
own: nothing but the standard library, and every byte it writes is made here.
"""

import json
import os
import random
import signal
import sys
import time

SEED, FAULT, AT, GATE = (sys.argv[1:] + ["0", "none", "", ""][len(sys.argv) - 1 :])[:4]
HELLO = {"type": "hello", "protocol": 1, "name": "phases", "version": "1", "games": ["dinodocus"]}
READY = {"type": "ready"}
EAGERNESS = {"discard": 0.3, "bonus": 0.7, "offer": 0.4, "answer": 0.3, "react": 0.7}
"""How likely it does something in phases in which one need not."""
NOTE = "to nobody else: " + "x" * 5000

asked: dict[str, int] = {}
"""How often, by phase."""
before: dict = {}
"""The answer to the question before."""
owed = b""
"""What is written before the next answer."""


# Bytes


def write(data):
    """All of it, whatever the pipe takes at a time."""
    while data:
        data = data[os.write(1, data) :]


def frame(message):
    return json.dumps(message).encode() + b"\n"


def forever():
    while True:
        time.sleep(60)


# The course of a match


def main():
    write(frame(HELLO))
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["type"] == "start":
            write(frame(READY))
        elif message["type"] == "decide":
            answer(message)
        elif message["type"] == "bye":
            return


def answer(message):
    global before, owed
    phase = message["phase"]
    asked[phase] = asked.get(phase, 0) + 1
    if GATE and phase == "offer":
        with open(GATE, "rb", buffering=0) as gate:
            gate.read(1)
    move = {"type": "move", "id": message["id"], "action": chosen(message)}
    debt, owed = owed, b""
    if f"{phase}:{asked[phase]}" in AT.split(","):
        os.write(2, f"{FAULT} in {phase}\n".encode())
        write(debt)
        FAULTS[FAULT](message, move)
    else:
        write(debt + frame(move))
    before = move


def chosen(message):
    """Seeded chance, with a liking."""
    dice = random.Random(f"{SEED}:{message['id']}")
    phase, view, legal = message["phase"], message["view"], message["legal"]
    if phase == "mutate":
        return chosen_mutation(view, legal, dice)
    if phase in EAGERNESS:
        *active, passive = legal
        return dice.choice(active) if active and dice.random() < EAGERNESS[phase] else passive
    return dice.choice(legal)


def chosen_mutation(view, legal, dice):
    dinos = {dino["id"]: dino for dino in view["dinos"]}
    real = [action for action in legal if is_real(view, dinos, action)]
    if real:
        return dice.choice(real)
    hatching = [action for action in legal if action.startswith("hatch")]
    if hatching and dice.random() < 0.6:
        return dice.choice(hatching)
    theirs = [
        action for action in legal if action.startswith("mod") and dinos[action.split(":")[1]]["owner"] != view["seat"]
    ]
    return dice.choice(theirs) if theirs and dice.random() < 0.6 else legal[-1]


def is_real(view, dinos, action):
    """Whether it makes a dinosaur whose cards share a number that they did not share before."""
    verb, _, rest = action.partition(":")
    if verb == "hatch":
        return bool(shared(view, rest.split(",")))
    if verb == "end":
        return False
    id_, card = rest.split(":")
    cards = dinos[id_]["cards"]
    return bool(shared(view, [card if old[0] == card[0] else old for old in cards]) - shared(view, cards))


def shared(view, cards):
    return set.intersection(*(set(view["cards"][card][3]) for card in cards))


# Ends of the process


def crash(_message, _move):
    os._exit(3)


def segfault(_message, _move):
    os.kill(os.getpid(), signal.SIGSEGV)


def half_and_leave(_message, move):
    write(frame(move)[:-9])
    os._exit(3)


# Silence


def hang(_message, _move):
    forever()


def close(_message, _move):
    os.close(1)
    forever()


def late(_message, move):
    """It is answered when the next one is."""
    global owed
    owed = frame(move)


def half(_message, move):
    """The second half of the answer comes with the next one."""
    global owed
    whole = frame(move)
    write(whole[:-9])
    owed = whole[-9:]


# Noise


def garbage(_message, move):
    write(b"\xc1\xff\x9f\x00\xfe garbage\n" + frame(move))


def thinking(_message, move):
    write(b"hm, " + move["action"].encode() + b"?\n" + frame(move))


def flood(_message, move):
    while True:
        write(frame({**move, "id": move["id"] - 1, "note": NOTE}))


def chatter(_message, move):
    """The answer to the question before once more, then the right one with a long note, and then that again."""
    write(frame(before) + frame({**move, "note": NOTE}) + frame(move))


# Mistakes


def changed(**changes):
    def fault(message, move):
        write(frame({**move, **{name: make(message) for name, make in changes.items()}}))

    return fault


def foreign_card(message):
    """The action of this phase with a card of somebody else's hand, if there is one known; else with any unseen one."""
    view = message["view"]
    mine, offered = view["hands"][view["seat"]], [offer["card"] for offer in view["offers"]]
    shown = [card for other, cards in enumerate(view["shown"]) if other != view["seat"] for card in cards]
    seen = {*mine, *offered, *(card for dino in view["dinos"] for card in dino["cards"])}
    seen |= {card for pile in view["discards"].values() for card in pile}
    foreign = [card for card in (*shown, *(card for card in view["cards"] if card not in seen)) if card not in offered]
    form = {
        "offer": "give:{}", "answer": "yes:{}", "react": "r:{}", "discard": "d:{}", "mutate": "mod:d{dino}:{}",
    }  # fmt: skip
    return form[message["phase"]].format(foreign[0], dino=view["dinos"][0]["id"][1:])


def impossible(message):
    """What the rules never allow: to draw too few, or anything with a dinosaur that does not exist."""
    view = message["view"]
    card = (view["hands"][view["seat"]] or ["H1"])[0]
    return {
        "draw": "stop", "mutate": f"mod:d999:{card}", "herb": "take:d999", "carn": "eat:d999:d1", "alloc": "give:d999",
    }[message["phase"]]  # fmt: skip


def other_phase(message):
    """An action of the phase that this one is easily mistaken for."""
    view = message["view"]
    card = (view["hands"][view["seat"]] or ["H1"])[0]
    return {
        "discard": "end", "draw": card, "mutate": "pass", "bonus": "pass", "offer": f"r:{card}", "answer": "pass",
        "react": f"give:{card}", "herb": "eat:d1:d2", "carn": "take:d1", "alloc": f"give:{card}",
    }[message["phase"]]  # fmt: skip


FAULTS = {
    "none": lambda _message, move: write(frame(move)),
    "crash": crash,
    "segfault": segfault,
    "half-and-leave": half_and_leave,
    "hang": hang,
    "close": close,
    "late": late,
    "half": half,
    "garbage": garbage,
    "thinking": thinking,
    "flood": flood,
    "chatter": chatter,
    "foreign-card": changed(action=foreign_card),
    "impossible": changed(action=impossible),
    "other-phase": changed(action=other_phase),
    "malformed": changed(action=lambda message: "give up"),
    "long-action": changed(action=lambda message: "give:" + "A05" * 5000),
    "future-id": changed(id=lambda message: message["id"] + 1),
}


if __name__ == "__main__":
    main()
