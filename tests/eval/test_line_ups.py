from collections import Counter
from math import comb

import pytest

from eval.line_ups import in_orders, line_ups_of
from eval.match import MatchError


def test_head_to_head_is_one_table_of_all() -> None:
    assert line_ups_of("head-to-head", 3, 5) == [(0, 1, 2, 1, 2)]


def test_round_robin() -> None:
    assert line_ups_of("round-robin", 3, 2) == [(0, 1), (0, 2), (1, 2)]
    assert line_ups_of("round-robin", 2, 4) == [(0, 1, 1, 1), (1, 0, 0, 0)]


def test_a_ladder_is_climbed_by_each_agent_alone() -> None:
    assert line_ups_of("ladder", 4, 2, num_anchors=2) == [(0, 2), (0, 3), (1, 2), (1, 3)]
    assert line_ups_of("ladder", 2, 3, num_anchors=1) == [(0, 1, 1)]


def test_all_line_ups() -> None:
    line_ups = line_ups_of("line-ups", 5, 3)
    assert len(set(map(frozenset, line_ups))) == len(line_ups) == comb(5, 3)


def test_orders_of_a_line_up_stand_together() -> None:
    line_ups = line_ups_of("line-ups", 4, 3)
    assert in_orders(line_ups[:2], "all") == [(0, 1, 2), (0, 2, 1), (0, 1, 3), (0, 3, 1)]
    assert in_orders(line_ups, "rotations") == line_ups
    assert in_orders([(3, 1, 1)], "balanced") == [(3, 1, 1)]


@pytest.mark.parametrize(
    ("num_agents", "num_players", "sample"), [(7, 3, 20), (6, 4, 14), (12, 10, 30), (5, 2, 9), (10, 2, 44)]
)
def test_a_sample_is_balanced(num_agents: int, num_players: int, sample: int) -> None:
    line_ups = line_ups_of("line-ups", num_agents, num_players, sample=sample, seed=3)
    assert len(set(map(frozenset, line_ups))) == len(line_ups) == sample
    assert all(len(set(line_up)) == num_players for line_up in line_ups)
    counts = Counter(agent for line_up in line_ups for agent in line_up)
    assert max(counts.values()) - min(counts[i] for i in range(num_agents)) <= 1
    assert line_ups == line_ups_of("line-ups", num_agents, num_players, sample=sample, seed=3)
    assert line_ups != line_ups_of("line-ups", num_agents, num_players, sample=sample, seed=4)


@pytest.mark.parametrize(
    ("kind", "numbers", "options", "words"),
    [
        ("swiss", (4, 2), {}, "format='swiss': expected one of round-robin"),
        ("round-robin", (1, 2), {}, "agents: got 1, expected at least 2"),
        ("round-robin", (3, 11), {}, "players=11: expected 2 to 10"),
        ("head-to-head", (5, 4), {}, "players=4: expected 5"),
        ("line-ups", (3, 4), {}, "agents: got 3, expected at least 4"),
        ("line-ups", (4, 2), {"sample": 7}, "sample=7: expected 1 to 6"),
        ("line-ups", (6, 2), {"sample": 4}, "sample=4: leaves agents that never meet"),
        ("round-robin", (4, 2), {"sample": 2}, "sample=2: only the format line-ups"),
        ("ladder", (2, 2), {"num_anchors": 2}, "a ladder of 0 agents and 2 anchors"),
        ("ladder", (2, 2), {}, "a ladder of 2 agents and 0 anchors"),
    ],
)
def test_numbers_that_do_not_fit(kind, numbers, options, words: str) -> None:
    with pytest.raises(MatchError, match=words):
        line_ups_of(kind, *numbers, **options)
