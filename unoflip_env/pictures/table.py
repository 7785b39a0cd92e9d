"""The picture of a table, as SVG, drawn from what a view of it holds and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from textwrap import wrap

import numpy as np

from unoflip_env.actions import CARD, DRAW_CARD, PROPOSALS
from unoflip_env.deck import CLASSIC, DARK, LIGHT, NO_COLOR, SIDE_NAMES, SLOT_FACE, face_name
from unoflip_env.pictures.cards import BACK_ID, CAP, FONT, HEIGHT, face_id, shape_id, used_symbols
from unoflip_env.pictures.layout import ASPECT, Box, Fan, Layout, fan, frame
from unoflip_env.pictures.palette import THEMES
from unoflip_env.table_view import TableView

_HEAD = 24  # height of a hand's first line
_OWN_BACK = 0.36  # size of the back below an own card, in sizes of its front
_RAISE = 0.07  # how far a legal card stands out, in heights


def table_svg(view: TableView, layout: Layout = "wide", names: Sequence[str] | None = None) -> str:
    """The table as an `<svg>` element that refers to the symbols of `card_symbols()`, which its page must hold.

    `layout` is 'wide' (1000 units) or 'narrow' (390, for phones); `names` are shown for the seats, 'player_0' and so on by
    default. Own cards and the draw pile carry `data-action`, the number of their action, where it is legal. Raises
    ValueError for another layout or number of names.
    """
    return _Picture(view, layout, names).draw()


def standalone_svg(view: TableView, layout: Layout = "wide", names: Sequence[str] | None = None) -> str:
    """The table as a file by itself, with the symbols that it uses."""
    svg = table_svg(view, layout, names)
    start = svg.index(">") + 1
    return f"{svg[:start]}{used_symbols(svg)}{svg[start:]}"


class _Picture:
    """One drawing."""

    def __init__(self, view: TableView, layout: Layout, names: Sequence[str] | None) -> None:
        names = names or [f"player_{seat}" for seat in range(view.num_seats)]
        if len(names) != view.num_seats:
            raise ValueError(f"names={names!r}: expected {view.num_seats}, one for each seat")
        self.view, self.names, self.frame = view, names, frame(layout, view.num_seats)
        self.is_narrow = layout == "narrow"
        self.theme, self.front, self.back = THEMES[view.side], view.side, DARK if view.side == LIGHT else LIGHT

    def draw(self) -> str:
        width, height = self.frame.width, self.frame.height
        told = f"The table as {self.name(0)} sees it" + ", all cards open" * self.view.is_open
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="table" viewBox="0 0 {width:g} {height:g}" role="group"'
            f' aria-label="{escape(told)}" {FONT}>',
            f'<rect width="{width:g}" height="{height:g}" rx="16" fill="{self.theme.ground}"/>',
            self.header(),
            *(self.other(place, box) for place, box in enumerate(self.frame.others, start=1)),
            self.piles(),
            self.status(),
            self.hand(),
            "</svg>",
        ]
        return "".join(parts)

    def name(self, place: int) -> str:
        return self.names[self.view.seat_at(place)]

    def text(
        self, text: str, x: float, y: float, size: float = 14, paint: str = "", anchor: str = "", room: float = 999
    ) -> str:
        """A line of text, its middle at the height y, cut where it would be longer than `room`."""
        if _text_width(text, size) > room:
            text = text[: int(room / _text_width("x", size)) - 1] + "…"
        anchor = f' text-anchor="{anchor}"' if anchor else ""
        place = f'x="{x:.4g}" y="{y + CAP * size:.4g}" font-size="{size:g}"'
        return f'<text {place} fill="{paint or self.theme.text}"{anchor}>{escape(text)}</text>'

    def pill(self, text: str, x: float, y: float, size: float) -> str:
        """A word on a ground of its own, with its middle at (x, y)."""
        width = _text_width(text, size) + size
        place = f'x="{x - width / 2:.4g}" y="{y - size * 0.8:.4g}" width="{width:.4g}" height="{size * 1.6:.4g}"'
        return f'<rect {place} rx="{size * 0.8:g}" fill="{self.theme.mark}"/>' + self.text(text, x, y, size, self.theme.panel)

    def header(self) -> str:
        view, right = self.view, self.frame.width - 16
        side = "classic deck" if view.side == CLASSIC else f"{SIDE_NAMES[view.side]} side"
        words = [f"Round {view.round}", f"turn {view.turn}", side]
        if view.rules.max_turns:
            words.append(f"{view.rules.max_turns - view.turn} turns left")
        then = f"{self.name(0)}, then {self.name(1 if view.number('is_forward') else -1)}"
        size = 12 if self.is_narrow else 16
        return self.text(" · ".join(words), 16, 23, size, anchor="start") + self.text(
            then, right, 23, size * 0.85, self.theme.faint, "end", self.frame.width * 0.45
        )

    def panel(self, place: int, box: Box, cards: str) -> str:
        """A hand on its ground, with its seat, its score, its number of cards, and what it is about."""
        edge = f'stroke="{self.theme.mark}" stroke-width="3"' if self.view.role(place) == "decides" else 'stroke="none"'
        corner = f'x="{box.x:.4g}" y="{box.y:.4g}" width="{box.width:.4g}" height="{box.height:.4g}" rx="10"'
        return f'<rect {corner} fill="{self.theme.panel}" {edge}/>{cards}{self.head(place, box)}'

    def head(self, place: int, box: Box) -> str:
        view, size, middle, right = self.view, (11 if box.width < 200 else 14), box.y + 15, box.x + box.width - 10
        word = "UNO!" if view.see["said_uno"][place] else {"silent": "no UNO?", "in turn": "in turn"}.get(view.role(place), "")
        count, badge = self.count(place, box.width), ""
        taken = _text_width(count, size * 0.88) + 8
        if word and box.width < 300:  # over the lower edge: there is no room in the line
            badge = self.pill(word, box.x + box.width / 2, box.y + box.height - 6, size * 0.8)
        elif word:
            width = _text_width(word, size * 0.8) + size
            badge = self.pill(word, right - taken - width / 2, middle, size * 0.8)
            taken += width + 8
        name = self.text(self.name(place), box.x + 10, middle, size, anchor="start", room=box.width - 20 - taken)
        return name + self.text(count, right, middle, size * 0.88, self.theme.faint, "end") + badge

    def count(self, place: int, room: float) -> str:
        """The score, once there is one, and the number of cards; without words where there is no room."""
        score, cards = self.view.scores[self.view.seat_at(place)], int(self.view.see["hand_sizes"][place])
        numbers = [f"{score}{' pts' * (room > 150)}"] if score else []
        return " · ".join([*numbers, f"{cards} card{'s' * (cards != 1)}" if room > 200 else f"{cards}"])

    def cards(self, ids: Iterable[str], laid: Fan) -> str:
        """Cards without gestures of their own."""
        scale = laid.height / HEIGHT
        uses = (
            f'<use href="#{name}" x="{x / scale:.4g}" y="{y / scale:.4g}"/>'
            for name, (x, y) in zip(ids, laid.places, strict=True)
        )
        return f'<g transform="scale({scale:.4g})">{"".join(uses)}</g>'

    def other(self, place: int, box: Box) -> str:
        """Another hand: the fronts that are known above, the backs that are seen below."""
        view = self.view
        fronts = _faces(view.see["other_known"][place - 1])
        backs = _faces(view.see["other_backs"][place - 1])
        size = int(view.see["hand_sizes"][place])
        front_ids = [face_id(self.front, face) for face in fronts]
        if not backs:
            rows = [front_ids + [BACK_ID] * (size - len(fronts))]
        else:
            rows = [row for row in (front_ids, [face_id(self.back, face) for face in backs]) if row]
        room = Box(box.x + 8, box.y + _HEAD + 4, box.width - 16, box.height - _HEAD - 10)
        boxes = [room] if len(rows) == 1 else room.split(0.56)
        told = f"{self.name(place)}: {size} cards"
        told += f"; fronts known: {_names(self.front, fronts)}" * bool(fronts)
        told += f"; backs: {_names(self.back, backs)}" * bool(backs)
        drawn = "".join(self.cards(row, fan(len(row), part)) for row, part in zip(rows, boxes, strict=True))
        return f'<g role="img" aria-label="{escape(told)}">{self.panel(place, box, drawn)}</g>'

    def piles(self) -> str:
        view, box = self.view, self.frame.piles
        height = min(128, box.height - 52)
        width, middle = height * ASPECT, box.x + box.width / 2
        top = box.y + (box.height - height) / 2
        draw_x, discard_x, color_x = middle - width * 1.8, middle - width * 0.55, middle + width * 0.75
        parts = [] if self.is_narrow else [self.direction(box)]
        parts += [self.draw_pile(draw_x, top, height), self.discards(discard_x, top, height), self.color(color_x, top, width)]
        if view.number("flip_face"):
            flip, size = face_id(self.back, view.number("flip_face") - 1), height * 0.46
            x = color_x + (width - size * ASPECT) / 2
            parts.append(self.cards([flip], Fan(size, [(x, top + height - size)])))
            parts.append(self.text("a Flip brings", x + size * ASPECT / 2, top + height + 12, 11, self.theme.faint))
        return "".join(parts)

    def draw_pile(self, x: float, y: float, height: float) -> str:
        view, width, size = self.view, height * ASPECT, self.view.number("draw_size")
        label = self.text(f"{size} to draw", x + width / 2, y + height + 12, 11, self.theme.faint)
        if not size:
            return label
        top = view.number("draw_back")
        laid = [BACK_ID] * min(size - 1, 2) + [face_id(self.back, top - 1) if top else BACK_ID]
        at = [(x - 4 * i, y - 4 * i) for i in reversed(range(len(laid)))]
        cards = self.cards(laid, Fan(height, at))
        told = f"draw pile, {size} cards" + f", the top one's back is {_names(self.back, [top - 1])}" * bool(top)
        is_legal = bool(view.legal[DRAW_CARD])
        gesture = f' class="pile legal" data-action="{DRAW_CARD}"' if is_legal else ' class="pile"'
        ring = self.ring(x, y, height) * is_legal
        return f'<g role="img"{gesture} aria-label="{told}">{cards}{ring}{label}</g>'

    def discards(self, x: float, y: float, height: float) -> str:
        view, width = self.view, height * ASPECT
        count = int(view.see["discards"].sum())
        under = [(x + 4, y - 3), (x + 2, y - 1)][: max(count - 1, 0)]
        top = face_id(self.front, view.number("top_face"))
        parts = [self.cards([BACK_ID] * len(under) + [top], Fan(height, [*under, (x, y)]))]
        parts.append(self.text(f"{count} played", x + width / 2, y + height + 12, 11, self.theme.faint))
        if view.number("cutter"):
            cut = face_id(self.front, view.number("cut_face") - 1)
            parts.append(self.cards([cut], Fan(height * 0.6, [(x + width * 0.75, y + height * 0.4)])))
        if view.number("pending_draws"):
            parts.append(self.pill(f"+{view.number('pending_draws')}", x + width / 2, y - 4, 18))
        told = f"top card {_names(self.front, [view.number('top_face')])}"
        return f'<g role="img" aria-label="{told}">{"".join(parts)}</g>'

    def color(self, x: float, y: float, width: float) -> str:
        """The colour in play, as a shape and a word."""
        color, middle = self.view.number("color"), x + width / 2
        if color == NO_COLOR:
            return self.text("no colour yet", middle, y + 20, 12)
        size = width * 0.56
        place = f"translate({middle - size / 2:.4g} {y:.4g})scale({size / 100:.3g})"
        shape = f'<use href="#{shape_id(self.front, color)}" transform="{place}"/>'
        return shape + self.text(self.view.color, middle, y + size + 12, 14)

    def direction(self, box: Box) -> str:
        """Arrows on both sides of the piles, the way that play goes round."""
        middle, mirrored = box.y + box.height / 2, "" if self.view.number("is_forward") else "scale(1 -1)"
        arrow = '<path d="M14 76A120 120 0 0 1 14-76" fill="none" stroke="currentColor" stroke-width="5"/>'
        arrow += '<path d="M30-100 24-68 2-84Z" fill="currentColor"/>'
        left, right = (
            f'<g transform="translate({box.x + box.width / 2 + x:.4g} {middle:.4g})rotate({turn}){mirrored}">{arrow}</g>'
            for x, turn in ((-204, 0), (204, 180))
        )
        return f'<g color="{self.theme.faint}" opacity=".55">{left}{right}</g>'

    def status(self) -> str:
        view, box = self.view, self.frame.status
        if view.is_over:
            winners = " and ".join(self.names[seat] for seat in view.winners)
            text = f"{winners} won: {view.ending}."
        else:
            text = f"{self.name(view.number('actor') - 1)} is to {view.decision}."
        if view.number("cutter"):
            text += f" {self.name(view.number('cutter') - 1)} has cut in."
        if view.number("proposal"):
            text += " Proposal: {}={}.".format(*PROPOSALS[view.number("proposal") - 1])
        size = 11 if self.is_narrow else 17
        lines = wrap(text, int(box.width / _text_width("x", size)))[:2]
        first = box.y + box.height / 2 - (len(lines) - 1) * size * 0.65
        return "".join(self.text(line, box.x + box.width / 2, first + i * size * 1.3, size) for i, line in enumerate(lines))

    def hand(self) -> str:
        view, box, slots = self.view, self.frame.hand, self.view.slots
        backs = [int(view.see["own_backs"][slot]) for slot in slots]
        row = 1 + _RAISE + (_OWN_BACK + 0.04 if any(backs) else 0)
        laid = fan(len(slots), Box(box.x + 10, box.y + _HEAD + 5, box.width - 20, box.height - _HEAD - 11), row, 150)
        cards = [self.own_card(*card, laid.height) for card in zip(slots, backs, laid.places, strict=True)]
        return f'<g class="hand">{self.panel(0, box, "".join(cards))}</g>'

    def own_card(self, slot: int, back: int, place: tuple[float, float], height: float) -> str:
        view, (x, y), width = self.view, place, height * ASPECT
        is_legal, is_drawn = bool(view.legal[CARD + slot]), view.number("drawn_slot") == slot + 1
        y += height * _RAISE * (not is_legal)
        face = int(SLOT_FACE[slot])
        told = _names(self.front, [face]) + f", back {_names(self.back, [back - 1])}" * bool(back) + ", just drawn" * is_drawn
        parts = [self.cards([face_id(self.front, face)], Fan(height, [(x, y)]))]
        if back:
            below = place[1] + height * (1.04 + _RAISE)
            parts.append(self.cards([face_id(self.back, back - 1)], Fan(height * _OWN_BACK, [(x, below)])))
        if is_legal:
            parts.append(self.ring(x, y, height))
        if is_drawn:
            parts.append(self.pill("new", x + width / 2, y, 10))
        kind = " ".join(["card", *["legal"] * is_legal, *["drawn"] * is_drawn])
        gesture = f' data-action="{CARD + slot}"' if is_legal else ""
        return f'<g role="img" class="{kind}"{gesture} aria-label="{told}">{"".join(parts)}</g>'

    def ring(self, x: float, y: float, height: float) -> str:
        """The mark of what is legal."""
        place = f'x="{x - 1:.4g}" y="{y - 1:.4g}" width="{height * ASPECT + 2:.4g}" height="{height + 2:.4g}"'
        return f'<rect class="ring" {place} rx="{height * 0.09:.3g}" fill="none" stroke="{self.theme.mark}" stroke-width="4"/>'


def _text_width(text: str, size: float) -> float:
    """About how wide a text is."""
    return len(text) * size * 0.63


def _faces(counts: np.ndarray) -> list[int]:
    """The faces in a bag, `counts` of shape (NUM_FACES,)."""
    faces: list[int] = np.repeat(np.arange(counts.size), counts).tolist()
    return faces


def _names(side: int, faces: Iterable[int]) -> str:
    """Faces in words."""
    return ", ".join(face_name(side, face).replace("_", " ") for face in faces)
