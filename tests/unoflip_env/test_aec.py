"""The PettingZoo environment: PettingZoo's own conformance tests, and that it is the engine's game, seat by seat."""

import copy
import pickle
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from pettingzoo.test.api_test import api_test
from pettingzoo.test.parallel_test import parallel_api_test
from pettingzoo.test.render_test import render_test
from pettingzoo.test.seed_test import parallel_seed_test, seed_test
from pettingzoo.test.state_test import state_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from unoflip_env import PRESETS, Engine, IllegalActionError, unoflip_v0
from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.observation import observation_layout

PLAYERS = [2, 3, 4, 7, 10]


def forgiving_env(**kwargs: Any) -> Any:
    """For those of PettingZoo's tests that sample actions without the mask."""
    return TerminateIllegalWrapper(unoflip_v0.env(**kwargs), illegal_reward=-1)


@pytest.mark.filterwarnings("ignore::UserWarning")  # a Dict observation, or a mask without actions, is worth one to it
@pytest.mark.parametrize("num_players", PLAYERS)
class TestConformance:
    def test_api(self, num_players: int) -> None:
        api_test(unoflip_v0.env(num_players=num_players), num_cycles=200)

    def test_api_of_raw_env(self, num_players: int) -> None:
        api_test(unoflip_v0.raw_env(num_players=num_players), num_cycles=200)

    def test_seed(self, num_players: int) -> None:
        seed_test(partial(unoflip_v0.env, num_players=num_players), num_cycles=100)

    def test_parallel_api(self, num_players: int) -> None:
        parallel_api_test(unoflip_v0.parallel_env(num_players=num_players), num_cycles=500)

    def test_parallel_seed(self, num_players: int) -> None:
        make = partial(forgiving_env, num_players=num_players)
        parallel_seed_test(lambda: turn_based_aec_to_parallel(make()), num_cycles=50)

    def test_render(self, num_players: int) -> None:
        make: Any = partial(unoflip_v0.env, num_players=num_players)
        render_test(make)

    def test_state(self, num_players: int) -> None:
        state_test(forgiving_env(num_players=num_players), unoflip_v0.parallel_env(num_players=num_players))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_passes_the_conformance_test(preset: str) -> None:
    api_test(unoflip_v0.env(rules=preset, num_players=4, episode="match"), num_cycles=300)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_plays_a_match_to_its_end(preset: str) -> None:
    env = unoflip_v0.raw_env({"preset": preset, "target": 60, "max_turns": 150}, 4, episode="match")
    assert sum(returns(env, 5).values()) == pytest.approx(0, abs=1e-6)
    assert max(env._engine.games[0]["scores"]) >= 60


def play(env: Any, seed: int) -> Iterator[tuple[str, Any, float, dict[str, Any]]]:
    """One random episode: what `last()` gives before every live step, and at every dead one."""
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        assert not truncated
        yield agent, observation, reward, info
        env.step(None if terminated else int(rng.choice(np.flatnonzero(observation["action_mask"]))))


def returns(env: Any, seed: int) -> dict[str, float]:
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for agent, _, reward, _ in play(env, seed):
        totals[agent] += reward
    return totals


@pytest.mark.parametrize("num_players", PLAYERS)
def test_win_pays_the_winner_what_the_others_lose(num_players: int) -> None:
    env = unoflip_v0.raw_env(num_players=num_players)
    for seed in range(3):
        paid = sorted(returns(env, seed).values())
        assert paid == pytest.approx([-1 / (num_players - 1)] * (num_players - 1) + [1])


def test_points_pay_the_winner_what_the_others_hold() -> None:
    env = unoflip_v0.raw_env(num_players=3, reward="points")
    paid = returns(env, 1)
    held = observation_layout(3).view(env.observe("player_0")["observation"])["hand_sizes"]
    assert sum(paid.values()) == 0
    assert [amount > 0 for amount in paid.values()] == [size == 0 for size in held]


def test_points_of_a_match_add_up_over_its_rounds() -> None:
    env = unoflip_v0.raw_env({"scoring": "own_hand", "target": 300}, 2, episode="match", reward="points")
    paid = returns(env, 3)
    game = env._engine.games[0]
    assert game["num_rounds"] > 1
    assert list(paid.values()) == [-score for score in game["scores"][:2]]


@pytest.mark.parametrize("options", [{}, {"episode": "match", "reward": "points"}])
def test_follows_the_engine_decision_by_decision(options: dict[str, Any]) -> None:
    rules = {"preset": "casual", "target": 150}
    env = unoflip_v0.raw_env(rules, 3, **options)
    engine = Engine(rules, seed=11, num_players=3, **options)
    rng = np.random.default_rng(0)
    env.reset(seed=11)
    for _ in range(3):  # episodes
        while env.agents and not engine.is_over[0]:
            seat = int(engine.actor[0])
            assert env.agent_selection == f"player_{seat}"
            for other in range(3):
                seen = env.observe(f"player_{other}")
                np.testing.assert_array_equal(seen["observation"], engine.observe(seats=other)[0])
                expected = engine.legal_mask()[0] if other == seat else np.zeros(NUM_ACTIONS)
                np.testing.assert_array_equal(seen["action_mask"], expected)
            action = int(rng.choice(np.flatnonzero(engine.legal_mask()[0])))
            env.step(action)
            engine.step([action])
            assert list(env.rewards.values()) == engine.rewards[0].tolist()
        assert engine.is_over[0]
        assert all(env.terminations.values())
        env.reset()
        engine.reset()


