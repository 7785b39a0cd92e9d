"""ACT: what the action cards do."""

from __future__ import annotations

from typing import Literal

import pytest

from tests.rulebook.position import Position, position
from unoflip_env.rules import Rules

AUTO = Rules(uno="auto")
CLASSIC = AUTO.replace(deck="classic")
LIGHT_COLORS = {"color red", "color yellow", "color green", "color blue"}


@pytest.mark.parametrize(
    ("side", "card", "top", "count"), [("light", "red draw_one", "red 5", 1), ("dark", "pink draw_five", "pink 5", 5)]
)
def test_act_1_draw_makes_the_next_seat_draw_and_lose_its_turn(side, card: str, top: str, count: int) -> None:
    turn = position(AUTO, [f"{card}, wild", "wild", "wild"], top=top, side=side)
    turn.do(card)
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([1, 1 + count, 1], 2, "play")


def test_act_1_draw_two_of_the_classic_deck() -> None:
    hands = ["red draw_two, blue draw_two, green 1", "blue 9", "blue 8"]
    turn = position(CLASSIC, hands, top="red 5")
    assert turn.legal == {"red draw_two", "draw"}
    turn.do("red draw_two")
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([2, 3, 1], 2, "play")
    assert position(CLASSIC, hands, top="green draw_two").legal == {"red draw_two", "blue draw_two", "green 1", "draw"}


def test_act_1_draw_is_played_on_its_colour_or_symbol_only() -> None:
    hands = ["red draw_one, blue draw_one", "blue 9"]
    assert position(AUTO, hands, top="red 5").legal == {"red draw_one", "draw"}
    assert position(AUTO, hands, top="green draw_one").legal == {"red draw_one", "blue draw_one", "draw"}


def test_act_1_draw_cannot_be_answered() -> None:
    turn = position(AUTO, ["red draw_one, red 2", "blue draw_one, blue 9"], top="red 5")
    turn.do("red draw_one")
    assert (turn.hand_sizes, turn.actor) == ([1, 3], 0)


def test_act_2_reverse_turns_the_direction() -> None:
    turn = position(AUTO, ["red reverse, red 2", "blue 9", "blue 8"], top="red 5")
    turn.do("red reverse")
    assert (turn.record.direction, turn.actor) == (-1, 2)


def reverse(two_player_reverse: Literal["skip", "plain"], *others: str) -> Position:
    rules = AUTO.replace(two_player_reverse=two_player_reverse)
    return position(rules, ["red reverse, red 2", "blue 9", *others], top="red 5").do("red reverse")


def test_act_2_two_player_reverse_skip_lets_the_same_player_go_again() -> None:
    turn = reverse("skip")
    assert (turn.record.direction, turn.actor) == (-1, 0)


def test_act_2_two_player_reverse_plain_lets_the_other_play() -> None:
    turn = reverse("plain")
    assert (turn.record.direction, turn.actor) == (-1, 1)


def test_act_2_two_player_reverse_is_for_two_players() -> None:
    assert reverse("skip", "blue 8").actor == reverse("plain", "blue 8").actor == 2


def test_act_3_skip_role_skip_makes_the_next_seat_lose_its_turn() -> None:
    turn = position(AUTO.replace(skip_role="skip"), ["red skip, red 2", "blue 9", "blue 8"], top="red 5")
    turn.do("red skip")
    assert (turn.actor, turn.hand_sizes) == (2, [1, 1, 1])


GIVE = AUTO.replace(skip_role="give")


def test_act_3_skip_role_give_hands_a_card_to_an_opponent_and_skips_nobody() -> None:
    turn = position(GIVE, ["blue 9", "red skip, red 2, green 4", "blue 8"], top="red 5", turn=1)
    turn.do("red skip")
    assert (turn.actor, turn.phase, turn.legal) == (1, "give_seat", {"seat +1", "seat +2"})
    turn.do("seat +2")
    assert (turn.actor, turn.phase, turn.legal) == (1, "give_card", {"red 2", "green 4"})
    turn.do("green 4")
    assert [turn.hand(seat) for seat in range(3)] == [["green 4", "blue 9"], ["red 2"], ["blue 8"]]
    assert (turn.actor, turn.phase) == (2, "play")


def test_act_3_skip_role_give_may_go_out() -> None:
    turn = position(GIVE, ["red skip, red 2", "blue 9"], top="red 5")
    turn.do("red skip", "seat +1", "red 2")
    assert (turn.termination, turn.winners, turn.hand_points) == ("empty_hand", {0}, [0, 11])


def test_act_3_skip_role_give_gives_nothing_with_an_empty_hand() -> None:
    turn = position(GIVE, ["red skip", "blue 9"], top="red 5")
    turn.do("red skip")
    assert (turn.termination, turn.winners, turn.hand_points) == ("empty_hand", {0}, [0, 9])


