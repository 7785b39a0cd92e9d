import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from unoflip_env.kernels import jit

PACKAGE = Path(jit.__file__).parent.parent


@pytest.mark.parametrize("changed", ["kernels/turns.py", "game.py", "rules.py", "data/flip_deck.csv"])
def test_a_change_in_any_source_of_the_kernels_is_noticed(tmp_path, changed):
    copy = tmp_path / "unoflip_env"
    shutil.copytree(PACKAGE, copy)
    assert jit.sources_hash(copy) == jit.sources_hash()
    with (copy / changed).open("a") as file:
        file.write("\n")
    assert jit.sources_hash(copy) != jit.sources_hash()


def test_kernels_of_other_folders_are_kept_apart(tmp_path):
    assert jit.cache_dir(PACKAGE / "kernels") == jit.CACHE_DIR
    (tmp_path / "mine.py").write_text("x = 1\n")
    before = jit.cache_dir(tmp_path)
    assert before.parent == jit.CACHE_DIR
    jit.cache_dir.cache_clear()
    (tmp_path / "mine.py").write_text("x = 2\n")
    assert jit.cache_dir(tmp_path) != before


def test_importing_compiles_nothing(tmp_path):
    code = "import os, pathlib, unoflip_env.engine; print(list(pathlib.Path(os.environ['UNOFLIP_CACHE_DIR']).rglob('*.nb*')))"
    env = {**os.environ, "UNOFLIP_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert done.stderr == ""
