"""The Gymnasium environment: the usual checkers, and that the learner gets its own reward at its own steps."""

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_checker import check_env as sb3_check_env

from unoflip_env import PRESETS, Engine, IllegalActionError
from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.gym_env import UnoFlipEnv
from unoflip_env.learners import choose_uniformly
from unoflip_env.observation import ObservationLayout, observation_layout

CASES: list[dict[str, Any]] = [
    {},
    {"num_players": 2, "rules": "casual"},
    {"num_players": 10, "seat": 9, "reward": "points", "episode": "match"},
    *({"rules": preset, "num_players": 3} for preset in PRESETS),
]


@pytest.mark.parametrize("kwargs", CASES)
def test_passes_gymnasiums_checker_without_a_warning(kwargs: dict[str, Any]) -> None:
    env = gymnasium.make("UnoFlip-v0", **kwargs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


@pytest.mark.parametrize("kwargs", CASES)
def test_passes_stable_baselines_checker_without_a_warning(kwargs: dict[str, Any]) -> None:
    env = gymnasium.make("UnoFlip-v0", **kwargs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sb3_check_env(env)


def test_maskable_ppo_learns_with_legal_actions_alone() -> None:
    env = gymnasium.make("UnoFlip-v0", num_players=2, illegal_action="raise")
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=32, n_epochs=1, device="cpu", seed=0)
    model.learn(128)
    assert model.num_timesteps == 128


def play(env: Any, seed: int | None, rng: np.random.Generator) -> list[float]:
    """One random episode: the reward of each step of the learner."""
    _, info = env.reset(seed=seed)
    rewards, is_over = [], False
    while not is_over:
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        _, reward, is_over, _, info = env.step(action)
        rewards.append(reward)
    return rewards


@pytest.mark.parametrize("num_players", [2, 4])
def test_the_learners_last_step_says_whether_it_won(num_players: int) -> None:
    env = UnoFlipEnv(num_players=num_players)
    rng = np.random.default_rng(0)
    seen = set()
    for seed in range(12):
        *earlier, last = play(env, seed, rng)
        won = bool(int(env._engine.games["winners"][0]) >> env._seat & 1)
        assert not any(earlier)
        assert last == pytest.approx(1 if won else -1 / (num_players - 1))
        seen.add(won)
    assert seen == {True, False}


def test_no_reward_is_lost_while_others_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one card each, many rounds of a match are over before the learner has decided anything."""
    env = UnoFlipEnv({"hand": 1, "target": 200}, 3, seat=2, episode="match", reward="points")
    received = []
    advance = Engine.advance

    def spy(engine: Engine, *arguments: Any, **named: Any) -> None:
        advance(engine, *arguments, **named)
        received.append(float(engine.rewards[0, 2]))

    monkeypatch.setattr(Engine, "advance", spy)
    rng = np.random.default_rng(0)
    for seed in range(5):
        received.clear()
        assert sum(play(env, seed, rng)) == sum(received)
        assert any(received)


def test_reset_always_leads_to_a_decision_of_the_learner() -> None:
    env = UnoFlipEnv({"hand": 1}, 2, seat=0)
    for seed in range(30):
        _, info = env.reset(seed=seed)
        assert env._engine.actor[0] == 0
        assert info["action_mask"].any()


def test_a_seed_fixes_the_whole_episode() -> None:
    env, again = UnoFlipEnv(), UnoFlipEnv()
    trails = []
    for each in (env, again):
        trail: list[Any] = []
        observation, info = each.reset(seed=9)
        is_over = False
        while not is_over:
            trail.append((observation.tobytes(), info["seat"]))
            observation, _, is_over, _, info = each.step(info["action_mask"].argmax())
        trails.append(trail)
        trail.append(each.reset()[0].tobytes())
    assert trails[0] == trails[1]


def test_a_seed_deals_what_the_engine_deals() -> None:
    for seed in range(5):
        engine = Engine(seed=seed, num_players=3)
        env = UnoFlipEnv(num_players=3, seat=int(engine.actor[0]))
        observation, _ = env.reset(seed=seed)
        np.testing.assert_array_equal(observation, engine.observe()[0])


def test_the_learners_seat_is_drawn_or_fixed() -> None:
    env = UnoFlipEnv(num_players=3)
    assert {env.reset(seed=seed)[1]["seat"] for seed in range(30)} == {0, 1, 2}
    env = UnoFlipEnv(num_players=3, seat=1)
    assert {env.reset(seed=seed)[1]["seat"] for seed in range(5)} == {1}


class Recorder:
    """An opponent with a layout of its own that notes on which seats it plays."""

    layout = ObservationLayout(10)

    def __init__(self) -> None:
        self.places: set[int] = set()
        self.env: UnoFlipEnv | None = None

    def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        assert self.env is not None
        assert observations.shape == (1, self.layout.size)
        assert observations.dtype == np.uint8
        assert legal_mask.shape == (1, NUM_ACTIONS)
        assert legal_mask.dtype == np.bool_
        assert uniforms.shape == (1,)
        assert self.layout.view(observations)["actor"] == 1  # it sees the table from its own seat
        self.places.add((int(self.env._engine.actor[0]) - self.env._seat) % 4)
        return legal_mask.argmax(axis=1)


def test_opponents_sit_in_order_from_the_learner() -> None:
    opponents = [Recorder(), Recorder(), Recorder()]
    env = UnoFlipEnv(num_players=4, opponents=opponents)
    for opponent in opponents:
        opponent.env = env
    for seed in range(3):
        play(env, seed, np.random.default_rng(seed))
    assert [opponent.places for opponent in opponents] == [{1}, {2}, {3}]


def test_one_opponent_plays_every_other_seat() -> None:
    opponent = Recorder()
    opponent.env = env = UnoFlipEnv(num_players=4, opponents=opponent)
    play(env, 0, np.random.default_rng(0))
    assert opponent.places == {1, 2, 3}


def test_an_opponents_illegal_action_is_reported_as_its_own() -> None:
    env = UnoFlipEnv(num_players=2, seat=0, opponents=lambda observations, mask, uniforms: mask.argmin(axis=1))
    with pytest.raises(IllegalActionError, match="seat 1"):
        play(env, 0, np.random.default_rng(0))


def test_the_default_opponent_chooses_uniformly_among_the_legal() -> None:
    mask = np.zeros((300, NUM_ACTIONS), np.bool_)
    mask[:, [3, 40, 116]] = True
    chosen = choose_uniformly(np.zeros((300, 1), np.uint8), mask, np.arange(300) / 300)
    assert dict(zip(*np.unique(chosen, return_counts=True), strict=True)) == {3: 100, 40: 100, 116: 100}
    assert choose_uniformly(np.zeros((1, 1), np.uint8), mask[:1], np.array([np.nextafter(1, 0)]))[0] == 116


@pytest.mark.parametrize(("reward", "penalty"), [("win", -1), ("points", -500)])
def test_an_illegal_action_loses(reward: Any, penalty: float) -> None:
    env = UnoFlipEnv(num_players=4, reward=reward)
    _, info = env.reset(seed=0)
    observation, paid, terminated, truncated, info = env.step(int(info["action_mask"].argmin()))
    assert (paid, terminated, truncated) == (penalty, True, False)
    assert "is not legal" in info["illegal_action"]
    assert not info["action_mask"].any()
    assert observation in env.observation_space
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset()
    assert env.action_masks().any()


def test_an_illegal_action_raises_on_demand() -> None:
    env = UnoFlipEnv(num_players=2, illegal_action="raise")
    observation, info = env.reset(seed=0)
    with pytest.raises(IllegalActionError, match="legal: "):
        env.step(int(info["action_mask"].argmin()))
    np.testing.assert_array_equal(env._engine.observe(seats=info["seat"])[0], observation)
    env.step(int(info["action_mask"].argmax()))


def test_the_masks_agree() -> None:
    env = gymnasium.make("UnoFlip-v0", num_players=2)
    _, info = env.reset(seed=0)
    masks = env.get_wrapper_attr("action_masks")()
    assert masks.dtype == np.bool_
    assert info["action_mask"].dtype == np.int8
    np.testing.assert_array_equal(masks, info["action_mask"])
    assert masks[env.action_space.sample(info["action_mask"])]


@pytest.mark.parametrize("kwargs", [{"num_players": 3}, {"num_players": 2, "rules": {"information": "fronts"}}])
def test_the_learner_sees_what_its_seat_may_know(kwargs: dict[str, Any]) -> None:
    env = UnoFlipEnv(**kwargs)
    observation, info = env.reset(seed=1)
    engine = env._engine
    np.testing.assert_array_equal(observation, engine.observe(seats=info["seat"])[0])
    for seed in range(10):
        true = engine.snapshot()
        engine.restore(0, engine.determinize(0, info["seat"], seed))
        np.testing.assert_array_equal(engine.observe(seats=info["seat"])[0], observation)
        np.testing.assert_array_equal(env.action_masks(), info["action_mask"])
        engine.restore(0, true)
    assert set(info) == {"action_mask", "seat"}


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"seat": 4}, "seat=4"),
        ({"illegal_action": "ignore"}, "illegal_action='ignore'"),
        ({"opponents": [choose_uniformly]}, "got 1, expected one agent, or 3"),
        ({"opponents": "greedy"}, "opponent 'greedy': expected an object with `act`"),
        ({"opponents": 3}, "opponent 3"),
        ({"opponents": type("Wide", (Recorder,), {"layout": observation_layout(2)})()}, "max_players"),
        ({"rules": "offical"}, "offical"),
        ({"render_mode": "depth_array"}, "render_mode='depth_array'"),
    ],
)
def test_a_wrong_argument_is_named(kwargs: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        UnoFlipEnv(**kwargs)


def test_renders_the_learners_view() -> None:
    env = gymnasium.make("UnoFlip-v0", num_players=3, seat=2, render_mode="ansi")
    env.reset(seed=0)
    assert "Hand of player_2" in str(env.render())


def test_describes_its_observation(capsys: pytest.CaptureFixture[str]) -> None:
    env = UnoFlipEnv(num_players=2)
    env.describe_observation()
    assert f"-{env.reset()[0].size - 1}  " in capsys.readouterr().out
