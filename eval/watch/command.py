"""`python -m eval watch FILE`."""

from __future__ import annotations

import webbrowser
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from socket import gethostname

import tyro

from agents.protocol import AgentError
from eval.console import progress_bar
from eval.movie import MovieError, write_movie
from eval.record import count_lines, read_records
from eval.watch.frames import OPEN, moments, num_frames, seat_names, table_of
from eval.watch.page import Show
from eval.watch.server import make_server
from unoflip_env.files import check_writable, write_text
from unoflip_env.pictures import table_image
from unoflip_env.records import GameRecord, RecordError


@dataclass(frozen=True, kw_only=True)
class WatchCommand:
    """Watch recorded games in the browser, step by step, with all cards open or as any seat saw them.

    Serves a page on this machine until Ctrl-C; or writes it to a file that opens anywhere, or a game as a film.

    Example: python -m eval watch games.jsonl --html games.html
    """

    file: tyro.conf.Positional[Path]
    """A file that `python -m eval record` wrote."""
    game: int | None = None
    """This game of the file alone, counted from 1; a film is of the first by default."""
    seat: int | None = None
    """What this seat saw, and nothing else in the page or film; by default all cards are open."""
    agent: tuple[str, ...] = ()
    """Checkpoints whose probabilities and values are shown at the decisions: of all seats, or SEAT=AGENT of one."""
    html: Path | None = None
    """Write the page to this file, all in one, instead of serving it."""
    gif: Path | None = None
    """Write a game to this file as an animated picture."""
    mp4: Path | None = None
    """Write a game to this file as a video."""
    seconds: float = 1.5
    """Seconds that a film shows each position."""
    host: str = "127.0.0.1"
    """Where to serve; 0.0.0.0 shows it to the network."""
    port: int = 0
    """Where to serve; 0 is any port that is free."""
    open: bool = False
    """Open the browser."""

    def run(self) -> int:
        """Check the games, then serve or write; returns the exit status."""
        films = [film for film in (self.gif, self.mp4) if film]
        self._check_outs()
        show = Show(self._records(), self.seat, _read_agents(self.agent))
        for film in films:
            self._write_film(film, show.records[0])
        if self.html:
            with progress_bar(str(self.html), show.num_frames, unit="positions") as on_progress:
                write_text(self.html, show.whole_page(on_progress))
            print(self.html)
        elif not films:
            self._serve(show)
        return 0

    def _check_outs(self) -> None:
        for name, film in (("gif", self.gif), ("mp4", self.mp4)):
            if film and film.suffix.lower() != f".{name}":
                raise MovieError(f"{name}={film}: expected a name that ends in .{name}")
        for out in filter(None, (self.html, self.gif, self.mp4)):
            check_writable(out)

    def _records(self) -> list[GameRecord]:
        with progress_bar(str(self.file), count_lines(self.file)) as on_progress:
            records = []
            for record in read_records(self.file):
                records.append(record)
                on_progress(1)
        if self.game is None:
            return records
        if not 1 <= self.game <= len(records):
            raise RecordError(f"game={self.game}: expected 1 to {len(records)}, the games of {self.file}")
        return [records[self.game - 1]]

    def _write_film(self, out: Path, record: GameRecord) -> None:
        view = OPEN if self.seat is None else str(self.seat)
        names = seat_names(record)
        images = (table_image(table_of(moment.engine, view), names=names) for moment in moments(record))
        with progress_bar(str(out), num_frames(record), unit="positions") as on_progress:
            write_movie(images, out, self.seconds, on_progress)
        print(out)

    def _serve(self, show: Show) -> None:
        with make_server(show, self.host, self.port) as server:
            host = gethostname() if self.host == "0.0.0.0" else self.host
            address = f"http://{host}:{server.server_port}/"
            print(f"{address} shows {self.file}; Ctrl-C ends", flush=True)
            if self.open:
                webbrowser.open(address)
            with suppress(KeyboardInterrupt):
                server.serve_forever()


def _read_agents(texts: tuple[str, ...]) -> dict[int | None, str]:
    """Agents by seat from SEAT=AGENT; None is for all other seats."""
    agents: dict[int | None, str] = {}
    for text in texts:
        seat, equals, spec = text.partition("=")
        has_seat = bool(equals) and seat.isdecimal()
        key, agent = (int(seat), spec) if has_seat else (None, text)
        if key in agents:
            raise AgentError(f"agent {text}: a second one for {f'seat {key}' if has_seat else 'all other seats'}")
        agents[key] = agent
    return agents
