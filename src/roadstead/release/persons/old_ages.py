"""Find ages over 89 that two released columns reveal, such as a birth and an admission.

For example, the years 1921 and 2014 together reveal an age of at least 92, but Safe Harbor requires
a single category for all ages of 90 and over. Two cells reveal an old age if the latest day that
one cell allows is at least 90 years before the earliest day that the other cell allows. If the
release links rows, the module also compares the rows of a person. Columns of days since the same
anchor are compared in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from roadstead.errors import Refusal, quoted
from roadstead.front_end import option
from roadstead.hierarchies.dates import span_of
from roadstead.hierarchies.rules import Calendar, Everything
from roadstead.hierarchies.written_dates import WrittenForm, parse_date
from roadstead.number_ranges import parse_range
from roadstead.policies.document import SUPPRESSED
from roadstead.policies.recodings.document import IntervalParts, NodeParts
from roadstead.release.generalized import GeneralizedPersons
from roadstead.tables.failures import engine_errors
from roadstead.tables.identifiers.vocabulary import is_called
from roadstead.tables.persons.dates import LONGEST
from roadstead.tables.text import MISSING, as_text

if TYPE_CHECKING:
    import ibis
    from ibis.expr import types as ir
    from numpy.typing import NDArray

    from roadstead.policies.attribute_policy import AttributePolicy
    from roadstead.policies.document import Policy
    from roadstead.release.generalized import Generalized
    from roadstead.tables.source import Source

_YEAR = re.compile(r"(1[89]|2[0-9])\d\d", re.ASCII)
_DAYS = re.compile(r"(?P<low>-?[0-9]{1,9})(-(?P<high>-?[0-9]{1,9}))?", re.ASCII)
"""The label of a number or band of days. All other labels allow every number of days."""
_ISO = "^[0-9]{4}-[0-9]{2}-[0-9]{2}"
_NEVER, _ALWAYS = np.iinfo(np.int64).min // 2, np.iinfo(np.int64).max // 2
"""The first and last day for cells that do not show a day. These days do not reveal any age."""


def require_no_old_age(
    source: Source,
    policy: Policy,
    generalized: Generalized,
    samples: Mapping[str, Sequence[str]],
) -> None:
    """Refuse a release in which two columns reveal an age over 89.

    `samples` contains some values of each column. A pair of columns is accepted if a person
    deliberately released both columns. If the policy does not have rules for people, the function
    does not check anything.
    """
    if policy.persons is None:
        return
    forced = set(policy.columns.forced)
    released = [name for name in policy.columns.released if name in source.columns]
    raw = [name for name in released if has_days(name, samples.get(name, ()))]
    found = _by_cells(policy, generalized)
    if found is None and raw:
        quasi = [
            one.name
            for one in policy.attributes
            if not isinstance(one.rule, Everything)
            and has_days(one.name, samples.get(one.name, ()))
        ]
        pairs = [
            (born, seen)
            for born, seen in permutations((*quasi, *raw), 2)
            if {born, seen} & set(raw) and not {born, seen} <= forced
        ]
        found = _by_values(source, policy, pairs)
    if found is not None:
        born, seen = found
        raise Refusal(
            f"ages over 89 can be computed from {quoted(born)} and {quoted(seen)}, but Safe Harbor "
            "requires one category for them",
            where=source.name,
            fix="release only the days between them, where 90 years or more are one category: "
            f"{option('dates')} with "
            f"{seen}=interval:{born}, and {option('identifiers', [born])}",
        )


class OldAges(NamedTuple):
    """Two columns that reveal ages over 89, with the number of records and the latest year."""

    born: str
    seen: str
    records: int
    latest: int


def old_ages_shown(policy: Policy, generalized: Generalized) -> OldAges | None:
    """Return the first pair of columns that reveals ages over 89, or None.

    The function examines only the released cells of quasi-identifiers in a table of records.
    """
    if policy.persons is not None:
        return None
    days = {
        attribute.name: spans
        for attribute, spans in zip(
            policy.attributes, _class_days(policy, generalized), strict=True
        )
        if spans is not None
    }
    by_class = generalized.row_of is None
    counts = (generalized.merged if by_class else generalized.table).counts
    kept = generalized.kept if by_class else generalized.kept[generalized.row_of]
    for born, seen in permutations(days, 2):
        old = kept & (days[seen][0] - days[born][1] >= LONGEST)
        if is_called_a_birth(born) and old.any():
            latest = date.fromordinal(int(days[seen][0][old].max())).year
            return OldAges(born, seen, int(counts[old].sum()), latest)
    return None


def has_days(name: str, values: Sequence[str]) -> bool:
    """Return whether a column contains dates, or years and a name that suggests years."""
    told = [value for value in values if value != MISSING]
    if not told:
        return False
    read = [WrittenForm().read(value) for value in told]
    if None not in read and any(one is not None and one.finest != "year" for one in read):
        return True
    return is_called_a_year(name) and all(_YEAR.fullmatch(value) for value in told)


def is_year_of_birth(name: str, values: Sequence[str]) -> bool:
    """Return whether a column contains years and has a name that suggests births."""
    years = any(_YEAR.fullmatch(value) for value in values)
    return years and is_called_a_birth(name) and has_days(name, values)


def is_called_a_birth(name: str) -> bool:
    """Return whether the name of a column suggests births."""
    return is_called(name, "birth")


def is_called_a_year(name: str) -> bool:
    """Return whether the name of a column suggests years, including years of birth."""
    return is_called(name, "birth", "year")


def _by_cells(policy: Policy, generalized: Generalized) -> tuple[str, str] | None:
    """Find two quasi-identifiers whose released cells reveal an age over 89."""
    if not isinstance(generalized, GeneralizedPersons):
        return None
    anchors = _anchors(policy)
    days: dict[str | None, dict[str, NDArray[np.int64]]] = {}
    for attribute, spans in zip(policy.attributes, _open_days(policy, generalized), strict=True):
        if spans is not None:
            days.setdefault(anchors.get(attribute.name), {})[attribute.name] = spans
    kept = generalized.rows[1]
    persons = generalized.table.persons
    owners = persons.owners if policy.linked_by is not None else np.arange(kept.size)
    for anchor, told in days.items():
        # Days since an anchor end at 90 years, which is the single category for old ages.
        most = LONGEST if anchor is None else LONGEST + 1
        for born, seen in permutations(told, 2):
            latest = np.full(int(owners.max()) + 1, _ALWAYS)
            earliest = np.full_like(latest, _NEVER)
            np.minimum.at(latest, owners[kept], told[born][1][kept])
            np.maximum.at(earliest, owners[kept], told[seen][0][kept])
            if ((earliest - latest) >= most).any():
                return born, seen
    return None


def _anchors(policy: Policy) -> dict[str, str | None]:
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


def _open_days(policy: Policy, generalized: Generalized) -> Iterator[NDArray[np.int64] | None]:
    """For each quasi-identifier, yield the first and last day that each row's cell allows."""
    table, anchors, recoding = generalized.table, _anchors(policy), policy.recoding
    classes = None if recoding is None else recoding.place(table)
    for at, (attribute, domain) in enumerate(zip(policy.attributes, table.domains, strict=True)):
        counted = attribute.name in anchors
        if recoding is None or classes is None:
            labels, cells = generalized.labels[at], table.codes[at]
            spans = _days_open(domain, labels) if counted else _spans(attribute, domain, labels)
        else:
            parts, cells = recoding.attributes[at], recoding.array[classes, at]
            if counted:
                labels = tuple(_label(parts, part) for part in range(len(parts.labels)))
                spans = _days_open(labels, labels)
            else:
                spans = _spans_of_parts(attribute, parts, domain)
        yield None if spans is None else spans[:, cells]


