"""DBL-2: cutting in between two cards of one turn. Seat 0 of three begins unless a test says otherwise."""

from __future__ import annotations

import pytest

from tests.rulebook.position import Position, ask, decline_all, position
from unoflip_env.rules import Rules

AUTO = Rules(uno="auto")
IDENTICAL = AUTO.replace(double="identical")
DRAWS = [f"yellow {number}" for number in range(1, 10)]
CUT_HANDS = ["red 7, red 7, green 1", "blue 9, red 3", "blue 7, wild, green 9"]


def test_dbl_2_cut_none_lets_the_second_follow_at_once() -> None:
    turn = position(IDENTICAL.replace(cut="none"), CUT_HANDS, top="red 5").do("red 7")
    assert (turn.actor, turn.phase) == (0, "second")


def test_dbl_2_cut_next_asks_only_the_next_seat() -> None:
    rules = IDENTICAL.replace(cut="next")
    for seed in range(6):
        turn = position(rules, CUT_HANDS, top="red 5", seed=seed).do("red 7")
        assert (turn.actor, turn.phase, turn.legal) == (1, "cut", {"red 3", "decline"})
        assert decline_all(turn).phase == "second"
    turn = position(rules, CUT_HANDS, top="red 5", direction=-1).do("red 7")
    assert (turn.actor, turn.phase, turn.legal) == (2, "cut", {"blue 7", "decline"})


def test_dbl_2_cut_next_asks_nobody_if_the_next_seat_has_no_such_card() -> None:
    turn = position(IDENTICAL.replace(cut="next"), ["red 7, red 7, green 1", "blue 9, wild", "blue 7"], top="red 5")
    turn.do("red 7")
    assert (turn.actor, turn.phase) == (0, "second")


ANYONE = IDENTICAL.replace(cut="anyone")


def asked(seed: int) -> tuple[int, ...]:
    """The seats in the order in which they are asked for a cut, when all decline. Seat 4 holds no such card."""
    hands = ["green 9, red 3", "red 7, red 7, green 1", "blue 7, wild", "red 1", "blue 9, wild"]
    turn = position(ANYONE, hands, top="red 5", turn=1, seed=seed).do("red 7")
    seats = []
    while turn.phase == "cut":
        seats.append(int(turn.record.actor))
        turn.do("decline")
    assert (turn.actor, turn.phase, turn.legal) == (1, "second", {"red 7", "decline"})
    return tuple(seats)


def test_dbl_2_cut_anyone_asks_all_who_hold_such_a_card_in_a_random_order() -> None:
    orders = [asked(seed) for seed in range(60)]
    assert {tuple(sorted(order)) for order in orders} == {(0, 2, 3)}
    assert len(set(orders)) == 6


def test_dbl_2_cut_takes_a_card_that_matches_in_colour_or_symbol_and_is_no_wild() -> None:
    hands = ["red 7, red 7, green 1", "red 1, red skip, blue 7, blue 3, wild, wild_draw_two, red flip", "blue 9"]
    turn = position(ANYONE, hands, top="green 7").do("red 7")
    assert (turn.actor, turn.legal) == (1, {"red 1", "red skip", "blue 7", "red flip", "decline"})


def test_dbl_2_cut_cancels_the_second_card_and_play_goes_on_from_the_cutter() -> None:
    hands = ["red 7, red 7, green 1", "blue 9", "blue 8", "blue 7, green 9, wild", "blue 6"]
    turn = position(ANYONE, hands, top="red 5").do("red 7")
    assert turn.actor == 3
    turn.do("blue 7")
    assert (turn.actor, turn.phase, turn.hand_sizes) == (4, "play", [2, 1, 1, 2, 1])
    assert (turn.discards, turn.color) == (["blue 7", "red 7", "red 5"], "blue")


def cut(first: str, card: str, rules: Rules = ANYONE) -> Position:
    """Seat 0 of four has played the first card of a pair; seat 2 has cut in."""
    hands = [f"{first}, {first}, green 1", "blue 9", f"{card}, green 9", "blue 6"]
    turn = position(rules, hands, top="red 5 / orange 1", draws=DRAWS).do(first)
    assert (turn.actor, turn.phase, turn.legal) == (2, "cut", {card, "decline"})
    return turn.do(card)


