"""START: the first card turned up. Seat 0 deals to three or two players, so the first seat is seat 1."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from tests.rulebook.position import dealt
from unoflip_env.deck import FACE_SYMBOL, FLIP, LIGHT, NOUGHT, SLOT_FACE, WILD_DRAW
from unoflip_env.engine import Engine
from unoflip_env.rules import Rules

RULES = Rules(dealer=0)
CLASSIC = RULES.replace(deck="classic")


def first_symbols(rules: Rules, num_players: int = 3) -> np.ndarray:
    """The symbol on the light side of the first card in many deals."""
    games = Engine(rules, 1000, seed=2, num_players=num_players).games
    return FACE_SYMBOL[SLOT_FACE[games.discard_pile[np.arange(1000), games.discard_start]]]


def test_start_1_number_lets_the_first_seat_play() -> None:
    start = dealt(RULES, 3, "7")
    assert (start.actor, start.phase, start.hand_sizes) == (1, "play", [7, 7, 7])


@pytest.mark.parametrize("zero_role", ["none", "swap", "dump"])
def test_start_1_zero_of_the_classic_deck_is_a_number_that_does_not_act(zero_role: Literal["none", "swap", "dump"]) -> None:
    for symbol in ("7", "0"):
        start = dealt(CLASSIC.replace(zero_role=zero_role), 3, symbol)
        assert (start.actor, start.phase, start.hand_sizes) == (1, "play", [7, 7, 7])


def test_start_2_draw_one_makes_the_first_seat_draw_and_lose_its_turn() -> None:
    start = dealt(RULES, 3, "draw_one")
    assert (start.actor, start.phase, start.hand_sizes) == (2, "play", [7, 8, 7])


def test_start_2_draw_two_of_the_classic_deck_makes_the_first_seat_draw_two_and_lose_its_turn() -> None:
    for stack in ((), ("draw_two",)):
        start = dealt(CLASSIC.replace(stack=stack), 3, "draw_two")
        assert (start.actor, start.phase, start.hand_sizes) == (2, "play", [7, 9, 7])


def test_start_3_reverse_lets_the_dealer_play_first_and_direction_turns() -> None:
    start = dealt(RULES, 3, "reverse")
    assert (start.actor, start.record.direction) == (0, -1)
    start.do("draw")
    if start.phase == "drawn":
        start.do("keep")
    assert start.actor == 2


def test_start_3_reverse_of_the_classic_deck() -> None:
    start = dealt(CLASSIC, 3, "reverse")
    assert (start.actor, start.phase, start.record.direction) == (0, "play", -1)


@pytest.mark.parametrize("two_player_reverse", ["skip", "plain"])
def test_start_3_reverse_is_the_same_with_two_players(two_player_reverse: str) -> None:
    start = dealt(RULES.replace(two_player_reverse=two_player_reverse), 2, "reverse")
    assert (start.actor, start.record.direction) == (0, -1)


def test_start_4_skip_makes_the_first_seat_lose_its_turn() -> None:
    start = dealt(RULES, 3, "skip")
    assert (start.actor, start.hand_sizes) == (2, [7, 7, 7])


@pytest.mark.parametrize("skip_role", ["skip", "give", "all_draw"])
def test_start_4_skip_does_so_whatever_a_skip_does_later(skip_role: Literal["skip", "give", "all_draw"]) -> None:
    for rules in (RULES, CLASSIC):
        start = dealt(rules.replace(skip_role=skip_role), 3, "skip")
        assert (start.actor, start.phase, start.hand_sizes) == (2, "play", [7, 7, 7])


def test_start_5_wild_lets_the_first_seat_name_the_colour_then_play() -> None:
    start = dealt(RULES, 3, "wild")
    assert (start.actor, start.phase) == (1, "color")
    assert start.legal == {f"color {color}" for color in ("red", "yellow", "green", "blue")}
    start.do("color green")
    assert (start.actor, start.phase, start.color) == (1, "play", "green")


def test_start_5_wild_of_the_classic_deck() -> None:
    start = dealt(CLASSIC, 3, "wild")
    assert (start.actor, start.phase) == (1, "color")
    start.do("color green")
    assert (start.actor, start.phase, start.color) == (1, "play", "green")


def test_start_6_wild_draw_goes_back_into_the_pile_and_another_is_turned_up() -> None:
    assert (first_symbols(RULES) != WILD_DRAW).all()
    games = Engine(RULES, 1000, seed=2, num_players=3).games
    turned_up = [[slot for slot in range(112) if int(seen[slot // 64]) >> slot % 64 & 1] for seen in games.seen[:, LIGHT]]
    game, slots = next((game, slots) for game, slots in enumerate(turned_up) if len(slots) == 2 and slots[1] >= 108)
    assert slots[1] in games.draw_pile[game, games.draw_start[game] : games.draw_end[game]]
    assert games.draw_end[game] - games.draw_start[game] == 112 - 21 - 1


def test_start_6_wild_draw_four_goes_back_into_the_pile_and_zeros_stay() -> None:
    symbols = first_symbols(CLASSIC)
    assert (symbols != WILD_DRAW).all()
    assert (symbols == NOUGHT).any()


def test_start_6_wild_draw_that_is_all_that_is_left_is_dealt_again() -> None:
    assert (first_symbols(Rules(hand=37)) != WILD_DRAW).all()


def test_start_7_start_flip_redraw_puts_a_flip_back() -> None:
    symbols = first_symbols(RULES.replace(start_flip="redraw"))
    assert (symbols != FLIP).all()


def test_start_7_start_flip_flip_turns_the_table_at_once() -> None:
    start = dealt(RULES.replace(start_flip="flip"), 3, "flip", back="4")
    assert (start.side, start.actor, start.phase) == ("dark", 1, "play")
    assert start.discards[0].endswith(" 4")
    assert start.color == start.discards[0].split()[0]


@pytest.mark.parametrize("back", ["draw_five", "reverse", "skip_everyone", "flip"])
def test_start_7_start_flip_flip_shows_a_card_that_does_not_act(back: str) -> None:
    start = dealt(RULES.replace(start_flip="flip"), 3, "flip", back=back)
    assert (start.side, start.actor, start.hand_sizes, start.record.direction) == ("dark", 1, [7, 7, 7], 1)


@pytest.mark.parametrize("back", ["wild", "wild_draw_color"])
def test_start_7_start_flip_flip_lets_the_first_seat_name_the_colour_of_a_wild(back: str) -> None:
    start = dealt(RULES.replace(start_flip="flip"), 3, "flip", back=back)
    assert (start.actor, start.phase) == (1, "color")
    start.do("color orange")
    assert (start.actor, start.phase, start.color, start.hand_sizes) == (1, "play", "orange", [7, 7, 7])
