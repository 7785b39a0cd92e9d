"""What a tournament's file says: ratings under each rule set and what else there is to know of the games, as text or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from rich.console import Console

from agents.external.agent import FaultCount
from eval.console import describe_ends
from eval.export import Totals
from eval.ledger import Ledger
from eval.other_rankings import Ranking, describe_ranking
from eval.rating_tables import print_ratings
from eval.ratings import Ratings, TableWins, rate_so_far
from eval.settings import Settings
from eval.statistics import RatingError
from eval.variance import LineUpRatio, VarianceRatios, describe_ratios


@dataclass(frozen=True)
class Results:
    """What came of a tournament so far, all at one moment; for each rule set its tables, and its ratings or why there are none.

    `variance_ratios`: by how much duplicate deals shrink the variance, for each rule set and line-up (eval.variance).
    `num_forfeits`: games given up, by the names of those that gave up some. `faults`: what external agents did wrong.
    """

    settings: Settings
    tables: Sequence[Sequence[TableWins]]
    ratings: Sequence[Ratings | str]
    variance_ratios: Sequence[Sequence[LineUpRatio]]
    num_forfeits: dict[str, int]
    faults: Sequence[tuple[str, FaultCount]]

    def as_dict(self) -> dict[str, Any]:
        """The results for JSON."""
        return {
            **self.settings.model_dump(mode="json"),
            "tournament": self.settings.id,
            "forfeits": self.num_forfeits,
            "faults": [{"agent": name, **asdict(fault)} for name, fault in self.faults],
            "ratings": [None if isinstance(found, str) else found.as_dict() for found in self.ratings],
            "variance_ratios": [[asdict(ratio) for ratio in ratios] for ratios in self.variance_ratios],
        }


def results_of(ledger: Ledger, anchor: str | None = None) -> Results:
    """The results that a ledger has; `anchor` is the agent at 0. Raises RatingError where that is none of the agents."""
    settings = ledger.settings
    if anchor is not None and anchor not in (names := [agent.name for agent in settings.agents]):
        raise RatingError(f"anchor {anchor}: expected one of {', '.join(names)}")
    totals, ratios = Totals(settings), VarianceRatios(settings)
    with ledger.reading() as entries:
        for entry in entries:
            totals.add(entry)
            ratios.add(entry)
    tables = totals.tables()
    rate_all = partial(rate_so_far, seed=settings.seed, num_planned=settings.num_planned, anchor=anchor)
    ratings = [rate_all(played) for played in tables]
    return Results(settings, tables, ratings, ratios.by_rules(), totals.num_forfeits(), totals.faults())


def print_results(results: Results, also: Sequence[Ranking] = ()) -> None:
    """The same as text, and other rankings."""
    console, settings = Console(), results.settings
    for entry, found, ratios in zip(settings.rules, results.ratings, results.variance_ratios, strict=True):
        console.print(f"Rules {entry}, {_seating(settings)}, seed {settings.seed}", highlight=False, markup=False)
        if isinstance(found, str):
            console.print(f"no ratings yet: {found}", highlight=False, markup=False)
        else:
            print_ratings(found, console)
            console.print(*describe_ratios(ratios), sep="\n", highlight=False, markup=False, soft_wrap=True)
    for line in describe_ends(0, results.num_forfeits.items()):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    for name, fault in results.faults:
        console.print(f"{name} {fault}", highlight=False, markup=False, soft_wrap=True)
    for kind in also:
        for entry, played, found in zip(settings.rules, results.tables, results.ratings, strict=True):
            is_rated = not isinstance(found, str)
            lines = describe_ranking(kind, played, settings.seed) if is_rated else [f"no ranking yet: {found}"]
            print(f"\nRules {entry}", *lines, sep="\n")


def _seating(settings: Settings) -> str:
    orders = "" if settings.orders == "rotations" else f" in {settings.orders} orders"
    return f"{settings.num_players} players{orders}"
