"""What a card does once it lies there (ACT, FLIP); each returns the seat whose turn is next."""

from __future__ import annotations

from tests.reference.decision import COLORS, Decision, Flow, seat_actions
from tests.reference.draws import COUNTS, make_draw, name_color
from tests.reference.table import Table
from tests.reference.uno import uno_window
from unoflip_env.actions import COLOR


def take_effect(table: Table, seat: int, symbol: str, num_cards: int, was_bluff: bool) -> Flow[int]:
    """The effect of a card, or of a pair as one (DBL-3) or added up (DBL-4)."""
    times = num_cards if table.rules.accumulate else 1
    if times == 2:
        table.happened[f"two_{symbol}"] += 1
    if symbol in COUNTS:
        return (yield from make_draw(table, seat, symbol, times, was_bluff))
    match symbol:
        case "reverse" if times == 1:
            return _reverse(table, seat)
        case "skip":
            return (yield from _skip(table, seat, times))
        case "skip_everyone":  # ACT-4
            return seat
        case "flip" if times == 1:
            yield from flip(table, seat)
        case "0" if table.hands[seat]:
            yield from _zero(table, seat)
    return table.next_seat(seat)


def flip(table: Table, seat: int) -> Flow[None]:
    """FLIP-2, FLIP-3."""
    table.turn_over()
    if table.color is None:
        yield from name_color(table, seat)


def _reverse(table: Table, seat: int) -> int:
    """ACT-2."""
    table.direction = -table.direction
    goes_again = table.num_seats == 2 and table.rules.two_player_reverse == "skip"
    return seat if goes_again else table.next_seat(seat)


def _skip(table: Table, seat: int, times: int) -> Flow[int]:
    """ACT-3."""
    if table.rules.skip_role == "skip":
        return table.next_seat(seat, 1 + times)
    if table.rules.skip_role == "all_draw":
        table.happened["all_draw"] += 1
        for other in table.opponents(seat):
            table.draw_card(other)
    elif table.hands[seat]:
        yield from _give(table, seat)
    return table.next_seat(seat)


def _give(table: Table, seat: int) -> Flow[None]:
    """ACT-3 `give`: an opponent, then a card; the UNO window comes if that leaves one (UNO-5)."""
    receivers = seat_actions(seat, table.opponents(seat), table.num_seats)
    action = yield Decision(seat, "give_seat", frozenset(receivers))
    receiver = receivers[action]
    cards = table.held_slots(seat)
    action = yield Decision(seat, "give_card", frozenset(cards))
    table.give(seat, cards[action], receiver)
    table.happened["give"] += 1
    yield from uno_window(table, seat)


def _zero(table: Table, seat: int) -> Flow[None]:
    """ACT-9, with cards left in the hand."""
    if table.rules.zero_role == "swap":
        others = seat_actions(seat, table.opponents(seat), table.num_seats)
        action = yield Decision(seat, "swap", frozenset(others))
        table.swap_hands(seat, others[action])
        table.happened["swap"] += 1
    elif table.rules.zero_role == "dump":
        action = yield Decision(seat, "dump", COLORS)
        cards = [card for card in table.held_slots(seat).values() if table.face(card).color == action - COLOR]
        table.discard_under_top(seat, cards)
        if cards:
            table.happened["dump"] += 1
            yield from uno_window(table, seat)  # UNO-5
