"""Release a random sample, generalized: (epsilon, delta)-differentially private, and true.

Every record released is one that was in the table, under labels that are true of it. The levels are
given, or chosen with a part of epsilon: permute-and-flip among all policies, by how much of the
records a policy keeps in large classes and in what detail,

    score = detail x sum over classes of max(f - K + 1, 0),    K = k / beta, rounded up

in which one record more adds `detail` at most and takes nothing away. The detail of a policy, from
0 to 1,000, follows from the hierarchies alone, which must be public. So must their domains: a
record with a value that a hierarchy does not list is left out, whatever the others are. All columns
that are released are generalized; no other column may be released alongside.

Whatever one choice and one sample tell adds up: epsilon of both, and delta of the sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import ceil, prod

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Accountant, Grant
from roadstead.differential.chance.exact_choice import Source, system_words
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.sampled.accounting import SamplingBudget, sampling_budget
from roadstead.errors import SettingError
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.tables.frequency import FrequencyTable

_FINEST = 1000
"""Detail of a policy that generalizes nothing: the most that one record moves a score."""
_MOST_POLICIES = 20_000


@dataclass(frozen=True)
class SampledRelease:
    """Classes of a generalized sample, each of at least `least` records, and what they cost.

    Nothing here tells more of the table than the classes do: not how many records it has, nor how
    many were drawn or left out.
    """

    attributes: tuple[str, ...]
    levels: tuple[int, ...]
    labels: tuple[tuple[str, ...], ...] = field(repr=False)
    counts: tuple[int, ...] = field(repr=False)
    budget: SamplingBudget
    ledger: tuple[Grant, ...]

    @property
    def epsilon(self) -> Fraction:
        """What choosing and sampling cost together."""
        return sum((one.epsilon for one in self.ledger), Fraction(0))

    @property
    def delta(self) -> float:
        """How likely the promise of epsilon alone may fail."""
        return self.budget.delta

    def rows(self) -> list[dict[str, str]]:
        """Give the records released, one after another."""
        return [
            dict(zip(self.attributes, labels, strict=True))
            for labels, count in zip(self.labels, self.counts, strict=True)
            for _ in range(count)
        ]


@dataclass(frozen=True)
class SafePub:
    """How a sample is released: what it may cost, and the levels unless they are to be chosen."""

    epsilon: float
    delta: float
    levels: Mapping[str, int] | None = None
    choosing: float = 0.1  # share of epsilon for the choice of levels; all else is for the sample
    mechanisms: Mechanisms = field(default_factory=Mechanisms, repr=False)
    words: Source = field(default=system_words, repr=False)

    def release(self, table: FrequencyTable, hierarchies: Sequence[Hierarchy]) -> SampledRelease:
        """Draw a sample of a table and generalize it; the hierarchies are public, and list values.

        A `SettingError` says what is wrong with the request; it carries no data.
        """
        domains = _Domains(tuple(_in_order(table, hierarchies)))
        total = Fraction(repr(float(self.epsilon)))
        purse = Accountant(total)
        part = Fraction(0) if self.levels is not None else total * self._share
        budget = sampling_budget(float(total - part), self.delta)
        placed = domains.placed(table)
        if self.levels is None:
            levels = self._chosen(purse.spend("choosing levels", part), domains, placed, budget)
        else:
            levels = domains.checked(self.levels)
        purse.spend("drawing the sample", total - part)
        counts = drawn(placed.counts, budget.drawn, self.words)
        labels, sizes = domains.classes(placed, levels, counts)
        kept = sizes >= budget.least
        shown = [one for one, keep in zip(labels, kept.tolist(), strict=True) if keep]
        return SampledRelease(
            domains.attributes,
            levels,
            tuple(shown),
            tuple(sizes[kept].tolist()),
            budget,
            purse.ledger,
        )

    @property
    def _share(self) -> Fraction:
        share = Fraction(repr(float(self.choosing)))
        if not 0 < share < 1:
            raise SettingError(
                f"the share of epsilon for choosing is {self.choosing}, and must be from 0 to 1, "
                "neither included",
                fix="0.1 is enough for a few thousand policies",
            )
        return share

    def _chosen(
        self, grant: Grant, domains: _Domains, placed: _Placed, budget: SamplingBudget
    ) -> tuple[int, ...]:
        """Choose the levels."""
        least = ceil(budget.least / budget.chance)
        policies = domains.policies()
        scores = [
            domains.detail(levels)
            * int(np.maximum(domains.sizes(placed, levels) - least + 1, 0).sum())
            for levels in policies
        ]
        return policies[self.mechanisms.choose(grant, scores, _FINEST, monotonic=True)]


def drawn(counts: NDArray[np.int64], chance: int, words: Source) -> NDArray[np.int64]:
    """Draw each record with a chance in units of 2**-64; give how many of each row were drawn."""
    rows = np.repeat(np.arange(counts.size), counts)
    chosen = words(rows.size) < np.uint64(chance)
    return np.bincount(rows[chosen], minlength=counts.size).astype(np.int64)


@dataclass(frozen=True, eq=False)
class _Placed:
    """Rows of a table whose values are all in their domains, as places in these."""

    codes: tuple[NDArray[np.int64], ...]
    counts: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Domains:
    """Public hierarchies."""

    hierarchies: tuple[Hierarchy, ...]

    @property
    def attributes(self) -> tuple[str, ...]:
        return tuple(one.attribute for one in self.hierarchies)

    def placed(self, table: FrequencyTable) -> _Placed:
        """Leave out rows with a value that a hierarchy does not list, each by itself."""
        codes, inside = [], np.ones(table.counts.size, dtype=np.bool_)
        for one, domain, own in zip(self.hierarchies, table.domains, table.codes, strict=True):
            place = {value: at for at, value in enumerate(one.values)}
            found = np.array([place.get(value, -1) for value in domain], dtype=np.int64)[own]
            inside &= found >= 0
            codes.append(found)
        return _Placed(tuple(own[inside] for own in codes), table.counts[inside])

    def policies(self) -> list[tuple[int, ...]]:
        """Give every policy."""
        number = prod(one.height for one in self.hierarchies)
        if number > _MOST_POLICIES:
            raise SettingError(
                f"there are {number:,} policies to choose from, and at most {_MOST_POLICIES:,} can "
                "be weighed privately",
                fix="give the levels, or hierarchies of fewer levels",
            )
        return list(product(*(range(one.height) for one in self.hierarchies)))

    def checked(self, levels: Mapping[str, int]) -> tuple[int, ...]:
        """Put levels in order; every attribute needs one."""
        for one in self.hierarchies:
            if not 0 <= levels.get(one.attribute, -1) < one.height:
                raise SettingError(
                    f"the level of {one.attribute!r} must be from 0 to {one.height - 1}",
                    fix="give one for each quasi-identifier, or none for them to be chosen",
                )
        return tuple(levels[one.attribute] for one in self.hierarchies)

    def detail(self, levels: tuple[int, ...]) -> int:
        """How much a policy leaves of public domains, from 0 to 1,000."""
        left = []
        for one, level in zip(self.hierarchies, levels, strict=True):
            widths = one.levels[level].leaves[one.levels[level].codes]
            left.append(1.0 - float((widths - 1).mean()) / max(one.domain_size - 1, 1))
        return round(_FINEST * sum(left) / len(left))

    def sizes(self, placed: _Placed, levels: tuple[int, ...]) -> NDArray[np.int64]:
        """Records of each class."""
        return self.classes(placed, levels, placed.counts)[1]

    def classes(
        self, placed: _Placed, levels: tuple[int, ...], counts: NDArray[np.int64]
    ) -> tuple[list[tuple[str, ...]], NDArray[np.int64]]:
        """Labels of each class, and how many of some records it has."""
        columns = [
            one.levels[level].codes[own].astype(np.int64)
            for one, level, own in zip(self.hierarchies, levels, placed.codes, strict=True)
        ]
        if not counts.size:
            return [], np.zeros(0, dtype=np.int64)
        distinct, place = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
        sizes = np.bincount(place.reshape(-1), counts, distinct.shape[0]).astype(np.int64)
        labels = [
            tuple(
                one.levels[level].labels[code]
                for one, level, code in zip(self.hierarchies, levels, row, strict=True)
            )
            for row in distinct.tolist()
        ]
        return labels, sizes


def _in_order(table: FrequencyTable, hierarchies: Sequence[Hierarchy]) -> list[Hierarchy]:
    """Put hierarchies in the order of the table's attributes; each lists the values of its own."""
    known = {one.attribute: one for one in hierarchies}
    for name in table.attributes:
        if name not in known or not known[name].values:
            raise SettingError(
                f"there is no hierarchy of {name!r} that lists its values",
                fix="give one that does not come from the data, as a file or as groups of values",
            )
    return [known[name] for name in table.attributes]
