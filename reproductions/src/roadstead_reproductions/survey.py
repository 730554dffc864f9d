"""A made-up health survey with many quasi-identifiers, for difficult searches.

Ten questions about everyday difficulties have four answers each, from "none" to "cannot". There are
also six demographic attributes. Answers are skewed, because most people have no difficulty, and
correlated, because each answer depends on age and on a hidden state of health. Almost every record
is unique, so the search must choose among 3^10 * 1440 = 85,030,560 policies.

Draws use only additions, comparisons, and one uniform number each, so that the same seed gives the
same survey on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.hierarchies.hierarchy import Hierarchy, from_columns
from roadstead.tables.frequency import FrequencyTable

RECORDS = 70_000
QUESTIONS = (
    *("seeing", "hearing", "walking", "remembering", "dressing"),
    *("speaking", "lifting", "sleeping", "working", "breathing"),
)
_SKEWS = (0.62, 0.78, 0.70, 0.66, 0.88, 0.92, 0.58, 0.50, 0.74, 0.81)
"""The share of people of average age and health who have no difficulty, for each question."""
_AGE_COUNTS = 0.35
_HEALTH_COUNTS = 0.45
_YOUNGEST, _OLDEST = 18, 89


@dataclass(frozen=True)
class Survey:
    """The frequency table and hierarchies of the survey."""

    table: FrequencyTable
    hierarchies: tuple[Hierarchy, ...]

    def of(self, attributes: tuple[str, ...]) -> Survey:
        """Return the survey with fewer attributes."""
        own = {h.attribute: h for h in self.hierarchies}
        return Survey(self.table.project(attributes), tuple(own[name] for name in attributes))


def demographics_and(questions: int) -> tuple[str, ...]:
    """Return the names of the demographic attributes and of the first questions."""
    return (*_DEMOGRAPHICS, *QUESTIONS[:questions])


def survey(records: int = RECORDS, seed: int = 2026) -> Survey:
    """Create a survey of `records` people from a seed."""
    chance = np.random.default_rng(seed)
    age = _ages(chance.random(records))
    old = (age - _YOUNGEST) / (_OLDEST - _YOUNGEST)
    health = chance.random((4, records)).sum(axis=0) / 4.0  # near 1/2 for most people
    columns: dict[str, NDArray[np.int64]] = {"age": age - _YOUNGEST}
    for name, (weights, leaning) in _CHOICES.items():
        columns[name] = _choose(chance.random(records), weights, leaning * (old - 0.5))
    for name, share in zip(QUESTIONS, _SKEWS, strict=True):
        burden = _AGE_COUNTS * (old - 0.5) + _HEALTH_COUNTS * (health - 0.5) * 2.0
        columns[name] = _answer(chance.random(records), share, burden)
    hierarchies = (_age_hierarchy(), *map(_grouped, _CHOICES), *map(_question, QUESTIONS))
    return Survey(_table(columns, hierarchies), hierarchies)


def _ages(uniform: NDArray[np.float64]) -> NDArray[np.int64]:
    """Draw ages such that the number of people decreases from the age of sixty."""
    years = np.arange(_YOUNGEST, _OLDEST + 1)
    weights = np.where(years < 60, 60.0, 60.0 - 1.8 * (years - 60))  # noqa: PLR2004 - an age
    edges = np.add.accumulate(weights)
    years_over = np.searchsorted(edges, uniform * edges[-1], side="right")
    return np.asarray(_YOUNGEST + years_over, dtype=np.int64)


def _choose(
    uniform: NDArray[np.float64], weights: tuple[float, ...], lean: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Choose among categories. A higher `lean` raises the probability of later categories."""
    edges = np.add.accumulate(weights) / sum(weights)
    moved = np.clip(uniform + lean * uniform * (1.0 - uniform), 0.0, 1.0)
    return np.minimum(np.searchsorted(edges, moved, side="right"), len(weights) - 1)


def _answer(
    uniform: NDArray[np.float64], share: float, burden: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Draw answers from 0 to 3. Each answer is about 0.3 times as frequent as the previous one."""
    none = np.clip(share - burden * 0.8, 0.05, 0.99)
    rest = 1.0 - none
    edges = np.stack([none, none + rest * 0.72, none + rest * 0.94])
    return np.asarray((uniform >= edges).sum(axis=0), dtype=np.int64)


_CHOICES: dict[str, tuple[tuple[float, ...], float]] = {
    "sex": ((0.49, 0.51), 0.2),
    "region": ((9, 8, 8, 7, 6, 5, 5, 4, 4, 3, 3, 2), 0.0),
    "education": ((4, 8, 14, 30, 18, 16, 8, 2), -0.9),
    "marital": ((30, 48, 10, 7, 5), 0.9),
    "income": ((6, 9, 12, 15, 16, 14, 11, 8, 5, 4), -0.3),
}
_DEMOGRAPHICS = ("age", *_CHOICES)
_GROUPS: dict[str, tuple[tuple[int, ...], ...]] = {
    "sex": (),
    "region": ((3, 3, 3, 3),),
    "education": ((2, 2, 2, 2), (4, 4)),
    "marital": ((1, 4),),
    "income": ((2, 2, 2, 2, 2), (4, 6)),
}
"""The numbers of neighbors that are merged at each level between the answers and "*"."""


def _grouped(name: str) -> Hierarchy:
    number = len(_CHOICES[name][0])
    return _by_groups(name, [f"{name} {i + 1:02}" for i in range(number)], _GROUPS[name])


def _question(name: str) -> Hierarchy:
    return _by_groups(name, ["0 none", "1 some", "2 a lot", "3 cannot"], ((1, 3),))


def _age_hierarchy() -> Hierarchy:
    ages = [str(age) for age in range(_YOUNGEST, _OLDEST + 1)]
    widths = tuple((width,) * (len(ages) // width) for width in (6, 12, 24))
    return _by_groups("age", ages, widths)


def _by_groups(name: str, values: list[str], groups: tuple[tuple[int, ...], ...]) -> Hierarchy:
    columns = [values]
    for level, widths in enumerate(groups, start=1):
        ends = np.add.accumulate(widths).tolist()
        parts = [values[a:b] for a, b in zip([0, *ends[:-1]], ends, strict=True)]
        columns.append([f"{level}: {part[0]} to {part[-1]}" for part in parts for _ in part])
    return from_columns(name, [*columns, ["*"] * len(values)], origin="made up")


def _table(
    columns: dict[str, NDArray[np.int64]], hierarchies: tuple[Hierarchy, ...]
) -> FrequencyTable:
    """Count combinations of values."""
    records = len(columns["age"])
    everyone = FrequencyTable(
        attributes=tuple(columns),
        domains=tuple(h.values for h in hierarchies),
        codes=tuple(column.astype(np.int32) for column in columns.values()),
        counts=np.ones(records, dtype=np.int64),
    )
    return everyone.project(everyone.attributes)
