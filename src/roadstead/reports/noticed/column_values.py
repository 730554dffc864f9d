"""Count the records with each value of a column, and decide which values may be displayed."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from roadstead.errors import quoted
from roadstead.front_end import option
from roadstead.hierarchies.code_rules import Beginnings, CodeParts
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.printable import named
from roadstead.reports.wording import counted, first_few
from roadstead.tables.codebooks.shown import with_label
from roadstead.tables.extra_rows import MOST_HEADERS

_MOST_SHOWN = 3
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True)
class ColumnValues:
    """The values of a column, without the missing value."""

    name: str
    records: Mapping[str, int]  # how many records have each value
    frequent: Collection[str]  # values of enough records or people; other values could be names
    rarity: str  # why other values are not displayed: "fewer than 5 people"
    hierarchy: Hierarchy | None = None  # hierarchy of the release, or None without a release
    labels: Mapping[str, str] = field(default_factory=dict)  # labels of codes, from the codebook

    @property
    def code_rule(self) -> Beginnings | CodeParts | None:
        """Return the most detailed rule of the hierarchy for codes of a code system, or None."""
        levels = () if self.hierarchy is None else self.hierarchy.levels
        rules = (level.rule for level in levels)
        return next((rule for rule in rules if isinstance(rule, Beginnings | CodeParts)), None)

    @property
    def total(self) -> int:
        """Return the number of records with a value."""
        return sum(self.records.values())

    def is_one(self, values: Collection[str]) -> bool:
        """Return whether a sentence counts exactly one record with the given values."""
        return self._number(values) == 1

    def counted(self, values: Collection[str]) -> str:
        """Describe how many records have the given values, as in "20 of 500 values of age"."""
        return f"{self._number(values):,} of {counted(self.total, 'value')} of {named(self.name)}"

    def records_with(self, values: Collection[str]) -> str:
        """Describe how many records have the given values, among all records that have a value."""
        return f"{self._number(values):,} of {counted(self.total, 'record')}"

    def correction(self, values: Collection[str]) -> str:
        """Describe what to do about values that are mistakes or codes for missing values."""
        one, many = self.is_one(values), len(values)
        these = "this value" if one else "these values"
        each = "it" if one else f"each of the {many:,} different values" if many > 1 else "them"
        correct, header = "Correct", ""
        if self._number(values) <= MOST_HEADERS and not any(map(_DIGIT.search, values)):
            be = "this value is" if one else "these values are"
            rows = option("skip_rows", "ROWS")
            header = f"If {be} in a second header row, leave the row out with {rows}. "
            correct = "Otherwise, correct"
        return (
            f"{header}{correct} {these} in the table, or declare {each} as missing with "
            f"{option('missing', [f'{self.name}=VALUE'])}."
        )

    def shown(self, values: Collection[str]) -> str:
        """List the values that enough records have, with counts. Only count the other values."""
        frequent = sorted(
            (value for value in values if value in self.frequent),
            key=lambda value: (-self.records[value], value),
        )
        rare = len(values) - len(frequent)
        texts = [
            f"{quoted(with_label(value, self.labels))} ({self.records[value]:,})"
            for value in frequent
        ]
        if not rare:
            return first_few(texts, _MOST_SHOWN)
        more = counted(rare, "other value" if frequent else "value")
        listed = [*texts[:_MOST_SHOWN], f"{more} that {self.rarity} have"]
        return first_few(listed, len(listed))

    def _number(self, values: Collection[str]) -> int:
        return sum(self.records[value] for value in values)
