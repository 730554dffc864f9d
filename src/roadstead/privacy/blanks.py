"""Handle blanks in a sensitive column. By default, a blank does not count as a value.

l-diversity models check only the records that have a value (docs/methods/l-diversity.md). Bounds,
however, count all records. If a part has b blanks and at most R of its records with a value are
released, then at most R + b of its records are released. If R is 0, no record is released.
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
    """Return whether a cell is missing, is empty, or contains only white space."""
    return not value or value.isspace()


def without_blanks(histogram: Histogram) -> Histogram:
    """Remove the blank values from each row and from the totals of the table."""
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
    """A model that limits which values of `column` a class contains, or how often values occur."""

    column: Column
    blank: Blank

    @property
    def terms(self) -> str:
        """Return a sentence that states whether a blank counts as a value."""
        count = "count" if self.blank == "value" else "do not count"
        return f"Empty cells in {self.column} {count} as a value."

    def values(self, table: FrequencyTable) -> Histogram:
        """Return the counts of the column's values. Blanks are excluded by default."""
        own = table.histogram(self.column)
        return own if self.blank == "value" else without_blanks(own)

    def require_blank(self) -> None:
        """Reject an unknown rule for blanks."""
        fix = "use blank=value if a missing value counts as a value"
        self.require("blank", self.blank in ("no-value", "value"), "no-value or value", fix)

    @property
    def counting_blanks(self) -> str:
        """Return a suffix for the model's name. It is empty unless blanks count as values."""
        return ", empty cells counted" if self.blank == "value" else ""
