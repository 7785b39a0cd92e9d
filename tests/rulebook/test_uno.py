"""UNO: saying it, forgetting it, catching. Three seats; seat 0 comes down to one card unless a test says otherwise."""

from __future__ import annotations

from typing import Literal

import pytest

from tests.rulebook.position import ask, decline_all, position
from unoflip_env.rules import Rules

DECLARE = Rules(uno="declare")
LAST_CARD = DECLARE.replace(uno_window="last_card")
HANDS = ["red 1, blue 1", "green 9, green 8", "green 7, green 6"]
DRAWS = ["yellow 2", "yellow 3", "yellow 4", "yellow 6"]


def test_uno_1_uno_auto_is_always_said() -> None:
    turn = position(Rules(uno="auto"), HANDS, top="red 5")
    assert "uno" not in turn.legal
    turn.do("red 1")
    assert (turn.actor, turn.phase) == (1, "play")


def test_uno_1_uno_declare_is_to_be_said() -> None:
    turn = position(DECLARE, HANDS, top="red 5")
    assert turn.legal == {"red 1", "draw", "uno"}
    turn.do("red 1")
    assert turn.phase == "uno"


def test_uno_2_is_said_first_and_the_decision_comes_again_without_it() -> None:
    turn = position(DECLARE, HANDS, top="red 5")
    turn.do("uno")
    assert (turn.actor, turn.phase, turn.legal) == (0, "play", {"red 1", "draw"})
    turn.do("red 1")
    assert (turn.actor, turn.phase) == (1, "play")


def test_uno_2_is_not_offered_with_other_hands_or_without_a_legal_play() -> None:
    assert "uno" not in position(DECLARE, ["red 1, red 2, red 3", "green 9"], top="red 5").legal
    assert "uno" not in position(DECLARE, ["red 1", "green 9"], top="red 5").legal
    assert "uno" not in position(DECLARE, ["blue 1, blue 2", "green 9"], top="red 5").legal


def test_uno_2_is_offered_with_three_cards_where_a_turn_sheds_two() -> None:
    give = DECLARE.replace(skip_role="give")
    turn = position(give, ["red skip, red 2, blue 3", "green 9", "green 8"], top="red 5")
    assert "uno" in turn.legal
    turn.do("uno", "red skip", "seat +1", "blue 3")
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([1, 2, 1], 1, "play")
    assert "uno" not in position(give, ["red 1, red 2, red 3, red 4", "green 9"], top="red 5").legal


@pytest.mark.parametrize("double", ["identical", "same_symbol"])
def test_uno_2_is_offered_with_three_cards_where_two_may_be_played(double: Literal["identical", "same_symbol"]) -> None:
    rules = DECLARE.replace(double=double)
    hands = ["red 7, red 7, blue 1", "green 9, green 8", "green 6, green 4"]
    turn = position(rules, hands, top="red 5")
    assert turn.legal == {"red 7", "draw", "uno"}
    turn.do("uno", "red 7", "red 7")
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([1, 2, 2], 1, "play")
    assert "uno" not in position(rules, ["red 1, red 2, red 3, red 4", "green 9"], top="red 5").legal
    assert "uno" not in position(rules, ["blue 1, blue 2, blue 3", "green 9"], top="red 5").legal


def test_uno_2_is_offered_with_any_number_of_cards_where_a_zero_dumps_them() -> None:
    dump = DECLARE.replace(deck="classic", zero_role="dump")
    hands = ["red 0, blue 1, blue 2, blue 3, blue 4, green 1", "green 9, green 8", "green 6, green 4"]
    turn = position(dump, hands, top="red 5")
    assert "uno" in turn.legal
    turn.do("uno", "red 0", "color blue")
    assert (turn.hand(0), turn.actor, turn.phase) == (["green 1"], 1, "play")
    assert "uno" not in position(dump.replace(zero_role="swap"), hands, top="red 5").legal
    assert "uno" not in position(dump, ["red 1", "green 9"], top="red 5").legal


