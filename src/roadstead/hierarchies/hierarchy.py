"""Define generalization hierarchies, whose levels make the values of a domain coarser.

Level 0 contains the values themselves. Each further level merges labels of the previous level. This
means that the levels *nest*. The last level has one label for all values. Full-domain
generalization uses the same level of an attribute for every record. So the hierarchy determines the
label of a value at each level, and the number of domain values that the label covers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, product
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import HierarchyError, quoted
from roadstead.hierarchies.rules import MISSING, Everything, Groups, Identity, Prefix, Rule

T = TypeVar("T")

Width: TypeAlias = Callable[[str], int]
"""A function that returns the number of domain values that the label of a value covers."""

_SHORTEST_CODE = 2
_LONGEST_LIST = 1_000
_NO_MULTIPLE = "width {coarser} is not a multiple of the previous width, {finer}"
_KEPT = (MISSING, MISSING)
"""The missing value and its label. Every rule except the last keeps the missing value."""


class RowError(HierarchyError):
    """The error for a row that makes a hierarchy invalid."""

    row = 0


@dataclass(frozen=True)
class Level:
    """One level of a hierarchy."""

    labels: tuple[str, ...]  # the distinct labels
    codes: NDArray[np.int32]  # the index of each domain value's label; shape ``(n_values,)``
    # The number of domain values that each label covers; shape ``(n_labels,)``. For numbers and
    # dates, the domain is a range, so these sizes are widths, not numbers of observations.
    leaves: NDArray[np.int64]
    # The rule of the level, if known. Otherwise, the rule is derived from the table of labels.
    rule: Rule | None = None

    def label(self, row: int) -> str:
        """Return the label of the value with this index in the domain."""
        return self.labels[int(self.codes[row])]


@dataclass(frozen=True)
class Hierarchy:
    """The levels of one attribute, from specific to general.

    Build a hierarchy with `from_rules` or `from_columns`, which validate the hierarchy.
    """

    attribute: str  # the column that the hierarchy belongs to
    values: tuple[str, ...]  # the domain as text; an empty string is the missing value
    levels: tuple[Level, ...]  # from specific to general; the last level has one label
    origin: str  # for messages: the file's name, or the kind of the hierarchy
    # If the domain is a range of numbers or dates, the number of domain values below each of
    # `values`. None if `values` is the domain.
    below: NDArray[np.int64] | None = None
    # Declared missing codes, which stay separate values at every level below the last. The rules of
    # the levels do not cover them.
    missing_codes: tuple[str, ...] = ()
    # The year with which dates of birth were compared, if any, because the table has no other date.
    births_compared_with: int | None = None

    @property
    def height(self) -> int:
        """The number of levels."""
        return len(self.levels)

    @property
    def domain_size(self) -> int:
        """Return the number of values that the top level covers, which is |D| in Iyengar's loss."""
        return int(self.levels[-1].leaves[0])

    def rule(self, level: int) -> Rule:
        """Return the rule of a level. The rule does not depend on the hierarchy."""
        chosen, values = self.levels[level], self.values
        last = self.height - 1
        if chosen.rule is None and self.missing_codes:
            others = [row for row, value in enumerate(values) if value not in self.missing_codes]
            values = tuple(values[row] for row in others)
            chosen = replace(chosen, codes=chosen.codes[others])
        return chosen.rule or _rule_of_table(values, chosen, first=level == 0, top=level == last)

    def describe(self, level: int) -> str:
        """Describe a level in words."""
        return self.rule(level).describe()

    def covering(self, domain: Sequence[str]) -> Hierarchy:
        """Return the hierarchy. If `domain` contains the missing value, add this value.

        If no row lists the missing value, the missing value is unchanged at every level below the
        top. The top level merges the missing value with the other values.
        """
        known = set(self.values)
        unknown = [v for v in domain if v != MISSING and v not in known]
        if unknown:
            more = f" (and {len(unknown) - 1} more)" if len(unknown) > 1 else ""
            what = f"value {quoted(unknown[0])} of {self.attribute!r} is not in the hierarchy{more}"
            raise self.wrong(what, "add a row for it, or correct the table")
        if MISSING in domain and MISSING not in known:
            return _with_separate(self, MISSING)
        return self

    def keeping(self, codes: Sequence[str]) -> Hierarchy:
        """Return the hierarchy, and add declared missing codes that it does not cover."""
        known = {*self.values}
        kept = [code for code in codes if code not in known]
        made = self
        for code in kept:
            made = _with_separate(made, code)
        return replace(made, missing_codes=(*self.missing_codes, *kept))

    def without_codes(self) -> Hierarchy:
        """Return the hierarchy without the missing codes that `keeping` added."""
        number = len(self.missing_codes)
        if not number:
            return self
        *lower, top = self.levels
        levels = [
            replace(
                level,
                labels=level.labels[:-number],
                codes=level.codes[:-number],
                leaves=level.leaves[:-number],
            )
            for level in lower
        ]
        last = replace(top, codes=top.codes[:-number], leaves=top.leaves - number)
        return replace(
            self,
            values=self.values[:-number],
            levels=(*levels, last),
            below=None if self.below is None else self.below[:-number] - number,
            missing_codes=(),
        )

    def require_nesting(self) -> None:
        """Reject two values that have the same label at one level but not at the next level."""
        for finer, coarser in pairwise(self.levels):
            first = np.full(len(finer.labels), -1, dtype=np.int64)
            rows = np.arange(len(self.values))
            first[finer.codes[::-1]] = rows[::-1]
            leader = first[finer.codes]
            torn = np.flatnonzero(coarser.codes != coarser.codes[leader])
            if torn.size:
                one, other = int(leader[torn[0]]), int(torn[0])
                raise self.wrong(
                    f"the levels of {self.attribute!r} are not nested: {quoted(self.values[one])} "
                    f"and {quoted(self.values[other])} both become {quoted(finer.label(one))}, "
                    f"but at the next level {quoted(coarser.label(one))} and "
                    f"{quoted(coarser.label(other))}",
                    "if values have the same label, give them the same label at the next level too",
                    other,
                )

    def require_top(self) -> None:
        """Reject a hierarchy whose last level has more than one label."""
        top = self.levels[-1]
        if len(top.labels) > 1:
            other = int(np.flatnonzero(top.codes)[0])
            raise self.wrong(
                f"the last level of {self.attribute!r} must have a single label: "
                f"{quoted(self.values[0])} becomes {quoted(top.labels[0])}, but "
                f"{quoted(self.values[other])} becomes {quoted(top.labels[1])}",
                "add a last level that is * in every row",
                other,
            )

    def wrong(self, what: str, fix: str, row: int = 0) -> RowError:
        """Return an error that contains the value's index in the domain."""
        error = RowError(what, where=self.origin, fix=fix)
        error.row = row
        return error

    def codes_of(self, domain: Sequence[str]) -> tuple[NDArray[np.int32], ...]:
        """For each level, return an array that contains the code of each value's label."""
        position = {value: i for i, value in enumerate(self.values)}
        rows = np.array([position[value] for value in domain], dtype=np.int64)
        return tuple(np.ascontiguousarray(level.codes[rows]) for level in self.levels)


