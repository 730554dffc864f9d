"""Transform people's dates as the policy requires, before a table is counted or released.

The policy contains the rules, but never the key or the shifts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from roadstead.errors import RoleError, SettingError, quoted
from roadstead.front_end import option
from roadstead.policies.person_rules import ANCHOR, PersonRules
from roadstead.printable import named
from roadstead.release.persons.iso_dates import with_iso_dates
from roadstead.release.persons.pseudonyms import Pseudonyms
from roadstead.release.persons.shifts import DateShifts
from roadstead.tables.persons.dates import (
    TimesOfDay,
    times_of_day,
    with_anchor,
    with_intervals,
    with_shifts,
)
from roadstead.tables.persons.weekdays import DAYS, weekdays_with_few_dates

if TYPE_CHECKING:
    from roadstead.tables.source import Source


_MOST_SHOWN = 3


@dataclass(frozen=True)
class DatesMade:
    """A table with transformed dates, and the numbers of excluded records and people.

    If dates are shifted, records near the ends of the extract are excluded. `times` counts the
    released times of day in each column. `before` is the table with the dates before the shift. For
    each released column of shifted dates, `weekdays` is the number of days of the week with few
    dates. `read` maps each column whose dates are not written as YYYY-MM-DD to the form of its
    dates. `far` contains the dates in each shifted column that several people share and that are
    far from all other dates.
    """

    source: Source
    records_left_out: int = 0
    persons_left_out: int = 0
    times: Mapping[str, TimesOfDay] = field(default_factory=dict)
    before: Source | None = None
    read: Mapping[str, str] = field(default_factory=dict)
    far: Mapping[str, Sequence[date]] = field(default_factory=dict)
    later: int = 0  # number of people whose days are not counted from their first date
    weekdays: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as a dictionary that can be written as JSON."""
        times = {
            name: {"records": one.records, "of_one_person": one.of_one_person}
            for name, one in self.times.items()
        }
        return {
            "records_left_out": self.records_left_out,
            "persons_left_out": self.persons_left_out,
            **({"persons_counted_from_a_later_date": self.later} if self.later else {}),
            **({"times_of_day": times} if times else {}),
        }


def dates_in_words(rules: PersonRules) -> list[str]:
    """Describe how dates change, with one sentence for each rule."""
    lines = [f"{name}: {does}." for name, does in rules.does.items() if name != rules.column]
    if (shift := rules.shift) is not None:
        unit = "whole weeks, at most" if shift.weeks else "at most"
        how = (
            "with the custodian's key" if shift.keyed else "at random, and the shifts were not kept"
        )
        lines.append(
            f"All dates of a person are shifted by the same number of days, {unit} {shift.most} "
            f"days earlier or later (0 is possible), chosen {how}."
        )
    return lines


def date_sentences(
    rules: PersonRules | None, made: DatesMade, *, first: str = "", shared: bool = False
) -> list[str]:
    """Describe in sentences how dates were changed, and what was excluded.

    If the sentences are `shared` with recipients, they contain only the counts of the certificate,
    without advice for the custodian.
    """
    if rules is None:
        return []
    lines = dates_in_words(rules)
    if made.read:
        forms = ", ".join(f"{named(name)} ({form})" for name, form in made.read.items())
        lines.append(f"These columns have dates in a form other than YYYY-MM-DD: {forms}.")
    if rules.shift is not None:
        records, persons = made.records_left_out, made.persons_left_out
        what = f"{records:,} record" + "s" * (records != 1)
        who = f"{persons:,} person has" if persons == 1 else f"{persons:,} people have"
        lines.append(
            f"Before counting, Roadstead left out {what}: a shifted date would be within "
            f"{rules.shift.most} days of the first or last date in the table, or beyond these "
            f"dates. Such dates reveal the shift. {who} no records left."
        )
    if made.later:
        who = "1 person" if made.later == 1 else f"{made.later:,} people"
        who = "some people" if shared else who
        lines.append(
            f"For {who}, days are counted from a later date than their first date in the table, "
            "because the record with their first date is left out."
        )
    found_few = [(name, few) for name, few in made.weekdays.items() if few]
    lines += [weekday_warning(name, few, advice=not shared) for name, few in found_few]
    found = made.times.items()
    return lines + [
        _time_warning(name, None if shared else one, first)
        for name, one in found
        if one.of_one_person
    ]


