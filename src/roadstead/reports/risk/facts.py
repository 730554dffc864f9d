"""Collect the results of a risk assessment.

The results contain counts, risks, and names of columns, but no records.

"Before" is the original table. "After" is the release under a policy, if a policy was given.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from roadstead.reports.wording import CountedUnit
from roadstead.risk.assessment import Assessment, Population
from roadstead.risk.persons.assessment import PersonAssessment
from roadstead.risk.persons.knowledge import RowsKnown

MODELS = {
    "counted": (
        "counted",
        (
            "The number of people who differ from everyone else in the population, counted in its "
            "file."
        ),
    ),
    "pitman": (
        "Pitman",
        "A model of how new groups appear as more people are counted, with its formula for large "
        "populations.",
    ),
    "pitman-exact": (
        "Pitman, exact",
        "The same model, with the expected value for a population of this size.",
    ),
    "zayatz": ("Zayatz", "The groups of the table represent the groups of the population."),
    "snb": ("SNB", "Group sizes follow a slide negative binomial distribution."),
    "dankar": (
        "Dankar's rule",
        "Uses one of the other models, depending on the share of the population in the table.",
    ),
}
"""The name of each model of population uniqueness, and a sentence that explains it."""

AssessedTable: TypeAlias = Assessment | PersonAssessment
"""The risks of one table, of its records or of its people."""


@dataclass(frozen=True)
class PersonFacts:
    """The assessment of the people of a table.

    `column` is the person ID column.

    `knows` is the number of rows of a person that an attacker may know. `k` is the smallest
    acceptable number of matching people.
    """

    column: str
    knows: RowsKnown
    persons: int
    k: int
    before: PersonAssessment
    after: PersonAssessment | None


@dataclass(frozen=True)
class RiskFacts:
    """The assessment of a table `before` a policy and `after` it.

    `after` is None if there is no policy. `threshold` is the highest acceptable risk for a record.
    The journalist risk is measured in the `population`. `source` and `policy` are the names of the
    table and the policy. `notes` are remarks for the user. If `by_person` is set, the risks in it
    count people, while `before` and `after` count records.
    """

    source: str
    records: int
    quasi: tuple[str, ...]
    threshold: float
    population: Population
    before: Assessment
    after: Assessment | None
    policy: str | None
    notes: tuple[str, ...]
    counted: CountedUnit = field(default_factory=CountedUnit, kw_only=True)
    by_person: PersonFacts | None = field(default=None, kw_only=True)
