"""Report codes that a file declares as missing, and what a release does with them.

A release keeps such a code as a separate value if enough records have the code. If each value of a
column has a label, the codes are values like all others, and are not reported.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from roadstead.printable import named, printable
from roadstead.reports.wording import listed
from roadstead.tables.formats.codebook import ColumnNotes
from roadstead.tables.kept_codes import format_keeps_codes
from roadstead.tables.source import ProgramFile, Source


def declared_codes(
    source: Source, columns: Collection[str], fewest: int | None = None
) -> Iterator[str]:
    """Yield sentences about the declared missing codes of columns.

    `fewest` is the number of records that a kept code must have. If `fewest` is None, nothing has
    been decided, and the sentences say what a release will do.
    """
    if not isinstance(source.format, ProgramFile):
        return
    for name in columns:
        notes = source.format.codebook.of(name)
        if notes.kept:
            several = len(notes.kept) > 1
            yield (
                f"{named(name)}: the declared missing {_codes(tuple(notes.kept), several=several)} "
                f"{'stay separate values' if several else 'stays a separate value'}."
            )
        if notes.codes_lost:
            yield f"{named(name)}: {_lost(source, name, notes, fewest)}"


def _lost(source: Source, name: str, notes: ColumnNotes, fewest: int | None) -> str:
    if notes.kept:  # a range in the file may contain a code that is kept
        return (
            "its other declared missing codes become plain missing values, because fewer than "
            f"{fewest} records have each of them."
        )
    several = len(notes.codes_lost) > 1 or " " in notes.codes_lost[0]
    they = "each of them" if several else "it"
    codes = f"the declared missing {_codes(notes.codes_lost, several=several)}"
    becoming = "become plain missing values" if several else "becomes a plain missing value"
    if not format_keeps_codes(source):
        return f"{codes} {becoming}, because a release in this format cannot contain them."
    if fewest is None:
        return f"a release keeps {codes} as separate values if enough records have {they}."
    if not _is_frequent(source, name, fewest):
        return f"{codes} {becoming}, because fewer than {fewest} records have {they}."
    return f"{codes} {becoming}, because the settings of this release need plain missing values."


def _is_frequent(source: Source, name: str, fewest: int) -> bool:
    declared = source.declared
    if declared is None or name not in declared.codes:
        return True
    return any(records >= fewest for records in declared.codes[name][1].values())


def _codes(texts: tuple[str, ...], *, several: bool) -> str:
    return f"{'codes' if several else 'code'} {listed([printable(one) for one in texts])}"
