import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unoflip_env.play import cards_in_play, hands_agree, play, random_actions, sets_agree, tables
from unoflip_env.actions import DRAW_CARD, NUM_ACTIONS
from unoflip_env.deck import CLASSIC_SLOTS, NUM_CARDS
from unoflip_env.engine import Engine, IllegalActionError
from unoflip_env.game import GAME, NOBODY, Phase
from unoflip_env.rules import RulesError

SEEDS = st.integers(0, 2**64 - 1)


@settings(max_examples=60, deadline=None)
@given(table=tables(), seed=SEEDS, episode=st.sampled_from(["round", "match"]))
def test_every_card_is_in_one_place_and_somebody_can_act(table, seed, episode):
    rules, num_players = table
    cards = CLASSIC_SLOTS.tolist() if rules.deck == "classic" else list(range(NUM_CARDS))
    engine = Engine(rules, 2, seed, num_players=num_players, episode=episode)
    for _ in play(engine, np.random.default_rng(0), 120):
        is_over = engine.phase == Phase.OVER
        assert (engine.legal_mask().any(axis=1) == ~is_over).all()
        assert ((engine.actor == NOBODY) == is_over).all()
        for record in engine.games:
            assert cards_in_play(record) == cards
            assert hands_agree(record)
            assert sets_agree(record)


@settings(max_examples=20, deadline=None)
@given(table=tables(), seed=SEEDS)
def test_a_game_is_the_same_alone_in_a_batch_and_on_threads(table, seed):
    rules, num_players = table
    batch = Engine(rules, 600, seed, num_players=num_players)
    threaded = Engine(rules, 600, seed, num_players=num_players, num_threads=2)
    alone = Engine(rules, 1, num_players=num_players)
    alone.restore(0, batch.snapshot(599))
    rng = np.random.default_rng(1)
    for _ in range(30):
        actions = random_actions(batch, rng)
        for engine in (batch, threaded):
            engine.step(actions)
        alone.step(actions[599:])
        assert threaded.games.tobytes() == batch.games.tobytes()
        assert alone.games[0].tobytes() == batch.games[599].tobytes()


def test_seeds_name_games_whatever_the_batch():
    seeds = np.array([11, 12, 13], np.uint64)
    batch, alone = Engine(num_games=3), Engine(num_games=1)
    batch.reset(seeds)
    alone.reset(seeds[1:2])
    assert alone.games[0].tobytes() == batch.games[1].tobytes()
    assert batch.games[0].tobytes() != batch.games[2].tobytes()


def test_a_seed_gives_the_same_games_and_another_seed_others():
    assert Engine(num_games=5, seed=3).games.tobytes() == Engine(num_games=5, seed=3).games.tobytes()
    assert Engine(num_games=5, seed=3).games[0].tobytes() == Engine(num_games=1, seed=3).games[0].tobytes()
    assert Engine(num_games=5, seed=3).games.tobytes() != Engine(num_games=5, seed=4).games.tobytes()


def test_reset_goes_on_to_the_next_episode():
    engine = Engine(num_games=2, seed=3)
    first = engine.games.tobytes()
    engine.reset(which=[1])
    assert engine.games[:1].tobytes() == first[: engine.games.itemsize]
    assert engine.games.tobytes() != first
    engine.seed(3)
    assert engine.games.tobytes() == first


TRACE = """
import hashlib, sys
import numpy as np
from tests.unoflip_env.play import play
from unoflip_env.engine import Engine
from unoflip_env.rules import PRESETS
digest = hashlib.sha256()
for preset in PRESETS:
    engine = Engine(preset, 3, 5, num_players=3, episode="match")
    for _ in play(engine, np.random.default_rng(2), 150):
        digest.update(engine.games.tobytes() + engine.legal_mask().tobytes() + engine.observe().tobytes())
    digest.update(engine.determinize(0, 1, 9).tobytes())
print(digest.hexdigest())
"""


def test_compiled_and_interpreted_kernels_agree():
    def run(**env: str) -> str:
        command = [sys.executable, "-W", "ignore", "-c", TRACE]
        return subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, check=True).stdout

    compiled = run()
    assert len(compiled.strip()) == 2 * hashlib.sha256().digest_size
    assert run(NUMBA_DISABLE_JIT="1") == compiled


@settings(max_examples=20, deadline=None)
@given(table=tables(), seed=SEEDS)
def test_a_restored_game_goes_on_identically(table, seed):
    rules, num_players = table
    engine = Engine(rules, 1, seed, num_players=num_players, episode="match")
    for _ in play(engine, np.random.default_rng(3), 25):
        pass
    saved = engine.snapshot()
    endings = []
    for _ in range(2):
        engine.restore(0, saved)
        for _ in play(engine, np.random.default_rng(4), 40):
            pass
        endings.append(engine.games.tobytes())
    assert endings[0] == endings[1]


