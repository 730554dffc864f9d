"""Define the part of a policy for classes that are generalized in different ways.

For each quasi-identifier, the document lists the *parts* (sets of values), with their text in the
release. The document also lists the parts of each class. A record belongs to the first class whose
parts contain all of the record's values. If no class matches, the record is suppressed. The release
already contains the parts of each class. In addition, the document reveals only the order of the
classes. The order shows that a record does not match any class before its own class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.hierarchies.label_order import open_bands
from roadstead.hierarchies.number_text import parse_number
from roadstead.hierarchies.rules import MISSING, Everything, Rule
from roadstead.hierarchies.spreadsheet_ranges import place_of_range
from roadstead.hierarchies.written_dates import WrittenForm
from roadstead.hierarchies.written_numbers import place_of_number
from roadstead.policies.json_document import NOT_EMPTY, STRICT
from roadstead.policies.placement import placed
from roadstead.policies.recodings.interval_columns import (
    NOTHING,
    CellKind,
    ReleasedAs,
    cell_kind,
    joined,
    plain,
)
from roadstead.printable import named
from roadstead.tables.frequency import FrequencyTable

RecodingKind: TypeAlias = Literal["cells", "local", "intervals"]
Order: TypeAlias = Literal["numbers", "mixed", "ages", "ranges", "dates", "listed", "texts"]
"""The order in which the values of intervals are compared."""
NOWHERE = -1
"""The number that marks a row without a class."""


@checked_dataclass(frozen=True, config=STRICT)
class NodeParts:
    """Parts of one quasi-identifier that are nodes of its hierarchy.

    `levels` lists the levels that are used, in ascending order, and `rules` contains the rule of
    each level. For each part, `parts` gives the index of its level in `levels`, and the label of
    its values at this level. Codes in `missing_codes` stay unchanged, except at a level that
    removes everything.
    """

    levels: Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1)]
    rules: tuple[Annotated[Rule, Field(discriminator="kind")], ...]
    parts: tuple[tuple[Annotated[int, Field(ge=0)], str], ...]
    missing_codes: Annotated[tuple[str, ...], NOT_EMPTY] = ()
    kind: Literal["nodes"] = "nodes"

    def shows(self, domain: Sequence[str]) -> NDArray[np.bool_]:
        """Return whether each part contains each value, as a ``(values, parts)`` array."""
        labels = [[self.label(rule, value) for value in domain] for rule in self.rules]
        found = [[own == label for own in labels[level]] for level, label in self.parts]
        return np.array(found, dtype=np.bool_).reshape(len(self.parts), len(domain)).T

    def label(self, rule: Rule, value: str) -> str | None:
        """Return the label of a value at the level of a rule, or None if it has no label."""
        return value if value in self.kept_by(rule) else rule.label(value)

    def kept_by(self, rule: Rule) -> tuple[str, ...]:
        """Return the missing codes that stay at the level of a rule."""
        return () if isinstance(rule, Everything) else self.missing_codes

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The text of each part in the release."""
        return tuple(label for _, label in self.parts)

    @property
    def levels_in_words(self) -> tuple[str, ...]:
        """Return a description of each level that the parts use.

        A level whose parts are all open bands shows no other value.
        """
        found = []
        for level, rule in enumerate(self.rules):
            shown = {label for at, label in self.parts if at == level}
            bands = [one for one in open_bands(rule) if one in shown]
            if bands and shown <= {*bands, *self.missing_codes, MISSING}:
                found.append(f"only {' or '.join(bands)}")
            elif shown:
                found.append(named(rule.describe()))
        return tuple(dict.fromkeys(found))

    @property
    def ambiguous(self) -> bool:
        """Return whether two parts have the same label."""
        return len(set(self.labels)) < len(self.labels)

    @property
    def wrong(self) -> str | None:
        """A description of the first contradiction, or None if there is none."""
        if len(self.rules) != len(self.levels) or list(self.levels) != sorted({*self.levels}):
            return "each level must have exactly one rule, and the levels must be in order"
        if any(level >= len(self.rules) for level, _ in self.parts):
            return "a part uses a level that does not exist"
        rules = ((self.rules[level], label) for level, label in self.parts)
        if not all(label in self.kept_by(rule) or rule.produces(label) for rule, label in rules):
            return "a part has a label that its rule does not produce"
        return None


