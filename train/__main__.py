"""`python -m train`: train an agent as a configuration says."""

from __future__ import annotations

import sys
from pathlib import Path

import tyro
from rich.console import Console

from agents.protocol import AgentError
from train.config import Config, ConfigError, load_config
from train.training import train

USAGE = """Train an agent by self-play PPO.

A configuration file goes first; options override what it says:

  python -m train configs/quickstart.toml
  python -m train configs/quickstart.toml --max-minutes 20 --run runs/longer
  python -m train --run runs/short --rules.hand 3 --players 2 --total-decisions 1000000

The run's folder gets config.json, metrics.jsonl, TensorBoard's files, checkpoints/ and, at the end or on Ctrl-C, agent/.
"""


def main(arguments: list[str]) -> int:
    """Returns the exit status."""
    console = Console(stderr=True)
    is_named = bool(arguments) and not arguments[0].startswith("-")
    try:
        default = load_config(Path(arguments[0])) if is_named else Config()
        rest = arguments[1:] if is_named else arguments
        config = tyro.cli(Config, args=rest, default=default, prog="python -m train [CONFIG.toml]", description=USAGE)
        agent = train(config, console)
    except (ConfigError, AgentError) as error:
        console.print(f"[red]error:[/] {error}", highlight=False)
        return 2
    except KeyboardInterrupt:
        console.print("interrupted")
        return 130
    print(agent)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
