"""Plays duplicate deals: many games together, each a pure function of rules, deal, agents and seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from agents.protocol import Agent, AgentError, ask
from unoflip_env.actions import action_name
from unoflip_env.engine import Engine, Episode, IllegalActionError
from unoflip_env.records import TURN_LIMIT
from unoflip_env.rules import Rules
from unoflip_env.streams import random_uniforms, random_words

MAX_TURNS = TURN_LIMIT
"""A round of so many turns is broken off: agents that always do the same can go round in circles without breaking a rule.

Between agents that play their cards a round takes about 100 turns, and less than 1000 nearly always; `random` against itself,
which draws as gladly as it plays, is broken off now and then.
"""


@dataclass(frozen=True)
class Outcomes:
    """What came of the games, by place in the line-up.

    `wins`, shape (deals, rotations, places) float64: 1 for the winner, a fraction for each of those who share a win.
    `points`, same shape: the sum over a game's rounds of what `Engine(reward="points")` gives: a seat loses the points in
    its hand; under `winner_takes` the winners share what the others lose.
    `num_unfinished`: games among them that were broken off at MAX_TURNS, their win shared by all.
    """

    wins: np.ndarray
    points: np.ndarray
    num_unfinished: int

    @property
    def num_deals(self) -> int:
        """Deals that were done in all their rotations."""
        return len(self.wins)


class DuplicateDeals:
    """Every deal once in each rotation of a line-up around the table.

    The rotations of a deal have the same cards in the same seats; in rotation r the agent in place p sits at seat
    (p + r) mod seats. Neither the batch nor the order in which games end matters to the outcomes.

    Args:
        agents: each is asked once a step for all its decisions.
        line_up: the agent in each place, as an index into `agents`; its length is the number of seats.
        rules: the rule set.
        num_deals: deals; the games are num_deals * len(line_up).
        seed: 64-bit seed of the deals and of the agents' random numbers.
        episode: what a game is, a round or a match.
        batch: games played together.
    """

    def __init__(
        self,
        agents: Sequence[Agent],
        line_up: Sequence[int],
        rules: Rules,
        num_deals: int,
        seed: int,
        *,
        episode: Episode = "round",
        batch: int = 1024,
    ) -> None:
        self.agents, self.num_seats, self.num_games = agents, len(line_up), num_deals * len(line_up)
        num_tables = min(batch, self.num_games)
        self._new_engine = partial(Engine, rules, num_players=self.num_seats, episode=episode, reward="points")
        self._engine = self._new_engine(num_games=num_tables)
        places = np.arange(self.num_seats)
        self._place_at = (places - places[:, None]) % self.num_seats  # [rotation, seat]
        self._agent_at = np.asarray(line_up)[self._place_at]
        games = np.arange(self.num_games, dtype=np.uint64)
        deals, rotations = games // np.uint64(self.num_seats), games % np.uint64(self.num_seats)
        self._deal_seeds = random_words(np.full(self.num_games, seed % 2**64, np.uint64), deals)
        self._agent_keys = random_words(~self._deal_seeds, rotations)
        self._wins, self._points = np.zeros((2, self.num_games, self.num_seats))
        self._is_done, self._is_unfinished = np.zeros((2, self.num_games), np.bool_)
        self._next_game = 0
        self._game = np.full(num_tables, -1)  # at each table; -1 when none is left for it
        self._num_decisions = np.zeros(num_tables, np.uint64)
        self._deal(np.arange(num_tables))

    def play(self, on_progress: Callable[[int], None] = lambda num_ended: None) -> None:
        """Play to the end; `on_progress` gets the number of games that end, step by step.

        Raises AgentError where an agent chooses an action that is not legal. After a KeyboardInterrupt `outcomes` tells
        of what was done by then.
        """
        while (self._game >= 0).any():
            self._clear_tables()
            on_progress(self._step())

    def outcomes(self) -> Outcomes:
        """The deals before the first that is not done in all its rotations: any other choice would favour short games."""
        is_whole = np.append(self._is_done.reshape(-1, self.num_seats).all(axis=1), False)
        num_deals = int(is_whole.argmin())
        by_seat = np.stack([self._wins, self._points]).reshape(2, -1, self.num_seats, self.num_seats)[:, :num_deals]
        by_place = np.empty_like(by_seat)
        for rotation, places in enumerate(self._place_at):
            by_place[:, :, rotation, places] = by_seat[:, :, rotation]
        num_unfinished = int(self._is_unfinished[: num_deals * self.num_seats].sum())
        return Outcomes(wins=by_place[0], points=by_place[1], num_unfinished=num_unfinished)

    def _clear_tables(self) -> None:
        """Go on with fewer tables when no game is left for half of them: the last games can be long."""
        playing = np.flatnonzero(self._game >= 0)
        if 2 * playing.size <= self._game.size:
            engine = self._new_engine(num_games=playing.size)
            engine.games[:] = self._engine.games[playing]
            self._engine, self._game, self._num_decisions = engine, self._game[playing], self._num_decisions[playing]

    def _step(self) -> int:
        """One decision at every table; tables whose game is over take the next one. Returns the number of such games."""
        legal_mask = self._engine.legal_mask()
        actions = self._decide(legal_mask)
        try:
            self._engine.step(actions)
        except IllegalActionError as error:
            raise self._blame(actions, legal_mask) from error
        self._num_decisions += np.uint64(1)
        tables = np.flatnonzero(self._game >= 0)
        self._points[self._game[tables]] += self._engine.rewards[tables]
        is_unending = self._engine.games["num_turns"][tables] >= MAX_TURNS
        over = tables[self._engine.is_over[tables] | is_unending]
        if over.size:
            self._record(over)
            self._deal(over)
        return over.size

    def _decide(self, legal_mask: np.ndarray) -> np.ndarray:
        """The action at each table; every agent is asked once. A game that was broken off goes on with any, unheeded."""
        uniforms = random_uniforms(self._agent_keys[self._game], self._num_decisions)
        observations = {layout: self._engine.observe(layout) for layout in {agent.layout for agent in self.agents}}
        acting = self._acting()
        actions = legal_mask.argmax(axis=1)
        for i, agent in enumerate(self.agents):
            rows = np.flatnonzero(acting == i)
            if rows.size:
                actions[rows] = ask(agent, observations[agent.layout][rows], legal_mask[rows], uniforms[rows])
        return actions

    def _acting(self) -> np.ndarray:
        """The agent that decides at each table; -1 where there is no game."""
        is_playing = self._game >= 0
        seats = np.where(is_playing, self._engine.actor, 0)
        return np.where(is_playing, self._agent_at[self._game % self.num_seats, seats], -1)

    def _record(self, tables: np.ndarray) -> None:
        """Write down who won; the games count as done."""
        games, everyone = self._game[tables], 2**self.num_seats - 1
        is_over = self._engine.is_over[tables]
        winners = np.where(is_over, self._engine.games["winners"][tables], everyone)
        is_winner = (winners[:, None] >> np.arange(self.num_seats)) & 1
        self._wins[games] = is_winner / is_winner.sum(axis=1, keepdims=True)
        self._is_unfinished[games] = ~is_over
        self._is_done[games] = True

    def _deal(self, tables: np.ndarray) -> None:
        """Begin the next games at these tables, as many as there are."""
        games = np.arange(self._next_game, min(self._next_game + tables.size, self.num_games))
        self._next_game += games.size
        self._game[tables] = -1
        tables = tables[: games.size]
        self._game[tables] = games
        self._num_decisions[tables] = 0
        self._engine.reset(self._deal_seeds[games], tables)

    def _blame(self, actions: np.ndarray, legal_mask: np.ndarray) -> AgentError:
        """The error that names the agent which chose an illegal action."""
        is_known = (actions >= 0) & (actions < legal_mask.shape[1])
        is_legal = is_known & legal_mask[np.arange(actions.size), np.where(is_known, actions, 0)]
        table = int(np.flatnonzero(~is_legal & (self._game >= 0))[0])
        what = action_name(int(actions[table]), self._engine.side(table)) if is_known[table] else "out of range"
        agent, deal = self.agents[int(self._acting()[table])], self._game[table] // self.num_seats
        return AgentError(f"agent {agent.name}: action {actions[table]} ({what}) is not legal; deal {deal}")