@checked_dataclass(frozen=True, config=STRICT)
class IntervalParts:
    """Parts of one quasi-identifier that are intervals. Each part has a first and a last value.

    `order` states how values are ordered. In the orders ``numbers``, ``ranges``, and ``dates``, the
    values are numbers, ranges of numbers, or dates in the form `form`. In the orders ``mixed`` and
    ``ages``, the values are written numbers (`written_numbers`). In the order ``listed``, values
    are compared by their place in a list, and in the order ``texts`` by their code points. `pivot`
    and `serials` belong to the form of dates. A date that is only a year or a month belongs to a
    part that contains all days of this year or month. If an end is None, it is open. A part with an
    open low end includes all lower values and the missing value. A part with an open high end
    includes all higher values. If both ends are the missing value, the part contains only the
    missing value. `missing` lists the parts that contain the missing value in addition to the
    values between their ends. If both ends are a code in `missing_codes`, the part contains only
    this code. A part that contains the missing value also contains all these codes. Numbers and
    dates may be released as two ``columns``. Then a label contains both ends, and the label of a
    part without a value is ``*``.
    """

    order: Order
    parts: tuple[tuple[str | None, str | None], ...]
    labels: tuple[str, ...]
    missing: tuple[Annotated[int, Field(ge=0)], ...] = ()
    listed: tuple[str, ...] = ()
    form: str | None = None
    pivot: int | None = None
    serials: bool = False
    released_as: Annotated[ReleasedAs, Field(exclude_if=lambda form: form == "text")] = "text"
    missing_codes: Annotated[tuple[str, ...], NOT_EMPTY] = ()
    kind: Literal["intervals"] = "intervals"

    def shows(self, domain: Sequence[str]) -> NDArray[np.bool_]:
        """Return whether each part contains each value, as a ``(values, parts)`` array."""
        ends = [value for part in self.parts for value in part if value is not None]
        first, last = self._key, self._last_key
        keys: Any = {key(value) for value in (*domain, *ends) for key in (first, last)} - {None}
        ranks = {value: at for at, value in enumerate(sorted(keys), 1)}

        def places(
            values: Iterable[str | None], key: Callable[[str], Any], otherwise: int
        ) -> NDArray[np.int64]:
            # Values that cannot be compared have no place. The missing value is below all other
            # values.
            found = (
                otherwise if v is None else 0 if v == MISSING else ranks.get(key(v), -1)
                for v in values
            )
            return np.fromiter(found, np.int64)

        begin, end = (places(domain, key, 0)[:, None] for key in (first, last))
        low = places((part[0] for part in self.parts), first, 0)
        high = places((part[1] for part in self.parts), last, len(ranks))
        found = np.asarray((begin >= 0) & (low <= begin) & (end <= high))
        found[np.ix_(begin[:, 0] == 0, self.missing)] = True
        for at, value in enumerate(domain):
            if value in self.missing_codes:
                alone = np.array([part == (value, value) for part in self.parts], dtype=np.bool_)
                found[at] = self.with_missing | alone
        return found

    @cached_property
    def with_missing(self) -> NDArray[np.bool_]:
        """Whether each part contains the missing value."""
        lows = ((at, low) for at, (low, _) in enumerate(self.parts))
        found = (low in (None, MISSING) or at in self.missing for at, low in lows)
        return np.fromiter(found, np.bool_, len(self.parts))

    def ranks(self, domain: Sequence[str]) -> NDArray[np.int64]:
        """Number the values in their order from 1, with 0 for missing and incomparable values."""
        # A code may look like a number.
        keys: list[Any] = [self._key(v) if v not in self.missing_codes else None for v in domain]
        place = {one: at for at, one in enumerate(sorted({*keys} - {None}), 1)}
        return np.array([place.get(one, 0) for one in keys], dtype=np.int64)

    @cached_property
    def two_columns(self) -> tuple[str, ...]:
        """The labels of the parts in a release with two columns, which follow from the ends."""
        return tuple(
            NOTHING
            if part in ((None, None), (MISSING, MISSING))
            else joined(
                "" if at in self.missing else self._written(part[0]), self._written(part[1])
            )
            for at, part in enumerate(self.parts)
        )

    @cached_property
    def cell_kind(self) -> CellKind:
        """The type of the cells in the two columns."""
        return cell_kind(self.order, (end for part in self.parts for end in part if end))

    def _written(self, end: str | None) -> str:
        """Write an end in the form of the release (a plain number, an ISO date, or nothing)."""
        if end is None:
            return ""
        day = self._key(end) if self.order == "dates" else None
        return plain(end) if day is None else str(day.isoformat())

    @property
    def _key(self) -> Callable[[str], Any]:
        match self.order:
            case "numbers":
                return parse_number
            case "ranges":
                return place_of_range
            case "mixed" | "ages" as form:
                return lambda value: place_of_number(value, form) if value != MISSING else None
            case "dates":
                return lambda value: self.written.days_of(value)[0]
            case "texts":
                return lambda value: value if value != MISSING else None
        places = {value: at for at, value in enumerate(self.listed)}
        return places.get

    @property
    def _last_key(self) -> Callable[[str], Any]:
        """The sort key of the last day that a date can mean. For other values, this is `_key`."""
        if self.order != "dates":
            return self._key
        return lambda value: self.written.days_of(value)[1]

    @cached_property
    def written(self) -> WrittenForm:
        """The form in which dates are written."""
        return WrittenForm(self.form, self.pivot, self.serials)

    @property
    def wrong(self) -> str | None:
        """A description of the first contradiction, or None if there is none."""
        if len(self.labels) != len(self.parts):
            return "each part must have exactly one label"
        if any(part >= len(self.parts) for part in self.missing):
            return "the missing value is assigned to a part that does not exist"
        key = self._key
        for part in self.parts:
            if part == (MISSING, MISSING) or (part[0] == part[1] and part[0] in self.missing_codes):
                continue
            ends: Any = [None if end == MISSING else key(end) for end in part if end is not None]
            if None in ends:
                return "an end of an interval cannot be read as a value"
            if len(ends) > 1 and ends[1] < ends[0]:
                return "an interval ends before it starts"
        return self._wrong_columns

    @property
    def _wrong_columns(self) -> str | None:
        if self.released_as == "text":
            return None
        if self.order not in ("numbers", "dates"):
            return "intervals in two columns are possible only for numbers or dates"
        if self.missing_codes:
            return "intervals in two columns cannot show missing codes"
        same = self.labels == self.two_columns
        return None if same else "the label of a part does not match its two ends"

    @property
    def ambiguous(self) -> bool:
        """Return whether two parts have the same label, except parts without a value."""
        labels = list(self.labels)
        if self.released_as == "columns":
            labels = [label for label in labels if label != NOTHING]
        return len(set(labels)) < len(labels)


