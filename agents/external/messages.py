"""What is said to an external agent and what it answers, as JSON lines; docs/bots.md shows them."""

from __future__ import annotations

import json
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, Field, ValidationError, field_validator

from agents.external.program import ProgramError
from agents.protocol import misfit
from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.deck import NUM_FACES, SIDE_NAMES
from unoflip_env.game import OBSERVED, Phase
from unoflip_env.notation import action_text, face_text
from unoflip_env.observation import ObservationLayout, observation_layout
from unoflip_env.rules import STACK_KINDS, allowed_values

PROTOCOL = 1


def greeting(layout: ObservationLayout, move_seconds: float) -> bytes:
    """The first line: all that it takes to read the others."""
    return _line(
        {
            "protocol": PROTOCOL,
            "max_players": layout.max_players,
            "information": layout.information,
            "move_seconds": move_seconds,
            "observation": [
                {"name": row.name, "start": row.start, "shape": row.shape, "num_values": row.num_values, "doc": row.doc}
                for row in layout.fields.values()
            ],
            "size": layout.size,
            "phases": [phase.name.lower() for phase in Phase],
            "rules": [{"name": name, "values": _values(name)} for name in OBSERVED],
            "faces": {name: _faces(side) for side, name in enumerate(SIDE_NAMES)},
            "moves": {
                name: [action_text(action, side) for action in range(NUM_ACTIONS)] for side, name in enumerate(SIDE_NAMES)
            },
        }
    )


def decision(number: int, layout: ObservationLayout, observation: np.ndarray, legal_mask: np.ndarray, uniform: float) -> bytes:
    """The line that asks for one action; `observation` has shape (size,), `legal_mask` (NUM_ACTIONS,)."""
    fields = layout.view(observation)
    legal = np.flatnonzero(legal_mask).tolist()
    side = int(fields["side"][0])
    return _line(
        {
            "id": number,
            "legal": legal,
            "moves": [action_text(action, side) for action in legal],
            "uniform": uniform,
            "observation": {name: values.tolist() for name, values in fields.items()},
        }
    )


class Greeting(BaseModel):
    """The answer to the greeting. A program may ask for the observation of larger tables, or without backs (INFO-4)."""

    protocol: Literal[1]
    name: str = Field(default="", max_length=40)
    max_players: int | None = None
    information: str | None = None

    @field_validator("name")
    @classmethod
    def _check_name(cls, name: str) -> str:
        """It is shown in terminals, which would obey control characters."""
        if not name.isprintable():
            raise ValueError(f"{name!r} has characters that cannot be printed")
        return name

    def layout(self, table: ObservationLayout) -> ObservationLayout:
        """The observation that it gets at such a table. Raises ValueError for none."""
        return observation_layout(self.max_players or table.max_players, self.information or table.information)


def read_greeting(line: bytes, table: ObservationLayout) -> Greeting:
    """The answer to the greeting. Raises ProgramError for what is none, or asks for what is not seen at the table."""
    try:
        answer = Greeting.model_validate(_parse(line))
        why = misfit(answer.layout(table), table)
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, found['loc']))}: {found['msg']}" for found in error.errors()]
        raise ProgramError("nonsense", "; ".join(problems)) from error
    except ValueError as error:  # no such observation
        raise ProgramError("nonsense", str(error)) from error
    if why:
        raise ProgramError("nonsense", why)
    return answer


def read_action(line: bytes, number: int, legal_mask: np.ndarray) -> int:
    """The action of the answer to decision `number`. Raises ProgramError for what is no answer to it, or not legal."""
    answer = _parse(line)
    action = answer.get("action")
    if answer.get("id") != number or type(action) is not int:
        raise ProgramError("nonsense", f"{_show(line)}: expected {{'id': {number}, 'action': a number}}")
    if not (0 <= action < NUM_ACTIONS and legal_mask[action]):
        raise ProgramError("illegal", f"action {action}: expected one of {np.flatnonzero(legal_mask).tolist()}")
    return action


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def _parse(line: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise ProgramError("nonsense", f"{_show(line)}: expected a JSON object")
    return answer


def _show(line: bytes) -> str:
    return repr(line[:80].decode(errors="replace"))


def _faces(side: int) -> list[str | None]:
    return [face_text(side, face) for face in range(NUM_FACES)]


def _values(name: str) -> Any:
    """What an option's numbers stand for: a list, by number; 'number' for numbers; for `stack` what each bit stands for."""
    if name == "stack":
        return {"bits": STACK_KINDS}
    values = allowed_values(name)
    return "number" if set(values) & {int, bool} else ["table" if value is tuple else value for value in values]
