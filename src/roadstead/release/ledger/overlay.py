"""Compare a new release with earlier releases about the same people.

For releases under the same policy, Roadstead compares the counts of two releases, the counts of a
whole and its parts, and the sets of sensitive values in all releases. For releases under several
policies, Roadstead counts the records that are indistinguishable in all releases. If there is a
person ID column, Roadstead counts people. Releases with common pseudonyms are also compared person
by person, even if they have different columns or are declared to be about other people. Releases
that cannot be compared are listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.document import Policy, from_json
from roadstead.release.ledger.classes import ReleasedClasses, masked_under
from roadstead.release.ledger.differences import (
    Kept,
    differencing,
    same_rules,
    sets_of_values,
    values_of_newcomers,
)
from roadstead.release.ledger.entry import EarlierRelease
from roadstead.release.ledger.facts import (
    NotLaid,
    Overlay,
    OverlayFinding,
    OverlayKind,
    PartlyLaid,
    WhyNotLaid,
)
from roadstead.release.ledger.gaps import gaps
from roadstead.release.ledger.joined import joined_people
from roadstead.release.ledger.joint import joint_sizes, shared_unions
from roadstead.release.ledger.labels import column_without_common_labels, labels_of, labels_under
from roadstead.release.ledger.masked import Side, by_masked_records
from roadstead.release.ledger.parts import NEW, SeriesMember, small_remainders
from roadstead.release.ledger.value_sets import values_in_all
from roadstead.tables.frequency import FrequencyTable, OutgrownError, summarize
from roadstead.tables.persons.profiles import summarize_persons
from roadstead.tables.source import Source

Integers = NDArray[np.int64]
MOST_COMBINATIONS = 20_000_000
"""The largest number of combinations of two policies' quasi-identifiers that are counted."""


@dataclass(frozen=True, eq=False)
class ReleaseToLay:
    """A release that is about to be published."""

    source: Source  # the records before the policy is applied
    content: str  # digest of the source records
    policy: Policy
    k: int
    classes: ReleasedClasses
    person: str | None = None  # the person ID column; None if each record counts as one person


def laid_over(
    new: ReleaseToLay,
    earlier: Sequence[EarlierRelease],
    others: Sequence[EarlierRelease] = (),
) -> Overlay:
    """Compare a release with all earlier releases of the same people.

    `others` are releases that are declared to be about other people. Only the pseudonyms of these
    releases are compared.
    """
    laid = _Laid(new)
    for one in earlier:
        laid.over(one)
    for one in (*earlier, *others):
        laid.joined_with(one)
    together = laid.together()
    parts = small_remainders(laid.series, persons=new.person is not None)
    known = {one.column for one in laid.findings if one.kind == "values"}
    changed = [column for column, groups in laid.changed.items() if groups and column not in known]
    sets = values_in_all(laid.series, changed, promised_values(*laid.policies))
    return Overlay(
        len(laid.series) - 1,
        len(laid.others),
        sum(one.content == new.content for one, _ in laid.others),
        (*laid.findings, *together, *sets.findings, *parts.findings),
        tuple(laid.not_laid),
        laid.changed,
        unit="record" if new.person is None else "person",
        cut_short=parts.cut_short or sets.cut_short or laid.cut_short,
        no_size=new.k == 1,
        joined=laid.joined,
        unlike=laid.unlike,
        partly=tuple(laid.partly),
        strange=sum(
            one.classes is not None
            and one.classes.pseudonyms is not None
            and new.classes.pseudonyms is not None
            and one.name not in laid.joined
            for one in earlier
        ),
        apart=sum(one.name not in laid.joined for one in others),
    )


