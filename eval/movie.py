"""Pictures, one after the other, as a GIF or an MP4, by the ffmpeg that imageio-ffmpeg brings along."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from imageio_ffmpeg import write_frames

from unoflip_env.files import beside, check_writable

# One palette for the whole game, no dithering, and only what changes between two frames: the cards stay flat, the file small.
_PALETTE = "split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none:diff_mode=rectangle"
_FORMATS: dict[str, dict[str, Any]] = {
    ".gif": {"codec": "gif", "pix_fmt_out": "pal8", "quality": None, "output_params": ["-vf", _PALETTE]},
    ".mp4": {"codec": "libx264", "quality": 8},
}


class MovieError(ValueError):
    """A film that cannot be made; the message says why."""


def write_movie(
    frames: Iterable[np.ndarray],
    path: Path,
    seconds_per_frame: float = 1.0,
    on_frame: Callable[[int], None] = lambda num_frames: None,
) -> None:
    """Write frames, uint8 arrays of one shape (height, width, 3), as a film: beside the file, and then in its place.

    `path` ends in .gif or .mp4. `on_frame` is called with 1 after each frame. Raises MovieError for another ending, a time
    that is not positive, no frames or frames of different shapes, and OSError where the file cannot be written. If anything
    goes wrong, Ctrl-C included, a file that was there is still there as it was.
    """
    form = _FORMATS.get(path.suffix.lower())
    if form is None:
        raise MovieError(f"{path}: expected a name that ends in {' or '.join(_FORMATS)}")
    if not 0.02 <= seconds_per_frame <= 60:
        raise MovieError(f"seconds a frame {seconds_per_frame:g}: expected 0.02 to 60")
    check_writable(path)
    with beside(path) as new:
        _write(frames, new, {"fps": 1 / Fraction(seconds_per_frame).limit_denominator(1000), **form}, on_frame)


def _write(frames: Iterable[np.ndarray], path: Path, form: dict[str, Any], on_frame: Callable[[int], None]) -> None:
    film, shape = None, (0, 0, 0)
    try:
        for frame in frames:
            if film is None:
                shape = frame.shape
                film = write_frames(str(path), (shape[1], shape[0]), macro_block_size=2, ffmpeg_log_level="error", **form)
                film.send(None)
            if frame.shape != shape:
                raise MovieError(f"a frame of shape {frame.shape}: expected {shape}, that of the first")
            film.send(np.ascontiguousarray(frame))
            on_frame(1)
    finally:
        if film is not None:
            film.close()
    if film is None:
        raise MovieError(f"{path.name}: no frames, expected at least one")
