"""Which actions are legal, as a set of action numbers in three 64-bit words."""

from __future__ import annotations

import numpy as np

from unoflip_env import actions
from unoflip_env.deck import (
    COLOR_WORDS,
    FACE_START,
    NUM_COLORS,
    NUM_SYMBOLS,
    SLOT_SYMBOL,
    SYMBOL_WORDS,
    WILD,
    WILD_DRAW,
)
from unoflip_env.game import (
    DRAW_STUCK,
    ILLEGAL_PENALTY,
    MUST_PLAY,
    NO_CARD,
    SKIP_GIVES,
    UNO_DECLARE,
    WILD_DRAW_BLUFF,
    WILD_DRAW_STRICT,
    Phase,
)
from unoflip_env.kernels.bits import ONE, ZERO, bit, has
from unoflip_env.kernels.cards import front_of, held_card, held_slot, top_card
from unoflip_env.kernels.jit import kernel

PLAY, DRAWN, NAME_COLOR, CHALLENGED, UNO_WINDOW, GIVE_SEAT, GIVE_CARD = (int(p) for p in list(Phase)[:7])


def _matches() -> np.ndarray:
    """[color, symbol, word]: the slots that TURN-1 lets onto a top card, wild draws left out."""
    table = np.zeros((NUM_COLORS + 1, NUM_SYMBOLS, 2), np.uint64)
    for color in range(NUM_COLORS):
        for symbol in range(NUM_SYMBOLS):
            same_symbol = SYMBOL_WORDS[symbol] if symbol < WILD else SYMBOL_WORDS[WILD]
            table[color, symbol] = COLOR_WORDS[color] | same_symbol | SYMBOL_WORDS[WILD]
    return table


MATCHES = _matches()
_FILLED = np.array([(1 << bin(n).count("1")) - 1 for n in range(16)], np.uint64)
"""_FILLED[n]: as many low bits as n has bits set."""
_EVEN = np.uint64(0x5555555555555555)
_WILDS_AT = np.uint64(FACE_START[-2] - 64)
_WILD_DRAWS_AT = np.uint64(FACE_START[-1] - 64)
_NIBBLE = np.uint64(15)
_COLORED = (ONE << _WILDS_AT) - ONE
_FLAGS = 64  # action - 64 = bit in the second word
_LAST_FLAGS = 128


@kernel
def holds_color(g, seat, color):
    hand = g.hand[g.side, seat]
    return (hand[0] & COLOR_WORDS[color, 0]) | (hand[1] & COLOR_WORDS[color, 1]) != ZERO


@kernel
def fill_pairs(word):
    """Move a lone upper copy of a two-copy face down to the lower place."""
    low, high = word & _EVEN, (word >> ONE) & _EVEN
    return low | high | ((low & high) << ONE)


@kernel
def held_slots(w0, w1):
    """A set of slots as held slots: a face with m copies takes its first m places (see actions.py)."""
    wilds = _FILLED[np.int64((w1 >> _WILDS_AT) & _NIBBLE)] << _WILDS_AT
    wild_draws = _FILLED[np.int64((w1 >> _WILD_DRAWS_AT) & _NIBBLE)] << _WILD_DRAWS_AT
    return fill_pairs(w0), fill_pairs(w1 & _COLORED) | wilds | wild_draws


@kernel
def may_wild_draw(g, r, seat):
    """ACT-8."""
    return r.wild_draw != WILD_DRAW_STRICT or not holds_color(g, seat, g.color)


@kernel
def legal_plays(g, r, seat):
    """TURN-1, ACT-8: the cards in hand that may be played, as two words of held slots."""
    w0, w1 = held_slots(g.hand[g.side, seat, 0], g.hand[g.side, seat, 1])
    symbol = SLOT_SYMBOL[front_of(g, top_card(g))]
    m0, m1 = MATCHES[g.color, symbol, 0], MATCHES[g.color, symbol, 1]
    if may_wild_draw(g, r, seat):
        m0 |= SYMBOL_WORDS[WILD_DRAW, 0]
        m1 |= SYMBOL_WORDS[WILD_DRAW, 1]
    return w0 & m0, w1 & m1


@kernel
def is_playable(g, r, seat, card):
    """Whether a card of the hand is legal to play; a bluff is."""
    slot = front_of(g, card)
    if SLOT_SYMBOL[slot] == WILD_DRAW:
        return may_wild_draw(g, r, seat)
    return has(MATCHES[g.color, SLOT_SYMBOL[front_of(g, top_card(g))]], slot)


