"""Compare a release with its original table by treating each released cell as a set of values.

The module applies the policy to the original records. Therefore, the module does not need to know
which released record belongs to which original record.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from roadstead.analysis.prediction import LearnedFrom
from roadstead.differential.domains import NumericCut, NumericDomain, SetCut
from roadstead.errors import SettingError, quoted
from roadstead.front_end import option
from roadstead.hierarchies.rules import MISSING
from roadstead.hierarchies.taxonomy import NOT_LISTED
from roadstead.policies.document import SUPPRESSED, Policy
from roadstead.policies.recodings.interval_columns import by_label
from roadstead.policies.value_sets import ShownColumn, ShownTable, combined
from roadstead.release.certificate import Certificate
from roadstead.release.ends import with_joined_ends, with_plain_ends
from roadstead.release.kind import release_of
from roadstead.release.private.tables import PrivateRelease
from roadstead.release.shown import ShownRelease
from roadstead.reports.wording import counted
from roadstead.tables.frequency import FrequencyTable, summarize
from roadstead.tables.kept_codes import with_codes_in, without_rare_codes

_FIX = "give the table that the release was made from, and read it with the same settings"


@dataclass(frozen=True, eq=False)
class ComparedRelease:
    """A release and its original, limited to the compared columns."""

    opened: ShownRelease
    learned: LearnedFrom
    left_out: int  # records of the original that are not in the release
    masked: NDArray[np.bool_] = field(repr=False)  # the suppressed rows
    # The names of the parts of each column in the release. A part without a name has an empty name.
    labels: tuple[Mapping[str, int], ...] = field(default=(), repr=False)

    def class_sizes(self, quasi: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Count the records in each class that the columns `quasi` form.

        The second array marks the classes of suppressed records. If the counts in the release are
        noisy, the method counts the records of the original.
        """
        learned = self.learned
        table = learned.table if learned.placed_exactly else learned.placed
        codes = [table.codes[table.place(name)] for name in quasi]
        row = combined(codes)
        sizes: NDArray[np.int64] = np.bincount(row, weights=table.weights).astype(np.int64)
        masked = np.zeros(sizes.size, dtype=np.bool_)
        if learned.placed_exactly:
            masked[row[self.masked]] = True
        return sizes, masked


def opened_folder(folder: Path, allowed: Collection[str] = ()) -> ShownRelease:
    """Open a release, with the counts if it is a private release.

    The function refuses a release that uses models from packages that are not `allowed`.
    """
    release = release_of(folder, allowed).shown(allowed, "compared")
    release.require_unchanged()
    for cut in () if release.private is None else release.private.listed.groups.cuts:
        if isinstance(cut, SetCut):
            raise SettingError(
                f"{quoted(cut.attribute)} is a set, so it has no single value to compare",
                where=str(folder),
                fix=f"evaluate this release with {option('held_out', 'FILE')}",
            )
    return release


def compared(release: ShownRelease, table: FrequencyTable, original: ShownTable) -> ComparedRelease:
    """Combine a release with its original.

    `table` and `original` have the same rows, but `table` may contain other columns.
    """
    if release.private is not None:
        return _private(release, release.private, original)
    assert release.certificate is not None  # noqa: S101 - one of the two
    assert release.policy is not None  # noqa: S101 - one of the two
    return _generalized(release, release.certificate, release.policy, table, original)


@dataclass(frozen=True, eq=False)
class _Shown:
    """The parts into which a policy divides a column, their labels, and the part of each row."""

    column: ShownColumn
    labels: dict[str, int]
    placed: NDArray[np.int32]  # for each row of the original

    @property
    def everything(self) -> int:
        """Return the part that represents a suppressed cell."""
        return self.labels.get(SUPPRESSED, self.column.parts - 1)

    def parts_of(self, texts: Sequence[str], where: str) -> NDArray[np.int32]:
        """Return the part for each string in a release."""
        known = {**self.labels, SUPPRESSED: self.everything}
        if any(text not in known for text in texts):
            raise SettingError(
                f"the released column {quoted(self.column.name)} has a value that does not match "
                "any record of the original",
                where=where,
                fix=_FIX,
            )
        return np.array([known[text] for text in texts], dtype=np.int32)


