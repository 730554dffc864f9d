"""Propose a hierarchy for a quasi-identifier, and describe unusual values of columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from roadstead.hierarchies.rules import MISSING
from roadstead.release.persons.early_births import EarlyBirths, early_births, this_year, years_of
from roadstead.release.persons.old_ages import is_called_a_birth
from roadstead.reports.noticed.alike_values import alike_words
from roadstead.reports.noticed.gather import columns_of, noticed
from roadstead.reports.noticed.missing_codes import codes_in
from roadstead.tables.frequency import FrequencyTable, summarize, summarize_within
from roadstead.tables.identifiers.descriptions import described_ages
from roadstead.tables.kept_codes import missing_codes_shown
from roadstead.tables.profile import ColumnProfile
from roadstead.tables.source import Source
from roadstead.verbs.defaults import proposed_hierarchy
from roadstead.verbs.settings import USUAL_K

_DECIMAL_COMMA = re.compile(r"[+-]?\d+(?:,\d+)?", re.ASCII)


_MOST_DATES = 2_000_000
"""The maximum number of combinations of dates to count."""
MOST_VALUES = 100_000
"""The maximum number of values in a column with a proposed hierarchy."""


@dataclass(frozen=True)
class ScannedHierarchy:
    """A proposed hierarchy, with sentences about unusual values in the column."""

    declaration: Mapping[str, Any]
    noticed: tuple[str, ...]
    decimal_commas: bool
    codes: tuple[str, ...]  # numbers that may mean "missing"


def scanned_hierarchy(
    source: Source,
    column: str,
    labels: Mapping[str, str] | None = None,
    born: EarlyBirths | None = None,
) -> ScannedHierarchy:
    """Propose a hierarchy for the values of a column, and describe unusual values.

    If `labels` of codes are given, the hierarchy generalizes the labels, and the sentences refer to
    the codes. `born` is a band for early births.
    """
    table, labels = summarize(source, [column]), labels or {}
    domain = tuple(labels.get(value, value) for value in table.domains[0])
    proposed = proposed_hierarchy(
        column, domain, described_ages(source, [column]).get(column), born
    )
    declaration = proposed.declaration
    used = [] if labels else [proposed.build(domain)]
    declared, faces = missing_codes_shown(source), {column: labels}
    found = noticed(table, used, fewest=USUAL_K, labels=faces, declared=declared)
    codes = [codes_in(one) for one in columns_of(table, used, USUAL_K, faces, declared)]
    numbers = all(_DECIMAL_COMMA.fullmatch(value) for value in domain if value != MISSING)
    commas = numbers and any("," in one for one in domain)
    return ScannedHierarchy(
        declaration, (*proposed.said(), *found), commas, tuple(chain.from_iterable(codes))
    )


def alike_values_in(source: Source, column: ColumnProfile) -> str:
    """Describe strings that a privacy model of the column would wrongly count as different."""
    strings = column.type.lstrip("!").startswith("string")
    return alike_words(source, column.name) if strings and column.distinct <= MOST_VALUES else ""


def births_before(source: Source, samples: Mapping[str, Sequence[str]]) -> dict[str, EarlyBirths]:
    """Return the band for each column of births that reveals ages over 89.

    `samples` contains some values of each column. Only columns with dates or years are counted.
    """
    if not any(map(is_called_a_birth, samples)):
        return {}
    dated = [name for name, values in samples.items() if years_of(name, values) is not None]
    if not dated:
        return {}
    counted = summarize_within(source, dated, most=_MOST_DATES)
    if counted is not None:
        return early_births(counted, this_year())
    apart = [summarize(source, [name]) for name in dated]
    none = np.zeros(0, dtype=np.int64)
    domains = tuple(one.domains[0] for one in apart)
    codes = tuple(np.zeros(0, dtype=np.int32) for _ in apart)
    return early_births(FrequencyTable(tuple(dated), domains, codes, none), this_year())
