"""The record of one game, the packed rules, and the constants that the kernels and everything around them share.

A batch of games is an array of `GAME`. A game is wholly in its record: copying the record copies the game.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from unoflip_env.actions import MAX_SEATS, PROPOSALS
from unoflip_env.deck import NUM_CARDS
from unoflip_env.rules import Rules, code


class Phase(IntEnum):
    """What is being decided."""

    PLAY = 0  # play a card or draw (TURN-1, TURN-2)
    DRAWN = 1  # play the card just drawn or keep it (TURN-4)
    COLOR = 2  # name a colour (ACT-5, FLIP-3, START-5)
    RESPOND = 3  # accept a draw, challenge it or stack onto it (CHAL-1, STACK-1)
    UNO = 4  # speak in the UNO window or not (UNO-4)
    GIVE_SEAT = 5  # choose who gets a card (ACT-3)
    GIVE_CARD = 6  # choose the card (ACT-3)
    SECOND = 7  # play a second card or not (DBL-1)
    CUT = 8  # cut in between the two or not (DBL-2)
    SWAP = 9  # choose whom to swap hands with (ACT-9)
    DUMP = 10  # name the colour to dump (ACT-9)
    GIFT = 11  # give a teammate a card or not (TEAM-2)
    PROPOSE = 12  # propose a change of rule or none (MODE-1)
    VOTE = 13  # agree to it or not (MODE-1)
    OVER = 14  # nothing: the episode is over


class Then(IntEnum):
    """What follows a decision, the naming of a colour or a UNO window."""

    ASKED = 0  # nothing yet: somebody has been asked
    PLAY = 1  # the seat's turn goes on with its play
    CUT = 2  # the cutter's card lands
    LAND = 3  # the card has its colour: the UNO window, then its effect
    EFFECT = 4  # the card takes effect
    DRAWN = 5  # the card drawn or given may be played, or not
    NEXT = 6  # the turn passes to `next_seat`


class Termination(IntEnum):
    """How the last round ended."""

    NONE = 0  # none has
    EMPTY_HAND = 1  # END-1
    BLOCKED = 2  # TURN-7
    TIMEOUT = 3  # TURN-8


VOTABLE = tuple(dict.fromkeys(name for name, _ in PROPOSALS))
"""The options that a vote can change: they are kept in the record."""
(
    RULE_DRAW,
    RULE_DRAW_COUNT,
    RULE_DRAWN_CARD,
    RULE_WILD_DRAW,
    RULE_DOUBLE,
    RULE_STACK,
    RULE_SKIP_ROLE,
    RULE_SCORE_SIDE,
    RULE_HAND,
) = range(len(VOTABLE))
"""Their places in the record's `rules`."""
OBSERVED = (
    *VOTABLE,
    *("deck", "pairing", "initial_direction", "start_flip", "illegal", "timeout_winner", "two_player_reverse", "zero_role"),
    *("cut", "accumulate", "uno", "uno_window", "scoring", "own_backs", "teams", "teammate_gift", "rule_vote"),
)
"""The options that an observation tells of, in this order: those that change what is legal or what wins."""

NOBODY = 255  # in place of a seat
NO_CARD = 255  # in place of a card or slot
RING = 128  # length of the ring that holds the discard pile
CACHE_LINE = 64  # bytes that a processor fetches at a time

