"""The option ``--into``: the released table goes to a database, its documents to ``--out``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from roadstead.errors import SettingError
from roadstead.release.publish import check_sink
from roadstead.release.verification.checks import Verification
from roadstead.release.verification.release import require_table_elsewhere
from roadstead.reports.wording import counted
from roadstead.tables.addresses import locate, shareable
from roadstead.tables.formats import Engine
from roadstead.tables.locations import DatabaseLocation
from roadstead.tables.source import Source


def target(option: str | None, project: str | None, base: Path) -> str | None:
    """Find the address that an option gives, or else the project file; its paths start at `base`.

    Raises
    ------
    SourceError
        When it is an address that cannot be used.
    """
    if option is not None or project is None:
        return option
    location = locate(project, base)
    if isinstance(location, DatabaseLocation) and location.file is not None:
        return location.address
    return project


def require_folder(into: str | None, out: Path | None) -> None:
    """Refuse a table without an address, or without a folder for its documents.

    Raises
    ------
    SettingError
        When the address is blank, or the one is given without the other.
    """
    if into is not None and not into.strip():
        raise SettingError(
            "no address is given",
            where="--into",
            fix="name a new table, such as 'duckdb://clinic.duckdb?table=released'",
        )
    if into is not None and out is None:
        raise SettingError(
            "the policy, the report and the certificate of the table need a folder",
            where="--into",
            fix="add --out DIR",
        )


def require_place(into: str | None, source: Source, *, force: bool) -> None:
    """Refuse an address that no table can be made at, before any work is done.

    Raises
    ------
    OutputError
        When a table is there and `force` is not given, or none can be made.
    """
    if into is not None:
        check_sink(into, source, force=force)


def published(out: Path, into: str | None, verification: Verification) -> str:
    """Say where a release was written to, and that it was verified."""
    checks = counted(len(verification.checks), "check")
    how = "Written" if into is None else "Published"
    return f"{how} to {released_to(out, into)}, and verified: {checks} hold."


def released_to(out: Path, into: str | None) -> str:
    """Name the place of a release that was written."""
    if into is None:
        return str(out)
    table = require_table_elsewhere(out)
    return f"{table.name} ({Engine(table.engine).describe()}), its documents to {out}"


def check_with(out: Path, into: str | None) -> str:
    """Give the command that checks a release."""
    parts = ["roadstead", "verify", str(out)]
    return shlex.join(parts if into is None else [*parts, "--table", shareable(into)])


def documented(out: Path, into: str | None) -> dict[str, Any]:
    """Say in JSON where a release was written to; of an address its table alone."""
    table = {} if into is None else {"into": require_table_elsewhere(out).name}
    return {"out": str(out), **table}
