"""What the values of treated columns become, as a small table that the engine joins to records.

The table has a row for each distinct combination of values, and of the class where groups are
formed within classes. A record that it does not speak of shows nothing in these columns.
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
    """What a treatment leaves of one column."""

    column: str
    does: str  # in words
    # Of the squares of the differences from the mean, the share that is within groups and lost, of
    # the records that show a value; None where the column has no numbers, or one alone.
    lost: float | None
    groups: int | None  # of how many groups; None of rounding
    emptied: int  # records that have a value and show none, since too few could share one


@dataclass(frozen=True, eq=False)
class TreatedValues:
    """What the values of the columns of one treatment become."""

    treatment: Treatment
    by_class: bool  # whether `pairs` has a class
    kinds: tuple[str, ...]  # the type of each column of what is released, as Ibis calls it
    pairs: pa.Table = field(repr=False)
    losses: tuple[TreatedLoss, ...]


def old_name(at: int) -> str:
    """Name the column of a pair that has what a value was."""
    return f"was_{at}"


def new_name(at: int) -> str:
    """Name the one that has what it becomes."""
    return f"becomes_{at}"


def with_treated(
    records: ibis.Table,
    others: Mapping[str, str],
    treated: Sequence[TreatedValues],
    bring: _Bring,
) -> ibis.Table:
    """Put what they become in the place of the values of records.

    `others` says what each released column is called in `records`, which has the class as
    ``place``, null for masked records.
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
