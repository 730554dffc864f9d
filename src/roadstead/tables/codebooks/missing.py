"""Replace the codes that a codebook declares as missing with missing values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from roadstead.tables.codebooks.described import DescribedColumn, TableNotes
from roadstead.tables.formats.codebook import Code, code_text
from roadstead.tables.missing_codes import listed_codes, missing_codes, taken
from roadstead.tables.reading import without_markers
from roadstead.tables.source import Source


def with_codebook(source: Source, codebook: TableNotes, given: Sequence[str] = ()) -> Source:
    """Return a table with a codebook. The missing codes of the codebook become missing values.

    `given` contains the codes that the user lists. An empty code (``income=``) means that the
    codebook's codes for this column are values.
    """
    source, entries = replace(source, codebook=codebook), {}
    for entry in dict.fromkeys(_entries(source, given)):
        if counts := taken(source.table, missing_codes([entry], source.columns), source.name):
            entries[entry] = sum(sum(one.values()) for one in counts.values())
    if not entries:
        return source
    made = without_markers(source, [*entries], private=False)
    counted = {
        name: {**source.made_missing.get(name, {}), **made.made_missing.get(name, {})}
        for name in (*source.made_missing, *made.made_missing)
    }
    return replace(made, made_missing=counted, codebook_missing=entries)


def _entries(source: Source, given: Sequence[str]) -> Iterator[str]:
    """Yield each missing code of the codebook in the form of an option, such as ``income=-9``."""
    codebook = source.codebook
    assert codebook is not None  # noqa: S101 - the caller has set it
    parts = [one.partition("=") for one in listed_codes(given)]
    values = {name.strip() for name, equals, code in parts if equals and not code.strip()}
    for name in source.columns:
        notes = codebook.columns.get(name, DescribedColumn()).notes
        everywhere = [(code, code) for code in codebook.missing]
        if "=" not in name and name not in values:
            spans = (_span(low, high) for low, high in (*notes.missing, *everywhere))
            yield from (f"{name}={span}" for span in spans if span)


def _span(low: Code, high: Code) -> str:
    first, last = code_text(low), code_text(high)
    return first if low == high else f"{first}..{last}"