def test_uno_2_is_offered_for_the_second_card() -> None:
    rules = DECLARE.replace(double="identical")
    turn = position(rules, ["red 7, red 7, blue 1", *HANDS[1:]], top="red 5").do("red 7")
    assert (turn.phase, turn.legal) == ("second", {"red 7", "decline", "uno"})
    turn.do("uno")
    assert (turn.phase, turn.legal) == ("second", {"red 7", "decline"})
    assert turn.do("red 7").phase == "play"


def test_uno_2_is_offered_for_a_stack_where_one_is_possible() -> None:
    rules = DECLARE.replace(stack=("draw_one", "wild_draw_two"))
    hands = ["red draw_one, red 1, red 2", "blue draw_one, green 8", "green 7, green 6, green 4"]
    turn = position(rules, hands, top="red 5").do("red draw_one")
    assert (turn.actor, turn.phase, turn.legal) == (1, "respond", {"accept", "blue draw_one", "uno"})
    turn.do("uno")
    assert (turn.actor, turn.phase, turn.legal) == (1, "respond", {"accept", "blue draw_one"})
    turn.do("blue draw_one")
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([2, 1, 5], 0, "play")
    hands = ["wild_draw_two, red 1, red 2", "blue draw_one, green 8", "green 7"]
    turn = position(rules, hands, top="red 5").do("wild_draw_two", "color blue")
    assert (turn.actor, turn.legal) == (1, {"accept", "challenge"})


def test_uno_2_is_offered_for_a_cut() -> None:
    rules = DECLARE.replace(double="identical", cut="anyone")
    hands = ["red 7, red 7, blue 1", "red 9, green 8", "green 7, blue 7, wild, wild"]
    turn = position(rules, hands, top="red 5").do("red 7")
    ask(turn, 1)
    assert turn.legal == {"red 9", "decline", "uno"}
    turn = position(rules, hands, top="red 5").do("red 7")
    ask(turn, 2)
    assert turn.legal == {"green 7", "blue 7", "decline"}


def test_uno_2_is_offered_for_a_drawn_card() -> None:
    turn = position(DECLARE, ["blue 1", "green 9", "green 8"], top="red 5", draws=["red 2"])
    assert turn.do("draw").legal == {"red 2", "keep", "uno"}
    assert turn.do("uno").legal == {"red 2", "keep"}
    assert turn.do("red 2").phase == "play"


def test_uno_2_said_in_vain_costs_nothing() -> None:
    turn = position(DECLARE, HANDS, top="red 5", draws=DRAWS)
    turn.do("uno", "draw")
    assert (turn.hand_sizes, turn.actor) == ([3, 2, 2], 1)


def test_uno_2_it_counts_to_the_end_of_the_turn_in_which_it_is_said() -> None:
    turn = position(DECLARE, HANDS, top="red 5", draws=DRAWS, said_uno=[0], turn=2)
    turn.do("draw")
    assert turn.legal == {"red 1", "draw", "uno"}


def test_uno_2_uno_window_next_turn_closes_when_the_next_turn_begins() -> None:
    turn = position(DECLARE.replace(uno_window="next_turn"), HANDS, top="red 5", draws=DRAWS)
    decline_all(turn.do("red 1"))
    assert (turn.actor, turn.phase) == (1, "play")
    turn.do("draw", "draw")
    assert (turn.actor, turn.phase) == (0, "play")


def test_uno_2_uno_window_last_card_opens_again_at_the_start_of_the_next_turn() -> None:
    turn = position(LAST_CARD, HANDS, top="red 5", draws=DRAWS)
    decline_all(turn.do("red 1"))
    turn.do("draw", "draw")
    assert (turn.phase, turn.record.turn_seat) == ("uno", 0)
    ask(turn, 2).do("catch")
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([3, 3, 3], 0, "play")