def _generalized(
    release: ShownRelease,
    certificate: Certificate,
    policy: Policy,
    table: FrequencyTable,
    original: ShownTable,
) -> ComparedRelease:
    where = str(release.folder)
    _require_comparable(certificate, policy, original, where)
    shown = _by_policy(policy, table, original)
    present, released = _released(release, policy, original)
    codes = []
    for own in shown:
        if own.column.name in present:
            at = present.index(own.column.name)
            parts = own.parts_of(released.domains[at], where)[released.codes[at]]
        else:
            parts = np.full(released.distinct, own.everything, dtype=np.int32)
        codes.append(parts)
    columns = tuple(one.column for one in shown)
    own_table = ShownTable(columns, tuple(codes), released.counts)
    quasi = [at for at, one in enumerate(columns) if one.name in policy.quasi]
    masked = np.all([codes[at] == shown[at].everything for at in quasi], axis=0)
    masked &= certificate.counts.masked > 0
    before = np.stack([shown[at].placed for at in quasi])
    after = np.stack([codes[at] for at in quasi])
    pairs = before, original.weights, after[:, ~masked], released.counts[~masked]
    kept = _in_release(*pairs, in_part=policy.persons is not None, where=where)
    placed = tuple(
        np.where(kept, one.placed, one.everything).astype(np.int32) if at in quasi else one.placed
        for at, one in enumerate(shown)
    )
    return ComparedRelease(
        release,
        LearnedFrom(
            own_table,
            ShownTable(columns, placed, original.weights),
            kept | (certificate.counts.masked > 0),
        ),
        left_out=original.records - released.records,
        masked=masked,
        labels=tuple(one.labels for one in shown),
    )


def _require_comparable(
    certificate: Certificate, policy: Policy, original: ShownTable, where: str
) -> None:
    """Reject a table that is not the original, and columns that cannot be compared."""
    if policy.persons is not None and policy.persons.shift is not None:
        raise SettingError(
            "the dates were shifted, and the records near the first and the last date were left "
            "out, so the records of this release cannot be compared with the original",
            where=where,
            fix="compare releases whose dates are not shifted",
        )
    if certificate.counts.records != original.records:
        raise SettingError(
            f"the release was made from {certificate.counts.records:,} records, but the original "
            f"has {original.records:,}",
            where=where,
            fix=_FIX,
        )
    for rule in () if policy.persons is None else policy.persons.dates:
        if rule.column in [one.name for one in original.columns]:
            raise SettingError(
                f"the released column {quoted(rule.column)} has shifted dates or numbers of days, "
                "but the original does not",
                where=where,
                fix="compare releases whose dates are only generalized",
            )
    for column in policy.treated:
        if column in [one.name for one in original.columns]:
            raise SettingError(
                f"the released column {quoted(column)} was microaggregated or rounded, so its "
                "cells are not sets of original values",
                where=where,
                fix="predict and explain with other columns; the notes compare the mean and the "
                "standard deviation of this column",
            )


def _released(
    release: ShownRelease, policy: Policy, original: ShownTable
) -> tuple[list[str], FrequencyTable]:
    """Return the columns that the original and the release share, and the released table."""
    with release.read() as read:
        coded = with_codes_in(read, policy.quasi)
        source = with_joined_ends(without_rare_codes(coded, policy.columns.released), policy)
        present = [one.name for one in original.columns if one.name in source.columns]
        if lacking := sorted({*policy.quasi} - {*source.columns}):
            raise SettingError(
                f"the released table has no column {quoted(lacking[0])}",
                where=str(release.folder),
                fix="make a release in which each quasi-identifier has one column",
            )
        return present, with_plain_ends(summarize(source, present), policy)


def _by_policy(policy: Policy, table: FrequencyTable, original: ShownTable) -> list[_Shown]:
    """Return the parts into which a policy divides each column.

    If a column has no rule, its values are compared as released.
    """
    recoding = policy.recoding
    places = np.zeros(0, dtype=np.int32)
    if recoding is not None:
        places = recoding.place(_columns_of(table, policy.quasi))
    found = []
    for at, column in enumerate(original.columns):
        codes = original.codes[at]
        if column.name not in policy.quasi:
            if column.name in policy.released:
                found.append(_unchanged(column, codes))
            else:
                found.append(_Shown(column.with_parts([]), {}, np.zeros_like(codes)))
            continue
        number = policy.quasi.index(column.name)
        if recoding is None:
            texts = [policy.attributes[number].label(value) for value in column.values]
            names = sorted({text for text in texts if text is not None})
            holds = np.array([[text == name for name in names] for text in texts])
            part_of = np.array(
                [len(names) if text is None else names.index(text) for text in texts],
                dtype=np.int32,
            )
            placed = part_of[codes]
        else:
            own = recoding.attributes[number]
            names, holds, label_of = by_label(
                own.labels, own.shows(column.values), in_two=column.name in policy.two_columns
            )
            parts = np.append(label_of[recoding.array[:, number]], len(names))
            placed = parts[np.where(places < 0, -1, places)].astype(np.int32)
        found.append(_of_sets(column, names, holds, placed))
    return found


def _unchanged(column: ShownColumn, codes: NDArray[np.int32]) -> _Shown:
    """Return a column that is released unchanged, with one part for all missing values."""
    members: dict[str, list[int]] = {}
    texts = [MISSING if value in column.missing else value for value in column.values]
    for code, text in enumerate(texts):
        members.setdefault(text, []).append(code)
    labels = {text: at for at, text in enumerate(members)}
    sets = [np.array(own, dtype=np.int32) for own in members.values()]
    placed = np.array([labels[text] for text in texts], dtype=np.int32)
    return _Shown(column.with_parts(sets), labels, placed[codes])


