"""Games played together: a decision at every table at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from agents.protocol import FORFEIT, Agent, AgentError, ask
from eval.deals import Games
from unoflip_env.actions import action_name
from unoflip_env.engine import Engine, Episode, IllegalActionError
from unoflip_env.rules import Rules
from unoflip_env.streams import random_uniforms


@dataclass(frozen=True)
class Step:
    """A decision in every game in play, and what it led to; all of shape (games in play,).

    The engine has those games as they are after it, until the next step is asked for. One that was given up went on there
    with any legal action, which does not count.
    """

    tables: np.ndarray
    """The games' places in `Tables.engine`."""
    games: np.ndarray
    """Their numbers in `Games`."""
    seats: np.ndarray
    """Who decided."""
    actions: np.ndarray
    """What they answered: FORFEIT where they gave up."""
    sides: np.ndarray
    """The side in play before it."""
    is_over: np.ndarray
    """Whether it was the game's last: the game is over, given up, or broken off."""

    @property
    def is_forfeit(self) -> np.ndarray:
        """Who gave up."""
        is_forfeit: np.ndarray = self.actions == FORFEIT
        return is_forfeit


class Tables:
    """Games of any agents at a number of tables; one whose game is over takes the next.

    Neither that number nor the order in which games end matters to a game.

    Args:
        games: seeds and seats. What comes of them is for the caller to write down.
        agents: those that `games` numbers; each is asked once a step for all its decisions.
        rules: the rule set.
        episode: what a game is, a round or a match.
        max_turns: a game in which a round has so many turns is broken off.
        num_tables: at most; when no game is left for half of them, the others are played at fewer.
    """

    def __init__(
        self, games: Games, agents: Sequence[Agent], rules: Rules, episode: Episode, *, max_turns: int, num_tables: int
    ) -> None:
        self._games, self._agents, self._max_turns = games, agents, max_turns
        self._new_engine = partial(Engine, rules, num_players=games.num_seats, episode=episode, reward="points")
        num_tables = min(num_tables, games.num_games)
        self.engine = self._new_engine(num_games=num_tables)
        self._next_game = 0
        self._game = np.full(num_tables, -1)  # at each table; -1 when none is left for it
        self._num_decisions = np.zeros(num_tables, np.uint64)
        self._deal(np.arange(num_tables))

    def steps(self) -> Iterator[Step]:
        """Play to the end of the last game. Raises AgentError where an agent chooses an action that is not legal."""
        while self._in_play.size:
            step = self._step()
            yield step
            if step.is_over.any():
                self._deal(step.tables[step.is_over])

    def _deal(self, tables: np.ndarray) -> None:
        """Begin the next games at these tables, as many as there are."""
        games = np.arange(self._next_game, min(self._next_game + tables.size, self._games.num_games))
        self._next_game += games.size
        self._game[tables] = -1
        tables = tables[: games.size]
        self._game[tables] = games
        self._num_decisions[tables] = 0
        self.engine.reset(self._games.deal_seeds[games], tables)
        self._in_play = np.flatnonzero(self._game >= 0)
        if 0 < 2 * self._in_play.size <= self._game.size:
            self._move()

    def _move(self) -> None:
        """Go on with fewer tables when no game is left for half of them: the last games can be long."""
        engine = self._new_engine(num_games=self._in_play.size)
        engine.games[:] = self.engine.games[self._in_play]
        self.engine, self._game = engine, self._game[self._in_play]
        self._num_decisions = self._num_decisions[self._in_play]
        self._in_play = np.arange(self._game.size)

    def _step(self) -> Step:
        legal_mask, records = self.engine.legal_mask(), self.engine.games.view(np.ndarray)
        tables, (games, seats) = self._in_play, self._who()
        answers, sides = self._ask(legal_mask), records["side"][tables]
        is_forfeit = answers == FORFEIT
        actions = legal_mask.argmax(axis=1)  # where no game is left any will do
        actions[tables[~is_forfeit]] = answers[~is_forfeit]
        try:
            self.engine.step(actions)
        except IllegalActionError as error:
            raise self._blame(answers, legal_mask) from error
        self._num_decisions += np.uint64(1)
        is_over = self.engine.is_over[tables] | (records["num_turns"][tables] >= self._max_turns) | is_forfeit
        return Step(tables, games, seats, answers, sides, is_over)

    def _who(self) -> tuple[np.ndarray, np.ndarray]:
        """The games in play, and the seats that decide in them."""
        return self._game[self._in_play], self.engine.actor[self._in_play].astype(np.int64)

    def _ask(self, legal_mask: np.ndarray) -> np.ndarray:
        """What is answered in the games in play; every agent is asked once."""
        tables, (games, seats) = self._in_play, self._who()
        uniforms = random_uniforms(self._games.agent_keys[games], self._num_decisions[tables])
        observations = {layout: self.engine.observe(layout) for layout in {agent.layout for agent in self._agents}}
        asked = self._games.agent_at[games % self._games.num_seatings, seats]
        answers = np.empty(tables.size, np.int64)
        for i, agent in enumerate(self._agents):
            rows = np.flatnonzero(asked == i)
            if rows.size:
                at = tables[rows]
                answers[rows] = ask(agent, observations[agent.layout][at], legal_mask[at], uniforms[rows])
        return answers

    def _blame(self, answers: np.ndarray, legal_mask: np.ndarray) -> AgentError:
        """The error that names the agent which chose an illegal action."""
        tables, (games, seats) = self._in_play, self._who()
        is_known = (answers >= 0) & (answers < legal_mask.shape[1])
        is_legal = is_known & legal_mask[tables, np.where(is_known, answers, 0)]
        row = int(np.flatnonzero(~is_legal & (answers != FORFEIT))[0])
        what = action_name(int(answers[row]), self.engine.side(int(tables[row]))) if is_known[row] else "out of range"
        deal, seating = divmod(int(games[row]), self._games.num_seatings)
        agent = self._agents[self._games.agent_at[seating, seats[row]]]
        return AgentError(
            f"agent {agent.name}: action {answers[row]} ({what}) is not legal; deal {self._games.first_deal + deal}"
        )
