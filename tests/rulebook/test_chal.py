"""CHAL: challenging a wild draw."""

from __future__ import annotations

from tests.rulebook.position import Position, faces_of, position
from unoflip_env.rules import Rules

BLUFF = Rules(uno="auto", wild_draw="bluff")
DRAWS = ["green 1", "green 2", "green 3", "green 4", "green 5"]


def wild_draw(hand: str, color: str = "blue") -> Position:
    """Seat 0 of three has played a Wild Draw Two on a red 5 and named a colour."""
    turn = position(BLUFF, [f"wild_draw_two, {hand}", "yellow 9, yellow 8", "yellow 7"], top="red 5", draws=DRAWS)
    return turn.do("wild_draw_two", f"color {color}")


def test_chal_1_only_the_seat_that_must_draw_decides_before_drawing() -> None:
    turn = wild_draw("red 1")
    assert (turn.actor, turn.phase, turn.legal) == (1, "respond", {"accept", "challenge"})
    assert turn.hand_sizes == [1, 2, 1]
    turn.do("accept")
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([1, 4, 1], 2, "play")


def test_chal_2_the_hand_is_shown_to_the_challenger_alone_and_stays_known() -> None:
    turn = wild_draw("red 1, green 7, green 8")
    assert faces_of(turn.observe(1)["other_known"][1], "light") == {}
    turn.do("challenge")
    shown = {"red 1": 1, "green 7": 1, "green 8": 1}
    assert faces_of(turn.observe(1)["other_known"][1], "light") == shown  # seat 0 is two places on from seat 1
    assert faces_of(turn.observe(2)["other_known"][0], "light") == {}
    turn.do("draw", "draw", "draw")
    assert turn.actor == 1
    assert faces_of(turn.observe(1)["other_known"][1], "light") == shown


def test_chal_2_nothing_is_shown_to_who_accepts() -> None:
    turn = wild_draw("red 1, green 7").do("accept")
    assert not turn.observe(1)["other_known"].any()


def test_chal_3_guilty_draws_instead_and_the_challenger_takes_its_turn() -> None:
    turn = wild_draw("red 1").do("challenge")
    assert (turn.hand(0), turn.hand_sizes) == (["red 1", "green 1", "green 2"], [3, 2, 1])
    assert (turn.actor, turn.phase) == (1, "play")


def test_chal_3_guilty_draws_until_the_named_colour_comes() -> None:
    turn = position(
        BLUFF,
        ["wild_draw_color, pink 1", "orange 9", "orange 8"],
        top="pink 5",
        draws=["pink 2", "wild", "purple 3", "purple 4"],
        side="dark",
    )
    turn.do("wild_draw_color", "color purple", "challenge")
    assert (turn.hand(0), turn.hand_sizes) == (["pink 1", "pink 2", "purple 3", "wild"], [4, 1, 1])
    assert (turn.actor, turn.phase) == (1, "play")


def test_chal_4_not_guilty_makes_the_challenger_draw_two_more_and_lose_its_turn() -> None:
    turn = wild_draw("yellow 5").do("challenge")
    assert (turn.hand_sizes, turn.draw_pile[0]) == ([1, 6, 1], "green 5")
    assert (turn.actor, turn.phase) == (2, "play")


def test_chal_4_not_guilty_makes_the_challenger_draw_two_after_the_named_colour() -> None:
    turn = position(
        BLUFF,
        ["wild_draw_color, orange 1", "orange 9", "orange 8"],
        top="pink 5",
        draws=["pink 2", "purple 3", "purple 4", "pink 6", "pink 7"],
        side="dark",
    )
    turn.do("wild_draw_color", "color purple", "challenge")
    assert turn.hand(1) == ["pink 2", "pink 6", "orange 9", "purple 3", "purple 4"]
    assert (turn.draw_pile[0], turn.actor) == ("pink 7", 2)


def test_chal_5_the_named_colour_stays_in_force() -> None:
    for hand in ("red 1", "yellow 5"):
        assert wild_draw(hand, "blue").do("challenge").color == "blue"


def test_chal_6_guilt_is_judged_by_the_colour_in_play_before() -> None:
    assert wild_draw("blue 1", "blue").do("challenge").actor == 2  # holds the named colour: not guilty
    assert wild_draw("red 1", "blue").do("challenge").actor == 1


def test_chal_6_guilt_is_judged_by_the_hand_when_the_card_was_played() -> None:
    turn = position(
        BLUFF.replace(uno="declare"),
        ["wild_draw_two, yellow 5", "yellow 9, yellow 8", "yellow 7"],
        top="red 5",
        draws=["red 1", "red 2", "green 1", "green 2", "green 3", "green 4"],
    )
    turn.do("wild_draw_two", "color blue")
    while turn.actor == 0:
        turn.do("decline")
    turn.do("catch")  # the red cards come into the hand after the play
    assert turn.hand(0) == ["red 1", "red 2", "yellow 5"]
    turn.do("challenge")
    assert (turn.hand_sizes, turn.actor) == ([3, 6, 1], 2)
