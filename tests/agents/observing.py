"""Observations made by hand: what a seat sees, written in the names of cards."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.deck import FACE_START, LIGHT, NO_COLOR, NUM_FACES, face_name
from unoflip_env.game import Phase
from unoflip_env.observation import ObservationLayout, observation_layout

LAYOUT = observation_layout(4)


def face(name: str, side: int = LIGHT) -> int:
    """The face of that name, such as 'red 7' or 'wild'."""
    return [face_name(side, face) for face in range(NUM_FACES)].index(name)


def slot(name: str, side: int = LIGHT, copy: int = 0) -> int:
    """The action that plays it."""
    return int(FACE_START[face(name, side)]) + copy


def mask(*actions: int) -> np.ndarray:
    """A legal mask of these actions."""
    legal = np.zeros(NUM_ACTIONS, np.bool_)
    legal[list(actions)] = True
    return legal


def observe(
    hand: Sequence[str],
    others: Sequence[int] = (7,),
    *,
    side: int = LIGHT,
    top: str = "red 5",
    color: int | None = None,
    known: Sequence[Sequence[str]] = (),
    backs: Sequence[str] = (),
    other_backs: Sequence[Sequence[str]] = (),
    flip_face: str = "",
    phase: Phase = Phase.PLAY,
    turn_seat: int = 0,
    challenged_color: int = NO_COLOR,
    layout: ObservationLayout = LAYOUT,
) -> np.ndarray:
    """The observation of a seat with this hand; `others` are the sizes of the other hands, by seats on from it.

    `known[k]` and `other_backs[k]` are fronts and backs of other hand k, `backs` those of the own hand, in its order.
    """
    row = np.zeros(layout.size, np.uint8)
    fields = layout.view(row)
    for i, name in enumerate(hand):
        place = slot(name, side)
        place += int(fields["own_hand"][place : place + 4].cumprod().sum())
        fields["own_hand"][place] = 1
        if backs:
            fields["own_backs"][place] = 1 + face(backs[i], 1 - side)
    for k, size in enumerate(others):
        fields["hand_sizes"][k + 1] = size
    fields["hand_sizes"][0], fields["num_seats"][0] = len(hand), 1 + len(others)
    for k, names in enumerate(known):
        for name in names:
            fields["other_known"][k, face(name, side)] += 1
    for k, names in enumerate(other_backs):
        for name in names:
            fields["other_backs"][k, face(name, 1 - side)] += 1
    top_face = face(top, side)
    fields["top_face"][0], fields["discards"][top_face] = top_face, 1
    fields["color"][0] = top_face // 13 if color is None else color
    fields["flip_face"][0] = 1 + face(flip_face, 1 - side) if flip_face else 0
    fields["side"][0], fields["is_forward"][0], fields["phase"][0] = side, 1, phase
    fields["turn_seat"][0], fields["challenged_color"][0], fields["actor"][0] = turn_seat, challenged_color, 1
    fields["draw_size"][0] = 112 - 1 - len(hand) - sum(others)
    return row
