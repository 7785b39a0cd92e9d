"""UNO: said before a card is played, or in the window that opens on a seat which has not said it."""

from __future__ import annotations

from tests.reference.cards import Card
from tests.reference.decision import Decision, Flow
from tests.reference.table import Table
from unoflip_env.actions import CATCH, DECLINE, SAY_UNO
from unoflip_env.game import NOBODY


def ask_card(table: Table, decision: Decision, cards: dict[int, Card]) -> Flow[int]:
    """Ask for one of the cards or another action, UNO said first or not (UNO-2); returns the action."""
    decision = decision._replace(legal=decision.legal | frozenset(cards))
    if not cards or not _may_say_uno(table, decision.seat):
        return (yield decision)
    action = yield decision._replace(legal=decision.legal | {SAY_UNO})
    if action == SAY_UNO:
        table.said_uno.add(decision.seat)
        table.happened[f"uno_at_{decision.phase}"] += 1
        action = yield decision
    return action


def _may_say_uno(table: Table, seat: int) -> bool:
    """UNO-2: with two cards, or as many as a turn may leave one of."""
    rules, size = table.rules, len(table.hands[seat])
    most = 3 if rules.double != "none" or rules.skip_role == "give" else 2
    fits = size >= 2 and (size <= most or rules.zero_role == "dump")
    return rules.uno == "declare" and seat not in table.said_uno and fits


def uno_window(table: Table, silent: int) -> Flow[None]:
    """UNO-3, UNO-4: all are asked in random order until one speaks; none if there is nothing to say."""
    if table.rules.uno == "auto" or silent in table.said_uno or len(table.hands[silent]) != 1:
        return
    table.silent = silent
    waiting = list(range(table.num_seats))
    while waiting:
        seat = waiting.pop(table.rng.below(len(waiting)))
        action = yield Decision(seat, "uno", frozenset({SAY_UNO if seat == silent else CATCH, DECLINE}))
        if action == SAY_UNO:
            table.said_uno.add(silent)
            table.happened["own_uno"] += 1
        elif action == CATCH:
            table.draw_cards(silent, 2)
            table.happened["catch"] += 1
        if action != DECLINE:
            break
    table.silent = NOBODY
