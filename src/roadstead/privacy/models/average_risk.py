"""Average risk: the mean over released records of the chance to be re-identified.

A record in a class of f is found with a chance of 1/f, so the mean over the records of a release
is classes / records (paper 001, prosecutor risk). The classes are judged together: those of fewer
than c records are suppressed, with c the least that brings the rest down to the average asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.policies.classes import Classes
from roadstead.privacy.class_counts import TOLERANCE
from roadstead.privacy.defaults import ModelDefaults, ModelFigure
from roadstead.privacy.monotone_parts import LeastSize
from roadstead.tables.frequency import FrequencyTable

_LEAST_RISK = 1e-12
"""Of one in a class of more people than there are."""


@dataclass(frozen=True)
class AverageRisk(ModelDefaults):
    """Classes whose records have a mean risk of at most `average`.

    Raises
    ------
    SettingError
        When the average is not above 0 (1e-12) and at most 1.
    """

    average: float
    kind: ClassVar[str] = "average-risk"
    sources: ClassVar[tuple[str, ...]] = ("emam",)
    merges: ClassVar[bool] = True
    per_class: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_risk("average", self.average, "average-risk")

    @property
    def name(self) -> str:
        """The model's name with its parameter."""
        return f"average risk {self.average:g}"

    @property
    def promise(self) -> str:
        """What it promises of a release."""
        return (
            f"On average over the records released, whoever knows these of a person who is in the "
            f"table finds the right record with a probability of at most {self.average:g}; single "
            f"records may be found with certainty."
        )

    def bind(self, table: FrequencyTable) -> AverageRisk:  # noqa: ARG002 - needs nothing of it
        """Itself: sizes are all it looks at."""
        return self

    @property
    def monotone_part(self) -> LeastSize:
        """Every class: among large ones, a class of one record may be released."""
        return LeastSize(1)

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Whether each class is at least as large as the average asks for."""
        return classes.sizes >= least_size(classes.sizes, self.average)

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure:  # noqa: ARG002 - of the classes alone
        """The mean risk."""
        return average_figure(classes, self.average)


def average_figure(classes: Classes, average: float) -> ModelFigure:
    """Measure the mean risk of the records of some classes."""
    risk = classes.sizes.size / classes.records
    return ModelFigure("average risk of the records", round(risk, 9), f"at most {average:g}")


def least_size(sizes: NDArray[np.int64], average: float) -> int:
    """Least size c of which classes of at least c records have so low an average risk.

    The average only falls when the smallest classes are left out, so this is the first that does.
    Where not even the largest classes are large enough, it is more than they have.
    """
    size, number = np.unique(sizes, return_counts=True)
    classes = np.cumsum(number[::-1])[::-1]
    records = np.cumsum((size * number)[::-1])[::-1]
    enough = classes <= average * (1.0 + TOLERANCE) * records
    if enough.any():
        return int(size[np.argmax(enough)])
    return int(size[-1]) + 1 if size.size else 1


def check_risk(name: str, risk: float, kind: str) -> None:
    """Refuse a risk that is not above 0 and at most 1."""
    if not _LEAST_RISK <= risk <= 1.0:
        raise SettingError(
            f"{name} is {risk}, and must be from {_LEAST_RISK:g} to 1",
            where=f"{option('privacy')} {kind}",
            fix="0.2 is the risk of a record in a class of five",
        )
