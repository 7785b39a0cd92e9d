"""FLIP: the other side comes into play."""

from __future__ import annotations

import pytest

from tests.rulebook.position import position
from unoflip_env.rules import Rules

AUTO = Rules(uno="auto")


def test_flip_1_is_legal_on_its_colour_or_on_another_flip_and_changes_the_side() -> None:
    hands = ["red flip, blue flip, blue 1", "blue 9"]
    assert position(AUTO, hands, top="red 5").legal == {"red flip", "draw"}
    assert position(AUTO, hands, top="green flip").legal == {"red flip", "blue flip", "draw"}
    turn = position(AUTO, ["red flip, blue 1", "blue 9"], top="red 5 / pink 1")
    assert turn.do("red flip").side == "dark"


def test_flip_1_changes_back_to_the_light_side() -> None:
    turn = position(AUTO, ["pink flip, pink 1", "pink 9"], top="pink 5 / red 1", side="dark")
    assert turn.do("pink flip").side == "light"


def test_flip_2_piles_and_hands_are_turned_over_as_blocks() -> None:
    turn = position(
        AUTO,
        ["red flip / pink 7, blue 1 / pink 8", "blue 9 / pink 9"],
        top="red 5 / orange 2",
        under=["red 4 / orange 3", "red 3 / orange 4"],
        draws=["green 1 / purple 1", "green 2 / purple 2", "green 3 / purple 3"],
        has_rest=False,
    )
    turn.do("red flip")
    assert turn.discards == ["orange 4", "orange 3", "orange 2", "pink 7"]
    assert turn.draw_pile == ["purple 3", "purple 2", "purple 1"]
    assert (turn.hand(0), turn.hand(1)) == (["pink 8"], ["pink 9"])
    turn.do("draw")
    assert turn.hand(1) == ["pink 9", "purple 3"]


def test_flip_2_piles_turn_back_from_the_dark_side() -> None:
    turn = position(
        AUTO,
        ["pink flip / red 7, pink 1 / red 8", "pink 9 / red 9"],
        top="pink 5 / blue 2",
        under=["pink 4 / blue 3"],
        draws=["purple 1 / green 1", "purple 2 / green 2"],
        has_rest=False,
        side="dark",
    )
    turn.do("pink flip")
    assert (turn.discards, turn.draw_pile) == (["blue 3", "blue 2", "red 7"], ["green 2", "green 1"])


@pytest.mark.parametrize("face", ["orange draw_five", "orange reverse", "orange skip_everyone", "orange flip"])
def test_flip_3_the_face_now_on_top_does_not_act_and_its_colour_is_in_play(face: str) -> None:
    turn = position(AUTO, ["red flip, blue 1", "blue 9", "blue 8"], top=f"red 5 / {face}")
    turn.do("red flip")
    assert (turn.discards[0], turn.color, turn.side) == (face, "orange", "dark")
    assert (turn.hand_sizes, turn.actor, turn.record.direction) == ([1, 1, 1], 1, 1)


@pytest.mark.parametrize("face", ["wild", "wild_draw_color"])
def test_flip_3_whoever_played_the_flip_names_the_colour_of_a_wild(face: str) -> None:
    turn = position(AUTO, ["red flip, blue 1", "blue 9", "blue 8"], top=f"red 5 / {face}")
    turn.do("red flip")
    assert (turn.actor, turn.phase) == (0, "color")
    turn.do("color purple")
    assert (turn.color, turn.actor, turn.phase, turn.hand_sizes) == ("purple", 1, "play", [1, 1, 1])


def test_flip_3_the_colour_is_named_also_when_the_flip_was_the_last_card() -> None:
    turn = position(AUTO, ["red flip", "blue 9 / pink draw_five"], top="red 5 / wild")
    turn.do("red flip")
    assert (turn.actor, turn.phase, turn.termination) == (0, "color", "none")
    turn.do("color purple")
    assert (turn.actor, turn.termination, turn.color) == (None, "empty_hand", "purple")


def test_flip_4_as_the_last_card_it_turns_the_side_before_points_are_counted() -> None:
    turn = position(AUTO, ["red flip", "blue 9 / pink draw_five"], top="red 5 / pink 1")
    turn.do("red flip")
    assert (turn.termination, turn.side, turn.hand_points, turn.scores) == ("empty_hand", "dark", [0, 20], [20, 0])
