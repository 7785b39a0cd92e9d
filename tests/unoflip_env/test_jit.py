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
    def cache_dir_after(file, text):
        (tmp_path / file).write_text(text)
        jit.cache_dir.cache_clear()
        return jit.cache_dir(tmp_path)

    assert jit.cache_dir(PACKAGE / "kernels") == jit.CACHE_DIR
    with_kernels = "from unoflip_env.kernels.jit import kernel\n"
    before = cache_dir_after("mine.py", with_kernels)
    assert before.parent == jit.CACHE_DIR
    assert cache_dir_after("other.py", "x = 2\n") == before
    assert cache_dir_after("mine.py", with_kernels + "x = 1\n") != before


def test_importing_compiles_nothing(tmp_path):
    code = "import os, pathlib, unoflip_env.engine; print(list(pathlib.Path(os.environ['UNOFLIP_CACHE_DIR']).rglob('*.nb*')))"
    env = {**os.environ, "UNOFLIP_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert done.stderr == ""
