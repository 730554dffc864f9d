"""Everything a report shows, as plain numbers and strings.

A report is made from one `ReportContent` and from nothing else, so whoever fills it decides what
is told. It has no place for records: sizes, shares, rules in words, and names of columns. What
follows from other figures is a property, so that a report cannot contradict itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING

from roadstead.quality.for_sharing import coarse, coarse_at_most, coarse_bound, gap_between
from roadstead.quality.words import QualityWords, words_of
from roadstead.reports.other_columns import ChecklistRow, ReleasedIdentifier

if TYPE_CHECKING:
    from roadstead.release.added_risk import AddedRisk


@dataclass(frozen=True)
class Promise:
    """What holds of the release."""

    sentence: str  # the promise in words, one or more full sentences
    models: tuple[str, ...]  # names of the privacy models, such as "5-anonymity"
    # Records an equivalence class must have; 1 where single records are not protected by number.
    k: int
    limit_share: float  # most records that may be suppressed, as a share of all and as a number
    limit_records: int

    @property
    def threshold(self) -> float:
        """The prosecutor risk that is still acceptable, 1/k."""
        return 1.0 / self.k


@dataclass(frozen=True)
class Measured:
    """How near a release comes to what a privacy model allows: what, how much, and the bound."""

    what: str
    found: str
    allowed: str


@dataclass(frozen=True)
class Guarantee:
    """A privacy model alongside k-anonymity."""

    kind: str  # the kind of model, as policies name it
    name: str  # the model with its parameters
    promise: str  # what it promises, as a full sentence
    columns: tuple[str, ...] = ()  # the sensitive columns that it looks at
    # The class of the release that comes nearest to the bound; None where that is not known.
    measured: Measured | None = None


@dataclass(frozen=True)
class RecordCounts:
    """Records in and out."""

    records: int  # records of the source
    masked: int  # suppressed records kept with ``*`` as quasi-identifiers, and left out
    dropped: int
    # Suppressed records whose class is large enough, and fails another privacy model.
    failing: int = 0
    uncovered: int = 0  # suppressed records with a value that the policy does not cover

    @property
    def suppressed(self) -> int:
        """Records whose quasi-identifiers are not released."""
        return self.masked + self.dropped

    @property
    def too_few(self) -> int:
        """Suppressed records because too few others look the same."""
        return self.suppressed - self.failing - self.uncovered

    @property
    def released(self) -> int:
        """Records of the release, masked ones included."""
        return self.records - self.dropped

    @property
    def generalized(self) -> int:
        """Records released with their generalized quasi-identifiers."""
        return self.records - self.suppressed

    @property
    def suppressed_share(self) -> float:
        """Suppressed records, as a share of all."""
        return self.suppressed / self.records if self.records else 0.0


@dataclass(frozen=True)
class Attribute:
    """What was done to one quasi-identifier."""

    name: str  # the column
    level: int  # the level chosen, from 0 (as it is), and how many levels its hierarchy has
    levels: int
    does: str  # what the rule does, in words: "in bands of 5"
    loss: float | None  # mean loss over all records, 0 to 1; None where it could not be measured
    weight: float = 1.0  # how much the attribute counts in the total loss
    # Labels the rule makes, derived from the rule and not read off the data.
    examples: tuple[str, ...] = ()

    @property
    def kept(self) -> bool:
        """Whether the values are released as they are."""
        return self.level == 0

    @property
    def removed(self) -> bool:
        """Whether every value becomes the same."""
        return not self.kept and self.level == self.levels - 1


@dataclass(frozen=True)
class Withheld:
    """A column that is not released although it identifies nobody by itself, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class ReportedColumns:
    """The columns alongside the quasi-identifiers."""

    sensitive: tuple[str, ...] = ()  # released unchanged
    insensitive: tuple[str, ...] = ()
    identifying: tuple[str, ...] = ()  # removed, because they point at a person directly
    withheld: tuple[Withheld, ...] = ()  # not released, each for a reason of its own
    # Released unchanged by name, although they look like an identifier.
    forced: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()  # released unchanged though no role was given


