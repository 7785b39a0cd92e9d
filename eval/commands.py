"""The commands of `python -m eval`: their fields are the command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import tyro

from agents.baselines import BASELINES
from agents.registry import make_agent
from eval.console import print_match, print_quickstart, progress_bar
from eval.match import Match, MatchResult, line_up_of
from unoflip_env.engine import Episode
from unoflip_env.rules import Rules, RulesError, as_rules

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""


def read_rules(preset: str, options: tuple[str, ...]) -> Rules:
    """A preset with some options changed, each given as `name=value`. Raises RulesError naming what is wrong."""
    changes = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise RulesError(f"option {option!r}: expected name=value, such as pairing=printed")
        try:
            changes[name] = json.loads(value.lower())  # numbers and true or false
        except json.JSONDecodeError:
            changes[name] = value
    return as_rules({"preset": preset, **changes})


@dataclass(frozen=True, kw_only=True)
class _Command:
    rules: str = "official"
    """Preset of rules (unoflip_env.PRESETS)."""
    option: tuple[str, ...] = ()
    """Options over the preset, such as pairing=printed hand=5."""
    seed: int = 0
    """Seed of the deals and of the agents' random numbers: the same seed gives the same games."""
    batch: int = 1024
    """Games played together. It does not matter to the result."""


@dataclass(frozen=True, kw_only=True)
class MatchCommand(_Command):
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
    deals: int = 1000
    """Deals; each is played in every rotation, so there are deals x players games."""
    episode: Episode = "round"
    """What a game is: a round, or a match up to the target score."""
    json: bool = False
    """Print one JSON object instead of the table."""

    def run(self) -> int:
        """Play and print; returns the exit status."""
        rules = read_rules(self.rules, self.option)
        num_players = len(self.agents) if self.players is None else self.players
        line_up_of(len(self.agents), num_players)
        agents = [make_agent(spec, num_players, rules.information) for spec in self.agents]
        match = Match(agents, rules, self.deals, self.seed, num_players=num_players, episode=self.episode, batch=self.batch)
        is_whole = True
        try:
            with progress_bar(" vs ".join(agent.name for agent in agents), match.deals.num_games) as on_progress:
                match.play(on_progress)
        except KeyboardInterrupt:
            is_whole = False
        result = match.result()
        if self.json:
            print(json.dumps(result.as_dict()))
        else:
            print_match(result)
        if is_whole:
            return 0
        print(f"interrupted: {result.num_deals} of {self.deals} deals are done", file=sys.stderr)
        return INTERRUPTED


@dataclass(frozen=True, kw_only=True)
class QuickstartCommand(_Command):
    """Measure an agent against every baseline, at tables of 2 and of 4: one seat for it, the others for the baseline.

    Example: python -m eval quickstart runs/quickstart/agent
    """

    agent: tyro.conf.Positional[str]
    """The agent: the path of a checkpoint, or any other that `python -m eval match` takes."""
    deals: int = 2000
    """Deals a table; each is played in every rotation."""
    players: tuple[int, ...] = (2, 4)
    """Sizes of the tables."""

    def run(self) -> int:
        """Play and print; returns the exit status. Ctrl-C prints the rows that are done."""
        rules = read_rules(self.rules, self.option)
        learner = make_agent(self.agent, max(self.players), rules.information)
        tables = [(num_players, name) for num_players in self.players for name in BASELINES]
        results: list[MatchResult] = []
        try:
            with progress_bar(learner.name, sum(self.deals * num_players for num_players, _ in tables)) as on_progress:
                for num_players, name in tables:
                    agents = [learner, make_agent(name, num_players, rules.information)]
                    match = Match(agents, rules, self.deals, self.seed, num_players=num_players, batch=self.batch)
                    results.append(match.play(on_progress).result())
        except KeyboardInterrupt:
            print(f"interrupted: {len(results)} of {len(tables)} matches are done", file=sys.stderr)
        if results:
            print_quickstart(results)
        return 0 if len(results) == len(tables) else INTERRUPTED


COMMANDS: dict[str, Callable[..., Any]] = {"match": MatchCommand, "quickstart": QuickstartCommand}
