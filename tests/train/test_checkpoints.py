import json
from pathlib import Path

import pytest

from train.checkpoints import MANIFEST, Checkpoints

TEST = [["official"], [2], ["greedy"], 256, 0]


def make(folder: Path, keep: int = 3, test: list = TEST) -> tuple[Checkpoints, list[str]]:
    told: list[str] = []
    return Checkpoints(folder, keep, told.append, test), told


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def damage(path: Path) -> None:
    (path / "weights").write_bytes(b"other")


def save(checkpoints: Checkpoints, **scores: float | None) -> None:
    for name, score in scores.items():
        assert checkpoints.save(int(name[1:]), {"weights": name.encode()}, score)


def test_damaged_ones_never_crowd_out_new_ones(tmp_path: Path) -> None:
    checkpoints, _ = make(tmp_path)
    save(checkpoints, u100=None, u110=None, u120=None)
    for number in (100, 110, 120):
        damage(tmp_path / f"update-{number:06d}")
    (tmp_path / ".update-000130-x").mkdir()
    assert checkpoints.newest() is None
    checkpoints.drop_after(4)
    save(checkpoints, u5=None)
    assert names(tmp_path) == ["update-000005"]


def test_the_last_and_the_best_are_kept(tmp_path: Path) -> None:
    checkpoints, _ = make(tmp_path, keep=2)
    save(checkpoints, u1=0.5, u2=1.5, u3=1.0, u4=None, u5=1.2)
    assert names(tmp_path) == ["update-000002", "update-000004", "update-000005"]
    assert checkpoints.best_files() == {"weights": b"u2"}


def test_a_damaged_best_one_is_passed_over_for_the_next(tmp_path: Path) -> None:
    checkpoints, told = make(tmp_path)
    save(checkpoints, u1=1.0, u2=2.0, u3=0.5)
    damage(tmp_path / "update-000002")
    assert checkpoints.best_files() == {"weights": b"u1"}
    assert "update-000002 is damaged" in told[0]


@pytest.mark.parametrize("manifest", [[], None, {"score": 3.0}, {"files": ["weights"], "score": 3.0}], ids=str)
def test_a_manifest_of_another_form_is_damage(tmp_path: Path, manifest: object) -> None:
    checkpoints, told = make(tmp_path)
    save(checkpoints, u1=1.0, u2=2.0)
    (tmp_path / "update-000002" / MANIFEST).write_text(json.dumps(manifest))
    assert checkpoints.newest() == {"weights": b"u1"}
    assert checkpoints.best_files() == {"weights": b"u1"}
    assert "update-000002 is damaged" in told[0]


def test_scores_of_other_tests_are_not_compared(tmp_path: Path) -> None:
    save(make(tmp_path)[0], u1=3.0)
    checkpoints, _ = make(tmp_path, test=[*TEST[:2], ["sharp"], *TEST[3:]])
    assert checkpoints.best_files() is None
    save(checkpoints, u2=0.5, u3=0.4)
    assert checkpoints.best_files() == {"weights": b"u2"}
