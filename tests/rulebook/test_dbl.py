"""DBL: two cards in one turn (test_cut.py: cuts in between). Seat 0 of three begins unless a test says otherwise."""

from __future__ import annotations

from typing import Literal

import pytest

from tests.rulebook.position import Position, ask, decline_all, faces_of, position
from unoflip_env.rules import STACK_KINDS, Rules

AUTO = Rules(uno="auto")
IDENTICAL = AUTO.replace(double="identical")
SAME_SYMBOL = AUTO.replace(double="same_symbol")
ACCUMULATE = SAME_SYMBOL.replace(accumulate=True, wild_draw="free")
DRAWS = [f"yellow {number}" for number in range(1, 10)]


def test_dbl_1_double_none_is_one_card_a_turn() -> None:
    turn = position(AUTO.replace(double="none"), ["red 7, red 7, blue 7", "green 9", "green 8"], top="red 5").do("red 7")
    assert (turn.actor, turn.phase, turn.hand_sizes) == (1, "play", [2, 1, 1])


def test_dbl_1_double_identical_takes_the_same_colour_and_symbol() -> None:
    for second, actor, hand in (("red 7", 1, ["red 8", "blue 7"]), ("decline", 1, ["red 7", "red 8", "blue 7"])):
        turn = position(IDENTICAL, ["red 7, red 7, blue 7, red 8", "green 9", "green 8"], top="red 5").do("red 7")
        assert (turn.actor, turn.phase, turn.legal, turn.discards[0]) == (0, "second", {"red 7", "decline"}, "red 7")
        turn.do(second)
        assert (turn.actor, turn.phase, turn.hand(0)) == (actor, "play", hand)


def test_dbl_1_double_identical_is_not_asked_without_such_a_card() -> None:
    turn = position(IDENTICAL, ["red 7, blue 7, red 8", "green 9", "green 8"], top="red 5").do("red 7")
    assert (turn.actor, turn.phase) == (1, "play")


def test_dbl_1_double_same_symbol_takes_any_colours() -> None:
    hands = ["red 7, blue 7, green 7, red 8, wild", "green 9", "green 8"]
    turn = position(SAME_SYMBOL, hands, top="red 5").do("red 7")
    assert (turn.actor, turn.phase, turn.legal) == (0, "second", {"blue 7", "green 7", "decline"})
    turn.do("green 7")
    assert (turn.discards, turn.color, turn.actor) == (["green 7", "red 7", "red 5"], "green", 1)
    turn = position(SAME_SYMBOL, ["red skip, blue skip, red 8", "green 9", "green 8"], top="red 5").do("red skip")
    assert turn.legal == {"blue skip", "decline"}


def test_dbl_1_double_same_symbol_goes_by_the_side_in_play() -> None:
    hands = ["pink 7 / red 1, orange 7 / red 2, pink 1 / red 3", "purple 9", "purple 8"]
    turn = position(SAME_SYMBOL, hands, top="pink 5", side="dark").do("pink 7")
    assert turn.legal == {"orange 7", "decline"}


def test_dbl_1_never_more_than_two_in_a_turn() -> None:
    turn = position(SAME_SYMBOL, ["red 7, red 7, blue 7, green 7", "green 9", "green 8"], top="red 5").do("red 7", "red 7")
    assert (turn.actor, turn.phase, turn.hand_sizes) == (1, "play", [2, 1, 1])


def test_dbl_1_the_copy_that_is_named_is_played() -> None:
    turn = position(IDENTICAL, ["red 7 / pink 1, red 7 / pink 2, red 8 / pink 3", "green 9"], top="red 5")
    turn.do("red 7 / pink 2", "decline")
    assert faces_of(turn.observe(1)["other_backs"][0], "dark") == {"pink 1": 1, "pink 3": 1}


def test_dbl_1_both_cards_of_a_pair_may_be_the_last() -> None:
    turn = position(IDENTICAL, ["red 7, red 7", "green 9", "green 8"], top="red 5").do("red 7")
    assert (turn.actor, turn.phase, turn.termination) == (0, "second", "none")
    assert (turn.do("red 7").termination, turn.winners) == ("empty_hand", {0})


def test_dbl_1_wilds_are_doubled_too() -> None:
    turn = position(IDENTICAL, ["wild, wild, red 1", "green 9", "green 8"], top="red 5").do("wild")
    assert (turn.phase, turn.legal) == ("second", {"wild", "decline"})
    turn = position(ACCUMULATE, ["wild, wild_draw_two, red 1", "green 9", "green 8"], top="red 5").do("wild")
    assert turn.phase == "color"


