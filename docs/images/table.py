"""Draws docs/images/table.png: an early position of a game, as player_0 sees it. `make images` runs it."""

from pathlib import Path

from PIL import Image

from unoflip_env import Engine
from unoflip_env.pictures import table_image
from unoflip_env.table_view import TableView

engine = Engine("official", seed=13, num_players=4)
for _ in range(21):
    engine.step(engine.legal_mask().argmax(axis=1))
picture = Image.fromarray(table_image(TableView(engine, 0), width=1200))
picture.quantize(256, dither=Image.Dither.NONE).save(Path(__file__).with_suffix(".png"), optimize=True)