@kernel
def is_bluff(g, r, seat, card):
    """Whether playing this card would be a bluff (ACT-8)."""
    return r.wild_draw == WILD_DRAW_BLUFF and SLOT_SYMBOL[front_of(g, card)] == WILD_DRAW and holds_color(g, seat, g.color)


@kernel
def may_say_uno(g, r, seat):
    """UNO-2, given that a play is legal."""
    most = 3 if r.skip_role == SKIP_GIVES else 2
    size = g.hand_size[seat]
    return r.uno == UNO_DECLARE and 2 <= size <= most and ((np.int64(g.said_uno) >> seat) & 1) == 0


@kernel
def legal_on_turn(g, r, seat):
    w0, w1 = legal_plays(g, r, seat)
    # A bluff means that the hand holds the colour in play, so it is never the only play.
    can_play = (w0 | w1) != ZERO
    if not can_play or r.draw != DRAW_STUCK:
        w1 |= bit(actions.DRAW_CARD - _FLAGS)
    if can_play and may_say_uno(g, r, seat):
        w1 |= bit(actions.SAY_UNO - _FLAGS)
    return w0, w1, ZERO


@kernel
def legal_on_drawn(g, r, seat):
    """TURN-4: that card only, or keep it."""
    slot = held_slot(g, seat, g.drawn_card)
    w0 = bit(slot) if slot < 64 else ZERO
    w1 = bit(slot) if slot >= 64 else ZERO
    if r.drawn_card != MUST_PLAY or is_bluff(g, r, seat, g.drawn_card):
        w1 |= bit(actions.KEEP - _FLAGS)
    if may_say_uno(g, r, seat):
        w1 |= bit(actions.SAY_UNO - _FLAGS)
    return w0, w1, ZERO


@kernel
def legal_seats(g):
    """ACT-3: any opponent."""
    w1, w2 = ZERO, ZERO
    for k in range(np.int64(g.num_seats) - 1):
        if actions.SEAT + k < _LAST_FLAGS:
            w1 |= bit(actions.SEAT + k - _FLAGS)
        else:
            w2 |= bit(actions.SEAT + k - _LAST_FLAGS)
    return ZERO, w1, w2


_COLORS = np.uint64(sum(1 << (actions.COLOR + color - _FLAGS) for color in range(NUM_COLORS)))
_ANSWERS = np.uint64(1 << (actions.ACCEPT - _FLAGS) | 1 << (actions.CHALLENGE - _FLAGS))
_SPEAK_SELF = np.uint64(1 << (actions.SAY_UNO - _FLAGS) | 1 << (actions.DECLINE - _FLAGS))
_SPEAK_OTHER = np.uint64(1 << (actions.CATCH - _FLAGS) | 1 << (actions.DECLINE - _FLAGS))


@kernel
def legal_actions(g, r):
    """The legal actions of the seat that decides, as three words; empty when the episode is over."""
    seat = np.int64(g.actor)
    phase = g.phase
    if phase == PLAY:
        return legal_on_turn(g, r, seat)
    if phase == DRAWN:
        return legal_on_drawn(g, r, seat)
    if phase == NAME_COLOR:
        return ZERO, _COLORS, ZERO
    if phase == CHALLENGED:
        return ZERO, _ANSWERS, ZERO
    if phase == UNO_WINDOW:
        return ZERO, _SPEAK_SELF if seat == g.turn_seat else _SPEAK_OTHER, ZERO
    if phase == GIVE_SEAT:
        return legal_seats(g)
    if phase == GIVE_CARD:
        w0, w1 = held_slots(g.hand[g.side, seat, 0], g.hand[g.side, seat, 1])
        return w0, w1, ZERO
    return ZERO, ZERO, ZERO


@kernel
def is_legal(g, r, action):
    if action < 0 or action >= actions.NUM_ACTIONS:
        return False
    w0, w1, w2 = legal_actions(g, r)
    word = w0 if action < 64 else (w1 if action < 128 else w2)
    return (word & bit(action)) != ZERO


@kernel
def is_penalized(g, r, action):
    """TURN-5: a card of one's own that is not legal, where the rules punish rather than refuse it."""
    return (
        r.illegal == ILLEGAL_PENALTY
        and (g.phase == PLAY or g.phase == DRAWN)
        and 0 <= action < actions.COLOR
        and held_card(g, np.int64(g.actor), action) != NO_CARD
        and not is_legal(g, r, action)
    )
