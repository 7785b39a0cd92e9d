"""Whole games a second of agents against themselves, rounds of `official` on duplicate deals, by the clock.

The compiled baselines use both cores by threads, networks by processes with a thread each.

python -m benchmarks.whole_games [--games 20000]
"""

from __future__ import annotations

import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from agents.registry import make_agent
from agents.shipped import shipped_for
from benchmarks.performance_page import Rows, show
from eval.play import DuplicateDeals
from unoflip_env.bench import REPEATS, num_cores
from unoflip_env.bench_command import in_words
from unoflip_env.rules import PRESETS

AGENTS = ("random_play", "greedy", "sharp")


def games_rate(name: str, num_players: int, num_games: int, num_threads: int) -> float:
    """Games a second, the best of three."""
    agents = [make_agent(name, num_players)]
    best = 0.0
    for seed in range(REPEATS):
        deals = DuplicateDeals(
            agents, [0] * num_players, PRESETS["official"], num_games // num_players, seed, num_threads=num_threads
        )
        begin = time.perf_counter()
        deals.play()
        best = max(best, deals.num_games / (time.perf_counter() - begin))
    return best


def network_rate(num_players: int, num_games: int, num_processes: int) -> float:
    """Games a second of the network that comes with the kit for such tables, in all processes together."""
    with ProcessPoolExecutor(num_processes, get_context("spawn"), initializer=_begin) as pool:
        for games in (num_players, num_games):  # all is compiled and warm the first time
            begin = time.perf_counter()
            done = sum(pool.map(_play_network, [num_players] * num_processes, [games] * num_processes))
    return done / (time.perf_counter() - begin)


def _begin() -> None:
    import torch  # only here: it takes seconds

    torch.set_num_threads(1)
    for num_players in (2, 4):
        _play_network(num_players, num_players)


def _play_network(num_players: int, num_games: int) -> int:
    agents = [make_agent(shipped_for(num_players)[0], num_players)]
    deals = DuplicateDeals(agents, [0] * num_players, PRESETS["official"], num_games // num_players, 0)
    deals.play()
    return deals.num_games


def table(num_games: int) -> Rows:
    """A row for each baseline and one for networks, a column for each number of players and cores."""
    columns = [(n, cores) for n in (2, 4) for cores in dict.fromkeys((1, num_cores()))]
    rows = [["whole games a second", *(f"{n} players, {c} core{'s' * (c > 1)}" for n, c in columns)]]
    for name in AGENTS:
        games_rate(name, 2, 2, 1)  # compiled and warm
        rows.append([name, *(in_words(games_rate(name, n, num_games, c), "games/s") for n, c in columns)])
    networks = (network_rate(n, num_games, c) for n, c in columns)
    return [*rows, ["network of the kit", *(in_words(rate, "games/s") for rate in networks)]]


def main() -> None:
    """Print the table."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20_000, help="games a figure, three times (20000)")
    show(table(parser.parse_args().games))


if __name__ == "__main__":
    main()
