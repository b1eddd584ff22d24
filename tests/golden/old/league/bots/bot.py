"""Plays the first, the middle or the last legal action; the middle one begins each match with an illegal answer."""

import json
import sys

HOW = sys.argv[1]


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def move(message):
    legal = message["legal"]
    if HOW == "middle" and message["id"] == 1:
        return "nonsense"
    return legal[{"first": 0, "middle": len(legal) // 2, "last": -1}[HOW]]


say({"type": "hello", "protocol": 1, "name": HOW, "version": "1", "games": ["draftosaurus"]})
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        say({"type": "ready"})
    elif message["type"] == "decide":
        say({"type": "move", "id": message["id"], "action": move(message)})
    elif message["type"] == "bye":
        break
