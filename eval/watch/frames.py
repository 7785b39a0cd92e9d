"""A recorded game as frames: one for each decision and for each round's end, as one seat saw it or with all cards open."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from agents.protocol import Evaluator
from eval.record import describe_end
from unoflip_env.actions import CHALLENGE, COLOR, action_name
from unoflip_env.deck import SIDE_NAMES, SLOT_FACE
from unoflip_env.engine import Engine
from unoflip_env.game import Phase
from unoflip_env.notation import action_text, face_text
from unoflip_env.pictures import LAYOUTS, table_svg
from unoflip_env.records import Decision, GameRecord
from unoflip_env.table_view import TableView

OPEN: Final = "open"
"""The view of all cards, beside those of the seats, '0', '1', ..."""
_HIDDEN = (Phase.GIVE_CARD, Phase.GIFT)
"""The phases in which a card goes from hand to hand face down."""


@dataclass(frozen=True)
class Moment:
    """The engine at a decision, with what was decided; or without, at the end of a round or where the game was broken off.

    `ending` says in words what has come to an end.
    """

    engine: Engine
    round: int
    decision: Decision | None = None
    ending: str = ""


@dataclass(frozen=True)
class Option:
    """A legal action: its number, in the notation, in words; its probability in percent if an agent was asked."""

    action: int
    text: str
    words: str
    percent: float | None


@dataclass(frozen=True)
class Frame:
    """What is to be seen at one moment; nothing else about the game gets into a page.

    `wide` and `narrow` are the table as SVG. `seat` decides, `move` and `words` are what it decides as far as the viewer can
    know; where nothing is decided `ending` says why. `marks` are of 'flip', 'challenge' and 'round'. Only if the viewer may
    know them there are `options`, `action`, the chosen one, and `value`, the reward that an agent expects (-1 to 1).
    """

    round: int
    side: str
    wide: str
    narrow: str
    ending: str = ""
    seat: int | None = None
    move: str = ""
    words: str = ""
    marks: tuple[str, ...] = ()
    action: int | None = None
    options: list[Option] = field(default_factory=list)
    value: float | None = None


def seat_names(record: GameRecord) -> list[str]:
    """The seats as people read them: '0 greedy'."""
    return [f"{seat} {name}" for seat, name in enumerate(record.agents)]


def num_frames(record: GameRecord) -> int:
    """How many frames a game has, in every view."""
    num_rounds = sum(decision.end is not None for played in record.rounds for decision in played.decisions)
    return record.num_decisions + num_rounds + (not record.result.is_finished)


def moments(record: GameRecord) -> Iterator[Moment]:
    """Play a game again. The engine of a moment goes on with the next one."""
    engine = Engine(record.rules.to_rules(), num_players=record.players, episode=record.episode)
    ended = Engine(engine.rules, num_players=record.players)  # stops at the end of a round, before the next deal
    engine.reset([int(record.seed, 16)])
    for number, played in enumerate(record.rounds, start=1):
        for decision in played.decisions:
            yield Moment(engine, number, decision)
            action = np.array([decision.action])
            if decision.end:
                ended.restore(0, engine.snapshot())
                ended.step(action)
                yield Moment(ended, number, ending=describe_end(decision.end))
            engine.step(action)
    if not record.result.is_finished:
        yield Moment(engine, len(record.rounds), ending="the game was broken off")


def frames(record: GameRecord, view: str, evaluators: Mapping[int, Evaluator]) -> Iterator[Frame]:
    """The frames of a game in one view; `evaluators`, by seat, are asked what they think of that seat's decisions."""
    names = seat_names(record)
    for moment in moments(record):
        yield frame_of(moment, view, names, evaluators)


def frame_of(moment: Moment, view: str, names: list[str], evaluators: Mapping[int, Evaluator]) -> Frame:
    """What one view shows of a moment."""
    engine, decision = moment.engine, moment.decision
    table = table_of(engine, view)
    wide, narrow = (table_svg(table, layout, names) for layout in LAYOUTS)
    shown = Frame(moment.round, SIDE_NAMES[table.side], wide, narrow)
    if decision is None:
        return replace(shown, ending=moment.ending, marks=("round",))
    is_known = view in (OPEN, str(decision.seat))
    move, words = _move(decision, engine, is_known)
    move += "*" * len(decision.reshuffles)
    shown = replace(shown, seat=decision.seat, move=move, words=words, marks=tuple(_marks(decision, engine)))
    if not is_known:
        return shown
    options, value = _thoughts(decision, engine, view, evaluators.get(decision.seat))
    return replace(shown, action=decision.action, options=options, value=value)


def table_of(engine: Engine, view: str) -> TableView:
    """What is drawn; the open table from seat 0, whoever decides."""
    return TableView(engine, OPEN, seat=0) if view == OPEN else TableView(engine, int(view))


def _move(decision: Decision, engine: Engine, is_known: bool) -> tuple[str, str]:
    """A move in the notation and in words; others see neither which copy of a card it is nor a card that is given."""
    action, side = decision.action, engine.side()
    if is_known or action >= COLOR:
        return action_text(action, side), _words(action, side)
    if engine.phase[0] in _HIDDEN:
        return "a card", "a card, face down"
    return face_text(side, int(SLOT_FACE[action])), _words(action, side)


def _words(action: int, side: int) -> str:
    return action_name(action, side).replace("_", " ")


def _marks(decision: Decision, engine: Engine) -> Iterator[str]:
    after = decision.end.position if decision.end else decision.position
    if after.split()[0] != SIDE_NAMES[engine.side()]:
        yield "flip"
    if decision.action == CHALLENGE:
        yield "challenge"


def _thoughts(decision: Decision, engine: Engine, view: str, evaluator: Evaluator | None) -> tuple[list[Option], float | None]:
    """What only the seat that decides may know: its legal actions, and what an agent makes of them."""
    percents: list[float | None] = [None] * len(decision.legal)
    value = math.nan
    # An agent that sees all cards would tell of them by what it thinks.
    if evaluator and (view == OPEN or evaluator.layout.information != "open"):
        probabilities, values = evaluator.evaluate(engine.observe(evaluator.layout), engine.legal_mask())
        percents = [round(100 * float(probabilities[0, action]), 1) for action in decision.legal]
        value = float(values[0])
    side = engine.side()
    options = [
        Option(action, action_text(action, side), _words(action, side), percent)
        for action, percent in zip(decision.legal, percents, strict=True)
    ]
    return options, None if math.isnan(value) else round(value, 3)
