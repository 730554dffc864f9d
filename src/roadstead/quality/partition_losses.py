"""What a partition of ordered domains loses: measures for the frontier.

A loss is *monotone* when merging intervals never lowers it (paper 000, definition 3.8). Those here
are sums: a term for each class by its records, and a term for each interval of each attribute by
its records and how many values it takes in. When two intervals become one, only their classes'
terms and their own change.

*Divergence* is the Kullback-Leibler divergence of the table's distribution from the one that
spreads each class evenly over the combinations it covers (paper 000, equation 4). A class of f
records, covering v combinations, adds ``f ln(v / f)`` to the records' sum; ln v is the sum over
attributes of ln of the interval's values, so it adds up by interval. *Loss* is Iyengar's, the mean
over attributes of ``(values - 1) / (domain - 1)``. *Entropy* is how uncertain a value is within
its interval. *Discernibility* is the sum of squares of the class sizes, *class-size* the number of
classes that are gone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import fsum
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.cells import Cells, PartitionClasses


class PartitionLoss(Protocol):
    """A monotone measure of what a partition loses."""

    @property
    def name(self) -> str:
        """The name used on the command line."""
        ...

    @property
    def meaning(self) -> str:
        """What it measures, in words."""
        ...

    def of(self, classes: PartitionClasses) -> float:
        """Loss of a partition, in units of its own."""
        ...

    def settings(self) -> dict[str, Any]:
        """Parameters for documents, with the measure's kind under ``kind``."""
        ...


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of a loss that is a sum, in tables.

    Attributes
    ----------
    by_class
        Term of a class of f records, for f from 0 to all records.
    by_width
        For each attribute, what each record of an interval of w values adds, for w from 0.
    by_interval
        Term of an interval of f records, times `interval_scale` of the attribute.
    interval_scale
        One number for each attribute.
    """

    by_class: NDArray[np.float64] = field(repr=False)
    by_width: tuple[NDArray[np.float64], ...] = field(repr=False)
    by_interval: NDArray[np.float64] = field(repr=False)
    interval_scale: tuple[float, ...]

    def sum(self, classes: PartitionClasses) -> float:
        """Add up the terms of a partition."""
        parts = [self.by_class[classes.records]]
        for (widths, records), by_width, scale in zip(
            classes.intervals, self.by_width, self.interval_scale, strict=True
        ):
            parts += [records * by_width[widths], scale * self.by_interval[records]]
        return float(np.sum(np.concatenate(parts)))


_TABLES: WeakKeyDictionary[Cells, dict[Any, Terms]] = WeakKeyDictionary()
"""Tables made already; they go when the cells go."""


def terms_of(loss: SummedLoss, cells: Cells) -> Terms:
    """Give the tables of a loss, made once for the same cells."""
    tables = _TABLES.setdefault(cells, {})
    if loss not in tables:
        tables[loss] = loss.terms(cells)
    return tables[loss]


class SummedLoss(PartitionLoss, Protocol):
    """A loss that is a sum of terms."""

    def terms(self, cells: Cells) -> Terms:
        """Work out the tables for one table of records."""
        ...


@dataclass(frozen=True)
class Divergence:
    """Kullback-Leibler divergence, in nats."""

    name: str = "divergence"
    meaning: str = "Kullback-Leibler divergence from the original distribution"

    def terms(self, cells: Cells) -> Terms:
        """Give f ln(v / f) by class, and ln of the values by interval, over the records."""
        zero = _none(cells)
        widths = tuple(_log(np.arange(n + 1)) / cells.total for n in cells.domains.sizes)
        return Terms(-_times_log(cells) / cells.total, widths, zero, _scales(cells, 0.0))

    def of(self, classes: PartitionClasses) -> float:
        """Divergence of a partition."""
        cells = classes.cells
        return terms_of(self, cells).sum(classes) + cells.logs / cells.total

    def settings(self) -> dict[str, Any]:
        """Parameters for documents."""
        return {"kind": self.name}


@dataclass(frozen=True)
class IntervalLoss:
    """Iyengar's loss: the mean share of each domain that an interval takes in."""

    name: str = "loss"
    meaning: str = "mean share of a domain that a record's interval takes in"

    def terms(self, cells: Cells) -> Terms:
        """Give (w - 1) / (n - 1), over the records and the attributes."""
        share = 1.0 / (cells.total * len(cells.domains.sizes))
        widths = tuple(
            np.maximum(np.arange(n + 1) - 1.0, 0.0) / max(n - 1, 1) * share
            for n in cells.domains.sizes
        )
        return Terms(_none(cells), widths, _none(cells), _scales(cells, 0.0))

    def of(self, classes: PartitionClasses) -> float:
        """Loss of a partition."""
        return terms_of(self, classes.cells).sum(classes)

    def settings(self) -> dict[str, Any]:
        """Parameters for documents."""
        return {"kind": self.name}


