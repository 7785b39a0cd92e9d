"""Tables and cards as pictures: SVG for pages and files, and arrays of pixels (with the extra `pictures`)."""

from unoflip_env.pictures.cards import BACK_ID, card_symbols, face_id, shape_id
from unoflip_env.pictures.layout import LAYOUTS, Layout
from unoflip_env.pictures.raster import table_image
from unoflip_env.pictures.table import standalone_svg, table_svg

__all__ = ["BACK_ID", "LAYOUTS", "Layout", "card_symbols", "face_id", "shape_id", "standalone_svg", "table_image", "table_svg"]
