"""Decide which declared missing codes of numbers a table keeps as separate values.

Only formats that can store the codes keep them (:mod:`roadstead.tables.formats.declared_codes`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from math import inf

from roadstead.tables.formats.codebook import code_text
from roadstead.tables.formats.declared_codes import DeclaredCodes, codes_lost
from roadstead.tables.formats.registry import release_kind
from roadstead.tables.missing_codes import MissingCodes, taken, without_codes
from roadstead.tables.source import ProgramFile, Source

_WITHOUT_LABELS = "sas-transport"
"""The format that contains missing codes, but not their labels."""

_FORMATS = ("spss", "stata", "r", _WITHOUT_LABELS)
"""The formats that can contain several missing codes of a column of numbers."""

_SUPPRESSED = "*"
"""The text of a suppressed value."""


def codes_of_labels(source: Source) -> dict[str, dict[str, str]]:
    """Return, by column, the code of each label that the table shows in place of the code."""
    columns = source.format.codebook.columns if isinstance(source.format, ProgramFile) else {}
    return {
        name: {text: code_text(code) for code, text in notes.texts.items()}
        for name, notes in columns.items()
        if notes.labeled
    }


def format_keeps_codes(source: Source) -> bool:
    """Return whether the format of a release can contain declared missing codes of numbers."""
    return isinstance(source.format, ProgramFile) and release_kind(source.format) in _FORMATS


def declared_codes_of(source: Source) -> DeclaredCodes | None:
    """Return the declared missing codes, or None if there are none or they do not fit the table."""
    declared = source.declared
    # If the settings of the reader changed the table, the staged codes do not fit.
    return declared if declared is not None and source.held is declared.table else None


def without_listed(source: Source, declared: DeclaredCodes, codes: MissingCodes) -> Source:
    """Return the table. Codes that the user lists become plain missing values.

    The other declared missing codes can still be separate values in a release.
    """
    left, form = declared.without(codes), source.format
    if isinstance(form, ProgramFile):
        columns = dict(form.codebook.columns)
        for name, (_, counts) in left.codes.items():
            lost = codes_lost(columns[name], counts.keys(), labeled=columns[name].labeled)
            columns[name] = replace(columns[name], codes_lost=lost)
        form = replace(form, codebook=replace(form.codebook, columns=columns))
    return replace(source, held=left.table, declared=left, format=form)


def counting_people(source: Source, person: str | None) -> Source:
    """Return the table. If there is a person ID column, the table counts people for its codes."""
    declared = declared_codes_of(source)
    if person is None or declared is None:
        return source
    return replace(source, declared=declared.of_people(person))


def frequent_codes(
    source: Source, columns: Collection[str], fewest: int
) -> dict[str, dict[str, float]]:
    """Return, by column and text, the missing codes that at least `fewest` records or people have.

    The codes count people only after a call of `counting_people`.
    """
    declared, form = declared_codes_of(source), source.format
    if declared is None or not format_keeps_codes(source) or not isinstance(form, ProgramFile):
        return {}
    labels = release_kind(form) != _WITHOUT_LABELS
    found = {
        name: declared.texts(name, form.codebook.of(name), fewest, labels=labels)
        for name in declared.codes
        if name in columns
    }
    return {name: texts for name, texts in found.items() if texts}


def with_codes(source: Source, kept: Mapping[str, Mapping[str, float]]) -> Source:
    """Return the table with these missing codes (by column and text) as separate values."""
    if not kept or source.declared is None or not isinstance(source.format, ProgramFile):
        return source
    codebook = source.format.codebook
    columns = dict(codebook.columns)
    for name, texts in kept.items():
        notes = codebook.of(name)
        counts = source.declared.codes[name][1]
        lost = codes_lost(notes, counts.keys() - texts.values(), labeled=notes.labeled)
        columns[name] = replace(notes, kept=dict(texts), codes_lost=lost)
    form = replace(source.format, codebook=replace(codebook, columns=columns))
    return replace(source, held=source.declared.with_texts(kept), format=form)


def without_rare_codes(
    source: Source, columns: Collection[str], fewest: float = inf, person: str | None = None
) -> Source:
    """Return the table without labeled missing codes that fewer than `fewest` records have.

    If `person` is the column of the person ID, people are counted. If each value of a column has a
    label, a missing code is a value like all other values. In these columns, rare missing codes
    become plain missing values. By default, all missing codes become plain missing values.
    """
    form = source.format
    if not isinstance(form, ProgramFile):
        return source
    own = {name: form.codebook.of(name).missing_labels for name in columns}
    listed = MissingCodes((), {name: tuple(texts) for name, texts in own.items() if texts}, {})
    counts = taken(source.table, listed, source.name, person) if listed else {}
    rare = {
        name: tuple(text for text, having in found.items() if having < fewest)
        for name, found in counts.items()
    }
    if not any(rare.values()):
        return source
    notes = dict(form.codebook.columns)
    for name, texts in rare.items():
        lost = tuple(code_text(own[name][text]) for text in texts)
        lost = (*notes[name].codes_lost, *lost)
        notes[name] = replace(notes[name], codes_lost=lost, plain=fewest == inf)
    form = replace(form, codebook=replace(form.codebook, columns=notes))
    shown = {name: source.table[name] for name in rare}
    held = source.table.mutate(**without_codes(shown, MissingCodes((), rare, {})))
    return replace(source, held=held, format=form)


def missing_codes_shown(source: Source) -> dict[str, frozenset[str]]:
    """Return the values of each column that the file declares as missing."""
    if not isinstance(source.format, ProgramFile):
        return {}
    columns = source.format.codebook.columns.items()
    return {name: frozenset({*notes.kept, *notes.missing_labels}) for name, notes in columns}


def with_all_codes(source: Source) -> Source:
    """Return the table of a release, with each declared missing code as a separate value."""
    return with_codes(source, frequent_codes(source, source.columns, 1))


def with_codes_in(source: Source, columns: Collection[str]) -> Source:
    """Return the table of a release with missing codes in some columns only.

    In the other columns, the codes are plain missing values, but the code for suppressed values
    stays.
    """
    declared, form = source.declared, source.format
    if declared is None or not isinstance(form, ProgramFile):
        return source
    kept = {name: form.codebook.of(name).kept for name in declared.codes}
    shown = {
        name: {
            text: code
            for text, code in own.items()
            if isinstance(code, float) and (name in columns or text == _SUPPRESSED)
        }
        for name, own in kept.items()
    }
    return replace(source, held=declared.with_texts(shown))