def from_columns(
    attribute: str,
    columns: Sequence[Sequence[str]],
    *,
    origin: str,
    rows: Sequence[int] | None = None,
) -> Hierarchy:
    """Build a validated hierarchy from columns: first the domain, then one column per level.

    Raises `HierarchyError` if the domain is empty, a value is repeated, the levels do not nest, or
    the last level has more than one label.

    `rows` contains the row numbers that messages give instead of cells. Without `rows`, messages
    quote the cells.
    """
    try:
        return _assemble(attribute, columns[0], columns, [None] * len(columns), None, origin)
    except RowError as error:
        if rows is None:
            raise
        raise HierarchyError(
            f"this is not a hierarchy of {quoted(attribute)}: row {rows[error.row]} repeats a "
            "value, lacks a label, is not nested, or does not end in the same label as the rows "
            "before it",
            where=origin,
            fix=error.fix,
        ) from None


def from_rules(
    attribute: str,
    values: Sequence[str],
    rules: Sequence[Rule],
    *,
    origin: str,
    widths: Sequence[Width | None] | None = None,
    below: Width | None = None,
) -> Hierarchy:
    """Build a validated hierarchy by applying rules to a domain, from specific to general.

    If the domain is a range rather than a list of values, `widths` contains one function per level.
    Each function returns the number of values in the range that the label of a value covers.
    Without `widths`, the listed values are counted. `below` is a function that returns how many
    values in the range are below a value.
    """
    columns: list[list[str]] = [[] for _ in rules]
    for (column, rule), value in product(zip(columns, rules, strict=True), values):
        label = rule.label(value)
        if label is None:
            raise HierarchyError(
                f"the hierarchy does not cover value {quoted(value)} of {attribute!r}",
                where=origin,
                fix="use another kind of hierarchy, or correct the table",
            )
        column.append(label)
    made = _assemble(attribute, values, columns, rules, widths, origin)
    if below is None:
        return made
    # The missing value, if there is one, is below all others.
    first = int(MISSING in values)
    ranks = [0 if value == MISSING else below(value) + first for value in values]
    return replace(made, below=np.array(ranks, dtype=np.int64))


def read_values(
    attribute: str,
    values: Sequence[str],
    read: Callable[[str], T | None],
    form: str,
    *,
    origin: str,
    fix: str = "use another kind of hierarchy, or correct the table",
) -> dict[str, T]:
    """Read every value that is not missing. Reject the first value that cannot be read."""
    found: dict[str, T] = {}
    for value in values:
        if value != MISSING:
            one = read(value)
            if one is None:
                raise HierarchyError(
                    f"value {quoted(value)} of {attribute!r} is not {form}", where=origin, fix=fix
                )
            found[value] = one
    return found


