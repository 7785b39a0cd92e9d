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
# # Your own rules, your own bot
#
# Rules are data: any option can be set over any preset. A bot is anything with a `name`, a `layout` and a method `act` that
# chooses an action for each row of a batch. This notebook makes both, and measures whether the bot is any good.

# %%
import tempfile
from pathlib import Path

import numpy as np

from agents.registry import make_agent
from eval.match import Match
from unoflip_env import ObservationLayout, Rules, load_rules, save_rules
from unoflip_env.actions import CARD, CATCH, COLOR, DRAW_CARD, NUM_ACTIONS, SAY_UNO
from unoflip_env.deck import DRAW, NUM_CARDS, NUM_COLORS, SLOT_COLOR, SLOT_SYMBOL
from unoflip_env.rules import RulesError

# %% tags=["parameters"]
NUM_DEALS = 2000  # in each match

# %% [markdown]
# ## Rules
#
# Five cards, draw cards that stack, drawing only if one cannot play, and UNO said by itself. What is not named is as in the
# official leaflet. The rules' id is a hash of what differs, and stands in every result.

# %%
house = Rules(hand=5, stack=("draw_one", "draw_five"), draw="stuck", uno="auto")
print(house.id, house.changes())

# %% [markdown]
# A rule set can be kept in a file, which every command takes (`--rules house.toml`). What has no meaning is refused.

# %%
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "house.toml"
    save_rules(house, path)
    print(path.read_text())
    assert load_rules(path) == house

try:
    Rules(zero_role="swap")
except RulesError as error:
    print("RulesError:", error)

# %% [markdown]
# ## A bot
#
# Our first bot plays the colour of which it holds most, so that it can go on playing, and keeps its wilds for when nothing
# else fits. It gives every action a score and takes the best legal one, for a whole batch of decisions at once.
#
# `layout.view` gives the fields of the observations by name. `own_hand` has an entry for each slot, and a slot's number is
# the action that plays it.


# %%
class ColorBot:
    """Plays the colour that it holds most of."""

    name = "color_bot"

    def __init__(self, layout: ObservationLayout) -> None:
        self.layout = layout

    def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        """See agents.protocol.Agent."""
        scores = self.scores(self.layout.view(observations))
        return np.where(legal_mask, scores, -np.inf).argmax(axis=1)

    def scores(self, seen: dict[str, np.ndarray]) -> np.ndarray:
        """Shape (batch, NUM_ACTIONS)."""
        held = seen["own_hand"]
        by_color = np.stack([held[:, SLOT_COLOR == color].sum(axis=1) for color in range(NUM_COLORS)], axis=1)
        scores = np.zeros((len(held), NUM_ACTIONS))
        is_wild = SLOT_COLOR == NUM_COLORS
        scores[:, CARD : CARD + NUM_CARDS] = np.where(is_wild, 0.5, by_color[:, np.where(is_wild, 0, SLOT_COLOR)])
        scores[:, COLOR : COLOR + NUM_COLORS] = by_color
        scores[:, [SAY_UNO, CATCH]] = 1000
        scores[:, DRAW_CARD] = -1
        return scores


def play(first: object, *, rules: Rules, against: tuple[str, ...], seed: int = 1) -> None:
    """Print the first agent's win rates."""
    for name in against:
        agents = [first, make_agent(name, max_players=2)]
        score = Match(agents, rules, NUM_DEALS, seed, num_players=2).play().result().scores[0]
        low, high = score.win_rate_interval
        print(
            f"{first.name} against {name:12}{score.win_rate:6.1%} [{low:.1%}, {high:.1%}], {score.points:+.1f} points a round"
        )


layout = ObservationLayout(max_players=2)
play(ColorBot(layout), rules=Rules(), against=("random_play", "greedy"))

# %% [markdown]
# ## A better one?
#
# An idea: action cards slow the other down, so play them first when its hand is small. The bot knows the size of the other
# hand; symbols from `DRAW` on are no numbers. Whether an idea is good is for the deals to say, not for us. Both bots play the
# same deals.


# %%
class SlowingBot(ColorBot):
    """Also plays action cards first, when the next hand is small."""

    name = "slowing_bot"

    def scores(self, seen: dict[str, np.ndarray]) -> np.ndarray:
        """As before, and 10 more for an action card."""
        scores = super().scores(seen)
        is_near_the_end = seen["hand_sizes"][:, 1:2] <= 3
        scores[:, CARD : CARD + NUM_CARDS] += 10 * (SLOT_SYMBOL >= DRAW) * is_near_the_end
        return scores


play(SlowingBot(layout), rules=Rules(), against=("random_play", "greedy"))

# %% [markdown]
# Side by side the two rates may not be told apart. The surest question is the direct one: one bot against the other.

# %%
for rules, name in ((Rules(), "official"), (house, "our rules")):
    result = Match([SlowingBot(layout), ColorBot(layout)], rules, NUM_DEALS, seed=2, num_players=2).play().result()
    low, high = result.scores[0].win_rate_interval
    print(f"{name}: slowing_bot won {result.scores[0].win_rate:.1%} [{low:.1%}, {high:.1%}] of {result.num_games:,} rounds")

# %% [markdown]
# ## On the command line
#
# Put the class into a module of its own, say `my_bots.py` where you are, and every command takes it:
#
# ```console
# $ .venv/bin/python -m eval match my_bots:SlowingBot greedy --rules house.toml --deals 5000
# $ .venv/bin/python -m eval tournament my_bots:SlowingBot my_bots:ColorBot greedy sharp --out results.db
# ```
#
# A bot in another language, or one that is not trusted, runs as a [program of its own](../docs/bots.md).
