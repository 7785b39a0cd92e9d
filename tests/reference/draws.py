"""Cards that make the next seat draw: it draws, stacks another onto it, or challenges (ACT-1, ACT-6, ACT-7, CHAL, STACK)."""

from __future__ import annotations

from tests.reference.cards import Card
from tests.reference.decision import COLORS, Decision, Flow
from tests.reference.plays import is_bluff, stacks
from tests.reference.table import Table
from tests.reference.uno import ask_card, uno_window
from unoflip_env.actions import ACCEPT, CHALLENGE, COLOR

COUNTS = {"draw_one": 1, "draw_five": 5, "draw_two": 2, "wild_draw_two": 2, "wild_draw_four": 4, "wild_draw_color": 0}
"""How many cards each makes a seat draw; 0: until the named colour comes."""


def name_color(table: Table, seat: int) -> Flow[None]:
    """ACT-5, ACT-10, START-5, FLIP-3."""
    action = yield Decision(seat, "color", COLORS)
    table.color = action - COLOR


def make_draw(table: Table, seat: int, symbol: str, times: int, was_bluff: bool) -> Flow[int]:
    """The draw, with all that is stacked onto it (STACK-1 to STACK-3); returns the seat whose turn is next."""
    count = COUNTS[symbol] * times
    while True:
        victim = table.next_seat(seat)
        table.pending_draws = count
        card = yield from _respond(table, victim, symbol)
        if card == CHALLENGE:
            return _challenge(table, seat, victim, count, was_bluff)
        if card == ACCEPT:
            _suffer(table, victim, count)
            return table.next_seat(victim)
        assert isinstance(card, Card)
        seat, was_bluff = victim, is_bluff(table, victim, card)
        yield from _stack(table, seat, card)
        count += COUNTS[symbol]


def _respond(table: Table, victim: int, symbol: str) -> Flow[Card | int]:
    """The card that is stacked, or ACCEPT or CHALLENGE; who could only accept is not asked."""
    cards = stacks(table, victim, symbol)
    others = {ACCEPT}
    if symbol.startswith("wild_draw") and table.rules.wild_draw == "bluff":  # CHAL-1
        others.add(CHALLENGE)
    if not cards and others == {ACCEPT}:
        return ACCEPT
    action = yield from ask_card(table, Decision(victim, "respond", frozenset(others)), cards)
    return cards.get(action, action)


def _stack(table: Table, seat: int, card: Card) -> Flow[None]:
    """STACK-1, STACK-3: the one who stacks is in turn now, but no turn begins."""
    table.turn_seat = seat
    table.discard(seat, card)
    table.happened["stack"] += 1
    if table.color is None:
        yield from name_color(table, seat)
    yield from uno_window(table, seat)


def _challenge(table: Table, seat: int, challenger: int, count: int, was_bluff: bool) -> int:
    """CHAL-2 to CHAL-4; returns the seat whose turn is next."""
    table.show_hand(seat, challenger)
    table.happened["guilty" if was_bluff else "not_guilty"] += 1
    if was_bluff:
        _suffer(table, seat, count)
        return challenger
    _suffer(table, challenger, count)
    table.draw_cards(challenger, 2)
    return table.next_seat(challenger)


def _suffer(table: Table, seat: int, count: int) -> None:
    """So many cards; for 0 until the named colour comes (ACT-7)."""
    if count:
        table.draw_cards(seat, count)
        return
    card = table.draw_card(seat)
    while card and table.face(card).color != table.color:
        card = table.draw_card(seat)
