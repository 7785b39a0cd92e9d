"""The action table: what each number in `Discrete(NUM_ACTIONS)` means, under every rule set.

One action is one gesture. What needs two gestures (a wild, then its colour) is two decisions of the same seat.

Playing a card names a *held slot*: copy k of a face is the k-th copy that the hand holds, in the order of their slots on
the side in play. So the number says which face is played and which of the held copies (they differ in their backs), but
never which of the deck's identical copies it is: nobody at a table could tell.
"""

from __future__ import annotations

from unoflip_env.deck import COLOR_NAMES, NUM_CARDS, NUM_COLORS, SLOT_FACE, face_name

MAX_SEATS = 10

CARD = 0  # 0-111: play (or give) the card in this held slot of the side in play
COLOR = CARD + NUM_CARDS  # 112-115: name this colour
DRAW_CARD = COLOR + NUM_COLORS
KEEP = DRAW_CARD + 1
ACCEPT = KEEP + 1
CHALLENGE = ACCEPT + 1
SAY_UNO = CHALLENGE + 1
CATCH = SAY_UNO + 1
DECLINE = CATCH + 1
SEAT = DECLINE + 1  # SEAT + k: choose the seat k + 1 places on, in the order of the seats
NUM_ACTIONS = SEAT + MAX_SEATS - 1

_GESTURES = {
    DRAW_CARD: "draw",
    KEEP: "keep",
    ACCEPT: "accept",
    CHALLENGE: "challenge",
    SAY_UNO: "uno",
    CATCH: "catch",
    DECLINE: "decline",
}


def action_name(action: int, side: int) -> str:
    """An action in words: 'red 7', 'color blue', 'draw', 'seat +2'. `side` names the faces and colours."""
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"action {action}: expected 0 to {NUM_ACTIONS - 1}")
    if action < COLOR:
        return face_name(side, int(SLOT_FACE[action]))
    if action < DRAW_CARD:
        return f"color {COLOR_NAMES[side][action - COLOR]}"
    return _GESTURES.get(action, f"seat +{action - SEAT + 1}")
