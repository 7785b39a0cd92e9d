"""`python -m eval match A B`, `tournament A B C`, `record A B`, `replay FILE`, `statistics`, ...: see `--help` of each."""

from __future__ import annotations

import io
import os
import sys

from tyro.extras import subcommand_cli_from_dict

from agents.protocol import AgentError
from agents.trust import take_trust
from eval.commands import COMMANDS
from eval.ledger import LedgerError
from eval.live.table import PlayError
from eval.match import MatchError
from eval.movie import MovieError
from eval.options import INTERRUPTED
from eval.sprt import SprtError
from eval.statistics import RatingError
from eval.workers import WorkerError
from unoflip_env.records import RecordError
from unoflip_env.rules import RulesError

ERRORS = (
    AgentError,
    LedgerError,
    MatchError,
    MovieError,
    PlayError,
    RatingError,
    RecordError,
    RulesError,
    SprtError,
    WorkerError,
)


USAGE = """Measure agents and rules; keep games.

With --trust, agents `sb3:PATH.zip` are loaded: files of Stable-Baselines3, which can hold code that runs when they are.
"""


def main() -> int:
    """Run the command that the command line names; returns the exit status."""
    # Torch, imported with a trained agent, is fastest so on batches of this size, and many times so on a busy machine.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without arrows
    try:
        command = subcommand_cli_from_dict(COMMANDS, args=take_trust(sys.argv[1:]), prog="python -m eval", description=USAGE)
        status: int = command.run()
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # whoever read the output has enough of it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"error: {error.filename}: {error.strerror}" if error.filename else f"error: {error}", file=sys.stderr)
        return 2
    except ERRORS as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
