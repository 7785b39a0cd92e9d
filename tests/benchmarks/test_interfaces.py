"""The table of interfaces is printed as a user asks for it, every figure in it."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_every_interface_has_a_figure_for_each_table() -> None:
    command = [sys.executable, "benchmarks/interfaces.py", "--players", "2", "3", "--tables", "8", "--seconds", "0.001"]
    env = {**os.environ, "COLUMNS": "120", "PYTHONUTF8": "1", "PYTHONPATH": str(ROOT)}
    printed = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True).stdout
    rows = re.findall(r"│ (.+?) +│ +([\d.,]+) │ +([\d.,]+) │", printed)
    assert [re.split(r", 8", name)[0] for name, _, _ in rows] == ["Engine", *["VectorEnv"] * 3, "SB3 VecEnv", "SyncVectorEnv"]
    assert all(float(figure.replace(",", "")) > 0 for _, *figures in rows for figure in figures)