def test_infos_hold_the_own_mask_and_keep_it() -> None:
    env = unoflip_v0.raw_env(num_players=4)
    kept = []
    for agent, observation, _, info in play(env, 5):
        assert list(info) == ["action_mask"]
        assert info["action_mask"].dtype == np.int8
        np.testing.assert_array_equal(info["action_mask"], observation["action_mask"])
        assert not any(env.infos[other]["action_mask"].any() for other in env.agents if other != agent)
        kept.append((info["action_mask"], info["action_mask"].copy(), observation["observation"], agent))
    assert all((mask == copy).all() for mask, copy, _, _ in kept)
    assert len({id(observation) for _, _, observation, _ in kept}) == len(kept)


def test_dead_steps_go_in_order_of_seats_and_pay_everyone() -> None:
    env = unoflip_v0.env(num_players=4)
    ends = [(agent, reward) for agent, observation, reward, _ in play(env, 2) if not observation["action_mask"].any()]
    assert [agent for agent, _ in ends] == env.possible_agents
    assert sorted(reward for _, reward in ends) == pytest.approx([-1 / 3] * 3 + [1])
    assert env.agents == []


def test_a_dead_step_takes_only_none() -> None:
    env = unoflip_v0.raw_env(num_players=2)
    for _ in play(env, 2):
        if env.terminations[env.agent_selection]:
            with pytest.raises(ValueError, match="the only valid action is None"):
                env.step(0)


def test_reset_without_a_seed_goes_on_to_the_next_episode() -> None:
    env, again = unoflip_v0.env(), unoflip_v0.env()
    states = []
    for each in (env, again):
        each.reset(seed=3)
        states.append(each.state())
        each.reset()
        states.append(each.state())
    np.testing.assert_array_equal(states[:2], states[2:])
    assert not np.array_equal(states[0], states[1])


def test_two_environments_without_a_seed_differ() -> None:
    env, other = unoflip_v0.env(), unoflip_v0.env()
    env.reset()
    other.reset()
    assert not np.array_equal(env.state(), other.state())


@pytest.mark.parametrize(
    ("action", "error"),
    [
        (0, IllegalActionError),
        (-1, IllegalActionError),
        (NUM_ACTIONS, IllegalActionError),
        (None, ValueError),
        (1.5, ValueError),
    ],
)
def test_a_refused_action_changes_nothing(action: Any, error: type[Exception]) -> None:
    env = unoflip_v0.raw_env(num_players=2)
    env.reset(seed=0)
    agent, state, mask = env.agent_selection, env.state(), env.infos[env.agent_selection]["action_mask"].copy()
    assert not mask[0]
    with pytest.raises(error, match="action"):
        env.step(action)
    assert env.agent_selection == agent
    np.testing.assert_array_equal(env.state(), state)
    np.testing.assert_array_equal(env.infos[agent]["action_mask"], mask)
    assert list(env.rewards.values()) == [0, 0]


def test_terminate_illegal_wrapper_ends_the_game() -> None:
    env = forgiving_env(num_players=3)
    env.reset(seed=0)
    cheat = env.agent_selection
    env.step(int(np.flatnonzero(env.observe(cheat)["action_mask"] == 0)[0]))
    paid = {}
    for agent in env.agent_iter():
        observation, paid[agent], terminated, _, _ = env.last()
        assert terminated
        assert not observation["action_mask"].any()
        env.step(None)
    assert paid == {agent: -1 if agent == cheat else 0 for agent in env.possible_agents}


@pytest.mark.parametrize("information", ["table", "fronts"])
def test_a_redeal_of_what_an_agent_cannot_know_changes_nothing_it_gets(information: str) -> None:
    env = unoflip_v0.raw_env({"information": information}, 3)
    engine = env._engine
    for number, (agent, observation, _, info) in enumerate(play(env, 8)):
        if env.terminations[agent]:
            break
        true = engine.snapshot()
        for seat, other in enumerate(env.agents):
            before = env.observe(other)
            engine.restore(0, engine.determinize(0, seat, seed=number))
            np.testing.assert_array_equal(env.observe(other)["observation"], before["observation"])
            if other == agent:
                np.testing.assert_array_equal(engine.legal_mask()[0], info["action_mask"])
                np.testing.assert_array_equal(observation["action_mask"], info["action_mask"])
            engine.restore(0, true)
    assert number > 20


