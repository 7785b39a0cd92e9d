"""Whole games a second of the compiled baselines against themselves, rounds of `official` on duplicate deals, by the clock.

python -m benchmarks.whole_games [--games 20000]
"""

from __future__ import annotations

import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter

from agents.registry import make_agent
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


def table(num_games: int) -> Rows:
    """A row for each baseline, a column for each number of players and threads."""
    columns = [(n, threads) for n in (2, 4) for threads in dict.fromkeys((1, num_cores()))]
    rows = [["whole games a second", *(f"{n} players, {t} thread{'s' * (t > 1)}" for n, t in columns)]]
    for name in AGENTS:
        games_rate(name, 2, 2, 1)  # compiled and warm
        rows.append([name, *(in_words(games_rate(name, n, num_games, t), "games/s") for n, t in columns)])
    return rows


def main() -> None:
    """Print the table."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20_000, help="games a figure, three times (20000)")
    show(table(parser.parse_args().games))


if __name__ == "__main__":
    main()
