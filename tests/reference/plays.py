"""Which cards of a hand may be played, each by the action that plays it."""

from __future__ import annotations

from tests.reference.cards import Card
from tests.reference.table import Table

DRAW_CARDS = ("draw_one", "draw_five", "draw_two")


def plays(table: Table, seat: int) -> dict[int, Card]:
    """On a turn of one's own (TURN-1, ACT-8)."""
    cards = table.held_slots(seat).items()
    return {action: card for action, card in cards if is_honest(table, seat, card) or _may_bluff(table, card)}


def seconds(table: Table, seat: int, first: Card) -> dict[int, Card]:
    """After a first card of the same turn (DBL-1, DBL-3)."""
    double, face = table.rules.double, table.face(first)
    is_draw = face.symbol in DRAW_CARDS or face.symbol.startswith("wild_draw")
    if double == "none" or (is_draw and not table.rules.accumulate):
        return {}
    return {
        action: card
        for action, card in table.held_slots(seat).items()
        if table.face(card).symbol == face.symbol and (double == "same_symbol" or table.face(card).color == face.color)
    }


def cuts(table: Table, seat: int, first: Card) -> dict[int, Card]:
    """Between another seat's first card and its second (DBL-2)."""
    face = table.face(first)
    if face.color is None:
        return {}
    return {
        action: card
        for action, card in table.held_slots(seat).items()
        if table.face(card).color == face.color or table.face(card).symbol == face.symbol
    }


def stacks(table: Table, seat: int, symbol: str) -> dict[int, Card]:
    """Onto a draw card or a wild draw (STACK-1); a wild draw must be allowed (ACT-8)."""
    if symbol not in table.rules.stack:
        return {}
    allowed = plays(table, seat) if symbol.startswith("wild_draw") else table.held_slots(seat)
    return {action: card for action, card in allowed.items() if table.face(card).symbol == symbol}


def is_honest(table: Table, seat: int, card: Card) -> bool:
    """Whether a card may be played without a bluff."""
    face = table.face(card)
    if face.color is not None:
        return face.color == table.color or face.symbol == table.top.symbol
    return face.symbol == "wild" or table.rules.wild_draw == "free" or not holds_color_in_play(table, seat)


def is_bluff(table: Table, seat: int, card: Card) -> bool:
    """CHAL-6: whether a card about to be played is a bluff."""
    return table.face(card).symbol.startswith("wild_draw") and holds_color_in_play(table, seat)


def holds_color_in_play(table: Table, seat: int) -> bool:
    """ACT-8: a wild in the hand has no colour and never counts."""
    return any(table.face(card).color == table.color for card in table.hands[seat])


def _may_bluff(table: Table, card: Card) -> bool:
    return table.rules.wild_draw == "bluff" and table.face(card).symbol.startswith("wild_draw")
