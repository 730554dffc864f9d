"""Define the treatments of released columns in the form that a policy contains.

*Microaggregation* replaces the values of a group of at least k records (or people) with one value.
*Rounding* replaces each number with a multiple of a base. A treatment can be checked from the
release alone. A policy describes how groups are formed, but does not contain their means. However,
a policy contains the ends of intervals, because intervals are rules
(docs/methods/treated-columns.md).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, Literal, TypeAlias

from pydantic import Field
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.capabilities import Capabilities, Component, Feature, Reason, supporting
from roadstead.errors import SettingError, quoted
from roadstead.hierarchies.number_text import EXACT, name_interval, parse_number, plain_number
from roadstead.policies.json_document import STRICT

MOST_CUTS = 1_000
"""The largest number of cuts in a column, because people could not read more cuts."""
FEW = 20
"""The largest number of steps between bounds that leaves too few values for IDs of people."""
LEAST = 3
"""The smallest group size, because with two records, one person could derive the other's value."""

MOST_IN_GROUP = 2**31
"""The largest possible value of the smallest group size."""

Statistic: TypeAlias = Literal["mean", "median", "mode", "interval"]
"""The statistic that replaces the values of a group."""


def exact_number(text: str, what: str) -> Decimal:
    """Read a number in a treatment, and raise a SettingError for any other text."""
    number = parse_number(text)
    if number is None:
        raise SettingError(
            f"{what} {quoted(text)} is not a number", fix="write a number, such as 5"
        )
    return number


_NOT_IN_SQL = Reason(
    "the policy rounds or microaggregates columns, which a single SQL statement cannot do",
    "{rather}; Roadstead can do this in a database",
)
AS_A_RULE = supporting(Feature.LEDGER, Feature.NEW_RECORDS, reasons={Feature.SQL: _NOT_IN_SQL})
"""The features of treatments whose rules also apply to new records."""
MADE_OF_GROUPS = supporting(
    reasons={
        Feature.SQL: _NOT_IN_SQL,
        Feature.LEDGER: Reason(
            "the values shown for {part} come from groups, and a ledger cannot determine what two "
            "such releases of the same people reveal together",
            "round the column, or leave it out; or leave {ledger} out, and make no second release "
            "about these people",
        ),
        # Comparing two means of nearly the same records reveals the records that only one of the
        # means includes.
        Feature.NEW_RECORDS: Reason(
            "for {part}, the release shows one value per group; new records would change the "
            "groups, so a comparison with an earlier release would reveal single values",
            "round the column, or treat it alone with function=interval over the whole table: both "
            "rules also apply to new records",
        ),
    }
)
"""The features of treatments that replace values by group. Each table has its own groups."""


@checked_dataclass(frozen=True, config=STRICT)
class Rounding:
    """Rounds the numbers in a `column` to multiples of `base`, with ties rounded to even.

    A value below `low` or above `high` first becomes `low` or `high`. The settings are stored as
    strings, to keep the numbers exactly as written.
    """

    column: str
    base: str
    low: str | None = None
    high: str | None = None
    kind: Literal["rounding"] = "rounding"

    def __post_init__(self) -> None:
        """Reject an invalid base, and bounds in the wrong order or not divisible by the base."""
        base = exact_number(self.base, "the base")
        if base <= 0:
            raise SettingError("the base must be above zero", fix="write base=5 or base=0.1")
        ends = [exact_number(one, "the bound") for one in (self.low, self.high) if one is not None]
        if any(self._nearest(one) != one for one in ends):
            what = f"the bounds must be multiples of the base, {plain_number(base)}"
            raise SettingError(what, fix="round the bounds too")
        if ends != sorted(set(ends)):
            raise SettingError("the lower bound is not below the upper bound", fix="swap them")

    @property
    def columns(self) -> tuple[str, ...]:
        """The treated columns, as in all treatments. A rounding has only one column."""
        return (self.column,)

    @property
    def capabilities(self) -> Capabilities:
        """The features that the treatment supports."""
        return AS_A_RULE

    def rounded(self, number: Decimal) -> Decimal:
        """Return the rounded number."""
        if self.low is not None:
            number = max(number, Decimal(self.low))
        if self.high is not None:
            number = min(number, Decimal(self.high))
        return self._nearest(number)

    def _nearest(self, number: Decimal) -> Decimal:
        base = Decimal(self.base)
        quotient = EXACT.divide(number, base).to_integral_value(context=EXACT)
        return EXACT.add(EXACT.multiply(quotient, base), Decimal(0))  # no negative zero

    @property
    def few(self) -> bool:
        """Whether there are so few values between the bounds that they cannot identify people."""
        if self.low is None or self.high is None:
            return False
        return Decimal(self.high) - Decimal(self.low) < FEW * Decimal(self.base)

    def promise(self, *, persons: bool) -> str:  # noqa: ARG002 - as all treatments have it
        """Return a statement that is true for every release under the treatment."""
        return f"Each value of {self.column} is {self.does}."

    @property
    def does(self) -> str:
        """A description of the treatment in words."""
        ends = [f"at least {self.low}"] if self.low is not None else []
        ends += [f"at most {self.high}"] if self.high is not None else []
        within = f", {' and '.join(ends)}" if ends else ""
        return f"rounded to multiples of {plain_number(Decimal(self.base))}{within}"


