"""Convert the settings about dates in a request to the rules of a policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from roadstead.errors import RoleError, SettingError, quoted
from roadstead.front_end import named_with, option
from roadstead.policies.person_rules import ANCHOR, DateRule, PersonRules, ShiftRule
from roadstead.release.persons.dates import DatesMade, make_dates
from roadstead.release.persons.id_form import form_of_ids
from roadstead.release.persons.old_ages import has_days, is_called_a_birth, is_year_of_birth
from roadstead.release.persons.shifts import WEEK
from roadstead.tables import names
from roadstead.tables.identifiers.findings import ONE_AGE
from roadstead.tables.persons.concentrated_columns import columns_that_narrow
from roadstead.tables.persons.counted_columns import columns_that_count
from roadstead.tables.persons.dated_columns import WEEKDAY, columns_that_follow
from roadstead.verbs.key.use import pseudonyms_by
from roadstead.verbs.persons.settings import links, shifts

if TYPE_CHECKING:
    from roadstead.hierarchies.defaults import Meaning
    from roadstead.tables.identifiers.judgment import Examined
    from roadstead.tables.roles import Roles
    from roadstead.tables.source import Source
    from roadstead.verbs.anonymize.request import AnonymizeRequest

USUAL_SHIFT = 182
"""The default maximum shift in days, which hides the season."""
_FIRST = "first"
_DATES_ALONE: Mapping[str, Literal["shift", "shift-time"]] = {
    "shift": "shift",
    "shift-time": "shift-time",
}
"""Forms of dates that do not need an anchor date."""
_WITHIN_RECORD: Mapping[str, Literal["since", "age"]] = {"since": "since", "age": "age"}
"""Forms of dates that need another date in the same record."""
_DATES = 3
"""The position of dates in the list of 18 identifiers."""
_ITS = "its values"
NOT_SHIFTED = (
    "this column has dates that are not shifted, but other dates are shifted; together, these "
    "dates reveal the shift"
)


@dataclass(frozen=True)
class PlannedPersons:
    """The rules of a policy about people, with the changed dates.

    If records are counted, the policy has no rules about people, and dates do not change.
    """

    rules: PersonRules | None
    dates: DatesMade
    roles: Roles  # including the new columns

    @property
    def meanings(self) -> Mapping[str, Meaning]:
        """Return the meaning of the numbers in each column of days or ages."""
        rules = () if self.rules is None else self.rules.dates
        return {
            rule.column: "capped-age" if rule.form == "age" else "days"
            for rule in rules
            if not rule.is_date
        }


def planned_persons(request: AnonymizeRequest, roles: Roles, source: Source) -> PlannedPersons:
    """Return the rules about people in a request, with the dates that the rules change."""
    if request.person is None:
        return PlannedPersons(None, DatesMade(source), roles)
    columns = source.columns
    dates = tuple(date_rule(name, text, columns) for name, text in (request.dates or {}).items())
    shifting = shifts(request)
    shift = _shift(request, keyed=request.key is not None) if shifting else None
    ids = None if request.key is None else form_of_ids(source, request.person)
    rules = PersonRules(request.person, request.link or "none", dates, shift, ids)
    named = (name for rule in dates for name in (rule.column, rule.anchor) if name is not None)
    names.require(tuple(dict.fromkeys(named)), columns)
    for rule in dates:
        _check(rule, roles)
    if rules.shifted_anchor is not None:
        _check_anchors(rules, linked=links(request))
        roles = replace(roles, release_anyway=(*roles.release_anyway, ANCHOR))
    drawn = pseudonyms_by(request.key, request.out) if shifting else None
    return PlannedPersons(rules, make_dates(source, rules, drawn), roles)


def require_all_shifted(
    rules: PersonRules | None, roles: Roles, examined: Examined, before: Source | None
) -> None:
    """Raise an error if an unchanged date would be released and reveal the shift of other dates.

    The year of an event also reveals part of the shift. The year of birth reveals the shift only if
    days since birth, or ages, are also released. `before` is the table before the shift.
    """
    if rules is None or rules.shift is None:
        return
    from_birth = rules.ages or any(map(is_called_a_birth, rules.moved))
    made = {ANCHOR, *(rule.column for rule in rules.dates)}
    given = (*roles.quasi, *roles.sensitive, *roles.unchanged, *roles.release_anyway)
    # A column without a role that looks like a date is withheld. A year may be released.
    free = () if roles.undecided != "release" else roles.undeclared(tuple(examined.judgments))
    years = tuple(one for one in free if not examined.judgments[one].findings)
    columns = tuple(one for one in (*given, *years) if one not in made)
    for column in columns:
        judged = examined.judgments.get(column)
        values = examined.samples.get(column, ())
        if judged is None or (not from_birth and is_year_of_birth(column, values)):
            continue
        if shows_dates(column, examined):
            raise RoleError(
                NOT_SHIFTED,
                where=f"column {quoted(column)}",
                fix=f"{named_with(option('identifiers'))}, or choose what happens to it with "
                f"{option('dates')}",
            )
    if before is not None:
        others = [x for x in columns if x not in roles.release_anyway]
        _require_none_follows(before, rules, others, roles.quasi)


def shows_dates(column: str, examined: Examined) -> bool:
    """Return whether a column contains dates, or contains years and has a suitable name."""
    # Item 3 of Safe Harbor also lists ages over 89, which do not reveal a shift.
    found = examined.judgments[column].findings
    dates = any(one.number == _DATES and one.remedy != ONE_AGE for one in found)
    return dates or has_days(column, examined.samples.get(column, ()))


def _require_none_follows(
    before: Source, rules: PersonRules, columns: Sequence[str], quasi: Sequence[str]
) -> None:
    """Raise an error if a column shows part of a shifted date, such as its quarter."""
    # The year of birth does not reveal when the events took place.
    dates = [one for one in rules.moved if not is_called_a_birth(one)]
    for column, shifted, unit in columns_that_follow(before, rules.column, dates, columns):
        if rules.shift is not None and rules.shift.weeks and unit == WEEKDAY:
            continue  # the shifted date shows the day of the week, too
        raise _reveals(column, follow_from(_ITS, shifted, unit), quasi)
    most = 0 if rules.shift is None else rules.shift.most
    for column, shifted, unit, _ in columns_that_count(before, rules.column, dates, columns, most):
        raise _reveals(column, count_from(_ITS, shifted, unit), quasi)
    if most:
        for column, shifted, left in columns_that_narrow(
            before, rules.column, dates, columns, most
        ):
            raise _reveals(column, narrow(_ITS, shifted, left), quasi)


def _reveals(column: str, why: str, quasi: Sequence[str]) -> RoleError:
    first = f"remove it from {option('quasi')} and " if column in quasi else ""
    error = RoleError(
        why,
        where=f"column {quoted(column)}",
        fix=f"{named_with(option('identifiers'))}, or {first}release it anyway with "
        f"{option('release_anyway', [column])}",
    )
    return error if first else error.refusing(column)


def follow_from(values: str, date: str, unit: str) -> str:
    """Say that the values of a column reveal part of a shift. `values` names the values."""
    return (
        f"{values} follow from the dates in {quoted(date)}: nearly all records of the same {unit} "
        f"have the same value. The dates in {quoted(date)} are shifted, so the column reveals part "
        "of the shift"
    )


def count_from(values: str, date: str, unit: str) -> str:
    """Say that a column of numbers and a shifted date reveal another shifted date."""
    return (
        f"{values} count the {unit} between a fixed date of each person and the dates in "
        f"{quoted(date)}. The dates in {quoted(date)} are shifted, so the column also shows the "
        "fixed date with the same shift. Roadstead does not leave out the records near the first "
        "or the last fixed date, so the column reveals part of the shift"
    )


def narrow(values: str, date: str, left: float) -> str:
    """Say that the values of a column exclude most of the possible shifts."""
    return (
        f"{values} are concentrated in time: if an attacker compares them with the dates in "
        f"{quoted(date)}, about {left:.0%} of the possible shifts remain on average. The dates in "
        f"{quoted(date)} are shifted, so the column reveals part of the shift"
    )


def date_rule(column: str, text: str, columns: Sequence[str]) -> DateRule:
    """Return the rule that a setting such as ``since:admitted`` requires for a column."""
    form, colon, anchor = text.partition(":")
    form, anchor = form.strip(), anchor.strip()
    where = f"{option('dates')} {quoted(column)}"
    if not colon and form in _DATES_ALONE:
        return DateRule(column, _DATES_ALONE[form])
    if form not in ("interval", "shift", *_WITHIN_RECORD) or not anchor:
        raise _unknown(text, where)
    if form in _WITHIN_RECORD:
        if anchor == column:
            raise SettingError(
                "an interval or an age requires the date in another column",
                where=where,
                fix="choose another column of dates",
            )
        return DateRule(column, _WITHIN_RECORD[form], anchor)
    if anchor == _FIRST and _FIRST in columns:
        raise SettingError(
            f"a column is called {_FIRST}, but this word also means the first date of each person, "
            "so the anchor is ambiguous",
            where=where,
            fix="rename the column, or choose another anchor",
        )
    own = None if anchor in (_FIRST, column) else anchor
    return DateRule(column, "interval" if form == "interval" else "shifted-anchor", own)


def _unknown(text: str, where: str) -> SettingError:
    return SettingError(
        f"{quoted(text)} is not an allowed rule for dates",
        where=where,
        fix=(
            "use interval:first, interval:COLUMN, since:COLUMN, age:COLUMN, shift:first, "
            "shift:COLUMN, shift, or shift-time"
        ),
    )


def _shift(request: AnonymizeRequest, *, keyed: bool) -> ShiftRule:
    return ShiftRule(longest_shift(request), request.shift_weeks, keyed)


def longest_shift(request: AnonymizeRequest) -> int:
    """Return the maximum shift of dates in days.

    If dates are shifted by whole weeks, the maximum must be at least one week.
    """
    days = USUAL_SHIFT if request.shift_days is None else request.shift_days
    if request.shift_weeks and days < WEEK:
        raise SettingError(
            f"a shift of up to {days} days does not include a whole week",
            where=option("shift_days"),
            fix=f"give {WEEK} days or more, or leave out {option('shift_weeks')}",
        )
    return days


def _check(rule: DateRule, roles: Roles) -> None:
    """Require that intervals are quasi-identifiers, and that shifted dates are not."""
    where = f"column {quoted(rule.column)}"
    if roles.person is not None and roles.person in (rule.column, rule.anchor):
        raise RoleError(
            "this is the person ID column, not a column of dates",
            where=f"column {quoted(roles.person)}",
            fix="choose another column",
        )
    if rule.is_date and rule.column in roles.quasi:
        raise RoleError(
            "a shifted date cannot be a quasi-identifier: the shift does not change the number of "
            "days between the dates of a person, so it does not stop an attacker who knows this "
            "number",
            where=where,
            fix="use the days since the first date as the quasi-identifier, and release the first "
            f"date with a shift: {option('dates')} with {rule.column}=shift:first",
        )
    if rule.column in roles.release_anyway or (not rule.is_date and rule.column in roles.quasi):
        return
    if rule.is_date:
        raise RoleError(
            "the shifted dates would show the exact number of days between the dates of a person, "
            "and no privacy model covers this number",
            where=where,
            fix=f"release it anyway with {option('release_anyway', [rule.column])}, or let the "
            "models cover the days since the first date: "
            f"{option('dates')} with {rule.column}=shift:first",
        )
    what = "the person's age" if rule.form == "age" else "the days since a person's anchor date"
    raise RoleError(
        f"an attacker may know {what}, but the column is not a quasi-identifier",
        where=where,
        fix=f"{named_with(option('quasi'))}, or release it anyway with "
        f"{option('release_anyway', [rule.column])}",
    )


def _check_anchors(rules: PersonRules, *, linked: bool) -> None:
    anchors = {r.anchor or r.column for r in rules.dates if r.form == "shifted-anchor"}
    if len(anchors) > 1:
        raise RoleError(
            "two anchor dates of a person would be released as shifted dates, and no privacy "
            "model covers the exact number of days between them",
            where=option("dates"),
            fix="release only one anchor date, and release the other column as the days since "
            "this date",
        )
    if not linked:
        raise SettingError(
            "the shifted anchor date is the same in all rows of a person, so it links these rows, "
            "but rows must not be linked",
            where=option("dates"),
            fix=f"allow the link with {option('link', 'pseudonym')}, or release only an interval",
        )
