"""`python -m eval tournament A B ...`, `ladder A ...`, `table FILE`, `export FILE`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path

import tyro

from eval.console import progress_bar
from eval.export import export
from eval.ledger import Ledger, LedgerError, read_settings
from eval.line_ups import Format
from eval.match import MatchError, Orders
from eval.options import INTERRUPTED, read_rules, tell
from eval.other_rankings import Ranking
from eval.results import print_results, results_of
from eval.settings import Settings, SettingsError, make_settings
from eval.tournament import num_games_of, play_shard, play_tournament
from eval.workers import ProcessWorkers, RayWorkers, Workers
from unoflip_env.engine import Episode


@dataclass(frozen=True, kw_only=True)
class TournamentCommand:
    """Play many agents against each other on duplicate deals, kept in one file that a crash can't hurt.

    Every line-up plays the same deals, each in every rotation around the table. The same command again, or --resume, goes
    on where a run was stopped or killed, with any number of workers: the results are the same to the byte. Ctrl-C prints
    the table of what is done. docs/tournaments.md says more.

    Example: python -m eval tournament random_play greedy sharp --deals 2000 --out results.db --workers 2
    """

    agents: tyro.conf.Positional[tuple[str, ...]] = ()
    """Two agents or more, as for `python -m eval match`; none with --resume."""
    out: Path
    """The file that keeps results and progress; a new one, or one that this tournament has begun."""
    format: Format = "round-robin"
    """round-robin: each pair; line-ups: each choice of as many agents as seats; head-to-head: all at one table, as
    `match` has it; ladder: each agent against each anchor."""
    players: int = 2
    """Seats at a table. With more than two, round-robin and ladder seat one agent against the other in all other seats."""
    orders: Orders = "rotations"
    """Who sits behind whom: rotations: as named, in every rotation; balanced: further orders too, so that each agent of a
    line-up sits behind each other one equally often; all: every order. With two agents at a table there is one alone."""
    deals: int = 1000
    """Deals for each line-up under each rule set; each is played in every rotation of each order."""
    rules: tuple[str, ...] = ("official",)
    """Presets of rules (unoflip_env.PRESETS), or paths of TOML files."""
    option: tuple[str, ...] = ()
    """Options over each of them, such as pairing=printed hand=5."""
    episode: Episode = "round"
    """What a game is: a round, or a match up to the target score."""
    anchors: tuple[str, ...] = ()
    """The anchors of a ladder."""
    sample: int | None = None
    """Of the format line-ups: only so many, drawn so that all agents play equally often."""
    seed: int = 0
    """Seed of the deals, the agents' random numbers and the sample: the same seed gives the same games."""
    workers: int = 1
    """Worker processes; with 1 this process plays. It does not matter to the results."""
    ray: str | None = None
    """Let a Ray cluster play instead: its address, or `auto`, or `local` for one on this machine."""
    resume: bool = False
    """Go on with the tournament in the file, as it was begun."""
    json: bool = False
    """Print one JSON object instead of the table."""

    def run(self, show: Callable[[Ledger], None] | None = None) -> int:
        """Play and print, or show in another way what was played; returns the exit status."""
        if self.workers < 1:
            raise MatchError(f"workers={self.workers}: expected at least 1")
        if self.ray and self.workers > 1:
            raise MatchError(f"workers={self.workers} with ray={self.ray!r}: expected one or the other")
        settings = self._settings()
        # Workers that cannot be had are told before there is a file.
        with self._workers(settings) as workers, closing(Ledger(self.out, settings)) as ledger:
            is_whole = True
            try:
                self._play(ledger, workers)
            except KeyboardInterrupt:
                is_whole = False
            if not is_whole:
                num_done = sum(num_games_of(ledger.settings, shard) for shard in ledger.shards_done())
                print(f"interrupted: {self.out} has {num_done:,} of {ledger.settings.num_games:,} games", file=sys.stderr)
            if is_whole or ledger.shards_done():
                (show or partial(_print, as_json=self.json))(ledger)
            return 0 if is_whole else INTERRUPTED

    def _settings(self) -> Settings:
        if self.resume and self.agents:
            raise MatchError(f"agents {', '.join(self.agents)}: expected none with --resume: {self.out} says who plays")
        if self.resume:
            self._check_that_the_file_decides()
            settings = read_settings(self.out)
            try:
                settings.check_unchanged()
            except SettingsError as error:
                raise LedgerError(f"{self.out}: {error}") from error
            return settings
        return make_settings(
            self.agents,
            tuple(read_rules(name, self.option) for name in self.rules),
            kind=self.format,
            num_players=self.players,
            deals=self.deals,
            seed=self.seed,
            episode=self.episode,
            anchors=self.anchors,
            sample=self.sample,
            orders=self.orders,
        )

    def _check_that_the_file_decides(self) -> None:
        for option in fields(self):
            if option.name in ("agents", "out", "workers", "ray", "resume", "json"):
                continue
            if (value := getattr(self, option.name)) != option.default:
                raise MatchError(f"{option.name}={value!r}: expected none with --resume: {self.out} says what is played")

    def _play(self, ledger: Ledger, workers: Workers | None) -> None:
        settings = ledger.settings
        num_done = sum(num_games_of(settings, shard) for shard in ledger.shards_done())
        with progress_bar(str(self.out), settings.num_games, num_done) as on_progress:
            play_tournament(ledger, workers, on_progress)

    def _workers(self, settings: Settings) -> AbstractContextManager[Workers | None]:
        task = partial(play_shard, settings, num_threads=1)
        if self.ray:
            return closing(RayWorkers(task, self.ray))
        return closing(ProcessWorkers(task, self.workers)) if self.workers > 1 else nullcontext()


