"""`python -m eval standings`: all agents of the kit against each other, and the README's tables of them."""

from __future__ import annotations

import json
import shlex
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro

from agents.baselines import BASELINES
from agents.protocol import MisfitError
from agents.registry import make_agent
from agents.shipped import SHIPPED
from eval.export import totals_of
from eval.ledger import Ledger
from eval.match import MatchError, check_tables, name_pairing
from eval.options import GameOptions, read_rules
from eval.ratings import Ratings, TableWins, rate
from eval.results import results_of
from eval.statistics import LEVEL, bootstrap_interval
from eval.tournament_commands import TournamentCommand
from unoflip_env.files import replace_block, write_text

_BLOCK = "standings"


@dataclass(frozen=True, kw_only=True)
class StandingsCommand(GameOptions):
    """Play every agent against every other, at tables of several sizes, and write win rates and ratings into a page.

    Each size is a round robin in a file of its own: one seat for the one agent, the others for the other. The same command
    again goes on where it was stopped. An agent that does not fit a table is left out of it, which is told.

    Example: python -m eval standings --games 4000 --markdown README.md
    """

    agents: tyro.conf.Positional[tuple[str, ...]] = (*BASELINES, *SHIPPED)
    """As for `python -m eval match`; by default the baselines and the trained agents that come with the kit."""
    players: tuple[int, ...] = (2, 4)
    """Sizes of the tables."""
    games: int = 4000
    """Games of each line-up: as many deals as that makes, each in every rotation."""
    out: Path = Path("runs/standings")
    """Folder for the files of the tournaments."""
    workers: int = 1
    """Worker processes, as for `python -m eval tournament`."""
    seed: int = 2026
    """Seed of the games: other ones than those that training, whose seed is 0 unless told otherwise, chooses its agents by."""
    markdown: Path | None = None
    """The page: the tables go between its lines `<!-- standings -->` and `<!-- end of standings -->`."""
    json: bool = False
    """Print one JSON object instead of the tables."""

    def run(self) -> int:
        """Play, print and write; returns the exit status."""
        check_tables(read_rules(self.rules, self.option), self.players)
        if self.games < (fewest := 2 * max(self.players)):
            raise MatchError(f"games={self.games}: expected {fewest} or more, two deals in every rotation of the largest table")
        if self.markdown:
            _fill(self.markdown, "")
        tournaments = [self._tournament(num_players) for num_players in self.players]
        found: list[dict[str, Any]] = []

        def keep(ledger: Ledger) -> None:
            found.append({"file": str(ledger.path), **results_of(ledger).as_dict()})

        status = next(filter(None, (tournament.run(keep if self.json else None) for tournament in tournaments)), 0)
        if self.json:
            print(json.dumps({"tournaments": found}))
        if self.markdown and not status:
            command = shlex.join(["python", "-m", "eval", *sys.argv[1:]])
            write_text(self.markdown, _fill(self.markdown, page([tournament.out for tournament in tournaments], command)))
        return status

    def _tournament(self, num_players: int) -> TournamentCommand:
        return TournamentCommand(
            agents=tuple(spec for spec in self.agents if self._fits(spec, num_players)),
            out=self.out / f"{num_players}-players.db",
            players=num_players,
            deals=self.games // num_players,
            rules=(self.rules,),
            option=self.option,
            seed=self.seed,
            workers=self.workers,
        )

    def _fits(self, spec: str, num_players: int) -> bool:
        try:
            make_agent(spec, num_players, read_rules(self.rules, self.option).information)
        except MisfitError as error:
            print(f"{num_players} players, without {error}", file=sys.stderr)
            return False
        return True


def _fill(path: Path, text: str) -> str:
    """The page with this text between the markers. Raises MatchError where it has none."""
    try:
        return replace_block(path.read_text(encoding="utf-8"), _BLOCK, text)
    except ValueError as error:
        raise MatchError(f"{path}: {error}") from error


def page(paths: Sequence[Path], command: str) -> str:
    """The standings of some tournaments of one rule set in Markdown, a table for each, and how they were made."""
    lines: list[str] = []
    for path in paths:
        with closing(Ledger(path)) as ledger:
            settings, [tables] = ledger.settings, totals_of(ledger).tables()
        ratings = rate(tables, settings.seed)
        lines += [*_table(ratings, tables, settings.seed), ""]
    [rules] = settings.rules
    how = (
        f"A cell is the win rate of one seat of the row's agent where the column's has all others, with its {LEVEL:.0%}"
        " interval, on duplicate deals with the seats rotated, bootstrapped over deals. Elo is the one scale that fits a"
        f" table's cells best, with one agent at 0. Rules {rules.name} (id {rules.id}), pairing {name_pairing(rules.rules)},"
        f" information {rules.rules.information}, seed {settings.seed}. They are made by"
    )
    return "\n".join([*lines, *textwrap.wrap(how, 120, break_on_hyphens=False), f"`{command}`."])


def _table(ratings: Ratings, tables: Sequence[TableWins], seed: int) -> Iterator[str]:
    num_players, names = len(tables[0].line_up), " | ".join(f"`{name}`" for name in ratings.names)
    num_games = ratings.num_games // len(tables)
    yield f"| {num_players} players, fair {1 / num_players:.0%}, {num_games:,} games a cell | Elo [{LEVEL:.0%}] | {names} |"
    yield "| --- |" + " ---: |" * (1 + len(ratings.names))
    for i, name in enumerate(ratings.names):
        low, high = ratings.elo_interval[:, i]
        elo = "0" if name == ratings.anchor else f"{ratings.elo[i]:+.0f} [{low:+.0f}, {high:+.0f}]"
        yield f"| `{name}` | {elo} | {' | '.join(_win_rate(name, other, tables, seed) for other in ratings.names)} |"


def _win_rate(name: str, other: str, tables: Sequence[TableWins], seed: int) -> str:
    """What a seat of `name` wins where `other` has all other seats; nothing where both are the same agent."""
    for table in tables:
        for place in np.flatnonzero(np.equal(table.line_up, name)):
            if all(each == other for i, each in enumerate(table.line_up) if i != place):
                wins = table.wins[:, place]
                low, high = 100 * bootstrap_interval(wins, seed)
                return f"{wins.mean():.1%} [{low:.1f}, {high:.1f}]"
    return ""
