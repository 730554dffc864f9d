"""Recognize person IDs that are written in another form than in the table of an earlier release.

A key makes the same pseudonym only for exactly the same ID. For example, ``0012`` and ``12`` have
different pseudonyms and different shifts. So the policy records how the IDs are written.
"""

from __future__ import annotations

from roadstead.errors import SourceError, quoted
from roadstead.policies.person_rules import IdForm, PersonRules
from roadstead.tables.frequency import summarize
from roadstead.tables.source import Source


def form_of_ids(source: Source, person: str) -> IdForm:
    """Return the form of the person IDs in a table, without any ID."""
    ids = summarize(source, (person,)).domains[0]
    numbers = [one for one in ids if one.isascii() and one.isdigit()]
    lengths = {len(one) for one in numbers}
    return IdForm(
        digits=2 * len(numbers) > len(ids),
        zeros=any(one[0] == "0" and len(one) > 1 for one in numbers),
        length=lengths.pop() if len(lengths) == 1 else None,
    )


def require_same_form(source: Source, rules: PersonRules) -> None:
    """Reject person IDs whose form shows that the key would now make different pseudonyms."""
    then = rules.ids
    if then is None:
        return
    now = form_of_ids(source, rules.column)
    # IDs without a common length can have leading zeros in one table only, for example, if each
    # table has the IDs of another site.
    padded, plain = (then, now) if then.zeros else (now, then)
    differs = padded.zeros and not plain.zeros and padded.length not in (None, plain.length)
    if now.digits == then.digits and not (now.digits and differs):
        return
    raise SourceError(
        f"the person IDs are {_in_words(now)}, but in the table of the policy they are "
        f"{_in_words(then)}; with the same key, a person would get a different pseudonym and a "
        "different shift",
        where=f"{source.name}, column {quoted(rules.column)}",
        fix="write the IDs in the same form as in that table, or anonymize the table again",
    )


def _in_words(form: IdForm) -> str:
    if not form.digits:
        return "mostly not whole numbers"
    return "numbers with leading zeros" if form.zeros else "numbers without leading zeros"
