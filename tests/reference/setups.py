"""Random rule sets and tables to play the two engines on: every pair of option values stands together in one of them."""

from __future__ import annotations

import random
from dataclasses import dataclass, fields
from itertools import combinations
from typing import Any, Literal

from unoflip_env.rules import Rules, allowed_values

TABLE, LAST, FULL = "table", "last", "full"
"""A pairing of one's own; the last seat; the largest hand that leaves a card to turn up, so that piles run dry."""

VALUES: dict[str, tuple[Any, ...]] = {
    **{option.name: allowed_values(option.name) for option in fields(Rules)},
    "pairing": ("shuffled", "printed", TABLE),
    "dealer": ("random", 0, LAST),
    "hand": (1, 2, 3, 7, 10, FULL),
    "max_turns": (0, 10, 60),
    "target": (1, 60, 500),
    "own_backs": (True, False),
    "num_seats": tuple(range(2, 11)),
    "episode": ("round", "match"),
    "policy": ("uniform", "plays", "draws"),
}
"""The values of each option of the rules, and of the table, that are combined."""

Pair = tuple[tuple[str, Any], tuple[str, Any]]
_ORDER = {name: place for place, name in enumerate(VALUES)}
_FORBIDDEN = (("information", "open"), ("own_backs", False))


@dataclass(frozen=True)
class Setup:
    """What a batch of games is played with."""

    rules: Rules
    num_seats: int
    episode: Literal["round", "match"]
    policy: str


def all_pairs() -> set[Pair]:
    """Every pair of values of two different options that the rules allow together."""
    names = combinations(VALUES, 2)
    pairs = {((one, a), (two, b)) for one, two in names for a in VALUES[one] for b in VALUES[two]}
    return pairs - {_FORBIDDEN}


def row_pairs(row: dict[str, Any]) -> set[Pair]:
    """The pairs that stand together in a row: a value for each option."""
    return set(combinations(sorted(row.items(), key=lambda item: _ORDER[item[0]]), 2))


def draw_rows(rng: random.Random) -> list[dict[str, Any]]:
    """Rows that hold every pair, each filled greedily from a pair not yet held (after AETG, Cohen et al. 1997)."""
    missing = all_pairs()
    rows = []
    while missing:
        row = dict(rng.choice(sorted(missing, key=repr)))
        for name in rng.sample(sorted(VALUES), len(VALUES)):
            if name not in row:
                row[name] = max(_allowed(row, name, rng), key=lambda value: _num_new({**row, name: value}, missing))
        missing -= row_pairs(row)
        rows.append(row)
    return rows


def _allowed(row: dict[str, Any], name: str, rng: random.Random) -> list[Any]:
    """The values that an option can still take, in random order."""
    values = rng.sample(VALUES[name], len(VALUES[name]))
    return [value for value in values if _FORBIDDEN not in row_pairs({**row, name: value})]


def _num_new(row: dict[str, Any], missing: set[Pair]) -> int:
    return len(row_pairs(row) & missing)


def make_setup(row: dict[str, Any], rng: random.Random) -> Setup:
    """The rules and the table that a row stands for."""
    options = dict(row)
    num_seats, episode, policy = (options.pop(name) for name in ("num_seats", "episode", "policy"))
    if options["pairing"] == TABLE:
        options["pairing"] = tuple(rng.sample(range(112), 112))
    if options["dealer"] == LAST:
        options["dealer"] = num_seats - 1
    if options["hand"] == FULL:
        options["hand"] = 111 // num_seats
    return Setup(Rules(**options), num_seats, episode, policy)


def draw_setups(seed: int) -> list[Setup]:
    """Setups in which every pair of values occurs."""
    rng = random.Random(seed)
    return [make_setup(row, rng) for row in draw_rows(rng)]
