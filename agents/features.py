"""What the network reads: the cards of an observation counted by face and sorted by colour, and the rest of the table.

Other seats are put in the order in which they play, so that the next to play is always in the same place. Compiled, since
every decision needs it; it takes about as long as writing the observation.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np

from unoflip_env.actions import PROPOSALS
from unoflip_env.deck import CLASSIC, DARK, NO_COLOR, NUM_CARDS, NUM_COLORS, NUM_FACES, SLOT_FACE
from unoflip_env.game import OBSERVED, Phase
from unoflip_env.kernels.jit import inner_kernel, kernel
from unoflip_env.observation import LAYOUT_RECORD, ObservationLayout

COLOR_FACES = NUM_FACES // NUM_COLORS  # faces of one colour; the wilds come after those of all colours
NUM_COLORED = COLOR_FACES * NUM_COLORS
NUM_WILDS = NUM_FACES - NUM_COLORED

# A plane counts cards by face. Those of the other hands come last, in the order of play.
OWN, DRAWN, DISCARDS, TOP, CUT, OTHER_KNOWN = range(6)  # of the side in play
OWN_BACKS, SEEN_BACKS, FLIP_FACE, DRAW_BACK, OTHER_BACKS = range(5)  # of the other side
# After its planes, what else is said of each colour; the last is the same for all.
IS_IN_PLAY, IS_CHALLENGED, IS_DARK, NUM_FLAGS = range(4)
IS_NEXT_BY_FLIP, IS_BACK_OF_DARK, NUM_BACK_FLAGS = range(3)

BY_PLACE = (("hand_sizes", 0.1), ("said_uno", 1.0), ("scores", 0.01))  # a number for each place
PLACES = ("turn_seat", "silent_seat", "cutter")  # one place, as 1 there; the last two count from 1, where 0 is none
SINGLES = (
    ("is_dark", 1.0),
    ("is_classic", 1.0),
    ("draw_size", 0.01),
    ("pending_draws", 0.5),
    ("turns_left", 0.01),
    ("pair_size", 0.5),
)
"""What belongs to no colour, in this order and with these scales. There follow, as 1 in its place, the phase and the
proposal voted on, and a number for each of the rules in force."""
RULE_SCALE = 0.25

NUM_PHASES = len(Phase)

Places = namedtuple("Places", "front_colors back_colors front_wilds back_wilds table own_backs place_of_seat")


def run_whole(kernel: Callable[..., Any], num_rows: int, *arguments: Any) -> None:
    """Call a batch kernel on all rows at once."""
    kernel(0, num_rows, *arguments)


class Features:
    """The features of observations of one layout: a flat vector of `size` small integers (uint8).

    `sizes` and `slices` tell how long each part is and where it lies: `front_colors` and `back_colors` (NUM_COLORS rows),
    `front_wilds`, `back_wilds` and `table` are for reading; `own_backs` (1 + the face on the back of each held slot, 0 for
    none) and `place_of_seat` (where in the order of play the seat k + 1 places on comes) are indices.
    """

    def __init__(self, layout: ObservationLayout) -> None:
        self.layout = layout
        others = layout.max_players - 1
        num_planes, num_back_planes = OTHER_KNOWN + others, OTHER_BACKS + others
        self.sizes = {
            "front_colors": NUM_COLORS * (num_planes * COLOR_FACES + NUM_FLAGS),
            "back_colors": NUM_COLORS * (num_back_planes * COLOR_FACES + NUM_BACK_FLAGS),
            "front_wilds": num_planes * NUM_WILDS,
            "back_wilds": num_back_planes * NUM_WILDS,
            "table": (len(BY_PLACE) + len(PLACES)) * layout.max_players
            + len(SINGLES)
            + len(Phase)
            + len(PROPOSALS)
            + len(OBSERVED),
            "own_backs": NUM_CARDS,
            "place_of_seat": others,
        }
        ends = list(accumulate(self.sizes.values()))
        self.slices = {name: slice(end - self.sizes[name], end) for name, end in zip(self.sizes, ends, strict=True)}
        self.size = ends[-1]
        self._places = Places(*((part.start, part.stop) for part in self.slices.values()))

    @property
    def table_scales(self) -> np.ndarray:
        """What to multiply the entries of `table` with, shape (sizes["table"],) float32."""
        by_place = np.repeat([scale for _, scale in BY_PLACE], self.layout.max_players)
        places = np.ones(len(PLACES) * self.layout.max_players)
        singles = [scale for _, scale in SINGLES]
        categories = np.ones(len(Phase) + len(PROPOSALS))
        rules = np.full(len(OBSERVED), RULE_SCALE)
        return np.concatenate([by_place, places, singles, categories, rules]).astype(np.float32)

    def __call__(self, observations: np.ndarray, run: Callable[..., Any] = run_whole) -> np.ndarray:
        """Features, shape (batch, size) uint8, of observations of shape (batch, layout.size). Raises ValueError.

        `run` calls the kernel, as Engine.run does, on as many threads as it likes.
        """
        if observations.ndim != 2 or observations.shape[1] != self.layout.size or observations.dtype != np.uint8:
            expected = f"expected uint8 of shape (batch, {self.layout.size}) ({self.layout})"
            raise ValueError(f"observations: {observations.dtype} of shape {observations.shape}, {expected}")
        out = np.zeros((len(observations), self.size), np.uint8)
        run(write_all, len(observations), observations, self.layout.as_bytes, self._places, out)
        return out


@kernel
def count_face(face, plane, colors, wilds):
    """Add a card to a plane."""
    if face < NUM_COLORED:
        colors[face // COLOR_FACES, plane * COLOR_FACES + face % COLOR_FACES] += 1
    else:
        wilds[plane * NUM_WILDS + face - NUM_COLORED] += 1


# Places are unsigned: of any others the compiler asks each time whether they count from the end, and moves bytes one by one.
@inner_kernel
def copy_counts(obs, start, plane, colors, wilds):
    """A plane of cards that the observation counts by face."""
    for color in range(NUM_COLORS):
        for face in range(COLOR_FACES):
            count = obs[np.uint64(start + COLOR_FACES * color + face)]
            colors[np.uint64(color), np.uint64(COLOR_FACES * plane + face)] = count
    for wild in range(NUM_WILDS):
        wilds[np.uint64(NUM_WILDS * plane + wild)] = obs[np.uint64(start + NUM_COLORED + wild)]


@inner_kernel
def count_slots(obs, start, plane, colors, wilds):
    """A plane of cards that the observation has by slot: two slots a coloured face, four a wild."""
    for color in range(NUM_COLORS):
        for face in range(COLOR_FACES):
            slot = np.uint64(start + 2 * (COLOR_FACES * color + face))
            count = obs[slot] + obs[slot + np.uint64(1)]
            colors[np.uint64(color), np.uint64(COLOR_FACES * plane + face)] = count
    for wild in range(NUM_WILDS):
        slot = start + 2 * NUM_COLORED + 4 * wild
        wilds[np.uint64(NUM_WILDS * plane + wild)] = obs[slot] + obs[slot + 1] + obs[slot + 2] + obs[slot + 3]


@inner_kernel
def count_backs(obs, start, plane, colors, wilds, counts):
    """A plane of backs that the observation has by slot, as 1 + face, where 0 is none; `counts` is to scribble on.

    Nothing asks where there is a back: a branch that cannot be foreseen takes longer than counting what is not there.
    """
    counts[:] = 0
    for slot in range(NUM_CARDS):
        counts[np.uint64(obs[np.uint64(start + slot)])] += np.uint8(1)
    copy_counts(counts, 1, plane, colors, wilds)


@kernel
def count_named(face, plane, colors, wilds):
    """One card, as 1 + face, where 0 is none."""
    if face > 0:
        count_face(np.int64(face) - 1, plane, colors, wilds)


@kernel
def seat_at(place, num_seats, is_forward):
    """The seat whose place in the order of play this is, and the other way round. Empty places stay where they are."""
    return place if is_forward or place == 0 or place >= num_seats else num_seats - place


@kernel
def write_fronts(obs, at, num_seats, colors, wilds):
    """The cards by their faces on the side in play."""
    count_slots(obs, at.own_hand, OWN, colors, wilds)
    if obs[at.drawn_slot] > 0:
        count_face(np.int64(SLOT_FACE[obs[at.drawn_slot] - 1]), DRAWN, colors, wilds)
    copy_counts(obs, at.discards, DISCARDS, colors, wilds)
    count_face(np.int64(obs[at.top_face]), TOP, colors, wilds)
    count_named(obs[at.cut_face], CUT, colors, wilds)
    for place in range(1, num_seats):
        other = seat_at(place, num_seats, obs[at.is_forward] > 0) - 1
        copy_counts(obs, at.other_known + NUM_FACES * other, OTHER_KNOWN + place - 1, colors, wilds)
    flags = colors[:, colors.shape[1] - NUM_FLAGS :]
    if obs[at.color] != NO_COLOR:
        flags[obs[at.color], IS_IN_PLAY] = 1
    if obs[at.challenged_color] != NO_COLOR:
        flags[obs[at.challenged_color], IS_CHALLENGED] = 1
    flags[:, IS_DARK] = obs[at.side] == DARK


@kernel
def write_backs(obs, at, num_seats, colors, wilds, counts):
    """The cards by their faces on the other side."""
    count_backs(obs, at.own_backs, OWN_BACKS, colors, wilds, counts)
    count_backs(obs, at.seen_backs, SEEN_BACKS, colors, wilds, counts)
    count_named(obs[at.flip_face], FLIP_FACE, colors, wilds)
    count_named(obs[at.draw_back], DRAW_BACK, colors, wilds)
    for place in range(1, num_seats):
        other = seat_at(place, num_seats, obs[at.is_forward] > 0) - 1
        copy_counts(obs, at.other_backs + NUM_FACES * other, OTHER_BACKS + place - 1, colors, wilds)
    flags = colors[:, colors.shape[1] - NUM_BACK_FLAGS :]
    if 0 < obs[at.flip_face] <= NUM_COLORED:
        flags[(obs[at.flip_face] - 1) // COLOR_FACES, IS_NEXT_BY_FLIP] = 1
    flags[:, IS_BACK_OF_DARK] = obs[at.side] == DARK


@kernel
def write_places(obs, at, num_seats, table):
    """What is said of each place in the order of play."""
    players = at.max_players
    is_forward = obs[at.is_forward] > 0
    for place in range(players):
        seat = seat_at(place, num_seats, is_forward)
        table[place] = obs[at.hand_sizes + seat]
        table[players + place] = obs[at.said_uno + seat]
        table[2 * players + place] = obs[at.scores + seat]
    table[3 * players + seat_at(np.int64(obs[at.turn_seat]), num_seats, is_forward)] = 1
    if obs[at.silent_seat] > 0:
        table[4 * players + seat_at(np.int64(obs[at.silent_seat]) - 1, num_seats, is_forward)] = 1
    if obs[at.cutter] > 0:
        table[5 * players + seat_at(np.int64(obs[at.cutter]) - 1, num_seats, is_forward)] = 1


@kernel
def write_singles(obs, at, singles):
    """The rest of what belongs to no colour."""
    singles[0] = obs[at.side] == DARK
    singles[1] = obs[at.side] == CLASSIC
    singles[2] = obs[at.draw_size]
    singles[3] = obs[at.pending_draws]
    singles[4] = obs[at.turns_left]
    singles[5] = obs[at.pair_size]
    phases = singles[len(SINGLES) :]
    phases[obs[at.phase]] = 1
    proposals = phases[NUM_PHASES:]
    if obs[at.proposal] > 0:
        proposals[obs[at.proposal] - 1] = 1
    rules = proposals[len(PROPOSALS) :]
    for i in range(len(OBSERVED)):
        rules[i] = obs[at.rules + i]


@kernel
def write_all(start, end, observations, layout_bytes, places, out):
    """The features of the observations from `start` to before `end`, into rows of zeros."""
    at = layout_bytes.view(LAYOUT_RECORD)[0]
    counts = np.empty(1 + NUM_FACES, np.uint8)
    for i in range(start, end):
        obs, row = observations[i], out[i]
        num_seats = np.int64(obs[at.num_seats])
        fronts = row[places.front_colors[0] : places.front_colors[1]].reshape((NUM_COLORS, -1))
        backs = row[places.back_colors[0] : places.back_colors[1]].reshape((NUM_COLORS, -1))
        write_fronts(obs, at, num_seats, fronts, row[places.front_wilds[0] :])
        write_backs(obs, at, num_seats, backs, row[places.back_wilds[0] :], counts)
        table = row[places.table[0] : places.table[1]]
        write_places(obs, at, num_seats, table)
        write_singles(obs, at, table[(len(BY_PLACE) + len(PLACES)) * at.max_players :])
        row[places.own_backs[0] : places.own_backs[1]] = obs[at.own_backs : at.own_backs + NUM_CARDS]
        for other in range(at.max_players - 1):
            row[places.place_of_seat[0] + other] = seat_at(other + 1, num_seats, obs[at.is_forward] > 0) - 1
