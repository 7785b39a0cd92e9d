"""The faces of all decks as SVG symbols: defined once, drawn with `<use href="#…">` wherever a card lies."""

from __future__ import annotations

import re
from functools import cache

from unoflip_env.deck import CLASSIC, COLOR_NAMES, DARK, FACE_NAMES, LIGHT, NUM_FACES, SIDE_NAMES, face_name
from unoflip_env.notation import SYMBOL_MARKS
from unoflip_env.pictures.palette import EDGES, HUES, PAINTS, WILDS, Paint
from unoflip_env.pictures.shapes import MIDDLES, SHAPES, SIGNS

WIDTH, HEIGHT = 100, 150
"""A card's size, in the units of its symbol."""
BACK_ID = "card-back"
"""The symbol of a card that shows nothing: where backs are not seen, and the classic deck's."""
FONT = 'font-family="\'DejaVu Sans\',Verdana,\'Segoe UI\',Arial,sans-serif" font-weight="700" text-anchor="middle"'
CAP = 0.365
"""Half the height of a digit, in font sizes: text is set by its foot."""


def face_id(side: int, face: int) -> str:
    """The id of a face's symbol, 100 by 150 units, such as 'card-l12'; `side` is LIGHT, DARK or CLASSIC."""
    return f"card-{SIDE_NAMES[side][0]}{face}"


def shape_id(side: int, color: int) -> str:
    """The id of a colour's shape in that colour, 100 by 100 units, such as 'shape-light-red'."""
    return f"shape-{SIDE_NAMES[side]}-{COLOR_NAMES[side][color]}"


@cache
def card_symbols() -> str:
    """All symbols in one `<svg>` that takes no room: put it into a page once, before whatever refers to them."""
    start = '<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0" style="position:absolute" aria-hidden="true">'
    return f"{start}<defs>{''.join(_symbols().values())}</defs></svg>"


def used_symbols(svg: str) -> str:
    """The symbols that a drawing refers to, and those that these refer to in turn."""
    symbols, found = _symbols(), dict[str, None]()
    waiting = _references(svg)
    while waiting:
        found |= dict.fromkeys(waiting)
        waiting = [name for known in waiting for name in _references(symbols[known]) if name not in found]
    return f"<defs>{''.join(symbols[name] for name in sorted(found))}</defs>"


def _references(svg: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r'href="#([\w-]+)"', svg)))


@cache
def _symbols() -> dict[str, str]:
    """All symbols by their id."""
    drawn = {f"sign-{name}": f'<g id="sign-{name}" fill="currentColor">{sign}</g>' for name, sign in SIGNS.items()}
    drawn |= {f"mark-{name}": f'<g id="mark-{name}" fill="currentColor">{shape}</g>' for name, shape in SHAPES.items()}
    for side in (LIGHT, DARK, CLASSIC):
        for color, name in enumerate(COLOR_NAMES[side]):
            shape = shape_id(side, color)
            drawn[shape] = f'<g id="{shape}">{_mark(name, 0, 0, 100, HUES[name])}</g>'
        for face in range(NUM_FACES):
            card = face_id(side, face)
            drawn[card] = f'<g id="{card}" {FONT}>{_draw_face(side, face)}</g>'
    drawn[BACK_ID] = f'<g id="{BACK_ID}">{_draw_back()}</g>'
    return drawn


def _use(name: str, x: float, y: float, size: float, paint: str) -> str:
    """A shape or a sign, its corner at (x, y)."""
    return f'<use href="#{name}" transform="translate({x:g} {y:g})scale({size / 100:g})" color="{paint}"/>'


def _mark(color: str, x: float, y: float, size: float, paint: str) -> str:
    """The shape of a colour."""
    return _use(f"mark-{color}", x, y, size, paint)


def _text(text: str, x: float, y: float, size: float, paint: str) -> str:
    """Text with its middle at (x, y)."""
    return f'<text x="{x:g}" y="{y + CAP * size:g}" font-size="{size:g}" fill="{paint}">{text}</text>'


def _symbol(symbol: str, x: float, y: float, size: float, paint: str) -> str:
    """A number, a count or a sign, with its middle at (x, y), about `size` high."""
    if symbol in SIGNS:
        return _use(f"sign-{symbol}", x - size / 2, y - size / 2, size, paint)
    text = SYMBOL_MARKS[symbol].removeprefix("W") or "W"
    if len(text) > 1:
        return _text(text, x, y, size * 0.8, paint)
    line = f'<path d="M{x - size * 0.3:g} {y + size * 0.56:g}h{size * 0.6:g}" stroke="{paint}" stroke-width="{size * 0.1:g}"/>'
    return _text(text, x, y, size * 1.2, paint) + line * (text in "69")


def _draw_face(side: int, face: int) -> str:
    """The index and the small mark are in the corner that stays in sight when cards overlap."""
    color, symbol = FACE_NAMES[side][face]
    paint = PAINTS.get(color, WILDS[side])
    border, outline = EDGES[side]
    parts = [
        f"<title>{face_name(side, face).replace('_', ' ')}</title>",
        f'<rect x="1" y="1" width="98" height="148" rx="12" fill="{border}" stroke="{outline}" stroke-width="1.5"/>',
        f'<rect x="5" y="5" width="90" height="140" rx="9" fill="{paint.ground}"/>',
        _symbol(symbol, 22, 25, 27, paint.index),
        _mark(color, 12, 44, 20, paint.index) if color else _four_marks(side, 11, 44, 23),
        _draw_middle(color, symbol, paint) if color else _draw_wild(side, symbol, paint),
    ]
    return "".join(parts)


def _draw_middle(color: str, symbol: str, paint: Paint) -> str:
    left, top, width = 18, 67, 70
    height, size = MIDDLES.get(color, (50, 1))
    return _mark(color, left, top, width, paint.shape) + _symbol(
        symbol, left + width / 2, top + width * height / 100, 40 * size, paint.ink
    )


def _four_marks(side: int, x: float, y: float, size: float) -> str:
    """The four colours of a side, two by two."""
    half = size / 2
    names = COLOR_NAMES[side]
    return "".join(_mark(name, x + i % 2 * half, y + i // 2 * half, half * 0.9, HUES[name]) for i, name in enumerate(names))


def _draw_wild(side: int, symbol: str, paint: Paint) -> str:
    marks = _four_marks(side, 18, 67, 74)
    if symbol == "wild":
        return marks
    return marks + f'<circle cx="53" cy="102" r="21" fill="{paint.shape}"/>' + _symbol(symbol, 53, 102, 30, paint.ink)


def _draw_back() -> str:
    rows = "".join(
        f'<path d="M{x} {y}l8 8-8 8-8-8Z"/>' for x in range(22, 90, 19) for y in range(18 + (x - 22) % 2 * 9, 130, 19)
    )
    return (
        '<title>a card face down</title><rect x="1" y="1" width="98" height="148" rx="12" fill="#e9edf2" stroke="#6b7280"'
        ' stroke-width="1.5"/><rect x="6" y="6" width="88" height="138" rx="8" fill="#4b5a70"/>'
        f'<g fill="#71829b">{rows}</g>'
    )
