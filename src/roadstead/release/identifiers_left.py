"""Find the quasi-identifiers whose released labels still show an identifier of Safe Harbor.

A policy generalizes quasi-identifiers, but perhaps not enough for Safe Harbor. This module examines
only the policy: the names of the columns, the rules, and the labels. The identifiers are dates
finer than a year, more than three digits of a ZIP code, and unchanged columns that have the name of
an identifier. If levels differ between records, one record that shows such a label is enough. If a
rule does not list its labels and the column's name suggests dates, the rule may show dates. In this
case, the policy alone is not enough for a judgment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from roadstead.hierarchies.calendar_units import LABEL_PATTERNS
from roadstead.hierarchies.code_rules import Beginnings, CodeParts
from roadstead.hierarchies.label_order import open_bands
from roadstead.hierarchies.range_bands import RangeBands
from roadstead.hierarchies.rules import (
    MISSING,
    Bands,
    Calendar,
    Cuts,
    Everything,
    Groups,
    Identity,
    Prefix,
    Rule,
)
from roadstead.policies.document import Policy
from roadstead.policies.recodings.document import IntervalParts
from roadstead.release.persons.days_shown import YEAR
from roadstead.tables.identifiers.dated import is_day
from roadstead.tables.identifiers.findings import PLACES, traces
from roadstead.tables.identifiers.vocabulary import is_called, pattern, words

_DATES = 3
_DIGITS = 3
"""The number of digits of a ZIP code that a release may show."""
_MORE_DIGITS = re.compile(r"\d{4}")
_AREA = 100
"""The number of ZIP codes with the same first three digits."""
_WHOLE_YEARS = ("year", "decade")
_BIRTH_YEARS = "years of birth"
_QUARTER = LABEL_PATTERNS["quarter"]
UNJUDGED = 0
"""The number of a quasi-identifier that cannot be judged by the policy alone."""


def identifiers_left(policy: Policy) -> Iterator[tuple[str, int]]:
    """Yield each quasi-identifier that shows an identifier, with the number of the identifier.

    The number is `UNJUDGED` if the policy does not show whether the labels contain an identifier.
    """
    made = () if policy.persons is None else {rule.column for rule in policy.persons.dates}
    for at, attribute in enumerate(policy.attributes):
        name = attribute.name
        if name in made:  # the column contains days or ages instead of dates
            continue
        recoding = policy.recoding
        if recoding is None:
            found = [_of_rule(name, attribute.rule)]
        else:
            own, used = recoding.attributes[at], np.unique(recoding.array[:, at]).tolist()
            if isinstance(own, IntervalParts):
                found = [_of_interval(name, own, part) for part in used]
            else:
                shown = [(own.rules[own.parts[part][0]], own.parts[part][1]) for part in used]
                found = [
                    _of_rule(name, one, label)
                    for one, label in shown
                    if label not in (*open_bands(one), *own.missing_codes)
                ]
        if (number := max((one for one in found if one is not None), default=None)) is not None:
            yield name, number


def _of_rule(name: str, rule: Rule, label: str | None = None) -> int | None:
    """Return the number of the identifier that a rule's labels show, or None.

    If `label` is given, only this label is released.
    """
    is_zip = is_called(name, "zip")
    found = _of_zip_codes(rule) if is_zip else None
    match rule:
        case Calendar(unit=unit):
            found = None if unit in _WHOLE_YEARS else _DATES
        case Prefix(keep=keep, length=length) if not is_zip:
            number = _named(name)
            if keep != length and number is not None:
                number = None if number == PLACES else UNJUDGED
            found = number
        case Identity(values=None) if label is None:
            found = _named(name)
        case Identity(values=values):
            listed = (label,) if label is not None else values or ()
            found = _of_groups(name, [(one, (one,)) for one in listed])
        case Groups(groups=groups) | Beginnings(groups=groups):
            found = _of_groups(name, [one for one in groups if label in (None, one[0])])
        case Everything(text=text):
            found = _of_label(name, text, unchanged=False)
        case CodeParts() if _named(name) is not None:
            found = UNJUDGED
    return found


def _of_zip_codes(rule: Rule) -> int | None:
    """Return the number of places if a rule of ZIP codes shows more than three digits."""
    match rule:
        case Prefix(keep=keep):
            fine = keep > _DIGITS
        case Bands(width=width, origin=origin):
            fine = bool(width % _AREA or origin % _AREA)
        case RangeBands(width=width):
            fine = bool(width % _AREA)
        case Cuts(cuts=cuts):
            fine = any(cut % _AREA for cut in cuts)
        case _:
            fine = False
    return PLACES if fine else None


def _of_groups(name: str, groups: Sequence[tuple[str, tuple[str, ...]]]) -> int | None:
    """Return the number of the identifier that the labels of groups show, or None."""
    found = (_of_label(name, label, unchanged=values == (label,)) for label, values in groups)
    return max((one for one in found if one is not None), default=None)


def _of_label(name: str, label: str, *, unchanged: bool) -> int | None:
    """Return the number of the identifier that a label shows, or None."""
    if is_called(name, "zip"):
        return PLACES if _MORE_DIGITS.search(label) and not _is_area(label) else None
    if any(is_day(part) or _QUARTER.fullmatch(part) for part in (label, *label.split())):
        return _DATES
    number = _named(name) if unchanged and label else None
    return None if number != PLACES and YEAR.fullmatch(label) else number


def _is_area(label: str) -> bool:
    """Return whether a label is a range of whole three-digit ZIP areas."""
    ends = label.split("-")
    return len(ends) == 2 and ends[0].endswith("00") and ends[1].endswith("99")  # noqa: PLR2004


def _of_interval(name: str, own: IntervalParts, part: int) -> int | None:
    """Return the number of the identifier that an interval shows, or None."""
    low, high = own.parts[part]
    if {low, high} <= {None, MISSING, *own.missing_codes}:
        return None
    if own.order == "dates":
        begin = own.written.days_of(low)[0] if low else None
        end = own.written.days_of(high)[1] if high else None
        whole = (begin is None or (begin.month, begin.day) == (1, 1)) and (
            end is None or (end.month, end.day) == (12, 31)
        )
        return None if whole else _DATES
    if is_called(name, "zip"):
        return PLACES
    ends = {end for end in (low, high) if end is not None}
    numbers = (_of_label(name, end, unchanged=len(ends) == 1) for end in ends)
    return max((one for one in numbers if one is not None), default=None)


def _named(name: str) -> int | None:
    """Return the number of places or dates if the name of an unchanged column suggests them.

    Births may be dates or years, so their name is not enough. Other identifiers are numbers that
    identify people. An unchanged quasi-identifier with such a name, such as insurance, usually
    contains categories.
    """
    if is_called(name, "year"):
        return None
    called = (one for one in traces() if one.called and pattern(one.called).search(words(name)))
    found = next(called, None)
    if is_called(name, "birth") and (found is None or found.identifier == _DATES):
        return None if found is not None and found.what == _BIRTH_YEARS else UNJUDGED
    number = None if found is None else found.identifier
    return number if number in (PLACES, _DATES) else None
