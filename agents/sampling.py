"""Actions drawn by a network's scores. Compiled, since every decision needs it."""

from __future__ import annotations

import numpy as np

from unoflip_env.kernels.jit import kernel

UNDRAWN = -2  # in place of an action, where scores are not numbers: whoever plays it is told that it is not legal
NEGLIGIBLE = -700.0  # exp of a score so far below the highest; that of an action that is not legal is farther


def sample(logits: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
    """Actions drawn by their softmax probabilities, shape (batch,) int64, by the inverse of the distribution function.

    `logits` has shape (batch, NUM_ACTIONS) float32, masked; `uniforms` has shape (batch,) float64, in [0, 1). Where scores
    are not numbers the answer is UNDRAWN.
    """
    actions = np.full(len(logits), UNDRAWN)
    draw_all(logits, uniforms, actions)
    return actions


@kernel
def draw_all(logits, uniforms, actions):
    """See sample. The exponentials of actions that are not legal, most of them, are never worked out."""
    weights = np.empty(logits.shape[1])
    for row in range(len(logits)):
        highest, total = logits[row].max(), 0.0
        for action in range(weights.size):
            score = np.float64(logits[row, action]) - highest
            weights[action] = np.exp(score) if score > NEGLIGIBLE else 0.0
            total += weights[action]
        left = uniforms[row] * total
        for action in range(weights.size):
            if weights[action] > 0:
                actions[row] = action  # the last one that can be, if rounding leaves more than there is
                left -= weights[action]
                if left < 0:
                    break
