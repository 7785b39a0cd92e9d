"""What happened in one decision, in words, as one seat saw it: out of its views before and after, and the public gesture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from unoflip_env.actions import (
    ACCEPT,
    AGREE,
    CATCH,
    CHALLENGE,
    COLOR,
    DECLINE,
    DRAW_CARD,
    KEEP,
    PROPOSALS,
    PROPOSE,
    REFUSE,
    SAY_UNO,
    SEAT,
)
from unoflip_env.deck import COLOR_NAMES, SIDE_NAMES, SLOT_FACE, face_name
from unoflip_env.game import Phase
from unoflip_env.table_view import TableView

_CARD = {
    Phase.PLAY: ("play", ""),
    Phase.DRAWN: ("play", ""),
    Phase.SECOND: ("play", " as well"),
    Phase.RESPOND: ("stack", ""),
    Phase.CUT: ("cut", ""),
    Phase.GIVE_CARD: ("give", ""),
    Phase.GIFT: ("give", ""),
}
_GIVING = (Phase.GIVE_CARD, Phase.GIFT)


def card_words(side: int, face: int) -> str:
    """A face as people read it: 'red draw one'."""
    return face_name(side, face).replace("_", " ")


@dataclass(frozen=True)
class Moment:
    """One decision as a seat saw it: its views before and after. `names` are by seat, `action` is what was chosen."""

    names: Sequence[str]
    before: TableView
    after: TableView
    action: int

    def lines(self, *, has_ended: bool = False) -> Iterator[str]:
        """A sentence for what was done, then one for each thing that came of it, unless that ended the round."""
        yield from self._deed()
        if not has_ended:
            yield from self._verdict()
            yield from self._turns()
            yield from self._draws()

    @property
    def _actor(self) -> int:
        return self.before.number("actor") - 1

    @property
    def _phase(self) -> Phase:
        return Phase(self.before.number("phase"))

    def _name(self, place: int) -> str:
        """A seat, given relative to the one that reads, as the object of a sentence."""
        return "you" if place == 0 else self.names[self.before.seat_at(place)]

    def _does(self, place: int, verb: str, rest: str = "") -> str:
        """A sentence about a seat: 'You draw 2 cards', 'greedy draws 2 cards'."""
        if place == 0:
            return f"You {verb}{rest}."
        return f"{self._name(place)} {verb}{'es' if verb.endswith('ch') else 's'}{rest}."

    def _deed(self) -> Iterator[str]:
        """What was done, as all may know it."""
        action, side = self.action, self.before.side
        actor, phase = self._actor, self._phase
        if action < COLOR:
            yield self._card(int(SLOT_FACE[action]))
        elif action < DRAW_CARD:
            color = COLOR_NAMES[side][action - COLOR]
            yield self._does(actor, *(("put", f" all {color} under the 0") if phase == Phase.DUMP else ("name", f" {color}")))
        elif SEAT <= action < AGREE:
            other = self._name((actor + action - SEAT + 1) % len(self.names))
            yield self._does(actor, *(("swap", f" hands with {other}") if phase == Phase.SWAP else ("choose", f" {other}")))
        elif action >= PROPOSE:
            yield self._does(actor, "propose", " {}={}".format(*PROPOSALS[action - PROPOSE]))
        elif words := self._gesture():
            yield self._does(actor, *words)

    def _card(self, face: int) -> str:
        verb, rest = _CARD[self._phase]
        words = card_words(self.before.side, face)
        if self._phase in _GIVING and self._actor != 0:
            words = "a card"
        return self._does(self._actor, verb, f"{' in with' * (verb == 'cut')} {words}{rest}")

    def _gesture(self) -> tuple[str, str] | None:
        """The verb and what follows it; None for what shows by what comes of it, or not at all."""
        phase = self._phase
        if self.action == DECLINE:
            return ("propose", " nothing") if phase == Phase.PROPOSE else None
        if self.action == KEEP:
            return "keep", " it"
        turn, silent = self.before.number("turn_seat"), self.before.number("silent_seat") - 1
        return {
            ACCEPT: ("accept", ""),
            CHALLENGE: ("challenge", f" {self._name(turn)}"),
            SAY_UNO: ("say", " UNO"),
            CATCH: ("catch", f" {self._name(silent)} without UNO"),
            AGREE: ("agree", ""),
            REFUSE: ("refuse", ""),
        }.get(self.action)

    def _growth(self) -> np.ndarray:
        """Cards that each hand has won, by place."""
        return self.after.see["hand_sizes"].astype(int) - self.before.see["hand_sizes"].astype(int)

    def _verdict(self) -> Iterator[str]:
        """How a challenge ended: whoever was wrong has drawn (CHAL-3, CHAL-4)."""
        if self.action == CHALLENGE:
            growth, challenged = self._growth(), self.before.number("turn_seat")
            if growth[challenged] > 0:
                yield "It was a bluff."
            elif growth[self._actor] > 0:
                yield "It was no bluff."

    def _turns(self) -> Iterator[str]:
        side = self.after.side
        if side != self.before.side:
            yield f"The cards are flipped: the {SIDE_NAMES[side]} side is in play."
        if len(self.names) > 2 and self.before.number("is_forward") != self.after.number("is_forward"):
            yield "The direction of play turns."

    def _draws(self) -> Iterator[str]:
        growth = self._growth()
        if self._phase == Phase.SWAP:
            return
        verb = "get" if self._phase in _GIVING else "draw"
        for place in np.flatnonzero(growth > 0).tolist():
            cards = self._gained() if place == 0 else []
            count = f"{growth[place]} cards" if growth[place] > 1 else "a card"
            yield self._does(place, verb, f" {', '.join(cards) if len(cards) == growth[place] else count}")
        if self.action == DRAW_CARD and growth[self._actor] <= 0 and self.after.number("phase") != Phase.GIFT:
            yield self._does(self._actor, "find", " nothing to draw")

    def _gained(self) -> list[str]:
        """The cards that are new in one's own hand; they cannot be told if all were turned."""
        if self.after.side != self.before.side:
            return []
        old, new = (Counter(SLOT_FACE[view.slots].tolist()) for view in (self.before, self.after))
        return [card_words(self.after.side, face) for face in (new - old).elements()]
