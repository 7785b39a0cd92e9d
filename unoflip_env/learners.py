"""Tables with one learner each: the other seats are played by given agents, at all tables together."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol

import numpy as np

from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.engine import Engine, Episode, IllegalActionError, RewardKind
from unoflip_env.kernels.batch import POINTS, WIN, episode_seed
from unoflip_env.kernels.tables import find_waiting, pick_uniformly
from unoflip_env.observation import ObservationLayout
from unoflip_env.rules import RulesLike
from unoflip_env.streams import closed_keys, random_uniforms

Act = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
_NO_LIMIT = 2**62  # turns
OnIllegal = Literal["lose", "raise"]


class Opponent(Protocol):
    """What plays a seat: an object with `act`, or a function with the signature of `act`.

    If it has a `layout` (an ObservationLayout), its observations have that layout; else the environment's. Agents that all
    have one and the same compiled loop, `play_on` (`agents.games.play_on`, in which each is a number, its `kind`), are
    played by it, which changes nothing but the speed.
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
    actions = np.zeros(uniforms.size, np.int64)
    pick_uniformly(np.asarray(legal_mask, np.bool_), uniforms, actions)
    return actions


class Learners:
    """The core of the Gymnasium environments, single and vectorised: see `UnoFlipEnv` for the arguments.

    An episode is a pure function of its table's seed, its number under that seed, and the agents: the deal is that of game 0
    of an `Engine` with the seed; the learner's seat and the opponents' random numbers come from a stream beside it.
    Tables are named by rising arrays of their numbers, int64.
    """

    def __init__(
        self,
        rules: RulesLike,
        num_tables: int,
        num_players: int,
        *,
        opponents: Opponent | Act | Sequence[Opponent | Act],
        seat: int | None,
        episode: Episode,
        reward: RewardKind,
        illegal_action: OnIllegal,
    ) -> None:
        if seat is not None and not 0 <= seat < num_players:
            raise ValueError(f"seat={seat}: expected None or a seat 0 to {num_players - 1}")
        if illegal_action not in ("lose", "raise"):
            raise ValueError(f"illegal_action={illegal_action!r}: expected 'lose' or 'raise'")
        self.engine = Engine(rules, num_tables, num_players=num_players, episode=episode, reward=reward)
        line_up = _line_up(opponents, num_players)
        agents = {id(agent): agent for agent in line_up}
        self._agents = [_prepare(agent, self.engine) for agent in agents.values()]
        self._agent_at = np.array([list(agents).index(id(agent)) for agent in line_up])
        self._compiled = _compiled(line_up, num_players)
        self._fixed_seat, self._illegal_action = seat, illegal_action
        self.seats = np.full(num_tables, seat or 0, np.int64)
        """Each learner's seat."""
        self.is_over = np.ones(num_tables, np.bool_)
        """Whether each learner's episode is over, by its end or by an illegal action."""
        self._seeds = np.uint64(secrets.randbits(64)) + np.arange(num_tables, dtype=np.uint64)
        self._episodes, self._keys, self._num_drawn = np.zeros((3, num_tables), np.uint64)
        self._received = np.zeros((num_tables, num_players))  # by each seat, since `take_rewards`
        self._decisions = np.zeros((num_tables, num_players), np.int64)
        # What the seats that decide may do and see, row k for the k-th of the tables that were stepped last.
        self._masks = np.empty((num_tables, NUM_ACTIONS), np.bool_)
        self._observations = np.empty((num_tables, self.engine.layout.size), np.uint8)

    def seed(self, seeds: Mapping[int, int]) -> None:
        """Have the next deals be the first of the given seeds, by table."""
        for table, seed in seeds.items():
            self._seeds[table], self._episodes[table] = seed % 2**64, 0

    def deal(self, tables: np.ndarray) -> None:
        """Begin the next episodes, and let the others play until the learners' first decisions.

        An episode that ends before is not shown: the next one is dealt.
        """
        while tables.size:
            seeds = episode_seed(self._seeds[tables], np.zeros_like(self._seeds[tables]), self._episodes[tables])
            self._episodes[tables] += np.uint64(1)
            self.engine.reset(seeds, tables)
            self._keys[tables], self._num_drawn[tables] = closed_keys(seeds, np.zeros_like(seeds)), 1
            if self._fixed_seat is None:
                self.seats[tables] = random_uniforms(self._keys[tables], np.zeros_like(seeds)) * self.engine.num_seats
            self._received[tables], self.is_over[tables] = 0, False
            self.engine.legal_mask(self._masks[: tables.size], tables)
            self.engine.observe(out=self._observations[: tables.size], which=tables)
            self._play_others(tables)
            tables = tables[self.engine.is_over[tables]]

    def step(self, actions: np.ndarray, tables: np.ndarray) -> dict[int, str]:
        """One decision of the learner at each table; then the others play until the learner's next, or to the end.

        Returns the tables whose action was illegal, with the reason: there the episode is lost, as it stands. Raises
        IllegalActionError instead, with nothing changed, where `illegal_action` is 'raise'.
        """
        lost: dict[int, str] = {}
        while True:
            try:
                self._step(actions, tables)
                break
            except IllegalActionError as error:
                if self._illegal_action == "raise":
                    raise
                lost[error.game] = str(error)
                is_other = tables != error.game
                actions, tables = actions[is_other], tables[is_other]
        self._play_others(tables)
        self.is_over[tables] = self.engine.is_over[tables]
        for table in lost:
            self.is_over[table] = True
            self._received[table, self.seats[table]] -= 1.0 if self.engine.reward == "win" else self.engine.rules.target
        return lost

    def take_rewards(self, tables: np.ndarray) -> np.ndarray:
        """What the learners at these tables have received since the last time, shape (tables,) float64."""
        rewards: np.ndarray = self._received[tables, self.seats[tables]]
        self._received[tables] = 0
        return rewards

    def observe(self, out: np.ndarray | None = None, which: np.ndarray | None = None) -> np.ndarray:
        """What the learners may know, see `Engine.observe`."""
        return self.engine.observe(seats=self.seats if which is None else self.seats[which], out=out, which=which)

    def legal_mask(self, out: np.ndarray | None = None) -> np.ndarray:
        """What the learners may do, see `Engine.legal_mask`; nothing where the episode is over."""
        mask = self.engine.legal_mask(out)
        mask[self.is_over] = False
        return mask

    def _play_others(self, tables: np.ndarray) -> None:
        """Add up the last step's rewards; let the others decide until the learners do, or the episodes are over."""
        if self._compiled:
            self._received[tables] += self.engine.rewards[tables]
            self._play_compiled(*self._compiled, tables)
            return
        while True:
            rows, uniforms = self._find_waiting(tables)
            if not rows.size:
                return
            tables = tables[rows]
            actions = self._choose(tables, self._observations[rows], self._masks[rows], uniforms)
            self.engine.advance(actions, self._masks.view(np.int8)[: tables.size], self._observations[: tables.size], tables)

    def _step(self, actions: np.ndarray, tables: np.ndarray) -> None:
        """One decision of the learner at each table. Who plays compiled sees for itself what comes next."""
        n, which = tables.size, self._which(tables)
        if self._compiled:
            self.engine.step(actions, which=which)
        else:
            self.engine.step(actions, self._masks[:n], self._observations[:n], which)

    def _find_waiting(self, tables: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See `kernels.tables.find_waiting`."""
        rows, uniforms = np.empty(tables.size, np.int64), np.empty(tables.size)
        records, streams = self.engine._records[0], (self._keys, self._num_drawn)
        n = find_waiting(records, tables, self.seats, *streams, self.engine.rewards, self._received, rows, uniforms)
        return rows[:n], uniforms[:n]

    def _play_compiled(self, play_on: Callable[..., Any], kinds: np.ndarray, layouts: np.ndarray, tables: np.ndarray) -> None:
        """The same in one compiled loop, see `agents.games.play_on`."""
        engine, reward = self.engine, POINTS if self.engine.reward == "points" else WIN
        streams = self._keys, self._num_drawn
        written = engine.rewards, engine.is_over, self._received, self._decisions
        records = *engine._records, tables
        engine.run(play_on, tables.size, *records, self.seats, kinds, layouts, *streams, _NO_LIMIT, reward, *written)

    def _choose(self, tables: np.ndarray, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        """The actions of the agents that decide at these tables; each agent is asked once."""
        if len(self._agents) == 1:
            return self._ask(0, tables, observations, legal_mask, uniforms)
        places_on = (self.engine.actor[tables] - self.seats[tables]) % self.engine.num_seats
        acting = self._agent_at[places_on - 1]
        actions = np.empty(tables.size, np.int64)
        for agent in range(len(self._agents)):
            rows = np.flatnonzero(acting == agent)
            if rows.size:
                actions[rows] = self._ask(agent, tables[rows], observations[rows], legal_mask[rows], uniforms[rows])
        return actions

    def _ask(
        self, agent: int, tables: np.ndarray, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray
    ) -> np.ndarray:
        """One agent's actions; whether they are legal is the engine's to say."""
        act, layout = self._agents[agent]
        if layout is not self.engine.layout:
            observations = self.engine.observe(layout, which=self._which(tables))
        actions = np.asarray(act(observations, legal_mask, uniforms))
        if actions.shape != uniforms.shape or actions.dtype.kind not in "iu":
            got = f"{actions.dtype} of shape {actions.shape}"
            raise ValueError(f"opponent {act!r}: actions are {got}, expected integers of shape {uniforms.shape}")
        return np.ascontiguousarray(actions, np.int64)

    def _which(self, tables: np.ndarray) -> np.ndarray | None:
        """The tables as the engine takes them; it need not look at a list of all."""
        return None if tables.size == self.engine.num_games else tables


def _compiled(line_up: Sequence[Any], num_players: int) -> tuple[Callable[..., Any], np.ndarray, np.ndarray] | None:
    """The compiled loop that all these agents have; None if they have not.

    With it, for each seat that the learner may have, the agents by seat (-1 for the learner), int64 (seats, seats), and what
    they read, uint8 (seats, seats, bytes).
    """
    loops = [getattr(agent, "play_on", None) for agent in line_up]
    if loops[0] is None or any(loop is not loops[0] for loop in loops):
        return None
    seats = np.arange(num_players)
    places_on = (seats - seats[:, None]) % num_players
    kinds = np.array([-1, *(agent.kind for agent in line_up)])
    layouts = np.stack([agent.layout.as_bytes for agent in (line_up[0], *line_up)])
    return loops[0], kinds[places_on], layouts[places_on]


def _line_up(opponents: Opponent | Act | Sequence[Opponent | Act], num_players: int) -> list[Opponent | Act]:
    """One agent for each other seat."""
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        return [opponents] * (num_players - 1)
    if len(opponents) != num_players - 1:
        raise ValueError(f"opponents: got {len(opponents)}, expected one agent, or {num_players - 1}: one for each other seat")
    return list(opponents)


def _prepare(opponent: Opponent | Act, engine: Engine) -> tuple[Act, ObservationLayout]:
    """How an agent chooses, and what it reads; refused here if the engine cannot write that."""
    act = getattr(opponent, "act", opponent)
    if not callable(act):
        raise ValueError(f"opponent {opponent!r}: expected an object with `act`, or a function")
    layout = getattr(opponent, "layout", engine.layout)
    engine.observe(layout)
    return act, layout
