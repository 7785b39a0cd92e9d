"""How a rule set plays, in games of an agent against itself: how long, for how many points, how it ends, who wins."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from agents.external.agent import check_answered
from agents.protocol import Agent
from eval.deals import Games
from eval.match import MAX_GAMES, MatchError, name_rules
from eval.play import MAX_TURNS
from eval.statistics import LEVEL, bootstrap_interval
from eval.tables import Tables
from unoflip_env.deck import DARK
from unoflip_env.engine import Episode
from unoflip_env.game import GAME, Termination
from unoflip_env.rules import Rules

BATCH = 2048
MEASURES = {
    "decisions": "decisions in a round",
    "turns": "turns in a round",
    "points": "points in all hands when a round ends",
    "flips": "Flips that turn the table in a round, one turned up first included",
    "blocked": "share of rounds that end because nobody can move (TURN-7)",
    "timeout": "share of rounds that end by max_turns (TURN-8)",
    "reshuffled": "share of rounds in which the discard pile is shuffled again (TURN-6)",
}
"""What is measured of a round, besides who wins it."""


@dataclass(frozen=True)
class Figure:
    """A mean and its confidence interval."""

    mean: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half of the interval."""
        return (self.high - self.low) / 2


@dataclass(frozen=True)
class RuleStatistics:
    """What games of one rule set gave. The figures are of the games that ended; `figures` is empty if fewer than two did.

    `figures` has the names of MEASURES; `wins` the share of rounds won by place, the first seat (DEAL-4) first and then in
    the direction of play at the start; `rounds` is the number of rounds in a match, None if fewer than two matches ended.
    """

    name: str
    """What the rule set is called."""
    rules: Rules
    num_players: int
    agent: str
    seed: int
    num_rounds: int
    num_matches: int
    num_endless_rounds: int
    """Rounds that were broken off after MAX_TURNS turns."""
    num_endless_matches: int
    """Matches that were broken off in such a round."""
    figures: dict[str, Figure]
    wins: tuple[Figure, ...]
    rounds: Figure | None
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """The statistics for JSON."""
        return {
            "version": version("unoflip-env"),
            "rules": self.name,
            "options": asdict(self.rules),
            "rules_id": self.rules.id,
            "players": self.num_players,
            "agent": self.agent,
            "seed": self.seed,
            "confidence": LEVEL,
            "rounds": self.num_rounds,
            "endless_rounds": self.num_endless_rounds,
            "matches": self.num_matches,
            "endless_matches": self.num_endless_matches,
            "max_turns": MAX_TURNS,
            "round": {name: asdict(figure) for name, figure in self.figures.items()},
            "wins_by_place": [asdict(figure) for figure in self.wins],
            "rounds_per_match": asdict(self.rounds) if self.rounds else None,
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True)
class Played:
    """What came of a number of games: how each stood at its end, and what was counted on the way; all of shape (games,)."""

    records: np.ndarray
    decisions: np.ndarray
    flips: np.ndarray
    is_endless: np.ndarray


def play_games(
    rules: Rules,
    agent: Agent,
    num_players: int,
    num_games: int,
    seed: int,
    *,
    episode: Episode = "round",
    batch: int = BATCH,
    on_progress: Callable[[int], None] = lambda num_ended: None,
) -> Played:
    """Games of an agent against itself, `batch` of them together, which does not matter to what comes of them."""
    games = Games([0] * num_players, num_games, seed, is_rotated=False)
    records, flips = np.zeros(num_games, GAME), np.zeros(num_games, np.int64)
    decisions = np.zeros(num_games, np.int64)
    tables = Tables(games, [agent], rules, episode, max_turns=MAX_TURNS, num_tables=batch)
    for step in tables.steps():
        check_answered(agent, step.actions)
        is_first_card = (decisions[step.games] == 0) & (step.sides == DARK)
        flips[step.games] += is_first_card + (tables.engine.games["side"][step.tables] != step.sides)
        decisions[step.games] += 1
        if step.is_over.any():
            records[step.games[step.is_over]] = tables.engine.games[step.tables[step.is_over]]
            on_progress(int(step.is_over.sum()))
    return Played(records, decisions, flips, is_endless=records["actor"] < num_players)


def wins_by_place(records: np.ndarray, rules: Rules, num_players: int) -> np.ndarray:
    """Who won each round, shape (rounds, places) float64: the first seat has place 0; a win that is shared is split."""
    places = np.arange(1, num_players + 1) * rules.initial_direction
    seats = (records["dealer"][:, None].astype(np.int64) + places) % num_players
    is_winner = (records["round_winners"][:, None] >> seats) & 1
    shares: np.ndarray = is_winner / is_winner.sum(axis=1, keepdims=True)
    return shares


def measure(
    rules: Rules,
    agent: Agent,
    num_players: int,
    *,
    num_rounds: int,
    num_matches: int,
    seed: int,
    name: str | None = None,
    on_progress: Callable[[int], None] = lambda num_ended: None,
) -> RuleStatistics:
    """Play single rounds, and matches for the number of their rounds. Raises MatchError for too few or too many of them.

    Raises RulesError for rules that cannot deal to so many players.
    """
    for what, number in (("rounds", num_rounds), ("matches", num_matches)):
        if not 2 <= number <= MAX_GAMES:
            raise MatchError(f"{what}={number}: expected 2 to {MAX_GAMES:,}")
    rules.check_seats(num_players)
    begin = time.perf_counter()
    rounds = play_games(rules, agent, num_players, num_rounds, seed, on_progress=on_progress)
    matches = play_games(rules, agent, num_players, num_matches, ~seed, episode="match", on_progress=on_progress)
    ended = ~rounds.is_endless
    records = rounds.records[ended]
    columns = np.column_stack(
        [
            rounds.decisions[ended],
            records["num_turns"],
            records["hand_points"][:, :num_players].sum(axis=1),
            rounds.flips[ended],
            records["termination"] == Termination.BLOCKED,
            records["termination"] == Termination.TIMEOUT,
            records["num_reshuffles"] > 0,
            wins_by_place(records, rules, num_players),
        ]
    )
    figures = _figures(columns, seed)
    lengths = _figures(matches.records["num_rounds"][~matches.is_endless, None], seed)
    return RuleStatistics(
        name=name or name_rules(rules),
        rules=rules,
        num_players=num_players,
        agent=agent.name,
        seed=seed,
        num_rounds=num_rounds,
        num_matches=num_matches,
        num_endless_rounds=int(rounds.is_endless.sum()),
        num_endless_matches=int(matches.is_endless.sum()),
        figures=dict(zip(MEASURES, figures, strict=False)),
        wins=tuple(figures[len(MEASURES) :]),
        rounds=lengths[0] if lengths else None,
        seconds=time.perf_counter() - begin,
    )


def _figures(values: np.ndarray, seed: int) -> list[Figure]:
    """The mean of each column; nothing of fewer than two rows."""
    if len(values) < 2:
        return []
    low, high = bootstrap_interval(values, seed % 2**63, num_resamples=1000)
    return [Figure(*map(float, ends)) for ends in zip(values.mean(axis=0), low, high, strict=True)]
