"""Find a statement that is true for exactly one record of the original (singling out).

Singling out is the first risk that the Article 29 Working Party describes (WP 216). The test
follows Giomi et al. (PoPETs 2023, section 4.2). A *univariate* statement names a value that occurs
once in the release, or the lowest or highest value of a column. A *multivariate* statement names
the values of a random released record in several columns. The baseline uses random values, or
values from different records.

If the release meets k-anonymity, no statement about quasi-identifiers is true for exactly one
record. So the release fails if the attack finds such a statement. Success rates for other columns
are only reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.finding import (
    NONE_AT_ALL,
    NOTHING,
    Findings,
    finding,
    not_tried,
    with_reach,
)
from roadstead.attacks.matching.candidates import blocks
from roadstead.attacks.matching.columns import known_column
from roadstead.attacks.matching.control import held_of_private
from roadstead.attacks.matching.known_people import drawn_rows
from roadstead.attacks.matching.truth import masked_rows
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.target import Target
from roadstead.release.evidence import CertifiedAttack, Knowledge, Need
from roadstead.tables.frequency import FrequencyTable

Integers = NDArray[np.int64]
_SUBSETS = 20
"""The number of column sets that are used in multivariate statements."""
_COLUMNS = 3
"""The largest number of columns in a multivariate statement about some of the columns."""


@dataclass(frozen=True, eq=False)
class Statements:
    """Statements about the same columns, with one label per statement and column."""

    names: tuple[str, ...]
    labels: tuple[Integers, ...]

    @property
    def number(self) -> int:
        """Return the number of statements."""
        return int(self.labels[0].size)


class SinglingOut:
    """Find statements that are true for exactly one record."""

    name: ClassVar = "singling-out"
    needs: ClassVar[tuple[Need, ...]] = ("original",)

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:
        """Test both kinds of statements, about the quasi-identifiers and about all columns."""
        release = target.release
        chance = settings.chance(self.name)
        every = [n for n in release.rows.attributes if n in target.people.attributes]
        every = [n for n in every if n != release.linked_by]
        quasi = [n for n in settings.known or release.quasi if n in every]
        if not every:
            return not_tried(self.name, "no column of the original is released")
        found: list[CertifiedAttack] = []
        for names, of in ((quasi, "quasi"), (every, "all")):
            if not names or (of == "all" and {*names} == {*quasi}):
                continue
            single = _univariate(target, names, settings.attempts, chance)
            if single:
                guessing = _unique_values(target, single)
                # If there are only a few statements of this kind, all of them are tested.
                whole = sum(one.number for one in single) < settings.attempts
                found += self._found(
                    target, names, "univariate", single, guessing, chance, whole=whole
                )
            several, guessed = _multivariate(target, names, settings.attempts, chance)
            if several:
                guessing = _right(target, target.people, guessed)
                found += self._found(target, names, "multivariate", several, guessing, chance)
        return Findings(tuple(found))

    def _found(
        self,
        target: Target,
        names: Sequence[str],
        kind: str,
        made: Sequence[Statements],
        guessing: tuple[float, int],
        chance: np.random.Generator,
        *,
        whole: bool = False,
    ) -> list[CertifiedAttack]:
        release = target.release
        knowledge: Knowledge = {"columns": tuple(names), "statements": kind}
        promised = release.promised is not None and {*names} <= {*release.quasi}
        first = finding(
            self.name,
            knowledge,
            _right(target, target.people, made),
            guessing,
            NONE_AT_ALL if promised else NOTHING,
            needs=self.needs,
            counted=whole,
        )
        found = [with_reach(first, release.quasi, 0.0)]
        if target.held_out is not None:
            others = target.rows_of(target.held_out)
            if {*names} <= {*others.attributes}:
                number = min(others.records, target.people.records)
                inside = _right(target, _some(target.people, number, chance), made)
                outside = _right(target, _some(others, number, chance), made)
                found.append(
                    finding(
                        self.name,
                        {**knowledge, "control": "held-out", "records": number},
                        inside,
                        outside,
                        held_of_private(release, outside),
                        needs=("original", "held-out"),
                    )
                )
        return found


def _right(target: Target, people: FrequencyTable, made: Sequence[Statements]) -> tuple[float, int]:
    """Return how many statements are true for exactly one record, and how many were tested."""
    single = total = 0
    for own in made:
        table = people.project(own.names)
        columns = [
            known_column(target.release, name, domain)
            for name, domain in zip(own.names, table.domains, strict=True)
        ]
        for block in blocks(own.number, table.distinct):
            fits = np.ones((table.distinct, block.stop - block.start), dtype=np.bool_)
            for column, codes, labels in zip(columns, table.codes, own.labels, strict=True):
                fits &= column.fits(codes, labels[block])
            single += int(np.count_nonzero(table.counts @ fits == 1))
        total += own.number
    return float(single), total


def _univariate(
    target: Target, names: Sequence[str], most: int, chance: np.random.Generator
) -> list[Statements]:
    """Create statements about values that occur once, and about lowest and highest values."""
    rows, found = target.release.rows, []
    for name in names:
        at = rows.attributes.index(name)
        often = np.bincount(rows.codes[at], weights=rows.counts, minlength=len(rows.domains[at]))
        once = often == 1
        column = known_column(target.release, name, target.people.domains[_at(target, name)])
        if column.ends is not None:
            _, low, high = column.ends
            for end in (np.where(np.isinf(low), np.inf, low).argmin(), high.argmax()):
                once[end] = True
        labels = np.flatnonzero(once)
        found.append(Statements((name,), (labels,)))
    total = sum(one.number for one in found)
    if total <= most:
        return [one for one in found if one.number]
    kept = [chance.permutation(one.labels[0])[: -(-one.number * most // total)] for one in found]
    return [
        Statements(one.names, (labels,))
        for one, labels in zip(found, kept, strict=True)
        if labels.size
    ]


def _at(target: Target, name: str) -> int:
    return target.people.attributes.index(name)


def _unique_values(target: Target, made: Sequence[Statements]) -> tuple[float, int]:
    """Return the expected number of correct random guesses, and the number of guesses."""
    right, total = 0.0, 0
    for one in made:
        table = target.people.project(one.names)
        right += one.number * float(np.mean(table.counts == 1))
        total += one.number
    return right, total


def _multivariate(
    target: Target, names: Sequence[str], most: int, chance: np.random.Generator
) -> tuple[list[Statements], list[Statements]]:
    """Create statements from released records, and the same number from mixed records."""
    rows = target.release.rows
    inside = np.flatnonzero(~masked_rows(target.release))
    if not inside.size or len(names) < 2:  # noqa: PLR2004 - several
        return [], []
    subsets = {tuple(names)}
    for _ in range(_SUBSETS - 1):
        size = min(int(chance.integers(2, _COLUMNS + 1)), len(names))
        chosen = sorted(chance.choice(len(names), size=size, replace=False).tolist())
        subsets.add(tuple(names[one] for one in chosen))
    each = max(1, most // len(subsets))
    made, guessed = [], []
    for own in sorted(subsets):
        codes = [rows.codes[rows.attributes.index(name)].astype(np.int64) for name in own]
        chosen_rows = inside[drawn_rows(rows.counts[inside], each, chance)]
        made.append(Statements(own, tuple(column[chosen_rows] for column in codes)))
        others = (inside[chance.integers(inside.size, size=chosen_rows.size)] for _ in own)
        mixed = tuple(column[row] for column, row in zip(codes, others, strict=True))
        guessed.append(Statements(own, mixed))
    return made, guessed


def _some(table: FrequencyTable, number: int, chance: np.random.Generator) -> FrequencyTable:
    chosen = drawn_rows(table.counts, number, chance)
    counts = np.bincount(chosen, minlength=table.distinct).astype(np.int64)
    there = counts > 0
    codes = tuple(column[there] for column in table.codes)
    return FrequencyTable(table.attributes, table.domains, codes, counts[there])