def test_act_3_skip_role_all_draw_makes_every_opponent_draw_in_order_and_skips_nobody() -> None:
    rules = AUTO.replace(skip_role="all_draw")
    draws = ["green 1", "green 2", "green 3"]
    turn = position(rules, ["blue 9", "red skip, red 2", "blue 8"], top="red 5", draws=draws, turn=1, direction=-1)
    turn.do("red skip")
    assert [turn.hand(seat) for seat in range(3)] == [["green 1", "blue 9"], ["red 2"], ["green 2", "blue 8"]]
    assert (turn.actor, turn.draw_pile[0]) == (0, "green 3")


def test_act_4_skip_everyone_lets_the_player_go_again() -> None:
    turn = position(AUTO, ["pink skip_everyone, pink 2", "pink 9", "pink 8"], top="pink 5", side="dark")
    turn.do("pink skip_everyone")
    assert (turn.actor, turn.phase, turn.hand_sizes) == (0, "play", [1, 1, 1])


def test_act_5_wild_is_legal_though_others_could_be_played_and_names_any_colour() -> None:
    turn = position(AUTO, ["wild, red 2, green 3", "blue 9"], top="red 5")
    assert turn.legal == {"wild", "red 2", "draw"}
    turn.do("wild")
    assert (turn.actor, turn.phase, turn.legal) == (0, "color", LIGHT_COLORS)
    turn.do("color red")
    assert (turn.color, turn.actor, turn.legal) == ("red", 1, {"draw"})


@pytest.mark.parametrize("wild_draw", ["bluff", "strict", "free"])
def test_act_6_wild_draw_two_makes_the_next_seat_draw_two_and_lose_its_turn(wild_draw: str) -> None:
    rules = AUTO.replace(wild_draw=wild_draw)
    turn = position(rules, ["wild_draw_two, green 3", "blue 9", "blue 8"], top="red 5")
    turn.do("wild_draw_two")
    assert (turn.actor, turn.phase, turn.legal) == (0, "color", LIGHT_COLORS)
    turn.do("color green", *(["accept"] if wild_draw == "bluff" else []))
    assert (turn.hand_sizes, turn.color, turn.actor, turn.phase) == ([1, 3, 1], "green", 2, "play")


@pytest.mark.parametrize("wild_draw", ["bluff", "strict", "free"])
def test_act_6_wild_draw_four_of_the_classic_deck_makes_the_next_seat_draw_four(wild_draw: str) -> None:
    turn = position(CLASSIC.replace(wild_draw=wild_draw), ["wild_draw_four, green 3", "blue 9", "blue 8"], top="red 5")
    turn.do("wild_draw_four", "color green", *(["accept"] if wild_draw == "bluff" else []))
    assert (turn.hand_sizes, turn.color, turn.actor, turn.phase) == ([1, 5, 1], "green", 2, "play")


STRICT = AUTO.replace(wild_draw="strict")


def test_act_7_wild_draw_color_makes_the_next_seat_draw_until_the_colour_comes() -> None:
    draws = ["orange 1", "wild", "pink 2", "purple 3", "purple 4"]
    turn = position(STRICT, ["wild_draw_color, orange 3", "pink 9", "pink 8"], top="pink 5 / red 1", draws=draws, side="dark")
    turn.do("wild_draw_color", "color purple")
    assert turn.hand(1) == ["pink 2", "pink 9", "orange 1", "purple 3", "wild"]
    assert (turn.draw_pile[0], turn.color, turn.actor) == ("purple 4", "purple", 2)


def test_act_7_wild_draw_color_stops_when_nothing_is_left() -> None:
    turn = position(
        STRICT,
        ["wild_draw_color, orange 3", "pink 9", "pink 8"],
        top="pink 5",
        draws=["orange 1", "pink 2"],
        has_rest=False,
        side="dark",
    )
    turn.do("wild_draw_color", "color purple")
    assert turn.hand(1) == ["pink 2", "pink 5", "pink 9", "orange 1"]
    assert (turn.draw_pile, turn.actor) == ([], 2)


HOLDS_COLOR, HOLDS_SYMBOL = ["wild_draw_two, red 1", "blue 9"], ["wild_draw_two, wild, blue 5", "blue 9"]


def test_act_8_wild_draw_strict_is_legal_only_without_the_colour_in_play() -> None:
    rules = AUTO.replace(wild_draw="strict")
    assert position(rules, HOLDS_COLOR, top="red 5").legal == {"red 1", "draw"}
    assert position(rules, HOLDS_SYMBOL, top="red 5").legal == {"wild_draw_two", "wild", "blue 5", "draw"}


def test_act_8_wild_draw_bluff_may_be_played_anyway_and_challenged() -> None:
    turn = position(AUTO.replace(wild_draw="bluff"), HOLDS_COLOR, top="red 5")
    assert turn.legal == {"wild_draw_two", "red 1", "draw"}
    turn.do("wild_draw_two", "color blue")
    assert (turn.actor, turn.phase) == (1, "respond")


