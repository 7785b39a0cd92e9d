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
# # What makes UNO FLIP hard
#
# Luck, backs, bluffs and Flips, each measured. Games are of the official rules for two, unless said otherwise, and played by
# the baselines: what is said of bluffs, say, holds for players who bluff as these do.

# %%
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np

from agents.baselines import Baseline
from agents.registry import make_agent
from eval.match import Match
from eval.play import DuplicateDeals
from eval.statistics import bootstrap_interval
from unoflip_env import Engine, ObservationLayout, Rules
from unoflip_env.actions import CHALLENGE
from unoflip_env.deck import LIGHT, SLOT_POINTS, words_slots
from unoflip_env.game import Phase

# %% tags=["parameters"]
NUM_DEALS = 3000  # in each match
NUM_ROUNDS = 2000  # of `greedy` against itself, watched decision by decision
NUM_WATCHED = 20  # rounds in which the seats' uncertainty is measured
NUM_WORLDS = 100  # that a seat could be in, for each of their positions


# %%
def estimate(values: np.ndarray) -> str:
    """Mean and 95% interval of shares, one for each independent round or deal."""
    low, high = bootstrap_interval(np.asarray(values, float), seed=0)
    return f"{np.mean(values):.1%} [{low:.1%}, {high:.1%}]"


# %% [markdown]
# ## Luck
#
# `sharp` is much the better player. How much of a single round's result is that?

# %%
agents = [make_agent("sharp", max_players=2), make_agent("greedy", max_players=2)]
deals = DuplicateDeals(agents, [0, 1], Rules(), NUM_DEALS, seed=1)
deals.play()
outcomes = deals.outcomes()
points = outcomes.points[:, :, 0]  # of sharp, by deal and rotation
print("rounds won by sharp:", estimate(outcomes.wins[:, :, 0].mean(axis=1)))
print(f"points a round: {points.mean():+.1f}, with a standard deviation of {points.std():.0f}")
print(f"rounds until the mean is twice its standard error: about {(2 * points.std() / points.mean()) ** 2:.0f}")

# %% [markdown]
# Long rounds pay more: hands grow, and dark cards are dear. (On the right one game of each deal, for the two hang together.)

# %%
decisions = outcomes.decisions[:, 0].sum(axis=1)
size = np.abs(points[:, 0])
edges = np.unique(np.quantile(decisions, np.linspace(0, 1, 11)).astype(int))
edges[-1] += 1
bins = [(decisions >= low) & (decisions < high) for low, high in pairwise(edges)]
middles = [np.median(decisions[of_bin]) for of_bin in bins]
lows, highs = np.transpose([bootstrap_interval(size[of_bin], seed=0) for of_bin in bins])
means = np.array([size[of_bin].mean() for of_bin in bins])
figure, axes = plt.subplots(1, 2, figsize=(10, 3.2), layout="constrained")
axes[0].hist(points.ravel(), bins=60, color="tab:blue")
axes[0].axvline(points.mean(), color="tab:red")
axes[0].set(xlabel="points of sharp in a round; red: the mean", yticks=[])
axes[1].errorbar(middles, means, yerr=[means - lows, highs - means], fmt="o-", capsize=3)
axes[1].set(xlabel="decisions in the round", ylabel="points at its end", ylim=(0, None))
plt.show()

# %% [markdown]
# ## What a seat does not know
#
# `determinize` deals anew all that a seat does not know. A hundred such worlds tell how unsure it is of the other hand: for
# each face, the entropy of how many of it are held there, added up and divided by the cards. 0 bits: the hand is known.
# (From so few worlds it comes out a little too low.)
#
# There are two kinds of positions. Before the first Flip the backs tell nothing of the fronts when the pairing is
# `shuffled`, and much when it is `printed`. After a Flip what had been backs are fronts, and everybody has seen them: only
# cards that were drawn since are hidden.

# %%
everything = ObservationLayout(2, "open")


def hidden_bits(engine: Engine, seat: int) -> float:
    """How unsure a seat is of the fronts in the other hand, in bits a card."""
    world, hands = Engine(engine.rules, num_players=2), []
    for seed in range(NUM_WORLDS):
        world.restore(0, engine.determinize(0, seat, seed))
        hands.append(everything.view(world.observe(everything, seats=seat)[0])["other_known"][0])
    shares = np.stack([np.mean(np.array(hands) == number, axis=0) for number in range(max(map(np.max, hands)) + 1)])
    bits = -(shares * np.log2(shares, where=shares > 0, out=np.zeros_like(shares))).sum()
    return float(bits / hands[0].sum())


