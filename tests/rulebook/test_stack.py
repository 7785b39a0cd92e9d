"""STACK: a draw card answered with the same kind. Seat 0 of three begins unless a test says otherwise."""

from __future__ import annotations

from typing import Literal

import pytest

from tests.rulebook.position import Position, dealt, faces_of, position
from unoflip_env.rules import STACK_KINDS, Rules

AUTO = Rules(uno="auto")
CLASSIC = AUTO.replace(deck="classic", wild_draw="free")
ALL = AUTO.replace(stack=STACK_KINDS["flip"], wild_draw="free")


def test_stack_1_stack_none_is_drawn_at_once() -> None:
    turn = position(AUTO.replace(stack=()), ["red draw_one, red 2", "blue draw_one, blue 9", "green 8"], top="red 5")
    turn.do("red draw_one")
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([1, 3, 1], 2, "play")


def colored(rules: Rules, symbol: str, colors: tuple[str, str], side: Literal["light", "dark"] = "light") -> Position:
    """Seat 0 has played a draw card; seat 1 holds one of another colour; seat 2 none. The stack is played out."""
    one, other = colors
    hands = [f"{one} {symbol}, {one} 2", f"{other} {symbol}, {one} 9", f"{one} 8"]
    turn = position(rules, hands, top=f"{one} 5", side=side).do(f"{one} {symbol}")
    assert (turn.actor, turn.phase, turn.legal) == (1, "respond", {"accept", f"{other} {symbol}"})
    assert turn.hand_sizes == [1, 2, 1]
    turn.do(f"{other} {symbol}")
    assert (turn.discards[0], turn.color) == (f"{other} {symbol}", other)
    return turn


def test_stack_1_stack_draw_one_adds_up_and_passes_on() -> None:
    turn = colored(AUTO.replace(stack=("draw_one",)), "draw_one", ("red", "blue"))
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([1, 1, 1 + 2], 0, "play")


def test_stack_1_stack_draw_five_adds_up_and_passes_on() -> None:
    turn = colored(AUTO.replace(stack=("draw_five",)), "draw_five", ("pink", "orange"), "dark")
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([1, 1, 1 + 10], 0, "play")


def test_stack_1_stack_draw_two_of_the_classic_deck_adds_up_and_passes_on() -> None:
    turn = colored(CLASSIC.replace(stack=("draw_two",)), "draw_two", ("red", "blue"))
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([1, 1, 1 + 4], 0, "play")


def wild(rules: Rules, card: str) -> Position:
    """Seat 0 has played a wild draw and named green; seat 1 holds another and has stacked it; seat 2 has none."""
    turn = position(rules, [f"{card}, red 2", f"{card}, red 9", "red 8"], top="red 5").do(card, "color green")
    assert (turn.actor, turn.phase, turn.legal) == (1, "respond", {"accept", card})
    turn.do(card)
    assert (turn.actor, turn.phase) == (1, "color")
    return turn.do("color blue")


def test_stack_1_stack_wild_draw_two_adds_up_and_passes_on() -> None:
    turn = wild(AUTO.replace(stack=("wild_draw_two",), wild_draw="free"), "wild_draw_two")
    assert (turn.hand_sizes, turn.actor, turn.phase, turn.color) == ([1, 1, 1 + 4], 0, "play", "blue")


def test_stack_1_stack_wild_draw_four_of_the_classic_deck_adds_up_and_passes_on() -> None:
    turn = wild(CLASSIC.replace(stack=("wild_draw_four",)), "wild_draw_four")
    assert (turn.hand_sizes, turn.actor, turn.phase, turn.color) == ([1, 1, 1 + 8], 0, "play", "blue")


KINDS = [
    ("light", "draw_one", "blue draw_one", 1),
    ("light", "wild_draw_two", "wild_draw_two", 2),
    ("dark", "draw_five", "purple draw_five", 5),
]


