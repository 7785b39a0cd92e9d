"""The flow of a round: a play, its colour, the UNO window, its effect, the next turn (TURN, ACT, CHAL, FLIP, UNO, END)."""

from __future__ import annotations

import numpy as np

from unoflip_env import actions
from unoflip_env.deck import DRAW, FLIP, LIGHT, NO_COLOR, REVERSE, SKIP, SLOT_COLOR, SLOT_SYMBOL, WILD, WILD_DRAW
from unoflip_env.game import (
    DRAW_UNTIL_PLAYABLE,
    NO_CARD,
    NOBODY,
    REVERSE_SKIPS,
    SKIP_ALL_DRAW,
    SKIP_GIVES,
    UNO_DECLARE,
    UNO_LAST_CARD,
    WILD_DRAW_BLUFF,
    Termination,
    Then,
)
from unoflip_env.kernels.bits import below
from unoflip_env.kernels.cards import (
    draw_card,
    draw_cards,
    draw_until_color,
    front_of,
    give_card,
    held_card,
    put_on_discard,
    seat_after,
    show_card,
    show_hand,
    toggle_in_hand,
    top_card,
    turn_table_over,
)
from unoflip_env.kernels.jit import kernel
from unoflip_env.kernels.legal import (
    CHALLENGED,
    DRAWN,
    GIVE_CARD,
    GIVE_SEAT,
    NAME_COLOR,
    PLAY,
    UNO_WINDOW,
    is_bluff,
    is_penalized,
    is_playable,
)
from unoflip_env.kernels.scoring import end_round

THEN_PLAY, THEN_LAND, THEN_EFFECT, THEN_NEXT = (int(t) for t in Then)
EMPTY_HAND, BLOCKED, TIMEOUT = (int(t) for t in list(Termination)[1:])


@kernel
def ask(g, phase, seat):
    g.phase = phase
    g.actor = seat


@kernel
def begin_turn(g, r, seat):
    """A seat gets its go, unless the round ends first (TURN-7, TURN-8)."""
    if g.idle_turns >= g.num_seats:
        g.termination = BLOCKED
        end_round(g, r)
        return
    if r.max_turns > 0 and g.num_turns >= r.max_turns:
        g.termination = TIMEOUT
        end_round(g, r)
        return
    g.num_turns += 1
    g.idle_turns += 1
    g.turn_seat = seat
    g.challenged_color = NO_COLOR
    g.is_guilty = 0
    if r.uno_window != UNO_LAST_CARD:  # UNO-2: what was said counts to the end of the turn
        g.said_uno = 0
    elif is_silent_on_last_card(g, r, seat):
        open_window(g, THEN_PLAY)
        return
    ask(g, PLAY, seat)


@kernel
def end_turn(g, r, next_seat):
    if g.hand_size[g.turn_seat] == 0:  # END-1, END-2, END-3
        g.termination = EMPTY_HAND
        end_round(g, r)
    else:
        begin_turn(g, r, next_seat)


@kernel
def pass_turn(g, r):
    end_turn(g, r, seat_after(g, np.int64(g.turn_seat)))


@kernel
def play_card(g, r, slot):
    """DBL-5's order: the card, a wild's colour, the UNO window, the effect, the next turn."""
    seat = np.int64(g.turn_seat)
    card = held_card(g, seat, slot)
    front = front_of(g, card)
    if SLOT_SYMBOL[front] == WILD_DRAW:
        g.is_guilty = is_bluff(g, r, seat, card)  # CHAL-6
        g.challenged_color = g.color
    toggle_in_hand(g, seat, card)
    g.hand_size[seat] -= 1
    put_on_discard(g, card)
    g.idle_turns = 0
    if SLOT_SYMBOL[front] >= WILD:
        g.then = THEN_LAND
        ask(g, NAME_COLOR, seat)
    else:
        g.color = SLOT_COLOR[front]
        land(g, r)


