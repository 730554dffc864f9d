"""Report codes that a file declares as missing, and say what a release does with them.

A release keeps such a code as a separate value if enough records have the code. If each value of a
column has a label, the kept codes are values like all other values, and are not reported.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType

from roadstead.printable import named, printable
from roadstead.reports.wording import listed
from roadstead.tables.formats.codebook import ColumnNotes
from roadstead.tables.kept_codes import format_keeps_codes
from roadstead.tables.source import ProgramFile, Source


def declared_codes(
    source: Source,
    columns: Collection[str],
    fewest: int | None = None,
    left: Mapping[str, Collection[str]] = MappingProxyType({}),
    person: str | None = None,
) -> Iterator[str]:
    """Yield sentences about the declared missing codes of columns.

    `fewest` is the number of records that a kept code must have. If `person` names the person ID
    column, `fewest` is a number of people. If `fewest` is None, nothing has been decided, and the
    sentences say what a release will do. `left` contains the values of each quasi-identifier in the
    release.
    """
    for name in columns:
        notes = _notes(source, name)
        if not left.get(name, {name}):
            continue  # every cell of the column is suppressed
        kept = tuple(text for text in notes.kept if text in left.get(name, notes.kept))
        if kept:
            several = len(kept) > 1
            yield (
                f"{named(name)}: the {_codes(kept, several=several)} (declared as missing) "
                f"{'stay separate values' if several else 'stays a separate value'}."
            )
        if gone := tuple(text for text in notes.kept if text not in kept):
            several = len(gone) > 1
            yield (
                f"{named(name)}: no record shows the {_codes(gone, several=several)} "
                "(declared as missing), because the records that have "
                f"{'them' if several else 'it'} are suppressed or generalized further."
            )
        if notes.codes_lost:
            yield f"{named(name)}: {_lost(source, name, fewest, person, other=bool(kept))}"


def _notes(source: Source, name: str) -> ColumnNotes:
    form = source.format
    return form.codebook.of(name) if isinstance(form, ProgramFile) else ColumnNotes()


def _lost(source: Source, name: str, fewest: int | None, person: str | None, *, other: bool) -> str:
    notes, counted = _notes(source, name), "records" if person is None else "people"
    if notes.kept or (not notes.plain and notes.labeled and not _has_plain_codes(source, name)):
        # A range in the file may contain a code that stays.
        why = f"fewer than {fewest} {counted} have each code"
        if notes.kept and fewest is not None and _is_frequent(source, name, fewest):
            why += ", or because the policy joins them with the missing value"
        return (
            f"its {'other' if other else 'rare'} codes that were declared as missing "
            f"become plain missing values, because {why}."
        )
    several = len(notes.codes_lost) > 1 or " " in notes.codes_lost[0]
    they = "each code" if several else "it"
    codes = f"the {_codes(notes.codes_lost, several=several)} (declared as missing)"
    becoming = "become plain missing values" if several else "becomes a plain missing value"
    if not format_keeps_codes(source):
        return f"{codes} {becoming}, because a release in this format cannot contain them."
    if fewest is None:
        return f"a release keeps {codes} as separate values if enough records have {they}."
    if not notes.plain and not _is_frequent(source, name, fewest):
        return f"{codes} {becoming}, because fewer than {fewest} {counted} have {they}."
    return f"{codes} {becoming}, because the settings of this release need plain missing values."


def _is_frequent(source: Source, name: str, fewest: int) -> bool:
    """Return whether enough records or people have a missing code that is not kept."""
    declared, kept = source.declared, _notes(source, name).kept.values()
    if declared is None or name not in declared.codes:
        return True
    counts = declared.codes[name][1].items()
    return any(having >= fewest for code, having in counts if code not in kept)


def _has_plain_codes(source: Source, name: str) -> bool:
    """Return whether a missing code of a column does not have a label."""
    return source.declared is not None and name in source.declared.codes


def _codes(texts: tuple[str, ...], *, several: bool) -> str:
    return f"{'codes' if several else 'code'} {listed([printable(one) for one in texts])}"
