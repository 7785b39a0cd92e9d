"""The commands of `python -m eval`: their fields are the command line."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import tyro

from agents.baselines import BASELINES
from agents.registry import make_agent
from agents.shipped import shipped_for
from eval.console import print_quickstart, progress_bar
from eval.duel_command import DuelCommand
from eval.exploit_command import ExploitCommand
from eval.live.command import PlayCommand
from eval.match import Match, MatchError, MatchResult, check_tables, line_up_of, name_rules
from eval.match_command import MatchCommand
from eval.options import INTERRUPTED, BatchOptions, GameOptions, read_rules, tell, tell_faults
from eval.record import count_lines, describe, read_records, record_games, write_records
from eval.report_command import ReportCommand
from eval.rule_report import page, print_statistics
from eval.rule_statistics import RuleStatistics, measure
from eval.standings import StandingsCommand
from eval.tournament_commands import ExportCommand, LadderCommand, TableCommand, TournamentCommand
from eval.watch.command import WatchCommand
from unoflip_env.engine import Episode
from unoflip_env.files import check_writable, write_text
from unoflip_env.records import RecordError
from unoflip_env.rules import PRESETS, as_rules


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


@dataclass(frozen=True, kw_only=True)
class QuickstartCommand(BatchOptions):
    """Measure an agent against every baseline, at tables of 2 and of 4: one seat for it, the others for the baseline.

    The trained agents that come with the kit for a size of table are opponents there too, where rules show what they read.

    Example: python -m eval quickstart runs/quickstart/agent
    """

    agent: tyro.conf.Positional[str]
    """The agent: the path of a checkpoint, or any other that `python -m eval match` takes."""
    deals: int = 2000
    """Deals a table; each is played in every rotation."""
    players: tuple[int, ...] = (2, 4)
    """Sizes of the tables."""
    json: bool = False
    """Print one JSON object instead of the table."""

    def run(self) -> int:
        """Play and print; returns the exit status. Ctrl-C prints the rows that are done."""
        rules = read_rules(self.rules, self.option)
        check_tables(rules, self.players)
        learner = make_agent(self.agent, max(self.players), rules.information)
        tables = [
            (number, make_agent(name, number, rules.information))
            for number in self.players
            for name in (*BASELINES, *(shipped_for(number) if rules.information != "fronts" else ()))
        ]
        results: list[MatchResult] = []
        try:
            with progress_bar(learner.name, sum(self.deals * num_players for num_players, _ in tables)) as on_progress:
                for num_players, other in tables:
                    match = Match([learner, other], rules, self.deals, self.seed, num_players=num_players, batch=self.batch)
                    results.append(match.play(on_progress).result())
        except KeyboardInterrupt:
            print(f"interrupted: {len(results)} of {len(tables)} matches are done", file=sys.stderr)
        tell_faults([learner], [sum(result.scores[0].num_forfeits for result in results)])
        if self.json:
            print(json.dumps({"agent": learner.name, "matches": [result.as_dict() for result in results]}))
        elif results:
            print_quickstart(results)
        return 0 if len(results) == len(tables) else INTERRUPTED


@dataclass(frozen=True, kw_only=True)
class RecordCommand(GameOptions):
    """Write games between agents to a file, decision by decision, so that any engine can be checked against it.

    They are the first games of `python -m eval match` with the same agents, rules and seed, one line of JSON each;
    docs/records.md describes them. The file is there once all games are played: Ctrl-C leaves what was there before.

    Example: python -m eval record sharp greedy --games 10 --out games.jsonl
    """

    agents: tyro.conf.Positional[tuple[str, ...]]
    """Two agents or more, as for `python -m eval match`."""
    out: Path
    """The file to write."""
    players: int | None = None
    """Seats at the table; by default one for each agent."""
    games: int = 10
    """Games; every deal is played in each rotation of the agents."""
    episode: Episode = "round"
    """What a game is: a round, or a match up to the target score."""
    json: bool = False
    """Print one JSON object instead of the text."""

    def run(self) -> int:
        """Play and write; returns the exit status."""
        rules = read_rules(self.rules, self.option)
        num_players = len(self.agents) if self.players is None else self.players
        line_up_of(len(self.agents), num_players)
        agents = [make_agent(spec, num_players, rules.information) for spec in self.agents]
        records = record_games(agents, rules, self.games, self.seed, num_players=num_players, episode=self.episode)
        with progress_bar(" vs ".join(agent.name for agent in agents), self.games) as on_progress:
            write_records(self.out, records, on_progress)
        found = {
            "file": str(self.out),
            "games": self.games,
            "seed": self.seed,
            "rules": name_rules(rules),
            "rules_id": rules.id,
        }
        tell(found | {"agents": [agent.name for agent in agents]}, f"{self.out}: {_count(self.games, 'game')}", self.json)
        return 0


@dataclass(frozen=True, kw_only=True)
class ReplayCommand:
    """Play recorded games again, check every step against the engine, and print the moves.

    A file that is cut or altered, or was played by an engine with other rules, is refused with the place and the reason.

    Example: python -m eval replay games.jsonl --game 3
    """

    file: tyro.conf.Positional[Path]
    """A file that `python -m eval record` wrote."""
    game: int | None = None
    """Print this game of the file alone, counted from 1; all are checked."""
    quiet: bool = False
    """Print no moves, only how many games were checked."""
    json: bool = False
    """Print no moves, only one JSON object."""

    def run(self) -> int:
        """Check and print; returns the exit status."""
        if self.game is not None and self.json:
            raise RecordError(f"game={self.game}: expected none with --json")
        num_games = num_decisions = 0
        is_quiet = self.quiet or self.json
        bar = progress_bar(str(self.file), count_lines(self.file)) if is_quiet else nullcontext(lambda num_games: None)
        with bar as on_progress:
            for record in read_records(self.file):
                num_games += 1
                num_decisions += record.num_decisions
                on_progress(1)
                if not is_quiet and self.game in (None, num_games):
                    print(describe(record), end="\n\n")
        if self.game is not None and not 1 <= self.game <= num_games:
            raise RecordError(f"game={self.game}: expected 1 to {num_games}, the games of {self.file}")
        text = f"{self.file}: {_count(num_games, 'game')}, {_count(num_decisions, 'decision')}, each as the engine plays it"
        tell({"file": str(self.file), "games": num_games, "decisions": num_decisions}, text, self.json)
        return 0


@dataclass(frozen=True, kw_only=True)
class StatisticsCommand:
    """Show how rule sets play: lengths, points, flips, endings and who wins, in games of one agent against itself.

    Ctrl-C prints the rows that are done.

    Example: python -m eval statistics --rules official casual --players 2 4 --rounds 500
    """

    rules: tuple[str, ...] = ("all",)
    """Presets or TOML files; `all` is every preset."""
    players: tuple[int, ...] = (2, 4, 8)
    """Sizes of the tables."""
    agent: str = "greedy"
    """Who sits in every seat: any agent that `python -m eval match` takes."""
    rounds: int = 2000
    """Rounds a row."""
    matches: int = 200
    """Matches a row, played besides for the number of rounds in one."""
    seed: int = 0
    """Seed of the deals and of the agents' random numbers: the same seed gives the same games."""
    json: bool = False
    """Print a list of JSON objects instead of the table."""
    markdown: Path | None = None
    """Write the table to this file too, as docs/statistics.md has it."""

    def run(self) -> int:
        """Play, print and write; returns the exit status."""
        if not self.rules:
            raise MatchError(f"rules={self.rules}: expected one or more")
        if self.markdown:
            check_writable(self.markdown)
        names = [name for chosen in self.rules for name in (PRESETS if chosen == "all" else (chosen,))]
        tables = [(Path(name).stem, as_rules(name), num_players) for name in names for num_players in self.players]
        for name in names:
            check_tables(as_rules(name), self.players)
        agents = [make_agent(self.agent, num_players, rules.information) for _, rules, num_players in tables]
        play = partial(measure, num_rounds=self.rounds, num_matches=self.matches, seed=self.seed)
        results: list[RuleStatistics] = []
        try:
            with progress_bar("statistics", len(tables) * (self.rounds + self.matches)) as on_progress:
                for agent, (name, rules, num_players) in zip(agents, tables, strict=True):
                    results.append(play(rules, agent, num_players, name=name, on_progress=on_progress))
        except KeyboardInterrupt:
            print(f"interrupted: {len(results)} of {len(tables)} rows are done", file=sys.stderr)
        if self.json:
            print(json.dumps([result.as_dict() for result in results]))
        elif results:
            print_statistics(results)
        if len(results) < len(tables):
            return INTERRUPTED
        if self.markdown:
            write_text(self.markdown, page(results, shlex.join(["python", "-m", "eval", *sys.argv[1:]])))
        return 0


COMMANDS: dict[str, Callable[..., Any]] = {
    "play": PlayCommand,
    "match": MatchCommand,
    "quickstart": QuickstartCommand,
    "duel": DuelCommand,
    "exploit": ExploitCommand,
    "tournament": TournamentCommand,
    "ladder": LadderCommand,
    "standings": StandingsCommand,
    "table": TableCommand,
    "export": ExportCommand,
    "report": ReportCommand,
    "record": RecordCommand,
    "replay": ReplayCommand,
    "watch": WatchCommand,
    "statistics": StatisticsCommand,
}