@kernel
def land(g, r):
    """UNO-5: the window comes after the colour is named and before the effect."""
    if is_silent_on_last_card(g, r, np.int64(g.turn_seat)):
        open_window(g, THEN_EFFECT)
    else:
        take_effect(g, r)


@kernel
def take_effect(g, r):
    """What the card just played does (ACT-1 to ACT-7, FLIP)."""
    seat = np.int64(g.turn_seat)
    next_seat = seat_after(g, seat)
    symbol = SLOT_SYMBOL[front_of(g, top_card(g))]
    if symbol == DRAW:
        draw_cards(g, r, next_seat, 1 if g.side == LIGHT else 5)
        end_turn(g, r, seat_after(g, next_seat))
    elif symbol == REVERSE:
        g.direction = -g.direction
        goes_again = g.num_seats == 2 and r.two_player_reverse == REVERSE_SKIPS
        end_turn(g, r, seat if goes_again else seat_after(g, seat))
    elif symbol == SKIP:
        skip(g, r, seat, next_seat)
    elif symbol == FLIP:
        flip(g, r, seat)
    elif symbol == WILD_DRAW:
        if r.wild_draw == WILD_DRAW_BLUFF:
            ask(g, CHALLENGED, next_seat)
        else:
            accept(g, r, next_seat)
    else:
        end_turn(g, r, next_seat)


@kernel
def skip(g, r, seat, next_seat):
    """ACT-3, ACT-4."""
    if g.side != LIGHT:
        end_turn(g, r, seat)
    elif r.skip_role == SKIP_GIVES and g.hand_size[seat] > 0:
        ask(g, GIVE_SEAT, seat)
    elif r.skip_role == SKIP_GIVES:
        end_turn(g, r, next_seat)
    elif r.skip_role == SKIP_ALL_DRAW:
        opponent = next_seat
        while opponent != seat:
            draw_card(g, r, opponent)
            opponent = seat_after(g, opponent)
        end_turn(g, r, next_seat)
    else:
        end_turn(g, r, seat_after(g, next_seat))


@kernel
def flip(g, r, seat):
    """FLIP-2, FLIP-3."""
    turn_table_over(g, r)
    g.color = SLOT_COLOR[front_of(g, top_card(g))]
    if g.color == NO_COLOR:
        g.then = THEN_NEXT
        ask(g, NAME_COLOR, seat)
    else:
        pass_turn(g, r)


@kernel
def draw_what_it_says(g, r, seat):
    """ACT-6, ACT-7: the cards that the wild draw on top costs."""
    if g.side == LIGHT:
        draw_cards(g, r, seat, 2)
    else:
        draw_until_color(g, r, seat, g.color)


@kernel
def accept(g, r, seat):
    draw_what_it_says(g, r, seat)
    end_turn(g, r, seat_after(g, seat))


@kernel
def challenge(g, r, challenger):
    """CHAL-2 to CHAL-4."""
    seat = np.int64(g.turn_seat)
    show_hand(g, seat, challenger)
    if g.is_guilty:
        draw_what_it_says(g, r, seat)
        end_turn(g, r, challenger)
    else:
        draw_what_it_says(g, r, challenger)
        draw_cards(g, r, challenger, 2)
        end_turn(g, r, seat_after(g, challenger))


@kernel
def draw_instead(g, r):
    """TURN-2 to TURN-4."""
    seat = np.int64(g.turn_seat)
    card = draw_card(g, r, seat)
    while (
        r.draw_count == DRAW_UNTIL_PLAYABLE
        and card != NO_CARD
        and (not is_playable(g, r, seat, card) or is_bluff(g, r, seat, card))
    ):
        following = draw_card(g, r, seat)
        if following == NO_CARD:
            break
        card = following
    if card != NO_CARD and is_playable(g, r, seat, card):
        g.drawn_card = card
        ask(g, DRAWN, seat)
    else:
        pass_turn(g, r)


@kernel
def take_back(g, r, slot):
    """TURN-5 `penalty`."""
    show_card(g, held_card(g, np.int64(g.turn_seat), slot))
    draw_cards(g, r, np.int64(g.turn_seat), 2)
    pass_turn(g, r)


