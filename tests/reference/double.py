"""Two cards in one turn, and the cuts between them (DBL)."""

from __future__ import annotations

from typing import NamedTuple

from tests.reference.cards import Card
from tests.reference.decision import Decision, Flow
from tests.reference.plays import cuts, seconds
from tests.reference.table import Table
from tests.reference.uno import ask_card
from unoflip_env.actions import DECLINE


class Cut(NamedTuple):
    """A card that somebody cuts in with."""

    seat: int
    card: Card


def ask_cuts(table: Table, seat: int, first: Card) -> Flow[Cut | None]:
    """DBL-2: those that could cut in are asked in random order; the first that does."""
    others = [other for other in range(table.num_seats) if other != seat]
    if table.rules.cut == "next":
        others = [table.next_seat(seat)]
    waiting = [other for other in others if table.rules.cut != "none" and cuts(table, other, first)]
    while waiting:
        other = waiting.pop(table.rng.below(len(waiting)))
        cards = cuts(table, other, first)
        action = yield from ask_card(table, Decision(other, "cut", frozenset({DECLINE})), cards)
        if action != DECLINE:
            table.happened["cut"] += 1
            return Cut(other, cards[action])
    return None


def ask_second(table: Table, seat: int, first: Card) -> Flow[bool]:
    """DBL-1: whether a second card followed; it lies on top then."""
    cards = seconds(table, seat, first)
    action = yield from ask_card(table, Decision(seat, "second", frozenset({DECLINE})), cards)
    if action == DECLINE:
        return False
    table.discard(seat, cards[action])
    table.happened["second"] += 1
    return True