def require_multiples(
    sizes: Iterable[int | Decimal], *, origin: str, what: str = _NO_MULTIPLE, fix: str
) -> None:
    """Require that each group size is a multiple of the previous size, and larger."""
    for finer, coarser in pairwise(sizes):
        if coarser <= finer or (Fraction(coarser) / Fraction(finer)).denominator != 1:
            raise HierarchyError(what.format(finer=finer, coarser=coarser), where=origin, fix=fix)


def _assemble(
    attribute: str,
    domain: Sequence[str],
    columns: Sequence[Sequence[str]],
    rules: Sequence[Rule | None],
    widths: Sequence[Width | None] | None,
    origin: str,
) -> Hierarchy:
    values = tuple(domain)
    bare = Hierarchy(attribute, values, (), origin)
    if not values:
        raise HierarchyError(
            "the hierarchy has no values", where=origin, fix="add one row per value"
        )
    if len(set(values)) < len(values):
        first = {value: row for row, value in reversed([*enumerate(values)])}
        twice = next(row for row, value in enumerate(values) if first[value] < row)
        what = f"value {quoted(values[twice])} of {attribute!r} is in two rows"
        raise bare.wrong(what, "keep one of them", twice)
    for number, column in enumerate(columns):
        if len(column) != len(values):
            what = f"has {len(column)} labels for {len(values)} values"
            fix = "give one label per value at every level"
            raise bare.wrong(f"level {number} of {attribute!r} {what}", fix)
        for row, value in enumerate(values) if MISSING in column else ():
            if column[row] == MISSING and value != MISSING:
                raise bare.wrong(
                    f"value {quoted(value)} of {attribute!r} has an empty label at level {number}",
                    "fill it in; empty text means a missing value",
                    row,
                )
    sizes = widths or [None] * len(columns)
    levels = tuple(_level(values, c, r, w) for c, r, w in zip(columns, rules, sizes, strict=True))
    hierarchy = replace(bare, levels=levels)
    hierarchy.require_nesting()
    hierarchy.require_top()
    return hierarchy


def _level(
    values: tuple[str, ...], column: Sequence[str], rule: Rule | None, width: Width | None
) -> Level:
    labels = tuple(dict.fromkeys(column))
    index = {label: code for code, label in enumerate(labels)}
    codes = np.fromiter(map(index.__getitem__, column), dtype=np.int32, count=len(column))
    leaves = np.bincount(codes, minlength=len(labels)).astype(np.int64)
    if width is not None:
        named = {c: v for v, c in zip(values, codes.tolist(), strict=True) if v != MISSING}
        for code, value in named.items():
            leaves[code] = width(value)
        if MISSING in values and (code := int(codes[values.index(MISSING)])) in named:
            leaves[code] += 1  # the missing value is not part of the range
    return Level(labels, codes, leaves, rule)


def _with_separate(hierarchy: Hierarchy, value: str) -> Hierarchy:
    """Add the missing value or a missing code, which stays unchanged below the top level."""
    *lower, top = hierarchy.levels
    kept = [
        replace(
            level,
            labels=(*level.labels, value),
            codes=np.append(level.codes, np.int32(len(level.labels))),
            leaves=np.append(level.leaves, np.int64(1)),
        )
        for level in lower
    ]
    last = replace(top, codes=np.append(top.codes, np.int32(0)), leaves=top.leaves + 1)
    below = hierarchy.below
    return replace(
        hierarchy,
        values=(*hierarchy.values, value),
        levels=(*kept, last),
        below=None if below is None else np.append(below + 1, np.int64(0)),
    )


def _rule_of_table(values: tuple[str, ...], level: Level, *, first: bool, top: bool) -> Rule:
    """Return the shortest rule that reproduces one level in a table of labels."""
    if top and not first:
        return Everything(level.labels[0])
    labels = [level.labels[code] for code in level.codes.tolist()]
    if (masked := _as_prefix(values, labels)) and not (first and len(values) <= _LONGEST_LIST):
        return masked
    if first:
        return Identity(values)
    members: dict[str, list[str]] = {label: [] for label in level.labels}
    for value, label in zip(values, labels, strict=True):
        members[label].append(value)
    return Groups(tuple((label, tuple(group)) for label, group in members.items()))


def _as_prefix(values: tuple[str, ...], labels: Sequence[str]) -> Prefix | None:
    """Recognize masking, in which all codes have the same length and all labels end in stars."""
    pairs = [(v, label) for v, label in zip(values, labels, strict=True) if (v, label) != _KEPT]
    if not pairs:
        return None
    length = len(pairs[0][0])
    keep = len(pairs[0][1].rstrip("*"))
    if length < _SHORTEST_CODE or not keep:
        return None
    rule = Prefix(keep, length)
    masked = all(v.isalnum() and rule.label(v) == label for v, label in pairs)
    return rule if masked else None
