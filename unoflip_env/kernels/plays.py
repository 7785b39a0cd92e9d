"""Cards on the pile: a play, a second card, a card that cuts in or stacks, and drawing instead (TURN, DBL, STACK, TEAM-2)."""

from __future__ import annotations

import numpy as np

from unoflip_env.deck import NO_COLOR, SLOT_COLOR, SLOT_SYMBOL, WILD_DRAW
from unoflip_env.game import DRAW_UNTIL_PLAYABLE, NO_CARD, NOBODY, RULE_DRAW_COUNT
from unoflip_env.kernels.bits import ZERO
from unoflip_env.kernels.cards import (
    draw_card,
    draw_cards,
    front_of,
    give_card,
    held_card,
    is_opponent,
    put_on_discard,
    seat_after,
    show_card,
    take_from_hand,
)
from unoflip_env.kernels.jit import hot_kernel, inner_kernel, part_of_kernel
from unoflip_env.kernels.legal import (
    CUT,
    DRAWN,
    GIFT,
    NAME_COLOR,
    PLAY,
    SECOND,
    can_double,
    find_cutters,
    is_bluff,
    is_playable,
    legal_plays,
)
from unoflip_env.kernels.turns import (
    THEN_CUT,
    THEN_DRAWN,
    THEN_LAND,
    ask,
    ask_one_of,
    open_window_if_silent,
    others_than,
    pass_on,
)


@hot_kernel
def lay_card(g, seat, card):
    """A card goes from a hand onto the pile; its colour is in play, or none until a wild's is named."""
    front = front_of(g, card)
    if SLOT_SYMBOL[front] == WILD_DRAW and g.pair_size == 0:
        g.is_guilty = is_bluff(g, seat, card)  # CHAL-6
        g.challenged_color = g.color
    take_from_hand(g, seat, card)
    put_on_discard(g, card)
    g.idle_turns = 0
    g.color = SLOT_COLOR[front]
    g.pair_size += 1


@inner_kernel
def settle_color(g):
    """ACT-5, ACT-10: a wild's colour is named before anything else happens."""
    if g.color != NO_COLOR:
        return THEN_LAND
    g.then = THEN_LAND
    return ask(g, NAME_COLOR, np.int64(g.turn_seat))


@part_of_kernel
def play_card(g, r, slot):
    """DBL-5: the card; cuts and a second card where one may follow (not after a card just drawn); a wild's colour."""
    seat = np.int64(g.turn_seat)
    is_first = g.phase == PLAY
    lay_card(g, seat, held_card(g, seat, slot))
    if is_first and can_double(g, r, seat):
        g.to_ask = others_than(g, seat)
        return ask_next_cutter(g, r)
    return settle_color(g)


@inner_kernel
def ask_next_cutter(g, r):
    """DBL-2: those who may cut in are asked one by one; once all have let it pass, the second card may follow."""
    cutters = find_cutters(g, r, np.int64(g.turn_seat)) & np.int64(g.to_ask)
    if cutters == 0:
        g.to_ask = 0
        return ask(g, SECOND, np.int64(g.turn_seat))
    return ask_one_of(g, CUT, cutters)


@inner_kernel
def cut_in(g, r, slot):
    """DBL-2: the card is shown; it lands once the UNO window on the seat that was cut is closed."""
    g.cutter = g.actor
    g.cut_card = held_card(g, np.int64(g.actor), slot)
    g.to_ask = 0
    show_card(g, np.int64(g.cut_card))
    return open_window_if_silent(g, r, np.int64(g.turn_seat), THEN_CUT)


@inner_kernel
def land_cut(g):
    """DBL-2: the cutter's card acts as if it had been its turn; the first card never does."""
    hand_over(g, np.int64(g.cutter))
    lay_card(g, np.int64(g.turn_seat), np.int64(g.cut_card))
    g.cutter = NOBODY
    g.cut_card = NO_CARD
    return THEN_LAND


@inner_kernel
def hand_over(g, seat):
    """Play goes on from a seat that cuts in or stacks, with a play of its own."""
    g.turn_seat = seat
    g.pair_size = 0


@inner_kernel
def stack_card(g, slot):
    """STACK-1, STACK-3."""
    seat = np.int64(g.actor)
    hand_over(g, seat)
    lay_card(g, seat, held_card(g, seat, slot))
    return settle_color(g)


@inner_kernel
def play_second(g, slot):
    """DBL-1."""
    seat = np.int64(g.turn_seat)
    lay_card(g, seat, held_card(g, seat, slot))
    return settle_color(g)


@inner_kernel
def take_back(g, r, slot):
    """TURN-5 `penalty`."""
    show_card(g, held_card(g, np.int64(g.turn_seat), slot))
    draw_cards(g, r, np.int64(g.turn_seat), 2)
    return pass_on(g)


@inner_kernel
def find_giver(g, r, seat):
    """TEAM-2: the next teammate, in the direction of play, that holds two cards or more; NOBODY if none does."""
    other = seat_after(g, seat)
    while other != seat:
        if g.hand_size[other] >= 2 and not is_opponent(g, r, seat, other):
            return other
        other = seat_after(g, other)
    return NOBODY


@part_of_kernel
def draw_instead(g, r):
    """TURN-2, TEAM-2: drawing, unless a teammate is to be asked first."""
    seat = np.int64(g.turn_seat)
    if r.teammate_gift:
        w0, w1 = legal_plays(g, seat)
        giver = find_giver(g, r, seat)
        if (w0 | w1) == ZERO and giver != NOBODY:
            return ask(g, GIFT, giver)
    return draw_from_pile(g, r)


@hot_kernel
def draw_from_pile(g, r):
    """TURN-3."""
    seat = np.int64(g.turn_seat)
    g.drawn_card = draw_card(g, r, seat)
    while g.rules[RULE_DRAW_COUNT] == DRAW_UNTIL_PLAYABLE and g.drawn_card != NO_CARD:
        card = np.int64(g.drawn_card)
        if is_playable(g, seat, card) and not is_bluff(g, seat, card):
            break
        following = draw_card(g, r, seat)
        if following == NO_CARD:
            break
        g.drawn_card = following
    return THEN_DRAWN


@inner_kernel
def accept_gift(g, r, slot):
    """TEAM-2: the gift is treated as the card drawn."""
    giver, seat = np.int64(g.actor), np.int64(g.turn_seat)
    card = held_card(g, giver, slot)
    give_card(g, giver, seat, card)
    g.drawn_card = card
    return open_window_if_silent(g, r, giver, THEN_DRAWN)


@hot_kernel
def use_drawn_card(g):
    """TURN-4: the card drawn may be played if it is legal."""
    seat = np.int64(g.turn_seat)
    if g.drawn_card != NO_CARD and is_playable(g, seat, np.int64(g.drawn_card)):
        return ask(g, DRAWN, seat)
    g.drawn_card = NO_CARD
    return pass_on(g)
