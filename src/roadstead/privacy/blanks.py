"""Blanks of a sensitive column, which do not count as a value unless a model says so.

Six records that say "positive" and two that say nothing have one value. An attacker who finds a
person among them learns it. So a model of l-diversity judges the records of a class that have a
value: blanks neither add a value nor change how frequent the others are. A class without any value
has none, and is not released.

What a model promises of the records with a value does not change when blanks join them, so what was
monotone still is, and classes that merge still do. Bounds count records, though. Of a part with b
blanks at most R + b records are released if at most R of those with a value are, and none if R is
0, because each released class has a value. A class that holds a block has all blanks of the block
in addition to the records with a value that it needs.
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
    """Leave the records out whose value is blank, in each row and in the whole table."""
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
    """A model of how many values of a `column` a class has, and how frequent they are."""

    column: Column
    blank: Blank

    @property
    def terms(self) -> str:
        """Say whether a blank counts as a value."""
        count = "count" if self.blank == "value" else "do not count"
        return f"Empty cells in {self.column} {count} as a value."

    def values(self, table: FrequencyTable) -> Histogram:
        """Count the values of the column in a table."""
        own = table.histogram(self.column)
        return own if self.blank == "value" else without_blanks(own)

    def require_blank(self) -> None:
        """Refuse what is not a rule for blanks."""
        fix = "use blank=value if a missing value counts as a value"
        self.require("blank", self.blank in ("no-value", "value"), "no-value or value", fix)

    @property
    def counting_blanks(self) -> str:
        """What the name of the model adds if blanks count."""
        return ", empty cells counted" if self.blank == "value" else ""
