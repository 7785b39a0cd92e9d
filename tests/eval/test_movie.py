"""Films of games: every frame is in them, and a broken one leaves the old file."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from imageio_ffmpeg import count_frames_and_secs, read_frames
from PIL import Image

from eval.movie import MovieError, write_movie

SHADES = (0, 80, 160, 240)


def frames() -> Iterator[np.ndarray]:
    for shade in SHADES:
        frame = np.full((64, 96, 3), shade, np.uint8)
        frame[16:32, 16:32] = (255, 0, 0)
        yield frame


def test_a_gif_shows_each_frame_for_its_time(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "game.gif"
    counted: list[int] = []
    write_movie(frames(), path, 0.5, counted.append)
    film = Image.open(path)
    assert counted == [1] * 4
    assert (film.size, film.n_frames) == ((96, 64), 4)  # type: ignore[attr-defined]
    for number, frame in enumerate(frames()):
        film.seek(number)
        assert film.info["duration"] == 500
        assert np.abs(np.asarray(film.convert("RGB")).astype(int) - frame).max() <= 8
    assert film.info["loop"] == 0


# read_frames leaves its pipes to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_mp4_shows_each_frame_for_its_time(tmp_path: Path) -> None:
    path = tmp_path / "game.mp4"
    write_movie(frames(), path, 2)
    assert count_frames_and_secs(str(path)) == (4, pytest.approx(8))
    film = read_frames(str(path))
    assert next(film)["size"] == (96, 64)
    corners = [frame[0] for frame in film]
    assert np.abs(np.array(corners) - SHADES).max() <= 8


def test_what_goes_wrong_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "game.gif"
    path.write_bytes(b"old")

    def broken() -> Iterator[np.ndarray]:
        yield from frames()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_movie(broken(), path)
    with pytest.raises(ValueError, match=r"a frame of shape \(2, 2, 3\): expected \(64, 96, 3\)"):
        write_movie([*frames(), np.zeros((2, 2, 3), np.uint8)], path)
    with pytest.raises(ValueError, match=r"game.gif: no frames"):
        write_movie([], path)
    with pytest.raises(ValueError, match=r"game.avi: expected a name that ends in .gif or .mp4"):
        write_movie(frames(), tmp_path / "game.avi")
    with pytest.raises(ValueError, match=r"seconds a frame 0: expected 0.02 to 60"):
        write_movie(frames(), path, 0)
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["game.gif"]


@pytest.mark.parametrize("program", ["false", "sleep"])
def test_a_failure_of_ffmpegs_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """One program reads nothing and fails, one complains of what it is told."""
    path = tmp_path / "game.gif"
    path.write_bytes(b"old")
    monkeypatch.setattr("eval.movie.get_ffmpeg_exe", lambda: program)
    with pytest.raises(MovieError, match=r"^game.gif: ffmpeg failed with status 1: "):
        write_movie(list(frames()) * 20, path)
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["game.gif"]
