"""The engine comes to the counts that it came to when both engines agreed on all rules."""

from __future__ import annotations

import pytest

from tests.perft import POSITIONS, SEED, perft
from tests.reference.game import ReferenceGame
from unoflip_env.engine import Engine
from unoflip_env.rules import PRESETS

COUNTS = {
    "official": (5, 14, 50, 130, 361, 1024, 2975),
    "official_low": (5, 14, 50, 130, 361, 1024, 2975),
    "classic": (4, 11, 33, 90, 266, 807, 2400),
    "casual": (4, 9, 32, 63, 149, 338, 743, 1586),
    "stacking": (5, 13, 34, 93, 252, 648, 1766),
    "icebreaker": (5, 13, 34, 99, 259, 740, 1992),
    "berserker": (5, 16, 56, 172, 651, 2249),
    "bluff": (4, 11, 24, 56, 130, 290, 708, 1627),
    "flip": (4, 9, 26, 60, 136, 368, 889, 1915),
    "last_cards": (2, 4, 8, 22, 51, 141, 437, 1427),
    "stack": (3, 6, 16, 47, 119, 289, 697, 1618),
    "cut": (4, 12, 35, 101, 254, 611, 1477, 3529),
    "vote": (2, 15, 32, 68, 171, 573, 1893),
    "zeros": (2, 4, 15, 39, 72, 135, 260, 512),
    "dump": (3, 9, 30, 88, 239, 674, 1836),
    "teams": (4, 10, 22, 45, 109, 298, 731, 1736),
}
"""By position: sequences of 1, 2, 3, … decisions."""


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name: str) -> None:
    engine = POSITIONS[name]()
    before = engine.snapshot()
    assert [perft(engine, depth) for depth in range(1, len(COUNTS[name]) + 1)] == list(COUNTS[name])
    assert engine.snapshot() == before


def reference_perft(preset: str, actions: list[int], depth: int) -> int:
    """The same after these actions, by the second engine, which plays every sequence from the deal."""
    game = ReferenceGame(PRESETS[preset], 3, SEED, "match")
    for action in actions:
        game.step(action)
    legal = sorted(game.legal())
    return len(legal) if depth == 1 else sum(reference_perft(preset, [*actions, action], depth - 1) for action in legal)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_second_engine_comes_to_the_same_counts(preset: str) -> None:
    assert tuple(reference_perft(preset, [], depth) for depth in range(1, 6)) == COUNTS[preset][:5]


def test_every_preset_and_position_is_counted() -> None:
    assert list(COUNTS) == list(POSITIONS)
    assert set(PRESETS) < set(COUNTS)


def test_a_game_that_is_over_has_no_sequences() -> None:
    engine = Engine(PRESETS["official"].replace(max_turns=1), num_players=2, seed=1)
    depths = [perft(engine, depth) for depth in range(1, 8)]
    assert depths[0] > 1
    assert depths[-1] == 0
