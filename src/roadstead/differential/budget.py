"""Track the privacy budget, and the steps that spend it.

Epsilon limits how much one unit (a record or a person) can change the odds of any output. Each
question about the data needs a *grant* from the budget. The costs of several steps add up
(sequential composition). A step on several disjoint parts of the records costs only as much as a
step on one part (parallel composition).

If a unit is a person with up to c records, the privacy loss is c times as large as for one record
(group privacy). A mechanism may spend only `Grant.each`, the amount for one record. Amounts are
fractions, so the sums are exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, Literal, TypeAlias

from roadstead.errors import SettingError

StepKind: TypeAlias = Literal[
    "first-split",
    "choice",
    "splits",
    "combinations",
    "stopping",
    "totals",
    "groups",
    "values",
    "item",
    "margin",
    "pair",
    "levels",
    "sample",
    "table",
]
"""The kinds of steps. DiffGen uses the first seven kinds, and margins use the next four."""

_WORDS: Final[Mapping[StepKind, str]] = {
    "first-split": "first split point of",
    "choice": "choice of specialization",
    "splits": "split points of",
    "combinations": "combinations of",
    "stopping": "choice of the number of specializations",
    "totals": "totals of the classes",
    "groups": "counts of the groups",
    "values": "choice of values of",
    "item": "choice of item",
    "margin": "counts of",
    "pair": "choice of pair",
    "levels": "choice of levels",
    "sample": "sample of the records",
    "table": "contingency table",
}


@dataclass(frozen=True)
class BudgetStep:
    """The purpose of a payment, with its kind, its attributes (`of`), and its number.

    A step is public, because the release contains the ledger.
    """

    kind: StepKind
    of: tuple[str, ...] = ()
    number: int | None = None  # counted from 1

    @property
    def words(self) -> str:
        """The step as a string for users."""
        parts = [_WORDS[self.kind], "" if self.number is None else f"{self.number}"]
        parts += ["of"] if self.kind == "item" else []
        return " ".join(filter(None, (*parts, " and ".join(self.of))))


class OverspentError(SettingError):
    """Raised if a step needs more of the privacy budget than is left."""


@dataclass(frozen=True)
class Grant:
    """Permission to use a mechanism once, or once on each of several disjoint parts."""

    step: BudgetStep  # the step that the amount is spent on
    epsilon: Fraction  # the share of the budget for this step
    records: int = 1  # the largest number of records per unit: the factor of every sensitivity

    @property
    def each(self) -> Fraction:
        """The amount for one record. The records of a unit together cost at most epsilon."""
        return self.epsilon / self.records


@dataclass
class Accountant:
    """The account of the privacy budget."""

    total: Fraction  # the privacy budget of the whole release, above 0
    records: int = 1  # the largest number of records per unit; public
    _grants: list[Grant] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        if self.total <= 0:
            what = f"the privacy budget is {float(self.total):g}, but must be above 0"
            fix = "give an epsilon above 0, for example, 1"
            raise OverspentError(what, where="epsilon", fix=fix)
        if self.records < 1:
            raise SettingError(
                f"the largest number of records per person cannot be {self.records}",
                where="privacy budget",
                fix="give a number that is at least 1",
            )

    @property
    def spent(self) -> Fraction:
        """The amount spent so far."""
        return sum((one.epsilon for one in self._grants), Fraction(0))

    @property
    def left(self) -> Fraction:
        """The amount that can still be spent."""
        return self.total - self.spent

    @property
    def ledger(self) -> tuple[Grant, ...]:
        """The grants in order."""
        return tuple(self._grants)

    def spend(self, step: BudgetStep, epsilon: Fraction) -> Grant:
        """Spend an amount above 0 on a step, and return the grant.

        Raise an `OverspentError` if less than this amount is left, or if the amount is invalid.
        """
        if epsilon <= 0:
            what = f"an epsilon of {float(epsilon):g} cannot be spent"
            raise OverspentError(what, where=step.words, fix="spend an amount above 0")
        if epsilon > self.left:
            what = f"epsilon {float(epsilon):g} is requested, but only {float(self.left):g} is left"
            fix = "request fewer specializations, or a larger epsilon"
            raise OverspentError(what, where=step.words, fix=fix)
        grant = Grant(step, epsilon, self.records)
        self._grants.append(grant)
        return grant
