"""Plays duplicate deals: many games together, each a pure function of rules, deal, agents and seed."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial

import numpy as np

from agents.baselines import Baseline
from agents.games import announce_compilation, play_on
from agents.protocol import FORFEIT, Agent, AgentError, ask
from eval.deals import Games, Outcomes
from unoflip_env.actions import action_name
from unoflip_env.engine import Engine, Episode, IllegalActionError
from unoflip_env.game import as_bytes, new_games, pack_rules
from unoflip_env.kernels.batch import POINTS, start_all
from unoflip_env.records import TURN_LIMIT
from unoflip_env.rules import Rules
from unoflip_env.streams import random_uniforms

MAX_TURNS = TURN_LIMIT
"""A round of so many turns is broken off: agents that always do the same can go round in circles without breaking a rule.

Between agents that play their cards a round takes about 100 turns, and less than 1000 nearly always; `random` against itself,
which draws as gladly as it plays, is broken off now and then.
"""

_PORTION = 128  # games that a thread plays at a time
Progress = Callable[[int], None]


class DuplicateDeals:
    """Every deal once in each seating of a line-up around the table (eval.deals.Games).

    Neither the batch, the threads nor the order in which games end matters to the outcomes. Baselines alone are played
    inside one compiled loop, which changes nothing but the speed.

    Args:
        agents: each is asked once a step for all its decisions.
        line_up: the agent in each place, as an index into `agents`; its length is the number of seats.
        rules: the rule set.
        num_deals: deals; the games of one are its seatings: len(line_up) times the number of orders.
        seed: 64-bit seed of the deals and of the agents' random numbers.
        first_deal: the number of the first deal.
        orders: the orders of the places around the table (eval.match.orders_of); by default that of the line-up alone.
        episode: what a game is, a round or a match.
        batch: games played together.
        num_threads: threads for games of baselines; by default one for each core.

    Raises RulesError for rules that cannot deal to so many seats.
    """

    def __init__(
        self,
        agents: Sequence[Agent],
        line_up: Sequence[int],
        rules: Rules,
        num_deals: int,
        seed: int,
        *,
        first_deal: int = 0,
        orders: Sequence[Sequence[int]] | None = None,
        episode: Episode = "round",
        batch: int = 1024,
        num_threads: int | None = None,
    ) -> None:
        rules.check_seats(len(line_up))
        self.games = Games(line_up, num_deals, seed, first_deal, orders)
        self.num_deals, self.num_games = num_deals, self.games.num_games
        chosen = [agents[i] for i in line_up]
        baselines = [agent for agent in chosen if isinstance(agent, Baseline)]
        if len(baselines) == len(chosen):
            self._play: Callable[[Progress], None] = partial(
                _play_baselines, self.games, baselines, rules, episode, num_threads or os.cpu_count() or 1
            )
        else:
            self._play = _Tables(self.games, agents, rules, episode, batch).play

    def play(self, on_progress: Progress = lambda num_ended: None) -> None:
        """Play to the end; `on_progress` gets the number of games that end, step by step.

        Raises AgentError where an agent chooses an action that is not legal. After a KeyboardInterrupt `outcomes` tells
        of what was done by then.
        """
        self._play(on_progress)

    def outcomes(self) -> Outcomes:
        """What came of the deals that are done, up to the first that is not."""
        return self.games.outcomes()


def _play_baselines(
    games: Games, by_place: Sequence[Baseline], rules: Rules, episode: Episode, num_threads: int, on_progress: Progress
) -> None:
    """Play games of baselines alone; see agents/games.py."""
    engine = Engine(rules, num_players=games.num_seats, episode=episode)
    for agent in by_place:
        engine.observe(agent.layout)  # it refuses one that does not fit
    announce_compilation()
    kinds = np.array([agent.kind for agent in by_place])[games.place_at]
    layouts = np.stack([agent.layout.as_bytes for agent in by_place])[games.place_at]
    rule_bytes = as_bytes(pack_rules(rules, episode))

    def play(start: int) -> int:
        portion = slice(start, min(start + _PORTION, games.num_games))
        numbers = np.arange(games.num_games)[portion]
        tables, which = new_games(numbers.size), np.arange(numbers.size)
        rewards, is_over = np.zeros((numbers.size, games.num_seats), np.float32), np.zeros(numbers.size, np.bool_)
        records = 0, numbers.size, as_bytes(tables), rule_bytes, which
        start_all(*records, games.num_seats, games.deal_seeds[portion])
        who = numbers % games.num_seatings, kinds, layouts, games.agent_keys[portion], np.zeros(numbers.size, np.uint64)
        received = rewards, is_over, games.points[portion], games.decisions[portion]
        play_on(*records, *who, MAX_TURNS, POINTS, *received)
        games.winners[portion] = np.where(is_over, tables["winners"], 0)
        games.is_done[portion] = True
        return numbers.size

    pool = ThreadPoolExecutor(num_threads)
    try:
        for job in as_completed([pool.submit(play, start) for start in range(0, games.num_games, _PORTION)]):
            on_progress(job.result())
    finally:
        pool.shutdown(cancel_futures=True)


class _Tables:
    """Games of any agents, a decision at every table at a time; a table whose game is over takes the next one."""

    def __init__(self, games: Games, agents: Sequence[Agent], rules: Rules, episode: Episode, batch: int) -> None:
        self._games, self._agents = games, agents
        num_tables = min(batch, games.num_games)
        self._new_engine = partial(Engine, rules, num_players=games.num_seats, episode=episode, reward="points")
        self._engine = self._new_engine(num_games=num_tables)
        num_teams = rules.teams or games.num_seats
        self._team = [sum(1 << s for s in range(i % num_teams, games.num_seats, num_teams)) for i in range(games.num_seats)]
        self._next_game = 0
        self._game = np.full(num_tables, -1)  # at each table; -1 when none is left for it
        self._num_decisions = np.zeros(num_tables, np.uint64)
        self._deal(np.arange(num_tables))

    def play(self, on_progress: Progress) -> None:
        while (self._game >= 0).any():
            self._clear()
            on_progress(self._step())

    def _clear(self) -> None:
        """Go on with fewer tables when no game is left for half of them: the last games can be long."""
        playing = np.flatnonzero(self._game >= 0)
        if 2 * playing.size <= self._game.size:
            engine = self._new_engine(num_games=playing.size)
            engine.games[:] = self._engine.games[playing]
            self._engine, self._game, self._num_decisions = engine, self._game[playing], self._num_decisions[playing]

    def _step(self) -> int:
        """One decision at every table. Returns the number of games that end by it."""
        legal_mask, tables = self._engine.legal_mask(), np.flatnonzero(self._game >= 0)
        seats, games = self._engine.actor[tables].astype(np.int64), self._game[tables]
        actions = self._decide(legal_mask)
        has_forfeited = actions[tables] == FORFEIT
        given_up = tables[has_forfeited]
        actions[given_up] = legal_mask[given_up].argmax(axis=1)  # the game goes on, unheeded
        try:
            self._engine.step(actions)
        except IllegalActionError as error:
            raise self._blame(actions, legal_mask) from error
        self._num_decisions += np.uint64(1)
        self._games.decisions[games, seats] += 1
        self._games.is_forfeit[games[has_forfeited], seats[has_forfeited]] = True
        goes_on = ~has_forfeited
        self._games.points[games[goes_on]] += self._engine.rewards[tables[goes_on]]
        is_unending = self._engine.games["num_turns"][tables] >= MAX_TURNS
        over = tables[self._engine.is_over[tables] | is_unending | has_forfeited]
        if over.size:
            self._record(over)
            self._deal(over)
        return over.size

    def _decide(self, legal_mask: np.ndarray) -> np.ndarray:
        """The action at each table; every agent is asked once. Where no game is left any will do."""
        uniforms = random_uniforms(self._games.agent_keys[self._game], self._num_decisions)
        observations = {layout: self._engine.observe(layout) for layout in {agent.layout for agent in self._agents}}
        acting = self._acting()
        actions = legal_mask.argmax(axis=1)
        for i, agent in enumerate(self._agents):
            rows = np.flatnonzero(acting == i)
            if rows.size:
                actions[rows] = ask(agent, observations[agent.layout][rows], legal_mask[rows], uniforms[rows])
        return actions

    def _acting(self) -> np.ndarray:
        """The agent that decides at each table; -1 where there is no game."""
        is_playing = self._game >= 0
        seats = np.where(is_playing, self._engine.actor, 0)
        return np.where(is_playing, self._games.agent_at[self._game % self._games.num_seatings, seats], -1)

    def _record(self, tables: np.ndarray) -> None:
        """Write down who won; the games count as done."""
        games, everyone = self._game[tables], 2**self._games.num_seats - 1
        winners = np.where(self._engine.is_over[tables], self._engine.games["winners"][tables], 0)
        is_forfeit = self._games.is_forfeit[games]
        lost_to = everyone & ~np.take(self._team, is_forfeit.argmax(axis=1))
        self._games.winners[games] = np.where(is_forfeit.any(axis=1), lost_to, winners)
        self._games.is_done[games] = True

    def _deal(self, tables: np.ndarray) -> None:
        """Begin the next games at these tables, as many as there are."""
        games = np.arange(self._next_game, min(self._next_game + tables.size, self._games.num_games))
        self._next_game += games.size
        self._game[tables] = -1
        tables = tables[: games.size]
        self._game[tables] = games
        self._num_decisions[tables] = 0
        self._engine.reset(self._games.deal_seeds[games], tables)

    def _blame(self, actions: np.ndarray, legal_mask: np.ndarray) -> AgentError:
        """The error that names the agent which chose an illegal action."""
        is_known = (actions >= 0) & (actions < legal_mask.shape[1])
        is_legal = is_known & legal_mask[np.arange(actions.size), np.where(is_known, actions, 0)]
        table = int(np.flatnonzero(~is_legal & (self._game >= 0))[0])
        what = action_name(int(actions[table]), self._engine.side(table)) if is_known[table] else "out of range"
        agent, deal = (
            self._agents[int(self._acting()[table])],
            self._games.first_deal + self._game[table] // self._games.num_seatings,
        )
        return AgentError(f"agent {agent.name}: action {actions[table]} ({what}) is not legal; deal {deal}")
