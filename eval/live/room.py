"""Who sits at a live table, by which connection, and the clock that lets the bots move."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from agents.protocol import Agent, AgentError
from eval.live.messages import AskHint, GoOn, Hint, Refusal, State, read_answer
from eval.live.table import LiveTable, PlayError
from eval.live.views import hint_of, state_of

T = TypeVar("T")
MAX_RATE = 50
"""Messages a second that one connection may send."""


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How the game flows: `delay` seconds before a bot moves; after `turn_seconds` (0: never) `stand_in` moves for a person."""

    delay: float
    turn_seconds: float = 0
    stand_in: Agent | None = None


@dataclass(eq=False)
class Connection:
    """One browser at one seat: what it is still to be sent. Of states only the newest matters."""

    seat: int
    has_news: asyncio.Event = field(default_factory=asyncio.Event)
    is_behind: bool = False
    replies: deque[Hint | Refusal] = field(default_factory=deque)
    is_closed: bool = False
    _times: deque[float] = field(default_factory=lambda: deque(maxlen=MAX_RATE))

    def tell(self) -> None:
        """Have the table sent as it is then."""
        self.is_behind = True
        self.has_news.set()

    def reply(self, message: Hint | Refusal) -> None:
        """Have a message sent."""
        self.replies.append(message)
        self.has_news.set()

    def close(self, why: str) -> None:
        """Have the browser told why it is no longer served."""
        self.is_closed = True
        self.reply(Refusal(message=why))

    def is_flooded(self) -> bool:
        """Whether one more message is one too many."""
        now = time.monotonic()
        is_full = len(self._times) == MAX_RATE and now - self._times[0] < 1
        self._times.append(now)
        return is_full


class Room:
    """A live table with its people: each has a secret token, and the newest connection that shows it has the seat.

    Args:
        table: the table.
        pace: how the game flows.
        adviser: the agent that gives hints, if any.
        save: called whenever the table rests.
    """

    def __init__(self, table: LiveTable, pace: Pace, adviser: Agent | None = None, save: Callable[[], None] = lambda: None):
        self.table, self._pace, self._adviser, self._save = table, pace, adviser, save
        self.people = [seat for seat, player in enumerate(table.players) if player.agent is None]
        self.tokens = {secrets.token_urlsafe(16): seat for seat in self.people}
        """The seat of each token."""
        self._connections: dict[int, Connection] = {}
        self._is_waiting = True  # for people who have not come yet
        self._has_moved = asyncio.Event()
        self._thread = ThreadPoolExecutor(1)  # agents are asked one at a time, while people are served

    def sit(self, seat: int) -> Connection:
        """A new connection for a seat; an older one is closed."""
        if older := self._connections.get(seat):
            older.close("this seat is now played in another window")
        connection = self._connections[seat] = Connection(seat)
        if self._is_waiting and len(self._connections) == len(self.people):
            self._is_waiting = False
            self._has_moved.set()
        self._tell()
        return connection

    def leave(self, connection: Connection) -> None:
        """A connection has ended. The game waits for its seat; the others are told."""
        if self._connections.get(connection.seat) is connection:
            del self._connections[connection.seat]
            self._tell()

    def state(self, seat: int) -> State:
        """What a seat is shown now."""
        is_here = [player.agent is not None or s in self._connections for s, player in enumerate(self.table.players)]
        adviser = self._adviser.name if self._adviser else ""
        return state_of(self.table, seat, is_here, is_waiting=self._is_waiting, adviser=adviser)

    async def receive(self, connection: Connection, text: str | None) -> None:
        """Do what a message asks for, or reply why not."""
        if connection.is_flooded():
            connection.close(f"more than {MAX_RATE} messages a second")
            return
        try:
            await self._answer(connection, text)
        except PlayError as error:
            connection.reply(Refusal(message=str(error)))

    async def _answer(self, connection: Connection, text: str | None) -> None:
        answer = read_answer(text)
        if self._is_waiting:
            raise PlayError("the game has not begun: somebody is still to come")
        if isinstance(answer, AskHint):
            await self._hint(connection, answer)
            return
        if isinstance(answer, GoOn):
            self.table.go_on(answer.decision)
        else:
            self.table.act(connection.seat, answer.decision, answer.action)
        self._has_moved.set()
        self._tell()

    async def _hint(self, connection: Connection, wish: AskHint) -> None:
        table, seat = self.table, connection.seat
        if self._adviser is None:
            raise PlayError("nobody gives hints at this table: expected --hints AGENT")
        if seat != table.actor or wish.decision != table.num_decisions:
            raise PlayError("hints are for your own decision, at hand")
        asked = table.asked(self._adviser)
        try:
            weights = await self._ask(asked.weigh)
        except AgentError as error:
            raise PlayError(str(error)) from error
        if wish.decision == table.num_decisions:  # else it has been taken meanwhile
            connection.reply(hint_of(table, seat, self._adviser.name, weights))

    def _tell(self) -> None:
        """Something has changed: all are to be sent the table."""
        for connection in self._connections.values():
            connection.tell()

    async def run(self) -> None:
        """Let the bots move, for ever. Raises AgentError where one answers with what is no action, and what `save` raises."""
        while True:
            if self.table.is_resting:
                self._save()
            agent, seconds = self._next_move()
            self._has_moved.clear()
            try:
                await asyncio.wait_for(self._has_moved.wait(), seconds)
            except asyncio.TimeoutError:
                assert agent is not None
                await self._move(agent)

    def _next_move(self) -> tuple[Agent | None, float | None]:
        """The agent that is to decide, and the seconds until then; None where people do, however long it takes."""
        actor = None if self._is_waiting else self.table.actor
        if actor is None:
            return None, None
        if agent := self.table.players[actor].agent:
            return agent, self._pace.delay
        return (self._pace.stand_in, self._pace.turn_seconds) if self._pace.stand_in else (None, None)

    async def _move(self, agent: Agent) -> None:
        """Have an agent take the decision at hand, unless a person takes it meanwhile."""
        decision, seat = self.table.num_decisions, self.table.actor
        action = await self._ask(self.table.asked(agent).choose)
        if seat is not None and decision == self.table.num_decisions:
            if seat in self.people:
                self.table.note(f"The time of {self.table.names[seat]} is up: {agent.name} decides.")
            self.table.act(seat, decision, action)
            self._has_moved.set()
            self._tell()

    async def _ask(self, question: Callable[[], T]) -> T:
        """Put a question to an agent in the one thread for them: none is asked twice at a time, and people are served."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, question)