@dataclass(frozen=True)
class ClassSizes:
    """How large the equivalence classes are."""

    # Pairs of a class size and the number of records in classes of that size.
    histogram: tuple[tuple[int, int], ...]

    @property
    def records(self) -> int:
        """Records in all classes."""
        return sum(records for _, records in self.histogram)

    @property
    def classes(self) -> int:
        """Equivalence classes."""
        return sum(records // size for size, records in self.histogram)

    @property
    def smallest(self) -> int:
        """Records in the smallest class; 0 when there is none."""
        return min((size for size, _ in self.histogram), default=0)

    @property
    def mean(self) -> float:
        """Records by class; 0 when there is none."""
        return self.records / self.classes if self.classes else 0.0


@dataclass(frozen=True)
class ReportedRisk:
    """Prosecutor risk of a table."""

    maximum: float  # risk of the record most at risk
    average: float  # mean risk over the records
    share_above_threshold: float  # share of the records whose risk is above 1/k
    uniques: int  # records that are alone in their class


@dataclass(frozen=True)
class ReportedLoss:
    """What the release loses."""

    # How the attributes' losses were made one number: "geometric" or "arithmetic"; None where the
    # measure does not tell attributes apart.
    aggregate: str | None
    total: float  # the loss, 0 to 1
    # No admissible policy loses less; None where nothing was searched.
    lower_bound: float | None = None
    optimal: bool = False  # whether the policy is proven to be the best
    kind: str = "loss"  # the quality model
    target: str = ""  # the column that it speaks of, if there is one
    # The gap, where it is not to be worked out from `total` and `lower_bound`, which are rounded.
    most_avoidable: float | None = None

    @property
    def measure(self) -> QualityWords:
        """The quality model in words."""
        return words_of(self.kind)

    @property
    def gap(self) -> float | None:
        """Share of the loss that a better policy could at most avoid; None where not bounded."""
        if self.optimal:
            return 0.0
        if self.most_avoidable is not None:
            return self.most_avoidable
        if self.lower_bound is None or not isfinite(self.lower_bound):
            return None
        return gap_between(self.lower_bound, self.total)

    @property
    def bounded(self) -> bool:
        """Whether anything is known of how much better another policy may be."""
        return self.gap is not None and self.gap < 1.0


@dataclass(frozen=True)
class ReportedSearch:
    """How the policy was found."""

    name: str  # the search, and what it promises, in words
    guarantee: str
    evaluated: int  # policies whose classes were computed, and policies there are
    lattice_size: int
    ending: str  # why it ended: "complete", "time limit" or "interrupted"
    seconds: float  # time of the search alone
    pruned: int = 0  # policies shown to be no better without being evaluated
    cuts: bool = False  # whether policies cut the values of an attribute, and do not choose levels
    # Whether policies of many trade-offs were searched for, of which one was chosen.
    frontier: bool = False


@dataclass(frozen=True)
class Setting:
    """One setting: its name, its value, and what it means."""

    name: str
    value: str
    meaning: str


@dataclass(frozen=True)
class ReportContent:
    """The whole report."""

    title: str  # what the report is called; name of the file the data came from, without its folder
    source: str
    created: str  # time in UTC (ISO 8601), and version of the software
    version: str
    promise: Promise  # what was promised, and what was done to records and columns
    counts: RecordCounts
    attributes: tuple[Attribute, ...]
    columns: ReportedColumns
    # Of all records of the source, and of those released with generalized quasi-identifiers.
    classes_before: ClassSizes
    classes_after: ClassSizes
    risk_before: ReportedRisk
    risk_after: ReportedRisk
    # What was lost; None where a policy was applied and there was nothing to measure it with.
    loss: ReportedLoss | None
    search: ReportedSearch | None  # how the policy was found; None where it was given
    # How many records are expected to have fewer than k people behind them, in sentences; empty
    # where no privacy model asks for a number of people.
    expectation: tuple[str, ...] = ()
    guarantees: tuple[Guarantee, ...] = ()  # the privacy models alongside k-anonymity
    settings: tuple[Setting, ...] = ()  # what was asked for
    notes: tuple[str, ...] = ()  # warnings and remarks on this release, shown near the top
    # What the figures rest on, alongside what is said of every release.
    assumptions: tuple[str, ...] = ()
    # Released columns that look like an identifier, and what became of each of the eighteen.
    identifiers: tuple[ReleasedIdentifier, ...] = ()
    checklist: tuple[ChecklistRow, ...] = ()
    # What the released columns add to the risk; None where it was not counted.
    added: AddedRisk | None = None

    @property
    def for_sharing(self) -> ReportContent:
        """The same with rounded losses, from which no range of values can be worked out."""
        attributes = tuple(
            a if a.loss is None else replace(a, loss=coarse(a.loss)) for a in self.attributes
        )
        loss = None if self.loss is None else _for_sharing(self.loss)
        return replace(self, attributes=attributes, loss=loss)


def _for_sharing(loss: ReportedLoss) -> ReportedLoss:
    """Round a loss, and what bounds it outwards."""
    bound, gap = loss.lower_bound, loss.gap
    return replace(
        loss,
        total=coarse(loss.total),
        lower_bound=bound and coarse_bound(bound, loss.total, optimal=loss.optimal),
        most_avoidable=gap and coarse_at_most(gap),
    )