def test_act_8_wild_draw_free_has_no_restriction_and_no_challenge() -> None:
    turn = position(AUTO.replace(wild_draw="free"), HOLDS_COLOR, top="red 5")
    assert turn.legal == {"wild_draw_two", "red 1", "draw"}
    turn.do("wild_draw_two", "color blue")
    assert (turn.actor, turn.phase, turn.hand_sizes) == (0, "play", [1, 3])


def test_act_8_wild_draw_holds_for_the_classic_deck() -> None:
    hands = ["wild_draw_four, red 1", "blue 9"]
    for wild_draw, is_legal in (("strict", False), ("bluff", True), ("free", True)):
        assert ("wild_draw_four" in position(CLASSIC.replace(wild_draw=wild_draw), hands, top="red 5").legal) == is_legal


def test_act_9_zero_role_none_makes_it_a_number() -> None:
    turn = position(CLASSIC.replace(zero_role="none"), ["red 0, blue 1", "blue 0", "green 8"], top="red 5").do("red 0")
    assert (turn.actor, turn.phase, turn.legal, turn.hand_sizes) == (1, "play", {"blue 0", "draw"}, [1, 1, 1])


SWAP, DUMP = CLASSIC.replace(zero_role="swap"), CLASSIC.replace(zero_role="dump")


def test_act_9_zero_role_swap_exchanges_hands_with_an_opponent_of_choice() -> None:
    hands = ["green 8, green 7", "red 0, blue 1", "yellow 4, yellow 6, wild"]
    turn = position(SWAP, hands, top="red 5", turn=1).do("red 0")
    assert (turn.actor, turn.phase, turn.legal) == (1, "swap", {"seat +1", "seat +2"})
    turn.do("seat +1")
    assert [turn.hand(seat) for seat in range(3)] == [["green 7", "green 8"], ["yellow 4", "yellow 6", "wild"], ["blue 1"]]
    assert (turn.hand_sizes, turn.actor, turn.phase, turn.color) == ([2, 3, 1], 2, "play", "red")


def test_act_9_zero_role_swap_is_not_for_an_empty_hand() -> None:
    turn = position(SWAP, ["red 0", "blue 9"], top="red 5").do("red 0")
    assert (turn.termination, turn.winners, turn.hand_sizes) == ("empty_hand", {0}, [0, 1])


def test_act_9_zero_role_dump_puts_every_card_of_a_colour_under_the_zero() -> None:
    hands = ["red 0, blue 3, blue skip, red 1, wild, blue 3", "green 9", "green 8"]
    turn = position(DUMP, hands, top="red 5", under=["red 4"]).do("red 0")
    assert (turn.actor, turn.phase, turn.legal) == (0, "dump", LIGHT_COLORS)
    turn.do("color blue")
    assert (turn.hand(0), turn.actor, turn.phase) == (["red 1", "wild"], 1, "play")
    assert (turn.discards, turn.color) == (["red 0", "blue skip", "blue 3", "blue 3", "red 5", "red 4"], "red")


def test_act_9_zero_role_dump_may_dump_nothing() -> None:
    turn = position(DUMP, ["red 0, blue 3, wild", "green 9"], top="red 5").do("red 0", "color yellow")
    assert (turn.hand(0), turn.discards, turn.actor) == (["blue 3", "wild"], ["red 0", "red 5"], 1)


def test_act_9_zero_role_dump_may_empty_the_hand_which_ends_the_round() -> None:
    turn = position(DUMP, ["red 0, blue 3, blue skip", "green 9"], top="red 5").do("red 0", "color blue")
    assert (turn.termination, turn.winners, turn.hand_points) == ("empty_hand", {0}, [0, 9])
    turn = position(DUMP, ["red 0", "green 9"], top="red 5").do("red 0")
    assert (turn.termination, turn.winners) == ("empty_hand", {0})


def test_act_9_zero_role_dump_acts_once_for_a_pair_of_zeros() -> None:
    rules = DUMP.replace(double="same_symbol", accumulate=True)
    turn = position(rules, ["red 0, green 0, blue 3, red 1", "green 9"], top="red 5").do("red 0", "green 0")
    assert turn.phase == "dump"
    turn.do("color blue")
    assert (turn.actor, turn.phase, turn.hand(0)) == (1, "play", ["red 1"])
    assert turn.discards == ["green 0", "blue 3", "red 0", "red 5"]


def test_act_9_zero_role_acts_for_a_drawn_zero_too() -> None:
    turn = position(SWAP, ["blue 1", "blue 9"], top="red 5", draws=["red 0"]).do("draw", "red 0")
    assert (turn.actor, turn.phase) == (0, "swap")


@pytest.mark.parametrize("card", ["wild", "wild_draw_two"])
def test_act_10_colour_is_named_even_for_the_last_card(card: str) -> None:
    turn = position(AUTO, [card, "blue 9, blue 8"], top="red 5")
    turn.do(card)
    assert (turn.actor, turn.phase, turn.termination) == (0, "color", "none")
    turn.do("color blue")
    assert turn.color == "blue"
