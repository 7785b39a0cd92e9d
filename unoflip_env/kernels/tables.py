"""Tables with one learner each (see unoflip_env/learners.py): where others decide, and their random numbers."""

from __future__ import annotations

import numpy as np

from unoflip_env.game import GAME_RECORD
from unoflip_env.kernels.bits import GAMMA, ONE, mix
from unoflip_env.kernels.jit import inner_kernel, kernel
from unoflip_env.kernels.scoring import OVER

_S11 = np.uint64(11)


@inner_kernel
def uniform_of(key, number):
    """unoflip_env.streams.random_uniforms for one number."""
    return (mix(mix(key) + number * GAMMA) >> _S11) * 2.0**-53


@kernel
def find_waiting(game_bytes, tables, learners, keys, numbers, rewards, received, rows, uniforms):
    """Add up the last step's rewards at these tables, and find those where another seat than the learner's decides.

    Writes their places in `tables` and a random number for each; returns how many they are.
    """
    games, num_waiting = game_bytes.view(GAME_RECORD), 0
    for k in range(tables.size):
        i = tables[k]
        for seat in range(rewards.shape[1]):
            received[i, seat] += rewards[i, seat]
        if games[i].phase != OVER and games[i].actor != learners[i]:
            rows[num_waiting], uniforms[num_waiting] = k, uniform_of(keys[i], numbers[i])
            numbers[i] += ONE
            num_waiting += 1
    return num_waiting


@kernel
def pick_uniformly(legal_mask, uniforms, actions):
    """Write one of each row's legal actions; 0 where there is none."""
    for i in range(actions.size):
        left = np.int64(uniforms[i] * legal_mask[i].sum())
        for action in range(legal_mask.shape[1]):
            if legal_mask[i, action]:
                if left == 0:
                    actions[i] = action
                    break
                left -= 1
