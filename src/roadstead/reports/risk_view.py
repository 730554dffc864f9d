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
    """All that the page of a risk assessment shows."""

    source: str
    created: str  # when the table was assessed (ISO 8601)
    version: str
    records: int
    attributes: tuple[str, ...]  # the quasi-identifiers
    threshold: float  # the risk that is still acceptable for a record
    population: str  # against whom journalist risk is measured, in a sentence
    attacks: tuple[AttackView, ...]
    before: tuple[tuple[int, int], ...]  # class sizes, ascending, and how many records have them
    classes: tuple[int, int | None]  # before and after
    uniques: tuple[int, int | None]  # unique records, before and after
    contributions: tuple[Contribution, ...] = ()  # from the column that contributes most
    combinations: tuple[Combination, ...] = ()  # those that single out most records
    population_uniques: tuple[UniquesView, ...] = ()  # by model
    below_k: tuple[str, ...] = ()  # records with fewer than k people behind them, in sentences
    advice: AdviceShown | None = None
    notes: tuple[str, ...] = ()
    policy: str | None = None  # what it is called, where one was given
    suppressed: int = 0  # by the policy
    after: tuple[tuple[int, int], ...] | None = None