@checked_dataclass(frozen=True, config=STRICT)
class Ends:
    """The ends between the intervals of one column. The first and the last interval are open."""

    column: str
    cuts: Annotated[tuple[str, ...], Field(max_length=MOST_CUTS)]  # ascending
    whole: bool  # whether all values are whole numbers, which affects the names of intervals

    def __post_init__(self) -> None:
        """Reject cuts that are not numbers, or that are not in ascending order."""
        numbers = self.numbers
        if any(low >= high for low, high in pairwise(numbers)):
            raise SettingError(f"the intervals of {quoted(self.column)} are not in order")

    @property
    def numbers(self) -> tuple[Decimal, ...]:
        """The cuts as numbers."""
        return tuple(exact_number(one, "the cut") for one in self.cuts)

    def places(self, numbers: Sequence[Decimal]) -> list[int]:
        """Return the index of each number's interval. The numbers must be sorted."""
        cuts, at, found = self.numbers, 0, []
        for number in numbers:
            while at < len(cuts) and number >= cuts[at]:
                at += 1
            found.append(at)
        return found

    def labels(self, spans: Iterable[tuple[int, int]]) -> list[str]:
        """Name ranges of intervals. The indices of the ends of each range are given."""
        cuts = (None, *self.numbers, None)
        return [
            name_interval(cuts[first], cuts[last + 1], integer=self.whole) for first, last in spans
        ]

    def all_labels(self, *, single: bool) -> frozenset[str]:
        """Return the names of all intervals and, unless `single` is true, of all ranges."""
        number = len(self.cuts) + 1
        spans = (
            (first, last)
            for first in range(number)
            for last in range(first, first + 1 if single else number)
        )
        return frozenset(self.labels(spans))


@checked_dataclass(frozen=True, config=STRICT)
class Microaggregation:
    """Replaces values of `columns` with one value per group of at least `k` records (or people).

    MDAV forms groups of records that are similar in all of these columns. The groups are formed
    either among all released records or `within` each class. With ``whole``, each class is one
    group. If the statistic is an interval, `ends` contains the ends of the intervals of each
    column.
    """

    columns: Annotated[tuple[str, ...], Field(min_length=1, max_length=50)]
    k: Annotated[int, Field(ge=LEAST, le=MOST_IN_GROUP)]
    function: Statistic = "mean"
    within: Literal["table", "classes"] = "table"
    groups: Literal["mdav", "whole"] = "mdav"
    ends: tuple[Ends, ...] = ()
    kind: Literal["microaggregation"] = "microaggregation"

    def __post_init__(self) -> None:
        """Reject repeated columns, ends that do not apply, and a single group of all records."""
        if self.groups == "whole" and self.within == "table":
            raise SettingError(
                "a single group of the whole table would leave one value for all records",
                fix="add within=classes, or leave groups out",
            )
        if len(set(self.columns)) < len(self.columns):
            raise SettingError("a column is named twice", fix="name it once")
        if self.ends and tuple(one.column for one in self.ends) != self.columns:
            raise SettingError("the intervals and the columns of a treatment do not match")
        if self.ends and self.function != "interval":
            raise SettingError("a treatment has intervals, but does not show them")

    @property
    def capabilities(self) -> Capabilities:
        """The supported features, which are few if the intervals are not known."""
        return AS_A_RULE if self.single else MADE_OF_GROUPS

    @property
    def single(self) -> bool:
        """Return whether each group is one interval, with known ends, of a single column."""
        return self.function == "interval" and self.within == "table" and len(self.columns) == 1

    @property
    def does(self) -> str:
        """A description of the treatment in words."""
        group = (
            ("group of records with the same quasi-identifiers")
            if self.groups == "whole"
            else f"group of at least {self.k}"
        )
        where = (
            (" within its group of records with the same quasi-identifiers")
            if self.groups == "mdav" and self.within == "classes"
            else ""
        )
        together = " (grouped together)" if len(self.columns) > 1 else ""
        return f"microaggregated: the {self.function} of its {group}{where}{together}"

    def promise(self, *, persons: bool) -> str:
        """Return a statement that is true for every release under the treatment."""
        several = len(self.columns) > 1
        shown = (
            f"combination of values shown in {', '.join(self.columns)}"
            if several
            else (f"value shown in {self.columns[0]}")
        )
        who = f"records of at least {self.k} people" if persons else f"at least {self.k} records"
        where = " of the same group" if self.within == "classes" else ""
        return f"Each {shown} is shared by {who}{where}."


Treatment: TypeAlias = Annotated[Rounding | Microaggregation, Field(discriminator="kind")]
"""The treatment of one released column, or of several columns together."""


def treated_columns(treatments: Sequence[Treatment]) -> dict[str, Treatment]:
    """Return the treatment of each treated column."""
    return {column: one for one in treatments for column in one.columns}


def fault_of(
    treatments: Sequence[Treatment], released: Collection[str], dates: Collection[str]
) -> str | None:
    """Explain what is wrong with a policy's treatments, or return None if all are valid."""
    every = [column for one in treatments for column in one.columns]
    for column in every:
        if column not in released or column in dates:
            return (
                f"column {quoted(column)} is treated, but it is a quasi-identifier, has a date "
                "rule, or is not released"
            )
        if every.count(column) > 1:
            return f"column {quoted(column)} has two treatments"
    return None


def treatment_parts(treatments: Iterable[Treatment]) -> Iterator[Component]:
    """Yield the treatments of columns as components of a combination."""
    for one in treatments:
        yield Component("treat", quoted(one.columns[0]), "treat", capabilities=one.capabilities)
