"""What a seat may know, as a table of named fields: the one place that says what an observation holds.

`ObservationLayout` gives each field its place in a flat vector of small integers (uint8). The kernels write by it, agents
and networks read by it, and `describe_observation()` prints it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np

from unoflip_env.actions import MAX_SEATS, PROPOSALS
from unoflip_env.deck import NUM_CARDS, NUM_COLORS, NUM_FACES
from unoflip_env.game import OBSERVED, Phase

INFORMATION = ("table", "fronts", "open")


@dataclass(frozen=True)
class Field:
    """One named part of an observation.

    `num_values` bounds the entries (0 to num_values - 1); `is_category` says that they name things rather than count;
    `needs` names the information that fills it ('' = any); where that is not given the entries are 0.
    """

    name: str
    shape: tuple[int, ...]
    num_values: int
    is_category: bool
    needs: str
    doc: str
    start: int = 0

    @property
    def size(self) -> int:
        """Number of entries."""
        return prod(self.shape)

    @property
    def slice(self) -> slice:
        """Its place in the flat vector."""
        return slice(self.start, self.start + self.size)


def _fields(max_players: int, information: str) -> list[Field]:
    """Rows of the table. A seat is relative to the observer: 0 is itself, k the seat k places on; 'other k' is seat k + 1."""
    others, faces, slots = max_players - 1, NUM_FACES, NUM_CARDS
    rows = [
        ("own_hand", (slots,), 2, False, "", "held slots of your hand on the side in play"),
        ("own_backs", (slots,), faces + 1, True, "own backs", "1 + the face on the back of each held slot"),
        ("hand_sizes", (max_players,), slots + 1, False, "", "cards in each hand, by seat"),
        ("other_backs", (others, faces), slots + 1, False, "backs", "backs of each other hand, cards by face"),
        ("other_known", (others, faces), slots + 1, False, "", "fronts known for certain in each other hand, cards by face"),
        ("discards", (faces,), 5, False, "", "cards in the discard pile by face in play, the top card included"),
        (
            "seen_backs",
            (slots,),
            faces + 1,
            True,
            "backs",
            "cards that lay face up this round: 1 + the face on the back, by slot",
        ),
        ("top_face", (1,), faces, True, "", "face of the top card"),
        ("color", (1,), NUM_COLORS + 1, True, "", "colour in play; 4 before the first is named"),
        ("flip_face", (1,), faces + 1, True, "backs", "1 + the face that a Flip played now would bring up"),
        ("draw_size", (1,), slots + 1, False, "", "cards in the draw pile"),
        ("draw_back", (1,), faces + 1, True, "backs", "1 + the face that lies open on the draw pile; 0 if it is empty"),
        ("side", (1,), 3, True, "", "side in play: 0 light, 1 dark, 2 the classic deck's only one"),
        ("is_forward", (1,), 2, True, "", "direction of play: 1 towards rising seats"),
        ("num_seats", (1,), max_players + 1, False, "", "seats at the table"),
        ("phase", (1,), len(Phase), True, "", "what is being decided (unoflip_env.game.Phase)"),
        ("actor", (1,), max_players + 1, True, "", "1 + seat that decides; 0 when the episode is over"),
        (
            "turn_seat",
            (1,),
            max_players,
            True,
            "",
            "seat in turn, or that stacked or cut in since: who may be challenged",
        ),
        (
            "pending_draws",
            (1,),
            slots + 1,
            False,
            "",
            "cards to be drawn by whoever must; 0 for a wild draw: until the colour",
        ),
        ("pair_size", (1,), 3, False, "", "cards of the play at hand: 2 once a second card has followed"),
        ("silent_seat", (1,), max_players + 1, True, "", "1 + seat that may be caught without UNO; 0 if none"),
        ("cutter", (1,), max_players + 1, True, "", "1 + seat that has cut in with a card yet to land; 0 if none"),
        ("cut_face", (1,), faces + 1, True, "", "1 + face of that card"),
        ("proposal", (1,), len(PROPOSALS) + 1, True, "", "1 + the change of rule that is voted on; 0 if none"),
        (
            "challenged_color",
            (1,),
            NUM_COLORS + 1,
            True,
            "",
            "colour in play before this turn's last wild draw; 4 if none",
        ),
        ("drawn_slot", (1,), slots + 1, True, "", "1 + held slot of the card you have just drawn and may play"),
        ("said_uno", (max_players,), 2, False, "", "who has said UNO, by seat"),
        ("turns_left", (1,), 256, False, "", "turns before the round ends, at most 255; 0 without a limit"),
        ("scores", (max_players,), 256, False, "", "match scores by seat, in percent of the target, at most 255"),
        ("rules", (len(OBSERVED),), 256, True, "", "the rules in force: the value's code for each of game.OBSERVED"),
    ]
    if information == "open":
        rows.append(
            ("draw_pile", (slots,), faces + 1, True, "open", "1 + the face in play of each card of the draw pile, from its top")
        )
    return [Field(*row) for row in rows]


class ObservationLayout:
    """Where each field lies in the flat observation vector of `size` small integers (uint8).

    Seats beyond those at the table are zero, so one layout serves every number of players up to `max_players`.
    `information` is one of 'table', 'fronts' and 'open' (INFO-4). Raises ValueError for other values.
    """

    def __init__(self, max_players: int, information: str = "table") -> None:
        if information not in INFORMATION:
            raise ValueError(f"information={information!r}: expected one of {', '.join(INFORMATION)}")
        if not 2 <= max_players <= MAX_SEATS:
            raise ValueError(f"max_players={max_players}: expected 2 to {MAX_SEATS}")
        self.max_players = max_players
        self.information = information
        self.fields: dict[str, Field] = {}
        self.size = 0
        for row in _fields(max_players, information):
            self.fields[row.name] = Field(**{**row.__dict__, "start": self.size})
            self.size += row.size
        starts = {name: row.start for name, row in self.fields.items()}
        starts.setdefault("draw_pile", -1)
        record = np.zeros(1, LAYOUT)
        for name, value in {
            "max_players": max_players,
            "length": self.size,
            "is_open": information == "open",
            "sees_backs": information != "fronts",
            **starts,
        }.items():
            record[name] = value
        self.as_bytes = record.view(np.uint8)
        """The layout as kernels take it: the bytes of a record of dtype LAYOUT."""

    def __getitem__(self, name: str) -> slice:
        """The slice of a field within the flat vector."""
        return self.fields[name].slice

    def view(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        """The named fields of observations of shape ``(..., size)``, as views of shape ``(..., *field.shape)``."""
        if observation.shape[-1] != self.size:
            raise ValueError(f"observation of length {observation.shape[-1]}: expected {self.size} ({self})")
        lead = observation.shape[:-1]
        return {name: observation[..., row.slice].reshape(lead + row.shape) for name, row in self.fields.items()}

    @property
    def high(self) -> np.ndarray:
        """The greatest value of each entry, shape (size,) uint8."""
        return np.concatenate([np.full(row.size, row.num_values - 1, np.uint8) for row in self.fields.values()])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ObservationLayout) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[int, str]:
        return self.max_players, self.information

    def __repr__(self) -> str:
        return f"ObservationLayout(max_players={self.max_players}, information={self.information!r})"


LAYOUT = np.dtype(
    [(name, np.int64) for name in ("max_players", "length", "is_open", "sees_backs", *(row.name for row in _fields(2, "open")))]
)
"""A layout as the kernels read it: the start of each field."""
LAYOUT_RECORD = np.dtype((np.record, LAYOUT))


@lru_cache(maxsize=64)
def observation_layout(max_players: int, information: str = "table") -> ObservationLayout:
    """The shared layout object for these arguments."""
    return ObservationLayout(max_players, information)


def observation_table(max_players: int = 4, information: str = "table") -> str:
    """The table of fields as text: place, shape, values, what information it takes, meaning."""
    lines = [f"{'entries':>11}  {'field':<17}{'shape':<9}{'values':<8}{'needs':<10} meaning"]
    for row in observation_layout(max_players, information).fields.values():
        place = f"{row.start}-{row.start + row.size - 1}"
        shape = "x".join(map(str, row.shape))
        lines.append(f"{place:>11}  {row.name:<17}{shape:<9}0-{row.num_values - 1:<6}{row.needs:<10} {row.doc}")
    return "\n".join(lines)


def describe_observation(max_players: int = 4, information: str = "table") -> None:
    """Print `observation_table`."""
    print(observation_table(max_players, information))
