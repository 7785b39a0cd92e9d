"""Where things lie on the picture of a table, wide (for screens) or narrow (for phones), in units of the picture."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Literal

Layout = Literal["wide", "narrow"]
LAYOUTS: tuple[Layout, ...] = ("wide", "narrow")

ASPECT = 2 / 3  # a card's width, in heights
STRIP = 0.36  # what stays in sight of a card under the next one, in widths: its index
_GAP = 8
_MAX_ROWS = 6


@dataclass(frozen=True)
class Box:
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float

    def below(self, top: float) -> Box:
        """What is left below the first `top` units."""
        return Box(self.x, self.y + top, self.width, self.height - top)

    def inside(self, margin: float) -> Box:
        """What is left inside a margin."""
        return Box(self.x + margin, self.y + margin, self.width - 2 * margin, self.height - 2 * margin)

    def split(self, share: float) -> tuple[Box, Box]:
        """The upper `share` of the height, and the rest below a gap."""
        upper = (self.height - 3) * share
        return Box(self.x, self.y, self.width, upper), self.below(upper + 3)


@dataclass(frozen=True)
class Frame:
    """The boxes of a picture; `others` are those of the seats 1, 2, … places on from the viewer."""

    width: float
    height: float
    others: list[Box]
    piles: Box
    status: Box
    hand: Box


def frame(layout: Layout, num_seats: int) -> Frame:
    """The boxes for so many seats: the picture's size is the same over a whole game."""
    if layout not in LAYOUTS:
        raise ValueError(f"layout={layout!r}: expected one of {', '.join(LAYOUTS)}")
    return _wide(num_seats - 1) if layout == "wide" else _narrow(num_seats - 1)


def _wide(num_others: int) -> Frame:
    """The others sit around the piles, clockwise from the left: up one side, across the top, down the other."""
    on_side = num_others // 2
    top, bottom, margin, width = 46, 446, 14, 1000
    column = 252 if on_side else 0
    middle = Box(margin + column + _GAP * bool(column), top, 0, bottom - top)
    middle = Box(middle.x, top, width - 2 * middle.x, bottom - top)
    left = _stack(Box(margin, top, column, bottom - top), on_side)
    right = _stack(Box(width - margin - column, top, column, bottom - top), on_side)
    height = 124 if on_side else 170
    across = [Box(middle.x, top, middle.width, height)] if num_others % 2 else []
    piles = middle.below(height + _GAP) if across else middle
    return Frame(width, 700, [*left[::-1], *across, *right], piles, Box(margin, 452, 972, 34), Box(margin, 490, 972, 198))


def _stack(column: Box, count: int) -> list[Box]:
    """Boxes one below the other, in the middle of a column."""
    if not count:
        return []
    height = min(150, (column.height - _GAP * (count - 1)) / count)
    top = column.y + (column.height - count * height - (count - 1) * _GAP) / 2
    return [Box(column.x, top + i * (height + _GAP), column.width, height) for i in range(count)]


def _narrow(num_others: int) -> Frame:
    """The others in rows above the piles, in their order."""
    width, margin, gap, top = 390, 8, 6, 42
    columns = 1 if num_others == 1 else 2 if num_others <= 4 else 3
    across, height = (width - 2 * margin - (columns - 1) * gap) / columns, 98 if columns < 3 else 84
    others = [
        Box(margin + i % columns * (across + gap), top + i // columns * (height + gap), across, height)
        for i in range(num_others)
    ]
    below = top + ceil(num_others / columns) * (height + gap)
    inner = width - 2 * margin
    piles, status = Box(margin, below, inner, 176), Box(margin, below + 180, inner, 34)
    return Frame(width, below + 442, others, piles, status, Box(margin, below + 218, inner, 216))


@dataclass(frozen=True)
class Fan:
    """Cards side by side, overlapping where they must, in rows where that shows more of them."""

    height: float
    places: list[tuple[float, float]]


def fan(count: int, box: Box, row_height: float = 1.0, max_height: float = 120) -> Fan:
    """Lay out `count` cards in a box, as large as they can be with their indices in sight.

    `row_height` is the height of a row, in heights of a card, where more than the card lies in it.
    """
    if not count:
        return Fan(0, [])
    height, rows = max((_card_height(count, rows, box, row_height, max_height), -rows) for rows in range(1, _MAX_ROWS + 1))
    per_row, width = ceil(count / -rows), height * ASPECT
    step = min(width * 1.06, (box.width - width) / max(per_row - 1, 1))
    num_rows = ceil(count / per_row)
    top = box.y + max(0, box.height - num_rows * height * row_height) / 2
    places = []
    for i in range(count):
        row, column = divmod(i, per_row)
        in_row = min(per_row, count - row * per_row)
        left = box.x + (box.width - width - (in_row - 1) * step) / 2
        places.append((left + column * step, top + row * height * row_height))
    return Fan(height, places)


def _card_height(count: int, rows: int, box: Box, row_height: float, max_height: float) -> float:
    """The height of a card when so many lie in so many rows."""
    widths = 1 + (ceil(count / rows) - 1) * STRIP
    return min(max_height, box.height / (rows * row_height), box.width / widths / ASPECT)
