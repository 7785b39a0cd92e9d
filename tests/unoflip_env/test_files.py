from pathlib import Path

import pytest

from unoflip_env.files import write_text


def test_a_file_takes_the_place_of_the_old_one(tmp_path: Path):
    path = tmp_path / "folder" / "file.txt"
    write_text(path, "old")
    write_text(str(path), "Größe ☃\n")
    assert path.read_bytes() == "Größe ☃\n".encode()
    assert list(path.parent.iterdir()) == [path]


def test_the_old_file_stays_when_writing_fails(tmp_path: Path):
    path = tmp_path / "file.txt"
    write_text(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "new \ud800")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
