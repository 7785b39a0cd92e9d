import os
import subprocess
import sys

GAMES = """
import gymnasium
import numpy as np
import unoflip_env
from agents.registry import make_agent
rules = {"hand": 2, "max_turns": 12}
env = gymnasium.make_vec("UnoFlip-v0", num_envs=2, num_players=2, rules=rules, opponents=make_agent("greedy", 2))
_, infos = env.reset(seed=3)
for _ in range(6):
    observations, rewards, _, _, infos = env.step(infos["action_mask"].argmax(axis=1))
    print(observations.tobytes().hex(), rewards)
"""


def test_baselines_play_the_same_games_with_the_jit_off():
    def run(**env: str) -> str:
        command = [sys.executable, "-W", "ignore", "-c", GAMES]
        return subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, check=True).stdout

    assert run(NUMBA_DISABLE_JIT="1") == run() != ""
