"""A problem for exact search whose table stays in the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import full_domain
from roadstead.quality.models.loss import Loss
from roadstead.search.in_engine.base import Base, make_base
from roadstead.search.in_engine.evaluator import InEngine
from roadstead.search.in_engine.level_columns import LevelColumns
from roadstead.search.in_engine.rollups import SHORT, Rollups

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roadstead.hierarchies.hierarchy import Hierarchy
    from roadstead.quality.aggregates import Aggregate
    from roadstead.search.in_engine.domains import EngineDomains
    from roadstead.search.in_engine.queries import Queries


@dataclass(frozen=True)
class Tables:
    """What is kept in the engine for one problem, and what evaluates policies on it."""

    queries: Queries
    columns: LevelColumns
    base: Base
    rollups: Rollups
    evaluator: InEngine


def prepare(  # noqa: PLR0913 - what a problem consists of
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
    """Read the records once, and keep what evaluates policies.

    `aggregate` is the mean of Iyengar's loss, `smallest` the records with which a class may be
    released; a table of fewer rows than `short` is not rolled up.
    """
    encoding = encode(domains.table, hierarchies)
    space = full_domain(encoding.hierarchies, minimum, maximum)
    bounds = Loss(aggregate).sums(encoding.hierarchies, domains.records)
    columns = LevelColumns(encoding)
    base = make_base(queries, columns, space.bottom, domains.records)
    rollups = Rollups(queries, columns, base.kept, short)
    evaluator = InEngine(
        queries,
        columns,
        rollups,
        space=space,
        limit=limit,
        bounds=bounds,
        value_counts=domains.counts,
        smallest=smallest,
    )
    return Tables(queries, columns, base, rollups, evaluator)
