"""The baseline `sharp`: looks one play ahead and weighs it by all that the table shows.

Values are in cards: 1.0 is one card less in the own hand. They were tuned in matches on duplicate deals against `greedy` and
against the agent itself, at tables of 2 and of 4. It thinks in official rules; under others it plays legally, less well.

What each thought is worth, in rounds of two won against `greedy` (10,000 each, +-1%): with all 70%; without what a card
costs the others (TURN, DRAWN) 61%, their chances to play (STUCK) 62%, challenges 64%, what the own hand can follow with
(FOLLOW, LAST) 65%, the WORTH of cards to hold 66%, the value of a Flip 66%, more heed to small hands (THREAT) 69%; without
seeing any backs (INFO-4 `fronts`) 64%.
"""

from __future__ import annotations

import numpy as np

from agents.reading import BACKS, FRONTS, chance_to_hold, chance_to_play, count_matches, move_own, read, seat_on
from unoflip_env import actions
from unoflip_env.deck import (
    CLASSIC,
    DARK,
    DRAW,
    FACE_COLOR,
    FACE_SYMBOL,
    FLIP,
    NO_COLOR,
    NUM_CARDS,
    NUM_COLORS,
    NUM_FACES,
    NUM_SYMBOLS,
    REVERSE,
    SKIP,
    SLOT_COLOR,
    SLOT_FACE,
    SLOT_SYMBOL,
    WILD,
    WILD_DRAW,
)
from unoflip_env.game import Phase
from unoflip_env.kernels.effects import DRAWS
from unoflip_env.kernels.jit import kernel

GIVE_SEAT, GIVE_CARD, GIFT = int(Phase.GIVE_SEAT), int(Phase.GIVE_CARD), int(Phase.GIFT)
SWAP, DUMP = int(Phase.SWAP), int(Phase.DUMP)

WIN = 1000.0
TURN = 0.6  # an opponent loses its turn
DRAWN = 0.45  # it draws a card
THREAT = np.array([3.0, 3.0, 1.5, 1.0])  # how much more a seat matters with so many cards; the last holds for more
STUCK = 1.0  # the seat that decides next cannot play
FOLLOW = 0.75  # all that is left in the hand goes onto the card just played
LAST = 1.0  # so does the last card
FLIP_GAIN = 0.5  # the worth of the own hand rises by 1, or that of the others' falls
BLUFFS = 0.5  # how often others bluff where they could
GUILT = np.array(
    [0.3, 0.2, 0.3]
)  # challenge from this chance on: on the light side a wrong one costs 2 of about 7 cards at stake


def _worth() -> np.ndarray:
    """[side, symbol]: what it is worth to hold a card for later."""
    worth = np.zeros((3, NUM_SYMBOLS))
    worth[:, WILD], worth[:, WILD_DRAW] = 1.5, 2.5
    worth[DARK, DRAW], worth[DARK, SKIP] = 1.5, 0.5
    return worth


WORTH = _worth()


@kernel
def threat(t, seat):
    """THREAT of a seat by the size of its hand."""
    return THREAT[min(t.sizes[seat], 3)]


@kernel
def hand_worth(t, layer, seat):
    """WORTH of a hand on the side in play or the other; what is hidden counts as the mean of all that is."""
    side = t.side if layer == FRONTS else 1 - t.side  # the classic deck has no Flip to ask about backs
    known, hidden = 0.0, 0.0
    for face in range(NUM_FACES):
        worth = WORTH[side, FACE_SYMBOL[face]]
        known += t.hands[layer, seat, face] * worth
        hidden += t.hidden[face] * worth
    if layer == BACKS or seat == 0:
        return known
    return known + (t.sizes[seat] - t.hands[layer, seat].sum()) * hidden / max(t.num_hidden, 1)


@kernel
def draws_of(t, symbol, color):
    """Cards that the next seat draws; on the dark side a wild draw takes as many as it takes to meet a hidden colour."""
    if t.side != DARK or symbol != WILD_DRAW:
        return float(DRAWS[t.side, symbol])
    of_color = 0
    for face in range(NUM_FACES):
        if FACE_COLOR[face] == color:
            of_color += t.hidden[face]
    return (t.num_hidden + 1.0) / (of_color + 1.0)


