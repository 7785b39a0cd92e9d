import json

import pytest

from agents.baselines import Baseline
from eval.match import Match, MatchError, MatchResult, line_up_of, name_rules
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


@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_names(name: str) -> None:
    assert name_rules(PRESETS[name]) == name


def test_a_table_of_pairs_is_not_spelt_out() -> None:
    assert name_rules(Rules(pairing=tuple(reversed(range(112))))) == "official with pairing=table"


def test_other_rules_are_named_by_what_is_changed() -> None:
    rules = Rules(hand=5, stack=("draw_one", "draw_five"), accumulate=True, pairing=tuple(range(112)))
    assert name_rules(rules) == "official with pairing=table, hand=5, stack=draw_one+draw_five, accumulate=True"
