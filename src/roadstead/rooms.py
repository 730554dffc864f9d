"""List the optional parts ("rooms") of the package. The other parts work without them.

A room is imported only by the modules that are listed with it. If the room of a command is missing,
the command does not appear. The test `tests/test_rooms.py` removes each room alone, and then all
rooms together.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

ROOMS: Mapping[str, tuple[str, ...]] = {
    "the workbench": ("web", "cli/explore.py"),
    "tools for AI assistants": ("mcp_server", "cli/serve_mcp.py"),
    "PostgreSQL": ("tables/stores/postgres",),
    "Spark": ("tables/stores/spark",),
}
"""The paths of each room, relative to the package."""

_COMMANDS = {"explore": "the workbench", "serve-mcp": "tools for AI assistants"}


def has_command(name: str) -> bool:
    """Return whether the package contains the room that a command requires."""
    return all((Path(__file__).parent / place).exists() for place in ROOMS[_COMMANDS[name]])
