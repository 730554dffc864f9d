"""The exact search, repeated on the suppressed records, as the baseline of local recoding.

Each round finds the best levels for the remaining records, with a limit on their suppression. The
next round gets the suppressed records. ARX's "local transformation" works in this way (Prasser,
Eicher, Spengler, Bild, Kuhn, "Flexible data anonymization using ARX", Software: Practice and
Experience 50, 2020), but here each round's levels are proven optimal. The best levels are those
with the lowest geometric mean of the losses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.classes import Classes, classes_at
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels
from roadstead.privacy.protocol import BoundPrivacy
from roadstead.quality.aggregates import GeometricMean
from roadstead.quality.models.loss import Loss
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control, Ending
from roadstead.search.recoding.protocol import (
    Parts,
    Recoded,
    RecodingOutcome,
    RecodingProblem,
    settled,
    within_limit,
)
from roadstead.tables.frequency import FrequencyTable


@dataclass(frozen=True)
class Iterated:
    """Find the best levels for all records, then for the suppressed records, and so on.

    `rounds` is the maximum number of rounds. `shares` contains the limits to try on the share of
    suppressed records in a round. None means the problem's suppression limit.
    """

    rounds: int = 4
    shares: tuple[float | None, ...] = (None, 1.0)
    name: str = "iterated"
    guarantee: str = "the levels of each round are proven the best for the records of the round"

    def run(self, problem: RecodingProblem, control: Control) -> RecodingOutcome:
        """Search until all rounds are done, or until the search must stop."""
        control.begin()
        best: Recoded | None = None
        loss, evaluated = 1.0, 0
        ending: Ending = "complete"
        for share in self.shares:
            before = evaluated
            for parts, looks, reason in self._found(problem, share, control, before):
                evaluated = before + looks
                found = within_limit(problem, settled(problem, parts))
                if found is not None and (best is None or found.loss(problem) < loss):
                    best, loss = found, found.loss(problem)
                if reason != "complete":
                    ending = reason
            if ending != "complete":
                break
        return RecodingOutcome(best, loss, 0.0, control.seconds, ending, evaluated)

    def _found(
        self, problem: RecodingProblem, share: float | None, control: Control, evaluated: int
    ) -> Iterator[tuple[Parts, int, Ending]]:
        """Yield the classes of all rounds so far, with the number of evaluated policies."""
        encoding = problem.encoding
        left = np.arange(encoding.counts.size)
        found: list[Parts] = []
        looks = 0
        for _ in range(self.rounds):
            records = int(encoding.counts[left].sum())
            if records < problem.k:
                return
            limit = min(problem.limit, records) if share is None else int(share * records)
            some = _rows_of(encoding, left)
            privacy = _OfRows(problem.privacy, left)
            outcome = Exact().run(
                FullDomainProblem(
                    encoding=some,
                    space=problem.space,
                    privacy=privacy,
                    quality=Loss(GeometricMean(tuple(problem.shares.tolist()))).bind(some),
                    limit=limit,
                ),
                control.rest(evaluated + looks),
            )
            looks += outcome.evaluated
            if outcome.best is None:
                if not found:
                    found.append(np.empty((0, len(encoding.attributes), 2), dtype=np.int32))
                yield np.concatenate(found), looks, outcome.ending
                return
            classes = classes_at(some, outcome.best.policy)
            kept = privacy.satisfied(classes)
            found.append(_parts_of(encoding, left, classes, kept, outcome.best.policy))
            stays = np.ones(left.size, dtype=np.bool_)
            stays[classes.rows[kept[classes.ids]]] = False
            placed_none = bool(stays.all())
            left = left[stays]
            yield np.concatenate(found), looks, outcome.ending
            if not left.size or placed_none or outcome.ending != "complete":
                return


@dataclass(frozen=True)
class _OfRows:
    """A privacy model of a table that checks classes of some of the table's rows."""

    model: BoundPrivacy
    rows: NDArray[np.int64]

    @property
    def monotone_part(self) -> BoundPrivacy:
        """Return the monotone part for the same rows."""
        part = self.model.monotone_part
        return self if part is self.model else _OfRows(part, self.rows)

    @property
    def merges(self) -> bool:
        """Return the property of the model."""
        return self.model.merges

    @property
    def per_class(self) -> bool:
        """Return the property of the model."""
        return self.model.per_class

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Check the classes with the row numbers of the whole table."""
        half = np.uint64(32)
        rows = self.rows[classes.rows].astype(np.uint64)
        members = (rows << half) | (classes.members & np.uint64(0xFFFFFFFF))
        return self.model.satisfied(Classes(members, classes.numbers, classes.sizes))


def _rows_of(encoding: Encoding, rows: NDArray[np.int64]) -> Encoding:
    """Keep some rows of a table."""
    codes = np.ascontiguousarray(encoding.codes[:, rows])
    counts = np.ascontiguousarray(encoding.counts[rows])
    whole, own = encoding.table, tuple(column.astype(np.int32) for column in codes)
    table = FrequencyTable(whole.attributes, whole.domains, own, counts)
    return replace(encoding, table=table, codes=codes, counts=counts)


def _parts_of(
    encoding: Encoding,
    rows: NDArray[np.int64],
    classes: Classes,
    kept: NDArray[np.bool_],
    levels: Levels,
) -> Parts:
    """Return the labels of the kept classes."""
    first = np.unique(classes.ids, return_index=True)[1]
    codes = encoding.codes[:, rows[classes.rows[first]]][:, kept]
    shown = [
        np.stack([np.full(own.size, level), encoding.lookups[at][level][own]], axis=1)
        for at, (level, own) in enumerate(zip(levels, codes, strict=True))
    ]
    return np.stack(shown, axis=1).astype(np.int32)
