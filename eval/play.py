"""Plays duplicate deals: many games together, each a pure function of rules, deal, agents and seed."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial

import numpy as np

from agents.baselines import Baseline
from agents.games import announce_compilation, play_on
from agents.protocol import Agent
from eval.deals import Games, Outcomes
from eval.tables import Tables
from unoflip_env.engine import Engine, Episode
from unoflip_env.game import as_bytes, new_games, pack_rules
from unoflip_env.kernels.batch import POINTS, start_all
from unoflip_env.records import TURN_LIMIT
from unoflip_env.rules import Rules

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
            self._play = partial(_play_at_tables, self.games, agents, rules, episode, batch)

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
        numbers = np.arange(portion.start, portion.stop)
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


def _play_at_tables(
    games: Games, agents: Sequence[Agent], rules: Rules, episode: Episode, batch: int, on_progress: Progress
) -> None:
    """Play games of any agents; see eval/tables.py."""
    tables = Tables(games, agents, rules, episode, max_turns=MAX_TURNS, num_tables=batch)
    allies = _allies(rules, games.num_seats)
    for step in tables.steps():
        games.decisions[step.games, step.seats] += 1
        games.is_forfeit[step.games[step.is_forfeit], step.seats[step.is_forfeit]] = True
        goes_on = ~step.is_forfeit
        games.points[step.games[goes_on]] += tables.engine.rewards[step.tables[goes_on]]
        if step.is_over.any():
            over, ended = step.tables[step.is_over], step.games[step.is_over]
            winners = np.where(tables.engine.is_over[over], tables.engine.games["winners"][over], 0)
            is_forfeit = games.is_forfeit[ended]
            lost_to = 2**games.num_seats - 1 & ~np.take(allies, is_forfeit.argmax(axis=1))
            games.winners[ended] = np.where(is_forfeit.any(axis=1), lost_to, winners)
            games.is_done[ended] = True
        on_progress(int(step.is_over.sum()))


def _allies(rules: Rules, num_seats: int) -> list[int]:
    """The seats of each seat's team, itself included, as bits."""
    num_teams = rules.teams or num_seats
    return [sum(1 << seat for seat in range(i % num_teams, num_seats, num_teams)) for i in range(num_seats)]
