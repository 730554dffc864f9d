"""What the page of a differentially private release shows: only what the release itself says.

Plain values that a verb fills in. None of them comes from the private table but through the noisy
counts and the private choices: no true count, no number of its records, no number left out. So the
page may go wherever the release goes.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["numeric", "categorical", "set"]


@dataclass(frozen=True)
class LabelView:
    """One place in the cut of an attribute, and what is released of it.

    Attributes
    ----------
    label
        What it is called.
    records
        Released records of each class.
    noisy
        Sum of the noisy counts that are listed.
    cells
        How many noisy counts that is; each has noise of its own.
    """

    label: str
    records: tuple[int, ...]
    noisy: int
    cells: int

    @property
    def all_records(self) -> int:
        """Released records of all classes."""
        return sum(self.records)


@dataclass(frozen=True)
class MarginalView:
    """How the released records are spread over the cut of an attribute.

    Attributes
    ----------
    attribute
        The column.
    kind
        Intervals of numbers and groups of categories part the records; of a set-valued attribute
        a record may have several nodes, or none.
    labels
        The places, in the order of the cut; one where nothing is told.
    """

    attribute: str
    kind: Kind
    labels: tuple[LabelView, ...]

    @property
    def told(self) -> bool:
        """Whether anything is told of the attribute."""
        return len(self.labels) > 1


@dataclass(frozen=True)
class SpendingView:
    """An entry of the ledger, exactly."""

    step: str
    epsilon: Fraction


@dataclass(frozen=True)
class DomainView:
    """A public input: the attribute, what it can hold, and where that was declared."""

    attribute: str
    holds: str
    origin: str


@dataclass(frozen=True)
class SynthesisView:
    """All that the page of a differentially private release shows.

    Attributes
    ----------
    source, created, version
        The table's file name, when the release was made (ISO 8601), and by which version.
    guarantee, amount, factor
        The promise in a sentence, epsilon, and e to its power, written as in the certificate.
    epsilon
        The privacy budget, exactly.
    unit, neighbors
        What one more or one less of is not noticed; which tables are neighbors, in a sentence.
    target, classes
        The column to be predicted, and what it can hold.
    score
        What specializations were chosen by.
    chosen
        Whether their number was chosen privately.
    steps
        The specializations in their order, in words.
    groups, all_groups, least
        Groups that are listed, those that the cuts make, and the least noisy count that is listed.
    by_class
        Released records of each class.
    marginals
        The attributes.
    ledger
        What the budget was spent on, in order.
    counts_epsilon
        What the counts of the groups cost: it determines their noise.
    public
        The declared domains.
    outside
        What became of values that no domain has, in a sentence.
    mechanisms, randomness, post_processing
        How chance entered and what was made of the noisy counts, in sentences.
    not_protected
        What the guarantee does not cover, in sentences.
    notes
        What to mind.
    """

    source: str
    created: str
    version: str
    guarantee: str
    amount: str
    factor: str
    epsilon: Fraction
    unit: str
    neighbors: str
    target: str
    classes: tuple[str, ...]
    score: str
    chosen: bool
    steps: tuple[str, ...]
    groups: int
    all_groups: int
    least: int
    by_class: tuple[int, ...]
    marginals: tuple[MarginalView, ...]
    ledger: tuple[SpendingView, ...]
    counts_epsilon: Fraction
    public: tuple[DomainView, ...]
    outside: str
    mechanisms: tuple[str, ...]
    randomness: str
    post_processing: str
    not_protected: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def records(self) -> int:
        """How many records are released."""
        return sum(self.by_class)
