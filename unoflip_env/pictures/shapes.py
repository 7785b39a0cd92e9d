"""The shapes that tell colours apart where colour alone would not, and the signs of the action cards: SVG, 100 by 100."""

from __future__ import annotations

SHAPES = {
    "red": '<circle cx="50" cy="50" r="46"/>',
    "yellow": '<path d="M50 5 97 91H3Z" stroke="currentColor" stroke-width="6" stroke-linejoin="round"/>',
    "green": '<rect x="8" y="8" width="84" height="84" rx="9"/>',
    "blue": '<path d="M50 2 98 50 50 98 2 50Z"/>',
    "pink": '<path d="M50 95C20 72 3 54 3 33 3 16 15 6 28 6 38 6 46 12 50 22'
    ' 54 12 62 6 72 6 85 6 97 16 97 33 97 54 80 72 50 95Z"/>',
    "turquoise": '<path d="M50 1C61 22 87 39 87 62A37 37 0 0 1 13 62C13 39 39 22 50 1Z"/>',
    "orange": '<path d="M50 2 65 31 98 36 74 59 80 94 50 78 20 94 26 59 2 36 35 31Z"'
    ' stroke="currentColor" stroke-width="5" stroke-linejoin="round"/>',
    "purple": '<path d="M50 2 93 26V74L50 98 7 74V26Z"/>',
}
"""By the colour's name; no two colours of a deck have the same."""
MIDDLES = {"yellow": (62, 0.8), "pink": (46, 0.95), "turquoise": (60, 0.9), "orange": (54, 0.78)}
"""Where in its shape a symbol sits: the height of its middle, and its size; (50, 1) for all others."""

_ARC = 'fill="none" stroke="currentColor" stroke-width="13"'
SIGNS = {
    "reverse": '<path d="M29 6 54 40H39V86H19V40H4ZM71 94 46 60H61V14H81V60H96Z"/>',
    "skip": f'<path d="M12 72A38 38 0 0 1 82 52" {_ARC}/><path d="M98 40 91 82 58 58Z"/><circle cx="49" cy="76" r="12"/>',
    "skip_everyone": f'<path d="M79 29A36 36 0 1 0 86 55" {_ARC}/><path d="M92 6 91 48 56 27Z"/>'
    '<circle cx="50" cy="38" r="7"/><circle cx="38" cy="58" r="7"/><circle cx="62" cy="58" r="7"/>',
    "flip": '<rect x="22" y="7" width="56" height="86" rx="9" fill="none" stroke="currentColor" stroke-width="7"/>'
    '<path d="M77 13V84Q77 92 69 92H31Q25 92 23 87Z"/>',
}
"""By the symbol's name."""
