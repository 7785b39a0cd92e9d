"""What one seat may know of a table, for whoever draws it: its observation, its legal actions, public counts."""

from __future__ import annotations

from typing import Literal

import numpy as np

from unoflip_env.actions import CARD, NUM_ACTIONS
from unoflip_env.deck import COLOR_NAMES, NO_COLOR, NUM_CARDS
from unoflip_env.engine import Engine
from unoflip_env.game import Phase, Termination
from unoflip_env.observation import observation_layout

View = int | Literal["actor", "open"]

_DECISIONS = {
    Phase.PLAY: "play a card or draw",
    Phase.DRAWN: "play the card just drawn or keep it",
    Phase.COLOR: "name a colour",
    Phase.RESPOND: "accept the draw, challenge it or stack onto it",
    Phase.UNO: "speak up about UNO or not",
    Phase.GIVE_SEAT: "choose who gets a card",
    Phase.GIVE_CARD: "choose the card to give",
    Phase.SECOND: "play a second card or not",
    Phase.CUT: "cut in or not",
    Phase.SWAP: "choose whom to swap hands with",
    Phase.DUMP: "name the colour to put under the 0",
    Phase.GIFT: "give a teammate a card or not",
    Phase.PROPOSE: "propose a change of rule or none",
    Phase.VOTE: "agree to the change of rule or refuse",
}
_ENDINGS = {
    Termination.EMPTY_HAND: "the hand is empty",
    Termination.BLOCKED: "nobody could move",
    Termination.TIMEOUT: "the turns ran out",
}


def is_seat(seat: object, num_seats: int) -> bool:
    """Whether this is the number of a seat, NumPy's integers included."""
    return isinstance(seat, (int, np.integer)) and not isinstance(seat, bool) and 0 <= int(seat) < num_seats


def is_view(view: object, num_seats: int) -> bool:
    """Whether this names a view of a table of so many seats."""
    return view in ("actor", "open") if isinstance(view, str) else is_seat(view, num_seats)


class TableView:
    """The table of an engine's game as `seat` may know it, at the time of asking.

    `view` is a seat; 'actor', the seat that decides (seat 0 once the episode is over); or 'open', all cards as the actor, or
    the seat that is given, would see them. `see` holds the named fields of the observation, `legal` the seat's legal
    actions, bool of shape (NUM_ACTIONS,): none where another decides. A *place* is a seat relative to the viewer: 0 itself,
    k the seat k on. Raises ValueError for what is none.
    """

    def __init__(self, engine: Engine, view: View = "actor", *, seat: int | None = None, game: int = 0) -> None:
        if not (is_view(view, engine.num_seats) and (seat is None or is_seat(seat, engine.num_seats))):
            raise ValueError(f"view={view!r}, seat={seat!r}: expected 'actor', 'open' or a seat 0 to {engine.num_seats - 1}")
        self.rules, self.num_seats, which = engine.rules, engine.num_seats, [game]
        self.is_over, self.is_open = bool(engine.is_over[game]), view == "open"
        actor = 0 if self.is_over else int(engine.actor[game])
        seen_by = view if not isinstance(view, str) else actor if seat is None else seat
        self.seat = int(seen_by)
        layout = observation_layout(self.num_seats, "open") if self.is_open else engine.layout
        self.see = layout.view(engine.observe(layout, self.seat, which=which)[0])
        can_act = self.seat == actor and not self.is_over
        self.legal = engine.legal_mask(which=which)[0] if can_act else np.zeros(NUM_ACTIONS, np.bool_)
        self.side = self.number("side")
        record = engine.games[game]  # read for what is public alone
        is_playing = self.number("phase") not in (Phase.PROPOSE, Phase.VOTE, Phase.OVER)
        self.round, self.turn = int(record["num_rounds"]) + is_playing, int(record["num_turns"])
        self.scores = record["scores"][: self.num_seats].tolist()
        """By seat, in points."""
        self.winners = [seat for seat in range(self.num_seats) if self.is_over and int(record["winners"]) >> seat & 1]
        self.ending = _ENDINGS.get(Termination(record["termination"]), "")

    def number(self, field: str) -> int:
        """A field of one entry."""
        return int(self.see[field][0])

    def seat_at(self, place: int) -> int:
        """The seat at a place."""
        return (self.seat + place) % self.num_seats

    def role(self, place: int) -> str:
        """What a seat has to do with the decision at hand."""
        if place == self.number("actor") - 1:
            return "decides"
        if place == self.number("silent_seat") - 1:
            return "silent"
        return "in turn" if place == self.number("turn_seat") and not self.is_over else ""

    @property
    def decision(self) -> str:
        """What is being decided, in words."""
        return _DECISIONS[Phase(self.number("phase"))]

    @property
    def color(self) -> str:
        """The name of the colour in play; '' before the first is named."""
        color = self.number("color")
        return "" if color == NO_COLOR else COLOR_NAMES[self.side][color]

    @property
    def slots(self) -> list[int]:
        """The held slots of the own hand."""
        held: list[int] = np.flatnonzero(self.see["own_hand"]).tolist()
        return held

    @property
    def other_actions(self) -> list[int]:
        """The legal actions that are no card."""
        others: list[int] = np.flatnonzero(self.legal[CARD + NUM_CARDS :]).tolist()
        return [CARD + NUM_CARDS + action for action in others]
