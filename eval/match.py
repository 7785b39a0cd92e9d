"""A match: how often each agent wins and what it scores on duplicate deals, with confidence intervals."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from math import factorial, prod
from typing import Any, Literal, get_args

import numpy as np

from agents.protocol import Agent
from eval.deals import Outcomes
from eval.play import DuplicateDeals
from eval.statistics import LEVEL, bootstrap_interval, variance_ratio
from unoflip_env.actions import MAX_SEATS
from unoflip_env.engine import Episode
from unoflip_env.rules import PRESETS, Rules

Orders = Literal["rotations", "balanced", "all"]
MAX_ORDERS = 120
"""Orders in which a line-up plays at most: as many as six different agents have."""
MAX_GAMES = 10_000_000
"""Games of one match at most: their results take 2 GB of memory, and intervals are ±0.03 percentage points wide."""
MAX_BATCH = 65_536
"""Games that are played together at most: what their agents see of them takes 300 MB."""


class MatchError(ValueError):
    """A match that cannot be played; the message says why."""


@dataclass(frozen=True)
class Score:
    """How one agent did: means over its games, and intervals over the deals."""

    name: str
    num_places: int
    """Seats that it has in every game; its figures are for one of them."""
    win_rate: float
    win_rate_interval: tuple[float, float]
    points: float
    points_interval: tuple[float, float]
    variance_ratio: float | None
    """How many times as many games with a new deal each would be as sure of the win rate; None if it never varies."""
    num_forfeits: int
    """Games that it gave up."""


@dataclass(frozen=True)
class MatchResult:
    """What a match gave, and all that it takes to play it again."""

    scores: tuple[Score, ...]
    line_up: tuple[str, ...]
    num_orders: int
    """Orders around the table in which the line-up was seated; each in all its rotations."""
    rules: Rules
    episode: Episode
    num_deals: int
    seed: int
    num_unfinished: int
    """Games that were broken off because they would not end (eval.play.MAX_TURNS); all seats share such a win."""
    seconds: float

    @property
    def num_games(self) -> int:
        """Every deal once in each rotation of each order."""
        return self.num_deals * self.num_orders * len(self.line_up)

    @property
    def pairing(self) -> str:
        """The pairing that the figures are for (DECK-3)."""
        return name_pairing(self.rules)

    @property
    def fair_share(self) -> float:
        """What each seat would win if all were equally good."""
        return 1 / len(self.line_up)

    def as_dict(self) -> dict[str, Any]:
        """The result for JSON."""
        return {
            "version": version("unoflip-env"),
            "rules": name_rules(self.rules),
            "rules_id": self.rules.id,
            "options": asdict(self.rules),
            "pairing": self.pairing,
            "information": self.rules.information,
            "episode": self.episode,
            "players": len(self.line_up),
            "line_up": self.line_up,
            "num_orders": self.num_orders,
            "deals": self.num_deals,
            "games": self.num_games,
            "unfinished_games": self.num_unfinished,
            "seed": self.seed,
            "fair_share": self.fair_share,
            "confidence": LEVEL,
            "agents": [asdict(score) for score in self.scores],
            "seconds": round(self.seconds, 3),
            "games_per_second": round(self.num_games / self.seconds, 1),
        }


def name_rules(rules: Rules) -> str:
    """A rule set in words: its preset, or `official` with what is changed."""
    for name, preset in PRESETS.items():
        if rules == preset:
            return name
    words = [f"{name}={_in_words(name, value)}" for name, value in rules.changes().items()]
    return f"official with {', '.join(words)}"


def name_pairing(rules: Rules) -> str:
    """The pairing in a word: `table` for one that the user supplied."""
    return rules.pairing if isinstance(rules.pairing, str) else "table"


def _in_words(name: str, value: Any) -> str:
    if isinstance(value, tuple):
        return "table" if name == "pairing" else "+".join(value) or "none"
    return str(value)


def check_tables(rules: Rules, sizes: Sequence[int]) -> None:
    """Refuse sizes of tables that cannot be played, or none. Raises MatchError, RulesError."""
    if not sizes:
        raise MatchError("players=(): expected one size of a table or more")
    for num_players in sizes:
        rules.check_seats(num_players)


def check_batch(batch: int) -> None:
    """Refuse a number of games to play together. Raises MatchError."""
    if not 1 <= batch <= MAX_BATCH:
        raise MatchError(f"batch={batch}: expected 1 to {MAX_BATCH:,}")


def line_up_of(num_agents: int, num_players: int) -> list[int]:
    """The agent in each place: the first agent has one, the others take turns in the rest.

    So 2 agents at 4 seats play A, B, B, B; 3 agents A, B, C, B. Raises MatchError for numbers that do not fit.
    """
    if num_agents < 2:
        raise MatchError(f"agents: got {num_agents}, expected at least 2")
    if not num_agents <= num_players <= MAX_SEATS:
        raise MatchError(f"players={num_players}: expected {num_agents} (the number of agents) to {MAX_SEATS}")
    return [0] + [1 + place % (num_agents - 1) for place in range(num_players - 1)]


def orders_of(line_up: Sequence[int], orders: Orders) -> list[tuple[int, ...]]:
    """The orders in which a line-up sits around the table, each as its places from the first on; its own comes first.

    Args:
        line_up: the agent in each place, as a number; the first has no other place.
        orders: `rotations`: its own order alone. `all`: every order that no rotation turns into another. `balanced`: as
            few as n - 1 of n different agents, or 2 (n - 1) where n is even, in which each agent sits behind each other one
            equally often; all, where an agent has several places.

    Raises MatchError for other words, and where the orders are more than MAX_ORDERS.
    """
    if orders not in get_args(Orders):
        raise MatchError(f"orders={orders!r}: expected one of {', '.join(get_args(Orders))}")
    if orders == "rotations":
        return [tuple(range(len(line_up)))]
    if orders == "balanced" and len(set(line_up)) == len(line_up):
        return _balanced_orders(len(line_up))
    number = factorial(len(line_up) - 1) // prod(map(factorial, Counter(line_up[1:]).values()))
    if number > MAX_ORDERS:
        hint = "balanced or rotations" if len(set(line_up)) == len(line_up) else "rotations"
        raise MatchError(f"orders={orders!r}: a line-up has {number:,} orders, expected {MAX_ORDERS} or fewer; take {hint}")
    return [(0, *rest) for rest in _arrangements(line_up, range(1, len(line_up)))]


def _arrangements(line_up: Sequence[int], places: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All orders of some places, but one alone of those in which the same agents follow each other."""
    if not places:
        yield ()
    agents = [line_up[place] for place in places]
    for first in map(agents.index, dict.fromkeys(agents)):
        others = [*places[:first], *places[first + 1 :]]
        yield from ((places[first], *rest) for rest in _arrangements(line_up, others))


