"""A bot that plays the first legal action, until it does what its argument says: `python bot.py WHAT [AFTER]`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path


def say(**message: object) -> None:
    print(json.dumps(message), flush=True)


def answer(question: dict, action: float) -> None:
    say(id=question["id"], action=action)


def crash(question: dict) -> None:
    raise RuntimeError("a bug in the bot")


def illegal(question: dict) -> None:
    answer(question, next(action for action in range(200) if action not in question["legal"]))


def broken_text(question: dict) -> None:
    sys.stdout.buffer.write(b"\xff\xfe{}\n")
    sys.stdout.flush()


def flood(question: dict) -> None:
    while True:
        sys.stdout.write("x" * 10_000)


def log(question: dict) -> None:
    while True:
        sys.stderr.write("x" * 1_000_000)


def memory(question: dict) -> None:
    hoard = [bytearray(10_000_000) for _ in range(100)]
    answer(question, len(hoard))


def child(question: dict) -> None:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], stdout=subprocess.DEVNULL)
    sys.exit(f"child {process.pid}")


def sleepy(question: dict) -> None:
    time.sleep(0.01)
    answer(question, question["legal"][0])


def late(question: dict) -> None:
    time.sleep(4.5)
    answer(question, question["legal"][0])


DEEDS = {
    "crash": crash,
    "exit": lambda question: sys.exit(3),
    "red": lambda question: sys.exit("\x1b[31mred letters\a"),
    "kill": lambda question: os.kill(os.getpid(), 9),
    "hang": lambda question: time.sleep(60),
    "illegal": illegal,
    "range": lambda question: answer(question, 10**6),
    "nonsense": lambda question: print("I play red 7", flush=True),
    "deep": lambda question: print("[" * 60_000, flush=True),
    "broken_text": broken_text,
    "float": lambda question: answer(question, float(question["legal"][0])),
    "old": lambda question: say(id=question["id"] - 1, action=question["legal"][0]),
    "flood": flood,
    "log": log,
    "memory": memory,
    "child": child,
    "sleepy": sleepy,
    "late": late,
}


def start_seldom(log: Path, number: int) -> None:
    """Note each start, and fail at all of them after `number`."""
    with log.open("a") as notes:
        notes.write("start\n")
    if len(log.read_text().split()) > number:
        sys.exit("no licence today")


def main() -> None:
    what, after = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
    hello = json.loads(sys.stdin.readline())
    if what == "seldom":
        start_seldom(Path(sys.argv[3]), after)
    asked = {"information": "open"} if what == "peek" else {}
    say(protocol=2 if what == "protocol" else hello["protocol"], name=what, **asked)
    for number, line in enumerate(sys.stdin):
        question = json.loads(line)
        if what in DEEDS and number >= after:
            DEEDS[what](question)
        else:
            answer(question, question["legal"][0])


if __name__ == "__main__":
    main()
