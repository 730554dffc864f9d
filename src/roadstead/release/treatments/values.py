"""The new values of treated columns, as a small table that the engine joins to the records.

The table has one row for each distinct combination of values, or for each combination and class if
groups are formed within classes. A record without a row shows nothing in these columns.
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
"""The class of the records that are kept with ``*``."""


@dataclass(frozen=True)
class TreatedLoss:
    """The effect of a treatment on one column."""

    column: str
    does: str  # a description in words
    # The lost share of the sum of squared differences from the mean, for records that show a value.
    # None if the column has no numbers, or only one number.
    lost: float | None
    groups: int | None  # the number of groups; None for rounding
    emptied: int  # records that lost their value, because too few share a value


@dataclass(frozen=True, eq=False)
class TreatedValues:
    """The new values of the columns of one treatment."""

    treatment: Treatment
    by_class: bool  # whether `pairs` has a column of classes
    kinds: tuple[str, ...]  # Ibis type of each released column
    pairs: pa.Table = field(repr=False)
    losses: tuple[TreatedLoss, ...]


def old_name(at: int) -> str:
    """Return the name of the column with the old values of the column at an index."""
    return f"was_{at}"


def new_name(at: int) -> str:
    """Return the name of the column with the new values of the column at an index."""
    return f"becomes_{at}"


def with_treated(
    records: ibis.Table,
    others: Mapping[str, str],
    treated: Sequence[TreatedValues],
    bring: _Bring,
) -> ibis.Table:
    """Replace the values of treated columns with the new values.

    `others` has the name of each released column in `records`. The column ``place`` of `records`
    has the class, which is null for masked records.
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
