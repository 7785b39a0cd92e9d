"""Which actions are legal, as a set of action numbers in three 64-bit words."""

from __future__ import annotations

import numpy as np

from unoflip_env import actions
from unoflip_env.deck import (
    COLOR_WORDS,
    DARK,
    DRAW,
    FACE_START,
    LIGHT,
    NUM_CARDS,
    NUM_COLORS,
    NUM_SYMBOLS,
    SLOT_COLOR,
    SLOT_SYMBOL,
    SYMBOL_WORDS,
    WILD,
    WILD_DRAW,
)
from unoflip_env.game import (
    CUT_NEXT,
    CUT_NONE,
    DOUBLE_IDENTICAL,
    DOUBLE_NONE,
    DRAW_STUCK,
    ILLEGAL_PENALTY,
    MUST_PLAY,
    NO_CARD,
    RULE_DOUBLE,
    RULE_DRAW,
    RULE_DRAWN_CARD,
    RULE_SKIP_ROLE,
    RULE_STACK,
    RULE_WILD_DRAW,
    SKIP_GIVES,
    UNO_DECLARE,
    WILD_DRAW_BLUFF,
    WILD_DRAW_STRICT,
    ZERO_DUMPS,
    Phase,
)
from unoflip_env.kernels.bits import ONE, ZERO, bit, has
from unoflip_env.kernels.cards import front_of, held_card, held_slot, is_opponent, seat_after, top_card
from unoflip_env.kernels.jit import hot_kernel, inner_kernel, part_of_kernel

(
    PLAY,
    DRAWN,
    NAME_COLOR,
    RESPOND,
    UNO_WINDOW,
    GIVE_SEAT,
    GIVE_CARD,
    SECOND,
    CUT,
    SWAP,
    DUMP,
    GIFT,
    PROPOSE,
    VOTE,
    OVER,
) = (int(p) for p in Phase)


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


def _stack_bits() -> np.ndarray:
    """[side, symbol]: the bit of `stack` that lets this kind be stacked (STACK-1, STACK-4)."""
    table = np.zeros((2, NUM_SYMBOLS), np.int64)
    table[LIGHT, DRAW], table[DARK, DRAW], table[LIGHT, WILD_DRAW] = 1, 2, 4
    return table


STACK_BITS = _stack_bits()


@inner_kernel
def holds_color(g, seat, color):
    hand = g.hand[g.side, seat]
    return (hand[0] & COLOR_WORDS[color, 0]) | (hand[1] & COLOR_WORDS[color, 1]) != ZERO


@inner_kernel
def fill_pairs(word):
    """Move a lone upper copy of a two-copy face down to the lower place."""
    low, high = word & _EVEN, (word >> ONE) & _EVEN
    return low | high | ((low & high) << ONE)


@inner_kernel
def held_slots(w0, w1):
    """A set of slots as held slots: a face with m copies takes its first m places (see actions.py)."""
    wilds = _FILLED[np.int64((w1 >> _WILDS_AT) & _NIBBLE)] << _WILDS_AT
    wild_draws = _FILLED[np.int64((w1 >> _WILD_DRAWS_AT) & _NIBBLE)] << _WILD_DRAWS_AT
    return fill_pairs(w0), fill_pairs(w1 & _COLORED) | wilds | wild_draws


@inner_kernel
def may_wild_draw(g, seat):
    """ACT-8."""
    return g.rules[RULE_WILD_DRAW] != WILD_DRAW_STRICT or not holds_color(g, seat, g.color)


@hot_kernel
def legal_plays(g, seat):
    """TURN-1, ACT-8: the cards in hand that may be played, as two words of held slots."""
    w0, w1 = held_slots(g.hand[g.side, seat, 0], g.hand[g.side, seat, 1])
    symbol = SLOT_SYMBOL[front_of(g, top_card(g))]
    m0, m1 = MATCHES[g.color, symbol, 0], MATCHES[g.color, symbol, 1]
    if may_wild_draw(g, seat):
        m0 |= SYMBOL_WORDS[WILD_DRAW, 0]
        m1 |= SYMBOL_WORDS[WILD_DRAW, 1]
    return w0 & m0, w1 & m1


@inner_kernel
def holds_any(g, seat, w0, w1):
    hand = g.hand[g.side, seat]
    return (hand[0] & w0) | (hand[1] & w1) != ZERO


@inner_kernel
def stack_words(g, seat):
    """STACK-1: what the seat that must draw may answer with, as two words of held slots."""
    symbol = SLOT_SYMBOL[front_of(g, top_card(g))]
    may_stack = np.int64(g.rules[RULE_STACK]) & STACK_BITS[g.side, symbol] != 0
    if not may_stack or (symbol == WILD_DRAW and not may_wild_draw(g, seat)):
        return ZERO, ZERO
    w0, w1 = held_slots(g.hand[g.side, seat, 0], g.hand[g.side, seat, 1])
    return w0 & SYMBOL_WORDS[symbol, 0], w1 & SYMBOL_WORDS[symbol, 1]


