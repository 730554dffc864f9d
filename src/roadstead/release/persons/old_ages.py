"""Find ages over 89 that two released columns reveal, such as a birth and an admission.

For example, the years 1921 and 2014 together reveal an age of at least 92, but Safe Harbor requires
a single category for all ages of 90 and over. Two cells reveal an old age if the latest day that
one cell allows is at least 90 years before the earliest day that the other cell allows. If the
release links rows, the module also compares the rows of a person. Columns of days since the same
anchor are compared in the same way. An age and the date at which it was computed reveal a birth,
which is compared with the other dates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import permutations, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from roadstead.errors import Refusal, quoted
from roadstead.front_end import option
from roadstead.hierarchies.rules import Everything
from roadstead.hierarchies.written_dates import WrittenForm
from roadstead.hierarchies.written_numbers import FIRST_OLD_AGE
from roadstead.release.generalized import GeneralizedPersons
from roadstead.release.persons.old_ages_of_values import old_pair
from roadstead.tables.identifiers.vocabulary import is_called
from roadstead.tables.persons.dates import LONGEST, OLD_AGE
from roadstead.tables.text import MISSING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roadstead.policies.document import Policy
    from roadstead.release.generalized import Generalized
    from roadstead.tables.source import Source

_YEAR = re.compile(r"(1[89]|2[0-9])\d\d", re.ASCII)
_NUMBER = re.compile(r"(?P<low>-?[0-9]{1,9})(-(?P<high>-?[0-9]{1,9})|(?P<open>\+))?", re.ASCII)
"""The label of a number or band of days or years. All other labels allow every number."""
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
        found = old_pair(source, policy, pairs)
    if found is not None:
        born, seen = found
        raise Refusal(
            f"ages over 89 can be computed from {quoted(born)} and {quoted(seen)}, but Safe Harbor "
            "requires one category for them",
            where=source.name,
            fix=_instead(policy, born, seen),
        )


def _instead(policy: Policy, born: str, seen: str) -> str:
    """Say how to release a birth and a later date without ages over 89."""
    if policy.persons is not None and born in policy.persons.ages:
        return (
            f"begin the band of old ages earlier: with top = 80 in the hierarchy of {quoted(born)},"
            " the dates of each person may span ten years"
        )
    if policy.linked_by is None and is_called_a_birth(born):
        return (
            "release only the age, where 90 years or more are one category: "
            f"{option('dates')} with {born}=age:{seen}"
        )
    return (
        "release only the days between them, where 90 years or more are one category: "
        f"{option('dates')} with {seen}=interval:{born}, and {option('identifiers', [born])}"
    )


class OldAges(NamedTuple):
    """Two columns that reveal ages over 89, with the number of records and the latest year."""

    born: str
    seen: str
    records: int
    latest: int


class OldBirths(NamedTuple):
    """A column of births that reveals ages over 89, and the number of records."""

    born: str
    records: int


def old_ages_shown(policy: Policy, generalized: Generalized) -> OldAges | None:
    """Return the first pair of columns that reveals ages over 89, or None.

    The function examines only the released cells of quasi-identifiers in a table of records.
    """
    if policy.persons is not None:
        return None
    days, kept, counts = days_shown(policy, generalized)
    for born, seen in permutations(days, 2):
        old = kept & (days[seen][0] - days[born][1] >= LONGEST)
        if is_called_a_birth(born) and old.any():
            latest = date.fromordinal(int(days[seen][0][old].max())).year
            return OldAges(born, seen, int(counts[old].sum()), latest)
    return None


def old_births_shown(policy: Policy, generalized: Generalized, now: int) -> OldBirths | None:
    """Return the first column of births that reveals ages over 89 in the year `now`, or None.

    The function returns None if another quasi-identifier contains dates, because these dates say
    when the people were observed. A column is accepted if its early births are one category, even
    if this category ends before the births of people who are over 89 in the year `now`.
    """
    domains = dict(zip(generalized.table.attributes, generalized.table.domains, strict=True))
    sampled = {name: domain[:_SAMPLED] for name, domain in domains.items()}
    if any(has_days(name, some) and not is_called_a_birth(name) for name, some in sampled.items()):
        return None
    youngest = date(now - FIRST_OLD_AGE, 12, 31).toordinal()
    days, kept, counts = days_shown(policy, generalized)
    for attribute in policy.attributes:
        if attribute.name not in days or not is_called_a_birth(attribute.name):
            continue
        first, last = days[attribute.name]
        band = kept & (first <= 1) & (last < ALWAYS)
        old = kept & (first > 1) & (last <= youngest)
        if getattr(attribute.rule, "bottom", None) is None and old.any() and not band.any():
            return OldBirths(attribute.name, int(counts[old].sum()))
    return None


def has_days(name: str, values: Sequence[str]) -> bool:
    """Return whether a column contains dates, or years and a name that suggests years."""
    told = [value for value in values if value != MISSING]
    if not told:
        return False
    read = [WrittenForm().read(value) for value in told]
    if None not in read and any(one is not None and one.finest != "year" for one in read):
        return True
    return is_called_a_year(name) and all(YEAR.fullmatch(value) for value in told)


def is_year_of_birth(name: str, values: Sequence[str]) -> bool:
    """Return whether a column contains years and has a name that suggests births."""
    years = any(YEAR.fullmatch(value) for value in values)
    return years and is_called_a_birth(name) and has_days(name, values)


def is_called_a_birth(name: str) -> bool:
    """Return whether the name of a column suggests births."""
    return is_called(name, "birth")


def _by_cells(policy: Policy, generalized: Generalized) -> tuple[str, str] | None:
    """Find two quasi-identifiers whose released cells reveal an age over 89."""
    if not isinstance(generalized, GeneralizedPersons):
        return None
    anchors, ages = _anchors(policy), _ages(policy)
    days: dict[str | None, dict[str, NDArray[np.int64]]] = {}
    years: dict[str, NDArray[np.int64]] = {}
    for attribute, spans in zip(policy.attributes, _open_days(policy, generalized), strict=True):
        if spans is not None and attribute.name in ages:
            years[attribute.name] = spans[0]
        elif spans is not None:
            days.setdefault(anchors.get(attribute.name), {})[attribute.name] = spans
    kept = generalized.rows[1]
    persons = generalized.table.persons
    owners = persons.owners if policy.linked_by is not None else np.arange(kept.size)
    for anchor, told in days.items():
        # Days since an anchor end at 90 years, which is the single category for old ages.
        most = LONGEST if anchor is None else LONGEST + 1
        births = {name: spans[1] for name, spans in told.items()} | {
            name: _latest_birth(years[name], told[at][1])
            for name, at in ages.items()
            if name in years and at in told
        }
        for born, seen in product(births, told):
            if born == seen:
                continue
            latest = np.full(int(owners.max()) + 1, _ALWAYS)
            earliest = np.full_like(latest, _NEVER)
            np.minimum.at(latest, owners[kept], births[born][kept])
            np.maximum.at(earliest, owners[kept], told[seen][0][kept])
            if ((earliest - latest) >= most).any():
                return born, seen
    return None


def _latest_birth(years: NDArray[np.int64], day: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the latest day of birth that an age and the last day of its event allow.

    The category of 90 and over counts as an age of 89, so the dates may show that a year has passed
    since the event only if the age is lower.
    """
    low = np.minimum(years, OLD_AGE - 1)
    return np.where(low < 0, day, day - (365 * low + low // 4))


def _ages(policy: Policy) -> dict[str, str]:
    return {} if policy.persons is None else policy.persons.ages


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
    table, recoding = generalized.table, policy.recoding
    numbers = {**_anchors(policy), **_ages(policy)}
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


def _numbers_open(domain: Sequence[str], labels: Sequence[str]) -> NDArray[np.int64]:
    """Return the smallest and largest number of days or years for each value's cell."""
    made = []
    for value, label in zip(domain, labels, strict=True):
        found = None if value == MISSING else _NUMBER.fullmatch(label)
        if found is None:
            made.append((_NEVER, _ALWAYS))
        else:
            high = _ALWAYS if found["open"] else int(found["high"] or found["low"])
            made.append((int(found["low"]), high))
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
