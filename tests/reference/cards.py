"""The decks as cards (DECK-1 to DECK-3), read from the package's data files, and the stream that shuffles them."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, NamedTuple

LIGHT, DARK, CLASSIC = 0, 1, 2
SIDES = ("light", "dark", "classic")
NUM_SLOTS = 112


class Face(NamedTuple):
    """One side of a card; `color` is the colour's place among those of its side, None for a wild."""

    color: int | None
    symbol: str
    points: int


@dataclass(eq=False)
class Card:
    """A physical card, equal to itself alone. `slots` and `faces` hold its light and its dark side.

    A classic card has the same on both, and is never turned.
    """

    slots: tuple[int, int]
    faces: tuple[Face, Face]


def _read(name: str) -> list[dict[str, str]]:
    with (files("unoflip_env") / "data" / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


_ROWS = _read("flip_deck.csv") + _read("classic_deck.csv")
COLORS = tuple(tuple(dict.fromkeys(r["color"] for r in _ROWS if r["side"] == side and r["color"])) for side in SIDES)
"""COLORS[side]: the names of the four colours, in the order that the actions number them."""


def _faces(side: int) -> list[Face | None]:
    """By slot; the classic 0 leaves the second of its two slots empty."""
    faces: list[Face | None] = []
    for row in (row for row in _ROWS if row["side"] == SIDES[side]):
        color = COLORS[side].index(row["color"]) if row["color"] else None
        num_copies, num_slots = int(row["copies"]), 4 if color is None else 2
        faces += [Face(color, row["symbol"], int(row["points"]))] * num_copies + [None] * (num_slots - num_copies)
    return faces


FACES = tuple(map(_faces, range(len(SIDES))))
"""FACES[side][slot]: the face on each of the slots of a side."""
FIRST_SLOT = tuple({face: faces.index(face) for face in faces if face} for faces in FACES)
"""FIRST_SLOT[side][face]: the first of a face's slots."""


def find_face(side: int, color: str, symbol: str) -> list[int]:
    """The slots of a face named in words; a wild's colour is ''. Empty when there is no such face."""
    wanted = (COLORS[side].index(color) if color in COLORS[side] else None, symbol)
    return [slot for slot, face in enumerate(FACES[side]) if face and (face.color, face.symbol) == wanted]


def _printed_pairing() -> list[int]:
    """A face's copies are taken in the order of the rows."""
    table = [0] * NUM_SLOTS
    num_taken: Counter[tuple[int, str, str]] = Counter()
    for row in _read("printed_pairing.csv"):
        slots = []
        for side, name in enumerate(SIDES[:2]):
            key = (side, row[f"{name}_color"], row[f"{name}_symbol"])
            slots.append(find_face(*key)[num_taken[key]])
            num_taken[key] += 1
        table[slots[LIGHT]] = slots[DARK]
    return table


PRINTED_PAIRING = _printed_pairing()
"""The printed deck's dark slot for each light slot."""


def make_flip_deck(dark_slots: Sequence[int]) -> list[Card]:
    """DECK-1: 112 cards, each light slot backed by the dark slot that the pairing gives it."""
    slots = enumerate(map(int, dark_slots))
    return [Card((light, dark), (_face(LIGHT, light), _face(DARK, dark))) for light, dark in slots]


def make_classic_deck() -> list[Card]:
    """DECK-2: 108 cards."""
    return [Card((slot, slot), (face, face)) for slot, face in enumerate(FACES[CLASSIC]) if face]


def _face(side: int, slot: int) -> Face:
    face = FACES[side][slot]
    assert face, f"slot {slot} of the {SIDES[side]} side is empty"
    return face


_WORD = 2**64 - 1


def mix(z: int) -> int:
    """SplitMix64's finaliser (Steele, Lea and Flood 2014) on a 64-bit word."""
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _WORD
    return z ^ z >> 31


class Stream:
    """A game's random numbers: draw number `count` of the stream that its seed names."""

    def __init__(self, seed: int) -> None:
        self.key = mix(seed)
        self.count = 0

    def below(self, n: int) -> int:
        """A number from 0 to n - 1."""
        draw = mix(self.key + self.count * 0x9E3779B97F4A7C15 & _WORD)
        self.count += 1
        return (draw >> 32) * n >> 32

    def shuffle(self, items: list[Any]) -> None:
        """Shuffle in place, from the end (Fisher and Yates)."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