class _Laid:
    """The findings that accumulate while earlier releases are compared."""

    def __init__(self, new: ReleaseToLay) -> None:
        self.new = new
        self.findings: list[OverlayFinding] = []
        self.not_laid: list[NotLaid] = []
        self.changed: dict[str, int] = {}
        masks = keeps_suppressed(new.policy)
        self.series = [SeriesMember(NEW, new.content, new.classes, new.k, masks)]
        self.policies = [new.policy]  # of the series
        self.others: list[tuple[EarlierRelease, Policy]] = []
        self.cut_short = False
        self.joined: dict[str, int] = {}
        self.unlike: dict[str, str] = {}
        self.partly: list[PartlyLaid] = []

    def joined_with(self, one: EarlierRelease) -> None:
        """Compare the people in both releases if the pseudonyms have the same key."""
        if one.classes is None:
            return
        new, k = self.new, max(self.new.k, one.k or 1)
        found = joined_people(one.classes, new.classes, k=k, name=one.name)
        if found is not None:
            self.joined[one.name] = found.people
            self.findings += found.findings
            self.cut_short |= found.cut_short

    def over(self, one: EarlierRelease) -> None:
        """Compare the new release with one earlier release."""
        new = self.new
        if one.policy is None or one.classes is None:
            self.not_laid.append(NotLaid(one.name, "private"))
            return
        policy = from_json(one.policy, where=one.name)
        k = max(new.k, one.k or 1)
        if not _same_dates(new.policy, policy):
            self.not_laid.append(NotLaid(one.name, "dates"))
        elif same_rules(new.policy, policy):
            self._find_gaps(one, (policy, one.classes))
            self._find_unlike(one.name, one.classes, labels_of(new.classes))
            masks = keeps_suppressed(policy)
            self.series.append(SeriesMember(one.name, one.content, one.classes, k, masks))
            kept = keeps_suppressed(policy), keeps_suppressed(new.policy)
            self._one_policy(one.name, one.classes, policy, k, kept)
            self.policies.append(policy)
            sides = (
                Side(
                    classes,
                    masked_under(own, classes),
                    keeps_suppressed(own),
                    least,
                    _by_size(own),
                )
                for classes, own, least in (
                    (one.classes, policy, one.k or 1),
                    (new.classes, new.policy, new.k),
                )
            )
            persons = new.person is not None
            masked = by_masked_records(*sides, k=k, name=one.name, persons=persons)
            self.findings += masked.findings
            self.cut_short |= masked.cut_short
        else:
            table = self._table([policy])
            if isinstance(table, str):
                self.not_laid.append(NotLaid(one.name, table))
                return
            self._find_gaps(one, (policy, one.classes))
            self._find_unlike(one.name, one.classes, labels_under(policy, table))
            self.others.append((one, policy))
            own, other = (new.policy, new.classes), (policy, one.classes)
            sizes = joint_sizes(table, [own, other])
            few = sizes[sizes < k]
            if few.size:
                self.findings.append(self._alike_in("intersection", one.name, few, k))
            if one.content != new.content:
                kept = keeps_suppressed(policy), keeps_suppressed(new.policy)
                self.findings += differencing(
                    one.classes,
                    new.classes,
                    k=k,
                    name=one.name,
                    persons=new.person is not None,
                    shared=shared_unions(table, other, own, kept),
                )

    def _find_gaps(self, one: EarlierRelease, earlier: tuple[Policy, ReleasedClasses]) -> None:
        """Record the limits of the comparison with a release."""
        new = self.new
        self.partly += gaps(
            one,
            earlier,
            (new.policy, new.classes),
            persons=new.person is not None,
            same_records=one.content == new.content,
        )

    def _find_unlike(
        self, name: str, classes: ReleasedClasses, labels: Mapping[str, Iterable[str | None]]
    ) -> None:
        """Record a release if a column does not have any label in common with the new table."""
        column = column_without_common_labels(classes, labels)
        if column is not None:
            self.unlike[name] = column

    def _one_policy(
        self, name: str, classes: ReleasedClasses, policy: Policy, k: int, kept: Kept
    ) -> None:
        new, promised = self.new, promised_values(self.new.policy, policy)
        persons = new.person is not None
        sensitive = dict.fromkeys((*new.policy.columns.sensitive, *policy.columns.sensitive))
        self.findings += differencing(
            classes, new.classes, k=k, name=name, persons=persons, kept=kept
        )
        self.findings += values_of_newcomers(
            classes, new.classes, promised=promised, name=name, kept=kept
        )
        for column, number, found in sets_of_values(
            classes, new.classes, sensitive, promised=promised, name=name, kept=kept
        ):
            self.changed[column] = max(self.changed.get(column, 0), number)
            self.findings += [] if found is None else [found]

    def together(self) -> list[OverlayFinding]:
        """Compare the new release with all releases under other policies at once.

        The method runs only if no pair of releases led to a finding. The comparison includes all
        releases of the same records. For other records, it includes the last release under each
        policy.
        """
        if len(self.others) < 2 or any(one.kind == "intersection" for one in self.findings):  # noqa: PLR2004 - a pair is compared already
            return []
        chosen: list[tuple[EarlierRelease, Policy]] = []
        for one, policy in reversed(self.others):
            known = any(same_rules(policy, own) for _, own in chosen)
            if one.content == self.new.content or not known:
                chosen.append((one, policy))
        releases = [(policy, one.classes) for one, policy in chosen if one.classes is not None]
        table = self._table([policy for policy, _ in releases])
        if isinstance(table, str):
            self.cut_short = True
            return []
        sizes = joint_sizes(table, [(self.new.policy, self.new.classes), *releases])
        k = max(self.new.k, *(one.k or 1 for one, _ in chosen))
        few = sizes[sizes < k]
        if not few.size:
            return []
        names = sorted(one.name for one, _ in chosen)
        return [self._alike_in("together", names[-1], few, k, tuple(names[:-1]))]

    def _table(self, others: list[Policy]) -> FrequencyTable | WhyNotLaid:
        """Count the new records by the quasi-identifiers of all policies."""
        new = self.new
        quasi = tuple(dict.fromkeys(name for own in (new.policy, *others) for name in own.quasi))
        if not {*quasi} <= {*new.source.columns}:
            return "columns"
        try:
            if new.person is None:
                return summarize(new.source, quasi, most=MOST_COMBINATIONS)
            return summarize_persons(new.source, new.person, quasi, most=MOST_COMBINATIONS)
        except OutgrownError:
            return "size"

    def _alike_in(
        self, kind: OverlayKind, name: str, few: Integers, k: int, others: tuple[str, ...] = ()
    ) -> OverlayFinding:
        unit: Literal["record", "person"] = "record" if self.new.person is None else "person"
        least = int(few.min())
        return OverlayFinding(kind, name, int(few.size), k, least, unit=unit, others=others)


def keeps_suppressed(policy: Policy) -> bool:
    """Return whether a release keeps its suppressed records in masked form."""
    return policy.suppression.records == "mask"


def _by_size(policy: Policy) -> bool:
    """Return whether suppression of a class depends only on the size of the class."""
    return all(model.get("kind") == "k-anonymity" for model in policy.privacy)


def promised_values(*policies: Policy) -> dict[str, int]:
    """Return the number of values that policies require in each class, for each column."""
    found: dict[str, int] = {}
    for model in (one for policy in policies for one in policy.privacy):
        column, least = model.get("column"), model.get("l")
        if isinstance(column, str) and isinstance(least, int | float) and least > 1:
            # Entropy and recursive l-diversity imply at least l distinct values.
            found[column] = max(found.get(column, 0), ceil(least))
    return found


def _same_dates(one: Policy, other: Policy) -> bool:
    """Return whether both policies transform dates in the same way before generalization."""
    rules = [None if p.persons is None else p.persons.dates for p in (one, other)]
    return (rules[0] or ()) == (rules[1] or ())
