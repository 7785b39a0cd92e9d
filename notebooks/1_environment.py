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
# # The environment, and what a seat sees
#
# UNO FLIP is played with two-sided cards. Everybody sees the *backs* of all other hands, and a Flip turns every card
# round: what was a back is then in play. This notebook plays some decisions, looks at the table through one seat's eyes,
# and shows what that seat cannot know.

# %%
import numpy as np
from IPython.display import SVG

from agents.registry import make_agent
from unoflip_env import Engine, ObservationLayout, describe_observation, unoflip_v0
from unoflip_env.deck import SIDE_NAMES, face_name
from unoflip_env.notation import action_text
from unoflip_env.pictures import standalone_svg
from unoflip_env.table_view import TableView

# %% tags=["parameters"]
NUM_GAMES = 1000  # in the batch at the end

# %% [markdown]
# ## One game, one decision at a time
#
# The PettingZoo environment selects the agent that decides, shows it what it may know, and says which of the actions
# are legal. With `render_mode="ansi"` it draws the table as text.

# %%
env = unoflip_v0.env(rules="official", num_players=3, render_mode="ansi")
env.reset(seed=2)
print(env.render())

# %% [markdown]
# An action is a number, and the same number means the same thing under all rules: 0 to 111 play a held card, 112 to 115
# name a colour, the rest are gestures such as drawing, challenging or saying UNO. An agent may decide twice in a row
# (a wild, then its colour), and another may be asked out of turn (to catch whoever forgot UNO).
#
# In the notation of the [records](../docs/records.md) `B7` is a blue 7, `→G` names green, and `R2'` is the second red 2
# of the hand: the two may have different backs.

# %%
layout = ObservationLayout(max_players=3)

for _ in range(8):
    observation, reward, terminated, truncated, info = env.last()
    side = int(layout.view(observation["observation"])["side"][0])
    legal = np.flatnonzero(observation["action_mask"])
    print(f"{env.agent_selection} on the {SIDE_NAMES[side]} side:", *(action_text(action, side) for action in legal))
    env.step(int(legal[0]))

# %% [markdown]
# ## An observation
#
# is a vector of small integers. Each of its fields has a name, a place and a meaning; `layout.view` gives them by name.

# %%
describe_observation(max_players=3)

# %% [markdown]
# Seats are counted from the observer: 0 is the observer itself, 1 the next seat. So these are the sizes of the hands, and
# the backs that `player_0` sees in the hand of `player_1`. A Flip was played above, so the dark side is in play, and the
# backs are light.

# %%
seen = layout.view(env.observe("player_0")["observation"])
side = int(seen["side"][0])


def name_faces(counts: np.ndarray, side: int) -> str:
    """A bag of faces in words."""
    return ", ".join(face_name(side, face) for face in np.repeat(np.arange(counts.size), counts)) or "nothing"


print("cards in hand:", *seen["hand_sizes"])
print("backs of player_1:", name_faces(seen["other_backs"][0], 1 - side))

# %% [markdown]
# ## What a seat cannot know
#
# `determinize` deals all that a seat does not know anew. Below are the hand of `player_1` as it is, and in three other
# worlds that `player_0` cannot tell from it. The backs are the same in all of them, the fronts are not: with
# `pairing="shuffled"`, the default, any front may have any back. The observation of `player_0` does not change by a
# single number. Search and the tests stand on this.

# %%
SEAT = 0
engine = Engine("official", num_players=3, seed=2)  # the game from above, as it was dealt
everything = ObservationLayout(max_players=3, information="open")  # for critics and for this notebook, never for an agent


def hand_of_next(engine: Engine) -> tuple[str, str]:
    """Fronts and backs of the hand of the seat after SEAT."""
    open_view = everything.view(engine.observe(everything, seats=SEAT)[0])
    return name_faces(open_view["other_known"][0], 0), name_faces(open_view["other_backs"][0], 1)


before = engine.observe(seats=SEAT)
print("as dealt:", hand_of_next(engine)[0])
for seed in range(3):
    world = Engine("official", num_players=3)
    world.restore(0, engine.determinize(0, SEAT, seed))
    assert np.array_equal(world.observe(seats=SEAT), before)
    assert hand_of_next(world)[1] == hand_of_next(engine)[1]
    print(f"world {seed}: ", hand_of_next(world)[0])

# %% [markdown]
# ## A Flip
#
# The agent `greedy` plays all three seats until somebody plays a Flip. Before, `player_0` sees the backs of `player_1`
# and knows not one front. After it those backs are the cards in play, so `player_0` knows the whole hand; and what was
# in play before it now sees as backs.

# %%
greedy = make_agent("greedy", max_players=3)


def play_until_flip(engine: Engine) -> tuple[dict, dict]:
    """What SEAT sees just before and just after the first Flip."""
    while True:
        before = layout.view(engine.observe(seats=SEAT)[0].copy())
        engine.step(greedy.act(engine.observe(), engine.legal_mask(), np.zeros(1)))
        after = layout.view(engine.observe(seats=SEAT)[0])
        if before["side"] != after["side"]:
            return before, after


before, after = play_until_flip(engine)
print("before: backs of player_1: ", name_faces(before["other_backs"][0], 1))
print("        fronts known of it:", name_faces(before["other_known"][0], 0))
print("after:  fronts known of it:", name_faces(after["other_known"][0], 1))
print("        backs of player_1: ", name_faces(after["other_backs"][0], 0))

# %% [markdown]
# The same as a picture, as `player_0` sees it now: its own cards with their backs below, the others' backs, and above them
# the fronts that it knows.

# %%
SVG(standalone_svg(TableView(engine, SEAT)))

# %% [markdown]
# ## Many games at once
#
# For training there is the engine: one decision in every game at each step, in compiled code. Here each of the games of
# a batch is played to its end by `greedy`.

# %%
engine = Engine("official", num_games=NUM_GAMES, seed=1, num_players=3)
num_decisions = 0
while not engine.is_over.all():
    num_decisions += int((~engine.is_over).sum())
    engine.step(greedy.act(engine.observe(), engine.legal_mask(), np.zeros(NUM_GAMES)))
wins = [(engine.games["winners"] >> seat & 1).mean() for seat in range(3)]
print(f"{NUM_GAMES} rounds, {num_decisions / NUM_GAMES:.0f} decisions each; won by seat:", *(f"{share:.1%}" for share in wins))