def test_dbl_1_zeros_of_the_classic_deck_are_doubled_by_symbol_alone() -> None:
    hands = ["red 0, blue 0, green 1", "green 9", "green 8"]
    rules = SAME_SYMBOL.replace(deck="classic")
    assert position(rules, hands, top="red 5").do("red 0").legal == {"blue 0", "decline"}
    assert position(rules.replace(double="identical"), hands, top="red 5").do("red 0").actor == 1


ONCE = IDENTICAL.replace(accumulate=False)


def pair(
    rules: Rules, card: str, top: str = "red 5", side: Literal["light", "dark"] = "light", num_others: int = 3
) -> Position:
    """Seat 0 has played both cards of a pair and keeps two; the others hold one each."""
    one, other = ("red", "blue") if side == "light" else ("pink", "orange")
    hands = [f"{card}, {card}, {one} 1, {one} 2", *[f"{other} {number}" for number in (9, 8, 6, 4)][:num_others]]
    turn = position(rules, hands, top=top, side=side, draws=DRAWS if side == "light" else ())
    return turn.do(card, card)


def test_dbl_3_accumulate_false_lets_a_pair_act_once_as_one_card() -> None:
    assert pair(ONCE, "red 7").actor == 1
    assert pair(ONCE, "red skip").actor == 2
    turn = pair(ONCE, "red reverse")
    assert (turn.actor, turn.record.direction) == (3, -1)
    turn = pair(ONCE, "red flip", "red 5 / pink 6")
    assert (turn.actor, turn.side, turn.discards[0]) == (1, "dark", "pink 6")
    turn = pair(ONCE, "pink skip_everyone", "pink 5", "dark")
    assert (turn.actor, turn.phase, turn.hand_sizes) == (0, "play", [2, 1, 1, 1])


def test_dbl_3_accumulate_false_gives_one_card_and_one_draw_of_all_for_a_pair_of_skips() -> None:
    turn = pair(ONCE.replace(skip_role="all_draw"), "red skip")
    assert (turn.hand_sizes, turn.actor) == ([2, 2, 2, 2], 1)
    turn = pair(ONCE.replace(skip_role="give"), "red skip").do("seat +2", "red 1")
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([1, 1, 2, 1], 1, "play")


@pytest.mark.parametrize("double", ["identical", "same_symbol"])
@pytest.mark.parametrize(
    ("side", "card", "top", "count"),
    [("light", "red draw_one", "red 5", 1), ("light", "wild_draw_two", "red 5", 2), ("dark", "pink draw_five", "pink 5", 5)],
)
def test_dbl_3_accumulate_false_doubles_no_draw_cards(double, side, card: str, top: str, count: int) -> None:
    rules = AUTO.replace(double=double, accumulate=False, wild_draw="free", cut="anyone")
    hands = [f"{card}, {card}, wild", "wild", "wild"]
    turn = position(rules, hands, top=top, side=side).do(card, *(["color green"] if card == "wild_draw_two" else []))
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([2, 1 + count, 1], 2, "play")


def test_dbl_3_accumulate_false_does_not_double_wild_draw_color_nor_the_classic_draw_cards() -> None:
    rules = SAME_SYMBOL.replace(wild_draw="free")
    hands = ["wild_draw_color, wild_draw_color, pink 1", "orange 9", "orange 8"]
    turn = position(rules, hands, top="pink 5", side="dark").do("wild_draw_color")
    assert turn.phase == "color"
    classic = rules.replace(deck="classic")
    turn = position(classic, ["red draw_two, blue draw_two, red 1", "blue 9", "blue 8"], top="red 5").do("red draw_two")
    assert (turn.hand_sizes, turn.actor) == ([2, 3, 1], 2)
    turn = position(classic, ["wild_draw_four, wild_draw_four, red 1", "blue 9", "blue 8"], top="red 5").do("wild_draw_four")
    assert turn.phase == "color"


@pytest.mark.parametrize(
    ("side", "card", "top", "count"),
    [("light", "red draw_one", "red 5", 2), ("light", "wild_draw_two", "red 5", 4), ("dark", "pink draw_five", "pink 5", 10)],
)
def test_dbl_4_accumulate_true_adds_up_the_counts(side, card: str, top: str, count: int) -> None:
    hands = [f"{card}, {card}, wild", "wild", "wild"]
    turn = position(ACCUMULATE, hands, top=top, side=side)
    turn.do(card, card, *(["color green"] if card == "wild_draw_two" else []))
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([1, 1 + count, 1], 2, "play")


