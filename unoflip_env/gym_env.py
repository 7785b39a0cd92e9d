"""The Gymnasium environment: one learner, the other seats played by given agents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete

from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.engine import Episode, RewardKind
from unoflip_env.learners import Act, Learners, OnIllegal, Opponent, choose_uniformly
from unoflip_env.observation import describe_observation
from unoflip_env.render import RENDER_MODES, Frame, TableRenderer
from unoflip_env.rules import RulesLike

_TABLE = np.zeros(1, np.int64)  # the only one


class UnoFlipEnv(gymnasium.Env[np.ndarray, np.int64]):
    """UNO FLIP for one learner: `gymnasium.make("UnoFlip-v0", num_players=2, opponents=agent)`.

    A step is one decision of the learner; then the others play until the learner decides again. The reward of a step is
    all that the learner received since its decision, so whoever loses while others move sees it at its own last step.
    An episode that ends before the learner's first decision is not shown: another is dealt. The rewards themselves are
    those of `Engine`: 'win' or 'points'.

    The observation is uint8 of shape (layout.size,); `env.unwrapped.describe_observation()` prints its fields. Which
    actions are legal is in `info["action_mask"]` (int8, as `action_space.sample` takes it) and `action_masks()` (bool, as
    sb3-contrib's MaskablePPO asks for it), of shape (NUM_ACTIONS,); all zeros once the episode is over. `info["seat"]` is
    the learner's seat.

    `reset(seed=...)` fixes the deal (that of `Engine` and the PettingZoo environment with the same seed), the learner's
    seat and the opponents' random numbers. There are no reset `options`.

    Args:
        rules: Rules, the name of a preset, the path of a TOML file (see `load_rules`), or a mapping of options.
        num_players: 2 to 10.
        opponents: the agent on every other seat, or a sequence of agents for the seats 1, 2, … places on from the learner
            (see Opponent); by default they choose uniformly among the legal actions.
        seat: the learner's seat, or None: drawn for each episode.
        episode: 'round', or 'match': rounds until the target score.
        reward: 'win' or 'points'.
        illegal_action: 'lose' ends the episode with a reward of -1 ('points': minus the target score) and says why in
            `info["illegal_action"]`; 'raise' raises IllegalActionError and changes nothing.
        render_mode: 'human' prints the table as the learner sees it at every step; `render()` returns it as text under
            'ansi', and under 'rgb_array' as pixels, uint8 of shape (560, 800, 3), which takes the extra `pictures`.

    Raises RulesError for rules without a meaning or that cannot deal to so many players, ValueError for other arguments.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": RENDER_MODES, "render_fps": 1}  # type: ignore[misc]

    def __init__(
        self,
        rules: RulesLike = "official",
        num_players: int = 4,
        *,
        opponents: Opponent | Act | Sequence[Opponent | Act] = choose_uniformly,
        seat: int | None = None,
        episode: Episode = "round",
        reward: RewardKind = "win",
        illegal_action: OnIllegal = "lose",
        render_mode: str | None = None,
    ) -> None:
        self._learners = Learners(
            rules,
            1,
            num_players,
            opponents=opponents,
            seat=seat,
            episode=episode,
            reward=reward,
            illegal_action=illegal_action,
        )
        self._engine = self._learners.engine
        self._renderer = TableRenderer(self._engine, render_mode, self._seat)
        self.render_mode = render_mode
        self.observation_space = Box(0, self._engine.layout.high, dtype=np.uint8)
        self.action_space = Discrete(NUM_ACTIONS)

    def describe_observation(self) -> None:
        """Print the table of the observation's fields."""
        describe_observation(self._engine.layout.max_players, self._engine.layout.information)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal, and let the others play until the learner's first decision."""
        super().reset(seed=seed)
        if seed is not None:
            self._learners.seed({0: seed})
        self._learners.deal(_TABLE)
        self._renderer.view = self._seat
        return self._observe()

    def step(self, action: np.int64 | int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """One decision of the learner. Raises ResetNeeded once the episode is over."""
        if self._learners.is_over[0]:
            raise gymnasium.error.ResetNeeded("the episode is over: call reset() before step()")
        lost = self._learners.step(np.array([action]), _TABLE)
        observation, info = self._observe()
        if lost:
            info["illegal_action"] = lost[0]
        return observation, float(self._learners.take_rewards(_TABLE)[0]), bool(self._learners.is_over[0]), False, info

    def action_masks(self) -> np.ndarray:
        """The learner's legal actions, bool of shape (NUM_ACTIONS,), under the name that sb3-contrib looks for."""
        mask: np.ndarray = self._learners.legal_mask()[0]
        return mask

    def render(self) -> Frame:
        """The table, as `render_mode` has it; under 'human' it is printed, which every step does already."""
        return self._renderer.render()

    @property
    def _seat(self) -> int:
        return int(self._learners.seats[0])

    def _observe(self) -> tuple[np.ndarray, dict[str, Any]]:
        """The learner's observation and info."""
        if self.render_mode == "human":
            self.render()
        return self._learners.observe()[0], {"action_mask": self.action_masks().view(np.int8), "seat": self._seat}
