"""List the optional parts ("rooms") of the package. The other parts work without them.

A room can be taken out by deleting its places, and the rooms that need it. Other modules get a part
of a room by name (`part_of`), so they work without the room. If the room of a command is missing,
the command does not appear. The test `tests/test_rooms.py` removes each room with the rooms that
need it, and then all rooms together.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Room:
    """A part of the package that can be taken out.

    Attributes
    ----------
    places
        The paths of the room, relative to the package. The room exists if the first path exists.
    commands
        The commands that do not appear without the room.
    needs
        The rooms without which this room does not work.
    mark
        The key in the certificates of the releases that cannot be read without the room.
    """

    places: tuple[str, ...]
    commands: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    mark: str = ""


NOT_INSTALLED = "a necessary part of Roadstead is not installed"
"""The beginning of an error message, which then names the missing room."""

ROOMS: Mapping[str, Room] = {
    "the workbench": Room(("web", "cli/explore.py"), ("explore",)),
    "tools for AI assistants": Room(("mcp_server", "cli/serve_mcp.py"), ("serve-mcp",)),
    "PostgreSQL": Room(("tables/stores/postgres",)),
    "Spark": Room(("tables/stores/spark",)),
    "determination": Room(
        (
            "determination",
            "verbs/determine",
            "reports/determination",
            "schemas/determination.py",
            "web/sessions/determination_answers.py",
            "web/steps/determining.py",
            "web/work/determining.py",
            "web/work/questions/determination.py",
        ),
        ("determine",),
        needs=("attacks",),
    ),
    "the demonstration": Room(("cohort", "verbs/demo"), ("demo",)),
    "tests for other packages": Room(("testing",)),
    "SQL statements of policies": Room(("release/sql", "verbs/apply/as_sql.py")),
    "projects of ARX": Room(("verbs/scan/arx",)),
    "health data": Room(
        (
            "tables/health/omop.py",
            "tables/health/fhir.py",
            "tables/health/cdm_tables.py",
            "tables/health/condition_groups.py",
            "tables/health/joining.py",
        )
    ),
    "sets of tables": Room(
        (
            "release/database",
            "release/kinds/database.py",
            "tables/database",
            "verbs/database",
            "reports/tables",
            "reports/terminal/database.py",
        ),
        needs=("health data",),
        mark="roadstead_database",
    ),
    "the gate": Room(
        ("release/gate", "verbs/gate", "reports/gate.py", "schemas/gate.py"), ("gate",)
    ),
    "private releases": Room(
        (
            "differential",
            "release/private",
            "release/kinds/private.py",
            "verbs/synthesize",
            "reports/synthesis",
            "reports/charts/marginal_bars.py",
            "schemas/synthesis.py",
            "attacks/kinds/private_membership.py",
            "attacks/matching/private_columns.py",
            "attacks/membership/audit.py",
            "attacks/membership/groups.py",
            "attacks/membership/margins.py",
        ),
        ("synthesize",),
        mark="roadstead_private_certificate",
    ),
    "evaluation": Room(
        (
            "analysis",
            "verbs/evaluate",
            "reports/evaluation",
            "schemas/evaluation.py",
            "web/work/trials/compared.py",
            "web/work/trials/pairs.py",
            "web/work/trials/regression.py",
        ),
        ("evaluate",),
        needs=("private releases",),
    ),
    "attacks": Room(
        (
            "attacks",
            "verbs/attack",
            "verbs/anonymize/recoding/attack.py",
            "reports/attacks",
            "reports/recoding_attacks.py",
            "schemas/attacks.py",
            "web/steps/attacking.py",
            "web/work/attacking.py",
        ),
        ("attack",),
    ),
}
"""All rooms by name."""


@cache
def has(room: str) -> bool:
    """Return whether the package contains a room, and the rooms that this room needs."""
    one = ROOMS[room]
    return (Path(__file__).parent / one.places[0]).exists() and all(map(has, one.needs))


def has_command(name: str) -> bool:
    """Return whether the package contains the rooms that a command requires."""
    return all(has(room) for room, one in ROOMS.items() if name in one.commands)


def missing_room(keys: Collection[str]) -> str | None:
    """Return the missing room that a certificate with these keys requires, or None."""
    found = (room for room, one in ROOMS.items() if one.mark and one.mark in keys and not has(room))
    return next(found, None)


def part_of(room: str, place: str) -> Any:  # noqa: ANN401 - whatever stands there
    """Import and return ``module:attribute`` of a room, or return None if the room is missing."""
    if not has(room):
        return None
    module, _, name = place.partition(":")
    return getattr(import_module(f"roadstead.{module}"), name)
