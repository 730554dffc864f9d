"""Represent the new values of treated columns in a table that is joined to the records.

The table has one row for each distinct combination of values. If groups are formed within classes,
the table has one row for each combination and class. If a record does not match any row, the
release does not show any values in these columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from roadstead.tables.text import as_text

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa

    from roadstead.policies.treatments.document import Treatment

_Bring: TypeAlias = "Callable[[pa.Table], ibis.Table]"
MASKED = -1
"""The number of the class of records that are kept with ``*``."""


@dataclass(frozen=True)
class TreatedLoss:
    """The effect of a treatment on one column."""

    column: str
    does: str  # a description in words
    # The lost share of the sum of squared differences from the mean, for records that show a value.
    # None if the column does not contain two different numbers.
    lost: float | None
    groups: int | None  # the number of groups; None for rounding
    emptied: int  # records whose value is lost, because too few records share it


@dataclass(frozen=True, eq=False)
class TreatedValues:
    """The new values of the columns of one treatment."""

    treatment: Treatment
    by_class: bool  # whether `pairs` has a column of classes
    kinds: tuple[str, ...]  # Ibis type of each released column
    pairs: pa.Table = field(repr=False)
    losses: tuple[TreatedLoss, ...]


def old_name(at: int) -> str:
    """Return the name of the column that contains the old values of the column at an index."""
    return f"was_{at}"


def new_name(at: int) -> str:
    """Return the name of the column that contains the new values of the column at an index."""
    return f"becomes_{at}"


def with_treated(
    records: ibis.Table,
    others: Mapping[str, str],
    treated: Sequence[TreatedValues],
    bring: _Bring,
) -> ibis.Table:
    """Replace the values of treated columns with the new values.

    `others` maps each released column to its name in `records`. The column ``place`` in `records`
    contains the class, which is null for masked records.
    """
    for one in treated:
        own = [others[column] for column in one.treatment.columns]
        joined_by = {old_name(at): as_text(records[name]) for at, name in enumerate(own)}
        if one.by_class:
            joined_by["pair_class"] = records["place"].fill_null(MASKED).cast("int64")
        asked = records.mutate(**{f"ask_{name}": value for name, value in joined_by.items()})
        pairs = bring(one.pairs)
        joined = asked.left_join(pairs, [asked[f"ask_{name}"] == pairs[name] for name in joined_by])
        becomes = {
            name: joined[new_name(at)] if kind == "string" else joined[new_name(at)].cast(kind)
            for at, (name, kind) in enumerate(zip(own, one.kinds, strict=True))
        }
        records = joined.select(
            **{name: becomes.get(name, joined[name]) for name in records.columns}
        )
    return records