def _balanced_orders(num_places: int) -> list[tuple[int, ...]]:
    """Orders of different agents in which each sits behind each other one equally often, once or twice.

    The first place stays; the others, set in a zigzag (Walecki's) around a circle of n - 1, are turned step by step. From
    one of these to the next is each odd distance twice where n is even, so that the same backwards brings the even ones.
    """
    size = num_places - 1
    zigzag = [((i + 1) // 2 if i % 2 else -(i // 2)) % size for i in range(size)]
    place_at = {at: 1 + i for i, at in enumerate(zigzag)}
    orders = [(0, *(place_at[(at + turn) % size] for at in zigzag)) for turn in range(size)]
    if num_places % 2 == 0:
        orders += [(0, *order[:0:-1]) for order in orders]
    return list(dict.fromkeys(orders))


class Match:
    """Agents against each other on duplicate deals: `Match(...).play().result()`.

    Args:
        agents: two or more; the line-up is that of `line_up_of`.
        rules: the rule set.
        num_deals: deals, each played in every rotation of the line-up.
        orders: the orders of the line-up around the table in which each deal is played besides, see `orders_of`.
        seed: 64-bit seed of deals, agents and bootstrap.
        num_players: seats, one for each agent or more.
        episode: what a game is, a round or a match up to the target score.
        batch: games played together; it does not matter to the result.

    Raises MatchError for numbers that do not fit, RulesError for rules that cannot deal to so many seats.
    """

    def __init__(
        self,
        agents: Sequence[Agent],
        rules: Rules,
        num_deals: int,
        seed: int,
        *,
        num_players: int,
        orders: Orders = "rotations",
        episode: Episode = "round",
        batch: int = 1024,
    ) -> None:
        check_batch(batch)
        self.agents, self.rules, self.seed, self.episode = agents, rules, seed, episode
        self.line_up = line_up_of(len(agents), num_players)
        self.orders = orders_of(self.line_up, orders)
        most = MAX_GAMES // (num_players * len(self.orders))
        if not 2 <= num_deals <= most:
            raise MatchError(f"deals={num_deals}: expected 2, for the interval, to {most:,}, which are {MAX_GAMES:,} games")
        self.deals = DuplicateDeals(
            agents, self.line_up, rules, num_deals, seed, orders=self.orders, episode=episode, batch=batch
        )
        self._seconds = 0.0

    def play(self, on_progress: Callable[[int], None] = lambda num_ended: None) -> Match:
        """Play to the end; `on_progress` gets the number of games that end, step by step.

        After a KeyboardInterrupt `result` tells of what was done by then.
        """
        begin = time.perf_counter()
        try:
            self.deals.play(on_progress)
        finally:
            self._seconds += time.perf_counter() - begin
        return self

    def result(self) -> MatchResult:
        """The figures of the deals that are done. Raises MatchError when these are fewer than 2."""
        outcomes = self.deals.outcomes()
        if outcomes.num_deals < 2:
            raise MatchError(f"{outcomes.num_deals} whole deals: expected at least 2 for a result")
        return MatchResult(
            scores=self._scores(outcomes),
            line_up=tuple(self.agents[i].name for i in self.line_up),
            num_orders=len(self.orders),
            rules=self.rules,
            episode=self.episode,
            num_deals=outcomes.num_deals,
            seed=self.seed,
            num_unfinished=outcomes.num_unfinished,
            seconds=self._seconds,
        )

    def _scores(self, outcomes: Outcomes) -> tuple[Score, ...]:
        places = [np.flatnonzero(np.equal(self.line_up, i)) for i in range(len(self.agents))]
        by_deal = np.stack(
            [[figure[:, :, p].mean(axis=(1, 2)) for p in places] for figure in (outcomes.wins, outcomes.points)]
        )  # [figure, agent, deal]
        means = by_deal.mean(axis=2).tolist()
        ends = bootstrap_interval(np.moveaxis(by_deal, 2, 0), self.seed % 2**64).tolist()  # [end, figure, agent]
        return tuple(
            Score(
                name=agent.name,
                num_places=len(places[i]),
                win_rate=means[0][i],
                win_rate_interval=(ends[0][0][i], ends[1][0][i]),
                points=means[1][i],
                points_interval=(ends[0][1][i], ends[1][1][i]),
                variance_ratio=variance_ratio(outcomes.wins[:, :, places[i]].mean(axis=2)),
                num_forfeits=int(outcomes.is_forfeit[:, :, places[i]].sum()),
            )
            for i, agent in enumerate(self.agents)
        )
