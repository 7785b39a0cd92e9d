"""The table as text, drawn with rich from what one seat may know: its observation, its legal actions, public counts."""

from __future__ import annotations

from io import StringIO
from typing import Literal

import gymnasium
import numpy as np
from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from unoflip_env.actions import CARD, NUM_ACTIONS, PROPOSALS, action_name
from unoflip_env.deck import COLOR_NAMES, FACE_NAMES, NO_COLOR, SIDE_NAMES, SLOT_FACE, face_name
from unoflip_env.engine import Engine
from unoflip_env.game import Phase, Termination
from unoflip_env.observation import observation_layout

View = int | Literal["actor", "open"]
RENDER_MODES = ["human", "ansi"]
WIDTH = 100

_STYLES = {
    "red": "bold red",
    "yellow": "bold yellow",
    "green": "bold green",
    "blue": "bold blue",
    "pink": "bold hot_pink",
    "turquoise": "bold turquoise2",
    "orange": "bold dark_orange",
    "purple": "bold medium_purple",
}
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


class TableRenderer:
    """Draws the table of an engine's first game.

    `mode` is 'human' (printed, in colour where the terminal has it), 'ansi' (returned as plain text, the same for the
    same position) or None. `view` is a seat; 'actor', the seat that decides (seat 0 once the episode is over); or
    'open', all cards as the actor would see them. Raises ValueError for other values.
    """

    def __init__(self, engine: Engine, mode: str | None, view: View) -> None:
        if mode is not None and mode not in RENDER_MODES:
            raise ValueError(f"render_mode={mode!r}: expected None or one of {', '.join(RENDER_MODES)}")
        if view not in ("actor", "open", *range(engine.num_seats)):
            raise ValueError(f"render_seat={view!r}: expected 'actor', 'open' or a seat 0 to {engine.num_seats - 1}")
        self._engine, self._mode, self.view = engine, mode, view

    def render(self) -> str | None:
        """The text under 'ansi'; None under 'human', once it is printed."""
        if self._mode is None:
            gymnasium.logger.warn("render() does nothing without a render_mode: choose 'human' or 'ansi' when making it")
            return None
        if self._mode == "human":
            Console(highlight=False).print(_Table(self._engine, self.view).draw())
            return None
        return table_text(self._engine, self.view)


def table_text(engine: Engine, view: View = "actor") -> str:
    """The table of an engine's first game as plain text, at most 100 columns wide."""
    console = Console(file=StringIO(), width=WIDTH, color_system=None, force_terminal=False, highlight=False)
    with console.capture() as capture:
        console.print(_Table(engine, view).draw())
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def _face(side: int, face: int) -> Text:
    color = FACE_NAMES[side][face][0]
    return Text(face_name(side, face).replace("_", " "), _STYLES.get(color, "bold"))


def _faces(side: int, counts: np.ndarray) -> Text:
    """A bag of faces, `counts` of shape (NUM_FACES,), by colour: 'red 3, 7 x2; wild'."""
    groups: dict[str, list[str]] = {}
    for face in np.flatnonzero(counts):
        color, symbol = FACE_NAMES[side][face]
        times = f" x{counts[face]}" if counts[face] > 1 else ""
        groups.setdefault(color, []).append(symbol.replace("_", " ") + times)
    parts = [Text(f"{color} {', '.join(names)}".strip(), _STYLES.get(color, "bold")) for color, names in groups.items()]
    return Text("; ").join(parts)


