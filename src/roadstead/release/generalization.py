"""Apply a policy to a frequency table, and decide which classes are released.

The frequency table and the policy document alone determine which classes are released. So the
policy works in the same way on the table for which it was found and on the next extract. Some
models have one figure for all classes together, such as a mean risk. For these models, classes are
suppressed until the remaining classes satisfy the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import PolicyError, quoted
from roadstead.front_end import option
from roadstead.kernels import grouping
from roadstead.policies.attribute_policy import AttributePolicy
from roadstead.policies.classes import Classes, keep
from roadstead.policies.document import SUPPRESSED, Policy
from roadstead.policies.recodings.document import NOWHERE, Recoding
from roadstead.privacy.combination import bind_all
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.generalized import (
    UNSEEN,
    Generalized,
    GeneralizedPersons,
    covered,
    every_row_a_class,
)
from roadstead.search.left_out import (
    ClassesLeftOut,
    PersonsLeftOut,
    left_of_all,
    persons_left_out,
)
from roadstead.tables.frequency import FrequencyTable, canonical, places
from roadstead.tables.persons.profiles import PersonTable

_MOST_ZEROS = 8
"""The largest number of leading zeros that a code may have lost."""


def generalize(
    table: FrequencyTable,
    policy: Policy,
    models: Sequence[PrivacyModel],
    *,
    suppress_unseen: bool = False,
    where: str | None = None,
    labels_of_codes: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> Generalized:
    """Apply a policy to the frequency table of its quasi-identifiers, in the order of the policy.

    If a record has a value that the policy does not cover, the function raises a `PolicyError`,
    unless `suppress_unseen` is true. People in the population who have such a value do not belong
    to any released class. `where` is the name of the table in error messages. `labels_of_codes`
    maps columns to the labels of codes.
    """
    labels, unseen = [], []
    for attribute, domain, codes in zip(policy.attributes, table.domains, table.codes, strict=True):
        found = [attribute.label(value) for value in domain]
        recorded = np.zeros(len(domain), dtype=np.bool_)
        recorded[codes[table.counts > 0]] = True
        missing = [
            value
            for value, label, occurs in zip(domain, found, recorded.tolist(), strict=True)
            if label is None and occurs
        ]
        if missing and not suppress_unseen:
            label = labels_of_codes.get(attribute.name, {}).get(missing[0])
            called = "" if label is None else f" ({quoted(label)})"
            more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
            what = (
                f"the policy does not cover the value {quoted(missing[0])}{called} of "
                f"{attribute.name!r}{more}"
            )
            fix = (
                "anonymize the table again, or suppress such records when you apply the policy to "
                f"the table: {option('unseen', 'suppress')}"
            )
            if 2 * sum(_covered_with_zeros(attribute, one) for one in missing) > len(missing):
                what += "; such values seem to have lost their leading zeros"
                fix = "store the column as text, and write the codes with their leading zeros"
            raise PolicyError(what, where=where, fix=fix)
        labels.append(tuple(UNSEEN if label is None else label for label in found))
        unseen.append(len(missing))
    if policy.recoding is not None:
        renamed = _recoded(table, policy.recoding, labels)
        return _decided(_Renamed(table, tuple(labels), tuple(unseen), renamed, True), models)
    return under_labels(table, tuple(labels), tuple(unseen), models)


def _covered_with_zeros(attribute: AttributePolicy, value: str) -> bool:
    """Return whether the policy covers a whole number if zeros precede it."""
    longer = (value.zfill(len(value) + more) for more in range(1, 1 + _MOST_ZEROS))
    return value.isdecimal() and any(attribute.label(one) is not None for one in longer)


def under_labels(
    table: FrequencyTable,
    labels: tuple[tuple[str, ...], ...],
    unseen: tuple[int, ...],
    models: Sequence[PrivacyModel],
) -> Generalized:
    """Decide which classes are released, given the labels of all values."""
    return _decided(_Renamed(table, labels, unseen, _relabelled(table, labels), False), models)


def without_attribute(
    generalized: Generalized, policy: Policy, models: Sequence[PrivacyModel], at: int
) -> Generalized:
    """Decide which classes are released if one quasi-identifier is suppressed in all records."""
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
    """Replace the values in each row with the labels of its class, or with `UNSEEN`.

    A row does not have a class if the policy does not cover one of its values (`labels_at_least`).
    `whatever` is a quasi-identifier that is suppressed in all records.
    """
    rows = recoding.place(table, whatever=whatever)
    for least, values in zip(labels_at_least, table.codes, strict=True):
        rows[np.array([label == UNSEEN for label in least], dtype=np.bool_)[values]] = NOWHERE
    domains, codes = [], []
    for at, own in enumerate(recoding.attributes):
        labels = (SUPPRESSED,) * len(own.labels) if at == whatever else own.labels
        domain = tuple(sorted({UNSEEN, *labels}))
        part = np.append(recoding.array[:, at], len(labels))[rows]  # the last entry: no class
        domains.append(domain)
        codes.append(places((*labels, UNSEEN), domain)[part])
    return replace(table, domains=tuple(domains), codes=tuple(codes))


@dataclass(frozen=True)
class _Renamed:
    """A frequency table in which labels replace the values."""

    table: FrequencyTable  # with the original values
    labels: tuple[tuple[str, ...], ...]
    unseen: tuple[int, ...]
    renamed: FrequencyTable
    recoded: bool

    def classes_of_rows(self) -> NDArray[np.int64]:
        """Return the class number of each row in the table."""
        table, renamed = self.table, self.renamed
        return canonical(table.attributes, renamed.domains, renamed.codes, table.counts)[1]


def _decided(of: _Renamed, models: Sequence[PrivacyModel]) -> Generalized:
    if isinstance(of.table, PersonTable):
        return _of_persons(of, of.table, models)
    merged = of.renamed.project(of.table.attributes)
    kept = (merged.counts > 0) & covered(merged)
    model = bind_all(models, merged)
    if model.per_class:
        kept[kept] = model.satisfied(keep(every_row_a_class(merged), kept)[0])
    else:  # If several classes are equal, the order of rows decides which are kept, as in a search.
        members = grouping.pack(of.table.distinct) | of.classes_of_rows().astype(np.uint64)
        number = np.arange(merged.distinct, dtype=np.uint32)
        classes = Classes(members, number, np.ascontiguousarray(merged.counts, dtype=np.int64))
        kept[kept] = bind_all(models, of.table).satisfied(keep(classes, kept)[0])
    if merged.kept is not None:  # Suppressed records do not show anything.
        merged = replace(merged, kept=merged.kept.where(kept))
        model = bind_all(models, merged)
    row_of = of.classes_of_rows() if of.recoded else None
    return Generalized(of.table, of.labels, merged, kept, of.unseen, model, row_of=row_of)


def _of_persons(
    of: _Renamed, table: PersonTable, models: Sequence[PrivacyModel]
) -> GeneralizedPersons:
    """Decide which records are released if people are counted."""
    renamed = of.renamed
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
    if isinstance(left, PersonsLeftOut):
        stays = np.zeros(table.persons.people.size, dtype=np.bool_)
        stays[table.persons.owners[inside]] = True
        gone = np.flatnonzero(~stays[table.persons.profiles])
        out = frozenset(table.persons.names[at] for at in gone.tolist())
    return GeneralizedPersons(
        table=table,
        labels=of.labels,
        merged=merged,
        kept=parts.codes[-1] == 1,
        unseen=of.unseen,
        model=bind_all(models, merged),
        rows=(classes_of_rows, inside),
        persons_out=out,
        row_of=target if of.recoded else None,
    )


def _of_covered_rows(renamed: FrequencyTable, classes: Classes, *, whole: bool) -> Classes:
    """Exclude the rows with a value that the policy does not cover.

    If `whole` is true, all rows of each person who has such a row are excluded.
    """
    known = covered(renamed)
    if known.all():
        return classes
    if whole and isinstance(renamed, PersonTable):
        owners = renamed.persons.owners
        without = np.ones(renamed.persons.people.size, dtype=np.bool_)
        without[owners[~known]] = False
        known = without[owners]
    members = np.ascontiguousarray(classes.members[known[grouping.rows_of(classes.members)]])
    counts = np.ascontiguousarray(renamed.counts)
    sizes = grouping.class_sizes(members, classes.sizes.size, counts)
    return keep(Classes(members, classes.numbers, sizes), sizes > 0)[0]


def _relabelled(table: FrequencyTable, labels: Sequence[Sequence[str]]) -> FrequencyTable:
    domains = tuple(tuple(sorted(set(own))) for own in labels)
    codes = tuple(
        places(own, domain)[column]
        for own, domain, column in zip(labels, domains, table.codes, strict=True)
    )
    return replace(table, domains=domains, codes=codes)
