"""Baselines play inside one compiled loop: the same games, decision by decision, as any other way to play them."""

from __future__ import annotations

import sys
from functools import lru_cache
from pathlib import Path

import numpy as np

from agents.baselines import GREEDY, SHARP, choose
from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.game import GAME_RECORD, RULES_RECORD
from unoflip_env.kernels.batch import step_game
from unoflip_env.kernels.cards import side_in_play
from unoflip_env.kernels.entries import put_actions
from unoflip_env.kernels.jit import cache_dir, kernel, part_of_kernel
from unoflip_env.kernels.legal import legal_actions
from unoflip_env.kernels.observe import write_observation, write_own_hand
from unoflip_env.kernels.scoring import OVER
from unoflip_env.kernels.tables import uniform_of
from unoflip_env.observation import LAYOUT_RECORD


@part_of_kernel
def write_what_is_read(kind, g, r, at, seat, out):
    """Of the seat's observation the entries that the baseline reads; the others are left as they are."""
    if kind == SHARP:
        write_observation(g, r, at, seat, out)
    elif kind == GREEDY:
        write_own_hand(g, False, seat, at, out)
        out[at.side] = side_in_play(g, r)


@part_of_kernel
def play_game(
    g, r, kinds, layouts, key, number, max_turns, reward_kind, observations, legal_mask, rewards, received, decisions
):
    """Play one game on, see `play_on`; `kinds`, `layouts` and `observations` are by seat. Returns the next random number's."""
    while g.phase != OVER and kinds[g.actor] >= 0 and g.num_turns < max_turns:
        seat = np.int64(g.actor)
        w0, w1, w2 = legal_actions(g, r)
        put_actions(w0, w1, w2, legal_mask)
        write_what_is_read(kinds[seat], g, r, layouts[seat], seat, observations[seat])
        action = choose(kinds[seat], observations[seat], legal_mask, uniform_of(key, number), layouts[seat])
        decisions[seat] += 1
        number += np.uint64(1)
        step_game(g, r, action, reward_kind, rewards)
        for i in range(rewards.size):
            received[i] += rewards[i]
    return number


@kernel
def play_on(
    start,
    stop,
    game_bytes,
    rule_bytes,
    which,
    line_ups,
    kinds,
    layout_bytes,
    keys,
    numbers,
    max_turns,
    reward_kind,
    rewards,
    is_over,
    received,
    decisions,
):
    """Let baselines play games which[start:stop] on until a seat that is not theirs decides, or to the end.

    Args:
        start: the first place in `which`.
        stop: the one after the last.
        game_bytes: the games' records.
        rule_bytes: the packed rules.
        which: numbers of games; the arrays of shape (games, ...) below have a row for each game of the batch.
        line_ups: shape (games,) int64: the game's row of `kinds`.
        kinds: shape (line-ups, seats) int64: the baseline at each seat; -1 where another agent sits.
        layout_bytes: shape (line-ups, seats, bytes) uint8: the layout of its observations.
        keys: shape (games,) uint64: the stream of the agents' random numbers.
        numbers: shape (games,) uint64, counted up: the number that the game's next decision gets of its stream.
        max_turns: turns after which a round is broken off, which leaves the game as it is.
        reward_kind: WIN or POINTS.
        rewards: shape (games, seats) float32, written: those of each game's last step.
        is_over: shape (games,) bool, written: whether the game's episode is over.
        received: shape (games, seats) float64: the rewards of all steps are added.
        decisions: shape (games, seats) int64: how many each seat took is added.
    """
    games, r = game_bytes.view(GAME_RECORD), rule_bytes.view(RULES_RECORD)[0]
    layouts = layout_bytes.reshape(-1).view(LAYOUT_RECORD).reshape(kinds.shape)
    longest = 0
    for seat in range(kinds.shape[1]):
        longest = max(longest, layouts[0, seat].length)
    observations = np.zeros((kinds.shape[1], longest), np.uint8)
    legal_mask = np.zeros(NUM_ACTIONS, np.uint8)
    for k in range(start, stop):
        i = which[k]
        g, who, at, won, took = games[i], kinds[line_ups[i]], layouts[line_ups[i]], received[i], decisions[i]
        numbers[i] = play_game(
            g, r, who, at, keys[i], numbers[i], max_turns, reward_kind, observations, legal_mask, rewards[i], won, took
        )
        is_over[i] = g.phase == OVER


@lru_cache
def announce_compilation() -> None:
    """Say, once, on stderr, that `play_on` is to be compiled; nothing if an earlier run left it compiled for these sources."""
    if not any(cache_dir(Path(__file__).resolve().parent).rglob("games.play_on-*.nbi")):
        print("compiling games of baselines, once (about a minute) ...", file=sys.stderr, flush=True)
