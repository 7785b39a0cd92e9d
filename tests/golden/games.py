"""Which games are recorded, and who plays them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from eval.record import play_game
from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.deck import NUM_CARDS
from unoflip_env.engine import Episode
from unoflip_env.observation import ObservationLayout
from unoflip_env.records import GameRecord, Recorder
from unoflip_env.rules import PRESETS

FOLDER = Path(__file__).parent


class Lively:
    """Plays a card at random five times out of six where it can, else does anything legal: it bluffs, keeps, cuts, forgets.

    It never changes, unlike the agents that people train and tune, and so neither do the games.
    """

    name = "lively"

    def __init__(self, layout: ObservationLayout) -> None:
        self.layout = layout

    def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        return np.array([self._choose(mask, float(uniform)) for mask, uniform in zip(legal_mask, uniforms, strict=True)])

    @staticmethod
    def _choose(mask: np.ndarray, uniform: float) -> int:
        left = uniform * 6 % 1  # the first sixth decides whether to play a card, what is left of the number which
        wanted = slice(NUM_CARDS) if uniform >= 1 / 6 and mask[:NUM_CARDS].any() else slice(NUM_ACTIONS)
        legal = np.flatnonzero(mask[wanted])
        return int(legal[int(left * len(legal))])


class Table(NamedTuple):
    """One game to record."""

    players: int
    seed: int
    episode: Episode = "round"
    options: Mapping[str, Any] = MappingProxyType({})
    """Over the preset."""


_SHORT = {"target": 60}
TABLES: dict[str, tuple[Table, ...]] = {
    "official": (Table(2, 159), Table(4, 46), Table(3, 145, "match", _SHORT)),
    "official_low": (Table(2, 159), Table(5, 11), Table(3, 92, "match", _SHORT)),
    "classic": (Table(2, 177), Table(5, 119), Table(3, 3, "match", _SHORT)),
    "casual": (Table(2, 147), Table(6, 21), Table(3, 58, "match", _SHORT)),
    "stacking": (Table(2, 6), Table(4, 67), Table(3, 22, "match", _SHORT)),
    "icebreaker": (Table(2, 102), Table(4, 66), Table(3, 49, "match", _SHORT)),
    "berserker": (Table(2, 217), Table(4, 1), Table(3, 120, "match", _SHORT)),
    "variants": (
        Table(4, 92, options={"teams": 2, "teammate_gift": True, "skip_role": "give", "hand": 4}),
        Table(3, 180, options={"deck": "classic", "zero_role": "swap", "draw_count": "until_playable", "hand": 5}),
        Table(2, 46, options={"deck": "classic", "zero_role": "dump", "illegal": "penalty", "hand": 6}),
        Table(
            3,
            153,
            options={
                "pairing": "printed",
                "initial_direction": -1,
                "start_flip": "flip",
                "skip_role": "all_draw",
                "hand": 5,
                "double": "same_symbol",
                "cut": "next",
                "max_turns": 25,
                "timeout_winner": "fewest_points",
            },
        ),
        Table(3, 182, options={"hand": 36, "max_turns": 15}),
    ),
}
"""By preset; `variants` are options over `official`. The seeds are those of short games in which much happens."""


def record_table(name: str, table: Table, number: int = 1, of: int = 1) -> GameRecord:
    """Play one game and record it."""
    rules = PRESETS.get(name, PRESETS["official"]).replace(**table.options)
    recorder = Recorder(rules, table.players, table.episode, table.seed)
    play_game(recorder, [Lively(recorder.engine.layout)] * table.players, np.array([table.seed], np.uint64))
    return recorder.record([Lively.name] * table.players, number, of)


def record_tables(name: str) -> Iterator[GameRecord]:
    """The games of one file."""
    for number, table in enumerate(TABLES[name], start=1):
        yield record_table(name, table, number, len(TABLES[name]))
