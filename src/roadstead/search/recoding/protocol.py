"""Define the problem of generalizing each class of records differently, and its solutions.

A class has a set of values for each attribute. With *cells* and *local* recoding, the set is a node
of the hierarchy. With *intervals*, it is an interval of the attribute's axis. Both are *parts*,
which are pairs of whole numbers: the level of the node and the code of its label, or the first and
the last place of the interval. The loss of a record in an attribute is Iyengar's loss, which is (n
- 1) / (|D| - 1) for a part with n of the |D| values of the domain. The loss of a suppressed record
is 1. The search minimizes the weighted arithmetic mean over records and attributes.

Classes are ordered, and a record belongs to the first class that includes its values. A class is
open if its records satisfy the privacy model. A recoding is an ordered list of open classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels import grouping
from roadstead.policies.axes import Axis, axis
from roadstead.policies.classes import Classes
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import FullDomain
from roadstead.policies.interval_ends import enough_of
from roadstead.policies.placement import placed
from roadstead.privacy.conditions import SizeModel
from roadstead.privacy.protocol import BoundPrivacy
from roadstead.quality.for_sharing import gap_between
from roadstead.search.protocol import Control, Ending, Named

Kind: TypeAlias = Literal["cells", "local", "intervals"]
Parts: TypeAlias = NDArray[np.int32]
"""The parts of classes, an array with the shape ``(classes, attributes, 2)``."""
OUT = -1
"""The number that marks a suppressed row, which is in no class."""


@dataclass(frozen=True)
class RecodingProblem:
    """The problem of finding the recoding with the lowest loss.

    `privacy` is bound to the encoding's table and evaluates each class separately. Every class that
    the model accepts has at least `k` records. At most `limit` records may be suppressed. `space`
    contains the allowed levels. `shares` contains the weights of the attributes in the loss; these
    weights add up to 1. `blind` is the part of the privacy model that ignores sensitive columns and
    decides which classes are proposed. If the model does not use sensitive columns, `blind` is
    None.
    """

    encoding: Encoding
    space: FullDomain
    privacy: BoundPrivacy
    k: int
    limit: int
    shares: NDArray[np.float64]
    axes: tuple[Axis, ...] = field(default=(), repr=False)  # for intervals
    blind: BoundPrivacy | None = field(default=None, repr=False)

    @property
    def kind(self) -> Literal["nodes", "intervals"]:
        """The kind of parts that classes have: nodes or intervals."""
        return "intervals" if self.axes else "nodes"

    @property
    def records(self) -> int:
        """The number of records in the table."""
        return self.encoding.records

    @cached_property
    def alone(self) -> bool:
        """Return whether the privacy model requires only a minimum number of records per class."""
        return isinstance(self.privacy, SizeModel)

    def losses(self, parts: Parts) -> NDArray[np.float64]:
        """Return the loss of each part, from 0 to 1, in shape ``(classes, attributes)``."""
        found = np.empty(parts.shape[:2])
        for at, own in enumerate(np.moveaxis(parts, 1, 0)):
            if self.axes:
                found[:, at] = self.axes[at].losses(own)
            else:
                found[:, at] = self.node_losses[at][own[:, 0], own[:, 1]]
        return found

    def costs(self, parts: Parts) -> NDArray[np.float64]:
        """Return the loss of a record in each class, which is the weighted mean over attributes."""
        return np.asarray((self.losses(parts) * self.shares).sum(axis=1))

    @cached_property
    def node_losses(self) -> tuple[NDArray[np.float64], ...]:
        """The loss of each node of each attribute, by level and code."""
        encoding, tables = self.encoding, []
        for at, hierarchy in enumerate(encoding.hierarchies):
            table = np.zeros((encoding.heights[at], max(encoding.labels[at])))
            for level in range(encoding.heights[at]):
                table[level, encoding.lookups[at][level]] = encoding.leaves[at][level] - 1
            tables.append(table / max(hierarchy.domain_size - 1, 1))
        return tuple(tables)

    def place(self, parts: Parts) -> NDArray[np.int32]:
        """Return the first class that includes the values of each row, or `OUT`."""
        shows, numbers = [], np.empty(parts.shape[:2], dtype=np.int32)
        for at, own in enumerate(np.moveaxis(parts, 1, 0)):
            pairs = (own[:, 0].astype(np.int64) << 32) | own[:, 1]
            unique, numbers[:, at] = np.unique(pairs, return_inverse=True)
            shows.append(self._shows(at, np.stack([unique >> 32, unique & 0xFFFFFFFF], axis=1)))
        return placed(self.encoding.codes, shows, numbers)

    def _shows(self, attribute: int, parts: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return whether each part (columns) contains each value (rows)."""
        if self.axes:
            places = self.axes[attribute].places[:, None]
            return np.asarray((parts[:, 0] <= places) & (places <= parts[:, 1]))
        lookups = np.stack(self.encoding.lookups[attribute], axis=1)
        return np.asarray(lookups[:, parts[:, 0]] == parts[:, 1])