@pytest.mark.parametrize(("cards", "count"), [(("red draw_two", "blue draw_two"), 4), (("wild_draw_four",) * 2, 8)])
def test_dbl_4_accumulate_true_adds_up_the_counts_of_the_classic_deck(cards: tuple[str, str], count: int) -> None:
    hands = [", ".join([*cards, "red 1"]), "blue 9", "blue 8"]
    turn = position(ACCUMULATE.replace(deck="classic"), hands, top="red 5")
    turn.do(*cards, *(["color green"] if cards[0] == "wild_draw_four" else []))
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([1, 1 + count, 1], 2, "play")


def test_dbl_4_accumulate_true_counts_one_card_once_where_the_second_is_declined() -> None:
    hands = ["red draw_one, blue draw_one, red 1", "blue 9", "blue 8"]
    turn = position(ACCUMULATE, hands, top="red 5").do("red draw_one", "decline")
    assert (turn.hand_sizes, turn.actor) == ([2, 2, 1], 2)


def test_dbl_4_accumulate_true_counts_the_cards_of_one_turn() -> None:
    hands = ["red 7, blue 1", "red draw_one, blue 9", "green 8"]
    turn = position(ACCUMULATE, hands, top="red 5").do("red 7", "red draw_one")
    assert (turn.hand_sizes, turn.actor) == ([1, 1, 2], 0)


def test_dbl_4_accumulate_true_skips_two_seats() -> None:
    assert pair(ACCUMULATE, "red skip").actor == 3
    assert pair(ACCUMULATE, "red skip", num_others=2).actor == 0
    assert pair(ACCUMULATE, "red skip", num_others=1).actor == 1


@pytest.mark.parametrize("two_player_reverse", ["skip", "plain"])
def test_dbl_4_accumulate_true_lets_two_reverses_cancel(two_player_reverse: str) -> None:
    rules = ACCUMULATE.replace(two_player_reverse=two_player_reverse)
    for num_others in (1, 3):
        turn = pair(rules, "red reverse", num_others=num_others)
        assert (turn.actor, turn.record.direction) == (1, 1)


def test_dbl_4_accumulate_true_lets_two_flips_cancel() -> None:
    hands = ["red flip, blue flip, red 1", "green 9", "green 8"]
    turn = position(ACCUMULATE, hands, top="red 5 / wild").do("red flip", "blue flip")
    assert (turn.actor, turn.phase, turn.side, turn.color) == (1, "play", "light", "blue")
    assert turn.discards == ["blue flip", "red flip", "red 5"]


def test_dbl_4_accumulate_true_lets_skip_everyone_wild_and_wild_draw_color_act_once() -> None:
    turn = pair(ACCUMULATE, "pink skip_everyone", "pink 5", "dark")
    assert (turn.actor, turn.phase, turn.record.num_turns) == (0, "play", 2)
    turn = pair(ACCUMULATE, "wild").do("color green")
    assert (turn.actor, turn.phase, turn.color) == (1, "play", "green")
    hands = ["wild_draw_color, wild_draw_color, pink 1", "orange 9", "orange 8"]
    turn = position(ACCUMULATE, hands, top="pink 5", side="dark", draws=["pink 2", "purple 1", "purple 2"])
    turn.do("wild_draw_color", "wild_draw_color", "color purple")
    assert (turn.hand_sizes, turn.actor, turn.draw_pile[0]) == ([1, 1 + 2, 1], 2, "purple 2")


def test_dbl_4_accumulate_true_gives_and_draws_once_for_a_pair_of_skips() -> None:
    turn = pair(ACCUMULATE.replace(skip_role="all_draw"), "red skip")
    assert (turn.hand_sizes, turn.actor) == ([2, 2, 2, 2], 1)
    turn = pair(ACCUMULATE.replace(skip_role="give"), "red skip").do("seat +2", "red 1")
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([1, 1, 2, 1], 1, "play")


