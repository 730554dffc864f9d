"""A frequency table under a policy: the labels, the classes, and which of them are suppressed.

This is decided on the frequency table and the policy document alone, the same way for the release
of an optimum just found and for next month's extract, so a release never depends on anything that
the policy does not say.

A release that would suppress more records than its policy allows is refused. A model of one figure
for all classes together, such as a mean risk, suppresses classes until the rest satisfies it. Where
nothing may be suppressed it is all or nothing, and what is said is the figure and its bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import PolicyError, Refusal, quoted
from roadstead.front_end import option
from roadstead.kernels import grouping
from roadstead.policies.classes import Classes, keep
from roadstead.policies.document import SUPPRESSED, Policy, Suppression
from roadstead.policies.recodings.document import NOWHERE, Recoding
from roadstead.privacy.combination import bind_all, takes_population
from roadstead.privacy.protocol import BoundPrivacy, OneFigure, PrivacyModel
from roadstead.release.persons.pseudonyms import Pseudonyms
from roadstead.release.treatments.values import TreatedValues
from roadstead.search.left_out import (
    ClassesLeftOut,
    PersonsLeftOut,
    left_of_all,
    persons_left_out,
)
from roadstead.tables.frequency import FrequencyTable, canonical, places

UNSEEN = "\x00unseen"
"""Label of a value that the policy does not cover; it never reaches a release."""


@dataclass(frozen=True)
class PersonCounts:
    """Persons in and out."""

    persons: int  # of the source
    released: int  # with a record or more
    in_part: int  # of these, with a record that is left out

    @property
    def left_out(self) -> int:
        """Persons of whom no record is released."""
        return self.persons - self.released


@dataclass(frozen=True)
class Generalized:
    """A frequency table with a policy applied."""

    table: FrequencyTable  # the frequency table of the original values
    labels: tuple[tuple[str, ...], ...]  # for each attribute, the label of each value of its domain
    # The frequency table of labels: one row an equivalence class, or of people alone who are not in
    # the table.
    merged: FrequencyTable
    kept: NDArray[np.bool_]  # for each class, whether it is released; one without records is not
    # For each attribute, how many values of records the policy does not cover.
    unseen: tuple[int, ...]
    model: BoundPrivacy  # what must hold of the classes, bound to `merged`
    # Persons left out with all their records; None where classes are. A class of `merged` then has
    # a row for its records that are kept, and another for those that are not.
    persons_out: frozenset[str] | None = field(default=None, repr=False)
    # Where persons are counted, the class of each row of `table`, and whether it is released.
    rows: tuple[NDArray[np.uint32], NDArray[np.bool_]] | None = None
    pseudonyms: Pseudonyms | None = None  # of the persons, where the release links their records
    # For each row of `table`, the row of `merged` that it is in, where classes are recoded each in
    # its own way, so that no value has one label; `labels` are then what all records have at least.
    row_of: NDArray[np.int64] | None = field(default=None, repr=False)
    # What values of treated columns become, where the release has such.
    treated: tuple[TreatedValues, ...] = field(default=(), repr=False)

    @property
    def persons(self) -> PersonCounts | None:
        """Persons in and out; None where records are counted."""
        if self.table.persons is None or self.rows is None:
            return None
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
    def sizes(self) -> NDArray[np.int64]:
        """Records in each released class."""
        return self.merged.counts[self.kept]

    @property
    def covered(self) -> NDArray[np.bool_]:
        """Whether the policy covers every value of each class."""
        return _covered(self.merged)

    @property
    def suppressed(self) -> int:
        """Records that are not released as they were generalized."""
        return int(self.merged.counts[~self.kept].sum())

    @property
    def masks_safely(self) -> bool:
        """Whether all satisfy the models when the suppressed records are a class of their own."""
        return not self.suppressed or bool(self.model.satisfied(self._masked_classes()).all())

    def released(self, *, mask: bool) -> FrequencyTable:
        """Give the frequency table of the release, a table of its own.

        `mask`: keep suppressed records with ``*`` in every quasi-identifier. The people who are
        then alike are all those outside the released classes.
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
        """Every released class, and last that of the suppressed records and of all other people."""
        numbers = np.cumsum(self.kept) - 1
        released = int(numbers[-1]) + 1
        numbers[~self.kept] = released
        rows = np.arange(self.merged.distinct, dtype=np.uint64)
        members = (rows << np.uint64(32)) | numbers.astype(np.uint64)
        sizes = np.append(self.sizes, self.suppressed)
        return Classes(members, np.arange(released + 1, dtype=np.uint32), sizes)


