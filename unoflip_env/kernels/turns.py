"""From turn to turn: who is asked, the UNO window, the beginning and the end of a turn (TURN, UNO, END)."""

from __future__ import annotations

import numpy as np

from unoflip_env import actions
from unoflip_env.game import NOBODY, UNO_DECLARE, UNO_LAST_CARD, Termination, Then
from unoflip_env.kernels.bits import below, popcount
from unoflip_env.kernels.cards import draw_cards, forget_play, is_nothing_left, seat_after
from unoflip_env.kernels.jit import inner_kernel, part_of_kernel
from unoflip_env.kernels.legal import PLAY, UNO_WINDOW
from unoflip_env.kernels.scoring import end_round

THEN_ASKED, THEN_PLAY, THEN_CUT, THEN_LAND, THEN_EFFECT, THEN_DRAWN, THEN_NEXT = (int(t) for t in Then)
EMPTY_HAND, BLOCKED, TIMEOUT = (int(t) for t in list(Termination)[1:])
MANY = 255  # turns a counter of one byte can tell


@inner_kernel
def ask(g, phase, seat):
    """Ask a seat for a decision; nothing else follows (Then.ASKED)."""
    g.phase = phase
    g.actor = seat
    return THEN_ASKED


@inner_kernel
def pass_to(g, seat):
    """The turn passes to this seat (Then.NEXT)."""
    g.next_seat = seat
    return THEN_NEXT


@inner_kernel
def pass_on(g):
    return pass_to(g, seat_after(g, np.int64(g.turn_seat)))


@inner_kernel
def begin_turn(g, r, seat):
    """A seat gets its go, unless the round ends first (TURN-7, TURN-8)."""
    is_blocked = g.idle_turns >= g.num_seats and is_nothing_left(g)
    if is_blocked or (r.max_turns > 0 and g.num_turns >= r.max_turns):
        g.termination = BLOCKED if is_blocked else TIMEOUT
        end_round(g, r)
        return
    g.num_turns += 1
    g.idle_turns = min(np.int64(g.idle_turns) + 1, MANY)
    g.turn_seat = seat
    forget_play(g)
    if r.uno_window != UNO_LAST_CARD:  # UNO-2: what was said counts to the end of the turn
        g.said_uno = 0
    elif is_silent_on_last_card(g, r, seat):
        open_window(g, seat, THEN_PLAY)
        return
    ask(g, PLAY, seat)


@inner_kernel
def is_anyone_out(g):
    for seat in range(g.num_seats):
        if g.hand_size[seat] == 0:
            return True
    return False


@part_of_kernel
def end_turn(g, r):
    """END-1 to END-3: the round is over if a hand is empty once all effects are done."""
    if g.num_out > 0:
        if is_anyone_out(g):
            g.termination = EMPTY_HAND
            end_round(g, r)
            return
        g.num_out = 0
    begin_turn(g, r, np.int64(g.next_seat))


@inner_kernel
def is_silent_on_last_card(g, r, seat):
    said = (np.int64(g.said_uno) >> seat) & 1
    return r.uno == UNO_DECLARE and g.hand_size[seat] == 1 and said == 0


@inner_kernel
def say_uno(g, seat):
    """UNO-2."""
    g.said_uno = np.int64(g.said_uno) | (1 << seat)
    return THEN_ASKED


@inner_kernel
def ask_one_of(g, phase, seats):
    """Ask one of some seats, given as bits, drawn at random; it has then been asked."""
    skipped = below(g, popcount(np.uint64(seats)))
    seat = 0
    while (seats >> seat) & 1 == 0 or skipped > 0:
        skipped -= (seats >> seat) & 1
        seat += 1
    g.to_ask = np.int64(g.to_ask) & ~(1 << seat)
    return ask(g, phase, seat)


@inner_kernel
def others_than(g, seat):
    """All seats but one, as bits."""
    return ((1 << np.int64(g.num_seats)) - 1) & ~(1 << seat)


@inner_kernel
def open_window(g, silent, then):
    """UNO-4: every seat is asked once, in an order drawn at random."""
    g.then = then
    g.silent_seat = silent
    g.to_ask = (1 << np.int64(g.num_seats)) - 1
    return ask_one_of(g, UNO_WINDOW, np.int64(g.to_ask))


@inner_kernel
def open_window_if_silent(g, r, seat, then):
    """UNO-5: the window comes first where a seat has come down to one card without a word."""
    return open_window(g, seat, then) if is_silent_on_last_card(g, r, seat) else then


@inner_kernel
def speak(g, r, action):
    """UNO-3, UNO-4: the first who speaks closes the window; so does the last who declines."""
    silent = np.int64(g.silent_seat)
    if action == actions.CATCH:
        draw_cards(g, r, silent, 2)
    elif action == actions.SAY_UNO:
        say_uno(g, silent)
    elif g.to_ask != 0:
        return ask_one_of(g, UNO_WINDOW, np.int64(g.to_ask))
    g.to_ask = 0
    g.silent_seat = NOBODY
    return np.int64(g.then)
