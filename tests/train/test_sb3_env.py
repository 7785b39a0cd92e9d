"""The native VecEnv of Stable-Baselines3: what its own DummyVecEnv gives of single environments, and PPO learns on it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

from agents.protocol import AgentError
from agents.registry import make_agent
from train.sb3_env import UnoFlipVecEnv
from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.gym_env import UnoFlipEnv
from unoflip_env.rules import RulesError

SHORT: dict[str, Any] = {"hand": 2}


@pytest.mark.parametrize(
    ("names", "kwargs"),
    [
        (["greedy"], {"num_players": 2}),
        (["sharp", "random", "greedy"], {"num_players": 4, "reward": "points", "episode": "match", "seat": 2}),
    ],
)
def test_gives_what_a_dummy_vec_env_gives(names: list[str], kwargs: dict[str, Any]) -> None:
    env = UnoFlipVecEnv(4, SHORT, opponents=names, **kwargs)
    agents = [make_agent(name, kwargs["num_players"]) for name in names]
    singles = DummyVecEnv([lambda: UnoFlipEnv(SHORT, opponents=agents, **kwargs)] * 4)
    assert env.observation_space == singles.observation_space
    assert env.action_space == singles.action_space
    assert env.seed(5) == singles.seed(5)
    np.testing.assert_array_equal(env.reset(), singles.reset())
    assert [info["seat"] for info in env.reset_infos] == [info["seat"] for info in singles.reset_infos]
    rng, num_ended = np.random.default_rng(0), 0
    for _ in range(120):
        masks = get_action_masks(env)
        np.testing.assert_array_equal(masks, get_action_masks(singles))
        actions = np.array([rng.choice(np.flatnonzero(mask)) if rng.random() < 0.98 else NUM_ACTIONS - 1 for mask in masks])
        seen: Any = env.step(actions)
        expected: Any = singles.step(actions)
        for one, other in zip(seen[:3], expected[:3], strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
        for i, (info, other) in enumerate(zip(seen[3], expected[3], strict=True)):
            del other["action_mask"]
            assert info.keys() == other.keys()
            np.testing.assert_array_equal(info.get("terminal_observation"), other.get("terminal_observation"))
            assert (info["seat"], info["TimeLimit.truncated"]) == (other["seat"], other["TimeLimit.truncated"])
            assert info.get("illegal_action", "").replace(f"game {i}", "game 0") == other.get("illegal_action", "")
        num_ended += seen[2].sum()
    assert num_ended > 10


def test_the_losers_reward_comes_with_its_own_last_decision() -> None:
    """Others go out while the learner waits: the step of its last decision ends the episode and carries the -1."""
    env = UnoFlipVecEnv(32, SHORT, 2, opponents="greedy")
    env.seed(0)
    env.reset()
    paid = []
    for _ in range(40):
        masks = get_action_masks(env)
        _, rewards, is_over, infos = env.step(masks.argmax(axis=1))
        assert not rewards[~is_over].any()
        paid += rewards[is_over].tolist()
        for i in np.flatnonzero(is_over):
            assert infos[i]["terminal_observation"] in env.observation_space
    assert set(paid) == {1.0, -1.0}


def test_maskable_ppo_learns_on_it_and_logs_its_returns() -> None:
    """Rounds that are broken off after 12 turns, for the fewest cards: at first a game between equals."""
    rules = {"hand": 3, "max_turns": 12, "uno": "auto"}
    env, trial = (VecMonitor(UnoFlipVecEnv(64, rules, 2, opponents="random", illegal_action="raise")) for _ in range(2))
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=256, n_epochs=4, learning_rate=1e-3, device="cpu", seed=0)
    model.learn(10 * 32 * 64)
    assert model.ep_info_buffer is not None
    assert {episode["r"] for episode in model.ep_info_buffer} == {1.0, 0.0, -1.0}
    trial.seed(1000)
    returns, _ = evaluate_policy(model, trial, n_eval_episodes=1024, deterministic=False, return_episode_rewards=True)
    assert np.mean(returns) > 5 / np.sqrt(1024), "five standard errors above what equals would have"


def test_sb3_finds_what_it_asks_for() -> None:
    env = UnoFlipVecEnv(3, SHORT, 2)
    env.reset()
    assert is_masking_supported(env)
    assert env.has_attr("action_masks")
    assert not env.has_attr("no_such_thing")
    assert env.get_attr("render_mode") == [None] * 3
    assert env.env_is_wrapped(Monitor) == [False] * 3
    assert env.env_is_wrapped(Monitor, indices=1) == [False]
    (one,) = env.env_method("action_masks", indices=[2])
    np.testing.assert_array_equal(one, get_action_masks(env)[2])
    one[:] = False
    assert get_action_masks(env)[2].any()
    with pytest.raises(AttributeError, match="seat=1"):
        env.set_attr("seat", 1)
    env.close()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: UnoFlipVecEnv(2, opponents="gredy"), AgentError, "gredy"),
        (lambda: UnoFlipVecEnv(2, num_players=3, opponents=["greedy"]), ValueError, "got 1, expected one agent, or 2"),
        (lambda: UnoFlipVecEnv(2, "offical"), RulesError, "offical"),
    ],
)
def test_what_is_wrong_is_named(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
