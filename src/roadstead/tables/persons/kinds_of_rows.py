"""Find quasi-identifiers that are never filled in the same row, although they are of one person.

In a table of REDCap with a repeating instrument, the facts about a person, such as the birth date
and the sex, are in one row, and each visit is in another row. An attacker who knows the facts and
two visits knows three rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import TYPE_CHECKING, Final

from roadstead.tables.failures import engine_errors
from roadstead.tables.text import BLANKS, as_text

if TYPE_CHECKING:
    from roadstead.tables.source import Source

_SHARE: Final = 0.5
"""The minimum share of people with rows of several kinds among the people with several rows."""


def kinds_of_rows(source: Source, person: str, quasi: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the quasi-identifiers of each kind of row, or nothing if there is only one kind.

    Two quasi-identifiers are of one kind if a row contains both. The kind with the fewest rows per
    person is first.
    """
    import ibis  # noqa: PLC0415 - heavy

    table, names = source.table, [name for name in quasi if name != person]
    names = [name for name in names if not table[name].type().is_nested()]
    if len(names) < 2:  # noqa: PLR2004 - two kinds
        return ()
    texts = {f"f{at}": as_text(table[name]).strip().lower() for at, name in enumerate(names)}
    filled = {flag: text.notin(BLANKS).fill_null(False) for flag, text in texts.items()}
    rows = table.select(own=as_text(table[person]).strip(), **filled)
    with engine_errors(source.name):
        patterns = rows.select(*filled).distinct().to_pyarrow().to_pylist()
    kinds = _joined([{*compress(filled, one.values())} for one in patterns])
    if len(kinds) < 2:  # noqa: PLR2004 - two kinds
        return ()
    sums = {
        f"k{at}": ibis.or_(*(rows[flag] for flag in sorted(kind))).sum()
        for at, kind in enumerate(kinds)
    }
    people = rows.group_by("own").aggregate(rows=rows.count(), **sums)
    several = people["rows"] > 1
    having = sum((people[kind] > 0).ifelse(1, 0) for kind in sums)
    most = {kind: people[kind].max() for kind in sums}
    found = people.aggregate(
        several=several.sum(),
        both=(several & (having > 1)).sum(),
        **most,
    )
    with engine_errors(source.name):
        (row,) = found.to_pyarrow().to_pylist()
    if not row["several"] or row["both"] < _SHARE * row["several"]:
        return ()
    order = sorted(range(len(kinds)), key=lambda at: row[f"k{at}"])
    called = dict(zip(filled, names, strict=True))
    return tuple(tuple(called[flag] for flag in called if flag in kinds[at]) for at in order)


def _joined(patterns: Sequence[set[str]]) -> list[set[str]]:
    """Join all sets that have an element in common."""
    kinds: list[set[str]] = []
    for pattern in filter(None, patterns):
        others = [kind for kind in kinds if not kind & pattern]
        kinds = [*others, pattern.union(*(kind for kind in kinds if kind & pattern))]
    return kinds
