"""The deal, the first card and the sequence of rounds (DEAL, START, SCORE-5)."""

from __future__ import annotations

import numpy as np

from unoflip_env.deck import (
    CLASSIC_SLOTS,
    DARK,
    DRAW,
    FLIP,
    LIGHT,
    NO_COLOR,
    NUM_CARDS,
    REVERSE,
    SKIP,
    SLOT_COLOR,
    SLOT_SYMBOL,
    WILD_DRAW,
)
from unoflip_env.game import DECK_CLASSIC, NO_CARD, NOBODY, RULE_HAND, START_FLIP_ACTS, Termination
from unoflip_env.kernels.bits import ZERO, below, mix, seek, shuffle
from unoflip_env.kernels.cards import (
    draw_cards,
    forget_play,
    front_of,
    name_backs,
    put_into_hand,
    put_on_discard,
    seat_after,
    take_from_draw_pile,
    top_card,
    turn_table_over,
)
from unoflip_env.kernels.jit import inner_kernel, part_of_kernel
from unoflip_env.kernels.legal import NAME_COLOR
from unoflip_env.kernels.turns import THEN_ASKED, THEN_NEXT, ask, begin_turn

NO_TERMINATION = int(Termination.NONE)


@part_of_kernel
def start_episode(g, r, num_seats, seed):
    """A new round, or the first round of a match, from a 64-bit seed."""
    g.rng_key = mix(seed)
    g.num_seats = num_seats
    g.num_rounds = 0
    g.termination = NO_TERMINATION
    g.winners = 0
    g.round_winners = 0
    for seat in range(g.hand_size.size):
        g.scores[seat] = 0
        g.hand_points[seat] = 0
        g.hand_size[seat] = 0
    for i in range(g.rules.size):
        g.rules[i] = r.observed[i]
    seek(g, 0)
    if r.dealer != NOBODY:
        g.dealer = r.dealer
    else:  # DEAL-1
        g.dealer = below(g, num_seats)
    start_round(g, r)


@part_of_kernel
def next_round(g, r):
    """DEAL-3."""
    seek(g, 0)
    g.direction = r.initial_direction
    g.dealer = seat_after(g, np.int64(g.dealer))
    start_round(g, r)


@inner_kernel
def start_round(g, r):
    clear_table(g, r)
    pair_faces(g, r)
    deal(g, r)
    while not turn_up_first_card(g, r):
        deal(g, r)
    act_on_first_card(g, r)


@inner_kernel
def clear_table(g, r):
    g.side = LIGHT
    g.direction = r.initial_direction
    g.color = NO_COLOR
    g.seen[:] = ZERO
    g.drawn_card = NO_CARD
    g.receiver = NOBODY
    g.said_uno = 0
    g.to_ask = 0
    g.num_out = 0
    g.silent_seat = NOBODY
    g.cutter = NOBODY
    g.cut_card = NO_CARD
    g.next_seat = NOBODY
    g.then = THEN_ASKED
    g.went_out[:] = 0
    g.is_rejected = 0
    forget_play(g)
    g.proposal = 0
    g.idle_turns = 0
    g.num_turns = 0
    g.num_reshuffles = 0


@inner_kernel
def pair_faces(g, r):
    """DECK-3."""
    for slot in range(NUM_CARDS):
        g.partner[LIGHT, slot] = r.dark_slots[slot]
    if r.is_pairing_drawn:
        shuffle(g, g.partner[LIGHT], NUM_CARDS)
    for slot in range(NUM_CARDS):
        g.partner[DARK, g.partner[LIGHT, slot]] = slot
    name_backs(g)


@inner_kernel
def deal(g, r):
    """DEAL-2, DEAL-4: all cards are shuffled and dealt one at a time, the first seat first."""
    g.hand_size[:] = 0
    g.hand[:] = ZERO
    g.known[:] = ZERO
    g.shown[:] = ZERO
    g.lying[:] = ZERO
    g.discard_start = 0
    g.discard_size = 0
    num_cards = CLASSIC_SLOTS.size if r.deck == DECK_CLASSIC else NUM_CARDS
    for i in range(num_cards):
        g.draw_pile[i] = CLASSIC_SLOTS[i] if r.deck == DECK_CLASSIC else i
    g.draw_start = 0
    g.draw_end = num_cards
    shuffle(g, g.draw_pile, num_cards)
    seat = seat_after(g, np.int64(g.dealer))
    for _ in range(np.int64(g.rules[RULE_HAND]) * np.int64(g.num_seats)):
        put_into_hand(g, seat, take_from_draw_pile(g))
        seat = seat_after(g, seat)


@inner_kernel
def stays_up(r, card):
    """START-6, START-7: whether a card turned up first may stay."""
    symbol = SLOT_SYMBOL[card]
    if symbol == FLIP:
        return r.deck == DECK_CLASSIC or r.start_flip == START_FLIP_ACTS
    return symbol != WILD_DRAW


@inner_kernel
def turn_up_first_card(g, r):
    """START-6, START-7: turn cards up until one stays; False if the pile holds none that could."""
    size = np.int64(g.draw_end)
    has_starter = False
    for i in range(size):
        has_starter |= stays_up(r, g.draw_pile[i])
    put_on_discard(g, take_from_draw_pile(g))
    if not has_starter:
        return False
    while not stays_up(r, top_card(g)):
        g.draw_pile[size - 1] = top_card(g)
        g.draw_end = size
        g.discard_size = 0
        g.lying[:] = ZERO
        shuffle(g, g.draw_pile, size)
        put_on_discard(g, take_from_draw_pile(g))
    return True


@part_of_kernel
def act_on_first_card(g, r):
    """START-1 to START-5, START-7."""
    first = seat_after(g, np.int64(g.dealer))
    symbol = SLOT_SYMBOL[top_card(g)]
    if symbol == FLIP and r.deck != DECK_CLASSIC:
        turn_table_over(g, r)
    front = front_of(g, top_card(g))
    g.color = SLOT_COLOR[front]
    if symbol == DRAW:
        draw_cards(g, r, first, 2 if r.deck == DECK_CLASSIC else 1)
        begin_turn(g, r, seat_after(g, first))
    elif symbol == REVERSE:
        g.direction = -g.direction
        begin_turn(g, r, np.int64(g.dealer))
    elif symbol == SKIP:
        begin_turn(g, r, seat_after(g, first))
    elif g.color == NO_COLOR:
        # The first seat names the colour before its turn begins: the turn passes to it from the dealer.
        g.then = THEN_NEXT
        g.next_seat = first
        g.turn_seat = g.dealer
        ask(g, NAME_COLOR, first)
    else:
        begin_turn(g, r, first)