def _class_days(policy: Policy, generalized: Generalized) -> Iterator[NDArray[np.int64] | None]:
    """Yield the first and last day that the cell of each class, or of each row, allows.

    If each class has its own recoding, there is one entry per row.
    """
    if generalized.row_of is not None:
        yield from _open_days(policy, generalized)
        return
    table, merged = generalized.table, generalized.merged
    for at, (attribute, domain) in enumerate(zip(policy.attributes, table.domains, strict=True)):
        labels = generalized.labels[at]
        spans = _spans(attribute, domain, labels)
        if spans is None:
            yield None
            continue
        of_label = dict(zip(labels, spans.T.tolist(), strict=True))
        of_code = [of_label.get(label, (_NEVER, _ALWAYS)) for label in merged.domains[at]]
        yield np.array(of_code, np.int64).reshape(-1, 2).T[:, merged.codes[at]]


def _spans_of_parts(
    attribute: AttributePolicy, parts: NodeParts | IntervalParts, domain: Sequence[str]
) -> NDArray[np.int64] | None:
    """Return the first and last day that each part allows, or None if a part shows no days."""
    shows, found = parts.shows(domain), []
    for part in range(len(parts.labels)):
        label = _label(parts, part)
        values = [value for value, shown in zip(domain, shows[:, part], strict=True) if shown]
        if not values or MISSING in values or _is_everything(parts, part):
            found.append((_NEVER, _ALWAYS))
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
    earliest = _NEVER if first is None else first.toordinal()
    latest = _ALWAYS if last is None else last.toordinal() + (first is None)
    return earliest, latest


