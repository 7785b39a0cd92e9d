"""The agent that asks a program, one decision at a time, and forfeits the game where it gets no legal answer."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np
from pydantic import ConfigDict, TypeAdapter, ValidationError

from agents.external.messages import Greeting, decision, greeting, read_action, read_greeting
from agents.external.program import Fault, Limits, Program, ProgramError
from agents.protocol import FORFEIT, Agent, AgentError
from unoflip_env.observation import ObservationLayout

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

T = TypeVar("T")
COMMAND, PROCESS = "cmd:", "process:"
_MAX_FAILURES = 3  # in a row, after which the program is not started again: it would cost a limit's time each


@dataclass(frozen=True)
class BotFile:
    """What a bot's TOML file says; the program runs in the file's folder."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    command: list[str]
    """The program and its arguments."""
    name: str = ""
    """What results call it; by default what it calls itself."""
    limits: Limits = field(default_factory=Limits)


class ExternalAgent:
    """An `Agent` that is a program of its own. docs/bots.md says what it is told and what it may use.

    The program may be killed and started again at any decision, and is asked about many games in turn.

    Args:
        command: the program and its arguments.
        layout: the observation of the table, which it gets if it does not ask for another.
        limits: what it may use.
        name: what results call it; by default what it calls itself, or the program.
        folder: where it runs.
        is_known: it has played before, so that a start that fails is its fault: it is tried again, three times in a row, and
            then forfeits all.

    Raises AgentError where it cannot be started or does not answer the greeting, unless it is known.
    """

    def __init__(
        self,
        command: Sequence[str],
        layout: ObservationLayout,
        limits: Limits,
        name: str = "",
        folder: Path = Path(),
        *,
        is_known: bool = False,
    ) -> None:
        if not command:
            raise AgentError("bot: expected a command, such as cmd:./my_bot")
        self._table = layout
        self.faults: Counter[Fault] = Counter()
        """How many games it forfeited for what."""
        self.first_faults: dict[Fault, str] = {}
        """The details of the first of each."""
        self._limits = limits
        self._program = Program(command, limits, folder)
        self._num_asked = self._num_failures = 0
        self._last_failure = ""
        answer = self._greet(_MAX_FAILURES if is_known else 1)
        if not answer and not is_known:
            raise AgentError(
                f"bot {shlex.join(command)}: {self._last_failure}; expected an answer to the greeting, see docs/bots.md"
            )
        self.layout = answer.layout(layout) if answer else layout
        self.name = name or (answer.name if answer else "") or Path(command[0]).name

    def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        """See `Agent.act`; FORFEIT where the program does wrong, which `faults` counts."""
        rows = zip(observations, legal_mask, uniforms.tolist(), strict=True)
        return np.array([self._decide(*row) for row in rows], np.int64)

    def close(self) -> None:
        """End the program."""
        self._program.stop()

    def _decide(self, observation: np.ndarray, legal_mask: np.ndarray, uniform: float) -> int:
        try:
            self._check_budget()
            if not self._program.is_running:
                self._start()
            return self._ask(observation, legal_mask, uniform)
        except ProgramError as error:
            self.faults[error.fault] += 1
            self.first_faults.setdefault(error.fault, str(error))
            return FORFEIT

    def _check_budget(self) -> None:
        if self._num_failures >= _MAX_FAILURES:
            raise ProgramError("given up", f"{_MAX_FAILURES} failures in a row, the last: {self._last_failure}")
        if self._program.seconds > self._limits.total_seconds:
            self._program.stop()
            raise ProgramError("out of time", f"more than {self._limits.total_seconds:g} s in all")

    def _greet(self, num_tries: int) -> Greeting | None:
        """Its first answer; None where so many starts in a row failed."""
        for _ in range(num_tries):
            with suppress(ProgramError):
                return self._start()
        return None

    def _start(self) -> Greeting:
        self._attempt(self._program.start)
        line = greeting(self._table, self._limits.move_seconds)
        answer = self._attempt(lambda: self._program.ask(line, self._limits.start_seconds))
        return self._attempt(lambda: read_greeting(answer, self._table))

    def _ask(self, observation: np.ndarray, legal_mask: np.ndarray, uniform: float) -> int:
        self._num_asked += 1
        line = decision(self._num_asked, self.layout, observation, legal_mask, uniform)
        answer = self._attempt(lambda: self._program.ask(line, self._limits.move_seconds))
        action = self._attempt(lambda: read_action(answer, self._num_asked, legal_mask))
        self._num_failures = 0
        return action

    def _attempt(self, do: Callable[[], T]) -> T:
        """What `do` gives. After a fault, other than a choice that is not legal, nothing that it says can be trusted."""
        try:
            return do()
        except ProgramError as error:
            if error.fault == "illegal":
                self._num_failures = 0
            else:
                self._num_failures += 1
                self._last_failure = str(error)
                self._program.stop()
            raise


