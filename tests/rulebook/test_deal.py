"""DEAL: dealer, hands, first seat."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from tests.rulebook.position import dealt, position
from unoflip_env.engine import Engine
from unoflip_env.rules import Rules, RulesError

AUTO = Rules(uno="auto")


def test_deal_1_dealer_random_gives_every_seat_the_deal() -> None:
    dealers = np.bincount(Engine(Rules(dealer="random"), 3000, seed=1, num_players=3).games.dealer, minlength=3)
    assert dealers.sum() == 3000
    assert (abs(dealers - 1000) < 150).all()


@pytest.mark.parametrize("seat", [0, 2])
def test_deal_1_dealer_seat_deals(seat: int) -> None:
    assert (Engine(Rules(dealer=seat), 50, num_players=3).games.dealer == seat).all()


@pytest.mark.parametrize("hand", [7, 10])
def test_deal_2_hand_is_dealt_to_each_seat(hand: int) -> None:
    deal = dealt(Rules(hand=hand), 4, "5")
    assert deal.hand_sizes == [hand] * 4
    assert len(deal.draw_pile) == 112 - 4 * hand - 1


@pytest.mark.parametrize(("initial_direction", "next_dealer"), [(1, 2), (-1, 0)])
def test_deal_3_next_dealer_is_the_next_seat_in_the_initial_direction(
    initial_direction: Literal[1, -1], next_dealer: int
) -> None:
    rules = AUTO.replace(initial_direction=initial_direction)
    last_card = position(
        rules, ["red 1", "blue 2", "blue 3"], top="red 5", dealer=1, direction=-initial_direction, episode="match"
    )
    last_card.do("red 1")
    assert last_card.record.num_rounds == 1
    assert last_card.record.dealer == next_dealer


@pytest.mark.parametrize(("option", "first_seat"), [(1, 2), (-1, 0)], ids=["+1", "-1"])
def test_deal_4_initial_direction_gives_the_first_seat(option: Literal[1, -1], first_seat: int) -> None:
    start = dealt(Rules(initial_direction=option, dealer=1), 3, "5")
    assert start.record.direction == option
    assert start.actor == first_seat


def test_deal_4_initial_direction_1_deals_one_card_at_a_time_from_the_first_seat() -> None:
    hands = {size: dealt_cards(size, 1) for size in (1, 2)}
    assert [set(one) < set(two) for one, two in zip(hands[1], hands[2], strict=True)] == [True] * 3


def test_deal_4_initial_direction_minus_1_deals_the_other_way_round() -> None:
    forward, backward = dealt_cards(1, 1), dealt_cards(1, -1)
    assert backward == [forward[(-seat) % 3] for seat in range(3)]
    assert backward != forward


def dealt_cards(hand: int, initial_direction: Literal[1, -1]) -> list[list[int]]:
    """The hands that seat 0 deals, from a shuffle that is the same in every call."""
    rules = Rules(hand=hand, initial_direction=initial_direction, dealer=0, pairing="printed")
    words = Engine(rules, seed=4, num_players=3).games.hand[0, 0, :3]
    bits = [int(low) | int(high) << 64 for low, high in words]
    return [[slot for slot in range(112) if held >> slot & 1] for held in bits]


@pytest.mark.parametrize("num_players", [2, 10])
def test_deal_5_two_to_ten_players(num_players: int) -> None:
    assert Engine(Rules(), num_players=num_players).games.num_seats[0] == num_players


@pytest.mark.parametrize("num_players", [1, 11])
def test_deal_5_other_numbers_of_players_are_refused(num_players: int) -> None:
    with pytest.raises(RulesError, match=rf"num_players={num_players}\b.*2 to 10"):
        Engine(Rules(), num_players=num_players)


def test_deal_5_a_deal_that_leaves_no_card_to_turn_up_is_refused() -> None:
    with pytest.raises(RulesError, match=r"hand=14 with num_players=8.*at most 13"):
        Engine(Rules(hand=14), num_players=8)
    assert Engine(Rules(hand=37), num_players=3).games.discard_size[0] == 1