@pytest.mark.parametrize(("side", "kind", "card", "count"), KINDS)
def test_stack_1_only_the_kinds_in_the_option_stack(side: Literal["light", "dark"], kind: str, card: str, count: int) -> None:
    others = tuple(name for name in STACK_KINDS["flip"] if name != kind)
    for stack, is_asked in (((kind,), True), (others, False)):
        rules = AUTO.replace(stack=stack, wild_draw="free")
        hands = [f"{card}, wild", f"{card}, wild", "wild"]
        turn = position(rules, hands, top="blue 5" if side == "light" else "purple 5", side=side)
        turn.do(card, *(["color green"] if card == "wild_draw_two" else []))
        assert (turn.actor, turn.phase) == ((1, "respond") if is_asked else (2, "play"))
        assert turn.hand_sizes[1] == (2 if is_asked else 2 + count)


def test_stack_1_kinds_never_mix() -> None:
    turn = position(ALL, ["red draw_one, red 2", "wild_draw_two, red 9", "red 8"], top="red 5").do("red draw_one")
    assert (turn.hand_sizes, turn.actor) == ([1, 3, 1], 2)
    turn = position(ALL, ["wild_draw_two, red 2", "green draw_one, red 9", "red 8"], top="red 5")
    turn.do("wild_draw_two", "color green")
    assert (turn.hand_sizes, turn.actor) == ([1, 4, 1], 2)
    turn = position(ALL, ["wild_draw_two, red 2", "wild_draw_two, green draw_one, wild", "red 8"], top="red 5")
    assert turn.do("wild_draw_two", "color green").legal == {"accept", "wild_draw_two"}


def test_stack_1_passes_on_from_seat_to_seat_in_the_direction_of_play() -> None:
    hands = ["red draw_one, red 2", "blue 9", "green draw_one, red 9", "yellow draw_one, blue draw_one"]
    turn = position(ALL, hands, top="red 5", direction=-1).do("red draw_one")
    assert (turn.actor, turn.legal) == (3, {"accept", "yellow draw_one", "blue draw_one"})
    turn.do("blue draw_one", "green draw_one")
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([1, 1 + 3, 1, 1], 0, "play")


def test_stack_1_comes_back_to_who_began_it() -> None:
    turn = position(ALL, ["red draw_one, green draw_one, red 2", "blue draw_one, blue 9"], top="red 5")
    turn.do("red draw_one", "blue draw_one")
    assert (turn.actor, turn.phase, turn.legal) == (0, "respond", {"accept", "green draw_one"})
    turn.do("green draw_one")
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([1, 1 + 3], 0, "play")


@pytest.mark.parametrize("accumulate", [False, True])
def test_stack_1_one_card_is_stacked_never_doubled(accumulate: bool) -> None:
    rules = ALL.replace(double="same_symbol", accumulate=accumulate)
    hands = ["red draw_one, red 2", "blue draw_one, blue draw_one, green draw_one, blue 9", "green draw_one, red 8"]
    turn = position(rules, hands, top="red 5").do("red draw_one", "blue draw_one")
    assert (turn.actor, turn.phase) == (2, "respond")
    turn.do("accept")
    assert (turn.hand_sizes, turn.actor) == ([1, 3, 2 + 2], 0)


def test_stack_1_goes_on_after_someone_has_gone_out_until_somebody_draws() -> None:
    hands = ["red draw_one", "blue draw_one, blue 9", "green draw_one, green 8"]
    turn = position(ALL, hands, top="red 5").do("red draw_one")
    assert (turn.actor, turn.phase, turn.termination) == (1, "respond", "none")
    turn.do("blue draw_one", "accept")
    assert (turn.termination, turn.winners, turn.hand_sizes) == ("empty_hand", {0}, [0, 1, 2 + 2])


def test_stack_1_does_not_answer_the_first_card_turned_up() -> None:
    start = dealt(ALL.replace(dealer=0), 3, "draw_one")
    assert (start.actor, start.phase, start.hand_sizes) == (2, "play", [7, 8, 7])


