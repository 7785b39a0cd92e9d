"""The vote on a change of rule after a round (MODE-1)."""

from __future__ import annotations

import numpy as np

from unoflip_env import actions
from unoflip_env.game import NOBODY
from unoflip_env.kernels.bits import lowest
from unoflip_env.kernels.jit import inner_kernel
from unoflip_env.kernels.legal import PROPOSE, VOTE
from unoflip_env.kernels.scoring import EMPTY_HAND, OVER, first_out
from unoflip_env.kernels.turns import ask


@inner_kernel
def open_vote(g):
    """The winner of the round proposes; of several the one that went out, else the lowest seat."""
    winner = first_out(g) if g.termination == EMPTY_HAND else lowest(np.uint64(g.round_winners))
    g.turn_seat = winner
    g.is_rejected = 0
    ask(g, PROPOSE, winner)


@inner_kernel
def ask_next_voter(g, seat):
    """The next seat from this one on, the proposer left out; after the last the vote is over."""
    if seat == g.turn_seat:
        seat += 1
    if seat < g.num_seats:
        ask(g, VOTE, seat)
        return
    close_vote(g)


@inner_kernel
def close_vote(g):
    g.proposal = 0
    g.phase = OVER
    g.actor = NOBODY


@inner_kernel
def decide_on_rules(g, r, action):
    """A proposal or a vote; once all have voted, and none against it, the rule is changed. The phase is then OVER."""
    if g.phase == PROPOSE:
        if action == actions.DECLINE:
            close_vote(g)
            return
        g.proposal = 1 + action - actions.PROPOSE
        ask_next_voter(g, 0)
        return
    if action == actions.REFUSE:
        g.is_rejected = 1
    proposal = np.int64(g.proposal) - 1
    ask_next_voter(g, np.int64(g.actor) + 1)
    if g.phase == OVER and not g.is_rejected:
        g.rules[r.proposals[proposal, 0]] = r.proposals[proposal, 1]
