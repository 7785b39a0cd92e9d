"""Live tables to test with, and a server for them in a thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from agents.registry import make_agent
from eval.live.room import Pace, Room
from eval.live.server import make_server, open_socket, serve
from eval.live.table import LiveTable, seat_players
from unoflip_env.rules import PRESETS


def live_table(
    *bots: str, num_people: int = 1, preset: str = "official", episode: Any = "round", seed: int = 2, **options: Any
) -> LiveTable:
    """A table of `num_people` people and these bots."""
    num_seats = num_people + len(bots)
    players = seat_players(num_people, [make_agent(spec, num_seats) for spec in bots])
    table = LiveTable(players, PRESETS[preset].replace(**options), episode, seed)
    if bots:  # all is compiled before anybody waits for it, as in the command
        table.asked(make_agent("sharp", num_seats)).choose()
    return table


def play_bots(table: LiveTable) -> None:
    """Bots move until a person decides or the table rests."""
    while table.actor is not None and (agent := table.players[table.actor].agent):
        table.act(table.actor, table.num_decisions, table.asked(agent).choose())


def room_at(table: LiveTable, **options: Any) -> Room:
    """A room in which bots move at once."""
    return Room(table, Pace(delay=0), **options)


@contextmanager
def serving(room: Room) -> Iterator[str]:
    """Serve a room from a thread; gives the address, such as '127.0.0.1:45678'."""
    server = make_server(room)
    with open_socket("127.0.0.1", 0) as listener:
        thread = threading.Thread(target=serve, args=(server, room, listener))
        thread.start()
        try:
            yield f"127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
