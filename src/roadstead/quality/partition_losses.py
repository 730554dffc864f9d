"""Loss measures for partitions of ordered domains, for use in a frontier.

A loss is *monotone* if merging intervals never lowers it (paper 000, definition 3.8). Each loss is
a sum of terms: one for each class, and one for each interval of each attribute. A model declares
its terms, and `SummedLoss` adds the terms.
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
        """Return the name in settings."""

    @property
    def meaning(self) -> str:
        """Return the meaning of the loss in words."""

    def of(self, classes: PartitionClasses) -> float:
        """Return the loss of a partition, in the units of the measure."""

    def settings(self) -> dict[str, Any]:
        """Return the parameters for documents, with the name of the measure under ``kind``."""


@dataclass(frozen=True, eq=False)
class Terms:
    """Tables with the terms of a loss, which is the sum of these terms.

    `by_class` contains the term of a class of f records, for f from 0 to all records. For each
    attribute, `by_width` contains the amount that a record in an interval of w values adds to the
    loss. The first entry is for w = 0. `by_interval` contains the term of an interval of f records,
    which is multiplied by the attribute's `interval_scale`. `constant` is added to the sum of all
    terms.
    """

    by_class: NDArray[np.float64] = field(repr=False)
    by_width: tuple[NDArray[np.float64], ...] = field(repr=False)
    by_interval: NDArray[np.float64] = field(repr=False)
    interval_scale: tuple[float, ...]
    constant: float = 0.0

    def sum(self, classes: PartitionClasses) -> float:
        """Return the sum of the terms of a partition, excluding the constant."""
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
    """Return the tables of the given terms. All other terms are zero."""
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
    """Return natural logarithms, with 0 for the logarithm of 0."""
    found: NDArray[np.float64] = np.log(np.maximum(numbers, 1).astype(np.float64))
    return found


def times_log(cells: Cells) -> NDArray[np.float64]:
    """Return f ln f for every f from 0 to the number of records."""
    sizes = np.arange(cells.total + 1)
    found: NDArray[np.float64] = sizes * logs(sizes)
    return found


@runtime_checkable
class HasTerms(Protocol):
    """A quality model whose loss of a partition is a sum of terms."""

    @property
    def name(self) -> str:
        """Return the name in settings."""

    @property
    def words(self) -> QualityWords:
        """Return the words that describe the model."""

    def terms(self, cells: Cells) -> Terms:
        """Compute the terms for one table."""


@dataclass(frozen=True)
class SummedLoss:
    """The loss of a partition by a quality model: the sum of the model's terms."""

    model: HasTerms

    @property
    def name(self) -> str:
        """Return the name of the model."""
        return self.model.name

    @property
    def meaning(self) -> str:
        """Return the meaning of the loss in words."""
        return self.model.words.meaning

    def terms(self, cells: Cells) -> Terms:
        """Compute the terms for one table."""
        return self.model.terms(cells)

    def of(self, classes: PartitionClasses) -> float:
        """Return the loss of a partition."""
        terms = terms_of(self, classes.cells)
        return terms.sum(classes) + terms.constant

    def settings(self) -> dict[str, Any]:
        """Return the parameters for documents."""
        return {"kind": self.name}


_TABLES: WeakKeyDictionary[Cells, dict[Any, Terms]] = WeakKeyDictionary()
"""The tables that are already computed. A table is removed together with its cells."""


def terms_of(loss: SummedLoss, cells: Cells) -> Terms:
    """Return the tables of a loss, computed once for each `Cells` object."""
    tables = _TABLES.setdefault(cells, {})
    if loss not in tables:
        tables[loss] = loss.terms(cells)
    return tables[loss]
