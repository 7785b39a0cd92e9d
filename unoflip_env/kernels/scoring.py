"""The end of a round and of a match (END, SCORE, TURN-7 to TURN-9), and what a seat is rewarded with."""

from __future__ import annotations

import numpy as np

from unoflip_env.deck import LIGHT, SLOT_POINTS
from unoflip_env.game import FEWEST_POINTS, NOBODY, SCORE_LIGHT, WINNER_TAKES, Phase, Termination
from unoflip_env.kernels.bits import ONE, ZERO, lowest
from unoflip_env.kernels.jit import kernel

OVER = int(Phase.OVER)
EMPTY_HAND, TIMEOUT = int(Termination.EMPTY_HAND), int(Termination.TIMEOUT)


@kernel
def count_points(g, r, seat):
    """SCORE-1, SCORE-3: the points in a hand."""
    side = LIGHT if r.score_side == SCORE_LIGHT else np.int64(g.side)
    points = 0
    for half in range(2):
        word = g.hand[side, seat, half]
        while word != ZERO:
            points += SLOT_POINTS[side, 64 * half + lowest(word)]
            word &= word - ONE
    return points


@kernel
def lowest_seats(values, sign, num_seats):
    """The seats with the least sign * value, as bits."""
    best = sign * np.int64(values[0])
    for seat in range(1, num_seats):
        best = min(best, sign * np.int64(values[seat]))
    seats = 0
    for seat in range(num_seats):
        if sign * np.int64(values[seat]) == best:
            seats |= 1 << seat
    return seats


@kernel
def count_seats(seats):
    count = 0
    while seats:
        count += seats & 1
        seats >>= 1
    return count


@kernel
def find_winners(g, r):
    """END-1, TURN-7, TURN-8: who wins the round, as bits."""
    if g.termination == EMPTY_HAND:
        return 1 << np.int64(g.turn_seat)
    if g.termination == TIMEOUT and r.timeout_winner != FEWEST_POINTS:
        return lowest_seats(g.hand_size, 1, np.int64(g.num_seats))
    return lowest_seats(g.hand_points, 1, np.int64(g.num_seats))


@kernel
def losers_points(g, winners):
    """The points in all hands that did not win."""
    points = 0
    for seat in range(g.num_seats):
        if not (winners >> seat) & 1:
            points += g.hand_points[seat]
    return points


@kernel
def add_scores(g, r):
    """SCORE-4, TURN-9."""
    winners = np.int64(g.round_winners)
    share = losers_points(g, winners) // count_seats(winners)
    for seat in range(g.num_seats):
        if r.scoring != WINNER_TAKES:
            g.scores[seat] += g.hand_points[seat]
        elif (winners >> seat) & 1:
            g.scores[seat] += share


@kernel
def end_round(g, r):
    """Count the hands and add up the scores; the episode is over, unless a match goes on (see batch.py)."""
    for seat in range(g.num_seats):
        g.hand_points[seat] = count_points(g, r, seat)
    g.round_winners = find_winners(g, r)
    g.winners = g.round_winners
    add_scores(g, r)
    g.num_rounds += 1
    g.phase = OVER
    g.actor = NOBODY


@kernel
def is_match_decided(g, r):
    """SCORE-5: some seat has reached the target."""
    for seat in range(g.num_seats):
        if g.scores[seat] >= r.target:
            return True
    return False


@kernel
def match_winners(g, r):
    """SCORE-5: the highest score, or the lowest under `own_hand`, as bits."""
    return lowest_seats(g.scores, -1 if r.scoring == WINNER_TAKES else 1, np.int64(g.num_seats))


@kernel
def write_win(g, out):
    """Reward `win`: the winners share +1, the others share -1; all zero when everyone wins."""
    winners = np.int64(g.winners)
    num_winners = count_seats(winners)
    num_losers = np.int64(g.num_seats) - num_winners
    for seat in range(g.num_seats):
        if num_losers == 0:
            out[seat] = 0.0
        else:
            out[seat] = 1.0 / num_winners if (winners >> seat) & 1 else -1.0 / num_losers


@kernel
def write_points(g, r, out):
    """Reward `points`: each seat loses the points in its hand; under `winner_takes` the winners share what the others lose."""
    winners = np.int64(g.round_winners)
    share = losers_points(g, winners) // count_seats(winners)
    for seat in range(g.num_seats):
        out[seat] = share if r.scoring == WINNER_TAKES and (winners >> seat) & 1 else -g.hand_points[seat]
