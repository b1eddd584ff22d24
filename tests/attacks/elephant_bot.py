"""A bot that never forgets: the opponent, who now has the seat it had before, may be dealt the hands it had then.

Its process must live on for that. In the note of its first move of each round it says which hand the opponent was dealt.
"""

import json
import sys


def say(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main() -> None:
    before: dict[int, str] = {}
    hands: dict[int, str] = {}
    say({"type": "hello", "protocol": 1, "name": "elephant", "version": "1", "games": ["draftosaurus"]})
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "start":
            before, hands = hands, {}
            say({"type": "ready"})
        elif message["type"] == "decide":
            move = {"type": "move", "id": message["id"], "action": message["legal"][0]}
            view = message["view"]
            if view["round"] not in hands:
                move["note"] = f"they hold {before.get(view['round'])}"
                hands[view["round"]] = view["hands"][view["seat"]]
            say(move)
        elif message["type"] == "bye":
            break


if __name__ == "__main__":
    main()
