"""Games as text: actions as people write them, and a whole position on one line. docs/records.md has the grammar."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from unoflip_env.actions import COLOR, DRAW_CARD, NUM_ACTIONS, PROPOSALS, action_name
from unoflip_env.deck import (
    CLASSIC,
    COLOR_NAMES,
    FACE_NAMES,
    FACE_START,
    LIGHT,
    NO_COLOR,
    SIDE_NAMES,
    SLOT_FACE,
    SYMBOL_NAMES,
    words_slots,
)
from unoflip_env.game import NO_CARD, NOBODY, RULE_WILD_DRAW, VOTABLE, WILD_DRAW_BLUFF, Phase
from unoflip_env.rules import Rules, code

COLOR_LETTERS = {"red": "R", "yellow": "Y", "green": "G", "blue": "B"}
COLOR_LETTERS |= {"pink": "P", "turquoise": "T", "orange": "O", "purple": "U"}
SYMBOL_MARKS = {str(number): str(number) for number in range(10)}
SYMBOL_MARKS |= {"draw_one": "+1", "draw_two": "+2", "draw_five": "+5"}
SYMBOL_MARKS |= {"reverse": "r", "skip": "s", "skip_everyone": "e", "flip": "f"}
SYMBOL_MARKS |= {"wild": "W", "wild_draw_two": "W+2", "wild_draw_four": "W+4", "wild_draw_color": "W+c"}
"""How a face is written: its colour's letter, then its symbol's mark; a wild has no colour until one is named."""
ARROW = "→"
_ASCII_ARROW = "->"


class NotationError(ValueError):
    """A text that is no action; the message says what was expected."""


def face_text(side: int, face: int) -> str:
    """A face as people write it: 'R7', 'Tr', 'W+2'. `side` is LIGHT, DARK or CLASSIC."""
    color, symbol = FACE_NAMES[side][face]
    return COLOR_LETTERS.get(color, "") + SYMBOL_MARKS[symbol]


def _write(action: int, side: int) -> str:
    if action < COLOR:
        face = int(SLOT_FACE[action])
        return face_text(side, face) + "'" * (action - int(FACE_START[face]))
    if action < DRAW_CARD:
        return ARROW + COLOR_LETTERS[COLOR_NAMES[side][action - COLOR]]
    return action_name(action, side)


_TEXTS = tuple(tuple(_write(action, side) for action in range(NUM_ACTIONS)) for side in range(len(SIDE_NAMES)))
_NUMBERS = tuple({text: action for action, text in enumerate(texts)} for texts in _TEXTS)


def action_text(action: int, side: int) -> str:
    """An action as people write it: 'R7', "R7'" (the second copy held), '→G', 'draw', 'seat +2', 'propose hand=5'.

    `side` is LIGHT, DARK or CLASSIC. On each side every action has a text of its own; `parse_action` reads it.
    """
    if not 0 <= action < NUM_ACTIONS:
        raise NotationError(f"action {action}: expected 0 to {NUM_ACTIONS - 1}")
    return _TEXTS[side][action]


def parse_action(text: str, side: int) -> int:
    """The number of an action. '->G' is read as '→G'. Raises NotationError for a text that is no action on this side."""
    words = " ".join(text.split()).replace(_ASCII_ARROW, ARROW)
    if words not in _NUMBERS[side]:
        colors = ", ".join(f"{COLOR_LETTERS[name]} ({name})" for name in COLOR_NAMES[side])
        marks = " ".join(SYMBOL_MARKS[name] for name in SYMBOL_NAMES[side])
        raise NotationError(
            f"{text!r}: no action on the {SIDE_NAMES[side]} side; expected a colour {colors} and a symbol of {marks},"
            f" such as {_TEXTS[side][0]}, {ARROW} and a colour, or words such as 'draw', 'seat +1', 'propose hand=5'"
        )
    return _NUMBERS[side][words]


def discards(game: np.ndarray) -> list[int]:
    """The cards of a game's discard pile, in the order of the list (see docs/records.md)."""
    ring = np.roll(game["discard_pile"], -int(game["discard_start"]))
    pile: list[int] = ring[: int(game["discard_size"])].tolist()
    return pile


def position_text(game: np.ndarray, rules: Rules) -> str:
    """A position on one line: all hands, what is in play, who decides what; the same for the same position.

    `game` is one record of dtype GAME (`Engine.snapshot()`), `rules` what its engine was made with.
    """
    return " ".join(_Position(game, rules).words())


_AFTER_ROUND = {Phase.PROPOSE, Phase.VOTE, Phase.OVER}
"""The round is over: what was said, and the cards of the last play, no longer matter."""
_BETWEEN = set(Phase) - _AFTER_ROUND - {Phase.PLAY, Phase.DRAWN}
"""The phases in the middle of a play."""
_OFF_TURN = {Phase.RESPOND, Phase.UNO, Phase.CUT, Phase.GIFT}
"""The phases that ask seats other than the one in turn."""


