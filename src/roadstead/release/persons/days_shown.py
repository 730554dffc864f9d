"""Find the days that the released cells of dates and years allow.

Each cell allows all days from a first day to a last day. A cell that does not show a day allows
every day.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from roadstead.hierarchies.dates import span_of
from roadstead.hierarchies.rules import Calendar, Everything
from roadstead.hierarchies.written_dates import WrittenForm, parse_date
from roadstead.number_ranges import parse_range
from roadstead.policies.document import SUPPRESSED
from roadstead.policies.recodings.document import IntervalParts, NodeParts
from roadstead.release.generalized import GeneralizedPersons
from roadstead.tables.identifiers.vocabulary import is_called
from roadstead.tables.text import MISSING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roadstead.policies.attribute_policy import AttributePolicy
    from roadstead.policies.document import Policy
    from roadstead.release.generalized import Generalized

YEAR = re.compile(r"(1[89]|2[0-9])\d\d", re.ASCII)
NEVER, ALWAYS = np.iinfo(np.int64).min // 2, np.iinfo(np.int64).max // 2
"""The first and last day for cells that do not show a day. These days do not reveal any age."""
_NUMBER = re.compile(r"(?P<low>-?[0-9]{1,9})(-(?P<high>-?[0-9]{1,9})|(?P<open>\+))?", re.ASCII)
"""The label of a number or band of days or years. All other labels allow every number."""


def is_called_a_year(name: str) -> bool:
    """Return whether the name of a column suggests years, including years of birth."""
    return is_called(name, "birth", "year")


def days_shown(
    policy: Policy, generalized: Generalized
) -> tuple[dict[str, NDArray[np.int64]], NDArray[np.bool_], NDArray[np.int64]]:
    """Return the days that the cells of each column allow, and which cells are released.

    The arrays have an entry for each class, or for each row of the table if the rows of a class
    differ. The last array counts the records of each entry. Columns of ages and of days since an
    anchor do not show days.
    """
    found = open_days if isinstance(generalized, GeneralizedPersons) else _class_days
    spans = zip(policy.attributes, found(policy, generalized), strict=True)
    numbers = {**anchors_of(policy), **ages_of(policy)}
    days = {
        attribute.name: own
        for attribute, own in spans
        if own is not None and attribute.name not in numbers
    }
    if isinstance(generalized, GeneralizedPersons):
        return days, generalized.rows[1], generalized.table.counts
    if generalized.row_of is None:
        return days, generalized.kept, generalized.merged.counts
    return days, generalized.kept[generalized.row_of], generalized.table.counts


def anchors_of(policy: Policy) -> dict[str, str | None]:
    """Return the anchor of each column of days.

    Two columns with the same anchor reveal the number of days between the two events.
    """
    if policy.persons is None:
        return {}
    forms = ("interval", "shifted-anchor")
    return {
        rule.column: rule.anchor or rule.column
        for rule in policy.persons.dates
        if rule.form in forms
    }


def ages_of(policy: Policy) -> dict[str, str]:
    """Return the column of dates at which the ages were computed, for each column of ages."""
    return {} if policy.persons is None else policy.persons.ages


def open_days(policy: Policy, generalized: Generalized) -> Iterator[NDArray[np.int64] | None]:
    """Yield the first and last day that each row's cell allows, for each quasi-identifier.

    For a column of ages, or of days since an anchor, yield the smallest and the largest number.
    """
    table, recoding = generalized.table, policy.recoding
    numbers = {**anchors_of(policy), **ages_of(policy)}
    classes = None if recoding is None else recoding.place(table)
    for at, (attribute, domain) in enumerate(zip(policy.attributes, table.domains, strict=True)):
        counted = attribute.name in numbers
        if recoding is None or classes is None:
            labels, cells = generalized.labels[at], table.codes[at]
            spans = _numbers_open(domain, labels) if counted else _spans(attribute, domain, labels)
        else:
            parts, cells = recoding.attributes[at], recoding.array[classes, at]
            if counted:
                labels = tuple(_label(parts, part) for part in range(len(parts.labels)))
                spans = _numbers_open(labels, labels)
            else:
                spans = _spans_of_parts(attribute, parts, domain)
        yield None if spans is None else spans[:, cells]


def _class_days(policy: Policy, generalized: Generalized) -> Iterator[NDArray[np.int64] | None]:
    """Yield the first and last day that the cell of each class, or of each row, allows.

    If each class has its own recoding, there is one entry per row.
    """
    if generalized.row_of is not None:
        yield from open_days(policy, generalized)
        return
    table, merged = generalized.table, generalized.merged
    for at, (attribute, domain) in enumerate(zip(policy.attributes, table.domains, strict=True)):
        labels = generalized.labels[at]
        spans = _spans(attribute, domain, labels)
        if spans is None:
            yield None
            continue
        of_label = dict(zip(labels, spans.T.tolist(), strict=True))
        of_code = [of_label.get(label, (NEVER, ALWAYS)) for label in merged.domains[at]]
        yield np.array(of_code, np.int64).reshape(-1, 2).T[:, merged.codes[at]]


def _spans_of_parts(
    attribute: AttributePolicy, parts: NodeParts | IntervalParts, domain: Sequence[str]
) -> NDArray[np.int64] | None:
    """Return the first and last day that each part allows, or None if a part shows no days."""
    shows, found, nothing = parts.shows(domain), [], {MISSING, *parts.missing_codes}
    for part in range(len(parts.labels)):
        label = _label(parts, part)
        values = [value for value, shown in zip(domain, shows[:, part], strict=True) if shown]
        if not values or not nothing.isdisjoint(values) or _is_everything(parts, part):
            found.append((NEVER, ALWAYS))
            continue
        if isinstance(parts, IntervalParts):
            span = _span_between(parts, part) or _span(attribute, values[0], label)
        else:
            rule = parts.rules[parts.parts[part][0]]
            span = _span(replace(attribute, rule=rule), values[0], label)
        if span is None:
            return None
        found.append(span)
    return np.array(found, np.int64).reshape(-1, 2).T


def _label(parts: NodeParts | IntervalParts, part: int) -> str:
    """Return the label of a part, with both ends for an interval of numbers."""
    if isinstance(parts, IntervalParts) and parts.order == "numbers":
        low, high = parts.parts[part]
        if low is None or high is None or part in parts.missing:
            return SUPPRESSED
        return low if low == high else f"{low}-{high}"
    return parts.labels[part]


def _is_everything(parts: NodeParts | IntervalParts, part: int) -> bool:
    if isinstance(parts, IntervalParts):
        return parts.parts[part] == (None, None)
    return isinstance(parts.rules[parts.parts[part][0]], Everything)


def _span_between(parts: IntervalParts, part: int) -> tuple[int, int] | None:
    """Return the first and last day of an interval of dates."""
    written = parts.written if parts.order == "dates" else WrittenForm()
    low, high = parts.parts[part]
    first, last = written.days_of(low or "")[0], written.days_of(high or "")[1]
    if (low and first is None) or (high and last is None):
        return None
    # An interval without a first day is one category. It may show an age of 90, but no age above
    # 90.
    earliest = NEVER if first is None else first.toordinal()
    latest = ALWAYS if last is None else last.toordinal() + (first is None)
    return earliest, latest


def _numbers_open(domain: Sequence[str], labels: Sequence[str]) -> NDArray[np.int64]:
    """Return the smallest and largest number of days or years for each value's cell."""
    made = []
    for value, label in zip(domain, labels, strict=True):
        found = None if value == MISSING else _NUMBER.fullmatch(label)
        if found is None:
            made.append((NEVER, ALWAYS))
        else:
            high = ALWAYS if found["open"] else int(found["high"] or found["low"])
            made.append((int(found["low"]), high))
    return np.array(made, np.int64).reshape(-1, 2).T


