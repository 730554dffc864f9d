"""Population uniques: the number of people who match no other person, estimated from a sample.

Three models, each in a separate file, estimate this number. A rule chooses one of the models:

    pitman.py   how new classes appear as more people are counted (Hoshino 2001)
    zayatz.py   the classes of the sample represent the classes of the population (Zayatz 1991)
    snb.py      sizes of classes are 1 + negative binomial (Chen and Keller-McNulty 1998)
    dankar.py   which model to use for which sampled share (Dankar et al. 2012)

All models assume simple random sampling without replacement. If a model cannot compute an estimate,
it gives the reason. It never returns 0 instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError


@dataclass(frozen=True)
class PopulationUniques:
    """An estimate of the number of unique people in the population, or None.

    `model` may also be ``dankar``; in this case, `takes` is the chosen model. `model` is
    ``counted`` if the population is known. `reason` explains why an estimate is missing.
    """

    model: str
    uniques: float | None
    share: float | None
    reason: str = ""
    takes: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate as a JSON object."""
        found: dict[str, Any] = {"uniques": self.uniques, "share": self.share}
        if self.takes is not None:
            found["takes"] = self.takes
        return found | {"reason": self.reason} if self.reason else found


@dataclass(frozen=True, eq=False)
class Sample:
    """The number of classes of each size in a sample, which is the input of the models.

    `sizes` contains the occurring sizes in ascending order. `people` is the size of the population.
    """

    sizes: NDArray[np.int64] = field(repr=False)
    classes_of: NDArray[np.int64] = field(repr=False)
    people: int

    @property
    def records(self) -> int:
        """Return the number of records in the sample."""
        return int(self.sizes @ self.classes_of)

    @property
    def classes(self) -> int:
        """Return the number of classes that have a record."""
        return int(self.classes_of.sum())

    @property
    def fraction(self) -> float:
        """Return the share of the population that was sampled."""
        return self.records / self.people

    def of_size(self, size: int) -> int:
        """Return the number of classes with this many records."""
        return int(self.classes_of[self.sizes == size].sum())


def sample(sizes: NDArray[np.int64], people: int) -> Sample:
    """Count the classes of a sample by size, excluding classes of size 0.

    The function raises a SettingError if there are fewer people than records, because the
    population includes the sample.
    """
    records = int(sizes.sum())
    if people < max(records, 1):
        raise SettingError(
            f"the population has {people:,} people, but the table has {records:,} records of them",
            where="population size",
            fix="give the number of people in the population that the table was sampled from",
        )
    values, numbers = np.unique(sizes[sizes > 0], return_counts=True)
    return Sample(values, numbers.astype(np.int64), people)


def estimated(
    model: str, uniques: Callable[[Sample], float | str], sizes: NDArray[np.int64], people: int
) -> PopulationUniques:
    """Estimate the number of unique people in the population with a model.

    If everyone was sampled, the unique people are counted. If no sampled person is unique, the
    estimate is 0. Otherwise, `uniques` returns the estimate, or the reason why an estimate is
    missing.
    """
    drawn = sample(sizes, people)
    if not drawn.records:
        return PopulationUniques(model, None, None, "there are no records")
    if drawn.people == drawn.records or not drawn.of_size(1):
        found: float | str = float(drawn.of_size(1))
    else:
        found = uniques(drawn)
    if isinstance(found, str):
        return PopulationUniques(model, None, None, found)
    return PopulationUniques(model, found, found / drawn.people)
