"""Read a release whose intervals are two columns as if each were one, with both ends in its text.

Whatever is checked or measured of a release is so of one label for each quasi-identifier. The
engine joins the two cells as they stand; ends are then written as the policy does, whatever a file
or an engine makes of a number, and two cells that are no interval of the policy are found wrong.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from roadstead.policies.recodings.ends import BETWEEN, NOTHING, joined, plain
from roadstead.tables.frequency import FrequencyTable, places
from roadstead.tables.text import MISSING, as_text

if TYPE_CHECKING:
    from roadstead.policies.document import Policy
    from roadstead.tables.source import Source


def with_joined_ends(source: Source, policy: Policy) -> Source:
    """Put one column in the place of each two; those that are not there stay away."""
    import ibis  # noqa: PLC0415 - heavy

    pairs = {n: own for n, own in policy.two_columns.items() if {*own} <= {*source.columns}}
    if not pairs:
        return source
    table, columns, gone = source.table, {}, {high for _, high in pairs.values()}
    of = {low: (name, high) for name, (low, high) in pairs.items()}
    for name in source.columns:
        if name in of:
            own, other = of[name]
            low, high = as_text(table[name]), as_text(table[other])
            nothing = (low == MISSING) & (high == MISSING)
            columns[own] = ibis.ifelse(nothing, NOTHING, low + BETWEEN + high)
        elif name not in gone:
            columns[name] = table[name]
    made: dict[str, Any] = columns
    return replace(source, held=table.select(**made), columns=tuple(columns))


def with_plain_ends(table: FrequencyTable, policy: Policy) -> FrequencyTable:
    """Write the ends of joined columns as the policy does, whatever type they were read as."""
    if not policy.two_columns:
        return table
    written = [
        tuple(map(_plain, domain)) if name in policy.two_columns else domain
        for name, domain in zip(table.attributes, table.domains, strict=True)
    ]
    domains = tuple(tuple(sorted(set(own))) for own in written)
    codes = tuple(
        places(own, domain)[column]
        for own, domain, column in zip(written, domains, table.codes, strict=True)
    )
    return replace(table, domains=domains, codes=codes).project(table.attributes)


def _plain(label: str) -> str:
    low, between, high = label.partition(BETWEEN)
    return joined(plain(low), plain(high)) if between else label