def generalize(
    table: FrequencyTable,
    policy: Policy,
    models: Sequence[PrivacyModel],
    *,
    suppress_unseen: bool = False,
    where: str | None = None,
) -> Generalized:
    """Apply a policy to the frequency table of its quasi-identifiers, in its order.

    People who are not in the table may have values that the policy does not cover; they are in no
    released class. A `PolicyError` names a record's value that is not covered, unless such records
    are to be suppressed. `where` is what the table is called.
    """
    labels, unseen = [], []
    for attribute, domain, codes in zip(policy.attributes, table.domains, table.codes, strict=True):
        found = [attribute.rule.label(value) for value in domain]
        recorded = np.zeros(len(domain), dtype=np.bool_)
        recorded[codes[table.counts > 0]] = True
        missing = [
            value
            for value, label, occurs in zip(domain, found, recorded.tolist(), strict=True)
            if label is None and occurs
        ]
        if missing and not suppress_unseen:
            more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
            raise PolicyError(
                f"the policy does not cover value {quoted(missing[0])} of {attribute.name!r}{more}",
                where=where,
                fix="anonymize the table afresh, or suppress such records with "
                f"{option('unseen', 'suppress')}",
            )
        labels.append(tuple(UNSEEN if label is None else label for label in found))
        unseen.append(len(missing))
    if policy.recoding is not None:
        renamed = _recoded(table, policy.recoding, labels)
        return _decided(_Renamed(table, tuple(labels), tuple(unseen), renamed, True), models)
    return under_labels(table, tuple(labels), tuple(unseen), models)


def under_labels(
    table: FrequencyTable,
    labels: tuple[tuple[str, ...], ...],
    unseen: tuple[int, ...],
    models: Sequence[PrivacyModel],
) -> Generalized:
    """Decide which classes of some labels are released."""
    return _decided(_Renamed(table, labels, unseen, _relabelled(table, labels), False), models)


def without_attribute(
    generalized: Generalized, policy: Policy, models: Sequence[PrivacyModel], at: int
) -> Generalized:
    """Decide what would be released if one quasi-identifier were suppressed in all records."""
    table, unseen = generalized.table, generalized.unseen
    if table.kept is not None:
        table = replace(table, kept=table.kept.without(at))
    labels = list(generalized.labels)
    labels[at] = (SUPPRESSED,) * len(labels[at])
    if policy.recoding is None:
        return under_labels(table, tuple(labels), unseen, models)
    renamed = _recoded(table, policy.recoding, labels, whatever=at)
    return _decided(_Renamed(table, tuple(labels), unseen, renamed, True), models)


def _recoded(
    table: FrequencyTable,
    recoding: Recoding,
    labels_at_least: Sequence[Sequence[str]],
    *,
    whatever: int | None = None,
) -> FrequencyTable:
    """Put what its class shows in the place of each row's values; `UNSEEN` if it is in none.

    A row with a value that the policy does not cover (`labels_at_least`) is in none, also where
    classes show nothing of it. `whatever`: a quasi-identifier suppressed in all records.
    """
    rows = recoding.place(table, whatever=whatever)
    for least, values in zip(labels_at_least, table.codes, strict=True):
        rows[np.array([label == UNSEEN for label in least], dtype=np.bool_)[values]] = NOWHERE
    domains, codes = [], []
    for at, own in enumerate(recoding.attributes):
        labels = (SUPPRESSED,) * len(own.labels) if at == whatever else own.labels
        domain = tuple(sorted({UNSEEN, *labels}))
        part = np.append(recoding.array[:, at], len(labels))[rows]  # the last where nowhere
        domains.append(domain)
        codes.append(places((*labels, UNSEEN), domain)[part])
    return replace(table, domains=tuple(domains), codes=tuple(codes))


