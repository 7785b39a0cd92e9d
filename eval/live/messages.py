"""What goes over the wire, as JSON: a person's answers, and what is shown to a seat."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from eval.live.table import PlayError

MAX_MESSAGE = 1000
"""Characters of a person's message."""


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Act(_Message):
    """Take the decision at hand, which bears the number `decision`."""

    type: Literal["act"] = "act"
    decision: int
    action: int


class GoOn(_Message):
    """Go on after a round."""

    type: Literal["go_on"] = "go_on"
    decision: int


class AskHint(_Message):
    """What would the agent do?"""

    type: Literal["hint"] = "hint"
    decision: int


class Choice(_Message):
    """A legal action: its number, what it is called and, where it names a colour, the id of that colour's shape."""

    action: int
    label: str
    shape: str = ""


class SeatInfo(_Message):
    """What all may know of a seat. `points` are those left in its hand by the last round, once that has ended."""

    name: str
    num_cards: int
    score: int
    points: int | None
    is_here: bool
    is_winner: bool


class State(_Message):
    """The table as one seat sees it.

    `picture` is SVG, wide and narrow. `lines` tell what happened, the oldest first: the last of `num_lines`. `ending` says
    who won, while the table rests after a round; `is_waiting`, that people are still to come; `adviser`, which agent gives
    hints, if any.
    """

    type: Literal["state"] = "state"
    decision: int
    seat: int
    question: str
    choices: list[Choice]
    picture: dict[Literal["wide", "narrow"], str]
    seats: list[SeatInfo]
    lines: list[str]
    num_lines: int
    ending: str
    is_done: bool
    is_waiting: bool
    adviser: str


class Weight(_Message):
    """An action that the agent considers; `probability` is None where it only tells its choice."""

    action: int
    label: str
    probability: float | None

    @property
    def words(self) -> str:
        """The same on a line: '83% red 7'."""
        return self.label if self.probability is None else f"{self.probability:.0%} {self.label}"


class Hint(_Message):
    """What the agent would do at decision `decision`, the likeliest first."""

    type: Literal["hint"] = "hint"
    decision: int
    agent: str
    weights: list[Weight]


class Refusal(_Message):
    """A message that was refused, or a seat that is no longer served; nothing has changed at the table."""

    type: Literal["error"] = "error"
    message: str


Answer = Act | GoOn | AskHint
_ANSWER: TypeAdapter[Answer] = TypeAdapter(Annotated[Answer, Field(discriminator="type")])


def read_answer(text: str | None) -> Answer:
    """A person's message; None is one that is not text. Raises PlayError that says what is wrong with it."""
    if text is None:
        raise PlayError("message: binary, expected text")
    if len(text) > MAX_MESSAGE:
        raise PlayError(f"message: {len(text)} characters, expected at most {MAX_MESSAGE}")
    try:
        return _ANSWER.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise PlayError(f"message: {place}: {first['msg']}" if place else f"message: {first['msg']}") from error
