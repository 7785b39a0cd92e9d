"""The table as text, drawn with rich from what one seat may know: its observation, its legal actions, public counts."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

import gymnasium
import numpy as np
from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from unoflip_env.actions import CARD, PROPOSALS, action_name
from unoflip_env.deck import FACE_NAMES, SIDE_NAMES, SLOT_FACE, face_name
from unoflip_env.engine import Engine
from unoflip_env.pictures.raster import check_installed, table_image
from unoflip_env.table_view import TableView, View, is_view

RENDER_MODES = ["human", "ansi", "rgb_array"]
WIDTH = 100
Frame = str | np.ndarray | None
"""What `render()` gives: text, pixels or nothing."""

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


class TableRenderer:
    """Draws tables of an engine.

    `mode` is 'human' (printed, in colour where the terminal has it), 'ansi' (returned as plain text, the same for the
    same position), 'rgb_array' (returned as pixels, uint8 of shape (560, 800, 3)) or None. `view` is a seat; 'actor', the
    seat that decides (seat 0 once the episode is over); or 'open', all cards as the actor would see them. Raises ValueError
    for other values, and DependencyNotInstalled for pixels without the extra `pictures`.
    """

    def __init__(self, engine: Engine, mode: str | None, view: View) -> None:
        if mode is not None and mode not in RENDER_MODES:
            raise ValueError(f"render_mode={mode!r}: expected None or one of {', '.join(RENDER_MODES)}")
        if not is_view(view, engine.num_seats):
            raise ValueError(f"render_seat={view!r}: expected 'actor', 'open' or a seat 0 to {engine.num_seats - 1}")
        if mode == "rgb_array":
            check_installed()
        self._engine, self._mode, self.view = engine, mode, view

    def render(self, game: int = 0) -> Frame:
        """The text under 'ansi', the pixels under 'rgb_array'; None under 'human', once it is printed."""
        if self._mode is None:
            gymnasium.logger.warn("render() does nothing without a render_mode: choose one of them when making it")
            return None
        view = TableView(self._engine, self.view, game=game)
        if self._mode == "rgb_array":
            return table_image(view)
        if self._mode == "ansi":
            return _as_text(view)
        Console(highlight=False).print(draw_table(view))
        return None


def draw_table(view: TableView, names: Sequence[str] | None = None) -> Group:
    """What a view of a table holds, for rich to print; `names` by seat, 'player_0' and so on by default."""
    return _Table(view, names or [f"player_{seat}" for seat in range(view.num_seats)]).draw()


def table_text(engine: Engine, view: View = "actor") -> str:
    """The table of an engine's first game as plain text, at most 100 columns wide."""
    return _as_text(TableView(engine, view))


def _as_text(view: TableView) -> str:
    console = Console(file=StringIO(), width=WIDTH, color_system=None, force_terminal=False, highlight=False)
    with console.capture() as capture:
        console.print(draw_table(view))
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
    """One drawing of what a view of the table holds."""

    def __init__(self, view: TableView, names: Sequence[str]) -> None:
        self.names = names
        self.view, self.see, self.side, self.number = view, view.see, view.side, view.number

    def name(self, place: int) -> str:
        """A seat, given relative to the viewer."""
        return self.names[self.view.seat_at(place)]

    def draw(self) -> Group:
        return Group(self.piles(), self.seats(), self.hand(), self.decision())

    def piles(self) -> Table:
        grid = Table.grid(padding=(0, 2))
        title = f"UNO FLIP, round {self.view.round}, turn {self.view.turn}"
        grid.add_row(Text(title, "bold"), Text(f"viewed by {self.name(0)}", "dim"))
        grid.add_row("Side in play", SIDE_NAMES[self.side])
        grid.add_row("Direction", Text(f"{self.name(0)}, then {self.name(1 if self.number('is_forward') else -1)}"))
        color = self.view.color or "none yet"
        top = Text.assemble(_face(self.side, self.number("top_face")), ", on ", str(self.see["discards"].sum() - 1), " others")
        if self.number("flip_face"):
            top.append_text(Text.assemble("; a Flip would bring up ", _face(1 - self.side, self.number("flip_face") - 1)))
        grid.add_row("Top card", top)
        grid.add_row("Colour in play", Text(color, _STYLES.get(color, "bold")))
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
        if max_turns := self.view.rules.max_turns:
            grid.add_row("Turns left", str(max_turns - self.view.turn))
        return grid

    def seats(self) -> Table:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for heading in ("Seat", "Cards", "UNO", "Score", "", "Backs", "Fronts known"):
            table.add_column(heading, justify="right" if heading in ("Cards", "Score") else "left")
        rising = sorted(range(self.view.num_seats), key=self.view.seat_at)
        for place in rising:
            backs = _faces(1 - self.side, self.see["other_backs"][place - 1]) if place else Text("below")
            fronts = _faces(self.side, self.see["other_known"][place - 1]) if place else Text("below")
            said = "said" if self.see["said_uno"][place] else ""
            score = self.view.scores[self.view.seat_at(place)]
            size = self.see["hand_sizes"][place]
            table.add_row(Text(self.name(place)), str(size), said, str(score), self.view.role(place), backs, fronts)
        return table

    def hand(self) -> Table:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for heading in ("Action", Text(f"Hand of {self.name(0)}"), "Back", ""):
            table.add_column(heading, justify="right" if heading == "Action" else "left")
        for slot in self.view.slots:
            back = int(self.see["own_backs"][slot])
            drawn = "just drawn" if self.number("drawn_slot") == slot + 1 else ""
            action = str(CARD + slot) if self.view.legal[CARD + slot] else ""
            front = _face(self.side, int(SLOT_FACE[slot]))
            table.add_row(action, front, _face(1 - self.side, back - 1) if back else "", drawn)
        return table

    def decision(self) -> Text:
        if self.view.is_over:
            names = " and ".join(self.names[seat] for seat in self.view.winners)
            return Text(f"Over: {names} won, {self.view.ending}.", "bold")
        text = f"{self.name(self.number('actor') - 1)} is to {self.view.decision}."
        if others := self.view.other_actions:
            text += "\nActions: " + ", ".join(f"{action} {action_name(action, self.side)}" for action in others)
        return Text(text, "bold")
