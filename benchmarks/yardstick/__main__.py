"""Plays the C version against the engine and prints what they have in common.

python -m benchmarks.yardstick [--rounds 20000]
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter

import numpy as np

from benchmarks.yardstick.binding import NoCompilerError, Yardstick
from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.engine import Engine
from unoflip_env.kernels import random_play

NUM_GAMES = 256
DECISIONS = 50  # from one comparison to the next


class Pair:
    """The same games in the engine and in C."""

    def __init__(self, num_players: int, num_games: int = NUM_GAMES) -> None:
        self.engine = Engine("official", num_games, seed=1, num_players=num_players)
        self.yardstick = Yardstick(num_games, seed=1, num_players=num_players)
        self.masks = np.zeros((num_games, NUM_ACTIONS), np.uint8)
        self.observations = np.zeros((num_games, self.engine.layout.size), np.uint8)
        self.counts = np.zeros(2, np.int64)

    def play(self, seed: int, num_decisions: int, what: int) -> None:
        """As many decisions in each game on both sides; `what` is written of each (random_play.BARE and so on)."""
        self.yardstick.play(seed, num_decisions, what)
        buffers = self.engine.layout.as_bytes, self.masks, self.observations, self.engine.rewards
        games = 0, self.engine.num_games, *self.engine._records
        self.counts += random_play.play_randomly(*games, np.uint64(seed), num_decisions, what, *buffers)

    def differences(self) -> list[str]:
        """What the two do not agree about: the last masks, observations and rewards, rounds ended, cards drawn."""
        pairs: dict[str, tuple[np.ndarray, np.ndarray]] = {
            "masks": (self.masks, self.yardstick.masks),
            "observations": (self.observations, self.yardstick.observations),
            "rewards": (self.engine.rewards, self.yardstick.rewards),
            "rounds and draws": (self.counts, self.yardstick.counts[:2]),
        }
        return [name for name, (ours, theirs) in pairs.items() if not np.array_equal(ours, theirs)]


def check(num_players: int, num_rounds: int) -> list[str]:
    """Play until so many rounds have ended, comparing now and then; prints a line; returns what differed."""
    pair, num_calls = Pair(num_players), 0
    differences: list[str] = []
    while pair.counts[0] < num_rounds and not differences:
        pair.play(2 * num_calls, DECISIONS - 1, random_play.BARE)
        pair.play(2 * num_calls + 1, 1, random_play.OBSERVATION)
        differences = pair.differences()
        num_calls += 1
    rounds, draws, flips, *wins = pair.yardstick.counts.tolist()
    decisions = num_calls * DECISIONS * NUM_GAMES
    print(
        f"{num_players} players: {rounds:,} rounds, {decisions / rounds:.0f} decisions and {flips / rounds:.1f} Flips each,",
        f"{draws / decisions:.1%} draws, wins by seat {' '.join(f'{won / rounds:.1%}' for won in wins)}:",
        f"{', '.join(differences)} differ" if differences else "the same",
        flush=True,
    )
    return differences


def main() -> int:
    """Check tables of 2 to 10; returns the exit status."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20_000, help="rounds over all tables")
    options, sizes = parser.parse_args(), range(2, 11)
    if options.rounds < len(sizes):
        parser.error(f"--rounds {options.rounds}: expected {len(sizes)} or more, one for each number of players")
    try:
        differing = [n for n in sizes if check(n, options.rounds // len(sizes))]
    except NoCompilerError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
