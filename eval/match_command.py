"""`python -m eval match A B`, and what other commands that play one match have in common with it."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

import tyro

from agents.registry import make_agent
from eval.console import print_match, progress_bar
from eval.match import Match, MatchResult, Orders, line_up_of, orders_of
from eval.options import INTERRUPTED, BatchOptions, read_rules, tell_faults
from unoflip_env.engine import Episode


@dataclass(frozen=True, kw_only=True)
class MatchCommand(BatchOptions):
    """Play agents against each other on duplicate deals: the same cards once in each rotation of the agents.

    An agent is random, random_play, greedy or sharp, the path of a checkpoint, or module:Class. With more seats than
    agents the first agent has one seat and the others take turns in the rest: A B --players 4 is A against B, B, B.
    Ctrl-C prints the result of the deals that are done.

    Example: python -m eval match sharp greedy --deals 5000
    """

    agents: tyro.conf.Positional[tuple[str, ...]]
    """Two agents or more."""
    players: int | None = None
    """Seats at the table; by default one for each agent."""
    orders: Orders = "rotations"
    """Who sits behind whom: rotations: as named, in every rotation; balanced: further orders too, so that each agent sits
    behind each other one equally often; all: every order. With two agents there is one alone."""
    deals: int = 1000
    """Deals; each is played in every rotation of each order: with one order there are deals x players games."""
    episode: Episode = "round"
    """What a game is: a round, or a match up to the target score."""
    json: bool = False
    """Print one JSON object instead of the table."""

    def run(self) -> int:
        """Play and print; returns the exit status."""
        rules = read_rules(self.rules, self.option)
        num_players = len(self.agents) if self.players is None else self.players
        orders_of(line_up_of(len(self.agents), num_players), self.orders)
        agents = [make_agent(spec, num_players, rules.information) for spec in self.agents]
        match = Match(
            agents,
            rules,
            self.deals,
            self.seed,
            num_players=num_players,
            orders=self.orders,
            episode=self.episode,
            batch=self.batch,
        )
        result, status = play_match(match)
        if self.json:
            print(json.dumps(result.as_dict()))
        else:
            print_match(result)
        return status


def play_match(match: Match) -> tuple[MatchResult, int]:
    """Play under a progress bar. Returns the result and the exit status; after Ctrl-C, which is told, of the deals done."""
    status = 0
    try:
        with progress_bar(" vs ".join(agent.name for agent in match.agents), match.deals.num_games) as on_progress:
            match.play(on_progress)
    except KeyboardInterrupt:
        status = INTERRUPTED
    if status and match.deals.outcomes().num_deals < 2:
        print("interrupted before 2 deals were done: there is no result", file=sys.stderr)
        raise KeyboardInterrupt
    result = match.result()
    tell_faults(match.agents, [score.num_forfeits for score in result.scores])
    if status:
        print(f"interrupted: {result.num_deals} of {match.deals.num_deals} deals are done", file=sys.stderr)
    return result, status
