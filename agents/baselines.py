"""The hand-written agents, compiled: `random`, `random_play`, `greedy` and `sharp`.

`choose` decides one row and allocates nothing, so that it can also be called from within the engine's own loop.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agents import sharp
from unoflip_env import actions
from unoflip_env.deck import NUM_CARDS, NUM_COLORS, SLOT_COLOR, SLOT_POINTS
from unoflip_env.kernels.jit import kernel
from unoflip_env.observation import LAYOUT_RECORD, ObservationLayout

BASELINES = {
    "random": "any legal action, all alike",
    "random_play": "plays a random card whenever it can, says UNO and catches; other decisions are random",
    "greedy": "sheds points: its dearest card, its commonest colour; says UNO, catches, never challenges",
    "sharp": "weighs cards, tempo, chances and flips by all that the table shows",
}
"""Name and manner of each baseline."""

RANDOM, RANDOM_PLAY, GREEDY, SHARP = range(len(BASELINES))


@kernel
def pick(legal_mask, start, stop, uniform):
    """The legal action among start..stop-1 at this fraction of their number; -1 if none is legal."""
    count = 0
    for action in range(start, stop):
        count += legal_mask[action]
    left = int(uniform * count)
    for action in range(start, stop):
        if legal_mask[action]:
            if left == 0:
                return action
            left -= 1
    return -1


@kernel
def speaks_up(legal_mask):
    """SAY_UNO or CATCH where it is legal, else -1."""
    if legal_mask[actions.SAY_UNO]:
        return actions.SAY_UNO
    return actions.CATCH if legal_mask[actions.CATCH] else -1


@kernel
def choose_random_play(legal_mask, uniform):
    """UNO and catches first, then cards; where there is neither, all legal actions alike."""
    action = speaks_up(legal_mask)
    if action < 0:
        action = pick(legal_mask, actions.CARD, actions.CARD + NUM_CARDS, uniform)
    return action if action >= 0 else pick(legal_mask, 0, actions.NUM_ACTIONS, uniform)


@kernel
def dearest_card(legal_mask, side):
    """The legal card worth the most points (SCORE-1), the first of several; -1 if there is none."""
    best, most = -1, -1
    for slot in range(NUM_CARDS):
        if legal_mask[actions.CARD + slot] and SLOT_POINTS[side, slot] > most:
            best, most = actions.CARD + slot, SLOT_POINTS[side, slot]
    return best


@kernel
def commonest_color(observation, at):
    """The colour that the hand holds most of, the first of several."""
    best, most = 0, -1
    for color in range(NUM_COLORS):
        count = 0
        for slot in range(NUM_CARDS):
            if SLOT_COLOR[slot] == color:
                count += observation[at.own_hand + slot]
        if count > most:
            best, most = color, count
    return best


@kernel
def choose_greedy(observation, legal_mask, at):
    """What has no rule of its own (draw, keep, accept, a seat) is the first legal action of the table."""
    action = speaks_up(legal_mask)
    if action >= 0:
        return action
    if legal_mask[actions.COLOR]:
        return actions.COLOR + commonest_color(observation, at)
    action = dearest_card(legal_mask, np.int64(observation[at.side]))
    return action if action >= 0 else pick(legal_mask, actions.CARD + NUM_CARDS, actions.NUM_ACTIONS, 0.0)


@kernel
def choose(kind, observation, legal_mask, uniform, at):
    """The action of baseline number `kind` for one observation laid out as `at` says."""
    if kind == RANDOM:
        return pick(legal_mask, 0, actions.NUM_ACTIONS, uniform)
    if kind == RANDOM_PLAY:
        return choose_random_play(legal_mask, uniform)
    if kind == GREEDY:
        return choose_greedy(observation, legal_mask, at)
    return sharp.choose(observation, legal_mask, at)


@kernel
def choose_rows(kind, observations, legal_mask, uniforms, layout_bytes, out):
    """The actions for a batch of observations, into `out`, shape (batch,) int64."""
    at = layout_bytes.view(LAYOUT_RECORD)[0]
    for row in range(out.size):
        out[row] = choose(kind, observations[row], legal_mask[row], uniforms[row], at)


class Baseline:
    """One of BASELINES, by name, reading observations of the given layout. An `Agent`."""

    def __init__(self, name: str, layout: ObservationLayout) -> None:
        self.name, self.layout = name, layout
        self.kind = list(BASELINES).index(name)
        """Its number, as `choose` takes it."""

    @property
    def play_on(self) -> Any:
        """The compiled loop that plays all baselines' seats (agents.games.play_on)."""
        from agents import games  # which imports this module

        games.announce_compilation()
        return games.play_on

    def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        """See `Agent.act`."""
        out = np.empty(len(observations), np.int64)
        rows = np.ascontiguousarray(observations), np.ascontiguousarray(legal_mask), np.ascontiguousarray(uniforms)
        choose_rows(self.kind, *rows, self.layout.as_bytes, out)
        return out
