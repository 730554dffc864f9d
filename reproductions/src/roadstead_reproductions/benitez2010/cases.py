"""The tables of paper 004 with the population of Tennessee and Safe Harbor's risk as threshold.

The Adult table is real, except for ages of 90 and over. Made-up patients replace the private
patient data of Vanderbilt University. The quasi-identifiers are age from 0 to 120, sex, and race.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from roadstead.errors import SettingError
from roadstead.policies.cells import Cells
from roadstead.policies.partition import Partition
from roadstead.policies.partition_words import PartitionWords
from roadstead.policies.safe_harbor import safe_harbor
from roadstead.risk.measures import PopulationRisk
from roadstead.search.frontiers.boundary import RiskBelow
from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead.tables.frequency import FrequencyTable
from roadstead_reproductions.benitez2010.published import ADULT, PATIENTS
from roadstead_reproductions.tennessee_records import Study, adult_demographics, made_up_patients

PATIENT_RACES: Final = (
    "White",
    "Black or African American",
    "American Indian and Alaska Native",
    "Native Hawaiian and Other Pacific Islander",
    "Asian",
    "Some other race",
    "Two or more races",
)
"""The order of the races. Asian is next to Other, because the paper merges these two races."""


@dataclass(frozen=True, eq=False)
class Case:
    """A table with its population.

    `words` describes policies in words. `notes` must be displayed with every figure.
    """

    name: str
    cells: Cells
    words: PartitionWords = field(repr=False)
    notes: tuple[str, ...] = ()

    @cached_property
    def safe_harbor(self) -> Partition:
        """Return Safe Harbor as a policy."""
        values = [own.values for own in self.words.values]
        return safe_harbor(self.cells.domains, values).partition

    def rule(self, gamma: float = 1.0) -> RiskBelow:
        """Return the rule that accepts a risk of at most Safe Harbor's risk."""
        problem = FrontierProblem(self.cells, PopulationRisk(gamma))
        threshold = problem.risk.of(self.cells.classes(self.safe_harbor))
        return RiskBelow(problem, threshold)

    def merging(self, attribute: str, first: str, last: str) -> Partition:
        """Return the policy that merges only the values from `first` to `last`."""
        number = self.cells.domains.attributes.index(attribute)
        values = self.words.values[number].values
        begin, end = values.index(first), values.index(last)
        if not begin < end:
            raise SettingError(
                f"no values to merge from {first!r} to {last!r}",
                fix="name the values in the order of their domain",
            )
        kept = self.cells.domains.most_specific.kept
        for code in range(begin + 1, end + 1):
            kept &= ~(1 << self.cells.domains.boundary(number, code))
        return Partition(kept)


def case_of(name: str, study: Study) -> Case:
    """Create a case from a table with its population."""
    words = PartitionWords.of(study.cells.domains.attributes, study.values)
    return Case(name, study.cells, words, study.notes)


def adult(seed: int, population: FrequencyTable) -> Case:
    """Return Adult with its five races: 32,561 records, 43 of which are 90 and over.

    The function raises a SourceError if Adult is not available, and a MissingExtraError if the
    library for fetching data is not installed.
    """
    return case_of(ADULT, adult_demographics(seed, population))


def patients(seed: int, population: FrequencyTable) -> Case:
    """Return 2,984 made-up patients of seven races, 12 of whom are 90 and over."""
    return case_of(PATIENTS, reordered(made_up_patients(seed, population), "race", PATIENT_RACES))


def reordered(study: Study, attribute: str, values: Sequence[str]) -> Study:
    """Change the order of an attribute's domain. The set of values must stay the same."""
    cells = study.cells
    number = cells.domains.attributes.index(attribute)
    own = study.values[number]
    if sorted(own) != sorted(values):
        raise SettingError(
            f"the new order of {attribute!r} has other values", fix="give the same values"
        )
    place = np.array([values.index(value) for value in own], dtype=np.uint32)
    codes = cells.codes.copy()
    codes[number] = place[codes[number]]
    told = (*study.values[:number], tuple(values), *study.values[number + 1 :])
    return Study(Cells(cells.domains, codes, cells.records, cells.people), told, study.notes)