GAME = np.dtype(
    [
        # What nearly every decision reads and writes comes first: three lines of the processor's cache, of 64 bytes each.
        ("rng_key", np.uint64),  # randomness: draw number `rng_count` of the stream `rng_key`
        ("rng_count", np.uint64),
        ("seen", np.uint64, (2, 2)),  # [side]: cards that lay face up this round, seen from both sides by all
        ("lying", np.uint64, (2, 2)),  # [side]: cards in the discard pile
        ("scores", np.int32, (MAX_SEATS,)),  # so far in the match (SCORE-5)
        # Seats as bits, and counters.
        ("round_winners", np.uint16),  # of the last round
        ("winners", np.uint16),  # the same; once a match is over, of the match
        ("said_uno", np.uint16),  # seats that have said it
        ("to_ask", np.uint16),  # in Phase.UNO and Phase.CUT: seats that have not had their turn to be asked
        ("num_turns", np.uint16),  # turns begun this round
        ("num_reshuffles", np.uint16),  # this round
        ("num_rounds", np.uint16),  # rounds ended
        # Which part of the piles is in use, and how many cards are in the hands.
        ("draw_start", np.uint8),
        ("draw_end", np.uint8),
        ("discard_start", np.uint8),
        ("discard_size", np.uint8),
        ("hand_size", np.uint8, (MAX_SEATS,)),
        ("num_out", np.uint8),  # how often a hand was emptied this round
        ("rules", np.uint8, (len(VOTABLE),)),  # the options that a vote can change (MODE-1)
        # The table.
        ("num_seats", np.uint8),
        ("dealer", np.uint8),
        ("side", np.uint8),
        ("direction", np.int8),
        ("color", np.uint8),  # colour in play; NO_COLOR until the first is named
        # The decision.
        ("phase", np.uint8),
        ("then", np.uint8),
        ("actor", np.uint8),  # who decides; NOBODY when the episode is over
        ("turn_seat", np.uint8),  # whose turn it is, or who stacked or cut in since; who proposes a rule
        ("drawn_card", np.uint8),  # in Phase.DRAWN, and from a gift on (TEAM-2); else NO_CARD
        ("receiver", np.uint8),  # in Phase.GIVE_CARD: who gets the card; else NOBODY
        ("next_seat", np.uint8),  # who is next once this turn is over
        ("silent_seat", np.uint8),  # in Phase.UNO: who may be caught; else NOBODY
        ("cutter", np.uint8),  # who has cut in with a card that has not landed yet (DBL-2); else NOBODY
        ("cut_card", np.uint8),  # that card; else NO_CARD
        ("pair_size", np.uint8),  # cards of this play so far: 1, or 2 (DBL-1)
        ("pending_draws", np.uint8),  # cards that the seat which must draw has to draw; 0: until the named colour comes
        ("proposal", np.uint8),  # 1 + the proposal that is voted on; 0: none
        ("is_rejected", np.uint8),  # whether somebody has refused it
        ("challenged_color", np.uint8),  # the last wild draw of this turn: the colour in play before it; else NO_COLOR
        ("is_guilty", np.uint8),  # whether this turn's wild draw is a bluff (CHAL-6)
        ("idle_turns", np.uint8),  # turns in a row with no card played or drawn (TURN-7)
        ("termination", np.uint8),  # of the last round
        ("fill", np.uint8, (11,)),  # up to the end of a line
        # Cards, as sets of slots in two 64-bit words.
        ("hand", np.uint64, (2, MAX_SEATS, 2)),  # [side, seat]: the slots held, on either side
        ("known", np.uint64, (2, MAX_SEATS, 2)),  # [side, seat]: cards in other hands whose front it knows for certain (INFO-3)
        ("shown", np.uint64, (2, MAX_SEATS, 2)),  # [side, seat]: those of them it has seen from both sides
        # Piles of cards (light slots): on the light side a pile's top is its end, on the dark side its start.
        ("backs", np.uint8, (2, NUM_CARDS)),  # [side, slot]: 1 + the face on the back of a slot
        ("partner", np.uint8, (2, NUM_CARDS)),  # [side, slot]: the slot on the back of a slot
        ("draw_pile", np.uint8, (NUM_CARDS,)),  # cards [draw_start, draw_end)
        ("discard_pile", np.uint8, (RING,)),  # a ring: discard_size cards from discard_start on
        # The end of a round.
        ("hand_points", np.int32, (MAX_SEATS,)),  # points left in each hand at the end of the last round
        ("went_out", np.uint8, (MAX_SEATS,)),  # whose hands were emptied this round: 1, 2, … in that order (END-1)
        ("fill_end", np.uint8, (30,)),
    ],
    align=True,
)

