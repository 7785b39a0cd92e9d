"""Is one agent better than another? Deals are played until the sequential test of `eval.sprt` knows, and no longer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from agents.protocol import Agent
from eval.deals import Outcomes
from eval.match import MatchError, check_batch, line_up_of, name_rules
from eval.play import DuplicateDeals
from eval.sprt import Sprt
from eval.statistics import LEVEL, bootstrap_interval
from unoflip_env.engine import Episode
from unoflip_env.rules import Rules

_FIRST_DEALS = 16  # played before the test is asked for the first time; then as many again as there are, up to a batch


@dataclass(frozen=True)
class DuelResult:
    """What a duel found out, as of the deal that ended it.

    `verdict`: 'better' where the win rate is score1 or more, 'not better' where it is score0 or less, as far as the errors
    allow; 'unknown' where the deals ran out. `score` is the win rate so far, which a test that stops by itself
    drives a little towards its verdict; so for a figure to report, play a match.
    """

    names: tuple[str, str]
    num_players: int
    rules: Rules
    episode: Episode
    test: Sprt
    verdict: Literal["better", "not better", "unknown"]
    log_likelihood_ratio: float
    num_deals: int
    seed: int
    score: float
    score_interval: tuple[float, float]
    score_counts: dict[float, int]
    """How many deals gave which score: for two seats the pentanomial."""
    num_forfeits: tuple[int, int]
    """Games that each of the two gave up."""
    num_unfinished: int
    """Games that were broken off because they would not end (eval.play.MAX_TURNS); all seats share such a win."""

    def as_dict(self) -> dict[str, Any]:
        """The result for JSON."""
        return {
            "agents": self.names,
            "verdict": self.verdict,
            "log_likelihood_ratio": self.log_likelihood_ratio,
            "bounds": self.test.bounds,
            "score0": self.test.score0,
            "score1": self.test.score1,
            "alpha": self.test.alpha,
            "beta": self.test.beta,
            "rules": name_rules(self.rules),
            "rules_id": self.rules.id,
            "episode": self.episode,
            "players": self.num_players,
            "deals": self.num_deals,
            "games": self.num_deals * self.num_players,
            "seed": self.seed,
            "score": self.score,
            "score_interval": self.score_interval,
            "confidence": LEVEL,
            "score_counts": self.score_counts,
            "num_forfeits": self.num_forfeits,
            "unfinished_games": self.num_unfinished,
        }


class Duel:
    """The first agent in one seat against the second in all others, until the test knows: `Duel(...).play().result()`.

    Args:
        agents: the two.
        rules: the rule set.
        test: what is asked about the first agent's win rate.
        seed: 64-bit seed of deals, agents and bootstrap.
        num_players: seats.
        episode: what a game is, a round or a match.
        batch: games played together. It does not matter to the result: deals after the one that ended the test do not count.
        max_deals: deals after which to give up.

    Raises MatchError for numbers that do not fit, RulesError for rules that cannot deal to so many seats.
    """

    def __init__(
        self,
        agents: tuple[Agent, Agent],
        rules: Rules,
        test: Sprt,
        seed: int,
        *,
        num_players: int = 2,
        episode: Episode = "round",
        batch: int = 1024,
        max_deals: int = 100_000,
    ) -> None:
        if max_deals < 2:
            raise MatchError(f"max_deals={max_deals}: expected 2 or more")
        check_batch(batch)
        rules.check_seats(num_players)
        self.agents, self.rules, self.test, self.seed, self.episode = agents, rules, test, seed, episode
        self.max_deals = max_deals
        self._batch = batch
        self._line_up = line_up_of(2, num_players)
        self._scores, self._path = np.zeros(0), np.zeros(0)
        self._num_forfeits, self._num_unfinished = np.zeros(2, np.int64), 0
        self._is_decided = False

    def play(self, on_progress: Callable[[int, float], None] = lambda num_deals, ratio: None) -> Duel:
        """Play until the test knows or the deals run out; after a KeyboardInterrupt `result` tells of what was done by then.

        `on_progress` gets the number of deals that are done and the log-likelihood ratio, batch by batch.
        """
        while not self._is_decided and self.num_deals < self.max_deals:
            deals = self._next_deals()
            try:
                deals.play()
            finally:
                self._take_in(deals.outcomes())
            on_progress(self.num_deals, float(self._path[-1]))
        return self

    @property
    def num_deals(self) -> int:
        """Deals that count so far."""
        return len(self._scores)

    def _next_deals(self) -> DuplicateDeals:
        num_done = self.num_deals
        most = max(1, self._batch // len(self._line_up))
        num_deals = min(max(num_done, _FIRST_DEALS), most, self.max_deals - num_done)
        return DuplicateDeals(
            self.agents,
            self._line_up,
            self.rules,
            num_deals,
            self.seed,
            first_deal=num_done,
            episode=self.episode,
            batch=self._batch,
        )

    def _take_in(self, outcomes: Outcomes) -> None:
        """Add deals, up to the one that ends the test."""
        num_before = self.num_deals
        self._scores = np.append(self._scores, outcomes.wins[:, :, 0].mean(axis=1))
        self._path = np.append(self._path, self.test.path(self._scores, num_before))
        end = self.test.end(self._path)
        if end is not None:
            self._is_decided = True
            self._scores, self._path = self._scores[: end + 1], self._path[: end + 1]
        by_place, num_new = outcomes.is_forfeit.sum(axis=1), self.num_deals - num_before
        by_agent = np.stack([by_place[:, 0], by_place[:, 1:].sum(axis=1)], axis=1)
        self._num_forfeits += by_agent[:num_new].sum(axis=0)
        self._num_unfinished += int(outcomes.is_unfinished[:num_new].sum())

    def result(self) -> DuelResult:
        """What is known. Raises MatchError when fewer than 2 deals are done."""
        if self.num_deals < 2:
            raise MatchError(f"{self.num_deals} whole deals: expected at least 2 for a result")
        ratio = float(self._path[-1])
        low, high = bootstrap_interval(self._scores, self.seed % 2**64).tolist()
        values, counts = np.unique(self._scores.round(6), return_counts=True)
        return DuelResult(
            names=(self.agents[0].name, self.agents[1].name),
            num_players=len(self._line_up),
            rules=self.rules,
            episode=self.episode,
            test=self.test,
            verdict="unknown" if not self._is_decided else "better" if ratio > 0 else "not better",
            log_likelihood_ratio=ratio,
            num_deals=self.num_deals,
            seed=self.seed,
            score=float(self._scores.mean()),
            score_interval=(low, high),
            score_counts=dict(zip(values.tolist(), counts.tolist(), strict=True)),
            num_forfeits=(int(self._num_forfeits[0]), int(self._num_forfeits[1])),
            num_unfinished=self._num_unfinished,
        )