@kernel
def seat_after_play(t, symbol):
    """Who decides after this symbol (ACT-1 to ACT-7)."""
    if symbol == SKIP and t.side == DARK:
        return 0
    if symbol in (SKIP, DRAW, WILD_DRAW):
        return seat_on(t, 2)
    if symbol == REVERSE:
        return 0 if t.num_seats == 2 else seat_on(t, -1)
    return seat_on(t, 1)


@kernel
def prospects(t, layer, acting, color, symbol):
    """What this colour and symbol on top mean for the own hand and for the seat that decides next."""
    num_left, num_fitting = t.hands[FRONTS, 0].sum(), count_matches(t, layer, 0, color, symbol)
    value = FOLLOW * num_fitting / max(num_left, 1)
    if num_left == 1 and num_fitting == 1:
        value += LAST if acting != 0 else WIN / 2
    if acting != 0:
        value += STUCK * threat(t, acting) * (1.0 - chance_to_play(t, layer, acting, color, symbol))
    return value


@kernel
def cost_to_others(t, symbol, color, acting):
    """What it costs the next seat to draw, and the seats that are passed over to lose their turn."""
    if symbol == REVERSE and t.num_seats > 2:
        return 0.0
    cost = DRAWN * draws_of(t, symbol, color) * threat(t, seat_on(t, 1))
    for places in range(1, t.num_seats):
        if seat_on(t, places) == acting:
            break
        cost += TURN * threat(t, seat_on(t, places))
    return cost


@kernel
def value_of_landing(t, symbol, color, is_bluff):
    """The value of a card that lies on top with this colour, not being a Flip; a bluff is taken to be challenged."""
    acting = seat_after_play(t, symbol)
    cost = -draws_of(t, symbol, color) if is_bluff else cost_to_others(t, symbol, color, acting)
    return prospects(t, FRONTS, acting, color, symbol) + cost


@kernel
def best_color(t, symbol, is_bluff):
    """The colour to name, and the value of the wild with it."""
    best, most = 0, -WIN
    for color in range(NUM_COLORS):
        value = value_of_landing(t, symbol, color, is_bluff)
        if value > most:
            best, most = color, value
    return best, most


@kernel
def value_of_flip(t, flip_face):
    """FLIP-2, FLIP-3: the other faces of all hands, and the face that comes up (-1 where backs are not seen)."""
    if flip_face < 0:
        return 0.0
    symbol, acting = np.int64(FACE_SYMBOL[flip_face]), seat_on(t, 1)
    value = -WIN
    for color in range(NUM_COLORS):
        if FACE_COLOR[flip_face] == color or FACE_COLOR[flip_face] == NO_COLOR:
            value = max(value, prospects(t, BACKS, acting, color, symbol))
    gain = hand_worth(t, BACKS, 0) - hand_worth(t, FRONTS, 0)
    for seat in range(1, t.num_seats):
        gain -= (hand_worth(t, BACKS, seat) - hand_worth(t, FRONTS, seat)) / (t.num_seats - 1)
    return value + FLIP_GAIN * gain


@kernel
def holds_color(t, color):
    """Whether the own hand holds the colour."""
    count = 0
    for face in range(NUM_FACES):
        if FACE_COLOR[face] == color:
            count += t.hands[FRONTS, 0, face]
    return count > 0


@kernel
def value_of_play(observation, at, t, slot):
    """The value of playing an own card; its counts are out of the hand meanwhile."""
    if t.sizes[0] == 1:
        return WIN
    symbol = np.int64(SLOT_SYMBOL[slot])
    move_own(observation, at, t.hands, slot, -1)
    if symbol == FLIP and t.side != CLASSIC:
        value = value_of_flip(t, np.int64(observation[at.flip_face]) - 1)
    elif symbol >= WILD:
        is_bluff = symbol == WILD_DRAW and holds_color(t, np.int64(observation[at.color]))
        value = best_color(t, symbol, is_bluff)[1]
    else:
        value = value_of_landing(t, symbol, np.int64(SLOT_COLOR[slot]), False)
    move_own(observation, at, t.hands, slot, 1)
    return 1.0 + value - WORTH[t.side, symbol]


