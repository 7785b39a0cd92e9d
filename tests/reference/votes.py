"""The winner of a round proposes a change of rule, and the others vote (MODE-1)."""

from __future__ import annotations

from tests.reference.decision import Decision, Flow
from tests.reference.table import Table
from unoflip_env.actions import AGREE, DECLINE, PROPOSALS, PROPOSE, REFUSE


def vote(table: Table, proposer: int) -> Flow[None]:
    """Ask for a proposal and, if there is one, every other seat; `table.rules` change if all agree."""
    table.turn_seat = proposer
    action = yield Decision(proposer, "propose", frozenset(_proposals(table)) | {DECLINE})
    if action == DECLINE:
        table.happened["nothing_proposed"] += 1
        return
    table.proposal = action - PROPOSE
    answers = set()
    for seat in range(table.num_seats):
        if seat != proposer:
            answers.add((yield Decision(seat, "vote", frozenset({AGREE, REFUSE}))))
    if REFUSE not in answers:
        table.rules = table.rules.propose(table.proposal)
    table.happened["vote_refused" if REFUSE in answers else "vote_taken"] += 1


def _proposals(table: Table) -> list[int]:
    """Those that would change something; the classic deck has no other side to score."""
    one_sided = table.rules.deck == "classic"
    possible = [place for place, (name, _) in enumerate(PROPOSALS) if name != "score_side" or not one_sided]
    return [PROPOSE + place for place in possible if table.rules.propose(place) != table.rules]