@dataclass(frozen=True)
class _Renamed:
    """A table with labels in place of its values."""

    table: FrequencyTable  # of the original values
    labels: tuple[tuple[str, ...], ...]
    unseen: tuple[int, ...]
    renamed: FrequencyTable
    recoded: bool

    def classes_of_rows(self) -> NDArray[np.int64]:
        """Number the class of each row of the table."""
        table, renamed = self.table, self.renamed
        return canonical(table.attributes, renamed.domains, renamed.codes, table.counts)[1]


def _decided(of: _Renamed, models: Sequence[PrivacyModel]) -> Generalized:
    """Decide which classes are released."""
    if of.table.persons is not None:
        return _of_persons(of, models)
    merged = of.renamed.project(of.table.attributes)
    kept = (merged.counts > 0) & _covered(merged)
    model = bind_all(models, merged)
    if model.per_class:
        kept[kept] = model.satisfied(keep(every_row_a_class(merged), kept)[0])
    else:  # which of several classes alike stays goes by their rows, as in a search
        members = grouping.pack(of.table.distinct) | of.classes_of_rows().astype(np.uint64)
        number = np.arange(merged.distinct, dtype=np.uint32)
        classes = Classes(members, number, np.ascontiguousarray(merged.counts, dtype=np.int64))
        kept[kept] = bind_all(models, of.table).satisfied(keep(classes, kept)[0])
    if merged.kept is not None:  # what is suppressed shows nothing
        merged = replace(merged, kept=merged.kept.where(kept))
        model = bind_all(models, merged)
    row_of = of.classes_of_rows() if of.recoded else None
    return Generalized(of.table, of.labels, merged, kept, of.unseen, model, row_of=row_of)


def _of_persons(of: _Renamed, models: Sequence[PrivacyModel]) -> Generalized:
    """Decide which records are released where persons are counted."""
    table, renamed = of.table, of.renamed
    classes_of_rows = of.classes_of_rows().astype(np.uint32)
    members = grouping.pack(table.distinct) | classes_of_rows
    number = int(classes_of_rows.max()) + 1
    sizes = grouping.class_sizes(members, number, np.ascontiguousarray(table.counts))
    classes = Classes(members, np.arange(number, dtype=np.uint32), sizes)
    left = persons_left_out(models, table) or ClassesLeftOut(table.records)
    classes = _of_covered_rows(renamed, classes, whole=isinstance(left, PersonsLeftOut))
    inside = np.zeros(table.distinct, dtype=np.bool_)
    inside[left_of_all(left, classes, bind_all(models, table)).rows] = True
    parts, target = canonical(
        (*table.attributes, ""),
        (*renamed.domains, ("", "kept")),
        (*renamed.codes, inside.astype(np.int32)),
        table.counts,
    )
    merged = replace(
        parts,
        attributes=table.attributes,
        domains=renamed.domains,
        codes=parts.codes[:-1],
        alongside=tuple(one.merged(target, parts.distinct) for one in table.alongside),
    )
    out = None
    if isinstance(left, PersonsLeftOut) and table.persons is not None:
        stays = np.zeros(table.persons.people.size, dtype=np.bool_)
        stays[table.persons.owners[inside]] = True
        gone = np.flatnonzero(~stays[table.persons.profiles])
        out = frozenset(table.persons.names[at] for at in gone.tolist())
    model = bind_all(models, merged)
    kept = parts.codes[-1] == 1
    rows = (classes_of_rows, inside)
    row_of = target if of.recoded else None
    return Generalized(table, of.labels, merged, kept, of.unseen, model, out, rows, row_of=row_of)


