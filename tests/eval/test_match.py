import json
from collections import Counter
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from agents.baselines import Baseline
from eval.console import print_match
from eval.match import Match, MatchError, MatchResult, line_up_of, name_rules, orders_of
from eval.play import DuplicateDeals
from tests.eval.own_agents import Wrapped
from unoflip_env.observation import observation_layout
from unoflip_env.rules import PRESETS, Rules, RulesError

OFFICIAL = PRESETS["official"]


def play(names: str, num_players: int, num_deals: int, rules: Rules = OFFICIAL, seed: int = 0) -> MatchResult:
    agents = [Baseline(name, observation_layout(num_players)) for name in names.split()]
    return Match(agents, rules, num_deals, seed, num_players=num_players).play().result()


@pytest.mark.parametrize(
    ("num_agents", "num_players", "expected"),
    [
        (2, 2, [0, 1]),
        (2, 4, [0, 1, 1, 1]),
        (3, 4, [0, 1, 2, 1]),
        (4, 4, [0, 1, 2, 3]),
        (3, 10, [0, 1, 2, 1, 2, 1, 2, 1, 2, 1]),
    ],
)
def test_line_up(num_agents: int, num_players: int, expected: list[int]) -> None:
    assert line_up_of(num_agents, num_players) == expected


@pytest.mark.parametrize(("num_agents", "num_players"), [(1, 1), (1, 4), (0, 2), (3, 2), (2, 11)])
def test_line_ups_that_do_not_fit(num_agents: int, num_players: int) -> None:
    with pytest.raises(MatchError, match=r"agents: got|players=.*: expected"):
        line_up_of(num_agents, num_players)


@pytest.mark.parametrize("num_agents", range(2, 11))
def test_balanced_orders_seat_each_agent_behind_each_other_one_equally_often(num_agents: int) -> None:
    orders = orders_of(range(num_agents), "balanced")
    assert orders[0] == tuple(range(num_agents))
    assert all(sorted(order) == list(range(num_agents)) for order in orders)
    followed = Counter((order[i - 1], order[i]) for order in orders for i in range(num_agents))
    assert set(followed) == set(permutations(range(num_agents), 2))
    assert set(followed.values()) == ({1} if num_agents % 2 or num_agents == 2 else {2})


@pytest.mark.parametrize(
    ("line_up", "number"),
    [([0, 1], 1), ([0, 1, 1, 1], 1), ([0, 1, 2, 1], 3), ([0, 1, 2, 1, 2], 6), (range(4), 6), (range(6), 120)],
)
def test_all_orders_are_those_that_no_rotation_turns_into_another(line_up: list[int], number: int) -> None:
    def as_seen_from_0(seats: tuple[int, ...]) -> tuple[int, ...]:
        return seats[seats.index(0) :] + seats[: seats.index(0)]

    orders = orders_of(line_up, "all")
    seatings = [tuple(line_up[place] for place in order) for order in orders]
    assert seatings[0] == tuple(line_up)
    assert all(sorted(order) == list(range(len(line_up))) for order in orders)
    assert set(seatings) == set(map(as_seen_from_0, permutations(line_up)))
    assert len(seatings) == number


def test_balanced_orders_of_agents_with_several_places_are_all() -> None:
    assert orders_of([0, 1, 2, 1], "balanced") == orders_of([0, 1, 2, 1], "all")


@pytest.mark.parametrize(
    ("line_up", "orders", "words"),
    [
        (range(7), "all", "orders='all': a line-up has 720 orders, expected 120 or fewer; take balanced or rotations"),
        ([0, 1, 2, 1, 2, 1, 2, 1, 2, 1], "balanced", "a line-up has 126 orders, expected 120 or fewer; take rotations"),
        (range(3), "some", "orders='some': expected one of rotations, balanced, all"),
    ],
)
def test_orders_that_are_none_or_too_many(line_up: list[int], orders, words: str) -> None:
    with pytest.raises(MatchError, match=words):
        orders_of(line_up, orders)


@pytest.mark.parametrize("wrap", [lambda agent: agent, Wrapped])
def test_every_order_plays_the_games_that_it_plays_alone(wrap) -> None:
    """Compiled or asked; by the places of the line-up."""
    layout, orders = observation_layout(3), [(0, 1, 2), (0, 2, 1)]
    agents = [wrap(Baseline(name, layout)) for name in ("random_play", "greedy", "sharp")]
    together = DuplicateDeals(agents, [0, 1, 2], Rules(hand=3), 30, 6, orders=orders, batch=7)
    together.play()
    for i, order in enumerate(orders):
        alone = DuplicateDeals(agents, order, Rules(hand=3), 30, 6)
        alone.play()
        for name in ("wins", "points", "decisions"):
            expected = getattr(alone.outcomes(), name)
            np.testing.assert_array_equal(getattr(together.outcomes(), name)[:, 3 * i : 3 * i + 3, order], expected)