@dataclass(frozen=True)
class IntervalEntropy:
    """How uncertain a record's value is within its interval, in nats, mean over attributes."""

    name: str = "entropy"
    meaning: str = "uncertainty of a record's values within their intervals"

    def terms(self, cells: Cells) -> Terms:
        """Give f ln f by interval; what single values have is the same for all partitions."""
        widths = tuple(np.zeros(n + 1) for n in cells.domains.sizes)
        scale = 1.0 / (cells.total * len(cells.domains.sizes))
        return Terms(_none(cells), widths, _times_log(cells), _scales(cells, scale))

    def of(self, classes: PartitionClasses) -> float:
        """Entropy of a partition."""
        cells = classes.cells
        constant = fsum(fsum(own[own > 0] * np.log(own[own > 0])) for own in cells.by_value)
        return terms_of(self, cells).sum(classes) - constant / (cells.total * len(cells.by_value))

    def settings(self) -> dict[str, Any]:
        """Parameters for documents."""
        return {"kind": self.name}


@dataclass(frozen=True)
class PartitionDiscernibility:
    """The mean number of records in a record's class."""

    name: str = "discernibility"
    meaning: str = "mean number of records that a record cannot be told from, itself included"

    def terms(self, cells: Cells) -> Terms:
        """Give the squares of the classes' sizes, over the records."""
        sizes = np.arange(cells.total + 1, dtype=np.float64)
        widths = tuple(np.zeros(n + 1) for n in cells.domains.sizes)
        return Terms(sizes**2 / cells.total, widths, _none(cells), _scales(cells, 0.0))

    def of(self, classes: PartitionClasses) -> float:
        """Discernibility of a partition."""
        return terms_of(self, classes.cells).sum(classes)

    def settings(self) -> dict[str, Any]:
        """Parameters for documents."""
        return {"kind": self.name}


@dataclass(frozen=True)
class ClassesGone:
    """How many of the original classes are gone."""

    name: str = "class-size"
    meaning: str = "number of the original classes that are no longer told apart"

    def terms(self, cells: Cells) -> Terms:
        """Take away one for each class that is left."""
        widths = tuple(np.zeros(n + 1) for n in cells.domains.sizes)
        one = np.full(cells.total + 1, -1.0)
        one[0] = 0.0
        return Terms(one, widths, _none(cells), _scales(cells, 0.0))

    def of(self, classes: PartitionClasses) -> float:
        """Classes gone."""
        return float((classes.cells.records > 0).sum() - classes.records.size)

    def settings(self) -> dict[str, Any]:
        """Parameters for documents."""
        return {"kind": self.name}


def _log(numbers: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """Natural logarithm; that of 0 counts as 0."""
    found: NDArray[np.float64] = np.log(np.maximum(numbers, 1).astype(np.float64))
    return found


def _times_log(cells: Cells) -> NDArray[np.float64]:
    """Tabulate f ln f."""
    sizes = np.arange(cells.total + 1)
    found: NDArray[np.float64] = sizes * _log(sizes)
    return found


def _none(cells: Cells) -> NDArray[np.float64]:
    return np.zeros(cells.total + 1)


def _scales(cells: Cells, scale: float) -> tuple[float, ...]:
    return tuple(scale for _ in cells.domains.sizes)
