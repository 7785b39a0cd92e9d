"""What is shown to a seat: made from its own observation and what is public, nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from eval.live.messages import Choice, Hint, SeatInfo, State, Weight
from eval.live.table import LiveTable
from unoflip_env.actions import COLOR, DRAW_CARD
from unoflip_env.pictures import shape_id, table_svg
from unoflip_env.table_view import TableView


def state_of(table: LiveTable, seat: int, is_here: Sequence[bool], *, is_waiting: bool, adviser: str) -> State:
    """The table as `seat` sees it; `is_here` says by seat who is connected, bots always."""
    view = table.view(seat)
    question = table.question(view)
    return State(
        decision=table.num_decisions,
        seat=seat,
        question=question.text,
        choices=[Choice(action=a, label=question.label(a), shape=_shape(view, a)) for a in question.actions],
        picture={"wide": table_svg(view, "wide", table.names), "narrow": table_svg(view, "narrow", table.names)},
        seats=[_seat_info(table, view, place, is_here) for place in sorted(range(view.num_seats), key=view.seat_at)],
        lines=list(table.stories[seat]),
        num_lines=table.num_lines[seat],
        ending=table.ending if table.is_resting else "",
        is_done=table.is_done,
        is_waiting=is_waiting,
        adviser=adviser,
    )


def _shape(view: TableView, action: int) -> str:
    """The id of the shape that stands for the colour which an action names, if it names one."""
    return shape_id(view.side, action - COLOR) if COLOR <= action < DRAW_CARD else ""


def _seat_info(table: LiveTable, view: TableView, place: int, is_here: Sequence[bool]) -> SeatInfo:
    seat, end = view.seat_at(place), table.last_end if table.is_resting else None
    return SeatInfo(
        name=table.names[seat],
        num_cards=int(view.see["hand_sizes"][place]),
        score=view.scores[seat],
        points=end.points[seat] if end else None,
        is_here=is_here[seat],
        is_winner=end is not None and seat in (view.winners or end.winners),
    )


def hint_of(table: LiveTable, seat: int, agent: str, weights: Sequence[tuple[int, float | None]]) -> Hint:
    """An agent's thoughts on the decision at hand, in words for the seat that takes it."""
    label = table.question(table.view(seat)).label
    shown = [Weight(action=action, label=label(action), probability=probability) for action, probability in weights]
    return Hint(decision=table.num_decisions, agent=agent, weights=shown)
