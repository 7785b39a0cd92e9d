"""What the cards do (ACT, FLIP), and who has to draw for them (CHAL, STACK)."""

from __future__ import annotations

import numpy as np

from unoflip_env import actions
from unoflip_env.deck import (
    DARK,
    DRAW,
    FLIP,
    LIGHT,
    NO_COLOR,
    NUM_SYMBOLS,
    REVERSE,
    SKIP,
    SLOT_COLOR,
    SLOT_SYMBOL,
    WILD_DRAW,
)
from unoflip_env.game import (
    DECK_CLASSIC,
    NOBODY,
    REVERSE_SKIPS,
    RULE_SKIP_ROLE,
    SKIP_ALL_DRAW,
    SKIP_GIVES,
    ZERO_DUMPS,
    ZERO_SWAPS,
)
from unoflip_env.kernels.bits import ZERO
from unoflip_env.kernels.cards import (
    draw_card,
    draw_cards,
    draw_until_color,
    dump_color,
    front_of,
    give_card,
    held_card,
    is_opponent,
    seat_after,
    show_hand,
    side_in_play,
    swap_hands,
    top_card,
    turn_table_over,
)
from unoflip_env.kernels.jit import inner_kernel, part_of_kernel
from unoflip_env.kernels.legal import (
    DUMP,
    GIVE_CARD,
    GIVE_SEAT,
    NAME_COLOR,
    RESPOND,
    SWAP,
    can_challenge,
    stack_words,
)
from unoflip_env.kernels.turns import THEN_NEXT, ask, open_window_if_silent, pass_on, pass_to


def _draws() -> np.ndarray:
    """[side, symbol]: how many cards the next seat draws (ACT-1, ACT-6); 0 where it is not a number (ACT-7)."""
    table = np.zeros((3, NUM_SYMBOLS), np.int64)
    table[:, DRAW] = 1, 5, 2
    table[:, WILD_DRAW] = 2, 0, 4
    return table


DRAWS = _draws()


@part_of_kernel
def take_effect(g, r):
    """ACT-1 to ACT-9, FLIP, DBL-3, DBL-4."""
    symbol = SLOT_SYMBOL[front_of(g, top_card(g))]
    is_twice = g.pair_size == 2 and r.accumulate != 0
    if symbol == DRAW or symbol == WILD_DRAW:
        g.pending_draws += DRAWS[side_in_play(g, r), symbol] * (2 if is_twice else 1)
        return demand(g, r, seat_after(g, np.int64(g.turn_seat)))
    if symbol == REVERSE and not is_twice:
        return reverse(g, r)
    if symbol == SKIP:
        return skip(g, r, is_twice)
    if symbol == FLIP:
        if r.deck == DECK_CLASSIC:
            return act_as_zero(g, r)
        if not is_twice:
            return flip(g, r)
    return pass_on(g)


@inner_kernel
def reverse(g, r):
    """ACT-2."""
    g.direction = -g.direction
    if g.num_seats == 2 and r.two_player_reverse == REVERSE_SKIPS:
        return pass_to(g, np.int64(g.turn_seat))
    return pass_on(g)


@inner_kernel
def skip(g, r, is_twice):
    """ACT-3, ACT-4, TEAM-3."""
    seat = np.int64(g.turn_seat)
    next_seat = seat_after(g, seat)
    role = g.rules[RULE_SKIP_ROLE]
    if g.side != LIGHT:
        return pass_to(g, seat)
    if role == SKIP_GIVES:
        return ask(g, GIVE_SEAT, seat) if g.hand_size[seat] > 0 else pass_to(g, next_seat)
    if role == SKIP_ALL_DRAW:
        other = next_seat
        while other != seat:
            if is_opponent(g, r, seat, other):
                draw_card(g, r, other)
            other = seat_after(g, other)
        return pass_to(g, next_seat)
    after = seat_after(g, next_seat)
    return pass_to(g, seat_after(g, after) if is_twice else after)


@inner_kernel
def chosen_seat(g, action):
    """The seat that an action names, so many places on from the seat in turn."""
    return (np.int64(g.turn_seat) + action - actions.SEAT + 1) % np.int64(g.num_seats)


@inner_kernel
def choose_receiver(g, action):
    """ACT-3 `give`."""
    g.receiver = chosen_seat(g, action)
    return ask(g, GIVE_CARD, np.int64(g.turn_seat))


@inner_kernel
def give(g, r, slot):
    """ACT-3 `give`: the card goes over; the giver may come down to its last card by it, or go out."""
    seat = np.int64(g.turn_seat)
    give_card(g, seat, np.int64(g.receiver), held_card(g, seat, slot))
    g.receiver = NOBODY
    pass_on(g)
    return open_window_if_silent(g, r, seat, THEN_NEXT)


@inner_kernel
def flip(g, r):
    """FLIP-2, FLIP-3."""
    turn_table_over(g, r)
    pass_on(g)
    g.color = SLOT_COLOR[front_of(g, top_card(g))]
    if g.color != NO_COLOR:
        return THEN_NEXT
    g.then = THEN_NEXT
    return ask(g, NAME_COLOR, np.int64(g.turn_seat))


@inner_kernel
def act_as_zero(g, r):
    """ACT-9."""
    seat = np.int64(g.turn_seat)
    if g.hand_size[seat] > 0 and r.zero_role == ZERO_SWAPS:
        return ask(g, SWAP, seat)
    if g.hand_size[seat] > 0 and r.zero_role == ZERO_DUMPS:
        return ask(g, DUMP, seat)
    return pass_on(g)


@inner_kernel
def swap(g, action):
    """ACT-9 `swap`."""
    swap_hands(g, np.int64(g.turn_seat), chosen_seat(g, action))
    return pass_on(g)


@inner_kernel
def dump(g, r, color):
    """ACT-9 `dump`."""
    seat = np.int64(g.turn_seat)
    size = g.hand_size[seat]
    dump_color(g, seat, color)
    pass_on(g)
    return open_window_if_silent(g, r, seat, THEN_NEXT) if g.hand_size[seat] < size else THEN_NEXT


@inner_kernel
def demand(g, r, seat):
    """CHAL-1, STACK-1: the seat that must draw is asked if it can do more than accept."""
    w0, w1 = stack_words(g, seat)
    if (w0 | w1) != ZERO or can_challenge(g):
        return ask(g, RESPOND, seat)
    return accept(g, r, seat)


@inner_kernel
def draw_what_it_says(g, r, seat):
    """ACT-1, ACT-6, ACT-7, STACK-2: the cards that the play on top costs."""
    if g.side == DARK and SLOT_SYMBOL[front_of(g, top_card(g))] == WILD_DRAW:
        draw_until_color(g, r, seat, g.color)
    else:
        draw_cards(g, r, seat, np.int64(g.pending_draws))


@inner_kernel
def accept(g, r, seat):
    draw_what_it_says(g, r, seat)
    return pass_to(g, seat_after(g, seat))


@inner_kernel
def challenge(g, r, challenger):
    """CHAL-2 to CHAL-4, STACK-3."""
    seat = np.int64(g.turn_seat)
    show_hand(g, seat, challenger)
    if g.is_guilty:
        draw_what_it_says(g, r, seat)
        return pass_to(g, challenger)
    draw_what_it_says(g, r, challenger)
    draw_cards(g, r, challenger, 2)
    return pass_to(g, seat_after(g, challenger))
