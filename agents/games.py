"""Whole games of baselines inside one compiled loop: the same games, decision by decision, as any other way to play them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from agents.baselines import GREEDY, SHARP, choose
from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.game import GAME_RECORD, RULES_RECORD
from unoflip_env.kernels.batch import POINTS, step_game
from unoflip_env.kernels.bits import GAMMA, mix
from unoflip_env.kernels.cards import side_in_play
from unoflip_env.kernels.entries import put_actions
from unoflip_env.kernels.jit import cache_dir, kernel, part_of_kernel
from unoflip_env.kernels.legal import legal_actions
from unoflip_env.kernels.observe import write_observation, write_own_hand
from unoflip_env.kernels.rounds import start_episode
from unoflip_env.observation import LAYOUT_RECORD

_S11 = np.uint64(11)


@kernel
def uniform_of(key, number):
    """unoflip_env.streams.random_uniforms for one number."""
    return (mix(mix(key) + number * GAMMA) >> _S11) * 2.0**-53


@part_of_kernel
def write_what_is_read(kind, g, r, at, seat, out):
    """Of the seat's observation the entries that the baseline reads; the others are left as they are."""
    if kind == SHARP:
        write_observation(g, r, at, seat, out)
    elif kind == GREEDY:
        write_own_hand(g, False, seat, at, out)
        out[at.side] = side_in_play(g, r)


@part_of_kernel
def play_game(g, r, kinds, layouts, key, max_turns, observations, legal_mask, rewards, points, decisions):
    """Play a game that has been dealt; `kinds`, `layouts` and `observations` are by seat. False if it was broken off."""
    number = np.uint64(0)
    while True:
        seat = np.int64(g.actor)
        w0, w1, w2 = legal_actions(g, r)
        put_actions(w0, w1, w2, legal_mask)
        write_what_is_read(kinds[seat], g, r, layouts[seat], seat, observations[seat])
        action = choose(kinds[seat], observations[seat], legal_mask, uniform_of(key, number), layouts[seat])
        decisions[seat] += 1
        number += np.uint64(1)
        is_over = step_game(g, r, action, POINTS, rewards)
        for i in range(rewards.size):
            points[i] += rewards[i]
        if is_over or g.num_turns >= max_turns:
            return is_over


@kernel
def play_games(
    start, stop, game_bytes, rule_bytes, kinds, layout_bytes, deal_seeds, keys, max_turns, winners, points, decisions, is_over
):
    """Play games start..stop-1 of those listed.

    Args:
        start: the first of them.
        stop: the one after the last.
        game_bytes: one game's record, as room to play in.
        rule_bytes: the packed rules.
        kinds: shape (rotations, seats) int64: the baseline at each seat; game i is of rotation i mod rotations.
        layout_bytes: shape (rotations, seats, bytes) uint8: the layout of its observations.
        deal_seeds: shape (games,) uint64.
        keys: shape (games,) uint64: the stream of the agents' random numbers; decision n gets uniform number n.
        max_turns: turns after which a round is broken off.
        winners: shape (games,) uint16, written: the winning seats as bits; 0 for a game that was broken off.
        points: shape (games, seats) float64 of zeros: each round's points are added.
        decisions: shape (games, seats) int64 of zeros: how many each seat took.
        is_over: shape (games,) bool, set once a game is played.
    """
    g, r = game_bytes.view(GAME_RECORD)[0], rule_bytes.view(RULES_RECORD)[0]
    layouts = layout_bytes.reshape(-1).view(LAYOUT_RECORD).reshape(kinds.shape)
    observations = np.zeros((kinds.shape[1], layouts[0].length.max()), np.uint8)
    legal_mask, rewards = np.zeros(NUM_ACTIONS, np.uint8), np.zeros(kinds.shape[1], np.float32)
    for i in range(start, stop):
        who, at, won, took = kinds[i % len(kinds)], layouts[i % len(kinds)], points[i], decisions[i]
        start_episode(g, r, kinds.shape[1], deal_seeds[i])
        ends = play_game(g, r, who, at, keys[i], max_turns, observations, legal_mask, rewards, won, took)
        winners[i] = g.winners if ends else 0
        is_over[i] = True


def is_compiled() -> bool:
    """Whether an earlier run left `play_games` compiled for these sources."""
    return any(cache_dir(Path(__file__).resolve().parent).rglob("games.play_games-*.nbi"))
