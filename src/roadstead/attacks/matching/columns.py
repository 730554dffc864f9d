"""Decide whether a known value is compatible with a released cell.

A cell shows an unchanged value, a label in a hierarchy, an interval, or ``*``. The policy, which
every recipient has, defines the values that are compatible with a cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.attacked_release import AttackedRelease
from roadstead.policies.document import SUPPRESSED
from roadstead.policies.value_sets import numbers_of
from roadstead.rooms import part_of

Bools = NDArray[np.bool_]
NOWHERE = -1
"""The place of a value that does not match any label."""
_TOO_FAR = 1.0
_MOST_CELLS = 50_000_000
"""The largest number of (value, label) pairs whose compatibility is stored."""


@dataclass(frozen=True, eq=False)
class KnownColumn:
    """Known values of a column, compared with the labels of the release.

    If each value is compatible with at most one label, `own` gives this label, or -1 if there is no
    such label. Otherwise, `shows` marks the compatible labels in an array of shape ``(values,
    labels)``. `everything` is the label that is compatible with every value, or -1.
    """

    values: tuple[str, ...] = field(repr=False)
    labels: tuple[str, ...] = field(repr=False)
    own: NDArray[np.int32] | None = field(repr=False)
    shows: Bools | None = field(repr=False)
    everything: int = NOWHERE

    def fits(self, value: NDArray[np.integer], label: NDArray[np.integer]) -> Bools:
        """Return a ``(values, cells)`` array that shows whether each cell matches each value."""
        if self.shows is not None:
            found: Bools = self.shows[value][:, label]
            return found
        assert self.own is not None  # noqa: S101 - one of the two
        found = self.own[value][:, None] == label[None, :].astype(np.int32)
        if self.everything != NOWHERE:
            found |= (label == self.everything)[None, :]
        return found

    @cached_property
    def table(self) -> Bools:
        """Return a ``(values, labels)`` array that marks the compatible labels of each value."""
        value, label = np.arange(len(self.values)), np.arange(len(self.labels))
        return self.fits(value, label)

    @cached_property
    def ends(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]] | None:
        """Return the known values as numbers, and the smallest and largest value of each label.

        The result is ``None`` for values without an order, or if there are too many pairs.
        """
        numbers = numbers_of(self.values)
        if numbers is None or len(self.values) * len(self.labels) > _MOST_CELLS:
            return None
        inside = np.where(self.table, numbers[:, None], np.nan)
        empty = np.isnan(inside).all(axis=0)
        low = np.fmin.reduce(inside, axis=0)
        high = np.fmax.reduce(inside, axis=0)
        return numbers, np.where(empty, np.inf, low), np.where(empty, -np.inf, high)

    def distances(
        self, value: NDArray[np.integer], label: NDArray[np.integer]
    ) -> NDArray[np.float32]:
        """Return the distance of each cell from each value. The distance is from 0 (a match) to 1.

        The result has the shape ``(values, cells)``. In an ordered column, the distance to the
        nearest value of the label is divided by the range of the column. In other columns, a
        mismatch has distance 1.
        """
        fits = self.fits(value, label)
        if self.ends is None:
            return np.where(fits, np.float32(0.0), np.float32(_TOO_FAR))
        numbers, low, high = self.ends
        span = float(np.nanmax(numbers) - np.nanmin(numbers)) or 1.0
        own = numbers[value][:, None]
        away = np.maximum(np.maximum(low[label][None, :] - own, own - high[label][None, :]), 0.0)
        away = np.minimum(np.nan_to_num(away / span, nan=_TOO_FAR), _TOO_FAR)
        return np.where(fits, 0.0, away).astype(np.float32)


def known_column(release: AttackedRelease, name: str, values: Sequence[str]) -> KnownColumn:
    """Match the values of a column with the labels of a release."""
    labels = release.rows.domains[release.rows.attributes.index(name)]
    if release.private is not None:
        of = part_of("private releases", "attacks.matching.private_columns:private_column")
        found: KnownColumn = of(release, name, values, labels)
        return found
    policy = release.policy
    assert policy is not None  # noqa: S101 - one of the two
    if name not in policy.quasi:
        return KnownColumn(tuple(values), labels, codes_of(values, labels), None)
    at, every = policy.quasi.index(name), _every(labels)
    if policy.recoding is None:
        made = [policy.attributes[at].label(value) for value in values]
        own = codes_of(made, labels)
        return KnownColumn(tuple(values), labels, own, None, every)
    parts = policy.recoding.attributes[at]
    holds = parts.shows(values)
    # If several parts have the same label, the label is compatible with the values of all these
    # parts.
    code = codes_of(parts.labels, labels)
    shows = np.zeros((len(values), len(labels)), dtype=np.bool_)
    for part in np.flatnonzero(code != NOWHERE):
        shows[:, code[part]] |= holds[:, part]
    if every != NOWHERE:
        shows[:, every] = True
    return KnownColumn(tuple(values), labels, None, shows, every)


def codes_of(texts: Sequence[str | None], labels: Sequence[str]) -> NDArray[np.int32]:
    """Return the index of each string among the labels, or -1."""
    place: dict[str | None, int] = {label: code for code, label in enumerate(labels)}
    return np.array([place.get(text, NOWHERE) for text in texts], dtype=np.int32)


def _every(labels: Sequence[str]) -> int:
    return labels.index(SUPPRESSED) if SUPPRESSED in labels else NOWHERE
