"""`Engine`: a batch of games of one rule set, stepped together by the compiled kernels."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from unoflip_env.actions import NUM_ACTIONS, action_name
from unoflip_env.deck import CLASSIC, NUM_CARDS
from unoflip_env.game import GAME, NOBODY, Phase, as_bytes, new_games, pack_rules
from unoflip_env.kernels import batch, jit, redeal
from unoflip_env.observation import LAYOUT, ObservationLayout, observation_layout
from unoflip_env.rules import RulesLike, as_rules

Episode = Literal["round", "match"]
RewardKind = Literal["win", "points"]
_REWARDS: dict[str, int] = {"win": batch.WIN, "points": batch.POINTS}
_STATE = ("games", "rewards", "is_over", "_seed", "_episodes")  # the arrays that hold all there is to the games
_MIN_SLICE = 256  # games a thread must have to be worth waking


class IllegalActionError(ValueError):
    """An action that the rules do not allow; the message names the game, the seat and the action."""

    def __init__(self, message: str, game: int = 0) -> None:
        super().__init__(message)
        self.game = game
        """The game's number in its batch."""


class Engine:
    """A batch of games of one rule set.

    Every method that takes `which`, numbers of games, does its work for these alone: row k of what it takes or gives is
    for game which[k]; `rewards` and `is_over` of the others stay as they were. By default it is all games.

    Seats are numbered from 0; `actor` says which one decides in each game. All randomness comes from the seed: the same
    seed gives the same game alone, in a batch of any size and on any number of threads.

    Args:
        rules: Rules, the name of a preset, the path of a TOML file (see `load_rules`), or a mapping of options.
        num_games: games in the batch.
        seed: 64-bit seed; game i's episode e is a pure function of (seed, i, e). `reset` can seed single games.
        num_players: seats at each table, 2 to 10.
        episode: 'round', or 'match': rounds until the target score (SCORE-5).
        reward: 'win' (the winners share +1, the others -1, at the end of the episode) or 'points' (at the end of each
            round: each seat loses the points in its hand; under `winner_takes` the winners share what the others lose).
        auto_reset: deal the next episode at once where one ends; `rewards` and `is_over` still tell of the one that ended.
        num_threads: threads that share the games of a large batch.

    Raises RulesError for rules without a meaning or that cannot deal to so many seats, ValueError for other arguments.
    """

    def __init__(
        self,
        rules: RulesLike = "official",
        num_games: int = 1,
        seed: int = 0,
        *,
        num_players: int = 2,
        episode: Episode = "round",
        reward: RewardKind = "win",
        auto_reset: bool = False,
        num_threads: int = 1,
    ) -> None:
        self.rules = as_rules(rules)
        self.rules.check_seats(num_players)
        if num_games < 1 or num_threads < 1:
            raise ValueError(f"num_games={num_games}, num_threads={num_threads}: expected at least 1")
        if episode not in ("round", "match"):
            raise ValueError(f"episode={episode!r}: expected 'round' or 'match'")
        if reward not in _REWARDS:
            raise ValueError(f"reward={reward!r}: expected 'win' or 'points'")
        self.num_games, self.num_seats = num_games, num_players
        self.episode, self.reward, self.auto_reset = episode, reward, auto_reset
        self.layout = observation_layout(num_players, self.rules.information)
        self.games = new_games(num_games)
        plain = self.games.view(np.ndarray)
        self._actor, self._phase = plain["actor"], plain["phase"]
        self.rewards = np.zeros((num_games, num_players), np.float32)
        """Rewards of the last step to every seat, shape (num_games, num_seats) float32."""
        self.is_over = np.zeros(num_games, np.bool_)
        """Whether the last step ended the game's episode, shape (num_games,)."""
        self._records = as_bytes(self.games), as_bytes(pack_rules(self.rules, episode))  # what the kernels take
        setup = np.zeros(1, batch.SETUP)
        setup["rules"], setup["layout"] = pack_rules(self.rules, episode), self.layout.as_bytes.view(LAYOUT)
        setup["reward_kind"] = _REWARDS[reward]
        self._seed = setup["seed"]
        self._episodes = np.zeros(num_games, np.uint64)
        self._no_masks, self._no_observations = np.empty((0, NUM_ACTIONS), np.int8), np.empty((0, self.layout.size), np.uint8)
        begun = self._episodes if auto_reset else self._episodes[:0]
        outcome = self.rewards, self.is_over, begun
        self._step_arguments = self._records[0], as_bytes(setup), *outcome  # those that are the same at each step
        self._all_games = np.arange(num_games)
        self._nobody = np.full(num_games, NOBODY, np.int64)
        self._renew = partial(
            type(self),
            self.rules,
            num_games,
            num_players=num_players,
            episode=episode,
            reward=reward,
            auto_reset=auto_reset,
            num_threads=num_threads,
        )
        self._num_threads = min(num_threads, num_games // _MIN_SLICE)
        self._pool = ThreadPoolExecutor(self._num_threads) if self._num_threads > 1 else None
        announce_compilation()
        self.seed(seed)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, or what is unpickled, is a new engine with the same games: kernels hold on to its arrays."""
        return self._renew, (), {name: getattr(self, name) for name in _STATE}

    def __setstate__(self, state: Mapping[str, np.ndarray]) -> None:
        for name in _STATE:
            getattr(self, name)[:] = state[name]

    def seed(self, seed: int) -> None:
        """Begin episode 0 of the given seed in all games."""
        self._seed[0] = seed % 2**64
        self._episodes[:] = 0
        self.reset(self._episode_seeds(self._all_games))

    def reset(self, seeds: npt.ArrayLike | None = None, which: npt.ArrayLike | None = None) -> None:
        """Deal a new episode in the games of `which`.

        `seeds` holds one 64-bit seed a game; by default each game goes on to its next episode.
        """
        games = self._games_of(which)
        if seeds is None:
            self._episodes[games] += np.uint64(1)
            seeds = self._episode_seeds(games)
        if not _is_integer(seeds):
            raise ValueError(f"seeds={seeds!r}: expected integers 0 to {2**64 - 1}")
        seeds = np.asarray(seeds, np.uint64).reshape(-1)
        if seeds.shape != games.shape:
            raise ValueError(f"{seeds.size} seeds for {games.size} games")
        self._deal(games, seeds)
        self.is_over[games] = False
        self.rewards[games] = 0

    @property
    def actor(self) -> np.ndarray:
        """The seat that decides in each game, shape (num_games,) uint8; NOBODY (255) where the episode is over."""
        return self._actor

    @property
    def phase(self) -> np.ndarray:
        """What is being decided in each game (`Phase`), shape (num_games,) uint8."""
        return self._phase

    def side(self, game: int = 0) -> int:
        """The side in play of a game: LIGHT, DARK or CLASSIC (see deck.py)."""
        return CLASSIC if self.rules.deck == "classic" else int(self.games["side"][game])

    def step(
        self,
        actions: npt.ArrayLike,
        mask: np.ndarray | None = None,
        observation: np.ndarray | None = None,
        which: npt.ArrayLike | None = None,
    ) -> None:
        """One decision in every game of `which` whose episode is not over.

        `actions` holds one a game; entries of games that are over are ignored. A card of one's own that
        is not legal is taken back under `illegal="penalty"` (TURN-5). Raises IllegalActionError, with
        nothing changed, if any is not legal.

        Buffers that are given, `mask` as for `legal_mask` and `observation` as for `observe`, get what the seats that
        decide next may do and see. That is faster than to ask afterwards: every game is in the cache once.
        """
        games, chosen = self._games_of(which), np.asarray(actions)
        if chosen.shape != games.shape or chosen.dtype.kind not in "iu":
            raise ValueError(f"actions: {chosen.dtype} of shape {chosen.shape}, expected integers of shape {games.shape}")
        masks = self._no_masks if mask is None else _as_masks(mask, games)
        observations = self._no_observations if observation is None else _as_observations(observation, games, self.layout)
        self.advance(np.ascontiguousarray(chosen, np.int64), masks, observations, games)

    def advance(
        self, actions: np.ndarray, masks: np.ndarray, observations: np.ndarray, games: np.ndarray | None = None
    ) -> None:
        """`step` for callers that are sure of their arrays: only whether the actions are legal is looked into.

        `actions` is int64, `masks` int8 and `observations` uint8, the latter two of no rows where they are not wanted; `games`
        are numbers of games in rising order, int64, by default all; all contiguous. With others the kernels write where they
        must not.
        """
        games = self._all_games if games is None else games
        given = games, actions, masks, observations
        if self._pool is None:
            refused = batch.step_all(0, games.size, *self._step_arguments, False, *given)
        else:  # no slice may be stepped before all are looked through
            refused = max(self.run(batch.find_refused, games.size, *self._records, games, actions))
            if refused < 0:
                self.run(batch.step_all, games.size, *self._step_arguments, True, *given)
        if refused >= 0:
            game = int(games[refused])
            raise IllegalActionError(self._explain(game, int(actions[refused])), game)

    def legal_mask(self, out: np.ndarray | None = None, which: npt.ArrayLike | None = None) -> np.ndarray:
        """Which actions are legal, bool of shape (games, NUM_ACTIONS); all False where the episode is over.

        A buffer of one's own, `out`, may also be of int8 or uint8: 1 and 0.
        """
        games = self._games_of(which)
        if out is None:
            out = np.empty((games.size, NUM_ACTIONS), np.bool_)
        self.run(batch.mask_all, games.size, *self._records, games, _as_masks(out, games))
        return out

    def observe(
        self,
        layout: ObservationLayout | None = None,
        seats: npt.ArrayLike | None = None,
        out: np.ndarray | None = None,
        which: npt.ArrayLike | None = None,
    ) -> np.ndarray:
        """What one seat of each game may know, uint8 of shape (games, layout.size), written into `out` where that is given.

        `seats` holds one a game, by default the seat that decides (seat 0 where the episode is over). A layout may
        be for more players, or blind to backs; 'open' information is for critics and must be asked for by name.
        """
        layout = layout or self.layout
        self._check_layout(layout)
        games = self._games_of(which)
        if seats is None:
            chosen = self._nobody[: games.size]
        else:
            chosen = np.empty(games.size, np.int64)
            chosen[:] = seats
            if not _is_integer(seats) or (games.size and (chosen.min() < 0 or chosen.max() >= self.num_seats)):
                raise ValueError(f"seats={seats!r}: expected 0 to {self.num_seats - 1}")
        if out is None:
            out = np.empty((games.size, layout.size), np.uint8)
        written = _as_observations(out, games, layout)
        self.run(batch.observe_all, games.size, *self._records, games, layout.as_bytes, chosen, written)
        return out

    def snapshot(self, game: int = 0) -> np.ndarray:
        """A copy of one game's record, shape () of dtype GAME: all there is to the game."""
        return np.array(self.games[self._check_game(game)], GAME)

    def restore(self, game: int, record: np.ndarray) -> None:
        """Put a record from `snapshot` or `determinize` in place of a game."""
        if record.dtype != GAME or record.shape != ():
            raise ValueError(f"record: {record.dtype} of shape {record.shape}, expected one record of dtype GAME")
        if record["num_seats"] != self.num_seats:
            raise ValueError(f"record: {record['num_seats']} seats, expected {self.num_seats}")
        self.games[self._check_game(game)] = record
        self.is_over[game] = record["phase"] == Phase.OVER
        self.rewards[game] = 0

    def determinize(self, game: int, seat: int, seed: int) -> np.ndarray:
        """A copy of a game in which all that `seat` does not know is dealt anew (INFO-5), with new randomness ahead.

        The observation and the legal actions of `seat` are the same in it. Shape () of dtype GAME, for `restore`.
        """
        if not 0 <= seat < self.num_seats:
            raise ValueError(f"seat={seat}: expected 0 to {self.num_seats - 1}")
        copy = new_games(1)
        copy[0] = self.games[self._check_game(game)]
        positions = np.zeros(NUM_CARDS, redeal.POSITION).view(np.recarray)
        batch.redeal_one(as_bytes(copy), self._records[1], seat, np.uint64(seed % 2**64), positions)
        return np.array(copy[0], GAME)

    def run(self, kernel: Callable[..., Any], num_rows: int, *arguments: Any) -> list[Any]:
        """The answers of a batch kernel, as `kernel(start, end, *arguments)`, called on slices of its rows, one a thread."""
        num_slices = min(self._num_threads, num_rows // _MIN_SLICE)
        if self._pool is None or num_slices < 2:
            return [kernel(0, num_rows, *arguments)]
        cuts = [num_rows * i // num_slices for i in range(num_slices + 1)]
        jobs = [self._pool.submit(kernel, a, b, *arguments) for a, b in pairwise(cuts)]
        return [job.result() for job in jobs]

    def _games_of(self, which: npt.ArrayLike | None) -> np.ndarray:
        """The numbers of games that `which` stands for, shape (games,) int64: none twice, since it could not be stepped so."""
        if which is None:
            return self._all_games
        given = np.asarray(which).reshape(-1)
        games = np.ascontiguousarray(given, np.int64)
        if games.size:
            is_rising = games[0] >= 0 and games[-1] < self.num_games and (games[1:] > games[:-1]).all()
            if not is_rising or given.dtype.kind not in "iu":
                raise ValueError(f"which={which!r}: expected games 0 to {self.num_games - 1} in rising order")
        return games

    def _episode_seeds(self, games: np.ndarray) -> np.ndarray:
        """The seed of the episode that each of these games is at."""
        seeds: np.ndarray = batch.episode_seed(self._seed[0], games.astype(np.uint64), self._episodes[games])
        return seeds

    def _deal(self, games: np.ndarray, seeds: np.ndarray) -> None:
        if games.size:
            batch.start_all(0, games.size, *self._records, games, self.num_seats, seeds)

    def _check_game(self, game: int) -> int:
        if not 0 <= game < self.num_games:
            raise ValueError(f"game={game}: expected 0 to {self.num_games - 1}")
        return game

    def _check_layout(self, layout: ObservationLayout) -> None:
        if layout.max_players < self.num_seats:
            raise ValueError(f"{layout} for a table of {self.num_seats}: expected max_players of {self.num_seats} or more")
        if layout.information == "table" and self.rules.information == "fronts":
            raise ValueError(f"{layout}: these rules show no backs (information='fronts')")

    def _explain(self, game: int, action: int) -> str:
        record, side = self.games[game], self.side(game)
        where = f"game {game}, seat {record.actor}"
        if not 0 <= action < NUM_ACTIONS:
            return f"{where}: action {action} is out of range, expected 0 to {NUM_ACTIONS - 1}"
        legal = ", ".join(f"{a} ({action_name(int(a), side)})" for a in np.flatnonzero(self.legal_mask(which=[game])))
        phase = Phase(record.phase).name
        return f"{where}: action {action} ({action_name(action, side)}) is not legal in phase {phase}; legal: {legal}"


def _is_integer(numbers: npt.ArrayLike) -> bool:
    """Whether they are whole numbers, or none: NumPy would round others down."""
    given = np.asarray(numbers)
    if given.dtype.kind in "iu" or not given.size:
        return True
    return all(isinstance(number, int) for number in np.asarray(numbers, object).flat)  # 2**63 among small ones


def _as_masks(buffer: np.ndarray, games: np.ndarray) -> np.ndarray:
    return _check_buffer(buffer, (games.size, NUM_ACTIONS), (np.bool_, np.int8, np.uint8)).view(np.int8)


def _as_observations(buffer: np.ndarray, games: np.ndarray, layout: ObservationLayout) -> np.ndarray:
    return _check_buffer(buffer, (games.size, layout.size), (np.uint8,))


def _check_buffer(buffer: np.ndarray, shape: tuple[int, int], dtypes: tuple[type, ...]) -> np.ndarray:
    """The buffer, if kernels can write to it: they look at no bounds."""
    if buffer.shape == shape and buffer.dtype in dtypes and buffer.flags.carray:
        return buffer
    names = " or ".join(np.dtype(kind).name for kind in dtypes)
    got = f"{buffer.dtype} of shape {buffer.shape}"
    raise ValueError(f"buffer: {got}, expected {names} of shape {shape}, contiguous and writeable")


_is_announced = False


def announce_compilation() -> None:
    """Say once, on stderr, that the kernels are being compiled, and how long it took; nothing if they are cached."""
    global _is_announced
    if _is_announced:
        return
    _is_announced = True
    if jit.is_compiled():
        return
    print("unoflip_env: compiling the engine, once (about 45 seconds) ...", file=sys.stderr, flush=True)
    begin = time.perf_counter()
    engine = Engine(num_games=1)
    engine.step(engine.legal_mask().argmax(axis=1))
    engine.observe()
    engine.determinize(0, 0, 0)
    print(
        f"unoflip_env: compiled in {time.perf_counter() - begin:.0f} s, kept in {jit.CACHE_DIR}",
        file=sys.stderr,
        flush=True,
    )
