"""`python -m eval duel A B`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import tyro
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from agents.registry import make_agent
from eval.console import describe_ends
from eval.duel import Duel, DuelResult
from eval.match import MatchError, name_rules
from eval.options import INTERRUPTED, BatchOptions, read_rules, tell_faults
from eval.sprt import Sprt, expected_score
from eval.statistics import LEVEL
from unoflip_env.engine import Episode

_VERDICTS = {
    "better": "{0} is better than {1}: its win rate is at least {3:.2%} rather than {2:.2%} or less",
    "not better": "{0} is not better than {1}, or not by so much: its win rate is at most {2:.2%} rather than {3:.2%} or more",
    "unknown": "it is not known yet whether the win rate of {0} against {1} is at most {2:.2%} or at least {3:.2%}",
}


@dataclass(frozen=True, kw_only=True)
class DuelCommand(BatchOptions):
    """Find out whether one agent is better than another, and stop as soon as that is known.

    A sequential test on duplicate deals: is the first agent's strength ELO0 over the other's or less, or ELO1 or more?
    The wider apart the two, the sooner it knows. The exit status is 0 where it does, 1 where the deals ran out.

    Example: python -m eval duel sharp greedy --elo 0 20
    """

    agents: tyro.conf.Positional[tuple[str, str]]
    """The two agents, as for `python -m eval match`."""
    elo: tuple[float, float] | None = None
    """The two hypotheses, as Elo of the first agent over the other; by default 0 20. 20 Elo are a win rate of 52.9% at a
    table of two."""
    win_rates: tuple[float, float] | None = None
    """The same as win rates, in place of Elo: such as 0.5 0.52."""
    alpha: float = 0.05
    """Chance to call it better where the first hypothesis is true."""
    beta: float = 0.05
    """Chance to call it not better where the second is."""
    players: int = 2
    """Seats at the table: one for the first agent, the others for the second."""
    max_deals: int = 100_000
    """Deals after which to give up; each is played in every rotation."""
    episode: Episode = "round"
    """What a game is: a round, or a match up to the target score."""
    json: bool = False
    """Print one JSON object instead of the text."""

    def run(self) -> int:
        """Play and print; returns the exit status."""
        rules = read_rules(self.rules, self.option)
        rules.check_seats(self.players)
        test = Sprt(*self._hypotheses(), self.alpha, self.beta)
        first, second = (make_agent(spec, self.players, rules.information) for spec in self.agents)
        duel = Duel(
            (first, second),
            rules,
            test,
            self.seed,
            num_players=self.players,
            episode=self.episode,
            batch=self.batch,
            max_deals=self.max_deals,
        )
        is_interrupted = False
        try:
            with _progress(f"{first.name} vs {second.name}", self.max_deals, test) as on_progress:
                duel.play(on_progress)
        except KeyboardInterrupt:
            is_interrupted = True
        if is_interrupted and duel.num_deals < 2:
            print("interrupted before 2 deals were done: there is no result", file=sys.stderr)
            return INTERRUPTED
        result = duel.result()
        tell_faults((first, second), result.num_forfeits)
        print(json.dumps(result.as_dict()) if self.json else "\n".join(_lines(result)))
        if is_interrupted:
            print(f"interrupted after {result.num_deals} deals", file=sys.stderr)
            return INTERRUPTED
        return int(result.verdict == "unknown")

    def _hypotheses(self) -> tuple[float, float]:
        """The two win rates."""
        if self.elo and self.win_rates:
            raise MatchError(f"elo={self.elo} with win_rates={self.win_rates}: expected one or the other")
        low, high = self.elo or (0.0, 20.0)
        return self.win_rates or (expected_score(low, self.players), expected_score(high, self.players))


@contextmanager
def _progress(label: str, max_deals: int, test: Sprt) -> Iterator[Callable[[int, float], None]]:
    """How far the test is: deals, of the most that it may take, and the ratio between its bounds."""
    console = Console(stderr=True)
    lower, upper = test.bounds
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("deals at most; LLR {task.fields[ratio]:+.2f}, ends at " + f"{lower:.2f} or {upper:+.2f};"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(label, total=max_deals, ratio=0.0)
        yield lambda num_deals, ratio: progress.update(task, completed=num_deals, ratio=ratio)


def _lines(result: DuelResult) -> Iterator[str]:
    test, rules, (low, high) = result.test, result.rules, result.score_interval
    lower, upper = test.bounds
    yield _VERDICTS[result.verdict].format(*result.names, test.score0, test.score1)
    yield f"LLR {result.log_likelihood_ratio:+.2f} of {lower:.2f} to {upper:+.2f} (alpha {test.alpha}, beta {test.beta})"
    yield (
        f"{result.score:.1%} [{low:.1%}, {high:.1%}] ({LEVEL:.0%}) of {result.num_deals * result.num_players:,} games"
        f" ({result.episode}s), {result.num_deals:,} deals in {result.num_players} rotations, seed {result.seed};"
        " a test that stops by itself drives this figure a little towards its verdict"
    )
    yield from describe_ends(result.num_unfinished, zip(result.names, result.num_forfeits, strict=True))
    yield "deals by score: " + ", ".join(f"{score:g}: {count:,}" for score, count in result.score_counts.items())
    yield f"Rules {name_rules(rules)} (id {rules.id}), information {rules.information}"
