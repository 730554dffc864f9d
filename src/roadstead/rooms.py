"""Rooms of the package that can be taken out: what is left imports, and works without them.

Nothing imports these rooms but what is named with them. A command whose room is gone does not
appear. `tests/test_rooms.py` takes each out, and all together.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

ROOMS: Mapping[str, tuple[str, ...]] = {
    "the workbench": ("web", "cli/explore.py"),
    "tools for agents": ("mcp_server", "cli/serve_mcp.py"),
    "PostgreSQL": ("tables/stores/postgres",),
    "Spark": ("tables/stores/spark",),
}
"""The folders and files of each, below the package."""

_COMMANDS = {"explore": "the workbench", "serve-mcp": "tools for agents"}


def has_command(name: str) -> bool:
    """Return whether the room that a command needs is there."""
    return all((Path(__file__).parent / place).exists() for place in ROOMS[_COMMANDS[name]])
