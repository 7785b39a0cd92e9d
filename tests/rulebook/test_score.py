"""SCORE: points and matches."""

from __future__ import annotations

from typing import Literal

import pytest

from tests.rulebook.position import position
from unoflip_env.rules import Rules

AUTO = Rules(uno="auto")

POINTS: dict[Literal["light", "dark"], dict[str, int]] = {
    "light": {
        **{f"blue {number}": number for number in range(1, 10)},
        "blue draw_one": 10,
        "blue reverse": 20,
        "blue skip": 20,
        "blue flip": 20,
        "wild": 40,
        "wild_draw_two": 50,
    },
    "dark": {
        **{f"orange {number}": number for number in range(1, 10)},
        "orange draw_five": 20,
        "orange reverse": 20,
        "orange flip": 20,
        "orange skip_everyone": 30,
        "wild": 40,
        "wild_draw_color": 60,
    },
}


@pytest.mark.parametrize(("side", "card"), [(side, card) for side, cards in POINTS.items() for card in cards])
def test_score_1_points_of_each_face(side: Literal["light", "dark"], card: str) -> None:
    color = "red" if side == "light" else "pink"
    turn = position(AUTO, [f"{color} 1", card], top=f"{color} 5", side=side).do(f"{color} 1")
    assert turn.hand_points == [0, POINTS[side][card]]


CLASSIC_POINTS = {
    **{f"blue {number}": number for number in range(10)},
    "blue draw_two": 20,
    "blue skip": 20,
    "blue reverse": 20,
    "wild": 50,
    "wild_draw_four": 50,
}


@pytest.mark.parametrize("card", CLASSIC_POINTS)
def test_score_2_points_of_each_face_of_the_classic_deck(card: str) -> None:
    turn = position(AUTO.replace(deck="classic"), ["red 1", card], top="red 5").do("red 1")
    assert (turn.hand_points, turn.scores) == ([0, CLASSIC_POINTS[card]], [CLASSIC_POINTS[card], 0])


def dark_round(score_side: Literal["in_play", "light"]) -> list[int]:
    """The points in hand after a round that ends on the dark side."""
    rules = AUTO.replace(score_side=score_side)
    hands = ["pink 1", "orange skip_everyone / blue 7"]
    return position(rules, hands, top="pink 5", side="dark").do("pink 1").hand_points


def test_score_3_score_side_in_play() -> None:
    assert dark_round("in_play") == [0, 30]


def test_score_3_score_side_light() -> None:
    assert dark_round("light") == [0, 7]


def test_score_3_score_side_light_decides_who_has_the_fewest_points() -> None:
    hands = ["pink 1, orange 9 / blue 2", "orange 3 / blue 7"]
    for score_side, winner in (("in_play", 1), ("light", 0)):
        rules = AUTO.replace(score_side=score_side, max_turns=1, timeout_winner="fewest_points")
        assert position(rules, hands, top="pink 5", side="dark").do("pink 1").winners == {winner}


def scores(scoring: Literal["winner_takes", "own_hand"]) -> list[int]:
    """The scores after a second round in which a 20 and a 7 are left in the hands of seats 1 and 2."""
    rules = AUTO.replace(scoring=scoring)
    turn = position(rules, ["red 1", "blue skip", "blue 7"], top="red 5", scores=[100, 10, 20], episode="match")
    return turn.do("red 1").scores


def test_score_4_scoring_winner_takes_the_points_in_all_other_hands() -> None:
    assert scores("winner_takes") == [100 + 27, 10, 20]


def test_score_4_scoring_own_hand_adds_up_each_seats_own() -> None:
    assert scores("own_hand") == [100, 10 + 20, 20 + 7]


def test_score_5_match_goes_on_below_the_target_with_another_deal() -> None:
    turn = position(AUTO, ["red 1", "blue 9"], top="red 5", scores=[490, 0], episode="match").do("red 1")
    assert (turn.scores, turn.record.num_rounds, turn.winners) == ([499, 0], 1, {0})
    assert turn.actor is not None
    assert turn.record.num_turns == 1 or turn.phase == "color"
    assert turn.side == "light"


def test_score_5_match_winner_takes_is_won_by_the_first_to_reach_the_target() -> None:
    turn = position(AUTO, ["red 1", "blue 9"], top="red 5", scores=[491, 499], episode="match").do("red 1")
    assert (turn.actor, turn.scores, turn.winners) == (None, [500, 499], {0})


def test_score_5_match_own_hand_is_won_by_the_lowest_total() -> None:
    rules = AUTO.replace(scoring="own_hand")
    hands = ["red 1", "blue 9", "blue 1"]
    turn = position(rules, hands, top="red 5", scores=[300, 491, 20], episode="match").do("red 1")
    assert (turn.actor, turn.scores, turn.winners) == (None, [300, 500, 21], {2})


def test_score_5_match_ties_are_shared() -> None:
    rules = AUTO.replace(scoring="own_hand")
    hands = ["red 1", "blue 9", "blue 1"]
    turn = position(rules, hands, top="red 5", scores=[300, 491, 299], episode="match").do("red 1")
    assert (turn.scores, turn.winners) == ([300, 500, 300], {0, 2})


@pytest.mark.parametrize("target", [9, 100])
def test_score_5_target(target: int) -> None:
    turn = position(AUTO.replace(target=target), ["red 1", "blue 9"], top="red 5", episode="match").do("red 1")
    assert (turn.actor is None) == (target == 9)


def test_score_5_a_round_is_not_a_match() -> None:
    turn = position(AUTO, ["red 1", "blue 9"], top="red 5", episode="round").do("red 1")
    assert (turn.actor, turn.scores) == (None, [9, 0])