def placeholder_sentences(made: DatesMade) -> list[str]:
    """Tell the custodian which dates were left out because they are far from all others."""
    return [
        f"Some dates in {named(name)} are shared by several people and are far from all other "
        f"dates ({', '.join(map(str, dates[:_MOST_SHOWN]))}). The records with these dates are "
        "among the records that the shift of dates leaves out. If such a date means missing, "
        f"use {option('missing', [f'{name}={day}' for day in dates])}."
        for name, dates in made.far.items()
    ]


def weekday_warning(column: str, few: int, *, advice: bool = True) -> str:
    """Warn that nearly all original dates are on some days of the week, such as workdays."""
    fix = f" To prevent this, shift dates by whole weeks with {option('shift_weeks', True)}."
    return (
        f"Warning: {named(column)} has few or no dates on {few} of {DAYS} days of the week "
        "(at most a third as many people as on the busiest day). So an attacker who sees "
        "several shifted dates of a person may find out the true days of the week, and "
        f"therefore part of the shift.{fix if advice else ''}"
    )


def _linked(rules: PersonRules) -> list[str]:
    """Return the columns that can show several shifted dates of one person.

    Dates that are shifted by whole weeks show the day of the week, but not the shift.
    """
    if rules.shift is None or rules.shift.weeks or rules.link == "none":
        return []
    named_dates = [rule.column for rule in rules.dates if rule.is_date]
    return [*named_dates, *([rules.shifted_anchor] if rules.shifted_anchor else [])]


def _time_warning(column: str, times: TimesOfDay | None, first: str) -> str:
    number = f"{times.of_one_person:,} of {times.records:,}" if times else "some"
    return (
        f"Warning: {number} times of day in {column} each belong to only one person. An attacker "
        "who knows the exact time of an event can find that person. "
        f"To release only the day, {first}use {option('dates')} with {column}=shift."
    )


def make_dates(source: Source, rules: PersonRules | None, drawn_by: Pseudonyms | None) -> DatesMade:
    """Transform dates as the rules require. The secret of the pseudonyms determines the shifts."""
    if rules is None or not rules.dates:
        return DatesMade(source)
    timed = [rule.column for rule in rules.dates if rule.form == "shift-time"]
    source, read = with_iso_dates(source, rules.moved, timed)
    made = DatesMade(source)
    person = rules.column
    within = {r.column: r.anchor for r in rules.dates if r.form == "since" and r.anchor}
    intervals = {r.column: r.anchor for r in rules.dates if not (r.is_date or r.is_within_record)}
    if rules.shift is not None:
        if ANCHOR in source.columns and rules.shifted_anchor is not None:
            raise RoleError(
                "the table already has a column with this name, but Roadstead needs the name "
                "for the shifted anchor date of each person",
                where=f"column {quoted(ANCHOR)}",
                fix="rename the column",
            )
        by = drawn_by or Pseudonyms.forgotten()
        if rules.shift.keyed != by.keyed:
            raise _other_key(keyed=by.keyed)
        shifts = DateShifts(by.secret, rules.shift.days, rules.shift.weeks)
        origins = tuple(dict.fromkeys(own or one for one, own in intervals.items()))
        moved = with_shifts(source, person, rules.moved, shifts.of, shifts.most, timed, origins)
        times = {name: times_of_day(moved.source, person, name) for name in timed}
        weekdays = {name: weekdays_with_few_dates(source, person, name) for name in _linked(rules)}
        made = DatesMade(
            moved.source,
            moved.records,
            moved.persons,
            times,
            source,
            far=moved.far,
            later=moved.later,
            weekdays=weekdays,
        )
    found = made.source
    if (anchor := rules.shifted_anchor) is not None:
        every = {**intervals, **within}
        ages = [one for one, own in every.items() if (own or one) == anchor and one != anchor]
        found = with_anchor(found, person, anchor, ANCHOR, ages)
    if intervals or within or rules.ages:
        found = with_intervals(found, person, intervals, within, rules.ages)
    return replace(made, source=found, read=read)


def _other_key(*, keyed: bool) -> SettingError:
    if keyed:
        return SettingError(
            "the policy uses random shifts that no one keeps, so a key is not allowed",
            where=option("key"),
            fix="leave the key out, or anonymize the table again with the key",
        )
    return SettingError(
        "the policy shifts dates with the custodian's key, but no key is given; without it, "
        "the shifts would differ from the shifts in the earlier release",
        where=option("key"),
        fix=f"name the file with {option('key', 'FILE')}",
    )
