"""Everything a report shows, as plain numbers and strings.

A report is made from one `ReportContent` only. It contains sizes, shares, rules in words, and names
of columns, but no records. Figures that follow from other figures are properties, so that a report
cannot contradict itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from roadstead.quality.for_sharing import coarse, coarse_at_most, coarse_bound, gap_between
from roadstead.quality.words import QualityWords, words_of
from roadstead.release.verification.terms import NO_TERMS, PromiseTerms

if TYPE_CHECKING:
    from roadstead.release.added_risk import AddedRisk
    from roadstead.release.below_promise import BelowPromise
    from roadstead.risk.persons.prosecutor import PersonRisk
    from roadstead.risk.persons.unicity import Singled
    from roadstead.risk.prosecutor import ProsecutorRisk
    from roadstead.tables.identifiers.objections import ObjectionKind


@dataclass(frozen=True)
class Promise:
    """The privacy requirements of the release."""

    sentence: str  # the requirements in words, one or more full sentences
    models: tuple[str, ...]  # names of the privacy models, such as "5-anonymity"
    k: int  # least records of a group; 1 if records are not protected by number
    limit_share: float  # suppression limit, as a share of all records
    limit_records: int  # suppression limit, as a number of records

    @property
    def threshold(self) -> float:
        """The prosecutor risk that is still acceptable, 1/k."""
        return 1.0 / self.k


@dataclass(frozen=True)
class Measured:
    """Distance of a release from the limit of a privacy model: figure, value, and limit."""

    what: str
    found: str
    allowed: str


@dataclass(frozen=True)
class Guarantee:
    """A privacy model in addition to k-anonymity."""

    kind: str  # the kind of model, as policies name it
    name: str  # the model with its parameters
    promise: str  # what it requires, as a full sentence
    columns: tuple[str, ...] = ()  # the sensitive columns that it uses
    measured: Measured | None = None  # the group closest to the limit, where known


@dataclass(frozen=True)
class RecordCounts:
    """Records of the source and of the release."""

    records: int  # records of the source
    masked: int  # suppressed records kept with ``*`` as quasi-identifiers
    dropped: int  # suppressed records left out
    failing: int = 0  # suppressed in large enough groups that fail another model
    uncovered: int = 0  # suppressed records with a value that the policy does not cover
    in_no_class: bool = False  # whether these are all records outside the policy's groups

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
        """Records released with generalized quasi-identifiers."""
        return self.records - self.suppressed

    @property
    def suppressed_share(self) -> float:
        """Suppressed records, as a share of all."""
        return self.suppressed / self.records if self.records else 0.0


@dataclass(frozen=True)
class Attribute:
    """Detail that is left in one quasi-identifier."""

    name: str  # the column
    level: int  # the level chosen, from 0 (unchanged)
    levels: int  # the number of levels of its hierarchy
    does: str  # the rule in words: "in bands of 5"
    loss: float | None  # mean loss over all records, 0 to 1; None if it could not be measured
    weight: float = 1.0  # weight of the attribute in the total loss
    varies: bool = False  # whether groups differ in it; all have at least the level
    left: bool = True  # whether any released record shows a value of it

    @property
    def kept(self) -> bool:
        """Whether the values are released unchanged."""
        return self.left and self.level == 0 and not self.varies

    @property
    def removed(self) -> bool:
        """Whether every value becomes the same, or none is left."""
        top = self.level > 0 and self.level == self.levels - 1
        return not self.left or (top and not self.varies)


@dataclass(frozen=True)
class Withheld:
    """A column that is not released although it is not a direct identifier, and the reason."""

    name: str
    reason: str


@dataclass(frozen=True)
class ReportedColumns:
    """The columns that are not quasi-identifiers."""

    sensitive: tuple[str, ...] = ()  # released unchanged
    unchanged: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()  # removed, because they identify a person directly
    withheld: tuple[Withheld, ...] = ()  # not released, each with its reason
    forced: tuple[str, ...] = ()  # released anyway, although they look like identifiers
    unnamed: tuple[str, ...] = ()  # released unchanged though no role was given
    treated: tuple[tuple[str, str], ...] = ()  # released after a treatment, with the treatment
    reasons: tuple[tuple[str, str], ...] = ()  # forced columns with the reasons for their release


@dataclass(frozen=True)
class ReleasedIdentifier:
    """A released column that looks like an identifier, or that another objection applies to."""

    column: str  # the column, and the number and name of the identifier that it looks like
    number: int | None  # None if it is not one of the 18 of Safe Harbor
    objection: ObjectionKind | None  # the objection, if there is no number
    identifier: str
    why: str  # the evidence, and the Safe Harbor requirement; empty if it has none
    remedy: str
    forced: bool  # whether it was released anyway

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "column": self.column,
            "number": self.number,
            "identifier": self.identifier,
            "why": self.why,
            "remedy": self.remedy,
            "forced": self.forced,
        }


@dataclass(frozen=True)
class ChecklistRow:
    """One of the eighteen identifiers."""

    number: int  # number and name in the rule
    identifier: str
    answer: str  # whether it was found
    # Columns where it was found, each with its treatment.
    columns: tuple[tuple[str, str], ...] = ()
    note: str = ""  # what was not checked


@dataclass(frozen=True)
class ClassSizes:
    """Sizes of the groups."""

    # Pairs of a group size and the number of records in groups of that size.
    histogram: tuple[tuple[int, int], ...]

    @property
    def records(self) -> int:
        """Records in all groups."""
        return sum(records for _, records in self.histogram)

    @property
    def classes(self) -> int:
        """Equivalence classes."""
        return sum(records // size for size, records in self.histogram)

    @property
    def smallest(self) -> int:
        """Records in the smallest group; 0 if there is none."""
        return min((size for size, _ in self.histogram), default=0)

    @property
    def mean(self) -> float:
        """Records per group; 0 if there is none."""
        return self.records / self.classes if self.classes else 0.0


@dataclass(frozen=True)
class ReportedLoss:
    """The loss of the release."""

    aggregate: str | None  # the mean over attributes, if the measure is per attribute
    total: float  # the loss, 0 to 1
    lower_bound: float | None = None  # of all admissible policies, if they were searched
    optimal: bool = False  # whether the policy is proven to be the best
    kind: str = "loss"  # the quality model
    target: str = ""  # the column of its target, if there is one
    most_avoidable: float | None = None  # the gap, where `total` and `lower_bound` are rounded
    of_persons: bool = False  # whether each person, not each record, has the same weight

    @property
    def measure(self) -> QualityWords:
        """The quality model in words."""
        return words_of(self.kind)

    @property
    def gap(self) -> float | None:
        """Share of the loss that a better policy could at most avoid; None if not bounded."""
        if self.optimal:
            return 0.0
        if self.most_avoidable is not None:
            return self.most_avoidable
        if self.lower_bound is None or not isfinite(self.lower_bound):
            return None
        return gap_between(self.lower_bound, self.total)

    @property
    def bounded(self) -> bool:
        """Whether there is a bound on the advantage of any other policy."""
        return self.gap is not None and self.gap < 1.0


@dataclass(frozen=True)
class ReportedSearch:
    """The search for the policy."""

    name: str
    guarantee: str  # its guarantee, in words
    evaluated: int  # policies whose groups were computed
    lattice_size: int  # policies there are
    ending: str  # why it ended: "complete", "time limit" or "interrupted"
    seconds: float  # time of the search alone
    pruned: int = 0  # policies excluded without evaluation
    cuts: bool = False  # whether policies cut the values of an attribute instead of choosing levels
    frontier: bool = False  # whether policies of many trade-offs were found, and one was chosen
    recoding: bool = False  # whether groups differ in what they show
    narrowed: bool = False  # whether some levels of the hierarchies were not allowed


@dataclass(frozen=True)
class ReportedParts:
    """Forms of one quasi-identifier in the groups, if groups differ."""

    name: str
    shares: tuple[tuple[str, float], ...]  # each form in words, and its share of these records


@dataclass(frozen=True)
class Setting:
    """One setting: its name, its value, and what it means."""

    name: str
    value: str
    meaning: str


@dataclass(frozen=True)
class ReportedPersons:
    """The risk of people, where people are counted."""

    column: str  # the person ID column
    known: str  # what an attacker may know about a person, in words: "any two rows"
    k: int  # how many people must match
    persons: int  # of the source
    released: int  # with a record in the release
    whole: bool  # whether people are left out with all their records
    before: PersonRisk | None  # None if it takes too long to count
    after: PersonRisk
    unicity_before: tuple[Singled, ...]
    unicity_after: tuple[Singled, ...]

    @property
    def left_out(self) -> int:
        """People without a released record."""
        return self.persons - self.released


@dataclass(frozen=True)
class ReportContent:
    """The whole report."""

    title: str
    source: str  # name of the file the data came from, without its folder
    created: str  # time in UTC (ISO 8601)
    version: str  # of the software
    promise: Promise
    counts: RecordCounts
    attributes: tuple[Attribute, ...]
    columns: ReportedColumns
    # `before` has all records of the source, `after` those released with generalized values.
    classes_before: ClassSizes
    classes_after: ClassSizes
    risk_before: ProsecutorRisk
    risk_after: ProsecutorRisk
    loss: ReportedLoss | None  # None if a policy was given, and no measure
    search: ReportedSearch | None  # None if the policy was given
    counted: str = ""  # whether records or people are counted, in a sentence
    # Records expected to have fewer than k people behind them, if a model requires people.
    expectation: tuple[str, ...] = ()
    guarantees: tuple[Guarantee, ...] = ()  # the privacy models in addition to k-anonymity
    settings: tuple[Setting, ...] = ()
    notes: tuple[str, ...] = ()  # warnings and remarks on this release, shown near the top
    assumptions: tuple[str, ...] = ()  # of this release
    identifiers: tuple[ReleasedIdentifier, ...] = ()  # released, but similar to an identifier
    checklist: tuple[ChecklistRow, ...] = ()  # the result for each of the eighteen
    persons: ReportedPersons | None = None  # None if records are counted
    parts: tuple[ReportedParts, ...] = ()  # empty if no group differs in what it shows
    classes_made: int = 0  # number of groups of the policy, if they differ
    added: AddedRisk | None = None  # how the released columns add to the risk, if counted
    below_promise: BelowPromise | None = None  # the declared requirements that are not met, and why
    terms: PromiseTerms = NO_TERMS  # the requirements, their columns, and the highest risk

    @property
    def for_sharing(self) -> ReportContent:
        """The same with rounded losses, which do not reveal the range of values."""
        attributes = tuple(
            a if a.loss is None else replace(a, loss=coarse(a.loss)) for a in self.attributes
        )
        loss = self.loss
        if loss is not None:  # bounds are rounded outwards
            bound, gap = loss.lower_bound, loss.gap
            loss = replace(
                loss,
                total=coarse(loss.total),
                lower_bound=bound and coarse_bound(bound, loss.total, optimal=loss.optimal),
                most_avoidable=gap and coarse_at_most(gap),
            )
        return replace(self, attributes=attributes, loss=loss)
