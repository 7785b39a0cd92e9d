"""The vectorised Gymnasium environment: many learners, each at a table of its own, over one batch of games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.engine import Episode, RewardKind
from unoflip_env.learners import Act, Learners, OnIllegal, Opponent, choose_uniformly
from unoflip_env.render import TableRenderer
from unoflip_env.rules import RulesLike

_RENDER_MODES = ["ansi", "rgb_array"]
Step = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]


class UnoFlipVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """`num_envs` times `UnoFlipEnv` in one: `gymnasium.make_vec("UnoFlip-v0", num_envs=1024, opponents=agent)`.

    Each of them plays, decision by decision, the game that `UnoFlipEnv` plays with the same seed, and what comes out is what
    Gymnasium's `SyncVectorEnv` gives of so many. But all games are one batch, and an opponent is asked for its actions at all
    tables that wait for it together: at most as many times a step as others decide between two decisions of a learner.

    `observations`: uint8 (num_envs, layout.size); `rewards`: float64 (num_envs,); `infos["action_mask"]`: int8 (num_envs,
    NUM_ACTIONS), the legal actions; `infos["seat"]`: int64 (num_envs,); `infos["illegal_action"]`: the reason where an
    illegal action has lost an episode. Nothing is ever truncated.

    Args:
        num_envs: number of environments.
        rules: see `UnoFlipEnv`, here and below.
        num_players: 2 to 10.
        opponents: one agent, or a sequence of agents for the seats 1, 2, … places on from the learner, at all tables.
        seat: the learner's seat at all tables, or None: drawn for each episode.
        episode: 'round' or 'match'.
        reward: 'win' or 'points'.
        illegal_action: 'lose' or 'raise', which changes nothing at any table.
        autoreset_mode: as `gymnasium.vector.AutoresetMode` has it. NEXT_STEP: the step after an episode's end ignores the
            action there, and deals. SAME_STEP: the step that ends it deals; `infos["final_obs"]` and `infos["final_info"]` tell
            of the end. DISABLED: nothing is dealt until `reset(options={"reset_mask": ...})`.
        render_mode: `render()` returns each table as its learner sees it, as text under 'ansi', and under 'rgb_array' as
            pixels, uint8 of shape (560, 800, 3), which takes the extra `pictures`.
        copy: False has every call write observations and masks into the same arrays: faster, and whoever shares their memory
            (`torch.from_numpy`) sees each step. What a step returned is gone with the next one.

    Raises RulesError for rules without a meaning or that cannot deal to so many players, ValueError for other arguments.
    """

    def __init__(
        self,
        num_envs: int = 1,
        rules: RulesLike = "official",
        num_players: int = 4,
        *,
        opponents: Opponent | Act | Sequence[Opponent | Act] = choose_uniformly,
        seat: int | None = None,
        episode: Episode = "round",
        reward: RewardKind = "win",
        illegal_action: OnIllegal = "lose",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        copy: bool = True,
    ) -> None:
        self._autoreset = AutoresetMode(autoreset_mode)
        self._learners = Learners(
            rules,
            num_envs,
            num_players,
            opponents=opponents,
            seat=seat,
            episode=episode,
            reward=reward,
            illegal_action=illegal_action,
        )
        self.num_envs = num_envs
        self.metadata: dict[str, Any] = {"render_modes": _RENDER_MODES, "render_fps": 1, "autoreset_mode": self._autoreset}
        if render_mode not in (None, *_RENDER_MODES):
            raise ValueError(f"render_mode={render_mode!r}: expected None or one of {', '.join(_RENDER_MODES)}")
        self.render_mode = render_mode
        self._renderer = TableRenderer(self._learners.engine, render_mode, "actor")
        layout = self._learners.engine.layout
        self.single_observation_space = Box(0, layout.high, dtype=np.uint8)
        self.single_action_space = Discrete(NUM_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._tables = np.arange(num_envs)
        self._is_reset = False
        self._observations = None if copy else np.empty((num_envs, layout.size), np.uint8)
        self._legal_mask = None if copy else np.empty((num_envs, NUM_ACTIONS), np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal at all tables, or those of `options["reset_mask"]`, bool (num_envs,), and play on to the learners' decisions.

        A number `seed` gives environment i the seed `seed + i`; a sequence has one for each, None where an environment is
        to go on to the next episode of the seed it has.
        """
        tables = self._tables_of(options)
        seeds = self._seeds_of(seed)
        super().reset(seed=seeds[0])
        self._learners.seed({table: seed for table in tables.tolist() if (seed := seeds[table]) is not None})
        self._learners.deal(tables)
        self._is_reset = True
        return self._observe()

    def step(self, actions: np.ndarray) -> Step:
        """One decision of each learner. `actions`: integers of shape (num_envs,)."""
        chosen, learners = np.asarray(actions), self._learners
        if chosen.shape != (self.num_envs,):
            raise ValueError(f"actions of shape {chosen.shape}: expected ({self.num_envs},)")
        waiting = np.flatnonzero(learners.is_over)
        if not self._is_reset or (waiting.size and self._autoreset == AutoresetMode.DISABLED):
            raise ResetNeeded(f"the episodes of environments {waiting.tolist()} are over: call reset() before step()")
        playing = np.flatnonzero(~learners.is_over) if waiting.size else self._tables
        lost = learners.step(chosen[playing], playing)
        rewards = np.zeros(self.num_envs)
        rewards[playing] = learners.take_rewards(playing)
        if self._autoreset == AutoresetMode.NEXT_STEP:
            learners.deal(waiting)
        terminations, ends = learners.is_over.copy(), self._reasons(lost)
        if self._autoreset == AutoresetMode.SAME_STEP:
            ends = self._final_infos(lost)
            learners.deal(np.flatnonzero(terminations))
        observations, infos = self._observe()
        return observations, rewards, terminations, np.zeros(self.num_envs, np.bool_), infos | ends

    def render(self) -> tuple[Any, ...] | None:
        """Each table as its learner sees it, a text or an array a table; None without a `render_mode`."""
        if self.render_mode is None:
            self._renderer.render()  # warns
            return None
        frames = []
        for table, seat in enumerate(self._learners.seats.tolist()):
            self._renderer.view = seat
            frames.append(self._renderer.render(table))
        return tuple(frames)

    def _observe(self) -> tuple[np.ndarray, dict[str, Any]]:
        """Each learner's observation, and the infos."""
        mask = self._learners.legal_mask(self._legal_mask)
        return self._learners.observe(self._observations), {
            "action_mask": mask.view(np.int8),
            "_action_mask": np.ones(self.num_envs, np.bool_),
            "seat": self._learners.seats.copy(),
            "_seat": np.ones(self.num_envs, np.bool_),
        }

    def _final_infos(self, lost: dict[int, str]) -> dict[str, Any]:
        """What SAME_STEP tells of the episodes that end: the last observation and the last info of each."""
        is_over = self._learners.is_over
        over = np.flatnonzero(is_over)
        if not over.size:
            return {}
        final_obs = np.full(self.num_envs, None, object)
        final_obs[over] = list(self._learners.observe(which=over))
        final_info = {
            "action_mask": np.zeros((self.num_envs, NUM_ACTIONS), np.int8),
            "_action_mask": is_over.copy(),
            "seat": np.where(is_over, self._learners.seats, 0),
            "_seat": is_over.copy(),
        } | self._reasons(lost)
        return {"final_obs": final_obs, "_final_obs": is_over.copy(), "final_info": final_info, "_final_info": is_over.copy()}

    def _reasons(self, lost: dict[int, str]) -> dict[str, np.ndarray]:
        """`illegal_action`, where there was one."""
        if not lost:
            return {}
        reasons = np.full(self.num_envs, None, object)
        reasons[list(lost)] = list(lost.values())
        return {"illegal_action": reasons, "_illegal_action": reasons != np.array(None)}

    def _seeds_of(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        """A seed, or None, for each environment."""
        seeds: list[int | None]
        if seed is None:
            seeds = [None] * self.num_envs
        elif isinstance(seed, int):
            seeds = [seed + i for i in range(self.num_envs)]
        else:
            seeds = list(seed)
        if len(seeds) != self.num_envs or any(each is not None and each < 0 for each in seeds):
            raise ValueError(f"seed={seed!r}: expected a number from 0 on, or {self.num_envs} of them")
        return seeds

    def _tables_of(self, options: dict[str, Any] | None) -> np.ndarray:
        """The tables that a reset is for."""
        if not options or "reset_mask" not in options:
            return self._tables
        mask = options["reset_mask"]
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise ValueError(f"reset_mask={mask!r}: expected a bool array of shape ({self.num_envs},) with a True in it")
        if not (self._is_reset or mask.all()):
            raise ResetNeeded("no environment has been reset yet: call reset() for all of them before a reset of some")
        return np.flatnonzero(mask)
