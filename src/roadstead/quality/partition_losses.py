"""The loss of a partition of ordered domains: measures for the frontier.

A loss is *monotone* if merging intervals never lowers it (paper 000, definition 3.8). The losses of
quality models are sums. Each class adds a term that is computed from its records. Each interval of
each attribute adds a term that is computed from its records and its number of values. When two
intervals are merged, only the terms of these intervals and of their classes change. A model
declares its terms, and `SummedLoss` adds them up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.cells import Cells, PartitionClasses
from roadstead.quality.words import QualityWords


class PartitionLoss(Protocol):
    """A monotone measure of a partition's loss."""

    @property
    def name(self) -> str:
        """The name that users give."""

    @property
    def meaning(self) -> str:
        """The meaning of the loss, in words."""

    def of(self, classes: PartitionClasses) -> float:
        """Return the loss of a partition, in the measure's units."""

    def settings(self) -> dict[str, Any]:
        """Return the parameters for documents, with the measure's kind under ``kind``."""


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of a loss that is a sum, in tables.

    `by_class` has the term of a class of f records, for f from 0 to all records. `by_width` has,
    for each attribute, the amount that each record of an interval of w values adds, for w from 0.
    `by_interval` has the term of an interval of f records, which is multiplied by the attribute's
    `interval_scale`. `constant` is the part of the loss outside its terms.
    """

    by_class: NDArray[np.float64] = field(repr=False)
    by_width: tuple[NDArray[np.float64], ...] = field(repr=False)
    by_interval: NDArray[np.float64] = field(repr=False)
    interval_scale: tuple[float, ...]
    constant: float = 0.0

    def sum(self, classes: PartitionClasses) -> float:
        """Return the sum of the terms of a partition."""
        parts = [self.by_class[classes.records]]
        for (widths, records), by_width, scale in zip(
            classes.intervals, self.by_width, self.interval_scale, strict=True
        ):
            parts += [records * by_width[widths], scale * self.by_interval[records]]
        return float(np.sum(np.concatenate(parts)))


def terms_for(
    cells: Cells,
    *,
    by_class: NDArray[np.float64] | None = None,
    by_width: Sequence[NDArray[np.float64]] | None = None,
    by_interval: NDArray[np.float64] | None = None,
    scale: float = 0.0,
    constant: float = 0.0,
) -> Terms:
    """Return tables of the given terms of a loss; the other terms are zero."""
    sizes = cells.domains.sizes
    none = np.zeros(cells.total + 1)
    return Terms(
        none if by_class is None else by_class,
        tuple(np.zeros(n + 1) for n in sizes) if by_width is None else tuple(by_width),
        none if by_interval is None else by_interval,
        (scale,) * len(sizes),
        constant,
    )


def logs(numbers: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """Return natural logarithms; the logarithm of 0 counts as 0."""
    found: NDArray[np.float64] = np.log(np.maximum(numbers, 1).astype(np.float64))
    return found


def times_log(cells: Cells) -> NDArray[np.float64]:
    """Return a table of f ln f, for f from 0 to all records."""
    sizes = np.arange(cells.total + 1)
    found: NDArray[np.float64] = sizes * logs(sizes)
    return found


@runtime_checkable
class HasTerms(Protocol):
    """A quality model for which the loss of a partition is a sum of terms."""

    @property
    def name(self) -> str:
        """The name that users give."""

    @property
    def words(self) -> QualityWords:
        """The words for readers."""

    def terms(self, cells: Cells) -> Terms:
        """Compute the tables for one table of records."""


@dataclass(frozen=True)
class SummedLoss:
    """The loss of a partition by a quality model: the sum of the model's terms."""

    model: HasTerms

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model.name

    @property
    def meaning(self) -> str:
        """The meaning of the loss, in words."""
        return self.model.words.meaning

    def terms(self, cells: Cells) -> Terms:
        """Compute the tables for one table of records."""
        return self.model.terms(cells)

    def of(self, classes: PartitionClasses) -> float:
        """Return the loss of a partition."""
        terms = terms_of(self, classes.cells)
        return terms.sum(classes) + terms.constant

    def settings(self) -> dict[str, Any]:
        """Return the parameters for documents."""
        return {"kind": self.name}


_TABLES: WeakKeyDictionary[Cells, dict[Any, Terms]] = WeakKeyDictionary()
"""Tables that were already computed; they are removed together with their cells."""


def terms_of(loss: SummedLoss, cells: Cells) -> Terms:
    """Return the tables of a loss, computed once for the same cells."""
    tables = _TABLES.setdefault(cells, {})
    if loss not in tables:
        tables[loss] = loss.terms(cells)
    return tables[loss]
