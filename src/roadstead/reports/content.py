"""Define the content of a report as plain numbers and strings.

A report is generated from one `ReportContent`, which contains no records. Figures that can be
computed from other figures are properties, so the figures cannot contradict each other.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from roadstead.quality.for_sharing import coarse, coarse_at_most, coarse_bound, gap_between
from roadstead.quality.words import QualityWords, words_of
from roadstead.release.verification.terms import NO_TERMS, PromiseTerms

if TYPE_CHECKING:
    from roadstead.release.added_risk import AddedRisk, SingledOutPeople
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
    k: int  # smallest group size in records; 1 if group size does not protect the records
    limit_share: float  # suppression limit, as a share of all records
    limit_records: int  # suppression limit, as a number of records

    @property
    def threshold(self) -> float:
        """The highest acceptable prosecutor risk, 1/k."""
        return 1.0 / self.k


@dataclass(frozen=True)
class Measured:
    """A figure of a release that a privacy model limits, with its value and the limit."""

    what: str
    found: str
    allowed: str


@dataclass(frozen=True)
class Guarantee:
    """A privacy model in addition to k-anonymity."""

    kind: str  # the kind of model, in the words of policies
    name: str  # the model with its parameters
    promise: str  # what the model requires, as a full sentence
    columns: tuple[str, ...] = ()  # the sensitive columns that the model uses
    measured: Measured | None = None  # the group closest to the limit, if known


@dataclass(frozen=True)
class RecordCounts:
    """The number of records in the source, and their number in the release."""

    records: int  # records of the source, without those that the shift of dates left out
    masked: int  # suppressed records kept with ``*`` as quasi-identifiers
    dropped: int  # suppressed records that are omitted
    failing: int = 0  # suppressed records in large enough groups that fail another model
    uncovered: int = 0  # suppressed records with a value that the policy does not cover
    in_no_class: bool = False  # whether these are all records outside the groups of the policy
    shifted_out: int = 0  # records that the shift of dates left out before the others were counted
    persons_shifted_out: int = 0  # people whose records are all among these

    @property
    def suppressed(self) -> int:
        """The number of records whose quasi-identifiers are not released."""
        return self.masked + self.dropped

    @property
    def too_few(self) -> int:
        """The number of records suppressed because too few other records have the same values."""
        return self.suppressed - self.failing - self.uncovered

    @property
    def released(self) -> int:
        """The number of records in the release, including masked records."""
        return self.records - self.dropped

    @property
    def generalized(self) -> int:
        """The number of records released with generalized quasi-identifiers."""
        return self.records - self.suppressed

    @property
    def base(self) -> str:
        """The records that are counted, in words."""
        return "after the shift of dates" if self.shifted_out else "of the source"

    @property
    def suppressed_share(self) -> float:
        """The suppressed records as a share of all records."""
        return self.suppressed / self.records if self.records else 0.0


@dataclass(frozen=True)
class Attribute:
    """The treatment of one quasi-identifier, and how much of its detail remains."""

    name: str  # the column
    level: int  # the level chosen, from 0 (unchanged)
    levels: int  # the number of levels of its hierarchy
    does: str  # the rule in words: "in bands of 5"
    loss: float | None  # mean loss over all records, 0 to 1; None if it could not be measured
    weight: float = 1.0  # weight of the attribute in the total loss
    varies: bool = False  # whether groups differ in this attribute; all have at least `level`
    left: bool = True  # whether any released record shows a value of the attribute

    @property
    def kept(self) -> bool:
        """Indicates whether the values are released unchanged."""
        return self.left and self.level == 0 and not self.varies

    @property
    def removed(self) -> bool:
        """Indicates whether all values become the same value, or no value is left."""
        top = self.level > 0 and self.level == self.levels - 1
        return not self.left or (top and not self.varies)


@dataclass(frozen=True)
class Withheld:
    """A column that is withheld although it is not a direct identifier, and the reason."""

    name: str
    reason: str


@dataclass(frozen=True)
class ReportedColumns:
    """The columns that are not quasi-identifiers."""

    sensitive: tuple[str, ...] = ()  # the columns released unchanged
    unchanged: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()  # removed, because they identify a person directly
    withheld: tuple[Withheld, ...] = ()  # not released, each with its reason
    forced: tuple[str, ...] = ()  # released anyway, although they look like identifiers
    unnamed: tuple[str, ...] = ()  # released unchanged, although no role was given
    treated: tuple[tuple[str, str], ...] = ()  # released after a treatment, with the treatment
    replaced: tuple[tuple[str, str], ...] = ()  # dates and person IDs, with what replaces them
    person: str | None = None  # the person ID, if no pseudonym replaces it
    reasons: tuple[tuple[str, str], ...] = ()  # forced columns with the reasons for their release


@dataclass(frozen=True)
class ReleasedIdentifier:
    """A released column that looks like an identifier, or to which there is another objection."""

    column: str  # the column; then the number and name of the identifier that it looks like
    number: int | None  # None if it is not one of the 18 identifiers of Safe Harbor
    objection: ObjectionKind | None  # the objection, if there is no number
    identifier: str
    why: str  # the evidence, and the Safe Harbor requirement; empty if there is none
    remedy: str
    forced: bool  # whether the column was released anyway

    def to_dict(self) -> dict[str, Any]:
        """Return the column as JSON."""
        return {key: value for key, value in asdict(self).items() if key != "objection"}


@dataclass(frozen=True)
class ChecklistRow:
    """The row of a checklist for one of the eighteen identifiers."""

    number: int  # the number and name in the rule
    identifier: str
    answer: str  # whether the identifier was found
    # The columns where the identifier was found, each with its treatment.
    columns: tuple[tuple[str, str], ...] = ()
    note: str = ""  # what was not checked


@dataclass(frozen=True)
class ReportedLoss:
    """The loss of the release."""

    aggregate: str | None  # how the mean over attributes is formed, if the measure is per attribute
    total: float  # the loss, 0 to 1
    lower_bound: float | None = None  # a bound for all admissible policies, if they were searched
    optimal: bool = False  # whether the policy is proven to be the best
    kind: str = "loss"  # the quality model
    target: str = ""  # the target column of the quality model, if there is one
    most_avoidable: float | None = None  # the gap, if `total` and `lower_bound` are rounded
    of_persons: bool = False  # whether each person, instead of each record, has the same weight

    @property
    def measure(self) -> QualityWords:
        """The name of the quality model, in words."""
        return words_of(self.kind)

    @property
    def gap(self) -> float | None:
        """The largest share of the loss that a better policy could avoid, or None if unknown."""
        if self.optimal:
            return 0.0
        if self.most_avoidable is not None:
            return self.most_avoidable
        if self.lower_bound is None or not isfinite(self.lower_bound):
            return None
        return gap_between(self.lower_bound, self.total)

    @property
    def bounded(self) -> bool:
        """Indicates whether there is a bound on the loss that a better policy could avoid."""
        return self.gap is not None and self.gap < 1.0


@dataclass(frozen=True)
class ReportedSearch:
    """The search for the policy."""

    name: str
    guarantee: str  # the guarantee of the search, in words
    evaluated: int  # the number of policies for which groups were computed
    lattice_size: int  # the number of all policies
    ending: str  # why the search ended: "complete", "time limit" or "interrupted"
    seconds: float  # time of the search alone
    pruned: int = 0  # the number of policies excluded without evaluation
    cuts: bool = False  # whether policies cut the values of an attribute instead of choosing levels
    frontier: bool = False  # whether policies of many trade-offs were found, and one was chosen
    recoding: bool = False  # whether groups show different levels
    narrowed: bool = False  # whether some levels of the hierarchies were not allowed


@dataclass(frozen=True)
class ReportedParts:
    """The released forms of one quasi-identifier, if they differ between groups."""

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
    """The risk of people, if people are counted."""

    column: str  # the person ID column
    known: str  # what an attacker may know about a person, in words: "any two rows"
    k: int  # the number of people who must match
    persons: int  # the number of people in the source, without those left out by a shift of dates
    released: int  # the number of people with a record in the release
    in_part: int  # the number of people with a record in the release and a suppressed record
    whole: bool  # whether a person is omitted with all records
    # The people whom all linked rows single out. None without links, or if a model covers them.
    all_rows: SingledOutPeople | None
    before: PersonRisk | None  # None if counting would take too long
    after: PersonRisk
    unicity_before: tuple[Singled, ...]
    unicity_after: tuple[Singled, ...]

    @property
    def left_out(self) -> int:
        """The number of people who have no released record."""
        return self.persons - self.released


@dataclass(frozen=True)
class ReportContent:
    """The content of the whole report."""

    title: str
    source: str  # the name of the file of the data, without its folder
    created: str  # the time in UTC (ISO 8601)
    version: str  # the version of the software
    promise: Promise
    counts: RecordCounts
    attributes: tuple[Attribute, ...]
    columns: ReportedColumns
    # `before` covers all records of the source. `after` covers the records released with
    # generalized values. Each pair is a group size and the number of records in such groups.
    classes_before: tuple[tuple[int, int], ...]
    classes_after: tuple[tuple[int, int], ...]
    risk_before: ProsecutorRisk
    risk_after: ProsecutorRisk
    loss: ReportedLoss | None  # None if a policy was given without a measure
    search: ReportedSearch | None  # None if the policy was given
    of_masked: str = ""  # the risk of the records with ``*``, if it is higher
    counted: str = ""  # a sentence that says whether records or people are counted
    # The expected number of records with fewer than k matching people, if a model requires people.
    expectation: tuple[str, ...] = ()
    guarantees: tuple[Guarantee, ...] = ()  # the privacy models in addition to k-anonymity
    settings: tuple[Setting, ...] = ()
    notes: tuple[str, ...] = ()  # warnings and remarks on this release, displayed near the top
    assumptions: tuple[str, ...] = ()  # the assumptions of this release
    identifiers: tuple[ReleasedIdentifier, ...] = ()  # released columns that look like identifiers
    checklist: tuple[ChecklistRow, ...] = ()  # the result for each of the eighteen identifiers
    persons: ReportedPersons | None = None  # None if records are counted
    parts: tuple[ReportedParts, ...] = ()  # empty if all groups show the same levels
    classes_made: int = 0  # the number of groups of the policy, if groups differ
    added: AddedRisk | None = None  # how the released columns add to the risk, if this was counted
    below_promise: BelowPromise | None = None  # the declared requirements that are not met, and why
    terms: PromiseTerms = NO_TERMS  # the requirements, their columns, and the highest risk

    @property
    def for_sharing(self) -> ReportContent:
        """The same content with rounded losses, which do not reveal the range of values."""
        attributes = tuple(
            a if a.loss is None else replace(a, loss=coarse(a.loss)) for a in self.attributes
        )
        loss = self.loss
        if loss is not None:  # Upper bounds are rounded up, and lower bounds down.
            bound, gap = loss.lower_bound, loss.gap
            loss = replace(
                loss,
                total=coarse(loss.total),
                lower_bound=bound and coarse_bound(bound, loss.total, optimal=loss.optimal),
                most_avoidable=gap and coarse_at_most(gap),
            )
        return replace(self, attributes=attributes, loss=loss)