def test_a_match_in_all_orders_counts_every_deal_once() -> None:
    agents = [Baseline(name, observation_layout(3)) for name in ("random_play", "greedy", "sharp")]
    result = Match(agents, Rules(hand=3), 40, 1, num_players=3, orders="all").play().result()
    assert (result.num_deals, result.num_orders, result.num_games) == (40, 2, 240)
    assert sum(score.win_rate for score in result.scores) == pytest.approx(1)
    assert result.as_dict()["num_orders"] == 2


@pytest.mark.parametrize("num_deals", [-1, 0, 1])
def test_too_few_deals(num_deals: int) -> None:
    with pytest.raises(MatchError, match=f"deals={num_deals}"):
        play("greedy greedy", 2, num_deals)


def test_rules_that_cannot_deal_to_so_many() -> None:
    with pytest.raises(RulesError, match="hand=50 with num_players=3"):
        play("greedy greedy", 3, 10, Rules(hand=50))


@pytest.mark.parametrize("num_players", [2, 4])
def test_an_agent_against_itself_gets_its_fair_share(num_players: int) -> None:
    result = play("greedy greedy", num_players, 20)
    for score in result.scores:
        assert score.win_rate == pytest.approx(result.fair_share, abs=1e-12)
        assert score.win_rate_interval == pytest.approx((result.fair_share, result.fair_share), abs=1e-12)
        assert score.points == pytest.approx(0, abs=1e-9)
    assert [score.num_places for score in result.scores] == [1, num_players - 1]


def test_a_random_agent_against_itself_gets_its_fair_share_within_the_interval() -> None:
    result = play("random_play random_play", 2, 400)
    first, second = result.scores
    low, high = first.win_rate_interval
    assert low < 0.5 < high
    assert 0.02 < high - low < 0.12
    assert first.win_rate + second.win_rate == pytest.approx(1)
    assert first.points + second.points == pytest.approx(0)


def test_the_order_of_the_baselines() -> None:
    """Each beats the one before it, with the interval clear of half."""
    for weaker, stronger in (("random", "random_play"), ("random_play", "greedy"), ("greedy", "sharp")):
        better, worse = play(f"{stronger} {weaker}", 2, 1000).scores
        assert better.win_rate_interval[0] > 0.5 > worse.win_rate_interval[1]
        assert better.points_interval[0] > 0 > worse.points_interval[1]


def test_sharp_wins_more_than_its_share_of_four() -> None:
    sharp, greedy = play("sharp greedy", 4, 500).scores
    assert sharp.win_rate_interval[0] > 0.25 > greedy.win_rate_interval[1]
    assert sharp.win_rate + 3 * greedy.win_rate == pytest.approx(1)


def test_a_result_says_what_it_is_for() -> None:
    rules = Rules(pairing="printed", hand=3)
    result = play("random greedy", 3, 10, rules, seed=2**63)
    again = json.loads(json.dumps(result.as_dict()))
    assert again["rules"] == "official with pairing=printed, hand=3"
    assert again["rules_id"] == rules.id
    assert again["options"]["hand"] == 3
    expected = {"pairing": "printed", "information": "table", "players": 3, "deals": 10, "games": 30, "seed": 2**63}
    assert {key: again[key] for key in expected} == expected
    assert again["line_up"] == ["random", "greedy", "greedy"]
    assert [agent["name"] for agent in again["agents"]] == ["random", "greedy"]
    for agent in again["agents"]:
        low, high = agent["win_rate_interval"]
        assert low <= agent["win_rate"] <= high


def test_a_long_name_gives_way_and_no_figure_does(capsys: pytest.CaptureFixture[str]) -> None:
    result = play("greedy greedy", 2, 2)
    score = replace(result.scores[0], name="a-name-of-thirty-letters-or-so", points=-510.1, win_rate=1.0)
    score = replace(score, win_rate_interval=(1.0, 1.0), points_interval=(-623.2, -405.3))
    print_match(replace(result, scores=(score, result.scores[1])))
    printed = capsys.readouterr().out
    for words in ("100.0% [100.0, 100.0]", "-510.1 [-623.2, -405.3]", "50.0%"):
        assert words in printed
    assert "…" not in printed


@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_names(name: str) -> None:
    assert name_rules(PRESETS[name]) == name


def test_a_table_of_pairs_is_not_spelt_out() -> None:
    assert name_rules(Rules(pairing=tuple(reversed(range(112))))) == "official with pairing=table"


def test_other_rules_are_named_by_what_is_changed() -> None:
    rules = Rules(hand=5, stack=("draw_one", "draw_five"), accumulate=True, pairing=tuple(range(112)))
    assert name_rules(rules) == "official with pairing=table, hand=5, stack=draw_one+draw_five, accumulate=True"