def test_uno_2_uno_window_last_card_stays_shut_for_who_has_said_it() -> None:
    turn = position(LAST_CARD, HANDS, top="red 5", draws=DRAWS)
    turn.do("uno", "red 1", "draw", "draw")
    assert (turn.actor, turn.phase, turn.hand_sizes[0]) == (0, "play", 1)


def test_uno_2_uno_window_last_card_counts_what_was_said_until_a_card_is_drawn() -> None:
    hands = ["red 1, blue 1", "red draw_one, green 8, green 7", "green 6, green 5"]
    turn = position(LAST_CARD, hands, top="red 5", draws=DRAWS, direction=-1)
    turn.do("uno", "red 1", "draw", "red draw_one")
    assert turn.hand_sizes[0] == 2
    assert turn.record.said_uno == 0


def test_uno_3_caught_draws_two() -> None:
    turn = position(DECLARE, HANDS, top="red 5", draws=DRAWS)
    ask(turn.do("red 1"), 2).do("catch")
    assert (turn.hand_sizes, turn.hand(0)) == ([3, 2, 2], ["yellow 2", "yellow 3", "blue 1"])
    assert (turn.actor, turn.phase) == (1, "play")


def test_uno_3_anyone_else_may_catch_and_who_forgot_may_speak() -> None:
    for seat, legal in ((0, {"uno", "decline"}), (1, {"catch", "decline"}), (2, {"catch", "decline"})):
        assert ask(position(DECLARE, HANDS, top="red 5").do("red 1"), seat).legal == legal


def test_uno_3_correcting_oneself_first_is_not_penalised() -> None:
    turn = position(DECLARE, HANDS, top="red 5", draws=DRAWS)
    ask(turn.do("red 1"), 0).do("uno")
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([1, 2, 2], 1, "play")


def asked(seed: int) -> tuple[int, ...]:
    """The seats in the order in which the window asks them, when all decline."""
    turn = position(DECLARE, HANDS, top="red 5", seed=seed).do("red 1")
    seats = []
    while turn.phase == "uno":
        seats.append(int(turn.record.actor))
        turn.do("decline")
    assert (turn.actor, turn.hand_sizes) == (1, [1, 2, 2])
    return tuple(seats)


def test_uno_4_the_window_asks_every_seat_once_in_a_random_order_and_any_may_decline() -> None:
    orders = [asked(seed) for seed in range(60)]
    assert {tuple(sorted(order)) for order in orders} == {(0, 1, 2)}
    assert len(set(orders)) == 6


@pytest.mark.parametrize("speaker", [0, 1])
def test_uno_4_the_first_that_speaks_closes_it(speaker: int) -> None:
    for seed in range(8):
        turn = position(DECLARE, HANDS, top="red 5", seed=seed).do("red 1")
        ask(turn, speaker).do("uno" if speaker == 0 else "catch")
        assert (turn.actor, turn.phase) == (1, "play")


def test_uno_5_the_window_opens_after_the_colour_is_named_and_before_the_effects() -> None:
    hands = ["wild_draw_two, blue 1", "green 9, green 8", "green 7"]
    turn = position(DECLARE.replace(wild_draw="free"), hands, top="red 5", draws=DRAWS)
    turn.do("wild_draw_two")
    assert turn.phase == "color"
    turn.do("color green")
    assert (turn.phase, turn.hand_sizes) == ("uno", [1, 2, 1])
    ask(turn, 2).do("catch")
    assert [turn.hand(0), turn.hand(1)] == [
        ["yellow 2", "yellow 3", "blue 1"],
        ["yellow 4", "yellow 6", "green 8", "green 9"],
    ]


def test_uno_5_the_window_opens_before_a_flip_turns_the_table() -> None:
    turn = position(DECLARE, ["red flip, blue 1", *HANDS[1:]], top="red 5 / pink 1")
    turn.do("red flip")
    assert (turn.phase, turn.side) == ("uno", "light")
    assert decline_all(turn).side == "dark"


