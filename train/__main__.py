"""`python -m train`: train an agent as a configuration says."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path

import tyro
from rich.console import Console
from rich.markup import escape

from agents.protocol import AgentError
from agents.trust import take_trust
from train.config import Config, ConfigError, load_config, parse_config
from train.run_folder import CONFIG
from train.training import Ending, train
from unoflip_env.rules import RulesError

USAGE = """Train an agent by self-play PPO.

A configuration file goes first; options override what it says:

  python -m train configs/quickstart.toml
  python -m train configs/quickstart.toml --max-minutes 20 --run runs/longer
  python -m train --run runs/short --rules official,hand=3 --players 2 --total-decisions 1000000
  python -m train '{"run": "runs/short", "players": [2], "opponents": {"ppo:official-2p": 1}}'

A run that was broken off (Ctrl-C, SIGTERM, a crash, a full disk) goes on when the same command is given again, or by

  python -m train --resume runs/longer

which may change the budget or other options; --force also rules, network or opponents, and takes over what fits.

The run's folder gets config.json, metrics.jsonl, TensorBoard's files, checkpoints/, agent/ and, at the end, curve.png,
figures.json and the agent's card. docs/training.md explains every figure.

Several processes, each with games of its own:

  torchrun --nproc-per-node 2 -m train -- configs/quickstart.toml --num-threads 1
  python -m train ray --workers 2 configs/quickstart.toml --num-threads 1

The latter starts --workers workers of Ray (2 if not said), each on a GPU of its own where there are as many, and takes the
same configurations and options.

With --trust, agents sb3:PATH.zip may be among the opponents: pickles, which can hold code.

MaskablePPO of sb3-contrib instead: python -m train sb3 --help
"""


def read_arguments(arguments: list[str], command: str = "python -m train") -> tuple[Config, bool, bool]:
    """The configuration of a run of the kit's own trainer, and whether to resume and to force it; `command` is for --help."""
    before = argparse.ArgumentParser(prog="python -m train", add_help=False, allow_abbrev=False)
    before.add_argument("--resume", type=Path)
    before.add_argument("--force", action="store_true")
    known, rest = before.parse_known_args(arguments)
    default = Config()
    if known.resume:
        default = replace(load_config(known.resume / CONFIG), run=known.resume)
    elif rest and not rest[0].startswith("-"):
        default, rest = parse_config(rest[0]) if rest[0].startswith("{") else load_config(Path(rest[0])), rest[1:]
    usage = f"{command} [CONFIG.toml | --resume RUN [--force]]"
    return tyro.cli(Config, args=rest, default=default, prog=usage, description=USAGE), bool(known.resume), known.force


def run_own(arguments: list[str], console: Console) -> int:
    """Self-play PPO, in this process or in one of several that torchrun has started."""
    config, resume, force = read_arguments(arguments)
    ending = train(config, console, resume=resume, force=force)
    if ending.signal or os.environ.get("RANK", "0") == "0":
        return tell_end(ending, f"go on by: python -m train --resume {config.run}", console)
    return 0


def tell_end(ending: Ending, next_step: str, console: Console) -> int:
    """Print where the agent is, or what to do about a run that was broken off. Returns the exit status."""
    if ending.signal:
        console.print(f"broken off; {next_step}", highlight=False, markup=False, soft_wrap=True)
        return 128 + ending.signal
    print(ending.agent)
    return 0


def run_ray(arguments: list[str], console: Console) -> int:
    """The same in workers of Ray."""
    from train.on_ray import train_on_ray

    before = argparse.ArgumentParser(prog="python -m train ray", add_help=False, allow_abbrev=False)
    before.add_argument("--workers", type=int, default=2)
    known, rest = before.parse_known_args(arguments)
    config, resume, force = read_arguments(rest, "python -m train ray [--workers N]")
    ending = train_on_ray(config, known.workers, console, resume=resume, force=force)
    return tell_end(ending, f"go on by: python -m train ray --workers {known.workers} --resume {config.run}", console)


def run_sb3(arguments: list[str], console: Console) -> int:
    """MaskablePPO."""
    from train import sb3

    ending = sb3.run(arguments, console)
    return tell_end(ending, f"what it has learned is in {ending.agent}", console)


COMMANDS = {"ray": run_ray, "sb3": run_sb3}


def main(arguments: list[str]) -> int:
    """Returns the exit status: after Ctrl-C and SIGTERM that of shells, 128 and the signal's number."""
    console = Console(stderr=True)
    arguments = take_trust(arguments)
    try:
        if arguments and arguments[0] in COMMANDS:
            return COMMANDS[arguments[0]](arguments[1:], console)
        return run_own(arguments, console)
    except (ConfigError, AgentError, RulesError, OSError, MemoryError) as error:
        words = f"out of memory; fewer tables take less ({error})" if isinstance(error, MemoryError) else str(error)
        console.print(f"[red]error:[/] {escape(words)}", highlight=False, soft_wrap=True)
        return 2
    except KeyboardInterrupt:
        console.print("interrupted")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
