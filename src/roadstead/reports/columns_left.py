"""List the columns that are not quasi-identifiers, and how much of their detail remains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from roadstead.reports.content import ReportedColumns

_UNCHANGED = "original values"
_NOTHING = "nothing"


class ColumnLeft(NamedTuple):
    """A column of the source, its role, and its remaining detail."""

    name: str
    role: str
    left: str


def columns_left(columns: ReportedColumns) -> Iterator[ColumnLeft]:
    """Yield the columns that are not quasi-identifiers. Released columns come first."""
    for role, names in (
        ("Sensitive", columns.sensitive),
        ("Released unchanged", columns.unchanged),
        ("Released anyway, although it looks like an identifier", columns.forced),
        ("No role, released without a decision", columns.unnamed),
    ):
        yield from (ColumnLeft(name, role, _UNCHANGED) for name in names)
    for name, does in columns.treated:
        yield ColumnLeft(name, "Microaggregated or rounded", does)
    yield from (
        ColumnLeft(name, "Replaced for each person", does) for name, does in columns.replaced
    )
    if columns.person is not None:
        yield ColumnLeft(columns.person, "Person ID", _NOTHING)
    yield from (ColumnLeft(name, "Direct identifier", _NOTHING) for name in columns.identifiers)
    yield from (ColumnLeft(one.name, "Withheld", _NOTHING) for one in columns.withheld)
