"""Represent a frequency table to which a policy has been applied.

Tables of records and tables of people have the same interface. Both are created in
`generalization`. This module also refuses a release that would suppress more records than its
policy allows. If a model has one figure for all classes together, the error message reports the
figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import Refusal
from roadstead.front_end import option
from roadstead.policies.classes import Classes, keep
from roadstead.policies.document import SUPPRESSED, Policy, Suppression
from roadstead.privacy.combination import takes_population
from roadstead.privacy.protocol import BoundPrivacy, OneFigure, PrivacyModel
from roadstead.release.persons.pseudonyms import Pseudonyms
from roadstead.release.treatments.values import TreatedValues
from roadstead.tables.frequency import FrequencyTable, places
from roadstead.tables.persons.profiles import PersonTable

UNSEEN = "\x00unseen"
"""The label of a value that the policy does not cover; it is never in a release."""


@dataclass(frozen=True)
class PersonCounts:
    """The numbers of people before and after a release."""

    persons: int  # in the source
    released: int  # with at least one record
    in_part: int  # released people with at least one suppressed record

    @property
    def left_out(self) -> int:
        """Return the number of people without any released record."""
        return self.persons - self.released


@dataclass(frozen=True)
class Generalized:
    """A frequency table to which a policy has been applied.

    If people are counted, `GeneralizedPersons` is used instead.
    """

    table: FrequencyTable  # the frequency table of the original values
    labels: tuple[tuple[str, ...], ...]  # for each attribute, the label of each value in its domain
    # The frequency table of labels. It has one row per equivalence class, and one row per class of
    # people outside the table.
    merged: FrequencyTable
    kept: NDArray[np.bool_]  # whether each class is released; False if it has no records
    # For each attribute, the number of values in records that the policy does not cover.
    unseen: tuple[int, ...]
    model: BoundPrivacy  # the model that the classes must satisfy, bound to `merged`
    # The row of `merged` for each row of `table`, if each class has its own recoding. A value then
    # does not have a single label, and `labels` contains the generalization that all records have
    # in common.
    row_of: NDArray[np.int64] | None = field(default=None, repr=False)
    # The new values of treated columns, if the release has such columns.
    treated: tuple[TreatedValues, ...] = field(default=(), repr=False)

    unit: ClassVar[str] = "record"
    """The unit that is protected and counted."""
    whole: ClassVar[bool] = False
    """A flag that indicates whether suppressed people lose all their records."""

    @property
    def suppression(self) -> tuple[int, int, str]:
        """Return the number suppressed, the total, and the unit, for the suppression limit."""
        return self.suppressed, self.table.records, "records"

    def with_pseudonyms(self, made: Pseudonyms | None) -> Generalized:
        """Return the table unchanged, or raise an error if pseudonyms are given."""
        if made is not None:
            raise ValueError("the records do not have a person ID, so pseudonyms are not possible")
        return self

    @property
    def by_labels_alone(self) -> bool:
        """Return whether the labels of each record alone determine the release."""
        return not self.treated

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Return the number of records in each released class."""
        return self.merged.counts[self.kept]

    @property
    def covered(self) -> NDArray[np.bool_]:
        """Return whether the policy covers every value of each class."""
        return covered(self.merged)

    @property
    def suppressed(self) -> int:
        """Return the number of records whose generalized values are not released."""
        return int(self.merged.counts[~self.kept].sum())

    @property
    def masks_safely(self) -> bool:
        """Return whether all classes satisfy the models if suppressed records form one class."""
        return not self.suppressed or bool(self.model.satisfied(self._masked_classes()).all())

    def released(self, *, mask: bool) -> FrequencyTable:
        """Return the frequency table of the release.

        If `mask` is true, suppressed records are kept with ``*`` in every quasi-identifier. Their
        class then contains all people outside the released classes.
        """
        rows = self.kept | (mask and self.suppressed > 0)
        domains, codes = [], []
        for column, domain in zip(self.merged.codes, self.merged.domains, strict=True):
            wider = tuple(sorted({*domain, SUPPRESSED}))
            masked = np.int32(wider.index(SUPPRESSED))
            domains.append(wider)
            codes.append(np.where(self.kept, places(domain, wider)[column], masked)[rows])
        people = self.merged.population
        table = FrequencyTable(
            self.merged.attributes,
            tuple(domains),
            tuple(codes),
            self.merged.counts[rows],
            population=None if people is None else people[rows],
            alongside=tuple(one.only(rows) for one in self.merged.alongside),
            kept=None if self.merged.kept is None else self.merged.kept.only(rows),
        )
        return table.project(table.attributes)

    def _masked_classes(self) -> Classes:
        """Return the released classes, followed by the class of all other records and people."""
        numbers = np.cumsum(self.kept) - 1
        released = int(numbers[-1]) + 1
        numbers[~self.kept] = released
        rows = np.arange(self.merged.distinct, dtype=np.uint64)
        members = (rows << np.uint64(32)) | numbers.astype(np.uint64)
        sizes = np.append(self.sizes, self.suppressed)
        return Classes(members, np.arange(released + 1, dtype=np.uint32), sizes)


