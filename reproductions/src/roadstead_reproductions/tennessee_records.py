"""The tables of papers 004 and 000, whose records are matched with people of Tennessee.

The papers assume that everyone in UCI's Adult (32,561 records) lives in Tennessee. Adult contains
age, sex, and five races, and records all ages of 90 and over as 90. For each record, a person with
the record's age, sex, and race is drawn without replacement. The person's own age (if 90 or over),
census race, and ZIP code complete the record. So no combination has more records than people (paper
000, section 4.1.2).

Paper 004's other table, 2,984 patients of Vanderbilt University, is private. A made-up table of the
same size replaces it.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError, SourceError
from roadstead.policies.cells import Cells
from roadstead.policies.partition import OrderedDomains
from roadstead.tables.frequency import FrequencyTable, canonical
from roadstead_reproductions.census import AGES, RACES, SEXES, largest_remainders
from roadstead_reproductions.datasets import data_set
from roadstead_reproductions.tennessee import LABEL, tennessee_population

Integers = NDArray[np.int64]

ADULT_RACES: Final = ("White", "Black", "Amer-Indian-Eskimo", "Asian-Pac-Islander", "Other")
_ADULT_RACE_OF: Final = np.array([0, 1, 2, 3, 3, 4, 4])
"""Adult's race for each race of the census."""
_OLD: Final = 90
_ADULT_COLUMNS: Final = 15
_AGE, _RACE, _SEX = 0, 8, 9

PATIENTS: Final = 2_984
OLD_PATIENTS: Final = 12
_YOUNGEST_PATIENT: Final = 18

DRAWN_ZIP: Final = (
    "Adult has no ZIP codes. For each record, the race of the census, the ZIP code, and ages of "
    "90 and over were sampled from the population: they are those of a person with the same age, "
    "sex, and race."
)
DRAWN_AGES: Final = (
    "Adult writes ages of 90 and over as 90. For these 43 records, an age was sampled from the "
    "population."
)
MADE_UP: Final = (
    "The patients are made up: 2,984 people sampled from the population, with higher ages more "
    "often, in proportion to the square of the age. They replace the private table of paper 004. "
    "They do not allow conclusions about real patients."
)


@dataclass(frozen=True, eq=False)
class Study:
    """A table and its population in ordered domains.

    `cells` has a cell for each combination of values in the population. `values` is the ordered
    domain of each attribute. `notes` must be displayed with every figure, and states what is
    estimated or made up.
    """

    cells: Cells
    values: tuple[tuple[str, ...], ...] = field(repr=False)
    notes: tuple[str, ...]

    def table(self) -> FrequencyTable:
        """Return the study as a frequency table with its population."""
        domains = tuple(tuple(sorted(own)) for own in self.values)
        codes = []
        for own, domain, column in zip(self.values, domains, self.cells.codes, strict=True):
            place = {value: code for code, value in enumerate(domain)}
            codes.append(np.array([place[value] for value in own], dtype=np.int32)[column])
        attributes = self.cells.domains.attributes
        table, target = canonical(attributes, domains, codes, self.cells.records)
        people = np.empty_like(self.cells.people)
        people[target] = self.cells.people
        return FrequencyTable(
            table.attributes, table.domains, table.codes, table.counts, population=people
        )


def adult_in_tennessee(seed: int, population: FrequencyTable | None = None) -> Study:
    """Return Adult by age, sex, census race, and ZIP code (paper 000).

    `population` may be the result of :func:`roadstead_reproductions.tennessee.tennessee_population`
    for the same seed. The function raises a SourceError if a file of Adult or of the census is
    missing or unexpected.
    """
    people = population or tennessee_population(seed)
    zips = people.domains[people.attributes.index("zip")]
    space = _Space.of(people, ("age", "sex", "race", "zip"), (AGES, SEXES, RACES, zips))
    age, sex, race = space.codes[:3]
    records = _like_adult(space.people, (age, sex, _ADULT_RACE_OF[race]), (seed, 4))
    return space.study(records, (LABEL, DRAWN_ZIP))


def adult_demographics(seed: int, population: FrequencyTable | None = None) -> Study:
    """Return Adult by age, sex, and Adult's five races (paper 004)."""
    people = population or tennessee_population(seed)
    space = _Space.of(people, ("age", "sex", "race"), (AGES, SEXES, RACES)).with_races_of_adult()
    age, sex, race = space.codes
    records = _like_adult(space.people, (age, sex, race), (seed, 3))
    return space.study(records, (LABEL, DRAWN_AGES))


def made_up_patients(seed: int, population: FrequencyTable | None = None) -> Study:
    """Return a table like paper 004's patients: 2,984 people, 12 of whom are 90 and over.

    The records are adults of the population by age, sex, and seven races. The number of records of
    each age is proportional to the number of people of that age, multiplied by the square of the
    age.
    """
    people = population or tennessee_population(seed)
    space = _Space.of(people, ("age", "sex", "race"), (AGES, SEXES, RACES))
    age = np.minimum(space.codes[0], _OLD)
    ages = np.arange(_OLD)
    living = np.bincount(age, weights=space.people)[:_OLD]
    shares = np.where(ages >= _YOUNGEST_PATIENT, living * ages.astype(np.float64) ** 2, 0.0)
    wanted = np.append(largest_remainders(shares, PATIENTS - OLD_PATIENTS), OLD_PATIENTS)
    records = draw_people(space.people, age, wanted, np.random.default_rng((seed, 5)))
    return space.study(records, (LABEL, MADE_UP))


