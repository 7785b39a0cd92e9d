from collections.abc import Sequence

import numpy as np
import pytest

import eval.play
from agents.baselines import Baseline
from agents.protocol import Agent, AgentError
from eval.deals import Outcomes
from eval.play import DuplicateDeals
from tests.eval import own_agents
from unoflip_env.observation import observation_layout
from unoflip_env.rules import Rules, as_rules
from unoflip_env.streams import random_uniforms

OFFICIAL = as_rules("official")
SHORT = Rules(hand=3)


def baselines(names: str, num_players: int) -> list[Agent]:
    return [Baseline(name, observation_layout(num_players)) for name in names.split()]


def outcomes(names: str, line_up: Sequence[int], num_deals: int = 20, rules: Rules = SHORT, **kwargs) -> Outcomes:
    deals = DuplicateDeals(baselines(names, len(line_up)), line_up, rules, num_deals, 7, **kwargs)
    deals.play()
    return deals.outcomes()


@pytest.mark.parametrize("num_players", [2, 3, 5])
def test_identical_agents_share_exactly(num_players: int) -> None:
    """The same cards in the same seats: the same seat wins in every rotation, so every place wins one game a deal."""
    result = outcomes("greedy greedy", [0] + [1] * (num_players - 1))
    assert result.wins.shape == (20, num_players, num_players)
    winning_seat = result.wins[:, 0].argmax(axis=1)
    for rotation in range(num_players):
        np.testing.assert_array_equal((result.wins[:, rotation].argmax(axis=1) + rotation) % num_players, winning_seat)
    np.testing.assert_array_equal(result.wins.sum(axis=1), 1)
    np.testing.assert_array_equal(result.points.sum(axis=1), 0)


def test_deals_differ() -> None:
    points = outcomes("greedy greedy", [0, 1]).points[:, 0, 0]
    assert len(set(points.tolist())) > 10


def test_the_batch_does_not_matter() -> None:
    """With agents that use their random numbers, and layouts that differ."""
    results = []
    for batch in (1, 7, 64):
        layouts = observation_layout(3), observation_layout(10, "fronts"), observation_layout(4)
        names = "random_play", "sharp", "random"
        agents = [Baseline(name, layout) for name, layout in zip(names, layouts, strict=True)]
        deals = DuplicateDeals(agents, [0, 1, 2], SHORT, 12, 3, batch=batch)
        deals.play()
        results.append(deals.outcomes())
    assert 0 < results[0].wins[:, :, 0].mean() < 1
    for result in results[1:]:
        np.testing.assert_array_equal(result.wins, results[0].wins)
        np.testing.assert_array_equal(result.points, results[0].points)


def test_the_number_of_deals_does_not_matter_to_the_first() -> None:
    few, many = outcomes("random greedy", [0, 1], 5), outcomes("random greedy", [0, 1], 20)
    np.testing.assert_array_equal(few.points, many.points[:5])


def test_uniforms_are_uniform_and_differ() -> None:
    keys, numbers = (grid.ravel().astype(np.uint64) for grid in np.mgrid[:100, :100])
    uniforms = random_uniforms(keys, numbers)
    assert len(set(uniforms.tolist())) == 10_000
    counts = np.histogram(uniforms, 20, (0, 1))[0]
    assert abs(counts - 500).max() < 4 * np.sqrt(500)
    table = uniforms.reshape(100, 100)
    assert abs(np.corrcoef(table) - np.eye(100)).max() < 0.5
    assert abs(np.corrcoef(table.T) - np.eye(100)).max() < 0.5


def test_wins_are_shared_and_points_add_up() -> None:
    """After one turn, most hands are equally large: those seats share the win (TURN-8, TURN-9)."""
    result = outcomes("random random", [0, 1, 1, 1], rules=Rules(hand=3, max_turns=1))
    np.testing.assert_allclose(result.wins.sum(axis=2), 1)
    assert ((0 < result.wins) & (result.wins < 1)).any()
    assert result.num_unfinished == 0


def test_own_hand_scoring_loses_points_only() -> None:
    assert (outcomes("greedy random_play", [0, 1], rules=Rules(hand=3, scoring="own_hand")).points <= 0).all()