class _Table:
    """One drawing: the game as the viewer's observation and legal actions tell it."""

    def __init__(self, engine: Engine, view: View) -> None:
        self.rules, self.num_seats = engine.rules, engine.num_seats
        self.game = engine.games[0]  # read for what is public alone: scores, counts of rounds and turns, who won
        self.is_over = bool(engine.is_over[0])
        actor = 0 if self.is_over else int(engine.actor[0])
        self.seat = view if isinstance(view, int) else actor
        layout = observation_layout(self.num_seats, "open") if view == "open" else engine.layout
        self.see = layout.view(engine.observe(layout, seats=self.seat)[0])
        can_act = self.seat == actor and not self.is_over
        self.legal = engine.legal_mask()[0] if can_act else np.zeros(NUM_ACTIONS, np.bool_)
        self.side = self.number("side")

    def number(self, field: str) -> int:
        return int(self.see[field][0])

    def name(self, place: int) -> str:
        """A seat, given relative to the viewer."""
        return f"player_{(self.seat + place) % self.num_seats}"

    def draw(self) -> Group:
        return Group(self.piles(), self.seats(), self.hand(), self.decision())

    def piles(self) -> Table:
        grid = Table.grid(padding=(0, 2))
        is_playing = self.number("phase") not in (Phase.PROPOSE, Phase.VOTE, Phase.OVER)
        title = f"UNO FLIP, round {self.game['num_rounds'] + is_playing}, turn {self.game['num_turns']}"
        grid.add_row(Text(title, "bold"), Text(f"viewed by {self.name(0)}", "dim"))
        grid.add_row("Side in play", SIDE_NAMES[self.side])
        grid.add_row("Direction", f"{self.name(0)}, then {self.name(1 if self.number('is_forward') else -1)}")
        color = self.number("color")
        color_name = "none yet" if color == NO_COLOR else COLOR_NAMES[self.side][color]
        top = Text.assemble(_face(self.side, self.number("top_face")), ", on ", str(self.see["discards"].sum() - 1), " others")
        if self.number("flip_face"):
            top.append_text(Text.assemble("; a Flip would bring up ", _face(1 - self.side, self.number("flip_face") - 1)))
        grid.add_row("Top card", top)
        grid.add_row("Colour in play", Text(color_name, _STYLES.get(color_name, "bold")))
        pile = Text(f"{self.number('draw_size')} cards")
        if self.number("draw_back"):
            pile.append_text(Text.assemble("; the top one's back is ", _face(1 - self.side, self.number("draw_back") - 1)))
        grid.add_row("Draw pile", pile)
        if self.number("pending_draws"):
            grid.add_row("Cards to draw", str(self.number("pending_draws")))
        if self.number("cutter"):
            cut = _face(self.side, self.number("cut_face") - 1)
            grid.add_row("Cut in", Text.assemble(self.name(self.number("cutter") - 1), " with ", cut))
        if self.number("proposal"):
            grid.add_row("Proposal", "{}={}".format(*PROPOSALS[self.number("proposal") - 1]))
        if self.rules.max_turns:
            grid.add_row("Turns left", str(self.rules.max_turns - self.game["num_turns"]))
        return grid

    def seats(self) -> Table:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for heading in ("Seat", "Cards", "UNO", "Score", "", "Backs", "Fronts known"):
            table.add_column(heading, justify="right" if heading in ("Cards", "Score") else "left")
        rising = sorted(range(self.num_seats), key=self.name)
        for place in rising:
            backs = _faces(1 - self.side, self.see["other_backs"][place - 1]) if place else Text("below")
            fronts = _faces(self.side, self.see["other_known"][place - 1]) if place else Text("below")
            said = "said" if self.see["said_uno"][place] else ""
            score = self.game["scores"][(self.seat + place) % self.num_seats]
            size = self.see["hand_sizes"][place]
            table.add_row(self.name(place), str(size), said, str(score), self.role(place), backs, fronts)
        return table

    def role(self, place: int) -> str:
        """What a seat has to do with the decision at hand."""
        if place == self.number("actor") - 1:
            return "decides"
        if place == self.number("silent_seat") - 1:
            return "silent"
        return "in turn" if place == self.number("turn_seat") and not self.is_over else ""

    def hand(self) -> Table:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for heading in ("Action", f"Hand of {self.name(0)}", "Back", ""):
            table.add_column(heading, justify="right" if heading == "Action" else "left")
        for slot in np.flatnonzero(self.see["own_hand"]):
            back = int(self.see["own_backs"][slot])
            drawn = "just drawn" if self.number("drawn_slot") == slot + 1 else ""
            action = str(CARD + slot) if self.legal[CARD + slot] else ""
            front = _face(self.side, int(SLOT_FACE[slot]))
            table.add_row(action, front, _face(1 - self.side, back - 1) if back else "", drawn)
        return table

    def decision(self) -> Text:
        if self.is_over:
            names = [f"player_{seat}" for seat in range(self.num_seats) if int(self.game["winners"]) >> seat & 1]
            return Text(f"Over: {' and '.join(names)} won, {_ENDINGS[Termination(self.game['termination'])]}.", "bold")
        text = f"{self.name(self.number('actor') - 1)} is to {_DECISIONS[Phase(self.number('phase'))]}."
        others = [int(action) for action in np.flatnonzero(self.legal) if action >= CARD + len(self.see["own_hand"])]
        if others:
            text += "\nActions: " + ", ".join(f"{action} {action_name(action, self.side)}" for action in others)
        return Text(text, "bold")
