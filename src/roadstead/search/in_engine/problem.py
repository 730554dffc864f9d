"""Prepare exact search for a table that stays in the engine, and query the resulting classes.

The classes form a frequency table with one row per class. A release needs only the label of every
value and the sizes of the classes. Therefore, each label is represented by one of its values, and
each class is represented by a combination of these values. Under the policy, this smaller table has
the same labels, classes, and counts as the table of all combinations.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import full_domain
from roadstead.quality.models.loss import Loss
from roadstead.search.in_engine.evaluator import InEngine
from roadstead.search.in_engine.level_columns import COUNT, LevelColumns, label
from roadstead.search.in_engine.reading import SHORT, Base, Rollups, added_up, make_base
from roadstead.tables.frequency import FrequencyTable, Sizes, canonical

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roadstead.hierarchies.hierarchy import Hierarchy
    from roadstead.policies.full_domain import Levels
    from roadstead.quality.aggregates import Aggregate
    from roadstead.search.in_engine.reading import EngineDomains, Queries


@dataclass(frozen=True)
class Tables:
    """The tables in the engine for one problem, and the evaluator of policies on them."""

    queries: Queries
    columns: LevelColumns
    base: Base
    rollups: Rollups
    evaluator: InEngine


def prepare(  # noqa: PLR0913 - the parts of a problem
    queries: Queries,
    domains: EngineDomains,
    hierarchies: Sequence[Hierarchy],
    *,
    aggregate: Aggregate,
    smallest: int,
    limit: int,
    minimum: Mapping[str, int] | None = None,
    maximum: Mapping[str, int] | None = None,
    short: int = SHORT,
) -> Tables:
    """Read the records once, and create the tables that evaluate policies.

    `aggregate` is the mean of Iyengar's loss, and `smallest` is the smallest number of records in a
    released class. A table with fewer rows than `short` gets no roll-ups.
    """
    encoding = encode(domains.table, hierarchies)
    space = full_domain(encoding.hierarchies, minimum, maximum)
    bounds = Loss(aggregate).sums(encoding.hierarchies, domains.records)
    columns = LevelColumns(encoding)
    base = make_base(queries, columns, space.bottom, domains.records)
    rollups = Rollups(queries, columns, base.kept, short)
    evaluator = InEngine(queries, columns, rollups, space, limit, bounds, domains.counts, smallest)
    return Tables(queries, columns, base, rollups, evaluator)


def classes_of_policy(tables: Tables, levels: Levels, most: int) -> FrequencyTable:
    """Query the classes of a policy, and reject a result with more than `most` classes."""
    columns = tables.columns
    encoding = columns.encoding
    names = [label(i, v) for i, v in enumerate(levels) if columns.distinguishes(i, v)]
    # If an attribute has one label, its first value represents the label.
    names_of = [label(i, v) if label(i, v) in names else None for i, v in enumerate(levels)]
    grouped = added_up(tables.rollups.table_for(levels).table, names)
    parts: list[list[np.ndarray]] = [[] for _ in range(len(names) + 1)]
    held = 0
    for batch in tables.queries.stream(grouped, (*names, COUNT), most):
        held += len(batch[-1])
        if held > most:
            raise SettingError(
                f"the best policy has more than {most:,} groups, which is too many for memory",
                where=option("combinations"),
                fix=f"raise the limit, or request coarser values with {option('min_level')}",
            )
        for part, column in zip(parts, batch, strict=True):
            part.append(column.to_numpy(zero_copy_only=False))
    *numbers, sizes = (np.concatenate(part).astype(np.int64) for part in parts)
    found = dict(zip(names, numbers, strict=True))
    codes = []
    for own, level, name in zip(encoding.lookups, levels, names_of, strict=True):
        _, standing_for = np.unique(own[level], return_index=True)
        codes.append(
            np.zeros(sizes.size, dtype=np.int32) if name is None else standing_for[found[name]]
        )
    classes = encoding.table
    merged, _ = canonical(classes.attributes, classes.domains, codes, sizes)
    return replace(merged, added_up=Sizes(tables.base.sizes, tables.base.numbers))
