"""A bot in plain Python, without any library: says UNO, catches, then plays the card with the most copies of its colour.

python -m eval match "cmd:python3 examples/bots/shedder.py" random_play --deals 50
"""

import json
import sys


def read() -> dict:
    """The next message; ends the program when there is none."""
    line = sys.stdin.readline()
    if not line:
        sys.exit()
    return json.loads(line)


def say(**message: object) -> None:
    """Answer with one line."""
    print(json.dumps(message), flush=True)


def choose(question: dict, moves_by_side: dict) -> int:
    """The action for one decision."""
    by_move = dict(zip(question["moves"], question["legal"], strict=True))
    for word in ("uno", "catch"):
        if word in by_move:
            return by_move[word]
    # The observation's own_hand has an entry for each slot of the side in play; a slot's number is the action that plays it.
    hand = question["observation"]["own_hand"]
    moves = moves_by_side[("light", "dark", "classic")[question["observation"]["side"][0]]]
    colors = [moves[slot][0] for slot, is_held in enumerate(hand) if is_held]
    # Cards begin with the letter of their colour ('R7'), naming a colour ends with it ('→R').
    return max(by_move.items(), key=lambda move: colors.count(move[0].strip("→")[0]) if move[1] < 116 else -1)[1]


def main() -> None:
    """Answer the greeting, then every decision."""
    hello = read()
    say(protocol=1, name="shedder")
    while True:
        question = read()
        say(id=question["id"], action=choose(question, hello["moves"]))


if __name__ == "__main__":
    main()
