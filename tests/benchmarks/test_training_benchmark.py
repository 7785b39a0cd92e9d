"""The shares of a training run's time are measured as a user asks for them."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_the_shares_of_each_network_add_up() -> None:
    few = ["--num-updates", "1", "--num-tables", "32", "--num-threads", "1", "--sb3-steps", "0", "--json"]
    command = [sys.executable, "-m", "benchmarks.training", *few]
    printed = subprocess.run(command, cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, check=True).stdout
    found = json.loads(printed)
    assert list(found) == ["self-play PPO, 256 units, 64 a colour", "self-play PPO, 128 units, 32 a colour"]
    for figures in found.values():
        parts = [figures[name] for name in ("environment_and_bookkeeping", "inference", "update")]
        assert 0.95 < sum(parts) <= 1
        assert figures["of_network_alone"] > 0
