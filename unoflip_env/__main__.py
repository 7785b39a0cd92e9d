"""`python -m unoflip_env`: see `--help`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter

from unoflip_env import bench_command, rules_command
from unoflip_env.rules import RulesError

USAGE = """The UNO FLIP environment, from the command line.

  python -m unoflip_env rules             the presets
  python -m unoflip_env rules casual      one rule set, option by option
  python -m unoflip_env bench             how fast this machine plays
"""
COMMANDS = (rules_command, bench_command)
"""Modules with `add_parser(commands)`; its parser's default `run` takes the arguments and gives the exit status."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command that the command line names; returns the exit status."""
    parser = ArgumentParser("python -m unoflip_env", description=USAGE, formatter_class=RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(commands)
    chosen = parser.parse_args(arguments)
    try:
        return int(chosen.run(chosen))
    except RulesError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
