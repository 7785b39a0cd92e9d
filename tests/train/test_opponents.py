import numpy as np
import pytest

from agents.features import Features
from agents.network import CardNetwork, NetworkAgent
from agents.registry import make_agent
from train.opponents import MEMORY, Opponents, Pool
from train.rollout import Decisions, Experience, Tables, collect
from train.world import World
from unoflip_env.engine import Engine
from unoflip_env.observation import observation_layout
from unoflip_env.rules import Rules

FEATURES = Features(observation_layout(3))


def learner() -> NetworkAgent:
    return NetworkAgent("ppo", CardNetwork(FEATURES, 8, 16))


def opponents(size: int = 3, hardness: float = 2.0, **weights: float) -> Opponents:
    others = {name: make_agent(name, 3) for name in weights if name not in ("self", "past")}
    return Opponents(weights, others, Pool(learner(), size, hardness) if "past" in weights else None)


def test_shares_follow_the_weights_and_the_pool_shares_its_own() -> None:
    found = opponents(self=2, past=1, greedy=1).shares
    np.testing.assert_allclose(found, [0.5, 0.25 / 3, 0.25 / 3, 0.25 / 3, 0.25])


def test_harder_past_selves_are_drawn_rather() -> None:
    """Against a 3 in 4, b even, c 1 in 4: by the square of what is lost, 1 : 4 : 9."""
    shares = Pool(learner(), 3, 2.0).shares(np.array([0.75, 0.5, 0.25]))
    np.testing.assert_allclose(shares, np.array([1, 4, 9]) / 14, atol=0.01)
    np.testing.assert_allclose(Pool(learner(), 3, 0.0).shares(np.array([0.75, 0.5, 0.25])), 1 / 3)


def test_all_are_beaten_always_and_still_drawn() -> None:
    np.testing.assert_allclose(Pool(learner(), 3, 2.0).shares(np.ones(3)), 1 / 3)


def count_naively(agent_at: np.ndarray, winners: np.ndarray, number: int) -> tuple[float, float]:
    """Game by game and seat by seat, as Opponents.count says."""
    total_own = total_theirs = 0.0
    for seats, won in zip(agent_at, winners, strict=True):
        share = [1 / won.sum() if each else 0.0 for each in won]
        own = [share[i] for i in range(len(seats)) if seats[i] == 0]
        theirs = [share[i] for i in range(len(seats)) if seats[i] == number]
        if theirs:
            total_own += sum(own) / len(own)
            total_theirs += sum(theirs) / len(theirs)
    return total_own, total_theirs


def test_results_are_counted_as_said() -> None:
    rng = np.random.default_rng(0)
    agent_at = rng.integers(5, size=(500, 4))
    agent_at[np.arange(500), rng.integers(4, size=500)] = 0
    winners = rng.random((500, 4)) < 0.2
    winners[np.arange(500), rng.integers(4, size=500)] = True
    met = opponents(self=1, past=1, greedy=1)
    met.count(agent_at, winners)
    for number in range(1, 5):
        np.testing.assert_allclose(met.fresh[:, number - 1], count_naively(agent_at, winners, number))


def test_older_results_fade_and_payoffs_tell_the_share_of_wins() -> None:
    met = opponents(past=1, greedy=1, self=1)
    met.count(np.array([[0, 4]] * 8), np.array([[True, False]] * 6 + [[False, True]] * 2))
    met.settle(World())
    assert met.payoff() == {"payoff/greedy": 0.75}
    met.settle(World())
    np.testing.assert_allclose(met.results[:, 3], [6 * MEMORY, 2 * MEMORY])
    assert not met.fresh.any()


def test_opponents_that_call_themselves_alike_are_told_apart() -> None:
    """As two checkpoints do: they go by their names in the configuration."""
    met = Opponents({"self": 1, "runs/a": 1, "runs/b": 1}, {"runs/a": learner(), "runs/b": learner()})
    met.count(np.array([[0, 1], [0, 2]]), np.array([[True, False], [False, True]]))
    met.settle(World())
    assert met.payoff() == {"payoff/runs/a": 1.0, "payoff/runs/b": 0.0}


def test_the_easiest_past_self_makes_room_for_the_learner_as_it_is() -> None:
    met, now = opponents(past=1), learner()
    assert met.pool
    met.fresh[:] = [[2, 9, 5], [8, 1, 5]]
    met.settle(World())
    before = [agent.network.value.weight.clone() for agent in met.pool.agents]
    met.renew(now, num_updates=40)
    same = [bool((agent.network.value.weight == old).all()) for agent, old in zip(met.pool.agents, before, strict=True)]
    assert same == [True, False, True]
    assert (met.pool.agents[1].network.value.weight == now.network.value.weight).all()
    assert met.pool.joined.tolist() == [0, 40, 0]
    assert met.results.tolist() == [[2, 0, 5], [8, 0, 5]]


def test_a_past_self_stays_as_it_was_while_the_learner_learns() -> None:
    now = learner()
    pool = Pool(now, 2, 1.0)
    pool.add(now, 1, np.array([0.5, 0.5]))
    before = pool.agents[0].network.value.weight.clone()
    now.network.value.weight.data += 1
    assert (pool.agents[0].network.value.weight == before).all()


@pytest.mark.parametrize("own_share", [0.0, 0.5])
def test_the_payoff_against_an_equal_is_even_at_any_table(own_share: float) -> None:
    """Random players are all equal: whoever wins, a seat of the learner's has as good a chance as one of theirs."""
    met = opponents(self=own_share, random_play=1 - own_share)
    tables = Tables(Engine(Rules(hand=2), 300, num_players=3), FEATURES, met, np.random.default_rng(3))

    def as_random_play(features: np.ndarray, more: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> Decisions:
        observations = np.zeros((len(legal_mask), observation_layout(3).size), np.uint8)
        actions = make_agent("random_play", 3).act(observations, legal_mask, uniforms)
        return actions, np.zeros(len(actions)), np.zeros(len(actions))

    experience = Experience(60_000, FEATURES.size)
    collect([tables], as_random_play, experience, 100)
    met.settle(World())
    num_wins = met.results[:, 0].sum()
    assert num_wins > 300
    assert met.payoff()["payoff/random_play"] == pytest.approx(0.5, abs=4 * 0.5 / num_wins**0.5)