class _Position:
    def __init__(self, game: np.ndarray, rules: Rules) -> None:
        self.game, self.rules = game, rules
        self.side = int(game["side"])
        self.names = CLASSIC if rules.deck == "classic" else self.side
        self.phase = Phase(int(game["phase"]))
        self.seats = range(int(game["num_seats"]))

    def words(self) -> Iterator[str]:
        """First what always stands there, then what matters in this phase."""
        game, actor = self.game, "-" if self.phase == Phase.OVER else self.number("actor")
        color = "-" if game["color"] == NO_COLOR else COLOR_LETTERS[COLOR_NAMES[self.names][game["color"]]]
        pile = discards(game)
        yield SIDE_NAMES[self.names]
        yield "+" if game["direction"] > 0 else "-"
        yield self.card(pile[-1] if self.side == LIGHT else pile[0])
        yield color
        yield f"{self.number('draw_end') - self.number('draw_start')}/{len(pile)}"
        yield "|".join(self.hand(seat) for seat in self.seats)
        yield f"{actor}:{self.phase.name.lower()}"
        num_rounds = self.number("num_rounds") + (self.phase not in _AFTER_ROUND)
        yield f"round={num_rounds} dealer={self.number('dealer')} turn={self.number('num_turns')}"
        yield f"idle={self.number('idle_turns')} shuffles={self.number('num_reshuffles')}"
        yield f"scores={','.join(str(game['scores'][seat]) for seat in self.seats)}"
        yield from (f"{name}={value}" for name, value in self.details() if value)

    def details(self) -> Iterator[tuple[str, str]]:
        """What matters in this phase; what is empty is left out."""
        phase = self.phase
        if phase not in _AFTER_ROUND:
            yield "said", self.bits("said_uno")
            yield "out", self.went_out()
        if phase in _OFF_TURN:
            yield "at", str(self.number("turn_seat"))
        if self.game["drawn_card"] != NO_CARD:
            yield "drawn", self.held(int(self.game["turn_seat"]), self.number("drawn_card"))
        if phase in _BETWEEN:
            yield from self.play()
        if phase == Phase.VOTE:
            yield "proposal", "{}={}".format(*PROPOSALS[self.number("proposal") - 1])
            yield "refused", "yes" if self.game["is_rejected"] else ""
        yield "rules", ",".join(self.changed_rules())

    def play(self) -> Iterator[tuple[str, str]]:
        """What is going on in the middle of a play."""
        game = self.game
        yield "pair", "2" if game["pair_size"] == 2 else ""
        yield "owes", str(game["pending_draws"] or "")
        if game["challenged_color"] != NO_COLOR and game["rules"][RULE_WILD_DRAW] == WILD_DRAW_BLUFF:
            yield "was", COLOR_LETTERS[COLOR_NAMES[self.names][game["challenged_color"]]]
            yield "bluff", "yes" if game["is_guilty"] else "no"
        if self.phase == Phase.GIVE_CARD:
            yield "to", str(game["receiver"])
        if self.phase in (Phase.UNO, Phase.CUT):
            yield "ask", self.bits("to_ask")
        if self.phase == Phase.UNO:
            yield "silent", str(game["silent_seat"])
            if game["cutter"] != NOBODY:
                cutter = int(game["cutter"])
                yield "cut", f"{cutter}:{self.held(cutter, self.number('cut_card'))}"

    def number(self, name: str) -> int:
        return int(self.game[name])

    def bits(self, name: str) -> str:
        """Seats kept as bits: '0,2'."""
        return ",".join(str(seat) for seat in self.seats if self.number(name) >> seat & 1)

    def card(self, card: int) -> str:
        """A card, named by its light slot: its front, and its back if the deck has two sides: 'R7/P3'."""
        slots = (card, int(self.game["partner"][LIGHT, card]))
        if self.names == CLASSIC:
            return face_text(CLASSIC, int(SLOT_FACE[card]))
        return "/".join(face_text(side, int(SLOT_FACE[slots[side]])) for side in (self.side, 1 - self.side))

    def hand(self, seat: int) -> str:
        """A hand in the order of its slots on the side in play, so that the k-th copy of a face is copy k."""
        cards = words_slots(self.game["hand"][self.side, seat])
        if self.side != LIGHT:
            cards = self.game["partner"][self.side, cards].tolist()
        return ",".join(map(self.card, cards)) or "-"

    def held(self, seat: int, card: int) -> str:
        """A card in hand as the action that plays it."""
        slot = card if self.side == LIGHT else int(self.game["partner"][LIGHT, card])
        held = words_slots(self.game["hand"][self.side, seat])
        rank = sum(SLOT_FACE[other] == SLOT_FACE[slot] and other < slot for other in held)
        return action_text(int(FACE_START[SLOT_FACE[slot]]) + rank, self.names)

    def went_out(self) -> str:
        """The seats without cards, in the order in which they went out (END-1)."""
        out = [seat for seat in self.seats if self.game["hand_size"][seat] == 0]
        return ",".join(map(str, sorted(out, key=lambda seat: int(self.game["went_out"][seat]))))

    def changed_rules(self) -> Iterator[str]:
        """The options that votes have changed."""
        for place, (name, first) in enumerate(zip(VOTABLE, _first_codes(self.rules), strict=True)):
            now = int(self.game["rules"][place])
            if now != first:
                yield next(text for value, text in _proposed(self.rules, name) if value == now)


@lru_cache(maxsize=64)
def _first_codes(rules: Rules) -> tuple[int, ...]:
    """The codes of VOTABLE before any vote."""
    return tuple(code(name, getattr(rules, name)) for name in VOTABLE)


def _proposed(rules: Rules, name: str) -> Iterator[tuple[int, str]]:
    """The values of an option that a vote can give it, as codes and in words: (5, 'hand=5')."""
    for proposal, (option, value) in enumerate(PROPOSALS):
        if option == name:
            yield code(name, getattr(rules.propose(proposal), name)), f"{name}={value}"
