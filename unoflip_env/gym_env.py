"""The Gymnasium environment: one learner, the other seats played by given agents."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, Protocol

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete

from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.engine import Engine, Episode, IllegalActionError, RewardKind
from unoflip_env.observation import ObservationLayout, describe_observation
from unoflip_env.render import RENDER_MODES, TableRenderer
from unoflip_env.rules import Rules

Act = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


class Opponent(Protocol):
    """What plays a seat: an object with `act`, or a function with the signature of `act`.

    If it has a `layout` (an ObservationLayout), its observations have that layout; else the environment's.
    """

    def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        """Choose a legal action in each row.

        Args:
            observations: uint8 of shape (batch, layout.size).
            legal_mask: bool of shape (batch, NUM_ACTIONS).
            uniforms: float64 of shape (batch,), a random number in [0, 1) a row: the only source of randomness.

        Returns:
            Actions, int64 of shape (batch,).
        """


def choose_uniformly(observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
    """The default opponent: any legal action, all alike (see Opponent.act)."""
    num_up_to = legal_mask.cumsum(axis=1)
    chosen = (uniforms * num_up_to[:, -1]).astype(np.int64)
    actions: np.ndarray = (num_up_to > chosen[:, None]).argmax(axis=1)
    return actions


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
        render_mode: 'human' prints the table as the learner sees it at every step, 'ansi' has `render()` return it.

    Raises RulesError for rules without a meaning or that cannot deal to so many players, ValueError for other arguments.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": RENDER_MODES, "render_fps": 1}  # type: ignore[misc]

    def __init__(
        self,
        rules: Rules | str | Mapping[str, Any] = "official",
        num_players: int = 4,
        *,
        opponents: Opponent | Act | Sequence[Opponent | Act] = choose_uniformly,
        seat: int | None = None,
        episode: Episode = "round",
        reward: RewardKind = "win",
        illegal_action: Literal["lose", "raise"] = "lose",
        render_mode: str | None = None,
    ) -> None:
        if seat is not None and not 0 <= seat < num_players:
            raise ValueError(f"seat={seat}: expected None or a seat 0 to {num_players - 1}")
        if illegal_action not in ("lose", "raise"):
            raise ValueError(f"illegal_action={illegal_action!r}: expected 'lose' or 'raise'")
        seed = secrets.randbits(64)
        self._engine = Engine(rules, seed=seed, num_players=num_players, episode=episode, reward=reward)
        self._opponents = [_prepare(agent, self._engine) for agent in _line_up(opponents, num_players)]
        self._fixed_seat, self._illegal_action = seat, illegal_action
        self._seat = seat or 0
        self._is_over = True
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
        self._seat = int(self.np_random.integers(self._engine.num_seats)) if self._fixed_seat is None else self._fixed_seat
        self._renderer.view = self._seat
        if seed is None:
            self._engine.reset()
        else:
            self._engine.seed(seed)
        self._reward_due = self._play_others()
        while self._engine.is_over[0]:
            self._engine.reset()
            self._reward_due = self._play_others()
        self._is_over = False
        return self._observe()

    def step(self, action: np.int64 | int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """One decision of the learner. Raises ResetNeeded once the episode is over."""
        if self._is_over:
            raise gymnasium.error.ResetNeeded("the episode is over: call reset() before step()")
        try:
            self._engine.step(np.array([action]))
        except IllegalActionError as error:
            if self._illegal_action == "raise":
                raise
            return self._forfeit(str(error))
        reward = self._reward_due + float(self._engine.rewards[0, self._seat]) + self._play_others()
        self._reward_due = 0.0
        self._is_over = bool(self._engine.is_over[0])
        observation, info = self._observe()
        return observation, reward, self._is_over, False, info

    def action_masks(self) -> np.ndarray:
        """The learner's legal actions, bool of shape (NUM_ACTIONS,), under the name that sb3-contrib looks for."""
        if self._is_over:
            return np.zeros(NUM_ACTIONS, np.bool_)
        mask: np.ndarray = self._engine.legal_mask()[0]
        return mask

    def render(self) -> str | None:
        """The table as text under 'ansi'; under 'human' it is printed, which every step does already."""
        return self._renderer.render()

    def _observe(self) -> tuple[np.ndarray, dict[str, Any]]:
        """The learner's observation and info."""
        if self.render_mode == "human":
            self.render()
        return self._engine.observe(seats=self._seat)[0], {
            "action_mask": self.action_masks().view(np.int8),
            "seat": self._seat,
        }

    def _play_others(self) -> float:
        """Let the others decide until the learner does, or the episode is over; what the learner receives meanwhile."""
        engine, reward = self._engine, 0.0
        while not engine.is_over[0] and engine.actor[0] != self._seat:
            act, layout = self._opponents[(int(engine.actor[0]) - self._seat) % engine.num_seats - 1]
            engine.step(act(engine.observe(layout), engine.legal_mask(), self.np_random.random(1)))
            reward += float(engine.rewards[0, self._seat])
        return reward

    def _forfeit(self, message: str) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """The learner's illegal action loses the episode."""
        self._is_over = True
        observation, info = self._observe()
        penalty = -1.0 if self._engine.reward == "win" else -float(self._engine.rules.target)
        return observation, self._reward_due + penalty, True, False, info | {"illegal_action": message}


def _line_up(opponents: Opponent | Act | Sequence[Opponent | Act], num_players: int) -> list[Opponent | Act]:
    """One agent for each other seat."""
    if not isinstance(opponents, Sequence):
        return [opponents] * (num_players - 1)
    if len(opponents) != num_players - 1:
        raise ValueError(f"opponents: {len(opponents)} agents for {num_players - 1} seats beside the learner's")
    return list(opponents)


def _prepare(opponent: Opponent | Act, engine: Engine) -> tuple[Act, ObservationLayout]:
    """How an agent chooses, and what it reads; refused here if the engine cannot write that."""
    act = getattr(opponent, "act", opponent)
    if not callable(act):
        raise ValueError(f"opponent {opponent!r}: expected an object with `act`, or a function")
    layout = getattr(opponent, "layout", engine.layout)
    engine.observe(layout)
    return act, layout
