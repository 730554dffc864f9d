"""List the optional parts ("rooms") of the package. The other parts work without them.

Only the modules that are listed with a room import the room. Without the room of a command, the
command does not appear. `tests/test_rooms.py` removes each room, and all of them together.
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
"""The folders and files of each room, relative to the package."""

_COMMANDS = {"explore": "the workbench", "serve-mcp": "tools for agents"}


def has_command(name: str) -> bool:
    """Return whether the room that a command requires is present."""
    return all((Path(__file__).parent / place).exists() for place in ROOMS[_COMMANDS[name]])
