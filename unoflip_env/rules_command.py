"""`python -m unoflip_env rules`: a rule set as a table, or the list of presets."""

from __future__ import annotations

from argparse import Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from unoflip_env.rules import OPTION_DOCS, PRESET_DOCS, PRESETS, Rules, RulesError, as_rules

HELP = """Show a rule set: each option with its value, its meaning and the identifiers of its rules.

A * marks what differs from `official`. Without a rule set: the presets and their ids.

Examples:
  python -m unoflip_env rules casual
  python -m unoflip_env rules configs/rules/family.toml --diff
  python -m unoflip_env rules berserker --diff stacking
"""


def add_parser(commands: Any) -> None:
    """Add the command to argparse's subparsers."""
    parser = commands.add_parser(
        "rules", help="show a rule set, or the presets", description=HELP, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument("rules", nargs="?", metavar="RULES", help=f"one of {', '.join(PRESETS)}, or a .toml file")
    parser.add_argument(
        "--diff", nargs="?", const="official", metavar="BASE", help="only what differs from BASE, by default official"
    )
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Print what was asked for; returns the exit status. Raises RulesError for rules that are not known."""
    if arguments.rules is None and arguments.diff:
        raise RulesError(f"--diff {arguments.diff}: expected a rule set before it, such as: rules casual --diff official")
    if arguments.rules is None:
        _print(presets_table(), "python -m unoflip_env rules NAME shows one; NAME may also be a .toml file")
        return 0
    rules, base_name = as_rules(arguments.rules), arguments.diff or "official"
    base = as_rules(base_name)
    changes = rules.changes(base)
    names = OPTION_DOCS if arguments.diff is None else changes
    count = f"{len(changes)} options differ" if len(changes) != 1 else "1 option differs"
    line = f"Rules {arguments.rules} (id {rules.id}): {count} from {base_name} (id {base.id})"
    _print(rules_table(rules, base, names, Path(base_name).stem) if names else None, line)
    return 0


def rules_table(rules: Rules, base: Rules, names: Iterable[str], base_name: str) -> Table:
    """A row for each option; one that differs from `base` is marked, and has the base's value beside it."""
    table = _table("option", "value", base_name, "rule and meaning")
    values, base_values = asdict(rules), asdict(base)
    for name in names:
        is_changed = values[name] != base_values[name]
        table.add_row(
            f"{'*' if is_changed else ' '} {name}",
            _in_words(name, values[name]),
            _in_words(name, base_values[name]) if is_changed else "",
            OPTION_DOCS[name],
            style="bold" if is_changed else "",
        )
    return table


def presets_table() -> Table:
    """A row for each preset."""
    table = _table("preset", "id", "what it is")
    for name, rules in PRESETS.items():
        table.add_row(name, rules.id, PRESET_DOCS[name])
    return table


def _in_words(name: str, value: Any) -> str:
    """A value as a TOML file has it, but for quotes and brackets; the table of a pairing is too long for a cell."""
    if isinstance(value, tuple):
        return "a table" if name == "pairing" else "\n".join(value) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _table(*headings: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in headings[:-1]:
        table.add_column(heading, no_wrap=True)
    table.add_column(headings[-1])
    return table


def _print(table: Table | None, line: str) -> None:
    console = Console()
    if table:
        console.print(table)
    console.print(line, highlight=False, markup=False, soft_wrap=True)
