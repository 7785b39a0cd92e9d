"""Uniformly random legal play inside the compiled loop: for benchmarks, and for tests that need many positions."""

from __future__ import annotations

import numpy as np

from unoflip_env.actions import DRAW_CARD
from unoflip_env.game import GAME_RECORD, RULES_RECORD
from unoflip_env.kernels.batch import episode_seed, step_game
from unoflip_env.kernels.bits import GAMMA, ONE, lowest, mix, popcount
from unoflip_env.kernels.entries import put_actions
from unoflip_env.kernels.jit import kernel
from unoflip_env.kernels.legal import legal_actions
from unoflip_env.kernels.observe import write_observation
from unoflip_env.kernels.rounds import start_episode
from unoflip_env.kernels.vectors import fetch_game
from unoflip_env.observation import LAYOUT_RECORD

BARE, MASK, OBSERVATION = 0, 1, 2
"""What is written into the caller's buffers at each decision; OBSERVATION writes the mask too."""


@kernel
def nth_bit(w0, w1, w2, n):
    """The n-th action of a set of actions."""
    base, word = 0, w0
    if n >= popcount(word):
        n -= popcount(word)
        base, word = 64, w1
        if n >= popcount(word):
            n -= popcount(word)
            base, word = 128, w2
    for _ in range(n):
        word &= word - ONE
    return base + lowest(word)


@kernel
def pick_action(w0, w1, w2, bits):
    """One of a set of actions, uniform over `bits`, 64 random bits."""
    count = popcount(w0) + popcount(w1) + popcount(w2)
    n = np.int64(((bits >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32))
    return nth_bit(w0, w1, w2, n)


@kernel
def play_randomly(start, stop, game_bytes, rule_bytes, seed, num_decisions, what, layout_bytes, masks, observations, rewards):
    """`num_decisions` decisions in each game, dealing anew where an episode ends. Returns (episodes ended, times drawn)."""
    games, r = game_bytes.view(GAME_RECORD), rule_bytes.view(RULES_RECORD)[0]
    layout = layout_bytes.view(LAYOUT_RECORD)[0]
    num_episodes, num_draws = 0, 0
    for i in range(start, stop):
        g = games[i]
        fetch_game(games, i + 1)
        key = mix(seed + np.uint64(i))
        for n in range(num_decisions):
            w0, w1, w2 = legal_actions(g, r)
            if what >= MASK:
                put_actions(w0, w1, w2, masks[i])
            if what >= OBSERVATION:
                write_observation(g, r, layout, np.int64(g.actor), observations[i])
            action = pick_action(w0, w1, w2, mix(key + np.uint64(n) * GAMMA))
            num_draws += action == DRAW_CARD
            if step_game(g, r, action, 0, rewards[i]):
                num_episodes += 1
                start_episode(g, r, np.int64(g.num_seats), episode_seed(key, np.uint64(i), np.uint64(n)))
    return num_episodes, num_draws
