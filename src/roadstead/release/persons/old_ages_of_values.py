"""Find ages over 89 that two columns reveal, based on the values in the source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from roadstead.tables.failures import engine_errors
from roadstead.tables.persons.dates import LONGEST
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    import ibis
    from ibis.expr import types as ir

    from roadstead.policies.document import Policy
    from roadstead.tables.source import Source

_ISO = "^[0-9]{4}-[0-9]{2}-[0-9]{2}"


def old_pair(
    source: Source, policy: Policy, pairs: Sequence[tuple[str, str]]
) -> tuple[str, str] | None:
    """Find a pair of columns whose values in the source reveal an old age."""
    import ibis  # noqa: PLC0415 - heavy

    if not pairs:
        return None
    table = source.table
    longest = {}
    for at, (born, seen) in enumerate(pairs):
        latest, earliest = _day(table, born, last=True), _day(table, seen, last=False)
        if policy.linked_by is not None:
            own = ibis.window(group_by=as_text(table[policy.linked_by]))
            latest, earliest = latest.min().over(own), earliest.max().over(own)
        longest[f"pair_{at}"] = earliest.delta(latest, unit="day")
    with engine_errors(source.name):
        spans = table.select(**longest)
        (row,) = (
            spans.aggregate(**{name: spans[name].max() for name in longest})
            .to_pyarrow()
            .to_pylist()
        )
    old = [pair for at, pair in enumerate(pairs) if (row[f"pair_{at}"] or 0) >= LONGEST]
    return old[0] if old else None


def _day(table: ibis.Table, column: str, *, last: bool) -> ir.DateColumn:
    """Return the first or the last day that a date or a year can mean."""
    import ibis  # noqa: PLC0415 - heavy

    text = as_text(table[column])
    year = text.substr(0, 4) + ("-12-31" if last else "-01-01")
    return ibis.cases(
        (text.re_search(_ISO), text.substr(0, 10)),
        (text.re_search("^[0-9]{4}$"), year),
        (text.re_search("^[0-9]{4}-[0-9]{2}$"), text + ("-28" if last else "-01")),
        else_=ibis.null("string"),
    ).try_cast("date")
