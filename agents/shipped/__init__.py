"""The trained agents that come with the kit, a folder for each, with a card: how it was trained and how well it plays."""

from __future__ import annotations

from pathlib import Path

from agents.protocol import AgentError

_FOLDERS = {f"ppo:{path.parent.name}": path.parent for path in sorted(Path(__file__).parent.glob("*/agent.json"))}

SHIPPED = tuple(_FOLDERS)
"""What command lines call them, such as `ppo:official-2p`."""


def shipped_for(num_players: int) -> tuple[str, ...]:
    """Those that were trained at tables of that size, as their names tell."""
    return tuple(name for name in SHIPPED if name.endswith(f"-{num_players}p"))


def folder_of(spec: str) -> Path:
    """The folder of one of SHIPPED. Raises AgentError."""
    if spec not in _FOLDERS:
        raise AgentError(f"agent {spec!r}: expected one of {', '.join(SHIPPED)}; a checkpoint goes by its path alone")
    return _FOLDERS[spec]
