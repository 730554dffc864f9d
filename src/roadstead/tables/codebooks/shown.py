"""Show a table with labels in place of codes. The table itself keeps its codes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from roadstead.printable import printable
from roadstead.tables.formats.codebook import ColumnNotes, code_text
from roadstead.tables.formats.registry import WITH_RARE_CODES, release_kind
from roadstead.tables.frequency import summarize
from roadstead.tables.profile import ColumnProfile
from roadstead.tables.source import ProgramFile, Source
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    from ibis.expr import types as ir

Faces = Mapping[str, Mapping[str, str]]
"""For each column of codes with labels, the label of each code."""

_MOST_CODES = 20_000


def faces_of(source: Source, profiles: tuple[ColumnProfile, ...]) -> dict[str, dict[str, str]]:
    """Return the labels of the columns in which each value has a label."""
    codebook = source.codebook
    if codebook is None:
        return {}
    found = {}
    for profile in profiles:
        described = codebook.columns.get(profile.name)
        labels = {} if described is None else described.notes.labels
        if not labels or profile.distinct > min(2 * len(labels) + 1, _MOST_CODES):
            continue  # the number of distinct values is an estimate
        (domain,) = summarize(source, [profile.name]).domains
        if (faces := codebook.faces(profile.name, domain)) is not None:
            found[profile.name] = faces
    return found


def labels_of_codes(source: Source) -> Faces:
    """Return the known labels of codes, for use in messages."""
    notes: dict[str, ColumnNotes] = {}
    if isinstance(source.format, ProgramFile):
        columns = source.format.codebook.columns
        notes |= {name: one for name, one in columns.items() if not one.labeled}
    if source.codebook is not None:
        notes |= {name: one.notes for name, one in source.codebook.columns.items()}
    return {
        name: {code_text(code): label for code, label in one.labels.items()}
        for name, one in notes.items()
        if one.labels
    }


def other_names(source: Source, name: str, domain: Sequence[str]) -> dict[str, str]:
    """Map codes to the values of a column if the table shows labels; otherwise map labels."""
    found: dict[str, str] = {}
    if isinstance(source.format, ProgramFile):
        notes = source.format.codebook.of(name)
        texts = ((code_text(code), text) for code, text in notes.texts.items())
        found |= {a if notes.labeled else b: b if notes.labeled else a for a, b in texts}
    faces = None if source.codebook is None else source.codebook.faces(name, domain)
    return found | {label: value for value, label in (faces or {}).items() if value}


def with_label(value: str, labels: Mapping[str, str]) -> str:
    """Return a code with its label, as in ``9 = refused``. Other values are unchanged."""
    label = labels.get(value.strip())
    return f"{value} = {printable(label)}" if label else value


def with_labels(source: Source, faces: Faces) -> Source:
    """Return a view of a table with labels in place of codes."""
    import ibis  # noqa: PLC0415 - heavy

    shown = {}
    for name, labels in faces.items():
        text = as_text(source.table[name])
        pairs = [(text == code, label) for code, label in labels.items() if code]
        shown[name] = ibis.cases(*pairs, else_=ibis.null("string"))
    return replace(source, held=source.table.mutate(**shown)) if shown else source


def with_codes_of_few(
    source: Source, columns: Collection[str], fewest: int
) -> dict[str, ir.StringColumn]:
    """Return the columns with rare labels, and show codes in place of these labels.

    A label is rare if fewer than `fewest` records have it. A release shows the codes, because a
    rare label can be the name of a person.
    """
    form = source.format
    if not isinstance(form, ProgramFile) or release_kind(form) not in WITH_RARE_CODES:
        return {}
    import ibis  # noqa: PLC0415 - heavy

    found = {}
    for name in columns:
        notes = form.codebook.of(name)
        if not notes.labeled:
            continue
        table = summarize(source, [name])
        counts = dict(
            zip((table.domains[0][at] for at in table.codes[0]), table.counts, strict=True)
        )
        codes = {text: code_text(code) for code, text in notes.texts.items()}
        text = as_text(source.table[name])
        few = [one for one, own in counts.items() if own < fewest and one in codes][:_MOST_CODES]
        if few:
            found[name] = ibis.cases(*((text == one, codes[one]) for one in few), else_=text)
    return found