def draw_people(
    people: Integers, groups: Integers, wanted: Integers, chance: np.random.Generator
) -> Integers:
    """Draw people from groups of cells, without replacement and with equal probabilities.

    `people` is the number of people of each cell, `groups` is the group of each cell, and `wanted`
    is the number of people to draw from each group. The result is the number of people drawn from
    each cell. The function raises a SettingError if a group has too few people.
    """
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(people[order])
    """All people in line, group by group. Each person is a place in the line."""
    last = np.cumsum(np.bincount(groups, weights=people, minlength=wanted.size).astype(np.int64))
    drawn: list[int] = []
    for group in np.flatnonzero(wanted).tolist():
        first = int(last[group - 1]) if group else 0
        number, several = int(last[group]) - first, int(wanted[group])
        if several > number:
            raise SettingError(
                f"{several:,} records need a group of {number:,} people",
                where=f"group {group}",
                fix="use a population that contains the table",
            )
        drawn.extend(first + one for one in _sample(number, chance.random(several).tolist()))
    cells = order[np.searchsorted(ends, np.array(drawn, dtype=np.int64), side="right")]
    return np.bincount(cells, minlength=people.size).astype(np.int64)


def _sample(number: int, uniform: Sequence[float]) -> set[int]:
    """Choose distinct numbers below `number`, one for each uniform number (R. W. Floyd)."""
    chosen: set[int] = set()
    for last, share in enumerate(uniform, start=number - len(uniform)):
        one = int(share * (last + 1))
        chosen.add(last if one in chosen else one)
    return chosen


def _like_adult(
    people: Integers, known: tuple[Integers, Integers, Integers], seed: tuple[int, int]
) -> Integers:
    """Draw a person with the same age, sex, and race for each record of Adult."""
    shape = (_OLD + 1, len(SEXES), len(ADULT_RACES))
    age, sex, race = known
    groups = np.ravel_multi_index((np.minimum(age, _OLD), sex, race), shape)
    return draw_people(people, groups, _adult(shape).ravel(), np.random.default_rng(seed))


def _adult(shape: tuple[int, int, int]) -> Integers:
    """Count Adult's records by age, sex, and race."""
    path = Path(data_set("adult_uci")) / "adult.data"
    if not path.is_file():
        raise SourceError(
            "the file does not exist", where="adult_uci/adult.data", fix="get UCI's Adult"
        )
    counts = np.zeros(shape, dtype=np.int64)
    with path.open(encoding="utf-8", newline="") as stream:
        for number, row in enumerate(csv.reader(stream, skipinitialspace=True), start=1):
            if not row:
                continue
            place = _place(row)
            if place is None:
                raise SourceError(
                    "it is not a record of Adult",
                    where=f"adult_uci/adult.data, line {number}",
                    fix="fetch UCI's adult.data again",
                )
            counts[place] += 1
    return counts


def _place(row: Sequence[str]) -> tuple[int, int, int] | None:
    """Return the age, sex, and race of a record as numbers, or None for other lines."""
    if len(row) != _ADULT_COLUMNS or row[_AGE] not in AGES[: _OLD + 1]:
        return None
    if row[_SEX] not in SEXES or row[_RACE] not in ADULT_RACES:
        return None
    return int(row[_AGE]), SEXES.index(row[_SEX]), ADULT_RACES.index(row[_RACE])


@dataclass(frozen=True, eq=False)
class _Space:
    """People in ordered domains, with one row per combination that occurs."""

    attributes: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    codes: tuple[Integers, ...]
    people: Integers

    @staticmethod
    def of(
        population: FrequencyTable,
        attributes: tuple[str, ...],
        values: tuple[tuple[str, ...], ...],
    ) -> _Space:
        """Return some attributes of a population, with ordered domains."""
        table = population.project(attributes)
        codes = []
        for own, domain, column in zip(values, table.domains, table.codes, strict=True):
            place = {value: code for code, value in enumerate(own)}
            codes.append(np.array([place[value] for value in domain], dtype=np.int64)[column])
        return _Space(attributes, values, tuple(codes), table.counts)

    def with_races_of_adult(self) -> _Space:
        """Keep age, sex, and race, and merge the races that Adult does not distinguish."""
        shape = (len(AGES), len(SEXES), len(ADULT_RACES))
        age, sex, race = self.codes
        place = np.ravel_multi_index((age, sex, _ADULT_RACE_OF[race]), shape)
        people = np.bincount(place, weights=self.people).astype(np.int64)
        some = np.flatnonzero(people)
        codes = tuple(code.astype(np.int64) for code in np.unravel_index(some, shape))
        return _Space(self.attributes, (AGES, SEXES, ADULT_RACES), codes, people[some])

    def study(self, records: Integers, notes: tuple[str, ...]) -> Study:
        """Return a study with these records."""
        domains = OrderedDomains(self.attributes, tuple(len(own) for own in self.values))
        codes = np.stack(self.codes).astype(np.uint32)
        return Study(Cells(domains, codes, records, self.people), self.values, notes)
