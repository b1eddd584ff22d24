"""A bot that plays any game at random, by JSON lines and with nothing but the standard library.

    python any_game_bot.py GAME [N]

GAME is what it says in `hello` that it plays. Asked for the N-th time in a match, it crashes.
"""

import json
import random
import sys


def say(**message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main(game, crash_at=0):
    say(type="hello", protocol=1, name="any game", version="1.0", games=[game])
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "start":
            chance, asked = random.Random(message["bot_seed"]), 0
            say(type="ready")
        elif message["type"] == "decide":
            asked += 1
            if asked == crash_at:
                sys.exit("I give up")
            say(type="move", id=message["id"], action=chance.choice(message["legal"]))
        elif message["type"] == "bye":
            return


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