def _of_sets(
    column: ShownColumn, names: Sequence[str], holds: NDArray[np.bool_], placed: NDArray[np.int32]
) -> _Shown:
    """Return the parts into which the labels of a column divide its values.

    `holds` is a Boolean array of the shape ``(values, labels)``. An entry is true if the label
    contains the value. A label that contains no original value is omitted. The last part contains
    all values.
    """
    holds = holds.reshape(len(column.values), len(names))
    used: list[int] = np.flatnonzero(holds.any(axis=0)).tolist()
    number = np.full(len(names) + 1, len(used), dtype=np.int32)
    number[used] = np.arange(len(used))
    sets = [np.flatnonzero(holds[:, one]).astype(np.int32) for one in used]
    labels = {names[one]: int(number[one]) for one in used}
    return _Shown(column.with_parts(sets), labels, number[placed])


def _columns_of(table: FrequencyTable, names: Sequence[str]) -> FrequencyTable:
    at = [table.attributes.index(name) for name in names]
    return FrequencyTable(
        tuple(names),
        tuple(table.domains[one] for one in at),
        tuple(table.codes[one] for one in at),
        table.counts,
    )


def _in_release(
    before: NDArray[np.int32],
    weights: NDArray[np.int64],
    after: NDArray[np.int32],
    counts: NDArray[np.int64],
    *,
    in_part: bool,
    where: str,
) -> NDArray[np.bool_]:
    """Return which rows of the original belong to a released class. Reject inconsistent counts.

    `before` contains the parts of the original rows, and `after` contains the parts of the released
    rows. Both arrays have the shape ``(attributes, rows)``. `in_part` is true if a released class
    may lack records, for example because people were suppressed.
    """
    row = combined(list(np.concatenate([before, after], axis=1)))
    own, released = row[: before.shape[1]], row[before.shape[1] :]
    number = int(row.max()) + 1
    there = np.bincount(own, weights=weights, minlength=number)
    shown = np.bincount(released, weights=counts, minlength=number)
    wrong = shown > there if in_part else (shown != there) & (shown > 0)
    if wrong.any():
        raise SettingError(
            f"in {counted(int(wrong.sum()), 'group')} of the release, the number of records "
            "differs from the original",
            where=where,
            fix=_FIX,
        )
    kept: NDArray[np.bool_] = shown[own] > 0
    return kept


def _private(
    release: ShownRelease, private: PrivateRelease, original: ShownTable
) -> ComparedRelease:
    groups, counts = private.listed.groups, private.listed.released
    row, label = np.nonzero(counts > 0)
    shown, codes = [], []
    for at, column in enumerate(original.columns):
        own = original.codes[at]
        if column.name == private.target:
            place = {value: code for code, value in enumerate(column.values)}
            every = len(column.values)
            sets = [np.array([code], dtype=np.int32) for code in range(every)]
            shown.append(_Shown(column.with_parts(sets), {}, own))
            known = np.array([place.get(one, every) for one in private.classes], dtype=np.int32)
            codes.append(known[label])
        elif column.name in release.quasi:
            which = release.quasi.index(column.name)
            cut = groups.cuts[which]
            domain: NumericDomain = cut.domain  # type: ignore[assignment] # or a categorical one
            places = (
                domain.locate(column.values)
                if isinstance(cut, NumericCut)
                else cut.domain.taxonomy.locate(column.values)
            )
            parts = cut.of(places)
            every = cut.size
            sets = [np.flatnonzero(parts == one).astype(np.int32) for one in range(every)]
            sets = [one if one.size else _nearest(parts, at) for at, one in enumerate(sets)]
            inside = np.where(parts == NOT_LISTED, every, parts).astype(np.int32)
            shown.append(_Shown(column.with_parts(sets), {}, inside[own]))
            codes.append(groups.codes[which][row].astype(np.int32))
        else:
            shown.append(_Shown(column.with_parts([]), {}, np.zeros_like(own)))
            codes.append(np.zeros(row.size, dtype=np.int32))
    columns = tuple(one.column for one in shown)
    placed = tuple(one.placed for one in shown)
    every_row = np.ones(original.weights.size, dtype=np.bool_)
    return ComparedRelease(
        release,
        LearnedFrom(
            ShownTable(columns, tuple(codes), counts[row, label]),
            ShownTable(columns, placed, original.weights),
            every_row,
            placed_exactly=False,
        ),
        left_out=0,
        masked=np.zeros(row.size, dtype=np.bool_),
    )


def _nearest(parts: NDArray[np.int32], part: int) -> NDArray[np.int32]:
    """Return the original values that are nearest to an empty part.

    Because of noise, a release can contain a part without any original value.
    """
    distance = np.abs(np.where(parts == NOT_LISTED, np.iinfo(np.int32).max, parts - part))
    return np.flatnonzero(distance == distance.min()).astype(np.int32)
