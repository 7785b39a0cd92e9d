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
# # A tournament and its intervals
#
# Cards are luck, so a win rate without an interval says little. This notebook plays a tournament, reads its table, and
# tries out what the intervals promise: what 95% means, how fast more deals help, what goes wrong if one looks too often.

# %%
import os
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from agents.registry import make_agent
from eval.export import read_games
from eval.play import DuplicateDeals
from eval.statistics import bootstrap_interval
from unoflip_env import Rules

os.environ["COLUMNS"] = "100"  # the width of tables

# %% tags=["parameters"]
NUM_DEALS = 2000  # of the tournament; a multiple of 50
NUM_RUNS = 200  # of the experiment at the end

# %% [markdown]
# ## Play
#
# Every pair of agents plays the same deals, each once with the seats one way round and once the other. All is kept in one
# file; if the run is broken off, the same command goes on. [Tournaments](../docs/tournaments.md) says more.

# %%
folder = tempfile.TemporaryDirectory()
results = Path(folder.name) / "results.db"
# !{sys.executable} -m eval tournament random_play greedy sharp --deals {NUM_DEALS} --out {results} 2> {os.devnull}

# %% [markdown]
# `Elo` puts all on one scale: at a table of two, 100 Elo are 64%. The columns `v 1`, `v 2`, … say what share of their games
# the row's agent won against agent 1, 2, …
#
# ## The games themselves
#
# `read_games` gives a row for every seat of every game. From here on it is about `sharp` against `greedy`. The unit is the
# deal: its two games have the same cards, so they do not count as two.

# %%
games = read_games(results)
print(f"{games.num_rows:,} rows of", ", ".join(games.column_names))

line_up, agent, win = (games[name].to_numpy() for name in ("line_up", "agent", "win"))
of_greedy = np.unique(line_up[agent == "greedy"])
is_sharp = (agent == "sharp") & np.isin(line_up, of_greedy)
by_deal = win[is_sharp].reshape(NUM_DEALS, 2).mean(axis=1)  # rows come in the order of deals and rotations

for score, number in zip(*np.unique(by_deal, return_counts=True), strict=True):
    print(f"sharp won {score:.1f} of the deal: {number:,} deals")
low, high = bootstrap_interval(by_deal, seed=0)
print(f"{by_deal.mean():.1%} [{low:.1%}, {high:.1%}]")

# %% [markdown]
# ## More deals
#
# Four times the deals make the interval half as wide. The dashed lines are the rule of thumb for a table of two: ±98/√games
# percentage points around the last figure.

# %%
numbers = np.unique(np.geomspace(20, NUM_DEALS, 25).astype(int))
lows, highs = np.transpose([bootstrap_interval(by_deal[:number], seed=0) for number in numbers])
rule = 0.98 / np.sqrt(2 * numbers)
figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.fill_between(numbers, lows, highs, alpha=0.3, label="95% interval")
axes.plot(numbers, [by_deal[:number].mean() for number in numbers], label="win rate of sharp against greedy")
for sign in (-1, 1):
    axes.plot(numbers, by_deal.mean() + sign * rule, color="gray", linestyle="--", linewidth=0.8)
axes.set(xscale="log", xlabel="deals")
axes.legend()
plt.show()

# %% [markdown]
# ## What 95% means
#
# Fifty deals at a time are so many small matches of the same two agents. Each has its interval, and about one in twenty
# should miss the true win rate. What we know best of that is the mean of all deals. (Of 40 intervals, 0 to 5 usually miss.)

# %%
blocks = by_deal.reshape(-1, 50)
ends = np.array([bootstrap_interval(block, seed=0) for block in blocks])
truth = by_deal.mean()
has_missed = (ends[:, 0] > truth) | (ends[:, 1] < truth)
figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
axes.vlines(np.arange(len(ends)), ends[:, 0], ends[:, 1], colors=np.where(has_missed, "tab:red", "tab:blue"))
axes.axhline(truth, color="gray", linewidth=0.8)
axes.set(xlabel="match of 50 deals", ylabel="win rate")
plt.show()
print(f"{has_missed.sum()} of {len(ends)} intervals miss {truth:.1%}")

# %% [markdown]
# ## Looking too often
#
# `random_play` against itself: nobody is better. Play 100 deals, with a look after every 5 from the twentieth on, and
# stop as soon as the interval excludes 50%. How often does that find a winner where there is none?

# %%
agents = [make_agent("random_play", max_players=2), make_agent("random_play", max_players=2)]
deals = DuplicateDeals(agents, [0, 1], Rules(), num_deals=100 * NUM_RUNS, seed=7)
deals.play()
scores = deals.outcomes().wins[:, :, 0].mean(axis=1).reshape(NUM_RUNS, 100)

looks = np.arange(20, 101, 5)
means = np.stack([scores[:, :look].mean(axis=1) for look in looks], axis=1)
errors = np.stack([scores[:, :look].std(axis=1) / np.sqrt(look) for look in looks], axis=1)
is_verdict = np.abs(means - 0.5) > 1.96 * errors
for name, found in (("one look, at the end", is_verdict[:, -1]), (f"{looks.size} looks", is_verdict.any(axis=1))):
    low, high = bootstrap_interval(found, seed=0)
    print(f"{name:22}a 'winner' in {found.mean():5.1%} [{low:.1%}, {high:.1%}] of {NUM_RUNS} runs")

# %% [markdown]
# One look errs about as often as it says it does; many looks, several times as often. A
# [duel](../docs/ratings.md#a-duel) is made for being looked at: it stops as soon as it knows, and keeps its promise.

# %%
# !{sys.executable} -m eval duel greedy random_play --elo 0 30 2> {os.devnull}
