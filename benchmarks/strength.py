"""How strong trainers get in how much time: the kit's own, and MaskablePPO of sb3-contrib in several set-ups.

  python -m benchmarks.strength
  python -m benchmarks.strength --minutes 0.5 1 2 --deals 400 --json

Trained one after another at tables of two, official rules, each with one thread, and tested on the same duplicate deals on the
way. Time is processor time, so that others on the machine count little; compiling and tests are not counted. Each has its
usual set-up. The kit's trainer learns by self-play, with the settings of configs/quickstart.toml, and never meets whom it is
tested against; MaskablePPO learns against `greedy`, which favours it in that test. Decisions are those learned from;
MaskablePPO's include the ones with one legal action. Ctrl-C prints what there is.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import torch
import tyro
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from agents.protocol import Agent
from agents.trust import trust
from benchmarks.training import MASKABLE_PPO
from train.config import Config, load_config
from train.testing import CHOOSING, test
from train.trainer import Trainer
from unoflip_env.rules import Rules

QUICKSTART = Path(__file__).parent.parent / "configs" / "quickstart.toml"
OWN = "self-play PPO of the kit"
OPPONENTS = ("greedy", "sharp")
FOREVER = 10**12  # decisions: the budget is of time

OnUpdate = Callable[[Callable[[], Agent], int], bool]
"""Called before each update with what gives the agent as it is, and the decisions learned from; whether to go on."""


@dataclass(frozen=True)
class Options:
    """What to measure."""

    minutes: tuple[float, ...] = (0.25, 0.5, 1, 2, 4, 8)
    """Minutes of processor time after which to test, rising; the last is the budget of each trainer."""
    deals: int = 1000
    """Deals of each test, each played in both rotations of the seats."""
    seed: int = 0
    """Of all randomness."""
    json: bool = False
    """Print one JSON object instead of the tables."""

    def __post_init__(self) -> None:
        if not self.minutes or list(self.minutes) != sorted({*self.minutes}) or self.minutes[0] <= 0:
            raise ValueError(f"minutes={self.minutes}: expected numbers above 0, each larger than the one before")
        if self.deals < 2:
            raise ValueError(f"deals={self.deals}: expected 2 or more, for the interval")


class Stopwatch:
    """Minutes of this process's processor time, without what is done while it is paused."""

    def __init__(self) -> None:
        self._begin = time.process_time()

    @property
    def minutes(self) -> float:
        """So far."""
        return (time.process_time() - self._begin) / 60

    @contextmanager
    def paused(self) -> Iterator[None]:
        """What is inside is not counted."""
        begin = time.process_time()
        yield
        self._begin += time.process_time() - begin


@dataclass(frozen=True)
class Point:
    """One trainer's strength after some time."""

    trainer: str
    minutes: float
    decisions: int
    win_rates: dict[str, list[float]]
    """By opponent: the rate, and the ends of its interval."""

    @property
    def strength(self) -> float:
        """What trainers are compared by: the win rate against `greedy`."""
        return self.win_rates["greedy"][0]


class TimedTrainer(Trainer):
    """The kit's trainer with its schedules by a stopwatch."""

    def __init__(self, config: Config, stopwatch: Stopwatch) -> None:
        self.stopwatch = stopwatch
        super().__init__(config)

    @property
    def minutes(self) -> float:
        """As the stopwatch has them."""
        return self.stopwatch.minutes


def own_config(options: Options) -> Config:
    """The quickstart's, at tables of two, in one thread, tested as all are."""
    return replace(
        load_config(QUICKSTART),
        players=(2,),
        seed=options.seed,
        total_decisions=FOREVER,
        max_minutes=options.minutes[-1],
        test_against=OPPONENTS,
        test_deals=options.deals,
        num_threads=1,
        device="cpu",
    )


def learn_own(options: Options, stopwatch: Stopwatch, on_update: OnUpdate) -> None:
    """Self-play as long as `on_update` says."""
    trainer = TimedTrainer(own_config(options), stopwatch)
    while on_update(lambda: trainer.agent, trainer.num_decisions):
        trainer.improve()


def learn_sb3(make: Callable[[int], Any], options: Options, stopwatch: Stopwatch, on_update: OnUpdate) -> None:
    """MaskablePPO as long as `on_update` says."""
    from stable_baselines3.common.callbacks import BaseCallback

    class AskOnUpdate(BaseCallback):
        def _on_rollout_start(self) -> None:
            self.goes_on = on_update(partial(as_agent, self.model), self.num_timesteps)

        def _on_step(self) -> bool:
            return self.goes_on

    make(options.seed).learn(FOREVER, callback=AskOnUpdate())


def as_agent(model: Any) -> Agent:
    """A model of Stable-Baselines3 as the kit's matches take it."""
    from agents.sb3 import PREFIX, SB3Agent

    trust()  # it is our own
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "agent.zip"
        model.save(path)
        return SB3Agent(f"{PREFIX}{path}", Rules().information)


LEARN: dict[str, Callable[[Options, Stopwatch, OnUpdate], None]] = {
    OWN: learn_own,
    **{name: partial(learn_sb3, make) for name, make in MASKABLE_PPO.items()},
}
"""The trainers by name."""


