"""Describe where a result was written, or how to write it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from roadstead.front_end import option
from roadstead.release.kind import release_of
from roadstead.release.verification.checks import Verification
from roadstead.reports.verification import held
from roadstead.tables.source import Engine

NEEDS_ROADSTEAD = (
    "Without Roadstead, recipients can check the files of this release, but not its table, because "
    "the table is not a text file."
)
"""A line for a release whose table is not a text file."""


def nothing_written(what: str) -> str:
    """Report that nothing was written, and describe how to write the result."""
    return f"Nothing was written. To write {what}, give {option('out', 'DIR')}."


def files_written(out: Path, names: Sequence[str]) -> str:
    """Return the files that were written to a folder."""
    return f"Written to {out}: {', '.join(names)}."


def written(place: str | Path, verification: Verification, how: str = "written") -> str:
    """Return where a release was written, and how many checks passed."""
    return f"The release was {how} to {place}, and {held(verification)}."


def read_and_check(page: Path, check: str) -> str:
    """Return which page to read, and the command `check` that verifies the release."""
    return f"Read {page}. Check the release with: {check}"


def released(place: str | Path, verification: Verification | None, check: str) -> str:
    """Return where a chosen release was written, and the command `check` that verifies it."""
    found = "verified" if verification is None else held(verification)
    return f"The release was written to {place}, and {found}. Check it with: {check}"


def released_to(out: Path, into: str | None) -> str:
    """Return the folder or the address to which a release was written."""
    if into is None:
        return str(out)
    table = release_of(out).table_elsewhere()
    return f"{table.name} ({Engine(table.engine).describe()}), its documents to {out}"