@pytest.mark.parametrize(
    ("kept", "challenged", "sizes", "actor"),
    [("red 1", "challenge", [1 + 4, 1, 1], 1), ("yellow 1", "challenge", [1, 1 + 6, 1], 2), ("red 1", "accept", [1, 5, 1], 2)],
)
def test_dbl_4_accumulate_true_has_a_pair_of_wild_draws_challenged_as_one(kept, challenged, sizes, actor: int) -> None:
    rules = ACCUMULATE.replace(wild_draw="bluff")
    turn = position(rules, [f"wild_draw_two, wild_draw_two, {kept}", "green 9", "green 8"], top="red 5")
    turn.do("wild_draw_two", "wild_draw_two", "color blue")
    assert (turn.actor, turn.phase, turn.legal) == (1, "respond", {"accept", "challenge"})
    turn.do(challenged)
    assert (turn.hand_sizes, turn.actor, turn.phase) == (sizes, actor, "play")


def test_dbl_4_accumulate_true_is_stacked_on() -> None:
    rules = ACCUMULATE.replace(stack=STACK_KINDS["flip"])
    hands = ["red draw_one, blue draw_one, red 1", "green draw_one, green 9", "green 8"]
    turn = position(rules, hands, top="red 5").do("red draw_one", "blue draw_one")
    assert (turn.actor, turn.phase, turn.legal) == (1, "respond", {"accept", "green draw_one"})
    turn.do("green draw_one")
    assert (turn.hand_sizes, turn.actor) == ([1, 1, 1 + 3], 0)


def test_dbl_5_order_is_first_card_cuts_second_colour_window_effect_turn() -> None:
    rules = SAME_SYMBOL.replace(uno="declare", accumulate=True, cut="anyone", wild_draw="free")
    hands = ["red draw_one, blue draw_one, red 1", "red 9, green 8", "green 7, green 6"]
    turn = position(rules, hands, top="red 5", draws=DRAWS)
    seen = []
    for action in ("red draw_one", "decline", "blue draw_one"):
        seen.append((turn.actor, turn.phase))
        turn.do(action)
    assert seen == [(0, "play"), (1, "cut"), (0, "second")]
    assert (turn.phase, turn.record.silent_seat, turn.hand_sizes, turn.color) == ("uno", 0, [1, 2, 2], "blue")
    ask(turn, 2).do("catch")
    assert turn.hand(0) == ["red 1", "yellow 1", "yellow 2"]
    assert turn.hand(1) == ["red 9", "yellow 3", "yellow 4", "green 8"]
    assert (turn.actor, turn.phase) == (2, "play")


def test_dbl_5_a_wilds_colour_is_named_once_for_a_pair_and_before_the_window() -> None:
    rules = IDENTICAL.replace(uno="declare")
    turn = position(rules, ["wild, wild, red 1", "green 9, green 8", "green 7, green 6"], top="red 5")
    assert turn.do("wild").phase == "second"
    assert turn.do("wild").phase == "color"
    assert turn.do("color green").phase == "uno"
    assert (decline_all(turn).actor, turn.phase, turn.color) == (1, "play", "green")


def test_dbl_5_a_wilds_colour_is_named_after_the_second_is_declined() -> None:
    turn = position(IDENTICAL, ["wild, wild, red 1", "green 9", "green 7"], top="red 5").do("wild", "decline")
    assert (turn.actor, turn.phase) == (0, "color")
    turn.do("color green")
    assert (turn.actor, turn.phase, turn.hand_sizes) == (1, "play", [2, 1, 1])


def test_dbl_5_the_window_comes_after_the_second_card_or_its_decline() -> None:
    rules = IDENTICAL.replace(uno="declare")
    hands = ["red 7, red 7", "green 9, green 8", "green 7, green 6"]
    turn = position(rules, hands, top="red 5").do("red 7")
    assert (turn.actor, turn.phase, turn.legal) == (0, "second", {"red 7", "decline"})
    turn.do("decline")
    assert (turn.phase, turn.record.silent_seat) == ("uno", 0)
    assert position(rules, hands, top="red 5").do("red 7", "red 7").termination == "empty_hand"


def test_dbl_5_the_colour_in_play_is_the_last_cards() -> None:
    hands = ["red 7, blue 7, red 1", "red 9, blue 9", "green 8"]
    turn = position(SAME_SYMBOL, hands, top="red 5").do("red 7", "blue 7")
    assert (turn.color, turn.legal) == ("blue", {"blue 9", "draw"})
    turn = position(SAME_SYMBOL, hands, top="red 5").do("red 7", "decline")
    assert (turn.color, turn.legal) == ("red", {"red 9", "draw"})
