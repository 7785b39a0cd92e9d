"""A live table: moves, refusals, rests, records; what its agents are told."""

from __future__ import annotations

import numpy as np
import pytest

from eval.live.advice import Asked
from eval.live.table import LiveTable, PlayError, seat_players
from tests.eval.live.tables import live_table, play_bots
from tests.eval.own_agents import Cheat, Quitting
from unoflip_env.actions import CHALLENGE, DRAW_CARD, NUM_ACTIONS
from unoflip_env.observation import observation_layout
from unoflip_env.records import check
from unoflip_env.rules import PRESETS, RulesError


def play_on(table: LiveTable, seed: int = 0) -> None:
    """People do anything until the game is over."""
    rng = np.random.default_rng(seed)
    while not table.is_done:
        play_bots(table)
        if table.is_resting:
            if not table.is_done:
                table.go_on(table.num_decisions)
        else:
            seat = table.actor
            assert seat is not None
            table.act(seat, table.num_decisions, int(rng.choice(table.question(table.view(seat)).actions)))


@pytest.mark.parametrize("preset", PRESETS)
def test_a_match_under_any_rules_is_played_and_recorded(preset: str) -> None:
    table = live_table("sharp", "greedy", preset=preset, episode="match", target=40, hand=4)
    play_on(table)
    record = table.records()[0]
    assert (record.agents, record.result.is_finished) == (["person", "sharp", "greedy"], True)
    assert "won the match" in table.ending
    check(record)


def test_games_follow_each_other_and_the_last_one_may_be_broken_off() -> None:
    table = live_table("greedy", num_people=2, hand=2)
    assert table.records() == []
    for _ in range(2):
        play_on(table)
        table.go_on(table.num_decisions)
    assert table.num_decisions > 4
    assert [record.result.is_finished for record in table.records()] == [True, True]
    play_bots(table)
    assert table.actor is not None
    table.act(table.actor, table.num_decisions, DRAW_CARD)
    records = table.records()
    assert [(record.game, record.games, record.result.is_finished) for record in records] == [
        (1, 3, True),
        (2, 3, True),
        (3, 3, False),
    ]
    assert len({record.seed for record in records}) == 3
    for record in records:
        check(record)


def test_the_same_seed_gives_the_same_games() -> None:
    first, again = live_table("sharp", seed=7, hand=3), live_table("sharp", seed=7, hand=3)
    play_on(first)
    play_on(again)
    assert first.records() == again.records()
    other = live_table("sharp", seed=8, hand=3)
    assert other.records() != first.records()
    assert other.engine.games["rng_key"][0] != first.engine.games["rng_key"][0]


def test_a_move_that_cannot_be_made_changes_nothing() -> None:
    table = live_table("greedy", num_people=2)
    play_bots(table)
    actor, number = table.actor, table.num_decisions
    assert actor is not None
    before = table.engine.snapshot()
    for seat, decision, action, words in [
        (1 - actor, number, DRAW_CARD, "it is not your turn"),
        (actor, number - 1, DRAW_CARD, f"decision {number - 1} is over: expected {number}"),
        (actor, number + 1, DRAW_CARD, "expected"),
        (actor, number, CHALLENGE, f"action {CHALLENGE}: not legal now; legal: .*Draw"),
        (actor, number, -1, "action -1: not legal"),
        (actor, number, NUM_ACTIONS, "not legal"),
        (actor, number, 10**30, "not legal"),
    ]:
        with pytest.raises(PlayError, match=words):
            table.act(seat, decision, action)
    with pytest.raises(PlayError, match="no round has just ended"):
        table.go_on(number)
    assert (table.engine.snapshot(), table.num_decisions) == (before, number)


def test_a_card_that_does_not_fit_is_refused_though_the_rules_would_fine_it() -> None:
    table = live_table("greedy", preset="classic")
    play_bots(table)
    view = table.view(0)
    wrong = next(slot for slot in view.slots if not view.legal[slot])
    with pytest.raises(PlayError, match="not legal now"):
        table.act(0, table.num_decisions, wrong)


def test_nobody_decides_while_the_table_rests() -> None:
    table = live_table("greedy", episode="match", hand=2)
    while not table.is_resting:
        play_bots(table)
        if table.actor == 0:
            table.act(0, table.num_decisions, table.question(table.view(0)).actions[0])
    assert table.actor is None
    assert table.last_end is not None
    assert table.question(table.view(0)).actions == []
    with pytest.raises(PlayError, match="not your turn"):
        table.act(0, table.num_decisions, DRAW_CARD)
    decision = table.num_decisions
    table.go_on(decision)
    assert not table.is_resting
    with pytest.raises(PlayError, match="is over"):
        table.go_on(decision)


@pytest.mark.parametrize("kind", [Cheat, Quitting])
def test_an_agent_without_a_legal_answer_gets_the_first_legal_action(kind: type[Cheat]) -> None:
    """People play on: nobody else's game ends because a bot gives up."""
    table = LiveTable(seat_players(1, [kind(observation_layout(2))]), PRESETS["official"].replace(hand=2), "round", 3)
    play_on(table)
    assert table.records()[0].result.is_finished


def test_names_tell_players_apart() -> None:
    table = live_table("greedy", "sharp", "greedy", num_people=2)
    assert table.names == ["person 1", "person 2", "greedy 1", "sharp", "greedy 2"]
    with pytest.raises(RulesError, match="num_players=11"):
        live_table(num_people=11)


class Weighing(Cheat):
    """Thinks that all legal actions are alike but the last, which is twice as good."""

    def evaluate(self, observations: np.ndarray, legal_mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        weights = legal_mask.astype(np.float32)
        weights[0, np.flatnonzero(legal_mask[0])[-1]] = 2
        return weights / weights.sum(), np.zeros(1, np.float32)


def test_hints_are_probabilities_where_there_are_any() -> None:
    table = live_table("greedy")
    play_bots(table)
    actions = table.question(table.view(0)).actions
    weights = table.asked(Weighing(table.engine.layout)).weigh()
    assert [action for action, _ in weights] == [actions[-1], *actions[:-1]]
    assert weights[0][1] == pytest.approx(2 / (len(actions) + 1))
    asked = table.asked(table.players[1].agent)  # type: ignore[arg-type]
    assert asked.weigh() == [(asked.choose(), None)]
    assert asked.choose() in actions


def test_hints_ask_for_the_seat_alone() -> None:
    """An agent in the place of the person is told the same whatever the person does not know."""
    table = live_table("greedy", "sharp")
    play_bots(table)
    agent = table.players[1].agent
    assert agent is not None
    told, record = table.asked(agent), table.engine.snapshot()
    for seed in range(5):
        table.engine.restore(0, table.engine.determinize(0, 0, seed))
        again: Asked = table.asked(agent)
        assert (again.observation == told.observation).all()
        assert (again.legal_mask == told.legal_mask).all()
        assert again.uniforms == told.uniforms
        table.engine.restore(0, record)