def test_state_is_the_open_observation_of_seat_0() -> None:
    env: Any = unoflip_v0.env(num_players=3)
    engine = Engine(seed=4, num_players=3)
    env.reset(seed=4)
    state = env.state()
    assert env.state_space.contains(state)
    np.testing.assert_array_equal(state, engine.observe(observation_layout(3, "open"), seats=0)[0])


def test_describes_its_observation(capsys: pytest.CaptureFixture[str]) -> None:
    env: Any = unoflip_v0.env({"information": "fronts"}, 2)
    env.describe_observation()
    size = env.observation_space("player_0")["observation"].shape[0]
    assert f"-{size - 1}  " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"rules": "offical"}, "offical"),
        ({"num_players": 11}, "num_players=11"),
        ({"episode": "game"}, "episode='game'"),
        ({"reward": "score"}, "reward='score'"),
        ({"render_mode": "depth_array"}, "render_mode='depth_array'"),
        ({"num_players": 3, "render_seat": 3}, "render_seat=3"),
    ],
)
def test_a_wrong_argument_is_named(kwargs: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        unoflip_v0.env(**kwargs)


def test_an_observation_that_nobody_took_is_not_given_to_the_next() -> None:
    env = unoflip_v0.raw_env(num_players=3)
    for _ in play(env, 4):
        if env.terminations[env.agent_selection]:
            break
    env.reset(seed=4)
    rng = np.random.default_rng(4)
    while not env.terminations[env.agent_selection]:
        env.step(int(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"]))))
    while env.agents:
        seat = env.possible_agents.index(env.agent_selection)
        np.testing.assert_array_equal(env.observe(env.agent_selection)["observation"], env._engine.observe(seats=seat)[0])
        env.step(None)


OUT_OF_ORDER: list[tuple[str, Any]] = [
    ("step", lambda env: env.step(0)),
    ("observe", lambda env: env.observe("player_0")),
    ("state", lambda env: env.state()),
    ("render", lambda env: env.render()),
    ("agent_iter", lambda env: env.agent_iter()),
]


@pytest.mark.parametrize(("call", "make_call"), OUT_OF_ORDER)
def test_calls_before_reset_are_refused_as_the_standard_wrapper_does(call: str, make_call: Any) -> None:
    kinds = []
    for env in (unoflip_v0.env(), OrderEnforcingWrapper(unoflip_v0.raw_env())):
        with pytest.raises(AssertionError, match=f"{call}"):
            make_call(env)
        kinds.append(type(env))
    assert len(set(kinds)) == 2


@pytest.mark.parametrize("name", ["agents", "agent_selection", "num_agents", "rewards", "terminations", "truncations", "infos"])
def test_attributes_before_reset_are_refused_as_the_standard_wrapper_does(name: str) -> None:
    for env in (unoflip_v0.env(), OrderEnforcingWrapper(unoflip_v0.raw_env())):
        with pytest.raises(AttributeError, match=f"{name} cannot be accessed before reset"):
            getattr(env, name)
    with pytest.raises(AttributeError, match="no attribute 'agent_selected'"):
        unoflip_v0.env().agent_selected  # noqa: B018


def test_a_reset_that_is_refused_begins_nothing() -> None:
    env = unoflip_v0.env()
    with pytest.raises(TypeError):
        env.reset(seed="one")  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="reset"):
        env.step(0)


def test_iterating_without_a_step_is_refused() -> None:
    env = unoflip_v0.env()
    env.reset(seed=0)
    with pytest.raises(AssertionError, match="need to call step"):
        for _ in env.agent_iter():
            pass


def test_iterating_stops_after_so_many_steps() -> None:
    env = unoflip_v0.env()
    env.reset(seed=0)
    taken = 0
    for agent in env.agent_iter(max_iter=5):
        env.step(int(env.infos[agent]["action_mask"].argmax()))
        taken += 1
    assert taken == 5


def test_a_step_after_the_end_warns_and_changes_nothing() -> None:
    env = unoflip_v0.env(num_players=2)
    assert returns(env, 1)
    EnvLogger.flush()
    env.step(0)
    assert any("step() called after" in message for message in EnvLogger.mqueue)
    assert env.agents == []


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_standard_wrappers_fit_around_it() -> None:
    api_test(OrderEnforcingWrapper(AssertOutOfBoundsWrapper(unoflip_v0.env(num_players=3))), num_cycles=100)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_plays_the_same_game_by_itself(copied: Any) -> None:
    env: Any = unoflip_v0.env(num_players=3)
    env.reset(seed=6)
    rng = np.random.default_rng(0)
    for _ in range(10):
        env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
    twin = copied(env)
    before = twin.state()
    actions = []
    for agent in env.agent_iter(20):
        actions.append(int(rng.choice(np.flatnonzero(env.observe(agent)["action_mask"]))))
        env.step(actions[-1])
    np.testing.assert_array_equal(twin.state(), before)
    for action in actions:
        twin.step(action)
    assert twin.agent_selection == env.agent_selection
    np.testing.assert_array_equal(twin.state(), env.state())
    np.testing.assert_array_equal(twin.last()[0]["observation"], env.last()[0]["observation"])
