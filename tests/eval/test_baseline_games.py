"""Games of baselines, played in one compiled loop, are those that any agents would play a decision at a time."""

from collections.abc import Sequence

import numpy as np
import pytest

import eval.play
from agents.baselines import BASELINES, Baseline
from agents.protocol import Agent
from eval.deals import Games
from eval.play import DuplicateDeals
from tests.eval.own_agents import Wrapped
from unoflip_env.engine import Episode
from unoflip_env.observation import observation_layout
from unoflip_env.rules import PRESETS, Rules

OFFICIAL = PRESETS["official"]
CASES: list[tuple[Rules, int, Episode]] = [
    *((rules, 2 + i % 3, "round") for i, rules in enumerate(PRESETS.values())),
    (OFFICIAL, 10, "round"),
    (PRESETS["icebreaker"].replace(target=150), 3, "match"),
    (Rules(teams=2, teammate_gift=True, hand=4, stack=("draw_one",)), 4, "round"),
    (Rules(information="fronts", skip_role="give", draw_count="until_playable"), 3, "round"),
    (PRESETS["classic"].replace(zero_role="swap"), 3, "round"),
]


def play(agents: Sequence[Agent], rules: Rules, num_deals: int = 6, episode: Episode = "round", **kwargs) -> Games:
    deals = DuplicateDeals(agents, range(len(agents)), rules, num_deals, 11, episode=episode, **kwargs)
    deals.play()
    return deals.games


def assert_equal(games: Games, others: Games) -> None:
    assert games.is_done.all()
    for name in ("winners", "points", "decisions", "is_forfeit", "is_done"):
        np.testing.assert_array_equal(getattr(games, name), getattr(others, name), err_msg=name)


@pytest.mark.parametrize(("rules", "num_players", "episode"), CASES)
def test_they_are_the_same_games(rules: Rules, num_players: int, episode: Episode) -> None:
    names = ("sharp", "greedy", "random_play", "random")
    layout = observation_layout(num_players, rules.information)
    agents = [Baseline(names[place % 3 if rules.rule_vote else place % 4], layout) for place in range(num_players)]
    assert_equal(play(agents, rules, episode=episode), play([Wrapped(agent) for agent in agents], rules, episode=episode))


def test_each_reads_its_own_layout() -> None:
    layouts = observation_layout(3), observation_layout(10, "fronts"), observation_layout(4)
    agents = [Baseline(name, layout) for name, layout in zip(("greedy", "sharp", "sharp"), layouts, strict=True)]
    games = play(agents, OFFICIAL, 20)
    assert_equal(games, play([Wrapped(agent) for agent in agents], OFFICIAL, 20))
    seeing = [Baseline(agent.name, layouts[0]) for agent in agents]
    assert (games.points != play(seeing, OFFICIAL, 20).points).any()


@pytest.mark.parametrize("name", BASELINES)
def test_threads_do_not_matter(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eval.play, "_PORTION", 7)
    agents = [Baseline(name, observation_layout(2)) for _ in range(2)]
    rules = Rules(hand=3)
    assert_equal(play(agents, rules, 40, num_threads=1), play(agents, rules, 40, num_threads=3))


def test_deals_from_the_middle_are_those_of_the_whole() -> None:
    for kind in (lambda agent: agent, Wrapped):
        agents = [kind(Baseline(name, observation_layout(2))) for name in ("greedy", "random_play")]
        whole, part = play(agents, OFFICIAL, 10), play(agents, OFFICIAL, 4, first_deal=6)
        np.testing.assert_array_equal(whole.points[12:], part.points)
        np.testing.assert_array_equal(whole.decisions[12:], part.decisions)


def test_a_broken_off_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eval.play, "MAX_TURNS", 20)
    agents = [Baseline(name, observation_layout(2)) for name in ("greedy", "sharp")]
    games = play(agents, OFFICIAL, 30)
    assert 0 < (games.winners == 0).sum() < 60
    assert_equal(games, play([Wrapped(agent) for agent in agents], OFFICIAL, 30))


@pytest.mark.parametrize(
    ("layout", "rules", "words"),
    [
        (observation_layout(2), OFFICIAL, "for a table of 3"),
        (observation_layout(3), Rules(information="fronts"), "these rules show no backs"),
    ],
)
def test_a_layout_that_does_not_fit_is_refused(layout, rules: Rules, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        play([Baseline("greedy", layout)] * 3, rules)
