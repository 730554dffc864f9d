"""Population uniques: how many people are like nobody else, judged from a sample.

A record that is alone in a sample may be of somebody who is alone in the population, or of somebody
whose likes were not drawn. Nobody can tell which from the record. But from how many classes have 1,
2, 3, ... records one can estimate how many people of the population are alone. Three models do so,
each in a file of its own, and a rule chooses among them:

    pitman.py   a law for how new classes appear as more people are counted (Hoshino 2001)
    zayatz.py   the classes of the sample stand for those of the population (Zayatz 1991)
    snb.py      sizes of classes are 1 + negative binomial (Chen and Keller-McNulty 1998)
    dankar.py   which to take for what share of the population (Dankar et al. 2012)

All take simple random sampling without replacement for granted. A model without an answer says
why; it never answers 0 instead.
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
    """An estimate of the people who are alone in the population; None where there is no answer.

    `model` may also be ``dankar``, of which `takes` says the model that it takes, and ``counted``
    where the population is known. `reason` says why there is no answer.
    """

    model: str
    uniques: float | None
    share: float | None
    reason: str = ""
    takes: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give the estimate as JSON holds it."""
        found: dict[str, Any] = {"uniques": self.uniques, "share": self.share}
        if self.takes is not None:
            found["takes"] = self.takes
        return found | {"reason": self.reason} if self.reason else found


@dataclass(frozen=True, eq=False)
class Sample:
    """What the models look at: how many classes there are of each size.

    `sizes` are those that occur, ascending; `people` is the size of the population.
    """

    sizes: NDArray[np.int64] = field(repr=False)
    classes_of: NDArray[np.int64] = field(repr=False)
    people: int

    @property
    def records(self) -> int:
        """Records of the sample."""
        return int(self.sizes @ self.classes_of)

    @property
    def classes(self) -> int:
        """Classes that have a record."""
        return int(self.classes_of.sum())

    @property
    def fraction(self) -> float:
        """Share of the population that was drawn."""
        return self.records / self.people

    def of_size(self, size: int) -> int:
        """Number of classes of so many records."""
        return int(self.classes_of[self.sizes == size].sum())


def sample(sizes: NDArray[np.int64], people: int) -> Sample:
    """Count the classes of a sample by their sizes, of which 0 does not count.

    Fewer people than records are a SettingError: the population holds its sample.
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
    """Estimate the people who are alone in the population by a model.

    If everybody was drawn, they are counted. If nobody drawn is alone, none are expected: a class
    of one person is drawn as likely as any person, and none was. Otherwise `uniques` estimates
    them, or says why it cannot.
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