@kernel
def choose_play(observation, legal_mask, at, t):
    """The best card; -1 where none may be played."""
    best, most = -1, -WIN
    for slot in range(NUM_CARDS):
        if legal_mask[actions.CARD + slot]:
            value = value_of_play(observation, at, t, slot)
            if value > most:
                best, most = actions.CARD + slot, value
    return best


@kernel
def choose_without_cards(observation, legal_mask, at, t):
    """Draw, accept or challenge; else what changes nothing; a change of rule is agreed to."""
    if legal_mask[actions.DRAW_CARD]:
        return actions.DRAW_CARD
    if legal_mask[actions.CHALLENGE]:
        return choose_answer(observation, at, t)
    if legal_mask[actions.ACCEPT]:
        return actions.ACCEPT
    return actions.DECLINE if legal_mask[actions.DECLINE] else actions.AGREE


@kernel
def choose_color(observation, at, t):
    """A wild draw that a Flip brought up does not act (FLIP-3): then no colour is under challenge."""
    symbol = np.int64(FACE_SYMBOL[observation[at.top_face]])
    acts = symbol == WILD_DRAW and observation[at.challenged_color] != NO_COLOR
    return actions.COLOR + best_color(t, WILD_DRAW if acts else WILD, False)[0]


@kernel
def choose_answer(observation, at, t):
    """Challenge if the chance of guilt is worth it: that the hand held the colour, given that it was played at all."""
    held = chance_to_hold(t, np.int64(observation[at.turn_seat]), np.int64(observation[at.challenged_color]))
    guilt = BLUFFS * held / (BLUFFS * held + 1.0 - held)
    return actions.CHALLENGE if guilt > GUILT[t.side] else actions.ACCEPT


@kernel
def choose_seat(legal_mask, t):
    """Whoever is nearest to going out: to be given a card, or to take a hand from."""
    best, least = -1, NUM_CARDS + 1
    for seat in range(1, t.num_seats):
        if legal_mask[actions.SEAT + seat - 1] and t.sizes[seat] < least:
            best, least = actions.SEAT + seat - 1, t.sizes[seat]
    return best


@kernel
def choose_dump(t):
    """ACT-9 `dump`: the colour that the hand holds most of."""
    counts = np.zeros(NUM_COLORS + 1, np.int64)
    for face in range(NUM_FACES):
        counts[FACE_COLOR[face]] += t.hands[FRONTS, 0, face]
    return actions.COLOR + counts[:NUM_COLORS].argmax()


@kernel
def choose_gift(legal_mask, t):
    """The card that is worth least to hold."""
    best, least = -1, WIN
    for slot in range(NUM_CARDS):
        if legal_mask[actions.CARD + slot] and WORTH[t.side, FACE_SYMBOL[SLOT_FACE[slot]]] < least:
            best, least = actions.CARD + slot, WORTH[t.side, FACE_SYMBOL[SLOT_FACE[slot]]]
    return best


@kernel
def choose(observation, legal_mask, at):
    """The action for one observation laid out as `at` says; UNO is said and catches are made whenever they may be."""
    if legal_mask[actions.SAY_UNO]:
        return actions.SAY_UNO
    if legal_mask[actions.CATCH]:
        return actions.CATCH
    t = read(observation, at)
    phase = observation[at.phase]
    if phase == DUMP:
        return choose_dump(t)
    if legal_mask[actions.COLOR]:
        return choose_color(observation, at, t)
    if phase in (GIVE_SEAT, SWAP):
        return choose_seat(legal_mask, t)
    if phase in (GIVE_CARD, GIFT):
        return choose_gift(legal_mask, t)
    action = choose_play(observation, legal_mask, at, t)
    return action if action >= 0 else choose_without_cards(observation, legal_mask, at, t)
