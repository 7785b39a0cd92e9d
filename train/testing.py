"""How good the learner is: duplicate deals against given agents, with confidence intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.external.agent import close_all
from agents.protocol import Agent
from agents.registry import make_agent
from eval.match import Match, MatchResult
from train.config import Config
from train.opponents import names_of_others
from unoflip_env.rules import PRESETS, Rules


@dataclass(frozen=True)
class Test:
    """One seat for the learner, the others for one opponent."""

    rules: Rules
    opponent: str
    result: MatchResult

    @property
    def num_players(self) -> int:
        """At the table."""
        return len(self.result.line_up)

    @property
    def win_rate(self) -> list[float]:
        """The learner's, and the lower and upper end of its interval."""
        score = self.result.scores[0]
        return [score.win_rate, *score.win_rate_interval]

    @property
    def name(self) -> str:
        """What figures call it, such as `official_2_players_greedy` or `official_matches_2_players_greedy`."""
        episode = "_matches" * (self.result.episode == "match")
        return f"{rules_name(self.rules)}{episode}_{self.num_players}_players_{self.opponent}"

    def __str__(self) -> str:
        """For people."""
        rate, low, high = self.win_rate
        fair = self.result.fair_share
        table = f"{rules_name(self.rules)}{', matches' * (self.result.episode == 'match')}, {self.num_players} players"
        return f"{table}, against {self.opponent:<12} {rate:6.1%} [{low:.1%}, {high:.1%}], fair {fair:.0%}"


def rules_name(rules: Rules) -> str:
    """A rule set in a word: its preset, or its id."""
    return next((name for name, preset in PRESETS.items() if preset == rules), rules.id)


def check_opponents(config: Config) -> None:
    """Raises AgentError for one, in play or in a test, that is not known or does not fit a table: better now than at a test."""
    for name in dict.fromkeys((*config.test_against, *names_of_others(config.opponents))):
        close_all([make_agent(name, max(config.players), config.information)])


def test(agent: Agent, config: Config, seed: int) -> Iterator[Test]:
    """Play each agent of `test_against`, under each rule set and at each number of players."""
    for rules in config.rules:
        for num_players in config.players:
            for name in config.test_against:
                agents = [agent, make_agent(name, num_players, config.information)]
                match = Match(agents, rules, config.test_deals, seed, num_players=num_players, episode=config.episode)
                yield Test(rules, name, match.play().result())


CHOOSING = 2**32
"""Added to a run's seed for the tests that its best agent is chosen by: matches of that seed are played on other deals."""


def identity(config: Config) -> list[Any]:
    """What `strength` depends on besides the agent, as JSON: only numbers with the same are to be compared.

    That of rounds is as it was before there were matches, so that older checkpoints can be the best still.
    """
    ids = [rules.id for rules in config.rules]
    in_matches = ["match"] * (config.episode == "match")
    return [ids, [*config.players], [*config.test_against], config.test_deals, CHOOSING + config.seed, *in_matches]


def strength(tests: list[Test], num_even: int = 0) -> float | None:
    """One number to choose by: wins as a multiple of the fair share, mean over the tests; None without tests.

    `num_even` is a number of tests besides that need not be played, for each would give a fair share.
    """
    shares = [test.win_rate[0] / test.result.fair_share for test in tests] + [1.0] * num_even
    return float(np.mean(shares)) if shares else None
