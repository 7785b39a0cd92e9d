"""Pictures, one after the other, as a GIF or an MP4, by the ffmpeg that imageio-ffmpeg brings along."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable
from contextlib import suppress
from fractions import Fraction
from itertools import chain
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np
from imageio_ffmpeg import get_ffmpeg_exe

from unoflip_env.files import beside, check_writable

# One palette for the whole game, no dithering, and only what changes between two frames: the cards stay flat, the file small.
_PALETTE = "split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none:diff_mode=rectangle"
_FORMATS = {
    ".gif": ["-vf", _PALETTE],
    ".mp4": ["-vf", "scale=trunc(iw/2)*2:trunc(ih/2)*2", "-codec:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p"],
}
"""What ffmpeg is told; it takes MP4 of even sides alone."""


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
    that is not positive, no frames, frames of different shapes or a failure of ffmpeg's, and OSError where the file cannot be
    written. If anything goes wrong, Ctrl-C included, a file that was there is still there as it was.

    Since all frames of a GIF share one palette, all are held in memory until the last has come (1.8 MB for one of 800 by 560):
    for whole matches an MP4 is better.
    """
    if path.suffix.lower() not in _FORMATS:
        raise MovieError(f"{path}: expected a name that ends in {' or '.join(_FORMATS)}")
    if not 0.02 <= seconds_per_frame <= 60:
        raise MovieError(f"seconds a frame {seconds_per_frame:g}: expected 0.02 to 60")
    check_writable(path)
    with beside(path) as new:
        _write(frames, new, 1 / Fraction(seconds_per_frame).limit_denominator(1000), on_frame)


def _write(frames: Iterable[np.ndarray], path: Path, rate: Fraction, on_frame: Callable[[int], None]) -> None:
    """Feed the frames to ffmpeg. What it says is kept apart, and told only if it fails."""
    rest = iter(frames)
    first = next(rest, None)
    if first is None:
        raise MovieError(f"{path.name}: no frames, expected at least one")
    height, width, _ = first.shape
    source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", str(rate), "-i", "-"]
    command = [get_ffmpeg_exe(), "-v", "error", "-y", *source, *_FORMATS[path.suffix.lower()], str(path)]
    with TemporaryFile() as errors:
        ffmpeg = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=errors)
        try:
            with suppress(BrokenPipeError):  # it has failed: its status says so below
                _feed(ffmpeg, chain([first], rest), on_frame)
        except BaseException:
            ffmpeg.kill()
            raise
        finally:
            ffmpeg.communicate()
        if ffmpeg.returncode:
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip().splitlines()
            raise MovieError(
                f"{path.name}: ffmpeg failed with status {ffmpeg.returncode}: {said[-1] if said else 'no reason given'}"
            )


def _feed(ffmpeg: subprocess.Popen[bytes], frames: Iterable[np.ndarray], on_frame: Callable[[int], None]) -> None:
    assert ffmpeg.stdin
    shape: tuple[int, ...] = ()
    for frame in frames:
        shape = shape or frame.shape
        if frame.shape != shape:
            raise MovieError(f"a frame of shape {frame.shape}: expected {shape}, that of the first")
        ffmpeg.stdin.write(frame.tobytes())
        on_frame(1)
