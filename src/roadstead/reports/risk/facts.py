"""What an assessment of risk found: counts, risks and names of columns, and no record.

Terminal, page and notebook all tell from these. "Before" is the table as it is; "after" is what a
policy would release of it, where one was given.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from roadstead.reports.wording import CountedUnit
from roadstead.risk.assessment import Assessment, Population
from roadstead.risk.persons.assessment import PersonAssessment
from roadstead.risk.persons.prosecutor import RowsKnown

MODELS = {
    "counted": (
        "counted",
        "People of the population who differ from everyone else in it, counted in its file.",
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
    "zayatz": ("Zayatz", "The groups of the table represent those of the population."),
    "snb": ("SNB", "Group sizes follow a slide negative binomial distribution."),
    "dankar": (
        "Dankar's rule",
        "Uses one of the other models, depending on the share of the population in the table.",
    ),
}
"""Models of population uniqueness: what each is called, and what it says, in a sentence."""

AssessedTable: TypeAlias = Assessment | PersonAssessment
"""The risks of one table, of its records or of its persons."""


@dataclass(frozen=True)
class PersonFacts:
    """An assessment of the persons of a table, where a `column` says whose each record is.

    `knows` is how many rows of a person somebody may know, `k` how many persons should fit.
    """

    column: str
    knows: RowsKnown
    persons: int
    k: int
    before: PersonAssessment
    after: PersonAssessment | None


@dataclass(frozen=True)
class RiskFacts:
    """An assessment of a table, `before` a policy and `after` it, None where there is no policy.

    The `threshold` is the risk that is still acceptable for a record; journalist risk is measured
    against the `population`. The `source` and the `policy` are what table and policy are called,
    the notes what the user should know. With `by_person` persons are counted: the risks are those
    there, and `before` and `after` say what counting records would have told.
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


@dataclass(frozen=True)
class AdviceShown:
    """What to protect against, the privacy model in a few words, and the command that does it."""

    attacker: str
    model: str
    statement: tuple[str, ...]
    notes: tuple[str, ...]
    command: str
