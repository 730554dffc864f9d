"""Search the whole release for weaknesses, without sampling.

*Small classes*: the scan counts the records in classes that are smaller than required. If
pseudonyms link the rows, the scan counts people. A scan finds even a single small class, which an
attack on a sample of people could miss.

*Leftover identifiers*: the scan finds released columns that look like identifiers by their name and
content. If the user deliberately released such a column, the scan only reports the column.

*Shifted dates*: an attacker may know the first and the last day of the original extract. Then the
attacker can exclude every shift that would place an original date outside this period. For a person
with early or late records, only one shift may remain. A released column, such as a study day, may
contain the number of days since another date of the person. Such a column also shows this other
date. The baseline picks any of the possible shifts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.finding import NOTHING, Findings, finding, not_tried, promise
from roadstead.attacks.matching.candidates import shown_classes
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.target import Target
from roadstead.hierarchies.rules import MISSING
from roadstead.hierarchies.written_dates import parse_date
from roadstead.policies.person_rules import ANCHOR, PersonRules
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.release.evidence import CertifiedAttack, Need
from roadstead.release.persons.iso_dates import with_iso_dates
from roadstead.tables.frequency import FrequencyTable, summarize
from roadstead.tables.identifiers.described import examine_described
from roadstead.tables.persons.counted_columns import (
    CountingColumn,
    columns_that_count,
    numbers_of,
)

_WEEK = 7
_SLACK = 1e-6


class Scan:
    """Find small classes, leftover identifiers, and dates that reveal their shift."""

    name: ClassVar = "scan"
    needs: ClassVar[tuple[Need, ...]] = ()

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:  # noqa: ARG002 - the scan has no settings
        """Search the whole release for weaknesses."""
        if target.release.private is not None:
            why = "the groups of a private release have noisy sizes"
            if target.release.delta:
                why = (
                    "verification checks the smallest group, and each column has only public values"
                )
            return not_tried(self.name, why)
        classes = tuple(self._small_classes(target))
        return Findings((*classes, *self._identifiers(target))) + self._shifts(target)

    def _small_classes(self, target: Target) -> Iterator[CertifiedAttack]:
        release = target.release
        if release.promised is None:
            return
        least = ceil(1.0 / release.promised - _SLACK)
        rows = release.rows
        classes = shown_classes(release, release.quasi)
        if release.linked_by is None:
            sizes = classes.counts
        else:
            owner = rows.codes[rows.attributes.index(release.linked_by)].astype(np.int64)
            pairs = np.unique(classes.of_row * (int(owner.max()) + 1) + owner)
            sizes = np.bincount(pairs // (int(owner.max()) + 1), minlength=classes.number)
        persons = any(isinstance(model, PersonAnonymity) for model in release.models)
        small = int(classes.counts[sizes < least].sum())
        unit = "persons" if persons and release.linked_by is not None else "records"
        yield finding(
            self.name,
            {"looks_for": "small-classes", "known": release.quasi, "least": least, "of": unit},
            (small, rows.records),
            (0, rows.records),
            promise(0.0),
            counted=True,
        )

    def _identifiers(self, target: Target) -> Iterator[CertifiedAttack]:
        release = target.release
        policy = release.policy
        assert policy is not None  # noqa: S101 - it is not private
        others = (*release.others, *release.sensitive)
        if not others:
            return
        judged = examine_described(release.source, others).examined.judgments
        found = tuple(name for name in others if judged[name].role == "identifiers")
        forced = tuple(name for name in found if name in policy.columns.forced)
        unlisted = tuple(name for name in found if name not in forced)
        for columns, held in ((unlisted, promise(0.0)), (forced, NOTHING)):
            if columns or held is not NOTHING:
                yield finding(
                    self.name,
                    {"looks_for": "identifiers", "columns": columns},
                    (len(columns), len(others)),
                    (0, len(others)),
                    held,
                    counted=True,
                )

    def _shifts(self, target: Target) -> Findings:
        policy = target.release.policy
        rules = None if policy is None else policy.persons
        if rules is None or rules.shift is None:
            return Findings()
        if target.original is None:
            return not_tried(
                self.name, "the attack requires the first and last date of the original table"
            )
        left, every = shifts_left(target, rules)
        if not left.size:
            return not_tried(self.name, "the attack cannot read any shifted date in the release")
        base = left.size / every
        return Findings(
            (
                finding(
                    self.name,
                    {"looks_for": "shifts", "shifts": every},
                    (_sum(1.0 / left), left.size),
                    (base, left.size),
                    promise(1.0 / every),
                    needs=("original",),
                    counted=True,
                ),
            )
        )


def _sum(one: NDArray[np.float64]) -> float:
    return float(one.sum())


def shifts_left(target: Target, rules: PersonRules) -> tuple[NDArray[np.float64], int]:
    """Count the shifts that remain possible for each person, and count all shifts.

    If a date d was shifted by s days, the original date is d - s. This date must be between the
    first and the last day of its column. If the rows of a person are not linked, each row has its
    own shift.
    """
    assert rules.shift is not None  # noqa: S101 - the attack has seen it
    rows = target.release.rows
    most, step = rules.shift.most, _WEEK if rules.shift.weeks else 1
    owner = np.arange(rows.distinct)
    if rules.column in rows.attributes:
        owner = rows.codes[rows.attributes.index(rules.column)].astype(np.int64)
    number = int(owner.max(initial=-1)) + 1
    low = np.full(number, -float(most))
    high = np.full(number, float(most))
    seen = np.zeros(number, dtype=np.bool_)
    for days, (first, last) in _dates_shown(target, rules):
        there = ~(np.isnan(days) | np.isnan(first))
        np.maximum.at(low, owner[there], days[there] - last)
        np.minimum.at(high, owner[there], days[there] - first)
        seen[owner[there]] = True
    left = np.floor(high[seen] / step) - np.ceil(low[seen] / step) + 1.0
    return np.maximum(left, 1.0), 2 * (most // step) + 1


def _shifted(rules: PersonRules) -> list[tuple[str, str]]:
    found = [(rule.column, rule.column) for rule in rules.dates if rule.is_date]
    if rules.shifted_anchor is not None:
        found.append((ANCHOR, rules.shifted_anchor))
    return found


def _dates_shown(
    target: Target, rules: PersonRules
) -> Iterator[tuple[NDArray[np.float64], tuple[float, float]]]:
    """Yield shifted dates of the released rows, with the first and last day in the original.

    A column that contains the number of days since another date of the person also shows this other
    date.
    """
    assert target.original is not None  # noqa: S101 - the attack has seen it
    assert rules.shift is not None  # noqa: S101 - the attack has seen it
    shown, most = target.release.rows, rules.shift.most
    pairs = [(released, own) for released, own in _shifted(rules) if released in shown.attributes]
    pairs = [(released, own) for released, own in pairs if own in target.original.columns]
    dates = [own for _, own in pairs]
    original, _ = with_iso_dates(target.original, dates)
    others = [name for name in target.release.others if name in original.columns]
    counted: tuple[CountingColumn, ...] = ()
    if rules.column in original.columns:
        alone = [own for released, own in pairs if released == own]
        counted = tuple(columns_that_count(original, rules.column, alone, others, most))
    table = summarize(original, list(dict.fromkeys((*dates, *(one.column for one in counted)))))
    for released, own in pairs:
        yield _cells(shown, released, _days), _ends(_cells(table, own, _days))
    for one in counted:
        days, then = (
            _cells(rows, one.date, _days) - one.days * _cells(rows, one.column, _numbers)
            for rows in (shown, table)
        )
        yield days, _ends(then)


def _cells(
    table: FrequencyTable, column: str, read: Callable[[tuple[str, ...]], NDArray[np.float64]]
) -> NDArray[np.float64]:
    at = table.attributes.index(column)
    return read(table.domains[at])[table.codes[at]]


def _numbers(texts: tuple[str, ...]) -> NDArray[np.float64]:
    return numbers_of(texts)[0]


def _days(texts: tuple[str, ...]) -> NDArray[np.float64]:
    found = (None if text == MISSING else parse_date(text) for text in texts)
    return np.array([np.nan if one is None else float(one.toordinal()) for one in found])


def _ends(days: NDArray[np.float64]) -> tuple[float, float]:
    """Return the first and the last day of a column, or no days if the column has no dates."""
    if np.isnan(days).all():
        return np.nan, np.nan
    return float(np.nanmin(days)), float(np.nanmax(days))
