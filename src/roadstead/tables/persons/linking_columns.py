"""Find columns that link the rows of one person, although no person ID is released.

A column links rows *by value* if two rows of a person share a value that too few people have, such
as a visit number or a very small town. A column links rows *by order* if two rows of a person are
adjacent after the table is sorted by the column. An example is a counter that was assigned person
by person. In a shuffled table, some rows of a person are also adjacent, but their expected number
is known. The counts include only people with several rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from roadstead.tables.failures import engine_errors
from roadstead.tables.text import BLANKS, as_text

if TYPE_CHECKING:
    import ibis

    from roadstead.tables.source import Source

_NEARLY_ALL = 0.5
"""The minimum ratio of distinct values to nonempty rows at which links by order are tested."""
_MOSTLY = 0.5
"""A column rarely varies if it is constant for more than this share of people."""
_TOGETHER = 2
"""The minimum number of columns that are tested together."""


@dataclass(frozen=True)
class LinkedRowsShare:
    """The number of people with several rows, and of people whose rows a column links."""

    fewer_than: int  # a value links rows if fewer people than this have it
    persons: int  # people with several rows
    by_value: int  # among them, people with two rows that share a value of too few people
    by_order: int  # among them, people with two adjacent rows in the order of the column
    by_chance: float  # upper bound of `by_order` in random order

    @property
    def value_share(self) -> float:
        """Return the share of people that the column links by value."""
        return self.by_value / self.persons if self.persons else 0.0

    @property
    def order_share(self) -> float:
        """Return the share of people that the column links by order more often than by chance."""
        return max(0.0, self.by_order - self.by_chance) / self.persons if self.persons else 0.0

    @property
    def share(self) -> float:
        """The larger of the two shares."""
        return max(self.value_share, self.order_share)


def linked_rows(
    source: Source, person: str, columns: Sequence[str], *, k: int, small: int
) -> dict[str, LinkedRowsShare]:
    """Count, for each column, the people whose rows the column links.

    A value links rows if fewer than `k` people have it. In a table of fewer than `small` rows, a
    value links rows only if one person has it.
    """
    if not columns:
        return {}
    table, found = source.table, {}
    with engine_errors(source.name):
        several, chance, rows = _several(table, person)
        few = 2 if rows < small else k
        for name in columns:
            counted = _by_value_and_order(table, person, name, few)
            found[name] = LinkedRowsShare(few, several, *counted, chance)
    return found


def linked_together(
    source: Source, person: str, columns: Sequence[str], *, k: int, small: int
) -> tuple[tuple[str, ...], LinkedRowsShare | None]:
    """Count the people whose rows are linked by a combination of columns that rarely vary.

    Returns the columns that rarely vary within a person, and the counts of people. The counts are
    None if fewer than two columns rarely vary.
    """
    table = source.table
    with engine_errors(source.name):
        several, chance, rows = _several(table, person)
        same = tuple(name for name in columns if _seldom_varies(table, person, name, several))
        if len(same) < _TOGETHER:
            return same, None
        few = 2 if rows < small else k
        by_value = _by_value(_known(table, person, same), few)["by_value"]
    return same, LinkedRowsShare(few, several, int(by_value or 0), 0, chance)


def _seldom_varies(table: ibis.Table, person: str, column: str, several: int) -> bool:
    """Return whether the column is constant for most of the people with several rows."""
    own = table.select(person=as_text(table[person]), text=as_text(table[column]))
    each = own.group_by("person").aggregate(rows=own.count(), different=own["text"].nunique())
    one = (each["rows"] > 1) & (each["different"] == 1)
    found = _one(each.aggregate(persons=each.count(where=one)))
    return int(found["persons"] or 0) > _MOSTLY * several


def _several(table: ibis.Table, person: str) -> tuple[int, float, int]:
    """Count people with several rows, count all rows, and compute the expected adjacent pairs.

    If a person has n of N rows in random order, the expected number of adjacent pairs of the
    person's rows is n(n - 1) / N.
    """
    each = table.select(person=as_text(table[person])).group_by("person")
    sizes = each.aggregate(rows=lambda one: one.count())
    rows = sizes["rows"].cast("float64")
    found = _one(
        sizes.aggregate(
            several=sizes.count(where=sizes["rows"] > 1),
            pairs=(rows * (rows - 1)).sum(),
            rows=sizes["rows"].sum(),
        )
    )
    every = int(found["rows"] or 0)
    return int(found["several"] or 0), float(found["pairs"] or 0) / max(every, 1), every


def _by_value_and_order(
    table: ibis.Table, person: str, column: str, fewer_than: int
) -> tuple[int, int]:
    import ibis  # noqa: PLC0415 - heavy

    known = _known(table, person, (column,))
    found = _by_value(known, fewer_than)
    rows, different = int(found["rows"] or 0), int(found["different"] or 0)
    if different <= _NEARLY_ALL * rows:
        return int(found["by_value"] or 0), 0
    kind = known["value"].type()
    sortable = kind.is_numeric() or kind.is_temporal()
    keys = [known["value"]] if sortable else [known["text"].length(), known["text"]]
    before = known["person"].lag().over(ibis.window(order_by=[*keys, known["person"]]))
    pairs = known.select(person=known["person"], before=before)
    alike = pairs.filter(pairs["before"] == pairs["person"])
    by_order = _one(alike.aggregate(persons=alike["person"].nunique()))
    return int(found["by_value"] or 0), int(by_order["persons"] or 0)


def _known(table: ibis.Table, person: str, columns: Sequence[str]) -> ibis.Table:
    """Return the person of each row, and the value of each row in one or several columns.

    The values in several columns are joined to one string, in which blanks count as values. For a
    single column, rows with a blank are omitted.
    """
    import ibis  # noqa: PLC0415 - heavy

    whose = as_text(table[person])
    if len(columns) > 1:
        quoted = [as_text(table[name]).replace("|", "||") for name in columns]
        return table.select(person=whose, text=ibis.literal(" | ").join(quoted))
    (column,) = columns
    known = table.select(person=whose, text=as_text(table[column]), value=table[column])
    return known.filter(known["text"].strip().lower().notin(BLANKS))


def _by_value(known: ibis.Table, fewer_than: int) -> dict[str, Any]:
    """Count the rows, the values, and the people whom the column links by value."""
    import ibis  # noqa: PLC0415 - heavy

    own = known.group_by(["text", "person"]).aggregate(rows=known.count())
    having = ibis.window(group_by=own["text"])
    shared = own.mutate(persons=own["person"].count().over(having))
    few = (shared["rows"] > 1) & (shared["persons"] < fewer_than)
    return _one(
        shared.aggregate(
            by_value=shared["person"].nunique(where=few),
            rows=shared["rows"].sum(),
            different=shared["text"].nunique(),
        )
    )


def _one(query: ibis.Table) -> dict[str, Any]:
    (row,) = query.to_pyarrow().to_pylist()
    return dict(row)
