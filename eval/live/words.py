"""What a seat is asked, and what its answers are called."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from eval.live.story import card_words
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
from unoflip_env.deck import COLOR_NAMES, SLOT_FACE
from unoflip_env.game import Phase
from unoflip_env.table_view import TableView

_DECLINE = {
    Phase.UNO: "Say nothing",
    Phase.SECOND: "No second card",
    Phase.CUT: "Do not cut in",
    Phase.GIFT: "Give nothing",
    Phase.PROPOSE: "Propose nothing",
}
_GESTURES = {
    DRAW_CARD: "Draw",
    KEEP: "Keep it",
    ACCEPT: "Accept and draw",
    CHALLENGE: "Challenge",
    SAY_UNO: "Say UNO",
    CATCH: "Catch",
    AGREE: "Agree",
    REFUSE: "Refuse",
}


class Question:
    """What the seat of a view is asked; `names` are by seat, and nothing is asked while the table rests."""

    def __init__(self, view: TableView, names: Sequence[str], *, is_resting: bool) -> None:
        self._view, self._names, self._is_resting = view, names, is_resting
        self.actions: list[int] = [] if is_resting else np.flatnonzero(view.legal).tolist()
        """The legal actions."""

    def _can(self, action: int) -> bool:
        return action in self.actions

    @property
    def _has_card(self) -> bool:
        return any(action < COLOR for action in self.actions)

    def _name(self, place: int) -> str:
        return self._names[self._view.seat_at(place)]

    @property
    def _turn_name(self) -> str:
        return self._name(self._view.number("turn_seat"))

    @property
    def text(self) -> str:
        """The question, or who else is asked."""
        if self._is_resting:
            return "The round is over"
        if not self.actions:
            return f"{self._name(self._view.number('actor') - 1)} is to decide"
        asked = _QUESTIONS[Phase(self._view.number("phase"))]
        return asked if isinstance(asked, str) else asked(self)

    def label(self, action: int) -> str:
        """A legal action on a button."""
        side = self._view.side
        if action < COLOR:
            return card_words(side, int(SLOT_FACE[action]))
        if action < DRAW_CARD:
            return COLOR_NAMES[side][action - COLOR]
        if SEAT <= action < AGREE:
            return self._name(action - SEAT + 1)
        if action >= PROPOSE:
            return "{} = {}".format(*PROPOSALS[action - PROPOSE])
        return _DECLINE[Phase(self._view.number("phase"))] if action == DECLINE else _GESTURES[action]

    def _play(self) -> str:
        if not self._has_card:
            return "Your turn: no card of yours fits, so draw"
        return f"Your turn: play a card{' or draw' * self._can(DRAW_CARD)}"

    def _respond(self) -> str:
        count = self._view.number("pending_draws")
        cards = f"{count} card{'s' * (count > 1)}" if count else f"until {self._view.color} comes"
        also = [word for word, can in (("challenge", self._can(CHALLENGE)), ("stack", self._has_card)) if can]
        return f"{self._turn_name} makes you draw {cards}: {' or '.join(['accept', *also])}"

    def _uno(self) -> str:
        silent = self._view.number("silent_seat") - 1
        if silent == 0:
            return "You hold one card and did not say UNO: say it before you are caught"
        return f"{self._name(silent)} holds one card and did not say UNO"

    def _vote(self) -> str:
        return "{} proposes {} = {}".format(self._turn_name, *PROPOSALS[self._view.number("proposal") - 1])


_QUESTIONS: dict[Phase, str | Callable[[Question], str]] = {
    Phase.PLAY: Question._play,
    Phase.DRAWN: lambda question: f"Play the card you have just drawn{', or keep it' * question._can(KEEP)}",
    Phase.COLOR: "Name a colour",
    Phase.RESPOND: Question._respond,
    Phase.UNO: Question._uno,
    Phase.GIVE_SEAT: "Choose who gets a card of yours",
    Phase.GIVE_CARD: "Choose the card to give",
    Phase.SECOND: "Play a second card?",
    Phase.CUT: lambda question: f"Cut in on {question._turn_name}?",
    Phase.SWAP: "Choose whom to swap hands with",
    Phase.DUMP: "Name the colour to put under the 0",
    Phase.GIFT: lambda question: f"{question._turn_name} cannot play: give a card?",
    Phase.PROPOSE: "You won: propose a change of the rules, or none",
    Phase.VOTE: Question._vote,
}