def test_uno_5_the_window_opens_when_a_gift_leaves_one_card() -> None:
    give = DECLARE.replace(skip_role="give")
    turn = position(give, ["red skip, red 2, blue 3", "green 9", "green 8"], top="red 5", draws=DRAWS)
    turn.do("red skip", "seat +2", "blue 3")
    ask(turn, 1).do("catch")
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([3, 1, 2], 1, "play")


def test_uno_5_the_window_opens_on_a_stacker_before_the_count_passes_on() -> None:
    rules = DECLARE.replace(stack=("draw_one",))
    hands = ["red draw_one, red 1, red 2", "blue draw_one, green 8", "green 7, green 6"]
    turn = position(rules, hands, top="red 5", draws=DRAWS).do("red draw_one", "blue draw_one")
    assert (turn.phase, turn.record.silent_seat, turn.hand_sizes) == ("uno", 1, [2, 1, 2])
    ask(turn, 0).do("catch")
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([2, 3, 4], 0, "play")
    assert turn.hand(1) == ["yellow 2", "yellow 3", "green 8"]


def test_uno_5_the_window_opens_when_a_dump_leaves_one_card() -> None:
    dump = DECLARE.replace(deck="classic", zero_role="dump")
    turn = position(dump, ["red 0, blue 1, blue 2, green 1", *HANDS[1:]], top="red 5", draws=DRAWS)
    turn.do("red 0", "color blue")
    assert (turn.phase, turn.record.silent_seat) == ("uno", 0)
    ask(turn, 2).do("catch")
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([3, 2, 2], 1, "play")


def test_uno_5_the_window_opens_once_where_the_zero_itself_left_one_card() -> None:
    dump = DECLARE.replace(deck="classic", zero_role="dump")
    turn = decline_all(position(dump, ["red 0, green 1", *HANDS[1:]], top="red 5").do("red 0"))
    assert (turn.actor, turn.phase) == (0, "dump")
    turn.do("color blue")
    assert (turn.actor, turn.phase, turn.hand_sizes) == (1, "play", [1, 2, 2])


def test_uno_5_the_window_opens_before_hands_are_swapped() -> None:
    swap = DECLARE.replace(deck="classic", zero_role="swap")
    turn = position(swap, ["red 0, green 1", "green 9", "green 7, green 6"], top="red 5", draws=DRAWS).do("red 0")
    assert (turn.phase, turn.record.silent_seat) == ("uno", 0)
    ask(turn, 1).do("catch")
    assert (turn.actor, turn.phase, turn.hand_sizes) == (0, "swap", [3, 1, 2])
    turn.do("seat +1")
    assert (turn.actor, turn.phase, turn.hand_sizes) == (1, "play", [1, 3, 2])


def test_uno_5_the_window_opens_on_a_teammate_whose_gift_leaves_one_card() -> None:
    rules = DECLARE.replace(teams=2, teammate_gift=True)
    hands = ["blue 1", "green 9", "red 2, green 3", "green 8"]
    turn = position(rules, hands, top="red 5", draws=DRAWS).do("draw", "red 2")
    assert (turn.phase, turn.record.silent_seat) == ("uno", 2)
    ask(turn, 3).do("catch")
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([2, 1, 3, 1], 0, "drawn")


def test_uno_5_the_window_opens_after_a_pair() -> None:
    rules = DECLARE.replace(double="identical")
    turn = position(rules, ["red 7, red 7, blue 1", *HANDS[1:]], top="red 5", draws=DRAWS).do("red 7")
    assert turn.phase == "second"
    turn.do("red 7")
    assert (turn.phase, turn.record.silent_seat) == ("uno", 0)


def test_uno_5_the_window_does_not_open_for_other_hands() -> None:
    turn = position(DECLARE, ["red 1, blue 1, blue 2", *HANDS[1:]], top="red 5")
    assert turn.do("red 1").phase == "play"
    assert position(DECLARE, ["red 1", *HANDS[1:]], top="red 5").do("red 1").termination == "empty_hand"