@dataclass
class Course:
    """One trainer's way through its budget: tests it where it is time to."""

    trainer: str
    options: Options
    stopwatch: Stopwatch
    tell: Callable[[Point], None]
    show: Callable[..., None]
    num_tested: int = 0

    def __call__(self, agent: Callable[[], Agent], num_decisions: int) -> bool:
        """See OnUpdate."""
        minutes, times = self.stopwatch.minutes, self.options.minutes
        self.show(completed=minutes)
        num_due = sum(minutes >= each for each in times)
        if num_due > self.num_tested:
            self.num_tested = num_due
            with self.stopwatch.paused():
                found = test(agent(), own_config(self.options), CHOOSING + self.options.seed)
                win_rates = {each.opponent: each.win_rate for each in found}
                self.tell(Point(self.trainer, minutes, num_decisions, win_rates))
        return num_due < len(times)


def warm_up(learn: Callable[[Options, Stopwatch, OnUpdate], None], options: Options) -> None:
    """One update, so that all is compiled."""
    answers = iter((True, False))
    learn(options, Stopwatch(), lambda agent, num_decisions: next(answers))


def measure(options: Options, points: list[Point], console: Console) -> None:
    """Train and test all, and add to `points` on the way."""
    torch.set_num_threads(1)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TextColumn("left"), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress:

        def tell(point: Point) -> None:
            points.append(point)
            progress.console.print(*row(point), sep="  ", highlight=False, markup=False, soft_wrap=True)

        for name, learn in LEARN.items():
            task = progress.add_task(name, total=options.minutes[-1])
            warm_up(learn, options)
            stopwatch = Stopwatch()
            learn(options, stopwatch, Course(name, options, stopwatch, tell, partial(progress.update, task)))


@dataclass(frozen=True)
class Comparison:
    """When the kit's trainer was first as strong as another at its last test. Times are minutes of processor time."""

    trainer: str
    win_rate: float
    minutes: float
    """When the other itself first was so strong."""
    own_minutes: float | None
    """When the kit's was; None if it never was."""
    is_before_first_test: bool
    """The kit's was by its first test, whose time `own_minutes` then is: an upper bound."""
    ratio: float | None
    """How many times as long the other took."""

    def __str__(self) -> str:
        had = f"{self.trainer}: {self.win_rate:.1%} against greedy after {self.minutes:.2f} minutes"
        if self.own_minutes is None:
            return f"{had}; {OWN} never had as much"
        when, bound = ("before its first test, after", " or more") if self.is_before_first_test else ("after", "")
        return f"{had}; {OWN} {when} {self.own_minutes:.2f}: {self.ratio:.1f} times as fast{bound}"


def first_time(points: Sequence[Point], strength: float) -> float | None:
    """Minutes after which a trainer first was so strong, in a straight line between tests; those of the first if by then."""
    for before, after in zip([points[0], *points], points, strict=False):
        if after.strength >= strength:
            gain = after.strength - before.strength
            share = (strength - before.strength) / gain if gain else 1.0
            return before.minutes + share * (after.minutes - before.minutes)
    return None


def compare(points: Sequence[Point]) -> list[Comparison]:
    """The kit's trainer with each other that was tested."""
    tests = {name: list(group) for name, group in groupby(points, lambda point: point.trainer)}
    own, found = tests.pop(OWN, []), []
    for name, theirs in tests.items():
        strength = theirs[-1].strength
        minutes, own_minutes = first_time(theirs, strength) or theirs[-1].minutes, first_time(own, strength)
        ratio = minutes / own_minutes if own_minutes else None
        found.append(Comparison(name, strength, minutes, own_minutes, own[0].strength >= strength, ratio))
    return found


def row(point: Point) -> list[str]:
    """One line of the table."""
    rates = (f"{rate:.1%} [{low * 100:.1f}, {high * 100:.1f}]" for rate, low, high in point.win_rates.values())
    return [point.trainer, f"{point.minutes:.2f}", f"{point.decisions:,}", *rates]


def print_tables(points: Sequence[Point]) -> None:
    """All for people."""
    console, table = Console(), Table("trainer", "minutes", "decisions", *(f"win rate, {name}" for name in OPPONENTS))
    for point in points:
        table.add_row(*map(escape, row(point)))
    console.print(table)
    console.print(*compare(points), sep="\n", highlight=False, markup=False, soft_wrap=True)


def print_json(points: Sequence[Point]) -> None:
    """All for programs."""
    print(json.dumps({"points": [*map(asdict, points)], "comparisons": [*map(asdict, compare(points))]}))


def main(arguments: list[str]) -> int:
    """Returns the exit status: 130 after Ctrl-C."""
    options = tyro.cli(Options, args=arguments, prog="python -m benchmarks.strength", description=__doc__)
    points: list[Point] = []
    try:
        measure(options, points, Console(stderr=True))
    except KeyboardInterrupt:
        return 130
    finally:
        (print_json if options.json else print_tables)(points)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
