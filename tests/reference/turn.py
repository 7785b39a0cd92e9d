"""The start of a round and a seat's turn; each returns the seat whose turn is next (START, TURN, TEAM-2)."""

from __future__ import annotations

from tests.reference.cards import Card
from tests.reference.decision import Decision, Flow
from tests.reference.double import Cut, ask_cuts, ask_second
from tests.reference.draws import COUNTS, name_color
from tests.reference.effects import flip, take_effect
from tests.reference.plays import is_bluff, is_honest, plays, seconds
from tests.reference.table import Table
from tests.reference.uno import ask_card, uno_window
from unoflip_env.actions import DECLINE, DRAW_CARD, KEEP
from unoflip_env.game import NOBODY


def start(table: Table) -> Flow[int]:
    """What the first card does (START)."""
    first = table.next_seat(table.dealer)
    match table.top.symbol:
        case "draw_one" | "draw_two" as symbol:
            table.draw_cards(first, COUNTS[symbol])
            return table.next_seat(first)
        case "reverse":
            table.direction = -table.direction
            return table.dealer
        case "skip":
            return table.next_seat(first)
        case "wild":
            yield from name_color(table, first)
        case "flip":
            yield from flip(table, first)
    return first


def take_turn(table: Table, seat: int) -> Flow[int]:
    """One seat's go."""
    table.turn_seat = seat
    table.num_turns += 1
    table.idle_turns += 1
    if table.rules.uno_window == "next_turn":  # UNO-2
        table.said_uno.clear()
    else:
        yield from uno_window(table, seat)
    legal = plays(table, seat)
    is_stuck = not any(is_honest(table, seat, card) for card in legal.values())
    others = {DRAW_CARD} if table.rules.draw == "optional" or is_stuck else set()
    action = yield from _ask(table, seat, "play", legal, others)
    if action != DRAW_CARD:
        return (yield from _play_or_take_back(table, seat, legal, action, may_double=True))
    drawn = (yield from _ask_gift(table, seat)) if not legal else None
    return (yield from _play_drawn(table, seat, drawn or _draw_instead(table, seat)))


def _ask(table: Table, seat: int, phase: str, cards: dict[int, Card], others: set[int]) -> Flow[int]:
    """A decision in which a card that is not legal can be tried (TURN-5)."""
    wrong = set(table.held_slots(seat)) - set(cards) if table.rules.illegal == "penalty" else set()
    return (yield from ask_card(table, Decision(seat, phase, frozenset(others), frozenset(wrong)), cards))


def _draw_instead(table: Table, seat: int) -> Card | None:
    """TURN-3; returns the last card drawn."""
    card = table.draw_card(seat)
    while table.rules.draw_count == "until_playable" and card and not is_honest(table, seat, card):
        another = table.draw_card(seat)
        if another is None:
            break
        card = another
    return card


def _ask_gift(table: Table, seat: int) -> Flow[Card | None]:
    """TEAM-2: the card that a teammate gives, if one is asked and gives."""
    others = [table.next_seat(seat, places) for places in range(1, table.num_seats)]
    mates = [other for other in others if table.are_teammates(seat, other) and len(table.hands[other]) >= 2]
    if not table.rules.teammate_gift or not mates:
        return None
    giver = mates[0]
    cards = table.held_slots(giver)
    action = yield Decision(giver, "gift", frozenset(cards) | {DECLINE})
    if action == DECLINE:
        table.happened["team_gift_refused"] += 1
        return None
    table.give(giver, cards[action], seat)
    table.happened["team_gift"] += 1
    yield from uno_window(table, giver)
    return cards[action]


def _play_drawn(table: Table, seat: int, drawn: Card | None) -> Flow[int]:
    """TURN-4."""
    legal = {action: card for action, card in plays(table, seat).items() if card is drawn}
    if drawn is None or not legal:
        return table.next_seat(seat)
    must_play = table.rules.drawn_card == "must_play" and is_honest(table, seat, drawn)
    action = yield from _ask(table, seat, "drawn", legal, set() if must_play else {KEEP})
    if action == KEEP:
        return table.next_seat(seat)
    return (yield from _play_or_take_back(table, seat, legal, action, may_double=False))


def _play_or_take_back(table: Table, seat: int, legal: dict[int, Card], action: int, may_double: bool) -> Flow[int]:
    if action in legal:
        return (yield from _play(table, seat, legal[action], may_double))
    table.show_card(table.held_slots(seat)[action])  # TURN-5
    table.happened["penalty"] += 1
    table.draw_cards(seat, 2)
    return table.next_seat(seat)


def _play(table: Table, seat: int, card: Card, may_double: bool) -> Flow[int]:
    """The card; a cut or a second one; the colour (ACT-10); the UNO window (UNO-5); the effect (DBL-5)."""
    was_bluff = is_bluff(table, seat, card)  # CHAL-6
    table.discard(seat, card)
    num_cards = 1
    if may_double and seconds(table, seat, card):
        cut = yield from ask_cuts(table, seat, card)
        if cut:
            return (yield from _land_cut(table, seat, cut))
        num_cards += yield from ask_second(table, seat, card)
    if table.color is None:
        yield from name_color(table, seat)
    yield from uno_window(table, seat)
    return (yield from take_effect(table, seat, table.face(card).symbol, num_cards, was_bluff))


def _land_cut(table: Table, first: int, cut: Cut) -> Flow[int]:
    """DBL-2: shown at once, the card lands after the UNO window on the seat that was cut off; play goes on from the cutter."""
    table.cutter = cut.seat
    table.show_card(cut.card)
    yield from uno_window(table, first)
    table.cutter = NOBODY
    table.turn_seat = cut.seat
    table.discard(cut.seat, cut.card)
    yield from uno_window(table, cut.seat)
    return (yield from take_effect(table, cut.seat, table.face(cut.card).symbol, 1, was_bluff=False))
