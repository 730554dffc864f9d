"""Roll-ups: coarser tables from which policies are evaluated faster.

A table kept at some levels r evaluates a policy if its rows hold all that is needed: of the top b
of a sublattice [a, b] the labels at b, and what they cost from a to b. Where all labels of a level
cost the same nothing must be held of it, so r may be as high as the first level from a upwards
whose costs differ, and at most b: this is what the evaluation *needs*.

A roll-up takes about as long as an evaluation, so it must be used. Whenever a table has evaluated
eight policies, the levels that all eight needed are looked at, and a table of these is made if it
has at most half as many rows. All roll-ups together have no more rows than the first table; the one
that was not used for the longest time goes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.policies.full_domain import is_below
from roadstead.search.in_engine.reading import EngineTable, rolled_up

if TYPE_CHECKING:
    from roadstead.policies.full_domain import Levels
    from roadstead.search.in_engine.level_columns import LevelColumns
    from roadstead.search.in_engine.reading import Queries

SHORT = 100_000
"""A table of fewer rows is looked through faster than a query is planned."""
_LOOKED_BACK = 8


class Rollups:
    """The tables kept for one search: so many `made`, and rows `scanned` of those given."""

    def __init__(
        self, queries: Queries, columns: LevelColumns, base: EngineTable, short: int = SHORT
    ) -> None:
        self._queries = queries
        self._columns = columns
        self._base = base
        self._short = short
        self._kept: list[EngineTable] = []  # the one used last comes last
        self._needs: dict[Levels, list[Levels]] = {}
        self._looked_at: set[Levels] = set()
        self.made = 0
        self.scanned = 0

    def table_for(self, needed: Levels) -> EngineTable:
        """Give the shortest table with no level above those needed; see if later ones need less."""
        kept = (*reversed(self._kept), self._base)
        doing = (table for table in kept if is_below(table.lower, needed))
        chosen = min(doing, key=lambda table: table.rows)
        if chosen.rows >= self._short:
            needs = self._needs.setdefault(chosen.lower, [])
            needs.append(needed)
            if len(needs) == _LOOKED_BACK:
                common = tuple(min(each) for each in zip(*needs, strict=True))
                needs.clear()
                chosen = self._rolled_up_where_it_pays(chosen, common)
        if chosen is not self._base:
            self._kept.remove(chosen)
            self._kept.append(chosen)
        self.scanned += chosen.rows
        return chosen

    def _rolled_up_where_it_pays(self, finer: EngineTable, levels: Levels) -> EngineTable:
        most = self._columns.most_classes
        if levels in self._looked_at or 2 * most(levels) > most(finer.lower):
            return finer
        self._looked_at.add(levels)
        rows = self._count(finer, levels)
        if 2 * rows > finer.rows:
            return finer
        made = EngineTable(
            self._queries.keep(rolled_up(finer.table, self._columns, levels)), levels, rows
        )
        self.made += 1
        self._kept.append(made)
        while sum(kept.rows for kept in self._kept) > self._base.rows and len(self._kept) > 1:
            gone = self._kept.pop(0)
            self._looked_at.discard(gone.lower)
            self._queries.drop(gone.table)
        return made

    def _count(self, finer: EngineTable, levels: Levels) -> int:
        keys = self._columns.keys(finer.table, levels)
        return self._queries.count(finer.table.select(**keys).distinct()) if keys else 1
