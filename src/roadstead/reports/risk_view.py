"""What the page of a risk assessment shows: counts, risks and names of columns, and no record.

Plain values that a verb fills in. "Before" is the table as it is; "after" is what a policy would
release of it, where one was given.
"""

from __future__ import annotations

from dataclasses import dataclass

from roadstead.reports.numbers import Bound
from roadstead.risk.assessment import Combination, Contribution


@dataclass(frozen=True)
class AttackView:
    """What an attacker can expect."""

    name: str  # the risk, how it is worked out, and what it means, in a sentence
    formula: str
    meaning: str
    before: float  # as a share; no `after` without a policy
    after: float | None = None
    # Whether it belongs on the scale of risks: a chance to be re-identified, not a share of records
    # above a threshold.
    scale: bool = True
    # "upper" for the risk of the record most at risk, which is rounded up.
    bound: Bound | None = None


@dataclass(frozen=True)
class UniquesView:
    """People who are unique in the population, by one model."""

    name: str
    meaning: str
    uniques: float
    share: float


@dataclass(frozen=True)
class AdviceShown:
    """What to protect against, and how."""

    attacker: str  # who applies, and the privacy model in a few words
    model: str
    statement: tuple[str, ...]  # sentences
    notes: tuple[str, ...]
    command: str  # the command that does it


@dataclass(frozen=True)
class RiskView:
    """All that the page of a risk assessment shows.

    Attributes
    ----------
    source, created, version
        The table, when it was assessed (ISO 8601), and by which version.
    records, attributes
        Records of the table, and the quasi-identifiers.
    threshold
        The risk that is still acceptable for a record.
    population
        Against whom journalist risk is measured, in a sentence.
    policy
        What the policy is called; None where none was given.
    suppressed
        Records that the policy suppresses.
    attacks
        The risks.
    before, after
        Class sizes with how many records are in classes of that size, ascending.
    classes, uniques
        Classes and unique records, before and after.
    contributions
        The quasi-identifiers, the one that contributes most first.
    combinations
        The combinations that single out most records.
    contributions_of
        What they are of: ``before`` or ``after``.
    population_uniques
        By model.
    below_k
        How many records have fewer than k people of the population behind them, in sentences.
    advice
        If it was asked for.
    notes
        What to mind.
    """

    source: str
    created: str
    version: str
    records: int
    attributes: tuple[str, ...]
    threshold: float
    population: str
    attacks: tuple[AttackView, ...]
    before: tuple[tuple[int, int], ...]
    classes: tuple[int, int | None]
    uniques: tuple[int, int | None]
    contributions: tuple[Contribution, ...] = ()
    combinations: tuple[Combination, ...] = ()
    population_uniques: tuple[UniquesView, ...] = ()
    below_k: tuple[str, ...] = ()
    advice: AdviceShown | None = None
    notes: tuple[str, ...] = ()
    policy: str | None = None
    suppressed: int = 0
    after: tuple[tuple[int, int], ...] | None = None
