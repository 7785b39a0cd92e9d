"""The record of one game, the packed rules, and the constants that the kernels and everything around them share.

A batch of games is an array of `GAME`. A game is wholly in its record: copying the record copies the game.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from unoflip_env.actions import MAX_SEATS
from unoflip_env.deck import NUM_CARDS
from unoflip_env.rules import Rules, code


class Phase(IntEnum):
    """What is being decided."""

    PLAY = 0  # play a card or draw (TURN-1, TURN-2)
    DRAWN = 1  # play the card just drawn or keep it (TURN-4)
    COLOR = 2  # name a colour (ACT-5, FLIP-3, START-5)
    CHALLENGE = 3  # accept a wild draw or challenge it (CHAL-1)
    UNO = 4  # speak in the UNO window or not (UNO-4)
    GIVE_SEAT = 5  # choose who gets a card (ACT-3)
    GIVE_CARD = 6  # choose the card (ACT-3)
    OVER = 7  # nothing: the episode is over


class Then(IntEnum):
    """What follows once the colour is named or the UNO window is closed."""

    PLAY = 0  # the seat's turn goes on with its play
    LAND = 1  # the card has its colour: the UNO window, then its effect
    EFFECT = 2  # the card takes effect
    NEXT = 3  # the turn passes to the next seat


class Termination(IntEnum):
    """How the last round ended."""

    NONE = 0  # none has
    EMPTY_HAND = 1  # END-1
    BLOCKED = 2  # TURN-7
    TIMEOUT = 3  # TURN-8


NOBODY = 255  # in place of a seat
NO_CARD = 255  # in place of a card or slot
RING = 128  # length of the ring that holds the discard pile

GAME = np.dtype(
    [
        # Eight bytes each. Randomness: draw number `rng_count` of the stream `rng_key`.
        ("rng_key", np.uint64),
        ("rng_count", np.uint64),
        # Cards, as sets of slots in two 64-bit words.
        ("hand", np.uint64, (2, MAX_SEATS, 2)),  # [side, seat]: the slots held, on either side
        ("known", np.uint64, (MAX_SEATS, 2)),  # [seat]: cards in other hands whose front it knows for certain (INFO-3)
        ("shown", np.uint64, (MAX_SEATS, 2)),  # [seat]: those of them it has seen from both sides
        ("seen", np.uint64, (2,)),  # cards that lay face up this round, seen from both sides by all
        # Four bytes each. Results.
        ("hand_points", np.int32, (MAX_SEATS,)),  # points left in each hand at the end of the last round
        ("scores", np.int32, (MAX_SEATS,)),  # so far in the match (SCORE-5)
        # Two bytes each. Seats as bits, and counters.
        ("round_winners", np.uint16),  # of the last round
        ("winners", np.uint16),  # the same; once a match is over, of the match
        ("said_uno", np.uint16),  # seats that have said it
        ("window_left", np.uint16),  # in Phase.UNO: seats still to be asked
        ("num_turns", np.uint16),  # turns begun this round
        ("num_reshuffles", np.uint16),  # this round
        ("num_rounds", np.uint16),  # rounds ended
        # One byte each. Piles of cards (light slots): on the light side a pile's top is its end, on the dark side its start.
        ("partner", np.uint8, (2, NUM_CARDS)),  # [side, slot]: the slot on the back of a slot
        ("draw_pile", np.uint8, (NUM_CARDS,)),  # cards [draw_start, draw_end)
        ("discard_pile", np.uint8, (RING,)),  # a ring: discard_size cards from discard_start on
        ("draw_start", np.uint8),
        ("draw_end", np.uint8),
        ("discard_start", np.uint8),
        ("discard_size", np.uint8),
        ("hand_size", np.uint8, (MAX_SEATS,)),
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
        ("turn_seat", np.uint8),  # whose turn it is
        ("drawn_card", np.uint8),  # in Phase.DRAWN; else NO_CARD
        ("receiver", np.uint8),  # in Phase.GIVE_CARD: who gets the card; else NOBODY
        ("challenged_color", np.uint8),  # this turn's wild draw: the colour in play before it; else NO_COLOR
        ("is_guilty", np.uint8),  # whether this turn's wild draw is a bluff (CHAL-6)
        ("idle_turns", np.uint8),  # turns in a row with no card played or drawn (TURN-7)
        ("termination", np.uint8),  # of the last round
        ("fill", np.uint8, (5,)),  # up to a multiple of eight bytes: no hole whose bytes are left to chance
    ],
    align=True,
)

RULES = np.dtype(
    [
        ("dark_slots", np.uint8, (NUM_CARDS,)),
        ("is_pairing_drawn", np.uint8),  # DECK-3 `shuffled`
        ("dealer", np.uint8),  # a seat; NOBODY: at random
        ("hand", np.uint8),
        ("initial_direction", np.int8),
        ("max_turns", np.uint16),
        ("target", np.int32),
        ("is_match", np.uint8),  # the episode is a match
        ("sees_all", np.uint8),  # INFO-4 `open`
        ("sees_backs", np.uint8),  # INFO-2
        ("sees_own_backs", np.uint8),  # INFO-1
        *[
            (name, np.uint8)  # option by option, the number that `code` gives
            for name in (
                "start_flip",
                "draw",
                "draw_count",
                "drawn_card",
                "illegal",
                "timeout_winner",
                "two_player_reverse",
                "skip_role",
                "wild_draw",
                "uno",
                "uno_window",
                "score_side",
                "scoring",
            )
        ],
    ],
    align=True,
)

GAME_RECORD = np.dtype((np.record, GAME))
RULES_RECORD = np.dtype((np.record, RULES))
"""The same types with their fields as attributes: what the kernels see, compiled or not."""

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
    packed["is_pairing_drawn"] = rules.pairing == "shuffled"
    packed["dealer"] = NOBODY if rules.dealer == "random" else rules.dealer
    packed["is_match"] = episode == "match"
    packed["sees_all"] = rules.information == "open"
    packed["sees_backs"] = rules.information != "fronts"
    packed["sees_own_backs"] = rules.own_backs and rules.information != "fronts"
    return packed


def as_bytes(records: np.ndarray) -> np.ndarray:
    """The memory of an array of records as plain bytes, shape (num_records * itemsize,) uint8, shared with it."""
    return records.view(np.ndarray).view(np.uint8)


def new_games(num_games: int) -> np.recarray:
    """An array of `num_games` blank records of dtype GAME, to be dealt."""
    return np.zeros(num_games, GAME).view(np.recarray)
