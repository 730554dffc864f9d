"""Small random problems with a population: only some of its people are in the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from lattices import Admits, Case, cases

from roadstead.policies.encoding import Encoding
from roadstead.privacy.models.delta_presence import DeltaPresence
from roadstead.search.evaluation import FullDomainProblem
from roadstead.tables.frequency import FrequencyTable

SHARES = ["0", "0.1", "0.2", "0.25", "1/3", "0.4", "0.5", "0.6", "2/3", "0.9", "1"]


@dataclass(frozen=True)
class Peopled:
    """A case of which some rows may have no record, and the people with each row's combination."""

    case: Case
    people: tuple[int, ...]

    @property
    def table(self) -> FrequencyTable:
        """The frequency table with its population."""
        return replace(self.case.table(), population=np.array(self.people, dtype=np.int64))

    @property
    def encoding(self) -> Encoding:
        """The table compiled with its hierarchies."""
        return replace(self.case.encoding(), table=self.table)

    def problem(self, model: DeltaPresence) -> FullDomainProblem:
        """Make the engine's problem of it."""
        return self.case.problem(model.bind(self.table))

    def records_of(self, rows: Sequence[int]) -> int:
        """Records of some rows."""
        return sum(self.case.counts[row] for row in rows)

    def people_of(self, rows: Sequence[int]) -> int:
        """People with the combinations of some rows."""
        return sum(self.people[row] for row in rows)

    def admits(self, minimum: Fraction, maximum: Fraction) -> Admits:
        """Say in plain Python which classes have a presence between two bounds."""

        def within(rows: Sequence[int]) -> bool:
            records, people = self.records_of(rows), self.people_of(rows)
            return records > 0 and minimum <= Fraction(records, people) <= maximum

        return within


@st.composite
def peopled(draw: st.DrawFn) -> Peopled:
    """Any case with any number of people, and in half of them rows without a record."""
    case = draw(cases())
    number = len(case.rows)
    empty = draw(st.lists(st.booleans(), min_size=number, max_size=number))
    if draw(st.booleans()) and not all(empty):
        counts = tuple(0 if gone else n for gone, n in zip(empty, case.counts, strict=True))
        limit = case.limit * sum(counts) // case.records
        case = replace(case, counts=counts, limit=limit)
    others = draw(st.lists(st.integers(0, 12), min_size=number, max_size=number))
    people = [
        n + other if n else max(other, 1) for n, other in zip(case.counts, others, strict=True)
    ]
    return Peopled(case, tuple(people))


def bounds() -> st.SearchStrategy[tuple[Fraction, Fraction]]:
    """A minimum, mostly 0, and a maximum."""
    share = st.sampled_from([Fraction(text) for text in SHARES])
    pairs = st.tuples(st.just(Fraction(0)) | share, share).map(sorted)
    return pairs.filter(lambda pair: pair[1] > 0).map(lambda pair: (pair[0], pair[1]))


def model_of(limits: tuple[Fraction, Fraction]) -> DeltaPresence:
    """Make the model; its parameters are floating point."""
    return DeltaPresence(minimum=float(limits[0]), maximum=float(limits[1]))
