"""Columns that tell which rows are one person's, though no column of persons is released.

Two ways are looked for, each in one query of a column. By value: two rows of a person share a value
that too few persons have, as a visit number does, a name of a town for a hermit, or the exact time
of a blood count. By order: two rows of a person are next to each other when the table is sorted by
a column whose values are nearly all different, as a counter makes them that was filled in person
by person. In a table shuffled at random some are too, and how many is known.

Persons are counted who have several rows; of others there is nothing to link.
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
"""Share of persons with several rows who have one value of a column that seldom varies."""
_TOGETHER = 2
"""Columns, at least, that link rows together."""


@dataclass(frozen=True)
class LinkedRowsShare:
    """How many persons of several rows a column links two rows of."""

    fewer_than: int  # how many persons are too few to share a value
    persons: int  # who have several rows
    by_value: int  # of these, who have two rows that share a value of too few persons
    by_order: int  # of these, who have two rows next to each other in the order of the column
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
    """Count, for each column, the persons of whom it links two rows.

    Fewer than `k` persons are too few to share a value; in a table of fewer than `small` rows, only
    one is.
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
    """Count the persons of whom columns that seldom vary within a person link two rows together.

    Returns these columns, and None where there are fewer than two of them.
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
    """Whether most persons with several rows have one value of a column in all of them."""
    own = table.select(person=as_text(table[person]), text=as_text(table[column]))
    each = own.group_by("person").aggregate(rows=own.count(), different=own["text"].nunique())
    one = (each["rows"] > 1) & (each["different"] == 1)
    found = _one(each.aggregate(persons=each.count(where=one)))
    return int(found["persons"] or 0) > _MOSTLY * several


def _several(table: ibis.Table, person: str) -> tuple[int, float, int]:
    """Count persons with several rows, those with two adjacent ones by chance, at most; and rows.

    Of n rows in random order n(n - 1) of all N pairs of neighbors, each counted N - 1 times, are
    expected to be of one person with n rows.
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
    """Give the person of each row and its value of a column, or its values of some as one text.

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
    """Count persons of whom two rows share a value of too few; rows; and different values."""
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
