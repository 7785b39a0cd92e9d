"""Random rule sets and tables to play the two engines on: every pair of option values stands together in one of them."""

from __future__ import annotations

import random
from dataclasses import dataclass, fields
from itertools import combinations, product
from typing import Any, Literal

from unoflip_env.rules import PRESETS, STACK_KINDS, Rules, allowed_values

TABLE, LAST, FULL, ALL = "table", "last", "full", "all"
"""A pairing of one's own; the last seat; the largest hand that leaves a card to turn up, so that piles run dry; all kinds."""
NUM_RANDOM = 300
"""The fewest random setups in one set."""

SEATS = tuple(range(2, 11))
POLICIES = ("uniform", "plays", "draws", "pairs")
VALUES: dict[str, tuple[Any, ...]] = {
    **{option.name: allowed_values(option.name) for option in fields(Rules)},
    "pairing": ("shuffled", "printed", TABLE),
    "dealer": ("random", 0, LAST),
    "hand": (1, 2, 3, 7, 10, FULL),
    "max_turns": (0, 10, 60),
    "stack": ((), *((kind,) for kinds in STACK_KINDS.values() for kind in kinds), ALL),
    "target": (1, 60, 500),
    "teams": (0, *SEATS),
    "accumulate": (False, True),
    "rule_vote": (False, True),
    "teammate_gift": (False, True),
    "own_backs": (True, False),
    "num_seats": SEATS,
    "episode": ("round", "match"),
    "policy": POLICIES,
}
"""The values of each option of the rules, and of the table, that are combined."""

Pair = tuple[tuple[str, Any], tuple[str, Any]]
_ORDER = {name: place for place, name in enumerate(VALUES)}
_ONE_SIDED = {"pairing": "shuffled", "start_flip": "redraw", "score_side": "in_play", "own_backs": True}


@dataclass(frozen=True)
class Setup:
    """What a batch of games is played with."""

    rules: Rules
    num_seats: int
    episode: Literal["round", "match"]
    policy: str


def is_possible(row: dict[str, Any]) -> bool:
    """Whether the values can stand together; where the deck or the teams are open, with one choice of them at least."""
    choices = [[row[name]] if name in row else VALUES[name] for name in ("deck", "teams")]
    return any(_is_valid({**row, "deck": deck, "teams": teams}) for deck, teams in product(*choices))


def _is_valid(row: dict[str, Any]) -> bool:
    """Whether nothing in a row with deck and teams contradicts another value; what the row lacks is as by default."""
    if row["deck"] == "classic":
        fits_deck = all(row.get(name, only) == only for name, only in _ONE_SIDED.items())
    else:
        fits_deck = row.get("zero_role", "none") == "none"
    stack = row.get("stack", ())
    fits_deck &= stack == ALL or set(stack) <= set(STACK_KINDS[row["deck"]])
    is_seen = row.get("own_backs", True) or row.get("information") != "open"
    has_mates = row["teams"] > 0 or not row.get("teammate_gift", False)
    return fits_deck and is_seen and has_mates and (not row["teams"] or row.get("num_seats", row["teams"]) % row["teams"] == 0)


def all_pairs() -> set[Pair]:
    """Every pair of values of two different options that the rules allow together."""
    return {pair for pair in _every_pair() if is_possible(dict(pair))}


def forbidden_pairs() -> set[Pair]:
    """Every other pair of values of two different options."""
    return {pair for pair in _every_pair() if not is_possible(dict(pair))}


def _every_pair() -> set[Pair]:
    names = combinations(VALUES, 2)
    return {((one, a), (two, b)) for one, two in names for a in VALUES[one] for b in VALUES[two]}


def row_pairs(row: dict[str, Any]) -> set[Pair]:
    """The pairs that stand together in a row: a value for each option."""
    return set(combinations(sorted(row.items(), key=lambda item: _ORDER[item[0]]), 2))


def draw_rows(rng: random.Random) -> list[dict[str, Any]]:
    """Rows that hold every pair, each filled greedily from a pair not yet held (after AETG, Cohen et al. 1997).

    Once all are held it begins anew, until there are NUM_RANDOM rows.
    """
    rows: list[dict[str, Any]] = []
    pairs = sorted(all_pairs(), key=repr)
    missing = set(pairs)
    while missing or len(rows) < NUM_RANDOM:
        missing = missing or set(pairs)
        row = dict(rng.choice([pair for pair in pairs if pair in missing]))
        for name in rng.sample(sorted(VALUES), len(VALUES)):
            if name not in row:
                row[name] = max(_allowed(row, name, rng), key=lambda value: _num_new(row, (name, value), missing))
        missing -= row_pairs(row)
        rows.append(row)
    return rows


def _allowed(row: dict[str, Any], name: str, rng: random.Random) -> list[Any]:
    """The values that an option can still take, in random order."""
    values = rng.sample(VALUES[name], len(VALUES[name]))
    return [value for value in values if is_possible({**row, name: value})]


def _num_new(row: dict[str, Any], item: tuple[str, Any], missing: set[Pair]) -> int:
    """How many of the missing pairs an item would add to a row."""
    pairs = [(item, other) if _ORDER[item[0]] < _ORDER[other[0]] else (other, item) for other in row.items()]
    return sum(pair in missing for pair in pairs)


def make_setup(row: dict[str, Any], rng: random.Random) -> Setup:
    """The rules and the table that a row stands for."""
    options = dict(row)
    num_seats, episode, policy = (options.pop(name) for name in ("num_seats", "episode", "policy"))
    if options["pairing"] == TABLE:
        options["pairing"] = tuple(rng.sample(range(112), 112))
    if options["dealer"] == LAST:
        options["dealer"] = num_seats - 1
    if options["stack"] == ALL:
        options["stack"] = STACK_KINDS[options["deck"]]
    if options["hand"] == FULL:
        options["hand"] = (Rules(deck=options["deck"]).num_cards - 1) // num_seats
    return Setup(Rules(**options), num_seats, episode, policy)


def preset_setups() -> list[Setup]:
    """Each preset at every size of table, a round and a match."""
    episodes: tuple[Literal["round", "match"], ...] = ("round", "match")
    tables = product(PRESETS.values(), SEATS, episodes)
    return [Setup(*table, POLICIES[place % len(POLICIES)]) for place, table in enumerate(tables)]


def draw_setups(seed: int) -> list[Setup]:
    """Random setups in which every pair of values occurs, and the presets."""
    rng = random.Random(seed)
    return [make_setup(row, rng) for row in draw_rows(rng)] + preset_setups()
