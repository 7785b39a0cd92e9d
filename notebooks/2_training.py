# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Train an agent and read its curves
#
# One network learns by playing against itself (PPO), for a minute. On the command line that is
#
# ```console
# $ .venv/bin/python -m train configs/quickstart.toml
# ```
#
# and [Training](../docs/training.md) explains all that it does. Here it is done from Python, so that we can look at what
# is written down on the way: is it learning, is it still exploring, and how good is the result, on which deals?

# %%
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from rich.console import Console

from agents.checkpoint import load_agent
from agents.registry import make_agent
from eval.match import Match
from train.config import Config
from train.report import read_curves
from train.training import train
from unoflip_env import Engine, Rules
from unoflip_env.notation import action_text
from unoflip_env.render import table_text

# %% tags=["parameters"]
TOTAL_DECISIONS = 250_000  # to learn from
NUM_TABLES = 128  # games played at a time
TEST_DEALS = 100  # in each test on the way
MATCH_DEALS = 300  # in the match at the end

# %%
run = Path(tempfile.mkdtemp()) / "run"
config = Config(
    run=run,
    players=(2,),
    total_decisions=TOTAL_DECISIONS,
    num_tables=NUM_TABLES,
    num_tests=4,
    num_threads=1,
    test_deals=TEST_DEALS,
    test_against=("random_play", "greedy"),
)
train(config, Console(quiet=True))
print(*sorted(path.name for path in run.iterdir() if not path.name.startswith("events")))

# %% [markdown]
# ## The curves
#
# `metrics.jsonl` has a line for each update and each test; `read_curves` sorts them by name. (TensorBoard shows the same:
# `tensorboard --logdir runs`.)
#
# - **Win rate**: tests on duplicate deals, with 95% intervals. Each test plays the *same* deals, so the steps of the curve
#   are surer than the intervals say; how high it is, is as sure as they say.
# - **Entropy** of the policy: how undecided it is. It should fall slowly. Near 0 early on, it has stopped exploring.
# - **KL**: how far one update moves the policy. A few hundredths and more mean that the learning rate is too high.
# - **Explained variance**: how much of the results the value network foresees. It stays well below 1: cards are luck.

# %%
curves = read_curves(run)
figure, axes = plt.subplots(2, 2, figsize=(10, 6), layout="constrained", sharex=True)
for name, curve in curves.items():
    if name.startswith("win_rate/"):
        rates, lows, highs = np.transpose(curve["values"])
        axes[0, 0].plot(curve["decisions"], rates, marker="o", label=name.rpartition("players_")[2])
        axes[0, 0].fill_between(curve["decisions"], lows, highs, alpha=0.2)
axes[0, 0].axhline(0.5, color="gray", linewidth=0.8)
axes[0, 0].set_title("win rate")
axes[0, 0].legend(title="against")
for place, (name, title) in zip(
    axes.flat[1:],
    {
        "policy/entropy": "entropy of the policy, nats",
        "policy/kl": "KL divergence of an update",
        "value/explained_variance": "explained variance of the returns",
    }.items(),
    strict=True,
):
    place.plot(curves[name]["decisions"], curves[name]["values"])
    place.set_title(title)
for place in axes[1]:
    place.set_xlabel("decisions learned from")
plt.show()

# %% [markdown]
# ## How good is it?
#
# The agent that is kept is the best by those tests, so on their deals it was lucky, too. A figure to report comes from
# deals that it was not chosen by: another seed.

# %%
agent = load_agent(run / "agent")
for opponent in ("random_play", "greedy", "sharp"):
    agents = [agent, make_agent(opponent, max_players=2)]
    result = Match(agents, Rules(), MATCH_DEALS, seed=1000, num_players=2).play().result()
    score = result.scores[0]
    low, high = score.win_rate_interval
    print(f"against {opponent:12}{score.win_rate:6.1%} [{low:.1%}, {high:.1%}] of {result.num_games:,} rounds")

# %% [markdown]
# ## What does it think?
#
# A network agent tells the probability of each action and the value that it expects, from -1 (lost) to +1 (won). Asked in
# the first position of a round:

# %%
engine = Engine("official", num_players=2, seed=4)
probabilities, values = agent.evaluate(engine.observe(agent.layout), engine.legal_mask())
print(table_text(engine), "\n")
for action in np.argsort(-probabilities[0])[: engine.legal_mask().sum()]:
    print(f"{probabilities[0, action]:6.1%}  {action_text(int(action), engine.side())}")
print(f"value {values[0]:+.2f}")

# %% [markdown]
# ## Further
#
# `make quickstart` learns for 6.5 minutes, at tables of two and of four; the README has its figures. What to
# change first: the budget, then who sits in the other seats (`opponents` in the configuration), then the network. Change
# one thing, keep the seed of the tests, and let a match on fresh deals decide.
