"""Say which values became missing, and propose codes in the columns that share them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from roadstead.hierarchies.number_text import plain_number
from roadstead.reports.noticed.declared_missing import declared_codes
from roadstead.reports.noticed.gather import columns_of
from roadstead.reports.noticed.missing_codes import codes_of_others, known_codes
from roadstead.reports.opened import made_missing
from roadstead.reports.scan.facts import PERSON, ColumnProposal
from roadstead.tables.codebooks.shown import Faces
from roadstead.tables.failures import engine_errors
from roadstead.tables.frequency import summarize
from roadstead.tables.kept_codes import missing_codes_shown
from roadstead.tables.source import Source
from roadstead.tables.texts import texts_of
from roadstead.verbs.scan.proposed_hierarchy import MOST_VALUES
from roadstead.verbs.settings import USUAL_K


def missing_values(source: Source, *, listed: bool) -> Iterator[str]:
    """Yield sentences about the codes that the file declares, and those that the user `listed`."""
    yield from declared_codes(source, source.columns)
    if listed:
        of_codebook = source.codebook_missing
        counts = {
            name: {code: n for code, n in found.items() if f"{name}={code}" not in of_codebook}
            for name, found in source.made_missing.items()
        }
        yield made_missing({name: found for name, found in counts.items() if found})


def with_codes_of_others(
    source: Source, columns: Sequence[ColumnProposal], faces: Faces
) -> tuple[ColumnProposal, ...]:
    """Propose a code that one column contains in all columns that may be released with it."""
    known = known_codes({one.name: one.codes for one in columns})
    texts = {text for code in map(plain_number, known) for text in (code, f"{code}.0")}
    having = _columns_with(source, columns, texts) if texts else set()
    declared, made = missing_codes_shown(source), list(columns)
    for at, one in enumerate(columns):
        if one.name in having:
            labels = {one.name: faces.get(one.name, {})}
            table = summarize(source, [one.name])
            found = [
                line.removesuffix(".")
                for values in columns_of(table, (), USUAL_K, labels, declared)
                for line in codes_of_others(values, known, one.codes)
            ]
            made[at] = replace(one, warning="; ".join(filter(None, (one.warning, *found))))
    return tuple(made)


def _columns_with(
    source: Source, columns: Sequence[ColumnProposal], texts: Collection[str]
) -> set[str]:
    """Return the columns that may be released and contain at least one of some texts."""
    names = [
        one.name
        for one in columns
        if one.role not in ("identifiers", PERSON)
        and not one.profile.is_list
        and one.profile.distinct <= MOST_VALUES
    ]
    if not names:
        return set()
    with engine_errors(source.name):
        counts = texts_of(source, names).marked(sorted(texts))
    return {name for name, many in zip(names, counts, strict=True) if many}
