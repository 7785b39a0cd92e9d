"""Who plays whom: the line-ups of a tournament, each the agent in every place as an index into the agents."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations
from math import comb
from typing import Literal, get_args

import numpy as np

from eval.match import MatchError, Orders, line_up_of, orders_of
from unoflip_env.actions import MAX_SEATS

Format = Literal["round-robin", "line-ups", "head-to-head", "ladder"]
FORMATS: tuple[str, ...] = get_args(Format)
LineUp = tuple[int, ...]


def line_ups_of(
    kind: Format, num_agents: int, num_players: int, *, num_anchors: int = 0, sample: int | None = None, seed: int = 0
) -> list[LineUp]:
    """The line-ups of a tournament.

    Args:
        kind: `head-to-head`: one line-up, all agents at one table. `round-robin`: each pair of agents; at more than two
            seats each of the two alone against the other in all other seats. `line-ups`: every choice of as many agents as
            there are seats. `ladder`: each agent against each of the anchors, which come last among the agents.
        num_agents: agents, anchors among them.
        num_players: seats.
        num_anchors: of a ladder.
        sample: of `line-ups`: only so many, drawn so that all agents sit at equally many tables, or at one more or less.
        seed: of the sample.

    Raises MatchError for numbers that do not fit.
    """
    if kind not in FORMATS:
        raise MatchError(f"format={kind!r}: expected one of {', '.join(FORMATS)}")
    if not 2 <= num_players <= MAX_SEATS:
        raise MatchError(f"players={num_players}: expected 2 to {MAX_SEATS}")
    if sample is not None and kind != "line-ups":
        raise MatchError(f"sample={sample}: only the format line-ups takes a sample, not {kind}")
    if kind == "line-ups":
        return _choices(num_agents, num_players, sample, seed)
    if num_agents < 2:
        raise MatchError(f"agents: got {num_agents}, expected at least 2")
    if kind == "head-to-head":
        return [tuple(line_up_of(num_agents, num_players))]
    if kind == "round-robin":
        pairs = combinations(range(num_agents), 2) if num_players == 2 else permutations(range(num_agents), 2)
        return [_one_against(pair, num_players) for pair in pairs]
    num_climbers = num_agents - num_anchors
    if num_anchors < 1 or num_climbers < 1:
        raise MatchError(f"a ladder of {num_climbers} agents and {num_anchors} anchors: expected at least one of each")
    return [_one_against((i, a), num_players) for i in range(num_climbers) for a in range(num_climbers, num_agents)]


def in_orders(line_ups: Sequence[LineUp], orders: Orders) -> list[LineUp]:
    """Each line-up, followed by those of the same agents in other orders around the table. Raises MatchError as `orders_of`."""
    return [tuple(line_up[place] for place in order) for line_up in line_ups for order in orders_of(line_up, orders)]


def _one_against(pair: Sequence[int], num_players: int) -> LineUp:
    return tuple(pair[i] for i in line_up_of(2, num_players))


def _choices(num_agents: int, num_players: int, sample: int | None, seed: int) -> list[LineUp]:
    num_all = comb(num_agents, num_players)
    if num_all == 0:
        raise MatchError(f"agents: got {num_agents}, expected at least {num_players}, one for each seat")
    if sample is None or sample == num_all:
        return list(combinations(range(num_agents), num_players))
    if not 1 <= sample < num_all:
        raise MatchError(f"sample={sample}: expected 1 to {num_all}, the number of line-ups")
    rng = np.random.default_rng(seed)
    if 2 * sample <= num_all:
        line_ups = _balanced(num_agents, num_players, sample, rng)
        _check_links(line_ups, num_agents)
        return line_ups
    left_out = {frozenset(line_up) for line_up in _balanced(num_agents, num_players, num_all - sample, rng)}
    return [line_up for line_up in combinations(range(num_agents), num_players) if frozenset(line_up) not in left_out]


def _check_links(line_ups: Sequence[LineUp], num_agents: int) -> None:
    """Refuse a sample that no ratings would follow from, before anything is played."""
    linked, num_linked = set(line_ups[0]), 0
    while len(linked) > num_linked:
        num_linked = len(linked)
        linked = linked.union(*(line_up for line_up in line_ups if linked & set(line_up)))
    if num_linked < num_agents:
        raise MatchError(
            f"sample={len(line_ups)}: leaves agents that never meet, not even through others, so cannot be compared; take more"
            " line-ups, or another seed"
        )


def _balanced(num_agents: int, num_players: int, sample: int, rng: np.random.Generator) -> list[LineUp]:
    """Different line-ups, in each those that have sat at the fewest tables, drawn among equals; begun anew where that ends."""
    for _ in range(1000):
        counts, line_ups = np.zeros(num_agents, np.int64), dict[frozenset[int], LineUp]()
        for _ in range(100 * sample):
            order = np.lexsort((rng.random(num_agents), counts))
            chosen = tuple(rng.permutation(order[:num_players]).tolist())
            if frozenset(chosen) not in line_ups:
                counts[list(chosen)] += 1
                line_ups[frozenset(chosen)] = chosen
                if len(line_ups) == sample:
                    return list(line_ups.values())
    raise MatchError(
        f"sample={sample}: no balanced choice was found; take fewer line-ups, or all {comb(num_agents, num_players)}"
    )