def _days_open(domain: Sequence[str], labels: Sequence[str]) -> NDArray[np.int64]:
    """Return the smallest and largest number of days since an anchor for each value's cell."""
    made = []
    for value, label in zip(domain, labels, strict=True):
        found = None if value == MISSING else _DAYS.fullmatch(label)
        if found is None:
            made.append((_NEVER, _ALWAYS))
        else:
            made.append((int(found["low"]), int(found["high"] or found["low"])))
    return np.array(made, np.int64).reshape(-1, 2).T


def _spans(
    attribute: AttributePolicy, domain: Sequence[str], labels: Sequence[str]
) -> NDArray[np.int64] | None:
    """Return the first and last day that each value's cell allows, or None without days."""
    rule = attribute.rule
    if isinstance(rule, Everything):
        return None
    made = [_span(attribute, value, label) for value, label in zip(domain, labels, strict=True)]
    told = [one for one, value in zip(made, domain, strict=True) if value != MISSING]
    if not told or any(one is None for one in told):
        return None
    return np.array([(_NEVER, _ALWAYS) if one is None else one for one in made], np.int64).T


def _span(attribute: AttributePolicy, value: str, label: str) -> tuple[int, int] | None:
    rule = attribute.rule
    if isinstance(rule, Calendar):
        day = rule.date_of(value)
        if day is not None and rule.bottom is not None and rule.is_early(day):
            return _NEVER, date(rule.bottom, 1, 1).toordinal()  # one category, if only 90 is shown
        return None if day is None else span_of(day, rule.unit)
    day = parse_date(label)
    if day is not None:
        return day.toordinal(), day.toordinal()
    years = parse_range(label)
    if years is None or not is_called_a_year(attribute.name) or not _YEAR.fullmatch(value):
        return None
    last = date.max if years.high is None else date(min(years.last, 9999), 12, 31)
    # A band without a first year is one category, like an interval without a first day.
    one = years.low == 0
    return date(max(years.low, 1), 1, 1).toordinal(), last.toordinal() + one


def _by_values(
    source: Source, policy: Policy, pairs: Sequence[tuple[str, str]]
) -> tuple[str, str] | None:
    """Find a pair of columns whose values in the source reveal an old age."""
    import ibis  # noqa: PLC0415 - heavy

    if not pairs:
        return None
    table = source.table
    longest = {}
    for at, (born, seen) in enumerate(pairs):
        latest, earliest = _day(table, born, last=True), _day(table, seen, last=False)
        if policy.linked_by is not None:
            own = ibis.window(group_by=as_text(table[policy.linked_by]))
            latest, earliest = latest.min().over(own), earliest.max().over(own)
        longest[f"pair_{at}"] = earliest.delta(latest, unit="day")
    with engine_errors(source.name):
        spans = table.select(**longest)
        (row,) = (
            spans.aggregate(**{name: spans[name].max() for name in longest})
            .to_pyarrow()
            .to_pylist()
        )
    old = [pair for at, pair in enumerate(pairs) if (row[f"pair_{at}"] or 0) >= LONGEST]
    return old[0] if old else None


def _day(table: ibis.Table, column: str, *, last: bool) -> ir.DateColumn:
    """Return the first or the last day that a date or a year can mean."""
    import ibis  # noqa: PLC0415 - heavy

    text = as_text(table[column])
    year = text.substr(0, 4) + ("-12-31" if last else "-01-01")
    return ibis.cases(
        (text.re_search(_ISO), text.substr(0, 10)),
        (text.re_search("^[0-9]{4}$"), year),
        (text.re_search("^[0-9]{4}-[0-9]{2}$"), text + ("-28" if last else "-01")),
        else_=ibis.null("string"),
    ).try_cast("date")