@dataclass(frozen=True, kw_only=True)
class LadderCommand(TournamentCommand):
    """Find out where agents stand against fixed anchors, without playing the anchors again: a tournament of that format.

    Each agent plays each anchor alone, on the same duplicate deals; it is kept, resumed and printed as a tournament is.

    Example: python -m eval ladder runs/quickstart/agent --deals 1000 --out ladder.db --workers 2
    """

    agents: tyro.conf.Positional[tuple[str, ...]] = ()
    """The agents that climb, one or more, as for `python -m eval match`; none with --resume."""
    format: tyro.conf.Suppress[Format] = "ladder"
    anchors: tuple[str, ...] = ("random_play", "greedy", "sharp")
    """Whom they are measured against."""


@dataclass(frozen=True, kw_only=True)
class TableCommand:
    """Print a tournament's table: ratings on one scale, who beats whom, with intervals; a table for each rule set.

    Example: python -m eval table results.db --anchor greedy
    """

    file: tyro.conf.Positional[Path]
    """A file that `python -m eval tournament` wrote, or is writing."""
    anchor: str | None = None
    """The agent whose rating is 0; by default random_play where it played, else the first."""
    also: tuple[Ranking, ...] = ()
    """Other rankings: nash and alpha-rank, for agents that beat each other in circles (they need the extra spiel), and
    ladder, a rating that follows the deals as they come."""
    json: bool = False
    """Print one JSON object instead of the table."""

    def run(self) -> int:
        """Print; returns the exit status."""
        if self.also and self.json:
            raise MatchError(f"also={', '.join(self.also)}: expected none with --json")
        with closing(Ledger(self.file)) as ledger:
            _print(ledger, self.json, self.anchor, self.also)
        return 0


@dataclass(frozen=True, kw_only=True)
class ExportCommand:
    """Write a tournament's results to a Parquet or CSV file, a row for each seat of each game.

    The same tournament gives the same file, however and by however many workers it was played.

    Example: python -m eval export results.db --out results.parquet
    """

    file: tyro.conf.Positional[Path]
    """A file that `python -m eval tournament` wrote, or is writing."""
    out: Path
    """The file to write: its name ends in .parquet or .csv."""
    json: bool = False
    """Print one JSON object instead of the text."""

    def run(self) -> int:
        """Write; returns the exit status."""
        num_rows = export(self.file, self.out)
        tell({"file": str(self.out), "rows": num_rows}, f"{self.out}: {num_rows:,} rows", self.json)
        return 0


def _print(ledger: Ledger, as_json: bool, anchor: str | None = None, also: Sequence[Ranking] = ()) -> None:
    results = results_of(ledger, anchor)
    if as_json:
        print(json.dumps(results.as_dict()))
    else:
        print_results(results, also)