def test_stack_1_a_wild_draw_is_stacked_as_it_may_be_played() -> None:
    hands = ["wild_draw_two, red 2", "wild_draw_two, green 9", "red 8"]
    for wild_draw, legal in (
        ("free", {"accept", "wild_draw_two"}),
        ("bluff", {"accept", "challenge", "wild_draw_two"}),
    ):
        turn = position(ALL.replace(wild_draw=wild_draw), hands, top="red 5").do("wild_draw_two", "color green")
        assert (turn.actor, turn.legal) == (1, legal)
    hands[0] = "wild_draw_two, yellow 2"
    turn = position(ALL.replace(wild_draw="strict"), hands, top="red 5").do("wild_draw_two", "color green")
    assert (turn.actor, turn.phase, turn.hand_sizes) == (2, "play", [1, 4, 1])
    turn = position(ALL.replace(wild_draw="strict"), hands, top="red 5").do("wild_draw_two", "color blue")
    assert (turn.actor, turn.legal) == (1, {"accept", "wild_draw_two"})


def test_stack_1_begins_no_turn() -> None:
    hands = ["red draw_one, red 2", "blue draw_one, blue 9", "green 8"]
    turn = position(ALL.replace(max_turns=2), hands, top="red 5").do("red draw_one", "blue draw_one")
    assert (turn.actor, turn.record.num_turns, turn.termination) == (0, 2, "none")


def test_stack_2_whoever_will_not_takes_the_whole_count_and_loses_its_turn() -> None:
    hands = ["red draw_one, red 2", "blue draw_one, blue 9", "green draw_one, green 8"]
    turn = position(ALL, hands, top="red 5").do("red draw_one", "blue draw_one", "accept")
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([1, 1, 2 + 2], 0, "play")


def test_stack_2_whoever_cannot_takes_the_whole_count_without_being_asked() -> None:
    hands = ["pink draw_five, pink 2", "orange draw_five, pink 9", "purple draw_five, pink 8", "pink 7"]
    turn = position(ALL, hands, top="pink 5", side="dark")
    turn.do("pink draw_five", "orange draw_five", "purple draw_five")
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([1, 1, 1, 1 + 15], 0, "play")


def test_stack_2_the_count_begins_anew_with_the_next_stack() -> None:
    hands = ["red draw_one, blue 1, blue draw_one", "blue 9, blue 8", "green 8"]
    turn = position(ALL, hands, top="red 5", draws=["yellow 1", "yellow 2", "yellow 3"])
    turn.do("red draw_one", "draw")
    assert (turn.actor, turn.hand_sizes) == (0, [2, 3, 2])
    turn.do("blue draw_one")
    assert (turn.actor, turn.hand_sizes) == (2, [1, 4, 2])


def test_stack_2_draws_what_there_is() -> None:
    hands = ["pink draw_five, pink 2", "orange draw_five, pink 9", "pink 8"]
    turn = position(ALL, hands, top="pink 5", draws=["pink 3"], has_rest=False, side="dark")
    turn.do("pink draw_five", "orange draw_five")
    assert (turn.hand_sizes, turn.discards, turn.draw_pile) == ([1, 1, 1 + 3], ["orange draw_five"], [])


BLUFF = AUTO.replace(stack=("wild_draw_two",), wild_draw="bluff")
DRAWS = [f"yellow {number}" for number in range(1, 8)]


def stacked(first: str, second: str) -> Position:
    """Seat 0 has played a Wild Draw Two on a red 5 and named green, seat 1 another and named blue; each keeps a hand."""
    hands = [f"wild_draw_two, {first}", f"wild_draw_two, {second}", "red 8, red 7"]
    turn = position(BLUFF, hands, top="red 5", draws=DRAWS)
    turn.do("wild_draw_two", "color green", "wild_draw_two", "color blue")
    assert (turn.actor, turn.phase, turn.legal) == (2, "respond", {"accept", "challenge"})
    return turn