@pytest.mark.parametrize("first", ["red skip", "red reverse", "red flip"])
def test_dbl_2_cut_cancels_the_first_cards_own_effect(first: str) -> None:
    turn = cut(first, "red 3")
    assert (turn.actor, turn.phase, turn.side) == (3, "play", "light")
    assert (turn.hand_sizes, turn.record.direction, turn.discards[0]) == ([2, 1, 1, 1], 1, "red 3")


@pytest.mark.parametrize("zero_role", ["swap", "dump"])
def test_dbl_2_cut_cancels_what_a_zero_does(zero_role: str) -> None:
    rules = ANYONE.replace(deck="classic", double="same_symbol", zero_role=zero_role)
    hands = ["red 0, blue 0, green 1", "yellow 9", "red 3, green 9"]
    turn = position(rules, hands, top="red 5").do("red 0", "red 3")
    assert (turn.actor, turn.phase, turn.hand_sizes) == (0, "play", [2, 1, 1])


def test_dbl_2_cut_cancels_a_first_draw_one() -> None:
    turn = cut("red draw_one", "red 3", ANYONE.replace(accumulate=True))
    assert (turn.actor, turn.phase, turn.hand_sizes) == (3, "play", [2, 1, 1, 1])


def test_dbl_2_cut_acts_as_if_it_had_been_the_cutters_turn() -> None:
    turn = cut("red 7", "red skip")
    assert (turn.actor, turn.hand_sizes) == (0, [2, 1, 1, 1])
    turn = cut("red 7", "red reverse")
    assert (turn.actor, turn.record.direction) == (1, -1)
    turn = cut("red reverse", "blue reverse")
    assert (turn.actor, turn.record.direction) == (1, -1)
    turn = cut("red 7", "red draw_one")
    assert (turn.actor, turn.hand_sizes) == (0, [2, 1, 1, 2])
    turn = cut("red 7", "red flip")
    assert (turn.actor, turn.side, turn.discards[0]) == (3, "dark", "orange 1")


def test_dbl_2_cut_with_a_flip_lets_the_cutter_name_the_colour_of_a_wild() -> None:
    hands = ["red 7, red 7, green 1", "blue 9", "red flip, green 9"]
    turn = position(ANYONE, hands, top="red 5 / wild").do("red 7", "red flip")
    assert (turn.actor, turn.phase) == (2, "color")
    turn.do("color orange")
    assert (turn.actor, turn.phase, turn.color) == (0, "play", "orange")


def test_dbl_2_cut_with_skip_everyone_lets_the_cutter_go_again() -> None:
    hands = ["pink 7, pink 7, purple 1", "orange 9", "pink skip_everyone, purple 9"]
    turn = position(ANYONE, hands, top="pink 5", side="dark").do("pink 7", "pink skip_everyone")
    assert (turn.actor, turn.phase) == (2, "play")


@pytest.mark.parametrize("accumulate", [False, True])
def test_dbl_2_cut_is_not_doubled(accumulate: bool) -> None:
    rules = ANYONE.replace(accumulate=accumulate)
    hands = ["red 7, red 7, green 1", "red 3, red 3, blue 9", "green 9"]
    turn = position(rules, hands, top="red 5").do("red 7", "red 3")
    assert (turn.actor, turn.phase, turn.hand_sizes) == (2, "play", [2, 2, 1])


def test_dbl_2_cut_is_a_play_of_one_card_where_pairs_add_up() -> None:
    turn = cut("red 7", "red draw_one", ANYONE.replace(accumulate=True))
    assert (turn.hand_sizes, turn.actor) == ([2, 1, 1, 2], 0)


def test_dbl_2_cut_begins_no_turn() -> None:
    turn = cut("red 7", "red 3", ANYONE.replace(max_turns=2))
    assert (turn.actor, turn.record.num_turns) == (3, 2)


