"""Replace the codes that a codebook declares as missing with missing values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roadstead.tables.codebooks.described import DescribedColumn, TableNotes
from roadstead.tables.formats.codebook import Code, code_text
from roadstead.tables.kept_codes import codes_of_labels, declared_codes_of
from roadstead.tables.missing_codes import MissingCodes, listed_codes, missing_codes, taken
from roadstead.tables.reading import without_markers
from roadstead.tables.source import Source


def with_codebook(source: Source, codebook: TableNotes, given: Sequence[str] = ()) -> Source:
    """Return a table with a codebook. The missing codes of the codebook become missing values.

    `given` contains the codes that the user lists. An empty code (``income=``) means that the
    codebook's codes for this column are values.
    """
    source = replace(source, codebook=codebook)
    entries: dict[str, int] = {}
    unused: set[str] = set()
    for name, own in _entries(source, given).items():
        found = _occurring(source, own) or _occurring(source, _labels(source, name, own))
        entries |= found
        if not found and not _are_declared(source, own):
            unused.add(name)
    source = replace(source, codebook_unused=tuple(n for n in source.columns if n in unused))
    if not entries:
        return source
    made = without_markers(source, [*entries], private=False)
    counted = {
        name: {**source.made_missing.get(name, {}), **made.made_missing.get(name, {})}
        for name in (*source.made_missing, *made.made_missing)
    }
    return replace(made, made_missing=counted, codebook_missing=entries)


def _entries(source: Source, given: Sequence[str]) -> dict[str, list[str]]:
    """Return the missing codes of the codebook in the form of an option, such as ``income=-9``."""
    codebook = source.codebook
    assert codebook is not None  # noqa: S101 - the caller has set it
    parts = [one.partition("=") for one in listed_codes(given)]
    values = {name.strip() for name, equals, code in parts if equals and not code.strip()}
    everywhere = [(code, code) for code in codebook.missing]
    found = {}
    for name in source.columns:
        notes = codebook.columns.get(name, DescribedColumn()).notes
        if "=" not in name and name not in values:
            spans = (_span(low, high) for low, high in (*notes.missing, *everywhere))
            found[name] = [f"{name}={span}" for span in dict.fromkeys(spans) if span]
    return {name: own for name, own in found.items() if own}


def _occurring(source: Source, entries: Sequence[str]) -> dict[str, int]:
    """Return the codes that occur in the table, and the number of values with each code."""
    found = {}
    for entry in entries:
        if counts := taken(source.table, _codes(source, [entry]), source.name):
            found[entry] = sum(sum(one.values()) for one in counts.values())
    return found


def _labels(source: Source, name: str, entries: Sequence[str]) -> list[str]:
    """Return the labels of missing codes as codes, because a table can show labels."""
    codes = _codes(source, entries)
    notes = (source.codebook or TableNotes({})).columns.get(name, DescribedColumn()).notes
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for code, label in notes.labels.items():
        found[codes.matching(name, code_text(code)) is not None].add(label.strip())
    return [f"{name}={label}" for label in sorted(found[True] - found[False]) if label]


def _are_declared(source: Source, entries: Sequence[str]) -> bool:
    """Return whether the table's own file declares codes of these entries as missing."""
    declared = declared_codes_of(source)
    return declared is not None and bool(declared.listed(_codes(source, entries)))


def _codes(source: Source, entries: Sequence[str]) -> MissingCodes:
    return missing_codes(entries, source.columns, codes_of_labels(source))


def _span(low: Code, high: Code) -> str:
    first, last = code_text(low), code_text(high)
    return first if low == high else f"{first}..{last}"
