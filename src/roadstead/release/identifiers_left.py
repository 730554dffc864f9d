"""Find the quasi-identifiers whose released labels still show an identifier of Safe Harbor.

A policy generalizes quasi-identifiers, but perhaps not enough for Safe Harbor. Only the policy is
examined: the names of the columns, and the rules and labels that it uses. Dates finer than a year,
more than three digits of a ZIP code, and unchanged columns that are named like an identifier count.
If levels differ between records, one record that shows such a label is enough.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from roadstead.hierarchies.rules import MISSING, Calendar, Everything, Identity, Prefix, Rule
from roadstead.policies.document import Policy
from roadstead.policies.recodings.document import IntervalParts
from roadstead.release.persons.days_shown import is_called_a_year
from roadstead.release.values_left import open_bands
from roadstead.tables.identifiers.findings import PLACES, traces
from roadstead.tables.identifiers.vocabulary import is_called, pattern, words

_DATES = 3
_DIGITS = 3
"""The number of digits of a ZIP code that a release may show."""
_WHOLE_YEARS = ("year", "decade")


def identifiers_left(policy: Policy) -> Iterator[tuple[str, int]]:
    """Yield each quasi-identifier that shows an identifier, with the number of the identifier."""
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
                    _of_rule(name, one) for one, label in shown if label not in open_bands(one)
                ]
        if (number := next((one for one in found if one is not None), None)) is not None:
            yield name, number


def _of_rule(name: str, rule: Rule) -> int | None:
    """Return the number of the identifier that a rule's labels show, or None."""
    match rule:
        case Everything():
            return None
        case Calendar(unit=unit):
            return None if unit in _WHOLE_YEARS else _DATES
        case Prefix(keep=keep):
            return PLACES if keep > _DIGITS and is_called(name, "zip") else None
        case Identity():
            return _named(name)
    return None


def _of_interval(name: str, own: IntervalParts, part: int) -> int | None:
    """Return the number of the identifier that an interval shows, or None."""
    low, high = own.parts[part]
    if low in (None, MISSING) and high in (None, MISSING):
        return None
    if own.order == "dates":
        begin = own.written.days_of(low)[0] if low else None
        end = own.written.days_of(high)[1] if high else None
        whole = (begin is None or (begin.month, begin.day) == (1, 1)) and (
            end is None or (end.month, end.day) == (12, 31)
        )
        return None if whole else _DATES
    if low == high or is_called(name, "zip"):
        return PLACES if _named(name) == PLACES else None  # dates have their own order
    return None


def _named(name: str) -> int | None:
    """Return the number of places or dates if the name of an unchanged column suggests them.

    Other identifiers are numbers of people. An unchanged quasi-identifier that is named like one,
    such as insurance, usually contains categories.
    """
    if is_called_a_year(name):
        return None
    called = (one for one in traces() if one.called and pattern(one.called).search(words(name)))
    number = next((one.identifier for one in called), None)
    return number if number in (PLACES, _DATES) else None