@pytest.mark.parametrize("action", [-1, NUM_ACTIONS, 115, 2**40])
def test_an_illegal_action_is_named_and_changes_nothing(action):
    engine = Engine(num_games=3, seed=1, num_players=4)
    actions = np.full(3, DRAW_CARD)
    actions[1] = action
    before = engine.games.tobytes()
    with pytest.raises(IllegalActionError, match=rf"game 1, seat {engine.actor[1]}: action {action}\b"):
        engine.step(actions)
    assert engine.games.tobytes() == before


def test_an_illegal_action_says_what_would_be_legal():
    engine = Engine(seed=1)
    with pytest.raises(IllegalActionError, match=r"action 117 \(keep\) is not legal in phase PLAY; legal: .*116 \(draw\)"):
        engine.step([117])


@pytest.mark.parametrize("actions", [[116, 116], [[116]], [116.0], 116])
def test_actions_of_another_shape_are_refused(actions):
    with pytest.raises(ValueError, match=r"expected integers of shape \(1,\)"):
        Engine(seed=1).step(actions)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_games": 0}, "num_games=0"),
        ({"num_threads": 0}, "num_threads=0"),
        ({"episode": "set"}, "episode='set': expected 'round' or 'match'"),
        ({"reward": "score"}, "reward='score'"),
        ({"num_players": 1}, "num_players=1: expected 2 to 10"),
        ({"num_players": 11}, "num_players=11: expected 2 to 10"),
        ({"rules": "oficial"}, "rules='oficial': expected Rules, options, one of official, "),
        ({"rules": {"hand": 60}}, "hand=60 with num_players=2: .* at most 55"),
        ({"rules": {"dealer": 3}}, "dealer=3 with num_players=2"),
        ({"rules": {"handd": 3}}, "'handd' is not an option"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        Engine(**arguments)


def test_seeds_are_any_numbers_of_64_bits():
    engine = Engine(num_games=2)
    engine.reset(seeds=[2**64 - 1, 0])
    last = engine.games.copy()
    engine.reset(seeds=np.array([2**64 - 1, 0], np.uint64))
    assert (engine.games == last).all()
    assert engine.observe(seats=[], which=[]).shape == (0, engine.layout.size)


def test_bad_requests_are_named():
    engine = Engine(num_games=2)
    for call, message in [
        (lambda: engine.reset([1]), "1 seeds for 2 games"),
        (lambda: engine.reset(which=[2]), "which=.*expected games 0 to 1"),
        (lambda: engine.step([116, 116], which=[0, 0]), "which=.*in rising order"),
        (lambda: engine.step([116], which=[0.5]), "which=.*expected games 0 to 1"),
        (lambda: engine.step([116, 116], which=[1]), r"expected integers of shape \(1,\)"),
        (lambda: engine.observe(seats=[0, 1], which=[1]), "shape"),
        (lambda: engine.observe(seats=[0, 2]), "expected 0 to 1"),
        (lambda: engine.observe(seats=[0.7, 1.0]), "expected 0 to 1"),
        (lambda: engine.reset(seeds=[1.7, 2.0]), "expected integers 0 to"),
        (lambda: engine.snapshot(2), "game=2"),
        (lambda: engine.determinize(0, 2, 0), "seat=2"),
        (lambda: engine.restore(0, Engine(num_players=3).snapshot()), "3 seats, expected 2"),
        (lambda: engine.restore(0, np.zeros((), np.int64)), "dtype GAME"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()


@pytest.mark.parametrize("which", [[1, 3], [0, 1, 2, 3, 4], []])
def test_some_games_go_on_as_they_would_among_all(which):
    engine, whole = Engine(num_games=5, seed=1, num_players=3), Engine(num_games=5, seed=1, num_players=3)
    others = np.setdiff1d(np.arange(5), which)
    begin = whole.games.tobytes()
    rng = np.random.default_rng(0)
    for _ in range(100):
        np.testing.assert_array_equal(engine.legal_mask(which=which), whole.legal_mask()[which])
        np.testing.assert_array_equal(engine.observe(which=which), whole.observe()[which])
        np.testing.assert_array_equal(engine.observe(seats=2, which=which), whole.observe(seats=2)[which])
        actions = random_actions(whole, rng)
        whole.step(actions)
        masks, observations = (
            np.empty((len(which), NUM_ACTIONS), np.bool_),
            np.empty((len(which), engine.layout.size), np.uint8),
        )
        engine.step(actions[which], masks, observations, which)
        assert engine.games[which].tobytes() == whole.games[which].tobytes()
        np.testing.assert_array_equal(masks, whole.legal_mask()[which])
        np.testing.assert_array_equal(observations, whole.observe()[which])
    assert engine.games[others].tobytes() == np.frombuffer(begin, GAME)[others].tobytes()


def test_an_illegal_action_among_some_games_names_its_game():
    engine = Engine(num_games=5, seed=1)
    with pytest.raises(IllegalActionError, match="game 3, seat") as refusal:
        engine.step([DRAW_CARD, -1], which=[1, 3])
    assert refusal.value.game == 3


def test_games_that_are_over_wait():
    engine = Engine(num_games=2, rules={"hand": 1, "uno": "auto"}, seed=2)
    engine.reset(np.array([5, 6], np.uint64))
    for _ in play(engine, np.random.default_rng(0), 10_000):
        if engine.is_over.any():
            break
    over = engine.is_over.argmax()
    assert engine.rewards[over].any()
    record = engine.games[over].tobytes()
    engine.step(random_actions(engine, np.random.default_rng(0)))
    assert engine.games[over].tobytes() == record
    assert not engine.rewards[over].any()
    assert not engine.legal_mask()[over].any()


def test_auto_reset_deals_anew_and_still_tells_of_the_end():
    engine = Engine({"hand": 2}, 64, seed=2, num_players=3, auto_reset=True)
    rng = np.random.default_rng(0)
    num_episodes = 0
    for _ in range(400):
        engine.step(random_actions(engine, rng))
        assert (engine.phase != Phase.OVER).all()
        assert (engine.rewards.any(axis=1) == engine.is_over).all()
        assert (engine.games.num_turns[engine.is_over] <= 1).all()
        num_episodes += engine.is_over.sum()
    assert num_episodes > 64


@pytest.mark.parametrize("num_players", [2, 5])
def test_the_winner_gets_one_and_the_others_share_minus_one(num_players):
    engine = Engine({"hand": 2}, 32, seed=2, num_players=num_players)
    rng = np.random.default_rng(0)
    ended = 0
    for _ in play(engine, rng, 20_000):
        for game in np.flatnonzero(engine.is_over & engine.rewards.any(axis=1)):
            rewards, record = engine.rewards[game], engine.games[game]
            assert sorted(rewards) == pytest.approx([-1 / (num_players - 1)] * (num_players - 1) + [1])
            assert record.winners == 1 << int(rewards.argmax())
            assert record.hand_size[rewards.argmax()] == 0
            ended += 1
    assert ended >= 30


def test_rewards_in_points_add_up_to_the_scores():
    engine = Engine({"hand": 2, "target": 150}, 8, seed=2, num_players=3, episode="match", reward="points")
    rng = np.random.default_rng(0)
    won = np.zeros((8, 3))
    for _ in play(engine, rng, 20_000):
        won += np.maximum(engine.rewards, 0)
        assert engine.rewards.sum(axis=1) == pytest.approx(0)
    won += np.maximum(engine.rewards, 0)
    assert (engine.phase == Phase.OVER).all()
    assert (won == engine.games.scores[:, :3]).all()
    assert (won.max(axis=1) >= 150).all()


def test_a_record_has_no_holes():
    assert sum(GAME[name].itemsize for name in GAME.names or ()) == GAME.itemsize


def test_rules_error_is_a_value_error():
    assert issubclass(RulesError, ValueError)


@pytest.mark.parametrize("num_threads", [1, 2])
def test_a_step_fills_the_buffers_as_asking_afterwards_does(num_threads: int) -> None:
    engine = Engine("stacking", 600, seed=3, num_players=3, auto_reset=True, num_threads=num_threads)
    mask = engine.legal_mask(np.empty((600, NUM_ACTIONS), np.int8))
    observation = np.empty((600, engine.layout.size), np.uint8)
    rng, num_ended = np.random.default_rng(0), 0
    for _ in range(300):
        engine.step((mask * rng.random(mask.shape)).argmax(axis=1), mask=mask, observation=observation)
        num_ended += int(engine.is_over.sum())
        np.testing.assert_array_equal(mask, engine.legal_mask())
        np.testing.assert_array_equal(observation, engine.observe())
    assert num_ended > 0


@pytest.mark.parametrize(
    ("shape", "dtype"), [((3, NUM_ACTIONS), np.bool_), ((4, NUM_ACTIONS - 1), np.bool_), ((4, NUM_ACTIONS), np.float32)]
)
def test_a_buffer_that_kernels_must_not_write_to_is_refused(shape: tuple[int, int], dtype: type) -> None:
    engine = Engine(num_games=4)
    wrong: np.ndarray = np.zeros(shape, dtype)
    for call in (
        lambda: engine.legal_mask(wrong),
        lambda: engine.observe(out=wrong),
        lambda: engine.step(np.zeros(4, int), mask=wrong),
        lambda: engine.legal_mask(np.zeros((NUM_ACTIONS, 4), np.bool_).T),
    ):
        with pytest.raises(ValueError, match="buffer: "):
            call()
