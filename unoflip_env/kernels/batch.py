"""Loops over games which[start:stop] of a batch: what Engine calls, from as many threads as it has slices.

`which` lists games by number; row k of what goes in or comes out (actions, seats, masks, observations) is for game which[k],
but `rewards`, `is_over` and `episodes` hold a row for each game of the batch.

Records come as plain bytes and are seen as records within: Numba takes 10 microseconds to tell the type of an array of
records in a call, and a twentieth of that for bytes.
"""

from __future__ import annotations

import numpy as np

from unoflip_env.game import GAME_RECORD, NOBODY, RULES_RECORD
from unoflip_env.kernels.bits import ONE, mix
from unoflip_env.kernels.decide import decide
from unoflip_env.kernels.entries import put_actions
from unoflip_env.kernels.jit import inner_kernel, kernel, part_of_kernel
from unoflip_env.kernels.legal import PROPOSE, VOTE, is_legal, is_penalized, legal_actions
from unoflip_env.kernels.observe import write_observation
from unoflip_env.kernels.redeal import redeal
from unoflip_env.kernels.rounds import next_round, start_episode
from unoflip_env.kernels.scoring import OVER, is_match_decided, match_winners, write_points, write_win
from unoflip_env.kernels.vectors import fetch_game
from unoflip_env.kernels.vote import decide_on_rules, open_vote
from unoflip_env.observation import LAYOUT_RECORD

WIN, POINTS = 0, 1
GAME_STEP, EPISODE_STEP = np.uint64(0xD1342543DE82EF95), np.uint64(0x2545F4914F6CDD1D)
"""Odd constants (L'Ecuyer 1999; Vigna 2016) that spread game and episode numbers over the seeds."""


SETUP = np.dtype([("seed", np.uint64), ("layout", LAYOUT_RECORD), ("rules", RULES_RECORD), ("reward_kind", np.uint8)])
"""What is the same at each step of a batch, in one record: every argument of a call from Python takes its time."""
SETUP_RECORD = np.dtype((np.record, SETUP))


@kernel
def episode_seed(seed, game, episode):
    """The seed of a game's episode, a pure function of the engine's seed and both numbers; all uint64, or arrays of it."""
    return mix(mix(seed + GAME_STEP * (game + ONE)) + EPISODE_STEP * episode)


@kernel
def start_all(start, stop, game_bytes, rule_bytes, which, num_seats, seeds):
    """Start a new episode in each game."""
    games, r = game_bytes.view(GAME_RECORD), rule_bytes.view(RULES_RECORD)[0]
    for k in range(start, stop):
        start_episode(games[which[k]], r, num_seats, seeds[k])


@inner_kernel
def first_refused(start, stop, games, r, which, actions):
    """The first row whose action would be refused; -1 if none."""
    for k in range(start, stop):
        g = games[which[k]]
        if g.phase != OVER and not is_legal(g, r, actions[k]) and not is_penalized(g, r, actions[k]):
            return k
    return -1


@kernel
def find_refused(start, stop, game_bytes, rule_bytes, which, actions):
    """The same, for slices of a batch: none may be stepped before all are looked through."""
    return first_refused(start, stop, game_bytes.view(GAME_RECORD), rule_bytes.view(RULES_RECORD)[0], which, actions)


@part_of_kernel
def step_game(g, r, action, reward_kind, rewards):
    """One decision in one game that is not over, up to the next deal of a match; its rewards to all seats.

    True if the episode is over.
    """
    for seat in range(g.num_seats):
        rewards[seat] = 0.0
    if g.phase == PROPOSE or g.phase == VOTE:
        decide_on_rules(g, r, action)
        if g.phase == OVER:
            next_round(g, r)
        return False
    decide(g, r, action)
    if g.phase != OVER:
        return False
    if reward_kind == POINTS:
        write_points(g, r, rewards)
    if r.is_match:
        if not is_match_decided(g, r):
            go_on(g, r)
            return False
        g.winners = match_winners(g, r)
    if reward_kind == WIN:
        write_win(g, rewards)
    return True


@part_of_kernel
def go_on(g, r):
    """The match goes on: a vote on the rules where there is one (MODE-1), then the next round."""
    if r.rule_vote:
        open_vote(g)
    else:
        next_round(g, r)


@kernel
def step_all(
    start,
    stop,
    game_bytes,
    setup_bytes,
    rewards,
    is_over,
    episodes,
    are_legal,
    which,
    actions,
    masks,
    observations,
):
    """One decision in every game that is not over, unless one is refused: then nothing changes, and that row is returned.

    Games that are over get rewards of 0. Where an episode is over the next is dealt, counted in `episodes`; if that is empty,
    the game stays over. `masks` and `observations` get what the seats that decide next may do and see; either may be empty.
    Returns -1 if none is refused.
    """
    games, setup = game_bytes.view(GAME_RECORD), setup_bytes.view(SETUP_RECORD)[0]
    r, layout = setup.rules, setup.layout
    if not are_legal:
        refused = first_refused(start, stop, games, r, which, actions)
        if refused >= 0:
            return refused
    for k in range(start, stop):
        i = which[k]
        g = games[i]
        fetch_game(games, which[min(k + 1, stop - 1)])
        if g.phase == OVER:
            rewards[i, :] = 0.0
        else:
            is_over[i] = step_game(g, r, actions[k], setup.reward_kind, rewards[i])
        if is_over[i] and episodes.size > 0:
            episodes[i] += ONE
            start_episode(g, r, np.int64(g.num_seats), episode_seed(setup.seed, np.uint64(i), episodes[i]))
        if masks.shape[0] > 0:
            w0, w1, w2 = legal_actions(g, r)
            put_actions(w0, w1, w2, masks[k])
        if observations.shape[0] > 0:
            write_observation(g, r, layout, decider(g), observations[k])
    return -1


@inner_kernel
def decider(g):
    """The seat that decides; seat 0 when the episode is over."""
    return np.int64(g.actor) if g.actor != NOBODY else 0


@kernel
def mask_all(start, stop, game_bytes, rule_bytes, which, out):
    """The legal actions of each game, one byte each, shape (rows, NUM_ACTIONS)."""
    games, r = game_bytes.view(GAME_RECORD), rule_bytes.view(RULES_RECORD)[0]
    for k in range(start, stop):
        w0, w1, w2 = legal_actions(games[which[k]], r)
        put_actions(w0, w1, w2, out[k])


@kernel
def observe_all(start, stop, game_bytes, rule_bytes, which, layout_bytes, seats, out):
    """Each game as one of its seats sees it; NOBODY stands for the seat that decides (seat 0 when the episode is over)."""
    games, r = game_bytes.view(GAME_RECORD), rule_bytes.view(RULES_RECORD)[0]
    layout = layout_bytes.view(LAYOUT_RECORD)[0]
    for k in range(start, stop):
        g, seat = games[which[k]], np.int64(seats[k])
        if seat == NOBODY:
            seat = decider(g)
        write_observation(g, r, layout, seat, out[k])


@kernel
def redeal_one(game_bytes, rule_bytes, observer, seed, positions):
    redeal(game_bytes.view(GAME_RECORD)[0], rule_bytes.view(RULES_RECORD)[0], observer, seed, positions)