@dataclass(frozen=True, kw_only=True)
class GeneralizedPersons(Generalized):
    """A table of people to which a policy has been applied.

    In `merged`, a class has one row for its released records and another row for its other records.
    """

    table: PersonTable
    # The class of each row in `table`, and whether the class is released.
    rows: tuple[NDArray[np.uint32], NDArray[np.bool_]]
    # The people who lose all their records; None if whole classes are suppressed.
    persons_out: frozenset[str] | None = field(repr=False)
    pseudonyms: Pseudonyms | None = None  # of the people, if records are linked

    unit: ClassVar[str] = "person"

    @property
    def whole(self) -> bool:  # type: ignore[override]  # it follows from the table here
        """Return whether suppressed people lose all their records."""
        return self.persons_out is not None

    @property
    def persons(self) -> PersonCounts:
        """Return the numbers of people before and after."""
        owners, people = self.table.persons.owners, self.table.persons.people
        some, every = (np.zeros(people.size, np.bool_) for _ in range(2))
        some[owners[self.rows[1]]] = True
        every[owners[~self.rows[1]]] = True
        return PersonCounts(
            persons=int(people.sum()),
            released=int(people[some].sum()),
            in_part=int(people[some & every].sum()),
        )

    @property
    def suppression(self) -> tuple[int, int, str]:
        """Return the number suppressed, the total, and the unit, for the suppression limit.

        The unit is people if suppressed people lose all their records.
        """
        if not self.whole:
            return super().suppression
        return self.persons.left_out, self.persons.persons, "persons"

    def with_pseudonyms(self, made: Pseudonyms | None) -> GeneralizedPersons:
        """Return the table with pseudonyms for its people."""
        return replace(self, pseudonyms=made)

    @property
    def by_labels_alone(self) -> bool:
        """Return False, because the release also depends on the person of each record."""
        return False


def covered(merged: FrequencyTable) -> NDArray[np.bool_]:
    """Return whether the policy covers every value, for each row in a table of labels."""
    found = np.ones(merged.distinct, dtype=np.bool_)
    for codes, domain in zip(merged.codes, merged.domains, strict=True):
        if UNSEEN in domain:
            found &= codes != domain.index(UNSEEN)
    return found


def visible(table: FrequencyTable) -> NDArray[np.bool_]:
    """Return whether any attribute shows more than ``*``, for each row in a table of labels."""
    found = np.zeros(table.distinct, dtype=np.bool_)
    for codes, domain in zip(table.codes, table.domains, strict=True):
        found |= codes != domain.index(SUPPRESSED) if SUPPRESSED in domain else True
    return found


def every_row_a_class(table: FrequencyTable) -> Classes:
    """Return the classes if each row of the table is a separate class."""
    number = np.arange(table.distinct, dtype=np.uint32)
    members = (number.astype(np.uint64) << np.uint64(32)) | number
    return Classes(members, number, np.ascontiguousarray(table.counts, dtype=np.int64))


def masks(policy: Policy, generalized: Generalized) -> bool:
    """Return whether suppressed records are kept with ``*``.

    The suppressed records form a class of their own. If this class does not satisfy the models, the
    records are dropped, because the class could single out a person. An attacker who knows that the
    person is in the table can rule out all other classes, and then find the person in this class.
    """
    wanted = policy.suppression.records == "mask" and policy.persons is None
    return wanted and generalized.masks_safely


def require_limit(
    generalized: Generalized,
    suppression: Suppression,
    models: Sequence[PrivacyModel],
    *,
    where: str,
    fix: str,
) -> None:
    """Refuse the release if more records are suppressed than the limit allows."""
    suppressed, number, units = generalized.suppression
    limit = suppression.most(number)
    if suppressed <= limit:
        return
    counted = "people" if units == "persons" else units
    what = (
        f"the policy would suppress {suppressed:,} of {number:,} {counted}, but its limit is "
        f"{limit:,}"
    )
    # These figures exceed their limits if all classes are released without suppression.
    table = generalized.merged
    classes, _ = keep(every_row_a_class(table), table.counts > 0)
    exceeded = "; ".join(
        f"{model.name}: {bound.stated(classes)}"
        for model, bound in ((model, model.bind(table)) for model in models)
        if isinstance(bound, OneFigure) and not bound.satisfied(classes).all()
    )
    if exceeded and not limit:
        what = f"the release does not meet its privacy requirements: {exceeded}"
    elif exceeded:
        what = f"{what} ({exceeded})"
    if takes_population(models) and generalized.table.population is None:
        fix = f"name the table of its population with {option('population', 'FILE')}, or {fix}"
    raise Refusal(what, where=where, fix=fix)
