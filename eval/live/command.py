"""`python -m eval play greedy sharp`."""

from __future__ import annotations

import math
import secrets
import signal
import socket
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import tyro

from agents.protocol import Agent
from agents.registry import make_agent
from eval.live.table import LiveTable, PlayError, seat_players
from eval.options import RuleOptions, read_rules, tell_faults
from eval.record import write_records
from unoflip_env.actions import MAX_SEATS
from unoflip_env.engine import Episode
from unoflip_env.files import check_writable

_ALL_ADDRESSES = ("0.0.0.0", "::", "")
_ENDS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""Signals that end the game as Ctrl-C does: a window that is closed sends SIGHUP."""


@dataclass(frozen=True, kw_only=True)
class PlayCommand(RuleOptions):
    """Play against agents: in the browser, alone or with others, or in the terminal.

    It prints a link for each person; whoever opens it has that seat, from any machine that can reach --host. Ctrl-C ends
    it. All games are kept on record, the one that Ctrl-C breaks off included (docs/records.md).

    Example: python -m eval play greedy sharp --rules official --hints sharp --open
    """

    agents: tyro.conf.Positional[tuple[str, ...]] = ()
    """The bots: any agents that `python -m eval match` takes. People sit in the first seats, then the bots in this order."""
    people: int = 1
    """People at the table."""
    episode: Episode = "round"
    """What a game is: a round, or a match up to the target score."""
    seed: int | None = None
    """Seed of the deals and of the bots' random numbers; by default one that nobody can guess."""
    hints: str | None = None
    """Agent that tells people on demand what it would do."""
    delay: float = 1.0
    """Seconds before a bot moves, so that people can follow."""
    turn_seconds: float = 0
    """Seconds after which the agent `sharp` decides for a person; 0 to wait for ever."""
    out: Path | None = None
    """New file for the records; by default games/DATE-TIME.jsonl."""
    host: str = "127.0.0.1"
    """Address to listen at: 0.0.0.0 for all in the local network."""
    port: int = 8000
    """Port to listen at; 0 for any that is free."""
    open: bool = False
    """Open the first person's page in the browser."""
    terminal: bool = False
    """Play in the terminal: one person."""

    def run(self) -> int:
        """Play; returns the exit status."""
        table = self._set_table()
        adviser = make_agent(self.hints, len(table.players), table.rules.information) if self.hints else None
        out = self.out or Path("games") / f"{datetime.now():%Y-%m-%d-%H%M%S}.jsonl"
        if out.exists():
            raise PlayError(f"out={out}: is there already, expected a new file")
        check_writable(out)
        for agent in filter(None, [adviser, *(player.agent for player in table.players)]):
            table.asked(agent).choose()  # all is compiled, and each has answered once, before people come
        try:
            if self.terminal:
                self._play_in_terminal(table, adviser)
            else:
                self._serve(table, adviser, out)
        except KeyboardInterrupt:
            pass
        finally:
            _save(table, out)
        tell_faults([player.agent for player in table.players if player.agent])
        return 0

    def _set_table(self) -> LiveTable:
        rules = read_rules(self.rules, self.option)
        num_seats = self.people + len(self.agents)
        if self.people < 1 or (self.terminal and self.people > 1):
            raise PlayError(f"people={self.people}: expected {'1, in the terminal' if self.terminal else '1 or more'}")
        if not 2 <= num_seats <= MAX_SEATS:
            raise PlayError(f"{self.people} people and {len(self.agents)} bots: expected 2 to {MAX_SEATS} in all")
        if not (0 <= self.delay < math.inf and 0 <= self.turn_seconds < math.inf):
            raise PlayError(f"delay={self.delay}, turn_seconds={self.turn_seconds}: expected 0 or more")
        if self.terminal and not sys.stdin.isatty():
            raise PlayError("terminal: standard input is none, expected a terminal; without --terminal it is the browser")
        rules.check_seats(num_seats)
        agents = [make_agent(spec, num_seats, rules.information) for spec in self.agents]
        seed = secrets.randbits(64) if self.seed is None else self.seed
        return LiveTable(seat_players(self.people, agents), rules, self.episode, seed)

    def _serve(self, table: LiveTable, adviser: Agent | None, out: Path) -> None:
        with _play_extra():
            from eval.live.room import Pace, Room
            from eval.live.server import make_server, open_socket, serve
        stand_in = make_agent("sharp", len(table.players), table.rules.information) if self.turn_seconds else None
        pace = Pace(delay=self.delay, stand_in=stand_in, turn_seconds=self.turn_seconds)
        room = Room(table, pace, adviser, save=lambda: write_records(out, table.records()))
        with open_socket(self.host, self.port) as listener:
            host = socket.gethostname() if self.host in _ALL_ADDRESSES else self.host
            links = [f"http://{host}:{listener.getsockname()[1]}/seat/{token}" for token in room.tokens]
            for seat, link in zip(room.people, links, strict=True):
                print(f"{table.names[seat]}: {link}")
            print("Ctrl-C ends the game.", flush=True)
            if self.open:
                webbrowser.open(links[0])
            for end in _ENDS:
                signal.signal(end, lambda *_: signal.raise_signal(signal.SIGINT))
            serve(make_server(room), room, listener)

    def _play_in_terminal(self, table: LiveTable, adviser: Agent | None) -> None:
        with _play_extra():
            from eval.live.terminal import TerminalApp
        app = TerminalApp(table, adviser, self.delay)
        app.run()
        if app.failure:
            raise app.failure


@contextmanager
def _play_extra() -> Iterator[None]:
    """Where modules are imported that the extra `play` brings along."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise PlayError(f"{error.name} is not installed: expected the extra `play`, pip install -e '.[play]'") from error


def _save(table: LiveTable, out: Path) -> None:
    """Keep the games, if there is one, and say where."""
    if records := table.records():
        write_records(out, records)
        broken_off = "" if records[-1].result.is_finished else ", the last one broken off"
        print(f"{out}: {len(records)} game{'s' * (len(records) > 1)}{broken_off}", file=sys.stderr)
