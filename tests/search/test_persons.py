"""Exact search with persons who have several rows, against their definition in plain Python.

A person's rows are labelled; whatever multiset of them somebody may know, at least k persons kept
must have it. The witness leaves persons out one at a time until that holds, and on tiny tables it
looks through every set of persons; then it works out every policy of the lattice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from math import inf

import definition
import numpy as np
import pytest
from effort import thorough
from hypothesis import given
from hypothesis import strategies as st
from lattices import AGGREGATES, Case, cases

from roadstead.policies.encoding import encode
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.quality.models.loss import Loss
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.exact import Exact
from roadstead.search.left_out import ALL, PersonsLeftOut
from roadstead.search.protocol import Control
from roadstead.tables.persons import rows_of_persons

Known = tuple[tuple[tuple[str, ...], int], ...]
"""A multiset of labels, as pairs in order."""


@dataclass(frozen=True)
class Population:
    """A case whose records belong to persons: for each person the rows, one a record."""

    case: Case
    rows_of: tuple[tuple[int, ...], ...]
    knows: int
    limit: int

    def problem(self) -> FullDomainProblem:
        """Make the engine's problem, with rows of persons."""
        pairs = sorted(Counter((p, r) for p, own in enumerate(self.rows_of) for r in own).items())
        person = np.array([p for (p, _), _ in pairs])
        rows = np.array([r for (_, r), _ in pairs])
        whole = self.case.table()
        table = replace(
            whole,
            codes=tuple(column[rows] for column in whole.codes),
            counts=np.array([often for _, often in pairs], dtype=np.int64),
        )
        names = tuple(f"p{p}" for p in range(len(self.rows_of)))
        table = rows_of_persons(table, "person", person, names)
        assert table.persons is not None
        problem = replace(self.case, counts=(1,) * len(self.case.rows)).problem()
        encoding = encode(table, problem.encoding.hierarchies)
        weights = None if self.case.weights is None else tuple(map(float, self.case.weights))
        return FullDomainProblem(
            encoding=encoding,
            space=problem.space,
            privacy=KAnonymity(2),
            quality=Loss(AGGREGATES[self.case.aggregate](weights)).bind(encoding),
            limit=self.limit,
            persons=PersonsLeftOut(encoding.counts, table.persons, self.case.k, self.knows),
        )


@st.composite
def populations(draw: st.DrawFn) -> Population:
    """Up to a dozen persons with one to five records each."""
    case = draw(cases(most_attributes=3))
    numbers = st.integers(0, len(case.rows) - 1)
    one = st.lists(numbers, min_size=1, max_size=5).map(lambda own: tuple(sorted(own)))
    few = draw(st.lists(one, min_size=1, max_size=6))
    again = draw(st.lists(st.sampled_from(few), max_size=6))
    everyone = (*few, *again)
    limit = draw(st.integers(0, 100)) * len(everyone) // 100
    case = replace(case, k=draw(st.integers(2, 4)))
    return Population(case, everyone, draw(st.sampled_from([1, 2, 3, ALL])), limit)


def known(labels: Sequence[tuple[str, ...]], knows: int) -> set[Known]:
    """List what may be known of a person with rows so labelled: no more rows than there are."""
    most = len(labels) if knows == ALL else min(knows, len(labels))
    return {tuple(sorted(Counter(some).items())) for some in combinations(labels, most)}


def fits(labels: Sequence[tuple[str, ...]], what: Known, knows: int) -> bool:
    """Whether a person with rows so labelled may be the one of whom that is known."""
    have = Counter(labels)
    if knows == ALL:
        return have == Counter(dict(what))
    return all(have[one] >= often for one, often in what)


def admissible(labels: dict[int, list[tuple[str, ...]]], k: int, knows: int) -> bool:
    """Whether all that may be known of each of these persons fits k of them."""
    return all(
        sum(fits(other, what, knows) for other in labels.values()) >= k
        for own in labels.values()
        for what in known(own, knows)
    )


def greatest(labels: dict[int, list[tuple[str, ...]]], k: int, knows: int) -> set[int]:
    """Leave out, one at a time, persons of whom something may be known that fits too few."""
    kept = dict(labels)
    while True:
        unsafe = [
            person
            for person, own in kept.items()
            if any(
                sum(fits(other, what, knows) for other in kept.values()) < k
                for what in known(own, knows)
            )
        ]
        if not unsafe:
            return set(kept)
        del kept[unsafe[0]]


def best(population: Population) -> tuple[float, int, tuple[int, ...]] | None:
    """Work out every policy: loss, persons left out, levels of the best."""
    case = population.case
    found = []
    for levels in definition.policies(case):
        labels = {
            person: [
                tuple(map(definition.label, case.attributes, levels, case.rows[row])) for row in own
            ]
            for person, own in enumerate(population.rows_of)
        }
        kept = greatest(labels, case.k, population.knows)
        missing = len(labels) - len(kept)
        if missing > population.limit:
            continue
        everything = Counter(chain.from_iterable(population.rows_of))
        inside = Counter(chain.from_iterable(population.rows_of[p] for p in kept))
        judged = _loss(case, levels, everything, inside)
        found.append((judged.order, sum(levels), levels, missing, judged.loss))
    if not found:
        return None
    _, _, levels, missing, loss = min(found)
    return loss, missing, levels


def _loss(
    case: Case, levels: tuple[int, ...], everything: Counter[int], inside: Counter[int]
) -> definition.Judged:
    """Work the loss out with every kept row in a class of its own and every other suppressed."""
    rows, counts, stays = [], [], []
    for row, often in sorted(everything.items()):
        for number, kept in ((inside[row], True), (often - inside[row], False)):
            if number:
                rows.append(case.rows[row])
                counts.append(number)
                stays.append(kept)
    split = replace(case, rows=tuple(rows), counts=tuple(counts))
    return definition.lost(split, levels, (tuple(np.flatnonzero(stays)),))


@thorough
@given(populations())
def test_the_optimum_for_persons_is_that_of_enumeration(population: Population) -> None:
    """Knowing one, two, three or all rows; limits from 0 to 100 %."""
    outcome = Exact().run(population.problem(), Control())
    expected = best(population)
    if expected is None:
        assert outcome.best is None
        assert outcome.lower_bound == inf
        return
    loss, missing, levels = expected
    assert outcome.best is not None
    assert outcome.best.policy == levels
    assert outcome.best.suppressed == missing
    assert outcome.best.loss == pytest.approx(loss, rel=0, abs=1e-12)
    assert outcome.optimal


@thorough
@given(populations())
def test_no_larger_set_of_persons_is_admissible(population: Population) -> None:
    """The greatest set found by leaving out holds every admissible one of a tiny table."""
    case = population.case
    labels = {
        person: [
            tuple(map(definition.label, case.attributes, case.bottom, case.rows[row]))
            for row in own
        ]
        for person, own in enumerate(population.rows_of[:7])
    }
    kept = greatest(labels, case.k, population.knows)
    everyone = list(labels)
    for size in range(1, len(everyone) + 1):
        for some in combinations(everyone, size):
            if admissible({p: labels[p] for p in some}, case.k, population.knows):
                assert set(some) <= kept