RULES = np.dtype(
    [
        ("dark_slots", np.uint8, (NUM_CARDS,)),
        ("observed", np.uint8, (len(OBSERVED),)),  # the `code` of each of OBSERVED, a game's `rules` first
        ("proposals", np.uint8, (len(PROPOSALS), 2)),  # [proposal]: place among VOTABLE, and the value's code
        ("is_allowed", np.uint8, (len(PROPOSALS),)),  # whether the change has a meaning with this deck
        ("is_pairing_drawn", np.uint8),  # DECK-3 `shuffled`
        ("dealer", np.uint8),  # a seat; NOBODY: at random
        ("initial_direction", np.int8),
        ("max_turns", np.uint16),
        ("target", np.int32),
        ("teams", np.uint8),
        ("is_match", np.uint8),  # the episode is a match
        ("sees_all", np.uint8),  # INFO-4 `open`
        ("sees_backs", np.uint8),  # INFO-2
        ("sees_own_backs", np.uint8),  # INFO-1
        *[
            (name, np.uint8)  # option by option, the number that `code` gives
            for name in (
                "deck",
                "start_flip",
                "illegal",
                "timeout_winner",
                "two_player_reverse",
                "zero_role",
                "cut",
                "accumulate",
                "uno",
                "uno_window",
                "scoring",
                "teammate_gift",
                "rule_vote",
            )
        ],
    ],
    align=True,
)

GAME_RECORD = np.dtype((np.record, GAME))
RULES_RECORD = np.dtype((np.record, RULES))
"""The same types with their fields as attributes: what the kernels see, compiled or not."""

DECK_CLASSIC = code("deck", "classic")
START_FLIP_ACTS = code("start_flip", "flip")
DRAW_STUCK = code("draw", "stuck")
DRAW_UNTIL_PLAYABLE = code("draw_count", "until_playable")
MUST_PLAY = code("drawn_card", "must_play")
ILLEGAL_PENALTY = code("illegal", "penalty")
FEWEST_POINTS = code("timeout_winner", "fewest_points")
REVERSE_SKIPS = code("two_player_reverse", "skip")
SKIP_GIVES = code("skip_role", "give")
SKIP_ALL_DRAW = code("skip_role", "all_draw")
WILD_DRAW_STRICT = code("wild_draw", "strict")
WILD_DRAW_BLUFF = code("wild_draw", "bluff")
ZERO_SWAPS = code("zero_role", "swap")
ZERO_DUMPS = code("zero_role", "dump")
DOUBLE_NONE = code("double", "none")
DOUBLE_IDENTICAL = code("double", "identical")
CUT_NONE = code("cut", "none")
CUT_NEXT = code("cut", "next")
UNO_DECLARE = code("uno", "declare")
UNO_LAST_CARD = code("uno_window", "last_card")
SCORE_LIGHT = code("score_side", "light")
WINNER_TAKES = code("scoring", "winner_takes")


def pack_rules(rules: Rules, episode: str) -> np.ndarray:
    """The rules as a one-element array of dtype RULES; `episode` is 'round' or 'match'."""
    packed = np.zeros(1, RULES)
    for name in RULES.names or ():
        value = getattr(rules, name, None)
        if isinstance(value, str) and name != "dealer":
            packed[name] = code(name, value)
        elif isinstance(value, (int, np.ndarray)):
            packed[name] = value
    packed["observed"][0] = [code(name, getattr(rules, name)) for name in OBSERVED]
    packed["is_pairing_drawn"] = rules.pairing == "shuffled" and rules.deck == "flip"
    packed["dealer"] = NOBODY if rules.dealer == "random" else rules.dealer
    packed["is_match"] = episode == "match"
    has_backs = rules.information != "fronts" and rules.deck == "flip"
    packed["sees_all"] = rules.information == "open"
    packed["sees_backs"] = has_backs
    packed["sees_own_backs"] = rules.own_backs and has_backs
    for proposal, (name, _) in enumerate(PROPOSALS):
        if name != "score_side" or rules.deck == "flip":
            packed["is_allowed"][0, proposal] = True
            packed["proposals"][0, proposal] = VOTABLE.index(name), code(name, getattr(rules.propose(proposal), name))
    return packed


def as_bytes(records: np.ndarray) -> np.ndarray:
    """The memory of an array of records as plain bytes, shape (num_records * itemsize,) uint8, shared with it."""
    return records.view(np.ndarray).view(np.uint8)


def new_games(num_games: int) -> np.recarray:
    """An array of `num_games` blank records of dtype GAME, to be dealt; each begins at a line of the processor's cache."""
    memory = np.zeros(num_games * GAME.itemsize + CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE
    return memory[start : start + num_games * GAME.itemsize].view(GAME).view(np.recarray)
