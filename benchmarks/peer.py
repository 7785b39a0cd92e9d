"""Measures one other library, in the virtual environment of the peers; peers.py starts it and asks.

It prints a line when it is ready, then for each line with a number of seconds one with the decisions a second: of processor
time, on one core.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Any

Run = Callable[[], tuple[int, float]]


def open_spiel() -> Run:
    """Whole games of crazy eights inside C++: `evaluate_bots` with its uniformly random bots. Chance moves do not count."""
    import pyspiel

    game = pyspiel.load_game("crazy_eights(players=4)")
    bots = [pyspiel.make_uniform_random_bot(player, player + 1) for player in range(4)]
    seeds = iter(range(2**31))

    def run() -> tuple[int, float]:
        state = game.new_initial_state()
        begin = time.process_time()
        pyspiel.evaluate_bots(state, bots, next(seeds))
        seconds = time.process_time() - begin
        return sum(move.player >= 0 for move in state.full_history()), seconds

    return run


def rlcard(num_players: int) -> Run:
    """`env.step` of UNO; choosing the action and dealing anew are not timed."""
    import rlcard

    env = rlcard.make("uno", config={"game_num_players": num_players})
    rng = random.Random(1)
    state, _ = env.reset()

    def run(num_steps: int = 200) -> tuple[int, float]:
        nonlocal state
        seconds = 0.0
        for _ in range(num_steps):
            action = rng.choice(list(state["legal_actions"]))
            begin = time.process_time()
            state, _ = env.step(action)
            seconds += time.process_time() - begin
            if env.is_over():
                state, _ = env.reset()
        return num_steps, seconds

    return run


def pgx(batch: int = 1024, steps: int = 20) -> Run:
    """Sparrow mahjong, 1,024 games at a time: steps and random choices in one jitted loop, dealt anew as games end."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make("sparrow_mahjong")
    step = jax.vmap(auto_reset(env.step, env.init))

    def advance(carry: Any, _: Any) -> Any:
        state, key = carry
        key, choice, deal = jax.random.split(key, 3)
        legal = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        state = step(state, jax.random.categorical(choice, legal, axis=1), jax.random.split(deal, batch))
        return (state, key), state.observation.sum()

    play = jax.jit(lambda state, key: jax.lax.scan(advance, (state, key), None, length=steps))
    carry = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), batch)), jax.random.PRNGKey(1)

    def run() -> tuple[int, float]:
        nonlocal carry
        begin = time.process_time()
        carry, observed = play(*carry)
        observed.block_until_ready()
        return batch * steps, time.process_time() - begin

    run()  # compiles
    return run


PEERS: dict[str, tuple[str, Callable[[], Run]]] = {
    "open_spiel": ("open-spiel", open_spiel),
    "rlcard": ("rlcard", partial(rlcard, 4)),
    "rlcard_2": ("rlcard", partial(rlcard, 2)),
    "pgx": ("pgx", pgx),
}


def main() -> None:
    """Answer until the input ends."""
    package, prepare = PEERS[sys.argv[1]]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # before JAX counts the cores
    run = prepare()
    print(f"ready {version(package)}", flush=True)
    for line in sys.stdin:
        total, spent = 0, 0.0
        while spent < float(line):
            done, seconds = run()
            total, spent = total + done, spent + seconds
        print(total / spent, flush=True)


if __name__ == "__main__":
    main()