def watch(pairing: str) -> np.ndarray:
    """A row for each position: its round, the turns since the last Flip (-1 before the first), the bits a card."""
    greedy, rows = make_agent("greedy", max_players=2), []
    engine = Engine(Rules(pairing=pairing), num_players=2, seed=5)
    for number in range(NUM_WATCHED):
        side, turn, since = LIGHT, 0, -1
        while not engine.is_over[0]:
            if engine.side() != side:
                side, since = engine.side(), 0
            if engine.phase[0] == Phase.PLAY and engine.games["num_turns"][0] != turn:
                turn = int(engine.games["num_turns"][0])
                rows.append((number, since, hidden_bits(engine, int(engine.actor[0]))))
                since += since >= 0
            engine.step(greedy.act(engine.observe(), engine.legal_mask(), np.zeros(1)))
        engine.reset()
    return np.array(rows)


def by_round(rows: np.ndarray, since: int) -> np.ndarray:
    """Mean bits of each round that has such positions; rounds are independent, the positions of one are not."""
    of_turn = rows[rows[:, 1] == since]
    return np.array([of_turn[of_turn[:, 0] == number, 2].mean() for number in np.unique(of_turn[:, 0])])


figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
for pairing, color in (("shuffled", "tab:blue"), ("printed", "tab:orange")):
    rows = watch(pairing)
    before, after = by_round(rows, -1), by_round(rows, 0)
    turns = [turn for turn in range(16) if by_round(rows, turn).size > 1]
    axes.plot(turns, [by_round(rows, turn).mean() for turn in turns], "o-", color=color, label=f"after a Flip, {pairing}")
    axes.axhline(before.mean(), linestyle="--", color=color, label=f"before the first, {pairing}")
    low, high = bootstrap_interval(before, seed=0)
    print(f"{pairing}: {before.mean():.1f} [{low:.1f}, {high:.1f}] bits a card before the first Flip,", end=" ")
    print(f"{after.mean():.1f} right after one ({len(rows):,} positions of {NUM_WATCHED} rounds)")
axes.set(xlabel="turns since the last Flip", ylabel="bits a card of the other hand")
axes.legend()
plt.show()

# %% [markdown]
# ## What backs are worth
#
# `sharp` reads them: it knows what a Flip would bring up and do to all hands, and remembers what lay there before. Let it
# play itself with the backs covered: a layout without backs is all that it takes. The difference is what *this* agent makes
# of the backs; a better reader may make more of them. The last figure says as how many times as many games with a new deal
# each the match is as sure of the win rate: between agents so alike, duplicate deals pay.

# %%
for num_players in (2, 4):
    for pairing in ("shuffled", "printed"):
        seeing = Baseline("sharp", ObservationLayout(num_players))
        covered = Baseline("sharp", ObservationLayout(num_players, "fronts"))
        match = Match([seeing, covered], Rules(pairing=pairing), NUM_DEALS, seed=3, num_players=num_players)
        result = match.play().result()
        score = result.scores[0]
        low, high = score.win_rate_interval
        print(f"{num_players} players, {pairing}: seeing won {score.win_rate:.1%} [{low:.1%}, {high:.1%}],", end=" ")
        print(f"fair {result.fair_share:.0%}; {score.points:+.1f} points a round; {score.variance_ratio:.2f}-fold")

# %% [markdown]
# ## Bluffs
#
# A Wild Draw Two may be played though one could follow the colour; whoever must draw may challenge. A guilty one draws the
# two cards itself; a wrong challenge costs two cards more. `greedy` never thinks about it: it plays its dearest card. How
# often is it a bluff? And is it right to challenge it?


# %%
def watch_bluffs() -> np.ndarray:
    """A row for each wild draw that could be challenged: its round, whether it was a bluff, the size of the hand it left."""
    greedy = make_agent("greedy", max_players=2)
    engine = Engine("official", num_games=NUM_ROUNDS, num_players=2, seed=6)
    rows = []
    while not engine.is_over.all():
        numbers = np.flatnonzero(engine.phase == Phase.RESPOND)
        asked = engine.games[numbers]
        sizes = asked["hand_size"][np.arange(numbers.size), asked["turn_seat"]]
        rows.append(np.stack([numbers, asked["is_guilty"], sizes], axis=1))
        engine.step(greedy.act(engine.observe(), engine.legal_mask(), np.zeros(NUM_ROUNDS)))
    return np.concatenate(rows)


