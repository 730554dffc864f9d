"""The new values of treated columns, as a small table that the engine joins to records.

The table has one row for each distinct combination of values, and of the class if groups are formed
within classes. A record that is not in the table shows nothing in these columns.
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
    # The share of the sum of squared differences from the mean that is within groups and lost, for
    # records that show a value; None if the column has no numbers, or only one.
    lost: float | None
    groups: int | None  # the number of groups; None for rounding
    emptied: int  # records with a value that show none, because too few share one


@dataclass(frozen=True, eq=False)
class TreatedValues:
    """The new values of the columns of one treatment."""

    treatment: Treatment
    by_class: bool  # whether `pairs` has a class column
    kinds: tuple[str, ...]  # the type of each released column, as Ibis names it
    pairs: pa.Table = field(repr=False)
    losses: tuple[TreatedLoss, ...]


def old_name(at: int) -> str:
    """Return the name of the column with the old values of a pair."""
    return f"was_{at}"


def new_name(at: int) -> str:
    """Return the name of the column with the new values."""
    return f"becomes_{at}"


def with_treated(
    records: ibis.Table,
    others: Mapping[str, str],
    treated: Sequence[TreatedValues],
    bring: _Bring,
) -> ibis.Table:
    """Replace the values of records by their new values.

    `others` gives the name of each released column in `records`, which has the class as ``place``,
    null for masked records.
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
