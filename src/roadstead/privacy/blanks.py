"""Blanks in a sensitive column.

A blank does not count as a value unless the settings of a model state otherwise.

Suppose that six records of a class contain "positive" and two are blank. The class then has one
value. An attacker who finds a person in the class learns the value. A model of l-diversity
therefore judges only the records of a class that have a value. Blanks do not add a value, and they
do not change how frequent the other values are. A class without any value has zero values and is
not released.

The guarantee for the records with a value does not change when records with blanks join them. So a
monotone model stays monotone, and two classes that satisfy the model still satisfy it when they are
merged. Bounds, however, count all records. Suppose that a part has b blanks, and that at most R of
its records with a value are released. Then at most R + b of all its records are released. If R is
0, no record is released, because each released class has a value. A class that contains a block
contains all blanks of the block, in addition to the records with a value that the class needs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal, TypeAlias

import numpy as np
from pydantic import Field

from roadstead.privacy.protocol import PrivacyModel
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.histograms import Histogram

Blank: TypeAlias = Literal["no-value", "value"]
"""Whether a blank counts as a value."""
Column: TypeAlias = Annotated[str, Field(coerce_numbers_to_str=True)]


def is_blank(value: str) -> bool:
    """Whether a cell is missing, empty, or nothing but white space."""
    return not value or value.isspace()


def without_blanks(histogram: Histogram) -> Histogram:
    """Remove the records with a blank value from each row and from the totals of the table."""
    blank = np.array([is_blank(value) for value in histogram.domain], dtype=np.bool_)
    if not blank.any():
        return histogram
    inside = ~blank[histogram.codes]
    before = np.concatenate(([0], np.cumsum(inside)))
    return replace(
        histogram,
        starts=before[histogram.starts],
        codes=histogram.codes[inside],
        counts=histogram.counts[inside],
        whole=np.where(blank, 0, histogram.whole),
    )


class DiversityModel(PrivacyModel):
    """A model of the number of values of a `column` in a class, or of their frequencies."""

    column: Column
    blank: Blank

    @property
    def terms(self) -> str:
        """Return whether a blank counts as a value."""
        count = "count" if self.blank == "value" else "do not count"
        return f"Empty cells in {self.column} {count} as a value."

    def values(self, table: FrequencyTable) -> Histogram:
        """Count the values of the column in a table."""
        own = table.histogram(self.column)
        return own if self.blank == "value" else without_blanks(own)

    def require_blank(self) -> None:
        """Refuse an unknown rule for blanks."""
        fix = "use blank=value if a missing value counts as a value"
        self.require("blank", self.blank in ("no-value", "value"), "no-value or value", fix)

    @property
    def counting_blanks(self) -> str:
        """Return the words that are added to the name of the model if blanks count."""
        return ", empty cells counted" if self.blank == "value" else ""
