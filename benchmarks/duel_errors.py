"""How often the sequential test of `python -m eval duel` errs, and how many deals it takes, by simulation.

Deals score as those of equally good agents do, tilted to the Elo in question (eval.sprt_simulation.tilted).

python benchmarks/duel_errors.py [--tests 2000]
"""

from __future__ import annotations

import argparse

import numpy as np

from eval.sprt import Sprt, expected_score
from eval.sprt_simulation import simulate, tilted

DEALS = {
    2: np.array([0.24, 0.0, 0.52, 0.0, 0.24]),
    4: np.array([0.305, 0.433, 0.216, 0.043, 0.003]),
}
"""By seats: how often a deal gives the first agent 0, 1/4, 1/2, 3/4 or all of its games; as `random_play` against itself."""


def main() -> None:
    """Print a row for each table, hypothesis and truth."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=int, default=2000)
    num_tests = parser.parse_args().tests
    print(f"{num_tests:,} simulated tests a row, alpha = beta = 0.05; a share's standard error is {0.218 / num_tests**0.5:.1%}")
    print("| seats | hypotheses, Elo | true Elo | 'better' | 'not better' | deals, mean | most |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for num_seats, weights in DEALS.items():
        for elo1 in (20, 50):
            test = Sprt(expected_score(0, num_seats), expected_score(elo1, num_seats))
            for true_elo in (-elo1, 0, elo1 / 2, elo1, 2 * elo1):
                rates = simulate(test, tilted(weights, expected_score(true_elo, num_seats)), num_tests, seed=0)
                shares = f"{rates.score1_share:.1%} | {rates.score0_share:.1%} | {rates.mean_deals:,.0f} | {rates.most_deals:,}"
                print(f"| {num_seats} | 0, {elo1} | {true_elo:g} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