Parts: TypeAlias = Annotated[NodeParts | IntervalParts, Field(discriminator="kind")]


@checked_dataclass(frozen=True, config=STRICT)
class Recoding:
    """The parts of each class, with the index of one part per quasi-identifier."""

    kind: RecodingKind
    attributes: tuple[Parts, ...]
    classes: Annotated[tuple[tuple[Annotated[int, Field(ge=0)], ...], ...], Field(min_length=1)]

    @cached_property
    def array(self) -> NDArray[np.int32]:
        """The classes as an array with the shape ``(classes, attributes)``."""
        return np.array(self.classes, dtype=np.int32).reshape(-1, len(self.attributes))

    def place(self, table: FrequencyTable, *, whatever: int | None = None) -> NDArray[np.int32]:
        """Return the class of each row of a table, or `NOWHERE` for a row without a class.

        The values of the quasi-identifier `whatever` are ignored.
        """
        shows = [
            np.ones((len(domain), len(own.parts)), np.bool_)
            if at == whatever
            else own.shows(domain)
            for at, (own, domain) in enumerate(zip(self.attributes, table.domains, strict=True))
        ]
        return placed(np.stack(table.codes).astype(np.uint32), shows, self.array)

    @cached_property
    def shown(self) -> frozenset[tuple[str, ...]]:
        """The labels of each class in the release."""
        labels = [own.labels for own in self.attributes]
        return frozenset(
            tuple(own[part] for own, part in zip(labels, parts, strict=True))
            for parts in self.classes
        )

    @property
    def wrong(self) -> str | None:
        """A description of the first contradiction, or None if there is none."""
        for number, own in enumerate(self.attributes, 1):
            if own.wrong is not None:
                return f"quasi-identifier {number}: {own.wrong}"
            if own.ambiguous:
                return f"quasi-identifier {number}: two of its parts have the same label"
        sizes = [len(own.parts) for own in self.attributes]
        for one in self.classes:
            if len(one) != len(sizes) or any(p >= n for p, n in zip(one, sizes, strict=True)):
                return "a group shows a part that does not exist"
        if len(set(self.classes)) < len(self.classes):
            return "a group is listed twice"
        return None

    def describe(self, attribute: int, does: str) -> str:
        """Describe how a quasi-identifier is treated. `does` describes its rule in the policy."""
        own = self.attributes[attribute]
        if self.kind == "cells" and isinstance(own, NodeParts):
            if len(own.levels) == 1:
                return does
            last = own.rules[-1]
            other = "suppressed" if isinstance(last, Everything) else last.describe()
            return f"{does}, or {other} if that is not enough"
        if isinstance(own, IntervalParts):
            return f"an interval for each group of records, {len(own.parts):,} in total"
        lowest, highest = own.levels[0], own.levels[-1]
        if lowest == highest:
            return own.rules[0].describe()
        return f"a level for each group of records. Levels: {'; '.join(own.levels_in_words)}"