def first_of_rounds(rows: np.ndarray) -> np.ndarray:
    """The first row of each round: these are independent of each other."""
    return rows[np.unique(rows[:, 0], return_index=True)[1]]


rows = watch_bluffs()
print(f"{len(rows):,} wild draws that could be challenged; bluffs among the first of each round:", end=" ")
print(estimate(first_of_rounds(rows)[:, 1]))
for low, high in ((1, 2), (3, 5), (6, 9), (10, 99)):
    chosen = first_of_rounds(rows[(rows[:, 2] >= low) & (rows[:, 2] <= high)])
    if len(chosen) > 1:
        print(f"  with {low} to {high} cards left:", estimate(chosen[:, 1]), f"of {len(chosen):,}")

# %% [markdown]
# A bluff is the more likely, the larger the hand that is left: what matters is whether it held the colour. So much for the
# odds; what challenges are worth, a match says. One seat challenges whatever it may, the other is `greedy`.


# %%
class Suspicious:
    """`greedy`, but it challenges whatever it may."""

    name = "suspicious"

    def __init__(self, layout: ObservationLayout) -> None:
        self.layout, self.greedy = layout, Baseline("greedy", layout)

    def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        """See agents.protocol.Agent."""
        actions = self.greedy.act(observations, legal_mask, uniforms)
        return np.where(legal_mask[:, CHALLENGE], CHALLENGE, actions)


layout = ObservationLayout(2)
result = Match([Suspicious(layout), Baseline("greedy", layout)], Rules(), NUM_DEALS, seed=4, num_players=2).play().result()
score = result.scores[0]
low, high = score.win_rate_interval
print(f"challenging always won {score.win_rate:.1%} [{low:.1%}, {high:.1%}]; {score.points:+.1f} points a round")

# %% [markdown]
# ## Flips
#
# The points of a hand are those of its faces in play. Who has fewer of them leads, until a Flip turns both hands. The same
# cards, at the moment of the Flip, on the side before and the side after:


# %%
def points_of(game: np.ndarray, side: int) -> list[int]:
    """What is in the two hands, counted on one side."""
    return [int(SLOT_POINTS[side, words_slots(game["hand"][side, seat])].sum()) for seat in range(2)]


def watch_flips() -> dict[str, np.ndarray]:
    """For each Flip: its round, and of both sides the points of the hands, before and after."""
    greedy = make_agent("greedy", max_players=2)
    engine = Engine("official", num_games=NUM_ROUNDS, num_players=2, seed=7)
    flips = []
    while not engine.is_over.all():
        sides = engine.games["side"].copy()
        engine.step(greedy.act(engine.observe(), engine.legal_mask(), np.zeros(NUM_ROUNDS)))
        for number in np.flatnonzero((engine.games["side"] != sides) & ~engine.is_over):
            game, side = engine.games[number], int(engine.games["side"][number])
            flips.append((number, *points_of(game, 1 - side), *points_of(game, side)))
    numbers, *points = np.transpose(flips)
    before, after = np.transpose(points[:2]), np.transpose(points[2:])
    return {"round": numbers, "before": before, "after": after, "winner": engine.games["winners"][numbers] - 1}


flips = watch_flips()
leads = [flips[when][:, 1] - flips[when][:, 0] for when in ("before", "after")]  # of seat 0, in points
has_leader = (leads[0] != 0) & (leads[1] != 0)
has_turned = (leads[0] > 0) != (leads[1] > 0)
won_by_0 = flips["winner"] == 0
_, first = np.unique(flips["round"], return_index=True)  # one Flip a round: these are independent
first = first[has_leader[first]]
print(f"{flips['round'].size:,} Flips in {NUM_ROUNDS:,} rounds; the first of each:")
print("another seat leads than before:   ", estimate(has_turned[first]))
print("who led before it won the round:  ", estimate(((leads[0] > 0) == won_by_0)[first]))
print("who leads after it wins the round:", estimate(((leads[1] > 0) == won_by_0)[first]))

figure, axes = plt.subplots(figsize=(4.5, 4.2), layout="constrained")
axes.scatter(leads[0][first], leads[1][first], s=6, alpha=0.4)
axes.axhline(0, color="gray", linewidth=0.8)
axes.axvline(0, color="gray", linewidth=0.8)
axes.set(xlabel="lead of seat 0 before the Flip, points", ylabel="its lead after it")
plt.show()

# %% [markdown]
# Every third Flip makes the other seat lead, and being ahead in points says little of who will win, before a Flip or after
# it: a round is won by the hand that is empty first, whatever the others are worth.