@kernel
def is_silent_on_last_card(g, r, seat):
    said = (np.int64(g.said_uno) >> seat) & 1
    return r.uno == UNO_DECLARE and g.hand_size[seat] == 1 and said == 0


@kernel
def open_window(g, then):
    """UNO-4: every seat is asked once, in an order drawn at random."""
    g.then = then
    g.window_left = (1 << np.int64(g.num_seats)) - 1
    ask_in_window(g)


@kernel
def ask_in_window(g):
    """The next seat that has not been asked."""
    left = np.int64(g.window_left)
    num_left = 0
    for seat in range(g.num_seats):
        num_left += (left >> seat) & 1
    skipped = below(g, num_left)
    for seat in range(g.num_seats):
        if (left >> seat) & 1:
            if skipped == 0:
                g.window_left = left & ~(1 << seat)
                ask(g, UNO_WINDOW, seat)
                return
            skipped -= 1


@kernel
def speak(g, r, action):
    """UNO-3, UNO-4: the first who speaks closes the window; so does the last who declines."""
    silent = np.int64(g.turn_seat)
    if action == actions.CATCH:
        draw_cards(g, r, silent, 2)
    elif action == actions.SAY_UNO:
        g.said_uno = np.int64(g.said_uno) | (1 << silent)
    elif g.window_left != 0:
        ask_in_window(g)
        return
    g.window_left = 0
    proceed(g, r)


@kernel
def name_color(g, r, color):
    g.color = color
    proceed(g, r)


@kernel
def proceed(g, r):
    """Go on with what the naming of a colour or a UNO window had put off."""
    if g.then == THEN_PLAY:
        ask(g, PLAY, np.int64(g.turn_seat))
    elif g.then == THEN_LAND:
        land(g, r)
    elif g.then == THEN_EFFECT:
        take_effect(g, r)
    else:
        pass_turn(g, r)


@kernel
def give(g, r, slot):
    """ACT-3 `give`: the card goes over; the giver may come down to its last card by it, or go out."""
    seat = np.int64(g.turn_seat)
    give_card(g, seat, np.int64(g.receiver), held_card(g, seat, slot))
    g.receiver = NOBODY
    if is_silent_on_last_card(g, r, seat):
        open_window(g, THEN_NEXT)
    else:
        pass_turn(g, r)


@kernel
def choose_receiver(g, action):
    seat = np.int64(g.turn_seat)
    g.receiver = (seat + action - actions.SEAT + 1) % np.int64(g.num_seats)
    ask(g, GIVE_CARD, seat)


@kernel
def act_on_turn(g, r, action):
    """A decision about playing: on a seat's turn, or with a card just drawn."""
    seat = np.int64(g.turn_seat)
    if action == actions.SAY_UNO:
        g.said_uno = np.int64(g.said_uno) | (1 << seat)
        return  # UNO-2: the decision comes again
    is_refused = is_penalized(g, r, action)
    g.drawn_card = NO_CARD
    if is_refused:
        take_back(g, r, action)
    elif action == actions.DRAW_CARD:
        draw_instead(g, r)
    elif action == actions.KEEP:
        pass_turn(g, r)
    else:
        play_card(g, r, action)


@kernel
def decide(g, r, action):
    """Carry out one legal decision of the seat that is asked."""
    phase = g.phase
    if phase == PLAY or phase == DRAWN:
        act_on_turn(g, r, action)
    elif phase == NAME_COLOR:
        name_color(g, r, action - actions.COLOR)
    elif phase == CHALLENGED:
        challenger = np.int64(g.actor)
        if action == actions.CHALLENGE:
            challenge(g, r, challenger)
        else:
            accept(g, r, challenger)
    elif phase == UNO_WINDOW:
        speak(g, r, action)
    elif phase == GIVE_SEAT:
        choose_receiver(g, action)
    elif phase == GIVE_CARD:
        give(g, r, action)
