"""UNO FLIP as a native `VecEnv` of Stable-Baselines3, with the masks where sb3-contrib's MaskablePPO looks for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv

from agents.registry import make_agent
from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.engine import Episode, RewardKind
from unoflip_env.learners import Act, OnIllegal, Opponent
from unoflip_env.rules import RulesLike, as_rules
from unoflip_env.vector_env import UnoFlipVectorEnv

Seated = str | Opponent | Act
Infos = list[dict[str, Any]]


class UnoFlipVecEnv(VecEnv):
    """`UnoFlipVectorEnv` as Stable-Baselines3 has its environments: `MaskablePPO("MlpPolicy", VecMonitor(UnoFlipVecEnv(64)))`.

    Where an episode ends, its last observation is in `infos[i]["terminal_observation"]` and the next is dealt in the same
    step. `infos[i]["seat"]` is the learner's seat, `infos[i]["illegal_action"]` why an illegal action has lost the episode.
    Put SB3's `VecMonitor` around it to have returns and lengths of episodes logged.

    Args:
        num_envs: number of environments.
        rules: see `UnoFlipVectorEnv`, here and below.
        num_players: 2 to 10.
        opponents: one for all other seats, or a sequence of them for the seats 1, 2, … places on from the learner: the names of
            agents (`agents.registry.make_agent`), or what `UnoFlipVectorEnv` takes.
        seat: the learner's seat, or None: drawn for each episode.
        episode: 'round' or 'match'.
        reward: 'win' or 'points'.
        illegal_action: 'lose' or 'raise'.

    Raises AgentError for a name of no agent, RulesError and ValueError as `UnoFlipVectorEnv`.
    """

    def __init__(
        self,
        num_envs: int,
        rules: RulesLike = "official",
        num_players: int = 4,
        *,
        opponents: Seated | Sequence[Seated] = "random",
        seat: int | None = None,
        episode: Episode = "round",
        reward: RewardKind = "win",
        illegal_action: OnIllegal = "lose",
    ) -> None:
        rules = as_rules(rules)
        self._env = UnoFlipVectorEnv(
            num_envs,
            rules,
            num_players,
            opponents=_agents(opponents, num_players, rules.information),
            seat=seat,
            episode=episode,
            reward=reward,
            illegal_action=illegal_action,
            autoreset_mode=AutoresetMode.SAME_STEP,
        )
        self._legal_mask = np.zeros((num_envs, NUM_ACTIONS), np.bool_)
        super().__init__(num_envs, self._env.single_observation_space, self._env.single_action_space)

    def reset(self) -> np.ndarray:
        """Deal everywhere, under the seeds of `seed` if that was called. Returns observations, uint8 (num_envs, size)."""
        observations, infos = self._env.reset(seed=self._seeds)
        self._legal_mask = infos["action_mask"].view(np.bool_)
        self.reset_infos = [{"seat": seat} for seat in infos["seat"].tolist()]
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        """Take the learners' actions, integers (num_envs,), for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, Infos]:
        """One decision of each learner: observations, rewards (float32), ends (bool), infos."""
        observations, rewards, is_over, _, infos = self._env.step(self._actions)
        self._legal_mask = infos["action_mask"].view(np.bool_)
        return observations, rewards.astype(np.float32), is_over, _listed(infos, is_over)

    def close(self) -> None:
        """Nothing is held open."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of each environment; they share all but `action_masks`, which gives each its own legal actions."""
        chosen = self._get_indices(indices)
        if attr_name == "action_masks":
            return [self._legal_mask[i].copy for i in chosen]
        return [getattr(self._env, attr_name) for _ in chosen]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refused: the environments are one batch of games and have no attributes of their own."""
        raise AttributeError(f"{attr_name}={value!r}: the environments share their attributes; give it to UnoFlipVecEnv(...)")

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """What a method gives for each environment, as `action_masks`."""
        return [method(*method_args, **method_kwargs) for method in self.get_attr(method_name, indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """False for each: nothing is wrapped around single environments."""
        return [False for _ in self._get_indices(indices)]


def _agents(opponents: Seated | Sequence[Seated], num_players: int, information: str) -> Any:
    """The opponents with agents in place of names; a name that comes twice is one agent."""
    seated = [opponents] * (num_players - 1) if isinstance(opponents, str) or not isinstance(opponents, Sequence) else opponents
    named = {name: make_agent(name, num_players, information) for name in seated if isinstance(name, str)}
    return [named[each] if isinstance(each, str) else each for each in seated]


def _listed(infos: dict[str, Any], is_over: np.ndarray) -> Infos:
    """Gymnasium's infos of a batch as one dictionary for each environment."""
    listed: Infos = [{"seat": seat, "TimeLimit.truncated": False} for seat in infos["seat"].tolist()]
    for i in np.flatnonzero(is_over):
        final = infos["final_info"]
        listed[i] |= {"seat": int(final["seat"][i]), "terminal_observation": infos["final_obs"][i]}
        if "illegal_action" in final and final["_illegal_action"][i]:
            listed[i]["illegal_action"] = final["illegal_action"][i]
    return listed