def make_external(spec: str, layout: ObservationLayout, *, is_known: bool = False) -> ExternalAgent:
    """The agent of `cmd:PROGRAM ARGUMENTS`, of `process:AGENT` (any other agent, in a process of its own) or of a TOML file.

    `layout` and `is_known` as for ExternalAgent. Raises AgentError, naming `spec`, for one that is no such thing or does not
    start.
    """
    if spec.startswith(PROCESS):
        command = [sys.executable, "-m", "agents.external.serve", spec.removeprefix(PROCESS)]
        return ExternalAgent(command, layout, Limits(), is_known=is_known)
    if spec.startswith(COMMAND):
        return ExternalAgent(_split(spec), layout, Limits(), is_known=is_known)
    bot = read_bot(spec)
    return ExternalAgent(bot.command, layout, bot.limits, bot.name, Path(spec).parent, is_known=is_known)


def read_bot(spec: str) -> BotFile:
    """What the TOML file at the path `spec` says. Raises AgentError, naming it."""
    try:
        return TypeAdapter(BotFile).validate_python(tomllib.loads(Path(spec).read_text(encoding="utf-8")))
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, found['loc']))}: {found['msg']}" for found in error.errors()]
        raise AgentError(f"agent {spec!r}: {'; '.join(problems)}") from error
    except (OSError, ValueError) as error:
        raise AgentError(f"agent {spec!r}: {error}") from error


def is_external(spec: str) -> bool:
    """Whether `spec` names such an agent."""
    return spec.startswith((COMMAND, PROCESS)) or spec.endswith(".toml")


@dataclass(frozen=True)
class FaultCount:
    """How many games an agent forfeited for one fault, and the details of the first."""

    fault: str
    number: int
    first: str

    def __str__(self) -> str:
        return f"forfeited {self.number:,} for {self.fault!r}; the first: {self.first}"


def faults_of(agent: Agent) -> Iterator[FaultCount]:
    """What an agent did wrong, each fault once; only external ones do."""
    if isinstance(agent, ExternalAgent):
        for fault, number in agent.faults.items():
            yield FaultCount(fault, number, agent.first_faults[fault])


def describe_faults(agents: Iterable[Agent]) -> Iterator[str]:
    """A sentence for each fault of each of these agents."""
    return (f"{agent.name}: {fault}" for agent in agents for fault in faults_of(agent))


def check_answered(agent: Agent, actions: np.ndarray) -> None:
    """For games that nobody may give up, such as recorded ones. Raises AgentError, with what went wrong, at a FORFEIT."""
    if (actions == FORFEIT).any():
        reason = "; ".join(agent.first_faults.values()) if isinstance(agent, ExternalAgent) else ""
        raise AgentError(f"agent {agent.name}: gave the game up ({reason or 'for no reason that it tells'})")


def close_all(agents: Iterable[Agent]) -> None:
    """End the programs of those of these agents that are external."""
    for agent in agents:
        if isinstance(agent, ExternalAgent):
            agent.close()


def _split(spec: str) -> list[str]:
    try:
        return shlex.split(spec.removeprefix(COMMAND))
    except ValueError as error:
        raise AgentError(f"agent {spec!r}: {error}") from error
