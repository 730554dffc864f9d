"""Count the records outside the declared domains, for the eyes of whoever has the table anyway."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from roadstead.differential.domains import CategoricalDomain, Domain, NumericDomain, SetDomain
from roadstead.differential.private_table import PrivateTable
from roadstead.errors import SourceError, quoted
from roadstead.front_end import option
from roadstead.hierarchies.taxonomy import NOT_LISTED
from roadstead.reports.synthesis.custodian import CustodianFacts
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.item_sets import items_of


def custodian_facts(
    table: FrequencyTable,
    placed: PrivateTable,
    target: str,
    unmatched: Sequence[tuple[str, int]] = (),
    sharing: Sequence[tuple[str, int]] = (),
    repeated: Sequence[tuple[str, int]] = (),
) -> CustodianFacts:
    """Count what has no place in the domains."""
    homeless = []
    if placed.left_out:
        for column, places in _places(table, placed.domains, target, placed.classes):
            at = table.attributes.index(column)
            lost = np.array(places) == NOT_LISTED
            if number := int(table.counts[lost[table.codes[at]]].sum()):
                homeless.append((column, number))
    return CustodianFacts(
        table.records,
        placed.left_out,
        tuple(homeless),
        placed.clamped,
        placed.unlisted,
        tuple(one for one in unmatched if one[1]),
        tuple(one for one in sharing if one[1]),
        tuple(one for one in repeated if one[1] > 1),
    )


def require_inside(table: FrequencyTable, placed: PrivateTable, target: str) -> None:
    """Stop if any record is outside the domains."""
    if not (placed.left_out or placed.clamped or placed.unlisted):
        return
    for domain in placed.domains:
        values = table.domains[table.attributes.index(domain.attribute)]
        for value in values:
            if (cell := _outside(domain, value)) is not None:
                raise _not_inside(domain.attribute, cell)
    for value in table.domains[table.attributes.index(target)]:
        if value not in placed.classes:
            raise _not_inside(target, value)


def _places(
    table: FrequencyTable, domains: Sequence[Domain], target: str, classes: Sequence[str]
) -> list[tuple[str, list[int]]]:
    """Give the places of each column's values; sets have one for any."""
    found = []
    for domain in domains:
        values = table.domains[table.attributes.index(domain.attribute)]
        match domain:
            case NumericDomain():
                found.append((domain.attribute, domain.locate(values).tolist()))
            case CategoricalDomain(taxonomy):
                found.append((domain.attribute, taxonomy.locate(values).tolist()))
            case SetDomain():
                pass
    values = table.domains[table.attributes.index(target)]
    known = [0 if value in classes else NOT_LISTED for value in values]
    return [*found, (target, known)]


def _outside(domain: Domain, value: str) -> str | None:
    """Give what of a cell is outside a domain, if anything is."""
    match domain:
        case NumericDomain():
            lost = domain.beyond(value) or domain.locate([value])[0] == NOT_LISTED
            return value if lost else None
        case CategoricalDomain(taxonomy):
            return value if taxonomy.locate([value])[0] == NOT_LISTED else None
        case SetDomain(taxonomy):
            items = items_of(value)
            return next((one for one in items if taxonomy.locate([one])[0] == NOT_LISTED), None)


def _not_inside(column: str, cell: str) -> SourceError:
    return SourceError(
        f"{quoted(cell)} is outside the declared domain" if cell else "a cell is empty",
        where=f"column {quoted(column)}",
        fix="correct it, declare what the column can hold, or give "
        f"{option('outside', 'leave-out')}",
    )
