"""Columns that link the rows of one person, although no person ID is released.

Two kinds of links are searched, each with one query per column. By value: two rows of a person
share a value that too few people have. Examples are a visit number, the name of a tiny town, and
the exact time of a blood count. By order: two rows of a person are adjacent when the table is
sorted by a column whose values are nearly all different, such as a counter that was assigned person
by person. In a randomly shuffled table, some rows are adjacent too, and their expected number is
known.

Only people with several rows are counted; other people have nothing to link.
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
"""A column of fewer different values, for its rows with one, has no order of rows."""
_MOSTLY = 0.5
"""The share of people with several rows who have one value in a column that rarely varies."""
_TOGETHER = 2
"""Columns, at least, that link rows together."""


@dataclass(frozen=True)
class LinkedRowsShare:
    """How many people with several rows have two rows that a column links."""

    fewer_than: int  # people are too few to share a value if they are fewer than this
    persons: int  # people who have several rows
    by_value: int  # people of these who have two rows that share a value of too few people
    by_order: int  # people of these who have two adjacent rows in the order of the column
    by_chance: float  # how many that would be in random order, at most

    @property
    def value_share(self) -> float:
        """The share that is linked by value."""
        return self.by_value / self.persons if self.persons else 0.0

    @property
    def order_share(self) -> float:
        """The share that is linked by order, beyond chance."""
        return max(0.0, self.by_order - self.by_chance) / self.persons if self.persons else 0.0

    @property
    def share(self) -> float:
        """The larger of both."""
        return max(self.value_share, self.order_share)


def linked_rows(
    source: Source, person: str, columns: Sequence[str], *, k: int, small: int
) -> dict[str, LinkedRowsShare]:
    """Count, for each column, the people whose rows it links.

    Fewer than `k` people are too few to share a value. In a table of fewer than `small` rows, only
    one person is too few.
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
    """Count the people whose rows are linked by columns that rarely vary within a person, together.

    Returns these columns, and None if there are fewer than two of them.
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
    """Whether most people with several rows have the same value of a column in all of them."""
    own = table.select(person=as_text(table[person]), text=as_text(table[column]))
    each = own.group_by("person").aggregate(rows=own.count(), different=own["text"].nunique())
    one = (each["rows"] > 1) & (each["different"] == 1)
    found = _one(each.aggregate(persons=each.count(where=one)))
    return int(found["persons"] or 0) > _MOSTLY * several


def _several(table: ibis.Table, person: str) -> tuple[int, float, int]:
    """Count people with several rows, people with adjacent rows by chance (at most), and rows.

    With n rows of a person among N rows in random order, n(n - 1) of all N pairs of neighbors, each
    counted N - 1 times, are expected to belong to the person.
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
    """Return the person of each row, and its value of a column, or of several as one text.

    Rows with a blank in a single column are left out; among several a blank is a value.
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
    """Count people with two rows that share a value of too few; rows; and different values."""
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
