"""Counts of all sequences of decisions from a position, which depend on every rule and on the random stream.

`python -m tests.perft` prints the counts that tests/test_perft.py holds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.rulebook.position import position
from unoflip_env.engine import Engine
from unoflip_env.rules import PRESETS, Rules

SEED = 2026
MAX_COUNT = 1500
"""A position is counted to the first depth that has more sequences."""


def perft(engine: Engine, depth: int) -> int:
    """Sequences of so many legal decisions from the position of the engine's first game; what ends sooner does not count."""
    legal = np.flatnonzero(engine.legal_mask()[0])
    if depth == 1:
        return len(legal)
    before, count = engine.snapshot(), 0
    for action in legal:
        engine.step(np.array([action]))
        count += perft(engine, depth - 1)
        engine.restore(0, before)
    return count


def deal(preset: str) -> Engine:
    """The first round of a match of three, as it is dealt from SEED."""
    engine = Engine(preset, num_players=3, episode="match")
    engine.reset([SEED])
    return engine


def bluff() -> Engine:
    """A wild draw that may be a bluff, two cards left: colours, UNO windows, challenges."""
    hands = ["wild_draw_two, red 1", "wild_draw_two, blue 2, green 3", "red 4, yellow 5"]
    return position(PRESETS["official"], hands, top="red 9", seed=SEED).engine


def flip() -> Engine:
    """Flips on either side, a wild brought up by one."""
    hands = ["red flip / pink flip, red 2 / wild", "blue flip / orange 1, red 3 / purple 4"]
    return position(PRESETS["official"], hands, top="red 9 / wild", seed=SEED).engine


def last_cards() -> Engine:
    """One card each: the round is over within a circle, and the next one is dealt."""
    hands = ["red 1", "red 2", "blue 2"]
    return position(PRESETS["official_low"], hands, top="red 9", said_uno=[0], episode="match", seed=SEED).engine


def stack() -> Engine:
    """Draw cards on draw cards, of which pairs count double."""
    hands = ["red draw_one, blue draw_one, green 1", "yellow draw_one, wild", "green draw_one, red 1, red 2"]
    return position(PRESETS["berserker"], hands, top="red 9", seed=SEED).engine


def cut() -> Engine:
    """Two identical cards, and two seats that may cut in between."""
    hands = ["red 5, red 5, blue 5", "red 3, red skip", "red 4, green 5, blue reverse"]
    return position(PRESETS["stacking"], hands, top="red 9", seed=SEED).engine


def vote() -> Engine:
    """The last card of a round, proposals and votes, the next deal."""
    hands = ["red 1", "red 2, red 3"]
    return position(PRESETS["icebreaker"], hands, top="red 9", said_uno=[0], episode="match", seed=SEED).engine


def zeros() -> Engine:
    """The classic deck, its zeros swapping hands."""
    rules = PRESETS["classic"].replace(zero_role="swap")
    hands = ["red 0, blue 0, blue draw_two", "red 1, wild_draw_four", "blue 3, green 4, yellow 5"]
    return position(rules, hands, top="red 9", seed=SEED).engine


def dump() -> Engine:
    """The classic deck, its zeros dumping a colour."""
    rules = PRESETS["classic"].replace(zero_role="dump", hand=5)
    hands = ["red 0, blue 1, blue 2, green 3", "red 1, red 2"]
    return position(rules, hands, top="red 9", seed=SEED).engine


def teams() -> Engine:
    """Cards given to an opponent, and by a teammate instead of a drawn one."""
    rules = Rules(teams=2, teammate_gift=True, skip_role="give")
    hands = ["red skip, red 1", "blue 1, blue 2", "red 3, green 4, wild", "yellow 5, yellow 6"]
    return position(rules, hands, top="red 9", seed=SEED).engine


POSITIONS: dict[str, Callable[[], Engine]] = {
    **{preset: lambda preset=preset: deal(preset) for preset in PRESETS},  # type: ignore[misc]
    **{make.__name__: make for make in (bluff, flip, last_cards, stack, cut, vote, zeros, dump, teams)},
}
"""The deals of the presets, by their names, and positions made by hand."""


if __name__ == "__main__":
    for name, make in POSITIONS.items():
        engine, counts = make(), [0]
        while counts[-1] < MAX_COUNT and len(counts) < 9:
            counts.append(perft(engine, len(counts)))
        print(f'    "{name}": {tuple(counts[1:])},')
