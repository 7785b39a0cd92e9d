"""The decks (DECK-1 to DECK-3): faces, slots, points and pairings, read from the package's data files.

A *face* (0-53) is a colour and a symbol; the 52 coloured faces come first, by colour and then by symbol, the two wilds last.
A *slot* (0-111) is one copy of a face: coloured faces have two copies, wilds four. Both sides of the flip deck have this
shape, and so has the classic deck, whose 0 takes the place of the Flip and has one copy only: its second slot stays empty.
So one set of tables serves all; only the names and the points differ. A physical *card* is named by its light slot, or by
its only one.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np

LIGHT, DARK, CLASSIC = range(3)
"""The sides: two of the flip deck, and the only one of the classic deck. In records the latter is the light side."""
SIDE_NAMES = ("light", "dark", "classic")
NUM_CARDS, NUM_FACES, NUM_COLORS, NUM_SYMBOLS = 112, 54, 4, 15
NO_COLOR = 4
# Symbols 0-8 are the numbers 1-9; each name below is a symbol on every side.
DRAW, REVERSE, SKIP, FLIP, WILD, WILD_DRAW = 9, 10, 11, 12, 13, 14
NOUGHT = FLIP  # the classic deck's 0

_DATA = files("unoflip_env") / "data"


def _read_faces() -> list[dict[str, str]]:
    rows = []
    for name in ("flip_deck.csv", "classic_deck.csv"):
        with (_DATA / name).open(encoding="utf-8") as file:
            rows += list(csv.DictReader(file))
    return rows


_FACES = _read_faces()
FACE_NAMES = tuple(tuple((r["color"], r["symbol"]) for r in _FACES if r["side"] == side) for side in SIDE_NAMES)
"""FACE_NAMES[side][face] = (color, symbol); the colour of a wild is ''."""
COLOR_NAMES = tuple(tuple(names[color * 13][0] for color in range(NUM_COLORS)) for names in FACE_NAMES)
"""COLOR_NAMES[side][color]."""
SYMBOL_NAMES = tuple(tuple(name for _, name in (*names[:13], *names[52:])) for names in FACE_NAMES)
"""SYMBOL_NAMES[side][symbol]."""

FACE_COLOR = np.array([NO_COLOR if not c else COLOR_NAMES[LIGHT].index(c) for c, _ in FACE_NAMES[LIGHT]])
FACE_SYMBOL = np.array([SYMBOL_NAMES[LIGHT].index(s) for _, s in FACE_NAMES[LIGHT]])
FACE_COPIES = np.array([int(r["copies"]) for r in _FACES if r["side"] == "light"])
FACE_START = np.concatenate(([0], np.cumsum(FACE_COPIES)[:-1]))
"""First slot of each face."""
FACE_POINTS = np.array([[int(r["points"]) for r in _FACES if r["side"] == side] for side in SIDE_NAMES])
"""FACE_POINTS[side, face] (SCORE-1, SCORE-2)."""

SLOT_FACE = np.repeat(np.arange(NUM_FACES), FACE_COPIES)
SLOT_COLOR = FACE_COLOR[SLOT_FACE]
SLOT_SYMBOL = FACE_SYMBOL[SLOT_FACE]
SLOT_POINTS = FACE_POINTS[:, SLOT_FACE]
CLASSIC_SLOTS = np.array([slot for slot in range(NUM_CARDS) if SLOT_SYMBOL[slot] != NOUGHT or slot in FACE_START])
"""The 108 slots that the classic deck fills (DECK-2)."""


def slot_words(slots: Iterable[int]) -> np.ndarray:
    """The set of slots as two 64-bit words, shape (2,) uint64."""
    words = [0, 0]
    for slot in slots:
        words[slot >> 6] |= 1 << (slot & 63)
    return np.array(words, np.uint64)


def words_slots(words: Sequence[int] | np.ndarray) -> list[int]:
    """The slots in a set of two 64-bit words, rising."""
    bits = int(words[0]) | int(words[1]) << 64
    return [slot for slot in range(NUM_CARDS) if bits >> slot & 1]


COLOR_WORDS = np.stack([slot_words(np.flatnonzero(SLOT_COLOR == color)) for color in range(NUM_COLORS + 1)])
"""COLOR_WORDS[color]: slots of a colour; the last row holds the wilds, which have none."""
SYMBOL_WORDS = np.stack([slot_words(np.flatnonzero(SLOT_SYMBOL == symbol)) for symbol in range(NUM_SYMBOLS)])


def face_name(side: int, face: int) -> str:
    """A face in words, such as 'red draw_one' or 'wild'."""
    return " ".join(part for part in FACE_NAMES[side][face] if part)


def _read_pairing(file: Iterable[str], source: str) -> tuple[int, ...]:
    """Pairing table from rows of (light_color, light_symbol, dark_color, dark_symbol)."""
    free = [defaultdict(list), defaultdict(list)]  # type: list[defaultdict[tuple[str, str], list[int]]]
    for side in (LIGHT, DARK):
        for slot in reversed(range(NUM_CARDS)):
            free[side][FACE_NAMES[side][SLOT_FACE[slot]]].append(slot)
    table = [-1] * NUM_CARDS
    for line, row in enumerate(csv.DictReader(file), start=2):
        slots = []
        for side in (LIGHT, DARK):
            name = SIDE_NAMES[side]
            face = (row.get(f"{name}_color"), row.get(f"{name}_symbol"))
            if not free[side].get(face):  # type: ignore[arg-type]
                raise ValueError(f"{source}, line {line}: no copy of the {name} face {face} is left in the deck")
            slots.append(free[side][face].pop())  # type: ignore[index]
        table[slots[LIGHT]] = slots[DARK]
    if -1 in table:
        raise ValueError(f"{source}: {NUM_CARDS - table.count(-1)} cards, expected {NUM_CARDS}")
    return tuple(table)


def load_pairing(path: str | Path) -> tuple[int, ...]:
    """Read a pairing table (DECK-3): the dark slot on the back of each light slot.

    The file is CSV with the header `light_color,light_symbol,dark_color,dark_symbol` and one row a card; wilds have an
    empty colour. Raises ValueError naming the file and line when a face is unknown, used too often or missing.
    """
    with Path(path).open(encoding="utf-8", newline="") as file:
        return _read_pairing(file, str(path))


def _read_printed() -> tuple[int, ...]:
    with (_DATA / "printed_pairing.csv").open(encoding="utf-8") as file:
        return _read_pairing(file, "printed_pairing.csv")


PRINTED_PAIRING = _read_printed()
"""The real deck's pairing: PRINTED_PAIRING[light slot] = dark slot."""
