"""Count the values of a secret column among the released records that match a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.attacked_release import AttackedRelease
from roadstead.attacks.matching.candidates import (
    ShownClasses,
    fitting,
    known_columns,
    nearest,
    shown_classes,
)
from roadstead.attacks.matching.known_people import KnownPeople
from roadstead.attacks.matching.truth import masked_rows
from roadstead.policies.value_sets import numbers_of
from roadstead.privacy.blanks import is_blank
from roadstead.tables.kept_codes import missing_codes_shown

Reals = NDArray[np.float64]
NEAR = 0.05
"""The largest relative error at which a guessed number still counts as correct (Giomi et al.)."""


@dataclass(frozen=True, eq=False)
class SecretColumn:
    """A column that the attacker guesses. `counts` has shape ``(classes, values)``."""

    name: str
    values: tuple[str, ...] = field(repr=False)
    classes: ShownClasses = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)

    @property
    def margins(self) -> NDArray[np.int64]:
        """Return the number of released records with each value."""
        found: NDArray[np.int64] = self.counts.sum(axis=0)
        return found


_MOST_CELLS = 50_000_000
"""The largest number of (class, value) pairs that are counted."""


def secret_column(release: AttackedRelease, known: Sequence[str], name: str) -> SecretColumn | None:
    """Count the values of a column in each class, or return None if there are too many values."""
    rows = release.rows
    aside = masked_rows(release) if {*known} & {*release.quasi} else None
    classes = shown_classes(release, known, aside)
    at = rows.attributes.index(name)
    values = rows.domains[at]
    if not classes.number or classes.number * len(values) > _MOST_CELLS:
        return None
    inside = classes.of_row >= 0
    flat = classes.of_row[inside] * len(values) + rows.codes[at][inside]
    size = classes.number * len(values)
    counts = np.bincount(flat, weights=rows.counts[inside], minlength=size).astype(np.int64)
    return SecretColumn(name, values, classes, counts.reshape(classes.number, len(values)))


def _blanks(release: AttackedRelease, name: str, values: Sequence[str]) -> NDArray[np.bool_]:
    """Return which values are blanks, or are codes that the released file declares as missing."""
    codes = missing_codes_shown(release.source).get(name, frozenset())
    return np.array([is_blank(value) or value in codes for value in values], dtype=np.bool_)


def without_blank_guesses(release: AttackedRelease, secret: SecretColumn) -> SecretColumn:
    """Remove blanks from the values that the attacker can guess."""
    blank = _blanks(release, secret.name, secret.values)
    return replace(secret, counts=secret.counts * ~blank)


def with_a_value(release: AttackedRelease, people: KnownPeople, name: str) -> KnownPeople:
    """Return the people whose value in a column is not blank.

    A blank is not a value that an attacker can learn, so a guess about people with a blank proves
    nothing.
    """
    blank = _blanks(release, name, people.values(name))
    return people.chosen(np.flatnonzero(~blank[people.of(name)]))


def said_of(
    release: AttackedRelease, secret: SecretColumn, people: KnownPeople, *, near: bool
) -> Iterator[tuple[slice, Reals]]:
    """Count the values in the records that match each person, or in the nearest records.

    The function uses the nearest records if `near` is true. Each block has the shape
    ``(people, values)``. A row of zeros means that no record matches the person.
    """
    columns = known_columns(release, people, secret.classes.names)
    find = nearest if near else fitting
    by_class = secret.counts.astype(np.float64)
    for block, fits in find(columns, people, secret.classes):
        yield block, fits.astype(np.float64) @ by_class


def truth_of(secret: SecretColumn, people: KnownPeople) -> NDArray[np.int64]:
    """Return the index of each person's value among the released values, or -1."""
    place = {value: at for at, value in enumerate(secret.values)}
    own = [place.get(value, -1) for value in people.values(secret.name)]
    found: NDArray[np.int64] = np.array(own, dtype=np.int64)[people.of(secret.name)]
    return found


def taken_for_right(secret: SecretColumn, people: KnownPeople) -> NDArray[np.bool_]:
    """Return an ``(own values, values)`` array that marks the guesses that count as correct.

    A guessed number may differ from the true number by the relative error `NEAR`.
    """
    own = people.values(secret.name)
    place = {value: at for at, value in enumerate(secret.values)}
    right = np.zeros((len(own), len(secret.values)), dtype=np.bool_)
    for at, value in enumerate(own):
        if value in place:
            right[at, place[value]] = True
    numbers, guesses = numbers_of(own), numbers_of(secret.values)
    if numbers is not None and guesses is not None and right.size <= _MOST_CELLS:
        with np.errstate(invalid="ignore"):
            off = np.abs(guesses[None, :] - numbers[:, None])
            right |= off <= NEAR * np.abs(numbers)[:, None]
    return right