@dataclass(frozen=True)
class Recoded:
    """Classes in the order in which records are assigned to them, and the class of each row."""

    parts: Parts = field(repr=False)
    rows: NDArray[np.int32] = field(repr=False)

    def suppressed(self, problem: RecodingProblem) -> int:
        """Return the number of records that are in no class."""
        return int(problem.encoding.counts[self.rows == OUT].sum())

    def loss_by_attribute(self, problem: RecodingProblem) -> NDArray[np.float64]:
        """Return the mean loss of each attribute over all records."""
        counts = problem.encoding.counts
        inside = self.rows != OUT
        sizes = np.bincount(self.rows[inside], counts[inside], minlength=self.parts.shape[0])
        out = counts[~inside].sum()
        return np.asarray((sizes @ problem.losses(self.parts) + out) / counts.sum())

    def loss(self, problem: RecodingProblem) -> float:
        """Return the weighted arithmetic mean of the losses over attributes and records."""
        return float(self.loss_by_attribute(problem) @ problem.shares)


@dataclass(frozen=True)
class RecodingOutcome:
    """The result of a search for a recoding.

    `best` is None if no class is possible. `lower_bound` is a lower bound on the mean loss of any
    recoding of the same kind. `tried` is the number of attempts of the search, which are counted
    differently for each kind of search. `proposal` is the result before rejected classes were
    merged. It ignores sensitive columns, and is None if no model uses sensitive columns. If the
    bound is a `NodeBound`, `prices` gives the prices that prove the bound.
    """

    best: Recoded | None
    loss: float
    lower_bound: float
    seconds: float
    ending: Ending
    tried: int
    proposal: Recoded | None = field(default=None, repr=False)
    prices: NDArray[np.float64] | None = field(default=None, repr=False)

    @property
    def gap(self) -> float:
        """The largest share of the loss that a better recoding could avoid."""
        return 1.0 if self.best is None else gap_between(self.lower_bound, self.loss)


class RecodingSearch(Named, Protocol):
    """A search for a recoding."""

    def run(self, problem: RecodingProblem, control: Control) -> RecodingOutcome:
        """Run the search until it is complete or stopped."""


def classes_of(rows: NDArray[np.int32], counts: NDArray[np.int64], number: int) -> Classes:
    """From each row's class, return the classes for a privacy model; no class may be empty."""
    inside = np.flatnonzero(rows != OUT).astype(np.uint64)
    members = (inside << np.uint64(32)) | rows[inside].astype(np.uint64)
    sizes = grouping.class_sizes(members, number, np.ascontiguousarray(counts))
    return Classes(members, np.arange(number, dtype=np.uint32), sizes)


def settled(problem: RecodingProblem, parts: Parts) -> Recoded:
    """Return the recoding with the proposed classes in ascending order of loss.

    Classes that cannot be open are removed, as in `opened`.
    """
    return opened(problem, parts[np.argsort(problem.costs(parts), kind="stable")])


def opened(problem: RecodingProblem, parts: Parts) -> Recoded:
    """Return the recoding in which each record is in the first class that includes it.

    If classes violate the privacy model, the function removes the last few of these classes, so
    that their records move to other classes. This step is repeated until all remaining classes
    satisfy the model.
    """
    parts = np.ascontiguousarray(parts)
    while True:
        rows = problem.place(parts)
        used, inverse = np.unique(rows[rows != OUT], return_inverse=True)
        numbers = np.full(rows.size, OUT, dtype=np.int32)
        numbers[rows != OUT] = inverse
        parts = parts[used]
        if not used.size:
            return Recoded(parts, numbers)
        kept = problem.privacy.satisfied(classes_of(numbers, problem.encoding.counts, used.size))
        if kept.all():
            return Recoded(parts, numbers)
        failing = np.flatnonzero(~kept)
        parts = np.delete(parts, failing[-max(failing.size // 8, 1) :], axis=0)


def everything(problem: RecodingProblem) -> Parts:
    """Return the most general classes; there is only one class unless levels are limited."""
    if problem.axes:
        return np.array([[(0, own.size - 1) for own in problem.axes]], dtype=np.int32)
    encoding = problem.encoding
    parts = [
        np.stack([np.full(codes.size, level), lookups[level][codes]], axis=1)
        for level, lookups, codes in zip(
            problem.space.top, encoding.lookups, encoding.codes, strict=True
        )
    ]
    return np.unique(np.stack(parts, axis=1).astype(np.int32), axis=0)


def within_limit(problem: RecodingProblem, recoded: Recoded) -> Recoded | None:
    """Return a recoding that suppresses no more than the limit, or None.

    Suppressed records join the most general class. If this class does not satisfy the privacy
    model, the other classes join it one after another, starting with the last, until the model is
    satisfied.
    """
    if recoded.suppressed(problem) <= problem.limit:
        return recoded
    parts, root = recoded.parts, everything(problem)
    take = 0
    while True:
        found = opened(problem, np.concatenate([parts[: parts.shape[0] - take], root]))
        if found.suppressed(problem) <= problem.limit:
            return found
        if take >= parts.shape[0]:
            return None
        take = min(max(2 * take, 1), parts.shape[0])


def recoding_problem(
    encoding: Encoding,
    space: FullDomain,
    privacy: BoundPrivacy,
    *,
    k: int,
    limit: int,
    weights: Sequence[float] | None = None,
    intervals: bool = False,
    blind: BoundPrivacy | None = None,
) -> RecodingProblem:
    """Return the problem for a table, in which attributes have equal weights by default."""
    given = np.ones(len(encoding.attributes)) if weights is None else np.array(weights, np.float64)
    axes = (
        axis(h, domain, enough_of(encoding.table, at, k) if k > 1 else None)
        for at, (h, domain) in enumerate(
            zip(encoding.hierarchies, encoding.table.domains, strict=True)
        )
    )
    shares, own = given / given.sum(), tuple(axes) if intervals else ()
    return RecodingProblem(encoding, space, privacy, k, limit, shares, own, blind)
