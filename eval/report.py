"""A tournament on one page: everything that its ledger says, as a self-contained HTML file."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from matplotlib.figure import Figure

from agents.external.agent import FaultCount
from eval import charts
from eval.export import SCHEMA, Totals, batch_of
from eval.ledger import Ledger
from eval.line_ups import Format, in_orders, line_ups_of
from eval.rating_tables import notes
from eval.ratings import Ratings, rate_so_far
from eval.settings import RulesEntry, Settings
from eval.statistics import LEVEL, bootstrap_interval
from eval.templates import render
from eval.variance import LineUpRatio, VarianceRatios, describe_ratios
from unoflip_env.files import beside, write_text
from unoflip_env.rules import PRESETS

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class AgentRow:
    """How one agent did under one rule set; quantiles are _QUANTILES of its games."""

    name: str
    win_rate: float
    win_rate_interval: tuple[float, float]
    points: float
    num_games: int
    num_forfeits: int
    lengths: tuple[float, ...]
    """Decisions of all seats in a game."""
    game_points: tuple[float, ...]


@dataclass(frozen=True)
class Section:
    """What there is to say of one rule set. `seats`: the win rate of each seat, shape (seats,); its interval (2, seats)."""

    rules: RulesEntry
    ratings: Ratings
    agents: tuple[AgentRow, ...]
    seats: np.ndarray
    seats_interval: np.ndarray
    variance_ratios: Sequence[LineUpRatio]
    num_unfinished: int

    @property
    def notes(self) -> list[str]:
        """What the ratings do not say."""
        return [*notes(self.ratings), *describe_ratios(self.variance_ratios)]

    def figures(self) -> dict[str, Figure]:
        """Its figures by name."""
        names = [agent.name for agent in self.agents]
        return {
            "ratings": charts.ratings(self.ratings),
            "crosstable": charts.crosstable(self.ratings),
            "seats": charts.seats(self.seats, self.seats_interval),
            "lengths": charts.boxes(names, [agent.lengths for agent in self.agents], "decisions a game, all seats"),
            "points": charts.boxes(names, [agent.game_points for agent in self.agents], "points a game"),
        }


@dataclass(frozen=True)
class Unrated:
    """A rule set under which too little has been played yet, and what is missing."""

    rules: RulesEntry
    reason: str


@dataclass(frozen=True)
class Report:
    """What a ledger says, all at one moment: a section for each of its rule sets, and what external agents did wrong."""

    settings: Settings
    sections: tuple[Section | Unrated, ...]
    faults: tuple[tuple[str, FaultCount], ...]

    @property
    def num_games(self) -> int:
        """Games that it tells of, under all its rule sets."""
        return sum(section.ratings.num_games for section in self.sections if isinstance(section, Section))


def read_report(path: Path) -> Report:
    """What there is to report of a ledger. Raises LedgerError, RatingError as its parts do."""
    with closing(Ledger(path)) as ledger, ledger.reading() as entries:
        settings, batches = ledger.settings, []
        totals, variances = Totals(settings), VarianceRatios(settings)
        for entry in entries:
            totals.add(entry)
            variances.add(entry)
            batches.append(batch_of(settings, entry))
    games = pa.Table.from_batches(batches, SCHEMA)
    sections: list[Section | Unrated] = []
    for rules, played, ratios in zip(settings.rules, totals.tables(), variances.by_rules(), strict=True):
        ratings = rate_so_far(played, settings.seed, num_planned=settings.num_planned)
        if isinstance(ratings, str):
            sections.append(Unrated(rules, ratings))
        else:
            own = games.filter(pc.equal(games["rules_id"], rules.id))
            sections.append(_section(settings, rules, ratings, ratios, own))
    return Report(settings, tuple(sections), tuple(totals.faults()))


def _section(
    settings: Settings, rules: RulesEntry, ratings: Ratings, variance_ratios: Sequence[LineUpRatio], games: pa.Table
) -> Section:
    by_game = games.group_by(["line_up", "deal", "rotation"], use_threads=False).aggregate([("decisions", "sum")])
    games = games.join(by_game, ["line_up", "deal", "rotation"])
    by_seat = _by_deal(games, "seat")
    return Section(
        rules=rules,
        ratings=ratings,
        agents=tuple(_agent_row(settings, name, games.filter(pc.equal(games["agent"], name))) for name in ratings.names),
        seats=by_seat.mean(axis=0),
        seats_interval=bootstrap_interval(by_seat, settings.seed),
        variance_ratios=variance_ratios,
        num_unfinished=pc.sum(games["is_unfinished"]).as_py() // settings.num_players,
    )


def _by_deal(games: pa.Table, key: str) -> np.ndarray:
    """Mean wins by deal and by the values of a column, shape (deals, values)."""
    means = games.group_by(["deal", key], use_threads=False).aggregate([("win", "mean")])
    deals, values = (np.unique(means[name].to_numpy(), return_inverse=True)[1] for name in ("deal", key))
    table = np.zeros((deals.max() + 1, values.max() + 1))
    table[deals, values] = means["win_mean"].to_numpy()
    return table


def _agent_row(settings: Settings, name: str, games: pa.Table) -> AgentRow:
    wins = _by_deal(games, "agent")[:, 0]
    low, high = bootstrap_interval(wins, settings.seed).tolist()
    return AgentRow(
        name=name,
        win_rate=float(wins.mean()),
        win_rate_interval=(low, high),
        points=pc.mean(games["points"]).as_py(),
        num_games=games.num_rows,
        num_forfeits=pc.sum(games["is_forfeit"]).as_py(),
        lengths=tuple(np.quantile(games["decisions_sum"].to_numpy(), _QUANTILES).tolist()),
        game_points=tuple(np.quantile(games["points"].to_numpy(), _QUANTILES).tolist()),
    )


def command_of(settings: Settings) -> str | None:
    """The command that plays this tournament again; None where its rules or line-ups take more words than a command has."""
    options = _format_options(settings), _rules_options(settings.rules)
    if None in options:
        return None
    climbers = settings.agents[: len(settings.agents) - settings.num_anchors]
    words: list[str] = ["python", "-m", "eval", "tournament", *(agent.spec for agent in climbers)]
    for option in options:
        words += option or []
    words += ["--deals", str(settings.deals), "--seed", str(settings.seed), "--episode", settings.episode]
    return shlex.join([*words, "--out", "again.db"])


def _format_options(settings: Settings) -> list[str] | None:
    for kind in get_args(Format):
        if _is_format(settings, kind):
            options = ["--format", kind, "--players", str(settings.num_players), "--orders", settings.orders]
            if settings.num_anchors:
                options += ["--anchors", *(agent.spec for agent in settings.agents[-settings.num_anchors :])]
            return options if settings.sample is None else [*options, "--sample", str(settings.sample)]
    return None


def _is_format(settings: Settings, kind: Format) -> bool:
    num_agents, num_anchors, sample = len(settings.agents), settings.num_anchors, settings.sample
    if num_anchors and kind != "ladder":
        return False
    try:
        line_ups = line_ups_of(
            kind, num_agents, settings.num_players, num_anchors=num_anchors, sample=sample, seed=settings.seed
        )
        return in_orders(line_ups, settings.orders) == list(settings.line_ups)
    except ValueError:
        return False


def _rules_options(rules: Sequence[RulesEntry]) -> list[str] | None:
    if all(entry.name in PRESETS for entry in rules):
        return ["--rules", *(entry.name for entry in rules)]
    if len(rules) > 1 or any(not isinstance(value, (str, int)) for value in rules[0].changes.values()):
        return None
    return ["--rules", "official", "--option", *(f"{name}={value}" for name, value in rules[0].changes.items())]


def write_report(path: Path, out: Path, png: Path | None = None) -> tuple[Report, list[Path]]:
    """Write a ledger's report, and its figures as PNG files into the folder `png`; returns it, and the paths of these.

    Each file is written beside its place and then moved there. Raises LedgerError, RatingError, OSError.
    """
    report = read_report(path)
    figures = [section.figures() if isinstance(section, Section) else {} for section in report.sections]
    text = _render(report, [{name: charts.svg(figure) for name, figure in drawn.items()} for drawn in figures])
    write_text(out, text)
    pictures: list[Path] = []
    for section, drawn in zip(report.sections, figures, strict=True) if png else ():
        for name, figure in drawn.items():
            pictures.append(Path(png or "") / f"{name}-{section.rules.id}.png")
            with beside(pictures[-1]) as new:
                figure.savefig(new, dpi=150)
    return report, pictures


def _render(report: Report, figures: Sequence[dict[str, str]]) -> str:
    settings = report.settings
    return render(
        Path(__file__).with_name("report.html.jinja"),
        settings=settings,
        sections=list(zip(report.sections, figures, strict=True)),
        faults=report.faults,
        level=f"{LEVEL:.0%}",
        command=command_of(settings),
        line_ups=[", ".join(settings.agents[i].name for i in line_up) for line_up in settings.line_ups],
    )