def _of_covered_rows(renamed: FrequencyTable, classes: Classes, *, whole: bool) -> Classes:
    """Leave out the rows with a value that the policy does not cover.

    `whole`: leave out all rows of the persons who have one, since persons are left out whole.
    """
    covered = _covered(renamed)
    if covered.all():
        return classes
    if whole and renamed.persons is not None:
        owners = renamed.persons.owners
        without = np.ones(renamed.persons.people.size, dtype=np.bool_)
        without[owners[~covered]] = False
        covered = without[owners]
    members = np.ascontiguousarray(classes.members[covered[grouping.rows_of(classes.members)]])
    counts = np.ascontiguousarray(renamed.counts)
    sizes = grouping.class_sizes(members, classes.sizes.size, counts)
    return keep(Classes(members, classes.numbers, sizes), sizes > 0)[0]


def _covered(merged: FrequencyTable) -> NDArray[np.bool_]:
    found = np.ones(merged.distinct, dtype=np.bool_)
    for codes, domain in zip(merged.codes, merged.domains, strict=True):
        if UNSEEN in domain:
            found &= codes != domain.index(UNSEEN)
    return found


def merge(table: FrequencyTable, labels: Sequence[Sequence[str]]) -> FrequencyTable:
    """Replace values by labels and add up the combinations that become equal."""
    return _relabelled(table, labels).project(table.attributes)


def _relabelled(table: FrequencyTable, labels: Sequence[Sequence[str]]) -> FrequencyTable:
    domains = tuple(tuple(sorted(set(own))) for own in labels)
    codes = tuple(
        places(own, domain)[column]
        for own, domain, column in zip(labels, domains, table.codes, strict=True)
    )
    return replace(table, domains=domains, codes=codes)


def every_row_a_class(table: FrequencyTable) -> Classes:
    """Classes of a table whose rows are the classes."""
    number = np.arange(table.distinct, dtype=np.uint32)
    members = (number.astype(np.uint64) << np.uint64(32)) | number
    return Classes(members, number, np.ascontiguousarray(table.counts, dtype=np.int64))


def masks(policy: Policy, generalized: Generalized) -> bool:
    """Whether suppressed records are kept with ``*``.

    They form a class of their own. One that fails the models would single out whoever is known to
    be in the table and found in no other class, so it is dropped.
    """
    wanted = policy.suppression.records == "mask" and policy.persons is None
    return wanted and generalized.masks_safely


def suppression_of(generalized: Generalized) -> tuple[int, int, str]:
    """Say how many are suppressed, of how many, and of what: persons, if they are left out whole.

    It is what the suppression limit is about.
    """
    persons = generalized.persons
    if persons is None or generalized.persons_out is None:
        return generalized.suppressed, generalized.table.records, "records"
    return persons.left_out, persons.persons, "persons"


def require_limit(
    generalized: Generalized,
    suppression: Suppression,
    models: Sequence[PrivacyModel],
    *,
    where: str,
    fix: str,
) -> None:
    """Refuse if more records are suppressed than the limit allows."""
    suppressed, number, units = suppression_of(generalized)
    limit = suppression.most(number)
    if suppressed <= limit:
        return
    what = (
        f"the policy would suppress {suppressed:,} of {number:,} {units}, and its limit allows "
        f"{limit:,}"
    )
    # Of all classes, none suppressed, the figures that are too large.
    table = generalized.merged
    classes, _ = keep(every_row_a_class(table), table.counts > 0)
    exceeded = "; ".join(
        f"{model.name}: {bound.stated(classes)}"
        for model, bound in ((model, model.bind(table)) for model in models)
        if isinstance(bound, OneFigure) and not bound.satisfied(classes).all()
    )
    if exceeded and not limit:
        what = f"the policy does not keep its promise: {exceeded}"
    elif exceeded:
        what = f"{what} ({exceeded})"
    if takes_population(models) and generalized.table.population is None:
        fix = f"name its population with {option('population', 'FILE')}, or {fix}"
    raise Refusal(what, where=where, fix=fix)
