"""`python -m train`: train an agent as a configuration says."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path

import tyro
from rich.console import Console

from agents.protocol import AgentError
from train.config import Config, ConfigError, load_config
from train.run_folder import CONFIG
from train.training import train
from unoflip_env.rules import RulesError

USAGE = """Train an agent by self-play PPO.

A configuration file goes first; options override what it says:

  python -m train configs/quickstart.toml
  python -m train configs/quickstart.toml --max-minutes 20 --run runs/longer
  python -m train --run runs/short --rules official,hand=3 --players 2 --total-decisions 1000000

A run that was broken off (Ctrl-C, SIGTERM, a crash, a full disk) goes on when the same command is given again, or by

  python -m train --resume runs/longer

which may change the budget or other options; --force also rules, network or opponents, and takes over what fits.

The run's folder gets config.json, metrics.jsonl, TensorBoard's files, checkpoints/, agent/ and, at the end, curve.png,
figures.json and the agent's card. docs/training.md explains every figure.
"""


def read_arguments(arguments: list[str]) -> tuple[Config, bool, bool]:
    """The configuration, and whether to resume and to force it."""
    before = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    before.add_argument("--resume", type=Path)
    before.add_argument("--force", action="store_true")
    known, rest = before.parse_known_args(arguments)
    default = Config()
    if known.resume:
        default = replace(load_config(known.resume / CONFIG), run=known.resume)
    elif rest and not rest[0].startswith("-"):
        default, rest = load_config(Path(rest[0])), rest[1:]
    usage = "python -m train [CONFIG.toml | --resume RUN [--force]]"
    return tyro.cli(Config, args=rest, default=default, prog=usage, description=USAGE), bool(known.resume), known.force


def main(arguments: list[str]) -> int:
    """Returns the exit status: after Ctrl-C and SIGTERM that of shells, 128 and the signal's number."""
    console = Console(stderr=True)
    try:
        config, resume, force = read_arguments(arguments)
        ending = train(config, console, resume=resume, force=force)
    except (ConfigError, AgentError, RulesError, OSError) as error:
        console.print(f"[red]error:[/] {error}", highlight=False)
        return 2
    except KeyboardInterrupt:
        console.print("interrupted")
        return 130
    if ending.signal:
        console.print(f"broken off; go on by: python -m train --resume {config.run}", highlight=False)
        return 128 + ending.signal
    if os.environ.get("RANK", "0") == "0":
        print(ending.agent)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
