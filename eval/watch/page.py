"""The page on which recorded games are watched: all in one file, or with its views asked for when they are needed."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from functools import cache
from pathlib import Path

from agents.protocol import AgentError, Evaluator
from agents.registry import make_agent
from eval.templates import render
from eval.watch.frames import OPEN, Frame, frames, num_frames, seat_names
from unoflip_env.pictures import card_symbols
from unoflip_env.records import GameRecord, RecordError

_TEMPLATE = Path(__file__).parent / "static" / "page.html.jinja"


class Show:
    """Games, as they are shown.

    Args:
        records: the games.
        seat: the seat that looks on: nothing that it could not know is then shown. By default every view is there.
        agents: whom to ask about the decisions of a seat, or of all others (None), as `agents.registry.make_agent` takes it.

    Raises RecordError for a seat that a game does not have, AgentError for an agent that is none, does not fit, or tells
    nothing of what it thinks.
    """

    def __init__(self, records: Sequence[GameRecord], seat: int | None, agents: Mapping[int | None, str]) -> None:
        self.records, self.seat = records, seat
        for record in records:
            for number in (seat, *agents):
                if number is not None and not 0 <= number < record.players:
                    raise RecordError(f"seat={number}: expected 0 to {record.players - 1}, the seats of game {record.game}")
        self._evaluators = [_evaluators(record, agents) for record in records]

    def views(self, game: int) -> list[str]:
        """The views of a game, counted from 0: OPEN and the seats, or the one seat's."""
        return [OPEN, *map(str, range(self.records[game].players))] if self.seat is None else [str(self.seat)]

    @property
    def num_frames(self) -> int:
        """Frames in all views of all games."""
        return sum(num_frames(record) * len(self.views(game)) for game, record in enumerate(self.records))

    def view(self, game: int, view: str) -> bytes:
        """What the page shows of a game in one view, as JSON: the fields of its frames, a list for each."""
        shown = list(frames(self.records[game], view, self._evaluators[game]))
        columns = {column.name: [getattr(frame, column.name) for frame in shown] for column in fields(Frame)}
        columns["options"] = [[asdict(option) for option in frame.options] for frame in shown]
        return json.dumps(columns, separators=(",", ":")).encode()

    def page(self, packed: Mapping[str, str] | None = None) -> str:
        """The page; without the views in `packed` it asks whoever serves it for them."""
        games = [
            {"number": record.game, "title": _title(record), "seats": seat_names(record), "views": self.views(game)}
            for game, record in enumerate(self.records)
        ]
        return render(_TEMPLATE, games=games, symbols=card_symbols(), packed=packed or {})

    def whole_page(self, on_frame: Callable[[int], None]) -> str:
        """The page with all views in it; `on_frame` is called with the number of frames that were drawn."""
        packed = {}
        for game, record in enumerate(self.records):
            for view in self.views(game):
                data = gzip.compress(self.view(game, view), mtime=0)
                packed[f"{game}-{view}"] = base64.b64encode(data).decode()
                on_frame(num_frames(record))
        return self.page(packed)


def _title(record: GameRecord) -> str:
    """What all at the table know of a game: its seed would tell the cards."""
    return f"Game {record.game}: {record.rules.name or 'own rules'}, {record.players} players, a {record.episode}"


def _evaluators(record: GameRecord, agents: Mapping[int | None, str]) -> dict[int, Evaluator]:
    information = record.rules.to_rules().information
    specs = {seat: agents.get(seat, agents.get(None)) for seat in range(record.players)}
    return {seat: _evaluator(spec, record.players, information) for seat, spec in specs.items() if spec}


@cache
def _evaluator(spec: str, num_players: int, information: str) -> Evaluator:
    agent = make_agent(spec, num_players, information)
    if not isinstance(agent, Evaluator):
        raise AgentError(f"agent {spec!r}: tells no probabilities, expected a network's checkpoint")
    return agent
