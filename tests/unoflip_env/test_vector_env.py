"""The vectorised environment: what Gymnasium's SyncVectorEnv gives of as many single ones, and how opponents are asked."""

import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

from agents.baselines import Baseline
from unoflip_env import IllegalActionError
from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.gym_env import UnoFlipEnv
from unoflip_env.learners import choose_uniformly
from unoflip_env.observation import ObservationLayout
from unoflip_env.vector_env import UnoFlipVectorEnv

SHORT = {"hand": 2}


def baseline(name: str, max_players: int) -> Baseline:
    return Baseline(name, ObservationLayout(max_players))


CASES: list[dict[str, Any]] = [
    {"rules": SHORT, "num_players": 2},
    {"rules": SHORT, "num_players": 3, "opponents": [baseline("greedy", 3), baseline("sharp", 10)]},
    {"rules": {"preset": "berserker", "hand": 3, "illegal": "penalty"}, "num_players": 4, "reward": "points"},
    {"rules": {"hand": 1, "target": 100}, "num_players": 10, "seat": 9, "reward": "points", "episode": "match"},
]


def the_same(one: Any, other: Any) -> None:
    """Both are equal, dictionaries and arrays of objects too, but for the game that an illegal action was in."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            the_same(one[key], other[key])
    elif one.dtype == object:
        for place, (each, its_other) in enumerate(zip(one, other, strict=True)):
            shown = each.replace(f"game {place}, ", "game 0, ") if isinstance(each, str) else each
            np.testing.assert_array_equal(shown, its_other)
    else:
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def choose(masks: np.ndarray, rng: np.random.Generator, share_illegal: float = 0.0) -> np.ndarray:
    """Legal actions, and some that are not, with any at all where none is legal."""
    actions = choose_uniformly(masks, masks.astype(np.bool_), rng.random(len(masks)))
    return np.where(rng.random(len(masks)) < share_illegal, NUM_ACTIONS - 1, actions)


def both(num_envs: int, mode: AutoresetMode, kwargs: dict[str, Any]) -> tuple[UnoFlipVectorEnv, SyncVectorEnv]:
    env = UnoFlipVectorEnv(num_envs, autoreset_mode=mode, **kwargs)
    return env, SyncVectorEnv([lambda: UnoFlipEnv(**kwargs)] * num_envs, autoreset_mode=mode)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("kwargs", CASES)
def test_each_plays_the_game_that_a_single_one_plays(kwargs: dict[str, Any], mode: AutoresetMode) -> None:
    env, singles = both(5, mode, kwargs)
    assert env.observation_space == singles.observation_space
    assert env.action_space == singles.action_space
    assert env.metadata["autoreset_mode"] == singles.metadata["autoreset_mode"] == mode
    rng, num_ended = np.random.default_rng(0), 0
    seeds: list[Any] = [3, [9, 2, 2**63, 0, 7], [None, 1, None, None, 2]]
    for seed in seeds:
        seen: Any = env.reset(seed=seed)
        expected: Any = singles.reset(seed=seed)
        for _ in range(40):
            for one, other in zip(seen, expected, strict=True):
                the_same(one, other)
            actions = choose(seen[-1]["action_mask"], rng, share_illegal=0.01)
            seen, expected = env.step(actions), singles.step(actions)
            num_ended += seen[2].sum()
    assert num_ended > 5


class Uncompiled:
    """An agent without its compiled loop."""

    def __init__(self, agent: Baseline) -> None:
        self.act, self.layout = agent.act, agent.layout


@pytest.mark.parametrize(
    ("names", "kwargs"),
    [
        (["greedy"], {"rules": SHORT, "num_players": 2}),
        (["random", "sharp", "random_play"], {"rules": {"preset": "berserker", "hand": 3}, "num_players": 4}),
        (["sharp", "greedy"], {"rules": {"hand": 1, "target": 100}, "num_players": 3, "reward": "points", "episode": "match"}),
        (["greedy", "sharp"], {"rules": {"information": "fronts", "hand": 3}, "num_players": 3, "seat": 1}),
    ],
)
def test_opponents_in_a_compiled_loop_play_the_same_games(names: list[str], kwargs: dict[str, Any]) -> None:
    information = kwargs["rules"].get("information", "table")
    agents = [Baseline(name, ObservationLayout(10 if name == "sharp" else 4, information)) for name in names]
    env = UnoFlipVectorEnv(20, opponents=agents, **kwargs)
    slow = UnoFlipVectorEnv(20, opponents=[Uncompiled(agent) for agent in agents], **kwargs)
    assert env._learners._compiled
    assert not slow._learners._compiled
    seen: Any = env.reset(seed=1)
    expected: Any = slow.reset(seed=1)
    rng, num_ended = np.random.default_rng(0), 0
    for _ in range(60):
        for one, other in zip(seen, expected, strict=True):
            the_same(one, other)
        actions = choose(seen[-1]["action_mask"], rng)
        seen, expected = env.step(actions), slow.step(actions)
        num_ended += seen[2].sum()
    assert num_ended > 5


@pytest.mark.parametrize("kwargs", CASES[:2])
def test_without_autoreset_those_that_are_named_are_dealt_anew(kwargs: dict[str, Any]) -> None:
    env, singles = both(5, AutoresetMode.DISABLED, kwargs)
    rng, num_ended = np.random.default_rng(1), 0
    (observations, infos), _ = env.reset(seed=5), singles.reset(seed=5)
    for _ in range(200):
        actions = choose(infos["action_mask"], rng)
        observations, _, is_over, _, infos = env.step(actions)
        expected: Any = singles.step(actions)
        the_same(observations, expected[0])
        the_same(infos, expected[-1])
        if is_over.any():
            seeds = rng.integers(100, size=5).tolist()
            observations, infos = env.reset(seed=seeds, options={"reset_mask": is_over})
            expected = singles.reset(seed=seeds, options={"reset_mask": is_over})
            the_same(observations, expected[0])
            np.testing.assert_array_equal(infos["action_mask"][is_over], expected[1]["action_mask"][is_over])
            assert infos["action_mask"].any(axis=1).all()
        num_ended += is_over.sum()
    assert num_ended > 3


def test_a_number_seeds_each_with_the_next() -> None:
    env = UnoFlipVectorEnv(3, num_players=2)
    observations, _ = env.reset(seed=7)
    np.testing.assert_array_equal(env.reset(seed=[7, 8, 9])[0], observations)
    assert (env.reset()[0] != observations).any(axis=1).all()


def test_gymnasium_makes_it_by_default_and_on_demand_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        by_default = gymnasium.make_vec("UnoFlip-v0", num_envs=2, num_players=2, copy=False)
        on_demand = gymnasium.make_vec("UnoFlip-v0", num_envs=2, vectorization_mode="vector_entry_point", num_players=2)
        singles = gymnasium.make_vec("UnoFlip-v0", num_envs=2, vectorization_mode="sync", num_players=2)
    assert type(by_default) is type(on_demand) is UnoFlipVectorEnv
    seen, expected = on_demand.reset(seed=1), singles.reset(seed=1)
    the_same(seen[0], expected[0])
    the_same(seen[1], expected[1])
    assert by_default.spec is not None
    again = gymnasium.make_vec(by_default.spec)
    np.testing.assert_array_equal(again.reset(seed=1)[0], expected[0])


def test_gymnasiums_wrappers_go_around_it() -> None:
    env = RecordEpisodeStatistics(UnoFlipVectorEnv(64, SHORT, 2))
    _, infos = env.reset(seed=0)
    returns: list[float] = []
    rng = np.random.default_rng(0)
    for _ in range(300):
        _, _, _, _, infos = env.step(choose(infos["action_mask"], rng))
        returns += infos["episode"]["r"][infos["_episode"]].tolist() if "episode" in infos else []
    assert set(returns) == {1.0, -1.0}
    listed = DictInfoToList(UnoFlipVectorEnv(4, SHORT, 2)).reset(seed=0)[1]
    assert [set(info) for info in listed] == [{"action_mask", "seat"}] * 4


class Recorder:
    """An opponent that notes how many decisions it was asked for together."""

    def __init__(self, max_players: int) -> None:
        self.layout = ObservationLayout(max_players)
        self.batches: list[int] = []

    def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        assert observations.shape == (uniforms.size, self.layout.size)
        assert legal_mask.shape == (uniforms.size, NUM_ACTIONS)
        assert legal_mask.any(axis=1).all()
        assert (self.layout.view(observations)["actor"] == 1).all()  # it sees the table from its own seat
        self.batches.append(uniforms.size)
        return legal_mask.argmax(axis=1)


def test_an_opponent_is_asked_for_all_tables_together() -> None:
    """Tables drop out one by one until all learners decide."""
    opponent = Recorder(3)
    env = UnoFlipVectorEnv(50, num_players=3, opponents=opponent)
    _, infos = env.reset(seed=0)
    for _ in range(5):
        opponent.batches.clear()
        _, _, _, _, infos = env.step(infos["action_mask"].argmax(axis=1))
        assert opponent.batches == sorted(opponent.batches, reverse=True)
        assert opponent.batches[0] > 15


@pytest.mark.parametrize("copy", [True, False])
def test_arrays_are_the_callers_own_unless_it_shares_them(copy: bool) -> None:
    env = UnoFlipVectorEnv(3, num_players=2, copy=copy)
    observations, infos = env.reset(seed=0)
    before = observations.copy()
    after, _, _, _, infos_after = env.step(infos["action_mask"].argmax(axis=1))
    assert (after != before).any()
    np.testing.assert_array_equal(observations, before if copy else after)
    assert np.shares_memory(infos["action_mask"], infos_after["action_mask"]) is not copy


def test_an_illegal_action_loses_at_its_own_table_or_raises_and_changes_nothing() -> None:
    env = UnoFlipVectorEnv(4, num_players=2)
    _, infos = env.reset(seed=0)
    actions = infos["action_mask"].argmax(axis=1)
    actions[2] = -1
    _, rewards, is_over, _, infos = env.step(actions)
    assert is_over.tolist() == [False, False, True, False]
    assert rewards.tolist() == [0, 0, -1, 0]
    assert "action -1 is out of range" in infos["illegal_action"][2]
    env = UnoFlipVectorEnv(4, num_players=2, illegal_action="raise")
    before, infos = env.reset(seed=0)
    with pytest.raises(IllegalActionError, match="game 2, seat"):
        env.step(actions)
    env.step(infos["action_mask"].argmax(axis=1))
    np.testing.assert_array_equal(before, UnoFlipVectorEnv(4, num_players=2).reset(seed=0)[0])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda env: env.step(np.zeros(2, np.int64)), gymnasium.error.ResetNeeded, "call reset"),
        (lambda env: env.reset(seed=[1]), ValueError, r"seed=\[1\]"),
        (lambda env: env.reset(seed=[1, -1]), ValueError, "-1"),
        (lambda env: env.reset(options={"reset_mask": np.array([1, 0])}), ValueError, "reset_mask"),
        (lambda env: env.reset(options={"reset_mask": np.zeros(2, np.bool_)}), ValueError, "with a True in it"),
        (lambda env: env.reset(options={"reset_mask": np.array([True, False])}), gymnasium.error.ResetNeeded, "no environment"),
        (lambda env: env.reset() and env.step(np.zeros((2, 1), np.int64)), ValueError, r"expected \(2,\)"),
        (lambda env: env.reset() and env.step(np.zeros(2)), ValueError, "float64"),
        (lambda env: UnoFlipVectorEnv(2, seat=9), ValueError, "seat=9"),
        (lambda env: UnoFlipVectorEnv(2, autoreset_mode="never"), ValueError, "never"),
        (lambda env: UnoFlipVectorEnv(0), ValueError, "=0"),
    ],
)
def test_what_is_wrong_is_named(call: Callable[[UnoFlipVectorEnv], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(UnoFlipVectorEnv(2, num_players=2))


def test_without_autoreset_an_episode_that_is_over_is_not_stepped() -> None:
    env = UnoFlipVectorEnv(2, num_players=2, autoreset_mode="Disabled")
    env.reset(seed=0)
    env.step(np.array([116, -1]))
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"environments \[1\] are over"):
        env.step(np.array([116, 116]))


@pytest.mark.parametrize("answer", [np.zeros(1), np.zeros((20, 1), np.int64), np.int64(3)])
def test_an_opponent_that_answers_something_else_is_named(answer: Any) -> None:
    env = UnoFlipVectorEnv(20, num_players=2, seat=0, opponents=lambda observations, mask, uniforms: answer)
    with pytest.raises(ValueError, match=r"opponent .*: actions are"):
        env.reset(seed=list(range(20)))