@inner_kernel
def can_challenge(g):
    """CHAL-1."""
    return g.rules[RULE_WILD_DRAW] == WILD_DRAW_BLUFF and SLOT_SYMBOL[front_of(g, top_card(g))] == WILD_DRAW


@inner_kernel
def second_words(g):
    """DBL-1: the slots that may follow the card just played."""
    front = front_of(g, top_card(g))
    symbol, color = SLOT_SYMBOL[front], SLOT_COLOR[front]
    w0, w1 = SYMBOL_WORDS[symbol, 0], SYMBOL_WORDS[symbol, 1]
    if g.rules[RULE_DOUBLE] == DOUBLE_IDENTICAL:
        return w0 & COLOR_WORDS[color, 0], w1 & COLOR_WORDS[color, 1]
    return w0, w1


@hot_kernel
def can_double(g, r, seat):
    """DBL-1, DBL-3: whether a second card may follow the one just played, and the hand holds one."""
    symbol = SLOT_SYMBOL[front_of(g, top_card(g))]
    if g.rules[RULE_DOUBLE] == DOUBLE_NONE or (not r.accumulate and (symbol == DRAW or symbol == WILD_DRAW)):
        return False
    w0, w1 = second_words(g)
    return holds_any(g, seat, w0, w1)


@inner_kernel
def cut_words(g):
    """DBL-2: the slots that may cut in after the card just played, which is no wild."""
    front = front_of(g, top_card(g))
    symbol, color = SLOT_SYMBOL[front], SLOT_COLOR[front]
    return COLOR_WORDS[color, 0] | SYMBOL_WORDS[symbol, 0], COLOR_WORDS[color, 1] | SYMBOL_WORDS[symbol, 1]


@inner_kernel
def find_cutters(g, r, seat):
    """DBL-2: the seats that may cut in on this one, as bits."""
    if r.cut == CUT_NONE or SLOT_SYMBOL[front_of(g, top_card(g))] >= WILD:
        return 0
    w0, w1 = cut_words(g)
    seats = 0
    for other in range(g.num_seats):
        is_asked = other == seat_after(g, seat) if r.cut == CUT_NEXT else other != seat
        if is_asked and holds_any(g, other, w0, w1):
            seats |= 1 << other
    return seats


@inner_kernel
def is_playable(g, seat, card):
    """Whether a card of the hand is legal to play; a bluff is."""
    slot = front_of(g, card)
    if SLOT_SYMBOL[slot] == WILD_DRAW:
        return may_wild_draw(g, seat)
    return has(MATCHES[g.color, SLOT_SYMBOL[front_of(g, top_card(g))]], slot)


@inner_kernel
def is_bluff(g, seat, card):
    """Whether playing this card would be a bluff (ACT-8)."""
    is_wild_draw = SLOT_SYMBOL[front_of(g, card)] == WILD_DRAW
    return g.rules[RULE_WILD_DRAW] == WILD_DRAW_BLUFF and is_wild_draw and holds_color(g, seat, g.color)


@inner_kernel
def may_say_uno(g, r, seat):
    """UNO-2, given that a play is legal."""
    most = 2
    if r.zero_role == ZERO_DUMPS:
        most = NUM_CARDS
    elif g.rules[RULE_DOUBLE] != DOUBLE_NONE or g.rules[RULE_SKIP_ROLE] == SKIP_GIVES:
        most = 3
    return r.uno == UNO_DECLARE and 2 <= g.hand_size[seat] <= most and ((np.int64(g.said_uno) >> seat) & 1) == 0


_KEEP, _ACCEPT, _CHALLENGE, _SAY_UNO, _DRAW_CARD, _DECLINE, _CATCH = (
    np.uint64(1 << (action - _FLAGS))
    for action in (
        actions.KEEP,
        actions.ACCEPT,
        actions.CHALLENGE,
        actions.SAY_UNO,
        actions.DRAW_CARD,
        actions.DECLINE,
        actions.CATCH,
    )
)
_COLORS = np.uint64(sum(1 << (actions.COLOR + color - _FLAGS) for color in range(NUM_COLORS)))
_VOTES = np.uint64(1 << (actions.AGREE - _LAST_FLAGS) | 1 << (actions.REFUSE - _LAST_FLAGS))


@part_of_kernel
def legal_on_turn(g, r, seat):
    w0, w1 = legal_plays(g, seat)
    # A bluff means that the hand holds the colour in play, so it is never the only play.
    can_play = (w0 | w1) != ZERO
    if can_play and may_say_uno(g, r, seat):
        w1 |= _SAY_UNO
    if not can_play or g.rules[RULE_DRAW] != DRAW_STUCK:
        w1 |= _DRAW_CARD
    return w0, w1


