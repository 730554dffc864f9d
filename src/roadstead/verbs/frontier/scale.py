"""Measure the policies on a frontier in the same way as releases, for comparison.

The *risk* of a record is 1 divided by the number of identical records in the release. The common
scale uses the mean risk of records, or of people if people are counted. The *loss* is the mean loss
of detail in the cells of a record (see `roadstead.policies.value_sets`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import RoadsteadError
from roadstead.policies.partition import Partition
from roadstead.policies.value_sets import ShownColumn, original_column
from roadstead.quality.registry import partition_loss
from roadstead.risk.measures import PopulationRisk
from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.persons.profiles import PersonTable
from roadstead.verbs.frontier.domains import put_in_order
from roadstead.verbs.frontier.levels import FrontierLevels
from roadstead.verbs.frontier.partitions import FrontierPartitions
from roadstead.verbs.frontier.result import FrontierFinding

Codes = NDArray[np.integer]


@dataclass(frozen=True)
class PlacedPolicy:
    """A policy on the common scale, with its index if it belongs to the frontier.

    `released` is false if people are counted and a release with the policy would have no guarantee.
    `smallest` is the number of records or people in the smallest group. `lists` contains the
    attributes for which the policy would list rare values. If there are any, the policy cannot be
    released.
    """

    index: int | None
    risk: float
    loss: float
    words: tuple[str, ...]
    released: bool = True
    smallest: int = 1
    lists: tuple[str, ...] = ()


class PlacedFrontier(NamedTuple):
    """A frontier on the common scale, with the unchanged table and Safe Harbor for comparison."""

    members: tuple[PlacedPolicy, ...]
    original: PlacedPolicy
    safe_harbor: PlacedPolicy | None


def placed(
    found: FrontierFinding[Any], most: int, covered: Collection[str] = (), fewest: int = 1
) -> PlacedFrontier:
    """Put at most `most` evenly spaced policies from a frontier on the common scale.

    The words for a policy do not name values of `covered` columns that fewer than `fewest` records
    or people have.
    """
    space, table = found.study.space, found.study.people.table
    losses = _LossOfParts.of(table)
    parts = _parts_of(space)
    words: Callable[[Any], Sequence[str]] = found.policies.words
    if isinstance(space, FrontierPartitions):
        words = space.covered_words(covered, fewest).describe
    risk_of = _risks(found)
    smallest_of = _smallest(found, risk_of)
    number = len(found.members)
    chosen: Sequence[int] = range(number)
    if number > most:
        chosen = sorted(set(np.linspace(0, number - 1, most).round().astype(int).tolist()))
    members = tuple(
        PlacedPolicy(
            index,
            risk_of(found.members[index].policy, found.members[index].risk),
            losses.mean(parts(found.members[index].policy)),
            tuple(words(found.members[index].policy)),
            not isinstance(table, PersonTable) or smallest_of(found.members[index].policy, 0.0) > 1,
            smallest_of(found.members[index].policy, found.members[index].risk),
            space.lists_rare(found.members[index].policy)
            if isinstance(space, FrontierPartitions)
            else (),
        )
        for index in chosen
    )
    as_is = _as_it_is(space)
    own = PlacedPolicy(None, risk_of(as_is, 1.0), 0.0, tuple(words(as_is)))
    return PlacedFrontier(members, own, _safe_harbor(found, losses))


def _safe_harbor(found: FrontierFinding[Any], losses: _LossOfParts) -> PlacedPolicy | None:
    """Put Safe Harbor on the common scale.

    Return None if people are counted, or if Safe Harbor cannot be expressed in the order of a
    column.
    """
    study = found.study
    if isinstance(study.people.table, PersonTable):
        return None
    space: Any = study.space
    if isinstance(space, FrontierLevels):
        try:
            ordered = put_in_order(study.people.table, space.hierarchies, {}, searched=False)
        except RoadsteadError:
            return None
        loss = partition_loss("loss")
        problem = FrontierProblem(ordered.cells, PopulationRisk(), loss)
        space = FrontierPartitions(study.people, ordered, problem, study.source)
    reference = space.safe_harbor
    records = space.classes(reference.policy).records
    risk = int(np.count_nonzero(records)) / study.people.table.records
    return PlacedPolicy(
        None, risk, losses.mean(_parts_of(space)(reference.policy)), tuple(reference.says)
    )


def _as_it_is(space: FrontierPartitions | FrontierLevels | Any) -> Any:  # noqa: ANN401 - a policy of the space
    if isinstance(space, FrontierLevels):
        return (0,) * len(space.hierarchies)
    return space.ordered.cells.domains.most_specific


def _risks(found: FrontierFinding[Any]) -> Callable[[Any, float], float]:
    """Return a function that computes the risk of a policy on the common scale.

    The function takes the policy and the risk fraction that the search computed for the policy.
    """
    study = found.study
    number = study.people.table.units
    plain = isinstance(study.risk, PopulationRisk) and study.risk.gamma == 1.0
    if plain and study.people.basis == "sample":
        return lambda _, share: share * found.risk.greatest / number
    return lambda policy, _: int(np.count_nonzero(study.space.classes(policy).records)) / number


def _smallest(
    found: FrontierFinding[Any], risk_of: Callable[[Any, float], float]
) -> Callable[[Any, float], int]:
    """Return a function that computes the size of a policy's smallest group.

    If the mean risk is above 1/2, the smallest group has one member.
    """
    study, half = found.study, 0.5

    def smallest(policy: Any, share: float) -> int:  # noqa: ANN401 - of the space
        if study.roles.person is None and risk_of(policy, share) > half:
            return 1
        classes = study.space.classes(policy)
        if classes.fewest is not None:
            return int(classes.fewest)
        return int(classes.records[classes.records > 0].min(initial=study.people.table.records))

    return smallest


def _parts_of(
    space: FrontierPartitions | FrontierLevels | Any,  # noqa: ANN401 - one of the two
) -> Callable[[Any], Sequence[Codes]]:
    """Return a function that maps a policy to the part of each value in each column."""
    if isinstance(space, FrontierLevels):
        lookups = space.encoding.lookups
        return lambda levels: [own[level] for own, level in zip(lookups, levels, strict=True)]
    domains = space.ordered.cells.domains
    people = space.people.table.domains
    known = [own.place_of() for own in space.ordered.domains]
    places = [
        np.array([own[value] for value in values], dtype=np.int64)
        for own, values in zip(known, people, strict=True)
    ]

    def parts(policy: Partition) -> list[Codes]:
        labels = domains.labels(policy)
        return [own[place] for own, place in zip(labels, places, strict=True)]

    return parts


class _LossOfParts:
    """A calculator for the loss of detail that results from combining the values of a column."""

    def __init__(
        self, columns: Sequence[ShownColumn], shares: Sequence[NDArray[np.float64]]
    ) -> None:
        self._columns, self._shares = columns, shares
        self._known: dict[tuple[int, bytes], float] = {}

    @classmethod
    def of(cls, table: FrequencyTable) -> _LossOfParts:
        """Create the calculator from the values in a table and their shares of the records."""
        columns, shares = [], []
        for name, domain, codes in zip(table.attributes, table.domains, table.codes, strict=True):
            counts = np.bincount(codes, weights=table.counts, minlength=len(domain))
            columns.append(original_column(name, domain))
            shares.append(counts / max(counts.sum(), 1.0))
        return cls(columns, shares)

    def mean(self, parts: Sequence[Codes]) -> float:
        return float(np.mean([self._of(at, own) for at, own in enumerate(parts)]))

    def _of(self, at: int, parts: Codes) -> float:
        key = (at, np.asarray(parts, dtype=np.int64).tobytes())
        if key not in self._known:
            self._known[key] = self._counted(at, np.asarray(parts, dtype=np.int64))
        return self._known[key]

    def _counted(self, at: int, parts: NDArray[np.int64]) -> float:
        column, shares = self._columns[at], self._shares[at]
        there = shares > 0  # a population also has values that no record has
        values = np.flatnonzero(there).astype(np.int32)
        _, own = np.unique(parts[there], return_inverse=True)
        sets = [values[own == one] for one in range(int(own.max()) + 1)]
        kept = original_column(column.name, [column.values[one] for one in values])
        narrowed = kept.with_parts([np.searchsorted(values, one).astype(np.int32) for one in sets])
        losses = narrowed.losses[: len(sets)]
        held = np.bincount(own, weights=shares[there])
        return float(losses @ held)