def _spans(
    attribute: AttributePolicy, domain: Sequence[str], labels: Sequence[str]
) -> NDArray[np.int64] | None:
    """Return the first and last day that each value's cell allows, or None if there are no days."""
    rule = attribute.rule
    if isinstance(rule, Everything):
        return None
    made = [_span(attribute, value, label) for value, label in zip(domain, labels, strict=True)]
    nothing = (MISSING, *attribute.missing_codes)
    told = [one for one, value in zip(made, domain, strict=True) if value not in nothing]
    if not told or any(one is None for one in told):
        return None
    return np.array([(NEVER, ALWAYS) if one is None else one for one in made], np.int64).T


def _span(attribute: AttributePolicy, value: str, label: str) -> tuple[int, int] | None:
    rule = attribute.rule
    if isinstance(rule, Calendar):
        day = rule.date_of(value)
        if day is not None and rule.bottom is not None and rule.is_early(day):
            return NEVER, date(rule.bottom, 1, 1).toordinal()  # one category, if only 90 is shown
        return None if day is None else span_of(day, rule.unit)
    day = parse_date(label)
    if day is not None:
        return day.toordinal(), day.toordinal()
    years = parse_range(label)
    if years is None or not is_called_a_year(attribute.name) or not YEAR.fullmatch(value):
        return None
    last = date.max if years.high is None else date(min(years.last, 9999), 12, 31)
    # A band without a first year is one category, like an interval without a first day.
    one = years.low == 0
    return date(max(years.low, 1), 1, 1).toordinal(), last.toordinal() + one