@hot_kernel
def legal_on_drawn(g, seat):
    """TURN-4: that card only, or keep it. In a re-deal it may be a card that cannot be played: then it is kept."""
    if not is_playable(g, seat, np.int64(g.drawn_card)):
        return ZERO, _KEEP
    slot = held_slot(g, seat, g.drawn_card)
    w0 = bit(slot) if slot < 64 else ZERO
    w1 = bit(slot) if slot >= 64 else ZERO
    if g.rules[RULE_DRAWN_CARD] != MUST_PLAY or is_bluff(g, seat, g.drawn_card):
        w1 |= _KEEP
    return w0, w1


@inner_kernel
def legal_response(g, seat):
    """CHAL-1, STACK-1, STACK-2."""
    w0, w1 = stack_words(g, seat)
    return w0, w1 | _ACCEPT | (_CHALLENGE if can_challenge(g) else ZERO)


@inner_kernel
def legal_between(g, seat):
    """DBL-1, DBL-2: a second card, or one that cuts in."""
    w0, w1 = held_slots(g.hand[g.side, seat, 0], g.hand[g.side, seat, 1])
    m0, m1 = second_words(g) if g.phase == SECOND else cut_words(g)
    return w0 & m0, (w1 & m1) | _DECLINE


_CARDS_HIGH = (ONE << np.uint64(NUM_CARDS - _FLAGS)) - ONE
"""The cards in the second word."""


@part_of_kernel
def legal_with_uno(g, r, seat):
    """The decisions about playing a card, before which UNO may be said if a play is legal (UNO-2)."""
    if g.phase == PLAY:
        return legal_on_turn(g, r, seat)
    if g.phase == DRAWN:
        w0, w1 = legal_on_drawn(g, seat)
    elif g.phase == RESPOND:
        w0, w1 = legal_response(g, seat)
    else:
        w0, w1 = legal_between(g, seat)
    if (w0 | (w1 & _CARDS_HIGH)) != ZERO and may_say_uno(g, r, seat):
        w1 |= _SAY_UNO
    return w0, w1


@part_of_kernel
def legal_seats(g, r, seat):
    """ACT-3, ACT-9, TEAM-3: any opponent."""
    w1, w2 = ZERO, ZERO
    for k in range(np.int64(g.num_seats) - 1):
        if is_opponent(g, r, seat, seat + k + 1):
            if actions.SEAT + k < _LAST_FLAGS:
                w1 |= bit(actions.SEAT + k - _FLAGS)
            else:
                w2 |= bit(actions.SEAT + k - _LAST_FLAGS)
    return ZERO, w1, w2


@part_of_kernel
def legal_proposals(g, r):
    """MODE-1: what would change a rule, or nothing."""
    w2 = ZERO
    for k in range(len(actions.PROPOSALS)):
        if r.is_allowed[k] and g.rules[r.proposals[k, 0]] != r.proposals[k, 1]:
            w2 |= bit(actions.PROPOSE + k - _LAST_FLAGS)
    return ZERO, _DECLINE, w2


@part_of_kernel
def legal_gifts(g, seat):
    """ACT-3, TEAM-2: any card."""
    w0, w1 = held_slots(g.hand[g.side, seat, 0], g.hand[g.side, seat, 1])
    return w0, w1 | (_DECLINE if g.phase == GIFT else ZERO), ZERO


@inner_kernel
def legal_actions(g, r):
    """The legal actions of the seat that decides, as three words; empty when the episode is over."""
    seat = np.int64(g.actor)
    phase = g.phase
    if phase == PLAY or phase == DRAWN or phase == RESPOND or phase == SECOND or phase == CUT:
        w0, w1 = legal_with_uno(g, r, seat)
        return w0, w1, ZERO
    if phase == NAME_COLOR or phase == DUMP:
        return ZERO, _COLORS, ZERO
    if phase == UNO_WINDOW:
        return ZERO, _DECLINE | (_SAY_UNO if seat == g.silent_seat else _CATCH), ZERO
    if phase == GIVE_SEAT or phase == SWAP:
        return legal_seats(g, r, seat)
    if phase == GIVE_CARD or phase == GIFT:
        return legal_gifts(g, seat)
    if phase == PROPOSE:
        return legal_proposals(g, r)
    return ZERO, ZERO, _VOTES if phase == VOTE else ZERO


@inner_kernel
def is_legal(g, r, action):
    if action < 0 or action >= actions.NUM_ACTIONS:
        return False
    w0, w1, w2 = legal_actions(g, r)
    word = w0 if action < 64 else (w1 if action < 128 else w2)
    return (word & bit(action)) != ZERO


@part_of_kernel
def is_penalized(g, r, action):
    """TURN-5: a card of one's own that is not legal, where the rules punish rather than refuse it."""
    return (
        r.illegal == ILLEGAL_PENALTY
        and (g.phase == PLAY or g.phase == DRAWN)
        and 0 <= action < actions.COLOR
        and held_card(g, np.int64(g.actor), action) != NO_CARD
        and not is_legal(g, r, action)
    )
