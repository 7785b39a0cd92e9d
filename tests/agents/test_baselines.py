from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.baselines import BASELINES, Baseline
from tests.agents.observing import LAYOUT, mask, observe, slot
from tests.unoflip_env.play import play, tables
from unoflip_env.actions import ACCEPT, CATCH, CHALLENGE, COLOR, DECLINE, DRAW_CARD, KEEP, SAY_UNO
from unoflip_env.deck import DARK
from unoflip_env.engine import Engine
from unoflip_env.game import Phase
from unoflip_env.rules import Rules

NUM_GAMES = 8


def act(name: str, observation: np.ndarray, legal_mask: np.ndarray, uniform: float = 0.0) -> int:
    """The action of a baseline in one position."""
    return int(Baseline(name, LAYOUT).act(observation[None], legal_mask[None], np.array([uniform]))[0])


@settings(max_examples=40, deadline=None)
@given(tables(), st.integers(0, 2**32))
def test_only_legal_actions(table: tuple[Rules, int], seed: int) -> None:
    rules, num_players = table
    engine = Engine(rules, NUM_GAMES, seed, num_players=num_players)
    agents = [Baseline(name, engine.layout) for name in BASELINES]
    rng = np.random.default_rng(seed)
    for _ in play(engine, rng, 60):
        rows = np.flatnonzero(engine.phase != Phase.OVER)
        legal_mask, observations = engine.legal_mask()[rows], engine.observe()[rows]
        for agent in agents:
            chosen = agent.act(observations, legal_mask, rng.random(rows.size))
            assert legal_mask[np.arange(rows.size), chosen].all(), (agent.name, observations, chosen)


@settings(max_examples=20, deadline=None)
@given(tables(), st.integers(0, 2**32))
def test_what_a_seat_cannot_know_does_not_matter(table: tuple[Rules, int], seed: int) -> None:
    rules, num_players = table
    engine, other = (Engine(rules, 1, seed, num_players=num_players) for _ in range(2))
    agents = [Baseline(name, engine.layout) for name in BASELINES]
    for step in play(engine, np.random.default_rng(seed), 40):
        other.restore(0, engine.determinize(0, int(engine.actor[0]), step))
        for agent in agents:
            chosen = [agent.act(e.observe(), e.legal_mask(), np.array([0.3])) for e in (engine, other)]
            assert chosen[0] == chosen[1], agent.name


def test_rows_do_not_depend_on_each_other() -> None:
    engine = Engine(num_games=256, num_players=4)
    rng = np.random.default_rng(0)
    for _ in play(engine, rng, 20):
        pass
    rows = np.flatnonzero(engine.phase != Phase.OVER)
    batch = engine.observe()[rows], engine.legal_mask()[rows], rng.random(rows.size)
    for name in BASELINES:
        agent = Baseline(name, engine.layout)
        alone = [agent.act(*(part[i : i + 1] for part in batch))[0] for i in range(rows.size)]
        np.testing.assert_array_equal(agent.act(*batch), alone)


@pytest.mark.parametrize(("name", "legal"), [("random", [3, 77, DRAW_CARD]), ("random_play", [3, 77, 110])])
def test_random_is_uniform(name: str, legal: list[int]) -> None:
    uniforms = (np.arange(300) + 0.5) / 300
    chosen = Baseline(name, LAYOUT).act(np.zeros((300, LAYOUT.size), np.uint8), np.tile(mask(*legal), (300, 1)), uniforms)
    assert Counter(chosen.tolist()) == dict.fromkeys(legal, 100)


@pytest.mark.parametrize(
    ("legal", "expected"),
    [
        ([3, DRAW_CARD], {3}),
        ([DRAW_CARD], {DRAW_CARD}),
        ([3, SAY_UNO, DRAW_CARD], {SAY_UNO}),
        ([CATCH, DECLINE], {CATCH}),
        ([ACCEPT, CHALLENGE], {ACCEPT, CHALLENGE}),
        ([90, KEEP], {90}),
        ([COLOR, COLOR + 1, COLOR + 2, COLOR + 3], {COLOR, COLOR + 1, COLOR + 2, COLOR + 3}),
    ],
)
def test_random_play_plays_when_it_can(legal: list[int], expected: set[int]) -> None:
    chosen = {act("random_play", np.zeros(LAYOUT.size, np.uint8), mask(*legal), u) for u in np.arange(0, 1, 0.1)}
    assert chosen == expected


HAND = ["red 3", "red 9", "blue skip", "wild"]


@pytest.mark.parametrize(
    ("hand", "legal", "expected"),
    [
        (HAND, [slot("red 3"), slot("red 9"), DRAW_CARD], slot("red 9")),
        (HAND, [slot("red 9"), slot("blue skip"), DRAW_CARD], slot("blue skip")),
        (HAND, [slot("red 9"), slot("blue skip"), slot("wild"), DRAW_CARD], slot("wild")),
        (HAND, [DRAW_CARD], DRAW_CARD),
        (["red 3", "red 3"], [slot("red 3"), slot("red 3", copy=1), DRAW_CARD], slot("red 3")),
        (["red 3", "red 4"], [slot("red 3"), slot("red 4"), DRAW_CARD, SAY_UNO], SAY_UNO),
        (HAND, [slot("red 3"), KEEP], slot("red 3")),
        (["red 3", "blue 1", "blue 2"], list(range(COLOR, COLOR + 4)), COLOR + 3),
        (["blue 1", "red 3"], list(range(COLOR, COLOR + 4)), COLOR),
        (HAND, [ACCEPT, CHALLENGE], ACCEPT),
        (HAND, [CATCH, DECLINE], CATCH),
        (["red 3"], [SAY_UNO, DECLINE], SAY_UNO),
    ],
)
def test_greedy(hand: list[str], legal: list[int], expected: int) -> None:
    assert act("greedy", observe(hand), mask(*legal)) == expected


def test_greedy_counts_points_on_the_side_in_play() -> None:
    """On the dark side a Draw Five is worth 20 and a Skip Everyone 30 (SCORE-1)."""
    cards = [slot("pink draw_five", DARK), slot("pink skip_everyone", DARK)]
    observation = observe(["pink draw_five", "pink skip_everyone"], side=DARK, top="pink 4")
    assert act("greedy", observation, mask(*cards, DRAW_CARD)) == cards[1]
