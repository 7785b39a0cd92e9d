"""Pictures as arrays of pixels. The font lies beside the decks, so they are the same on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import as_file, files
from importlib.util import find_spec
from io import BytesIO

import numpy as np
from gymnasium.error import DependencyNotInstalled

from unoflip_env.pictures.layout import Layout
from unoflip_env.pictures.palette import THEMES
from unoflip_env.pictures.table import standalone_svg
from unoflip_env.table_view import TableView

# DejaVu Sans Bold, version 2.37, the letters of Latin scripts alone: pyftsubset DejaVuSans-Bold.ttf --layout-features=
# --no-hinting --unicodes=U+20-7E,U+A0-17F,U+2013,U+2014,U+2018-201D,U+2026,U+2190-2193
_FONT = files("unoflip_env") / "data" / "DejaVuSans-Bold.ttf"
WIDTHS: dict[Layout, int] = {"wide": 800, "narrow": 390}
"""Pixels across, unless others are asked for."""


def check_installed() -> None:
    """Raises DependencyNotInstalled, which says what to install, where pictures cannot be made into pixels."""
    missing = [name for name in ("resvg_py", "PIL") if find_spec(name) is None]
    if missing:
        message = f"{' and '.join(missing)} not installed: pixels take `pip install 'unoflip-env[pictures]'`"
        raise DependencyNotInstalled(message)


def table_image(
    view: TableView, layout: Layout = "wide", names: Sequence[str] | None = None, width: int | None = None
) -> np.ndarray:
    """The table in pixels: uint8 of shape (height, width, 3), red, green and blue; see `table_svg`.

    `width` is by default 800 for the wide layout, which is then 560 high, and 390 for the narrow one. The shape depends on the
    layout, the width and the number of seats alone. Raises DependencyNotInstalled without the extra `pictures`.
    """
    return svg_image(standalone_svg(view, layout, names), width or WIDTHS[layout], THEMES[view.side].ground)


def svg_image(svg: str, width: int, ground: str) -> np.ndarray:
    """A whole SVG in pixels, on a ground of that colour: uint8 of shape (height, width, 3)."""
    check_installed()
    from PIL import Image
    from resvg_py import svg_to_bytes

    with as_file(_FONT) as font:
        png = svg_to_bytes(svg_string=svg, width=width, background=ground, font_files=[str(font)], skip_system_fonts=True)
    return np.array(Image.open(BytesIO(png)).convert("RGB"))
