"""The end of a round and of a match (END, SCORE, TURN-7 to TURN-9), and what a seat is rewarded with."""

from __future__ import annotations

import numpy as np

from unoflip_env.deck import LIGHT, SLOT_POINTS
from unoflip_env.game import FEWEST_POINTS, NOBODY, RULE_SCORE_SIDE, SCORE_LIGHT, WINNER_TAKES, Phase, Termination
from unoflip_env.kernels.bits import ONE, ZERO, lowest, popcount
from unoflip_env.kernels.cards import forget_play, num_teams, side_in_play
from unoflip_env.kernels.jit import inner_kernel, part_of_kernel

OVER = int(Phase.OVER)
EMPTY_HAND, TIMEOUT = int(Termination.EMPTY_HAND), int(Termination.TIMEOUT)


@inner_kernel
def count_points(g, r, seat):
    """SCORE-1 to SCORE-3: the points in a hand."""
    side = LIGHT if g.rules[RULE_SCORE_SIDE] == SCORE_LIGHT else np.int64(g.side)
    faces = side_in_play(g, r) if side == g.side else LIGHT
    points = 0
    for half in range(2):
        word = g.hand[side, seat, half]
        while word != ZERO:
            points += SLOT_POINTS[faces, 64 * half + lowest(word)]
            word &= word - ONE
    return points


@inner_kernel
def sum_of_team(g, r, values, team):
    """TEAM-1."""
    total = 0
    for seat in range(team, g.num_seats, num_teams(g, r)):
        total += values[seat]
    return total


@inner_kernel
def seats_of_team(g, r, team):
    """As bits."""
    seats = 0
    for seat in range(team, g.num_seats, num_teams(g, r)):
        seats |= 1 << seat
    return seats


@inner_kernel
def least_teams(g, r, values, sign):
    """The seats of the teams with the least sign * sum of values, as bits."""
    seats, best = 0, 0
    for team in range(num_teams(g, r)):
        total = sign * sum_of_team(g, r, values, team)
        if seats == 0 or total < best:
            seats, best = 0, total
        if total == best:
            seats |= seats_of_team(g, r, team)
    return seats


@inner_kernel
def first_out(g):
    """END-1: the seat that emptied its hand first among those whose hands are empty."""
    first, least = NOBODY, NOBODY + 1
    for seat in range(g.num_seats):
        if g.hand_size[seat] == 0 and g.went_out[seat] < least:
            first, least = seat, np.int64(g.went_out[seat])
    return first


@part_of_kernel
def find_winners(g, r):
    """END-1, TURN-7, TURN-8, TEAM-1: who wins the round, as bits."""
    if g.termination == EMPTY_HAND:
        return seats_of_team(g, r, first_out(g) % num_teams(g, r))
    if g.termination == TIMEOUT and r.timeout_winner != FEWEST_POINTS:
        return least_teams(g, r, g.hand_size, 1)
    return least_teams(g, r, g.hand_points, 1)


@inner_kernel
def losers_points(g, winners):
    """The points in all hands that did not win."""
    points = 0
    for seat in range(g.num_seats):
        if not (winners >> seat) & 1:
            points += g.hand_points[seat]
    return points


@part_of_kernel
def add_scores(g, r):
    """SCORE-4, TURN-9, TEAM-1: every seat has the score of its team."""
    winners = np.int64(g.round_winners)
    teams = num_teams(g, r)
    share = losers_points(g, winners) * np.int64(g.num_seats) // (popcount(np.uint64(winners)) * teams)
    for seat in range(g.num_seats):
        if r.scoring != WINNER_TAKES:
            g.scores[seat] += sum_of_team(g, r, g.hand_points, seat % teams)
        elif (winners >> seat) & 1:
            g.scores[seat] += share


@inner_kernel
def end_round(g, r):
    """Count the hands and add up the scores; the episode is over, unless a match goes on (see batch.py)."""
    for seat in range(g.num_seats):
        g.hand_points[seat] = count_points(g, r, seat)
    g.round_winners = find_winners(g, r)
    g.winners = g.round_winners
    add_scores(g, r)
    g.num_rounds += 1
    forget_play(g)
    g.phase = OVER
    g.actor = NOBODY


@inner_kernel
def is_match_decided(g, r):
    """SCORE-5: some seat has reached the target."""
    for seat in range(g.num_seats):
        if g.scores[seat] >= r.target:
            return True
    return False


@inner_kernel
def match_winners(g, r):
    """SCORE-5: the highest score, or the lowest under `own_hand`, as bits."""
    return least_teams(g, r, g.scores, -1 if r.scoring == WINNER_TAKES else 1)


@inner_kernel
def write_win(g, out):
    """Reward `win`: the winners share +1, the others share -1; all zero when everyone wins."""
    winners = np.int64(g.winners)
    num_winners = popcount(np.uint64(winners))
    num_losers = np.int64(g.num_seats) - num_winners
    for seat in range(g.num_seats):
        if num_losers == 0:
            out[seat] = 0.0
        else:
            out[seat] = 1.0 / num_winners if (winners >> seat) & 1 else -1.0 / num_losers


@inner_kernel
def write_points(g, r, out):
    """Reward `points`: each seat loses the points in its hand; under `winner_takes` the winners share what the others lose."""
    winners = np.int64(g.round_winners)
    share = losers_points(g, winners) // popcount(np.uint64(winners))
    for seat in range(g.num_seats):
        out[seat] = share if r.scoring == WINNER_TAKES and (winners >> seat) & 1 else -g.hand_points[seat]
