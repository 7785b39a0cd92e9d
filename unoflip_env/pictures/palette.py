"""The colours of cards and tables. A picture's ground follows the side in play, so that a Flip is seen at once."""

from __future__ import annotations

from dataclasses import dataclass

from unoflip_env.deck import CLASSIC, DARK, LIGHT


@dataclass(frozen=True)
class Paint:
    """How a colour of the deck is painted: the card's ground, the shape and the ink on both."""

    ground: str
    shape: str
    index: str  # on the ground
    ink: str  # on the shape


@dataclass(frozen=True)
class Theme:
    """The colours of a table."""

    ground: str
    panel: str
    text: str
    faint: str
    mark: str  # whoever decides, and what is legal


PAINTS = {
    "red": Paint("#cf2e3a", "#fff", "#fff", "#96141f"),
    "yellow": Paint("#f5bd1f", "#fff", "#33270a", "#7d5600"),
    "green": Paint("#23874a", "#fff", "#fff", "#115529"),
    "blue": Paint("#2563c4", "#fff", "#fff", "#123a80"),
    "pink": Paint("#211c2e", "#ff6fb0", "#ff8fc2", "#211c2e"),
    "turquoise": Paint("#211c2e", "#2bd4c8", "#4fe0d5", "#211c2e"),
    "orange": Paint("#211c2e", "#ff9a3c", "#ffac5e", "#211c2e"),
    "purple": Paint("#211c2e", "#a884ff", "#bda1ff", "#211c2e"),
}
"""By the colour's name."""
WILDS = {
    LIGHT: Paint("#fdf9ee", "#2a2e38", "#2a2e38", "#fff"),
    DARK: Paint("#211c2e", "#f4f0ff", "#f4f0ff", "#211c2e"),
    CLASSIC: Paint("#fdf9ee", "#2a2e38", "#2a2e38", "#fff"),
}
EDGES = {LIGHT: ("#fff", "#8b8f99"), DARK: ("#5b5180", "#0d0b13"), CLASSIC: ("#fff", "#8b8f99")}
"""A card's border and its outline, by side."""
HUES = {name: paint.shape if paint.shape != "#fff" else paint.ground for name, paint in PAINTS.items()}
"""A colour by itself, as on a wild."""

_DAY = Theme("#dfe9e2", "#f7faf7", "#1c2a22", "#5a6b61", "#c2410c")
THEMES = {
    LIGHT: _DAY,
    DARK: Theme("#14111d", "#241f33", "#f1ecff", "#a79fc0", "#ffd84d"),
    CLASSIC: _DAY,
}