def test_dbl_2_cut_is_answered_by_a_stack() -> None:
    rules = ANYONE.replace(stack=("draw_one",))
    hands = ["red 7, red 7, green 1", "red draw_one, blue 9", "blue draw_one, green 9"]
    turn = position(rules, hands, top="red 5").do("red 7")
    assert (turn.actor, turn.phase) == (1, "cut")
    turn.do("red draw_one")
    assert (turn.actor, turn.phase, turn.legal) == (2, "respond", {"accept", "blue draw_one"})
    turn.do("blue draw_one")
    assert (turn.hand_sizes, turn.actor) == ([2 + 2, 1, 1], 1)


def test_dbl_2_cut_is_asked_first_and_then_the_second_card() -> None:
    turn = position(ANYONE, CUT_HANDS, top="red 5").do("red 7")
    assert decline_all(turn).actor == 0
    turn.do("red 7")
    assert (turn.actor, turn.phase, turn.hand_sizes) == (1, "play", [1, 2, 3])


def test_dbl_2_cut_is_not_asked_where_no_second_may_follow() -> None:
    turn = position(ANYONE, ["red 7, red 8, green 1", "red 3", "blue 7"], top="red 5").do("red 7")
    assert (turn.actor, turn.phase) == (1, "play")


def test_dbl_2_cut_is_not_possible_between_wilds() -> None:
    turn = position(ANYONE, ["wild, wild, green 1", "red 3, wild", "wild, blue 7"], top="red 5").do("wild")
    assert (turn.actor, turn.phase) == (0, "second")


def test_dbl_2_cut_may_be_the_cutters_last_card() -> None:
    turn = position(ANYONE, ["red 7, red 7, green 1", "red 3", "blue 8"], top="red 5").do("red 7", "red 3")
    assert (turn.termination, turn.winners, turn.hand_points) == ("empty_hand", {1}, [8, 0, 8])


def test_dbl_2_cut_lands_after_the_uno_window_on_the_first_player() -> None:
    rules = ANYONE.replace(uno="declare")
    hands = ["red skip, red skip", "blue 9, blue 8", "red draw_one, green 9, green 8"]
    turn = position(rules, hands, top="red 5", draws=DRAWS).do("red skip", "red draw_one")
    assert (turn.phase, turn.record.silent_seat) == ("uno", 0)
    assert (turn.discards, turn.hand_sizes) == (["red skip", "red 5"], [1, 2, 3])
    ask(turn, 1).do("catch")
    assert turn.discards == ["red draw_one", "red skip", "red 5"]
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([1 + 2 + 1, 2, 2], 1, "play")


def test_dbl_2_cut_opens_no_window_on_a_first_player_who_has_said_uno() -> None:
    rules = ANYONE.replace(uno="declare")
    hands = ["red 7, red 7", "blue 9, blue 8", "red 3, green 9, green 8"]
    turn = position(rules, hands, top="red 5").do("uno", "red 7", "red 3")
    assert (turn.actor, turn.phase, turn.hand_sizes) == (0, "play", [1, 2, 2])


def test_dbl_2_cut_opens_a_window_on_the_cutter_once_it_has_landed() -> None:
    rules = ANYONE.replace(uno="declare")
    hands = ["red 7, red 7, green 1", "blue 9, blue 8", "red draw_one, green 9"]
    turn = position(rules, hands, top="red 5", draws=DRAWS).do("red 7", "red draw_one")
    assert (turn.phase, turn.record.silent_seat, turn.discards[0]) == ("uno", 2, "red draw_one")
    assert turn.hand_sizes == [2, 2, 1]
    ask(turn, 0).do("catch")
    assert (turn.hand_sizes, turn.hand(0)) == ([3, 2, 3], ["red 7", "yellow 3", "green 1"])


def test_dbl_2_cut_counts_what_the_cutter_says_when_it_is_asked() -> None:
    rules = ANYONE.replace(uno="declare")
    hands = ["red 7, red 7, green 1", "blue 9, blue 8", "red 3, green 9"]
    turn = position(rules, hands, top="red 5").do("red 7")
    assert (turn.actor, turn.phase, turn.legal) == (2, "cut", {"red 3", "decline", "uno"})
    turn.do("uno")
    assert (turn.actor, turn.phase, turn.legal) == (2, "cut", {"red 3", "decline"})
    turn.do("red 3")
    assert (turn.actor, turn.phase, turn.hand_sizes) == (0, "play", [2, 2, 1])
