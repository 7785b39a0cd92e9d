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
AGREE = SEAT + MAX_SEATS - 1
REFUSE = AGREE + 1
PROPOSE = REFUSE + 1  # PROPOSE + k: propose PROPOSALS[k]

PROPOSALS = (
    ("draw", "optional"),
    ("draw", "stuck"),
    ("draw_count", "one"),
    ("draw_count", "until_playable"),
    ("drawn_card", "may_play"),
    ("drawn_card", "must_play"),
    ("wild_draw", "strict"),
    ("wild_draw", "bluff"),
    ("wild_draw", "free"),
    ("double", "none"),
    ("double", "identical"),
    ("double", "same_symbol"),
    ("stack", "none"),
    ("stack", "all"),
    ("skip_role", "skip"),
    ("skip_role", "give"),
    ("skip_role", "all_draw"),
    ("score_side", "in_play"),
    ("score_side", "light"),
    ("hand", 5),
    ("hand", 7),
    ("hand", 10),
)
"""The changes of rule that the winner of a round may propose (MODE-1): an option and its value."""

NUM_ACTIONS = PROPOSE + len(PROPOSALS)

_GESTURES = {
    DRAW_CARD: "draw",
    KEEP: "keep",
    ACCEPT: "accept",
    CHALLENGE: "challenge",
    SAY_UNO: "uno",
    CATCH: "catch",
    DECLINE: "decline",
    AGREE: "agree",
    REFUSE: "refuse",
}


def action_name(action: int, side: int) -> str:
    """An action in words: 'red 7', 'color blue', 'draw', 'seat +2', 'propose hand=5'. `side` names faces and colours."""
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"action {action}: expected 0 to {NUM_ACTIONS - 1}")
    if action < COLOR:
        return face_name(side, int(SLOT_FACE[action]))
    if action < DRAW_CARD:
        return f"color {COLOR_NAMES[side][action - COLOR]}"
    if action >= PROPOSE:
        return "propose {}={}".format(*PROPOSALS[action - PROPOSE])
    return _GESTURES.get(action, f"seat +{action - SEAT + 1}")
