"""What a seat is told of what happened: every kind of decision in words, and nothing that it cannot know."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.live.story import Moment
from eval.live.words import Question
from tests.rulebook.position import position
from tests.unoflip_env.play import random_actions, tables
from unoflip_env.actions import COLOR
from unoflip_env.engine import Engine
from unoflip_env.game import Phase
from unoflip_env.rules import PRESETS, Rules
from unoflip_env.table_view import TableView

NAMES = ["Ann", "Ben", "Cleo"]
OFFICIAL = PRESETS["official"]


def stories(rules: Rules, hands: list[str], words: list[str], **table: object) -> list[list[str]]:
    """What each seat is told of the last of these decisions."""
    game = position(rules, hands, **table)  # type: ignore[arg-type]
    game.do(*words[:-1])
    before = [TableView(game.engine, seat) for seat in range(len(hands))]
    action = game.number(words[-1])
    game.do(words[-1])
    after = [TableView(game.engine, seat) for seat in range(len(hands))]
    return [list(Moment(NAMES[: len(hands)], b, a, action).lines()) for b, a in zip(before, after, strict=True)]


THREE = ["red 7, red draw_one, red 1", "blue 1, blue 2, blue 3", "green 1, green 2, green 3"]


def test_a_card_and_what_comes_of_it() -> None:
    ann, ben, _ = stories(OFFICIAL.replace(uno="auto"), THREE, ["red draw_one"], top="red 5")
    assert ann == ["You play red draw one.", "Ben draws a card."]
    assert ben[0] == "Ann plays red draw one."
    assert ben[1].startswith("You draw ")


def test_a_drawn_card_is_named_to_whoever_drew_it_alone() -> None:
    ann, ben, cleo = stories(OFFICIAL, THREE, ["draw"], top="yellow 5", draws=["red 9"])
    assert ann == ["You draw red 9."]
    assert ben == cleo == ["Ann draws a card."]


def test_a_card_that_is_kept_is_not_named() -> None:
    ann, ben, _ = stories(OFFICIAL, THREE, ["draw", "keep"], top="red 5", draws=["red 9"])
    assert (ann, ben) == (["You keep it."], ["Ann keeps it."])


def test_a_card_given_is_known_to_two() -> None:
    rules = OFFICIAL.replace(skip_role="give", uno="auto")
    hands = ["red skip, red 1, red 2", "blue 1, blue 2", "green 1, green 2"]
    ann, ben, cleo = stories(rules, hands, ["red skip", "seat +1", "red 2"], top="red 5")
    assert ann == ["You give red 2.", "Ben gets a card."]
    assert ben == ["Ann gives a card.", "You get red 2."]
    assert cleo == ["Ann gives a card.", "Ben gets a card."]


@pytest.mark.parametrize(
    ("hand", "verdict", "who"),
    [("wild_draw_two, red 1, red 2", "It was a bluff.", 0), ("wild_draw_two, blue 1", "It was no bluff.", 1)],
)
def test_how_a_challenge_ends(hand: str, verdict: str, who: int) -> None:
    words = ["wild_draw_two", "color green", "challenge"]
    told = stories(OFFICIAL.replace(uno="auto"), [hand, "green 1, green 2", "blue 3, blue 4"], words, top="red 5")
    count = 2 if who == 0 else 4
    assert told[2] == ["Ben challenges Ann.", verdict, f"{NAMES[who]} draws {count} cards."]
    assert told[1][0] == "You challenge Ann."
    assert told[0][0] == "Ben challenges you."


def test_flips_and_turns_of_direction() -> None:
    rules = OFFICIAL.replace(uno="auto")
    hands = ["red flip, red 1", "blue 1, blue 2", "green 1, green 2"]
    assert "The cards are flipped: the dark side is in play." in stories(rules, hands, ["red flip"], top="red 5")[1]
    hands[0] = "red reverse, red 1"
    assert stories(rules, hands, ["red reverse"], top="red 5")[2] == ["Ann plays red reverse.", "The direction of play turns."]


def test_uno_and_catches() -> None:
    hands = ["red 1, red 2", "blue 1, blue 2"]
    assert stories(OFFICIAL, hands, ["uno"], top="red 5")[1] == ["Ann says UNO."]
    game = position(OFFICIAL, hands, top="red 5").do("red 1")
    words = ["red 1", *(["decline"] if game.actor == 0 else []), "catch"]
    assert stories(OFFICIAL, hands, words, top="red 5")[1] == ["You catch Ann without UNO.", "Ann draws 2 cards."]


def test_questions_name_what_is_at_stake() -> None:
    rules = OFFICIAL.replace(uno="auto", stack=("wild_draw_two",))
    hands = ["wild_draw_two, blue 1", "wild_draw_two, green 2", "blue 3, blue 4"]
    engine = position(rules, hands, top="red 5").do("wild_draw_two", "color green").engine
    asked = Question(TableView(engine, 1), NAMES, is_resting=False)
    assert asked.text == "Ann makes you draw 2 cards: accept or challenge or stack"
    assert [asked.label(action) for action in asked.actions] == ["wild draw two", "Accept and draw", "Challenge"]
    assert Question(TableView(engine, 2), NAMES, is_resting=False).text == "Ben is to decide"
    assert Question(TableView(engine, 1), NAMES, is_resting=True).actions == []


@settings(deadline=None, max_examples=10)
@given(tables(), st.integers(0, 2**32), st.data())
def test_nothing_hidden_is_told(table: tuple[Rules, int], seed: int, data: st.DataObject) -> None:
    """Deal anew all that a seat does not know, before and after: it is told the same, and asked the same."""
    rules, num_players = table
    engine, other = (Engine(rules, num_players=num_players, seed=seed) for _ in range(2))
    names, rng = [f"p{seat}" for seat in range(num_players)], np.random.default_rng(seed)
    seat = data.draw(st.integers(0, num_players - 1))

    def views() -> tuple[TableView, TableView]:
        other.restore(0, engine.determinize(0, seat, int(rng.integers(2**32))))
        return TableView(engine, seat), TableView(other, seat)

    before = views()
    for _ in range(60):
        if engine.is_over[0]:
            break
        actor, phase = int(engine.actor[0]), int(engine.phase[0])
        questions = [Question(view, names, is_resting=False) for view in before]
        assert questions[0].text == questions[1].text
        assert list(map(questions[0].label, questions[0].actions)) == list(map(questions[1].label, questions[1].actions))
        action = int(random_actions(engine, rng)[0])
        hides = phase in (Phase.GIVE_CARD, Phase.GIFT) and action < COLOR and actor != seat
        engine.step([action])
        has_ended = bool(engine.is_over[0])
        after = views()
        told = list(Moment(names, before[0], after[0], action).lines(has_ended=has_ended))
        assert told == list(
            Moment(names, before[1], after[1], (action + 20) % COLOR if hides else action).lines(has_ended=has_ended)
        )
        before = after