def test_stack_3_the_last_to_stack_names_the_colour() -> None:
    turn = stacked("yellow 9", "yellow 8").do("accept")
    assert (turn.color, turn.hand_sizes, turn.actor, turn.phase) == ("blue", [1, 1, 2 + 4], 0, "play")


def test_stack_3_a_guilty_last_stacker_draws_the_whole_count_and_the_challenger_has_its_turn() -> None:
    turn = stacked("yellow 9", "green 8").do("challenge")
    assert (turn.hand_sizes, turn.draw_pile[0]) == ([1, 1 + 4, 2], "yellow 5")
    assert (turn.actor, turn.phase, turn.color) == (2, "play", "blue")
    turn.do("draw")
    assert turn.actor == 0


def test_stack_3_a_wrong_challenger_draws_the_whole_count_and_two_more() -> None:
    turn = stacked("yellow 9", "yellow 8").do("challenge")
    assert (turn.hand_sizes, turn.draw_pile[0]) == ([1, 1, 2 + 6], "yellow 7")
    assert (turn.actor, turn.phase, turn.color) == (0, "play", "blue")


def test_stack_3_only_the_last_one_played_is_challenged() -> None:
    turn = stacked("red 9", "yellow 8").do("challenge")  # seat 0 has bluffed, seat 1 has not
    assert turn.hand_sizes == [1, 1, 2 + 6]
    assert faces_of(turn.observe(2)["other_known"][1], "light") == {"yellow 8": 1}
    assert not turn.observe(2)["other_known"][0].any()


def test_stack_3_the_last_one_is_judged_by_the_colour_that_was_named_before() -> None:
    assert stacked("yellow 9", "red 8").do("challenge").actor == 0  # red was in play before green: not guilty
    assert stacked("yellow 9", "green 8").do("challenge").actor == 2


def test_stack_3_who_could_stack_may_challenge_instead() -> None:
    hands = ["wild_draw_two, red 2", "wild_draw_two, blue 9", "green 8"]
    turn = position(BLUFF, hands, top="red 5").do("wild_draw_two", "color green")
    assert turn.legal == {"accept", "challenge", "wild_draw_two"}
    turn.do("challenge")
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([1 + 2, 2, 1], 1, "play")


def test_stack_3_counts_wild_draw_fours_of_the_classic_deck() -> None:
    rules = CLASSIC.replace(stack=("wild_draw_four",), wild_draw="bluff")
    hands = ["wild_draw_four, yellow 2", "wild_draw_four, yellow 9", "red 8"]
    turn = position(rules, hands, top="red 5").do("wild_draw_four", "color green", "wild_draw_four", "color blue", "challenge")
    assert turn.hand_sizes == [1, 1, 1 + 10]


def test_stack_3_who_has_gone_out_may_have_to_answer_the_last_one() -> None:
    hands = ["wild_draw_two", "wild_draw_two, green 9", "wild_draw_two, blue 8"]
    turn = position(BLUFF, hands, top="red 5", draws=DRAWS)
    turn.do("wild_draw_two", "color green", "wild_draw_two", "color blue", "wild_draw_two", "color red")
    assert (turn.actor, turn.phase, turn.legal) == (0, "respond", {"accept", "challenge"})
    turn.do("challenge")
    assert (turn.termination, turn.winners, turn.hand_sizes) == ("empty_hand", {0}, [0, 1, 1 + 6])


@pytest.mark.parametrize(("wild_draw", "is_asked"), [("bluff", True), ("free", False)])
def test_stack_4_wild_draw_color_does_not_stack(wild_draw: str, is_asked: bool) -> None:
    hands = ["wild_draw_color, orange 2", "wild_draw_color, orange 9", "orange 8"]
    rules = ALL.replace(wild_draw=wild_draw)
    turn = position(rules, hands, top="pink 5", side="dark", draws=["purple 1"]).do("wild_draw_color", "color purple")
    if is_asked:
        assert (turn.actor, turn.legal) == (1, {"accept", "challenge"})
        turn.do("accept")
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([1, 3, 1], 2, "play")
