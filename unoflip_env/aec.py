"""The PettingZoo AEC environment: one game, one decision a step."""

from __future__ import annotations

import secrets
from operator import index
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from pettingzoo import AECEnv

from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.engine import Engine, Episode, RewardKind
from unoflip_env.game import NOBODY
from unoflip_env.observation import describe_observation, observation_layout
from unoflip_env.render import RENDER_MODES, Frame, TableRenderer
from unoflip_env.rules import RulesLike
from unoflip_env.table_view import View

Observation = dict[str, np.ndarray]

_NO_ACTIONS = np.zeros(NUM_ACTIONS, np.int8)
_NO_ACTIONS.flags.writeable = False


class UnoFlipAEC(AECEnv[str, Any, Any]):
    """UNO FLIP for PettingZoo: the agents `player_0`, `player_1`, … sit on the seats 0, 1, ….

    A step is one decision (playing a card, then naming its colour, are two), so the same agent may be selected several
    times in a row, and another may be asked out of turn: to challenge, or in the UNO window.

    **Observations** are dicts. `observation`, uint8 of shape (layout.size,), is what that agent may know;
    `env.describe_observation()` prints its fields. `action_mask`, int8 of shape (NUM_ACTIONS,), is 1 where an action is
    legal; for an agent that is not selected it is all zeros. `infos[agent]["action_mask"]` holds the same mask.

    **Rewards.** `env.rewards` tells of the last step alone; `last()` gives what an agent has received since it last
    acted, so a reward that falls while others move is not lost. With `reward="win"` all are 0 until the episode ends;
    then the winners share +1 and the others share -1. With `reward="points"` every round that ends pays: each seat loses
    the points in its hand, and under `scoring="winner_takes"` the winners share what the others lose.

    **The end.** When the episode ends, every agent terminates in the same step, and none has seen its last
    reward yet. So each is selected once more, in the order of the seats: `last()` then gives its last
    observation, its reward and `terminated=True`, and `step(None)` is the only action. Leaving the loop as soon as one
    agent has terminated loses the rewards of the others:

    >>> for agent in env.agent_iter():
    ...     observation, reward, terminated, truncated, info = env.last()
    ...     returns[agent] += reward
    ...     env.step(None if terminated or truncated else policy(observation))

    **Illegal actions** raise IllegalActionError and change nothing; to have them end the game instead, put PettingZoo's
    `TerminateIllegalWrapper` around the environment.

    Args:
        rules: Rules, the name of a preset, the path of a TOML file (see `load_rules`), or a mapping of options.
        num_players: 2 to 10.
        episode: 'round', or 'match': rounds until the target score.
        reward: 'win' or 'points', see above.
        render_mode: 'human' prints the table after every step; `render()` returns it as text under 'ansi', and under
            'rgb_array' as pixels, uint8 of shape (560, 800, 3), which takes the extra `pictures`.
        render_seat: whose view is drawn: a seat's; 'actor', the seat that decides; or 'open', all cards.

    Raises RulesError for rules without a meaning or that cannot deal to so many players, ValueError for other arguments.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "name": "unoflip_v0",
        "render_modes": RENDER_MODES,
        "render_fps": 1,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        rules: RulesLike = "official",
        num_players: int = 4,
        *,
        episode: Episode = "round",
        reward: RewardKind = "win",
        render_mode: str | None = None,
        render_seat: View = "actor",
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        seed = secrets.randbits(64)
        self._engine = Engine(rules, seed=seed, num_players=num_players, episode=episode, reward=reward)
        self._renderer = TableRenderer(self._engine, render_mode, render_seat)
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(num_players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        layout = self._engine.layout
        self.observation_spaces = {
            agent: Dict({"observation": Box(0, layout.high, dtype=np.uint8), "action_mask": Box(0, 1, (NUM_ACTIONS,), np.int8)})
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: Discrete(NUM_ACTIONS) for agent in self.possible_agents}
        self._open_layout = observation_layout(num_players, "open")
        self._action = np.zeros(1, np.int64)
        self._next_mask, self._next_observation = np.empty((1, NUM_ACTIONS), np.int8), np.empty((1, layout.size), np.uint8)
        self._observer: str | None = None  # whose `_observation` is, until it is given away
        self._is_paid = False  # whether the last step paid anyone
        self.state_space = Box(0, self._open_layout.high, dtype=np.uint8)

    def observation_space(self, agent: str) -> Space[Any]:
        """The agent's observation space, the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """The agent's action space, the same object at every call."""
        return self.action_spaces[agent]

    def describe_observation(self) -> None:
        """Print the table of the observation's fields."""
        describe_observation(self._engine.layout.max_players, self._engine.layout.information)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal: the game of this seed, or without one the next of the current seed. There are no `options`."""
        if seed is None:
            self._engine.reset()
        else:
            self._engine.seed(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": _NO_ACTIONS} for agent in self.agents}
        self._engine.legal_mask(self._next_mask)
        self._engine.observe(out=self._next_observation)
        self._select_next()

    def step(self, action: int | None) -> None:
        """One decision of the selected agent; None once it has terminated. Raises IllegalActionError."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        try:
            self._action[0] = index(action)  # type: ignore[arg-type]
        except (TypeError, OverflowError):
            raise ValueError(f"action {action!r}: expected an integer") from None
        self._engine.advance(self._action, self._next_mask, self._next_observation)
        self.infos[agent] = {"action_mask": _NO_ACTIONS}
        self._cumulative_rewards[agent] = 0.0
        rewards = self._engine.rewards.tolist()[0]
        if any(rewards) or self._is_paid:
            self._is_paid = any(rewards)
            self.rewards = dict(zip(self.agents, rewards, strict=True))
            self._accumulate_rewards()
        self._select_next()

    def _select_next(self) -> None:
        """Point at the agent that decides; once the episode is over, at the first that steps dead."""
        seat = self._engine.actor.item()
        if seat == NOBODY:
            self.terminations = dict.fromkeys(self.agents, True)
            seat = 0
        agent = self.agents[seat]
        self.agent_selection = self._decider = self._observer = agent
        self._mask, self._observation = self._next_mask[0].copy(), self._next_observation[0].copy()
        self.infos[agent] = {"action_mask": self._mask}
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """What this agent may know, whoever is selected."""
        is_asked = agent == self._decider and not self.terminations.get(agent, True)
        mask = self._mask if is_asked else _NO_ACTIONS
        if agent != self._observer:
            return {"observation": self._engine.observe(seats=self._seats[agent])[0], "action_mask": mask}
        self._observer = None  # what was seen at the step is given away once: it is the caller's then
        return {"observation": self._observation, "action_mask": mask}

    def state(self) -> np.ndarray:
        """All cards open, as from seat 0, for central critics and never for an agent: uint8 of `state_space`'s shape."""
        state: np.ndarray = self._engine.observe(self._open_layout, seats=0)[0]
        return state

    def render(self) -> Frame:
        """The table, as `render_mode` has it; under 'human' it is printed, which every step does already."""
        return self._renderer.render()

    def close(self) -> None:
        """Nothing is held open."""