def test_a_match_is_played_to_its_target() -> None:
    """Official scoring: the winner has the points of all its rounds, so at least the target."""
    rules = Rules(target=100)
    matches, rounds = (outcomes("greedy random_play", [0, 1], 10, rules, episode=e) for e in ("match", "round"))
    assert set(np.unique(matches.wins)) == {0, 1}
    np.testing.assert_array_equal(matches.points.sum(axis=2), 0)
    assert abs(matches.points).mean() > abs(rounds.points).mean()


def test_games_that_would_not_end_are_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eval.play, "MAX_TURNS", 6)
    result = outcomes("greedy random_play", [0, 1], 30, OFFICIAL, batch=8)
    assert result.num_unfinished == 60
    np.testing.assert_array_equal(result.wins, 0.5)
    np.testing.assert_array_equal(result.points, 0)


def test_every_agent_is_asked_once_a_step() -> None:
    agent = own_agents.FirstLegal(observation_layout(2))
    deals = DuplicateDeals([agent, agent], [0, 1], SHORT, 30, 0)
    num_ended: list[int] = []
    deals.play(num_ended.append)
    assert sum(num_ended) == 60
    assert len(num_ended) < agent.num_calls <= 2 * len(num_ended)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (own_agents.Cheat, r"agent Cheat: action \d+ \(.+\) is not legal; deal 0"),
        (own_agents.OutOfRange, r"agent OutOfRange: action 1000 \(out of range\) is not legal; deal 0"),
        (own_agents.OneForAll, r"agent OneForAll: actions are int64 of shape \(1,\), expected integers of shape \(\d+,\)"),
        (own_agents.Floating, r"agent Floating: actions are float64 of shape"),
    ],
)
def test_what_breaks_the_rules_is_named(kind: type[own_agents.FirstLegal], words: str) -> None:
    layout = observation_layout(2)
    with pytest.raises(AgentError, match=words):
        DuplicateDeals([Baseline("greedy", layout), kind(layout)], [0, 1], OFFICIAL, 10, 0).play()


def test_after_an_interrupt_only_whole_deals_count() -> None:
    layout = observation_layout(2)
    agents: list[Agent] = [own_agents.Interrupting(layout), Baseline("greedy", layout)]
    deals = DuplicateDeals(agents, [0, 1], SHORT, 200, 5, batch=16)
    with pytest.raises(KeyboardInterrupt):
        deals.play()
    part = deals.outcomes()
    agents[0] = own_agents.FirstLegal(layout)
    deals = DuplicateDeals(agents, [0, 1], SHORT, 200, 5)
    deals.play()
    whole = deals.outcomes()
    assert 2 < part.num_deals < whole.num_deals == 200
    np.testing.assert_array_equal(part.wins, whole.wins[: part.num_deals])
    np.testing.assert_array_equal(part.points, whole.points[: part.num_deals])


def test_who_gives_up_loses_and_all_others_share_the_win() -> None:
    agents = [own_agents.Quitting(observation_layout(3)), *baselines("greedy greedy", 3)]
    deals = DuplicateDeals(agents, [0, 1, 2], SHORT, 20, 0)
    deals.play()
    result = deals.outcomes()
    given_up = result.is_forfeit[:, :, 0]
    assert 0 < given_up.sum() < given_up.size
    assert not result.is_forfeit[:, :, 1:].any()
    np.testing.assert_array_equal(result.wins[given_up], [[0, 0.5, 0.5]] * given_up.sum())
    np.testing.assert_array_equal(result.points[given_up], 0)
    assert set(np.unique(result.wins[~given_up])) == {0, 1}
    assert result.num_unfinished == 0


def test_its_team_loses_too() -> None:
    agents = [own_agents.Quitting(observation_layout(4)), *baselines("greedy greedy greedy", 4)]
    deals = DuplicateDeals(agents, range(4), SHORT.replace(teams=2), 20, 0)
    deals.play()
    result = deals.outcomes()
    given_up = result.is_forfeit[:, :, 0]
    assert given_up.any()
    np.testing.assert_array_equal(result.wins[given_up], [[0, 0.5, 0, 0.5]] * given_up.sum())


def test_decisions_are_counted_by_place() -> None:
    agent = own_agents.FirstLegal(observation_layout(2))
    deals = DuplicateDeals([agent, *baselines("greedy", 2)], [0, 1], SHORT, 1, 0, batch=1)
    deals.play()
    assert deals.outcomes().decisions[:, :, 0].sum() == agent.num_calls
    assert (deals.outcomes().decisions[:, :, 1] > 0).all()
