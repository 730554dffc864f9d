"""Distinct l-diversity: every released class has at least l different sensitive values.

Whoever finds the class of a person in it does not yet know the person's value (Machanavajjhala,
Kifer, Gehrke, Venkitasubramaniam 2007). It is the weakest kind: one value may still be nearly
certain.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.policies.classes import Classes
from roadstead.privacy.class_counts import Text, class_counts
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.histograms import Histogram

SMALLEST_L = 2


@dataclass(frozen=True)
class LeastValues:
    """Classes with at least `least` different values of a column: monotone.

    A class that grows loses no value.
    """

    histogram: Histogram = field(repr=False)
    least: int
    merges: ClassVar[bool] = True
    per_class: ClassVar[bool] = True

    @property
    def monotone_part(self) -> LeastValues:
        """Itself."""
        return self

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Whether enough values occur in each class."""
        return class_counts(self.histogram, classes).distinct >= self.least


@dataclass(frozen=True)
class DistinctLDiversity:
    """Classes with at least `l` different values of a sensitive column.

    Raises
    ------
    SettingError
        When l is below 2: one value is no diversity.
    """

    column: Text
    l: int  # noqa: E741 - the model's own letter
    threshold: ClassVar[float] = 1.0

    def __post_init__(self) -> None:
        if self.l < SMALLEST_L:
            raise SettingError(
                f"l is {self.l}, and must be at least {SMALLEST_L}",
                where=f"{option('privacy')} distinct-l-diversity",
                fix="l is how many different values every class has",
            )

    @property
    def name(self) -> str:
        """The model's name with its parameters."""
        return f"distinct {self.l}-diversity of {self.column}"

    @property
    def promise(self) -> str:
        """What it promises of a release."""
        return (
            f"Every record released shares its quasi-identifiers with records of at least {self.l} "
            f"different values of {self.column} (distinct {self.l}-diversity)."
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive column."""
        return (self.column,)

    def bind(self, table: FrequencyTable) -> LeastValues:
        """Count the column's values in the classes of a table."""
        return LeastValues(table.histogram(self.column), self.l)

    def settings(self) -> dict[str, Any]:
        """Parameters for the certificate."""
        return {"kind": "distinct-l-diversity", "column": self.column, "l": self.l}
