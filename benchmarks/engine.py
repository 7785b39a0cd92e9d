"""Decisions a second of the engine on this machine: uniformly random legal play of `official`, episodes dealt anew.

python benchmarks/engine.py [--games 512] [--decisions 2000]
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.engine import Engine
from unoflip_env.kernels import random_play

KINDS = {"bare": random_play.BARE, "with mask": random_play.MASK, "with mask and observation": random_play.OBSERVATION}


def measure(num_players: int, kind: int, num_games: int, num_decisions: int, num_threads: int) -> tuple[float, float, float]:
    """Decisions a second, decisions an episode, and the share of decisions that draw."""
    engine = Engine("official", num_games, seed=1, num_players=num_players)
    masks = np.zeros((num_games, NUM_ACTIONS), np.bool_)
    observations = np.zeros((num_games, engine.layout.size), np.uint8)
    arguments = (engine.layout.as_bytes, masks, observations, engine.rewards)
    cuts = [num_games * i // num_threads for i in range(num_threads + 1)]

    def run(start: int, stop: int, decisions: int) -> tuple[int, int]:
        seed = np.uint64(decisions)
        return random_play.play_randomly(start, stop, *engine._records, seed, decisions, kind, *arguments)

    with ThreadPoolExecutor(num_threads) as pool:
        list(pool.map(run, cuts[:-1], cuts[1:], [50] * num_threads))
        begin = time.perf_counter()
        results = list(pool.map(run, cuts[:-1], cuts[1:], [num_decisions] * num_threads))
        seconds = time.perf_counter() - begin
    total = num_games * num_decisions
    episodes, draws = (sum(column) for column in zip(*results, strict=True))
    return total / seconds, total / max(1, episodes), draws / total


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=512)
    parser.add_argument("--decisions", type=int, default=2000)
    options = parser.parse_args()
    print(f"{'players':>7} {'threads':>7}  {'what':<26}{'million/s':>10}{'decisions/round':>17}{'draws':>8}")
    for num_players in (2, 4):
        for num_threads in (1, 2):
            for name, kind in KINDS.items():
                rate, length, draws = measure(num_players, kind, options.games, options.decisions, num_threads)
                print(f"{num_players:>7} {num_threads:>7}  {name:<26}{rate / 1e6:>10.2f}{length:>17.0f}{draws:>8.1%}")


if __name__ == "__main__":
    main()
