"""The rules of a policy for the person ID and for people's dates."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.errors import PolicyError, quoted
from roadstead.policies.json_document import NOT_NONE, STRICT

ANCHOR = "anchor_date"
"""The released column with the shifted earliest date of each person."""

_COUNTED_FROM_FIRST = ("interval", "shifted-anchor")
"""Rules that replace dates with the days since an earliest date of the person."""


@checked_dataclass(frozen=True, config=STRICT)
class DateRule:
    """The rule for one column of a person's dates, applied before generalization.

    An ``interval`` is the number of days since the person's anchor. The anchor is the earliest date
    of the column `anchor`, or of the column itself if `anchor` is None. A ``shifted-anchor`` is
    also the number of days since the anchor, but the shifted date of the anchor is also released.
    ``since`` is the number of days since the date in the column `anchor` of the same record. An
    ``age`` is the number of completed years until the same date. The age 90 means 90 and over. A
    ``shift`` is the shifted day, and a ``shift-time`` also includes the unchanged time of day.
    """

    column: str
    form: Literal["interval", "shifted-anchor", "since", "age", "shift", "shift-time"]
    anchor: str | None = None

    @property
    def is_date(self) -> bool:
        """Return whether the column has shifted dates, and not days or years between dates."""
        return self.form in ("shift", "shift-time")

    @property
    def does(self) -> str:
        """Describe the values that replace the dates in the column."""
        since = f"days since the person's earliest {self.anchor or self.column}"
        if self.form == "since":
            since = f"days since {self.anchor} of the same record"
        return {
            "age": f"age in years at {self.anchor}, 90 for 90 and over",
            "shift": "the day, shifted, without a time of day",
            "shift-time": "the date, shifted, with the exact time of day",
        }.get(self.form, since)

    @property
    def is_within_record(self) -> bool:
        """Return whether the anchor is a date in the same record."""
        return self.form in ("since", "age")


@checked_dataclass(frozen=True, config=STRICT)
class ShiftRule:
    """The size of date shifts, which is up to `days` days in either direction.

    All dates of a person are shifted by the same number of days. If `weeks` is true, shifts are
    whole weeks. If `keyed` is true, shifts depend on the custodian's key, which a policy never
    contains.
    """

    days: Annotated[int, Field(ge=1, le=36_500)]
    weeks: bool = False
    keyed: bool = False

    @property
    def most(self) -> int:
        """The longest possible shift, in days."""
        return self.days // 7 * 7 if self.weeks else self.days


@checked_dataclass(frozen=True, config=STRICT)
class IdForm:
    """The form of the person IDs, which decides whether a key creates the same pseudonyms again."""

    digits: bool  # whether most IDs consist of digits only
    zeros: bool  # whether some of these IDs begin with a zero
    length: Annotated[int, Field(ge=1)] | None  # the number of digits; None if IDs differ


@checked_dataclass(frozen=True, config=STRICT)
class PersonRules:
    """The rules for the person ID. The source has the person IDs in `column`.

    If `link` is ``pseudonym``, the column is released with a pseudonym for each person, so that the
    rows of one person can be linked. If `link` is ``none``, the column is not released. `dates`
    contains the rules for a person's dates, and `shift` gives the size of the shifts. If a key is
    used, `ids` describes the person IDs.
    """

    column: str
    link: Literal["none", "pseudonym"] = "none"
    dates: tuple[DateRule, ...] = ()
    shift: ShiftRule | None = None
    ids: Annotated[IdForm | None, NOT_NONE] = None

    @property
    def shifted_anchor(self) -> str | None:
        """The column from which the earliest date of each person is released in shifted form."""
        return next((r.anchor or r.column for r in self.dates if r.form == "shifted-anchor"), None)

    @property
    def shifted_at_random(self) -> tuple[str, ...]:
        """The released columns whose shifted dates differ each time the policy is applied."""
        if self.shift is None or self.shift.keyed:
            return ()
        own = [rule.column for rule in self.dates if rule.form in ("shift", "shift-time")]
        return (*own, ANCHOR) if self.shifted_anchor is not None else tuple(own)

    @property
    def counts_from_later(self) -> bool:
        """Return whether days may be counted from a date after a person's first date.

        The reason is that records near the ends of shifted dates are left out before days are
        counted.
        """
        counted = any(rule.form in _COUNTED_FROM_FIRST for rule in self.dates)
        return self.shift is not None and counted

    @property
    def does(self) -> dict[str, str]:
        """Describe what the release shows in each column that the rules change."""
        left = " that is not left out" if self.counts_from_later else ""
        changed = {
            rule.column: rule.does + (left if rule.form in _COUNTED_FROM_FIRST else "")
            for rule in self.dates
        }
        if self.shifted_anchor is not None:
            changed[ANCHOR] = f"the person's earliest {self.shifted_anchor}{left}, shifted"
        if self.link == "pseudonym":
            changed[self.column] = "a pseudonym for each person"
        return changed

    @property
    def ages(self) -> dict[str, str]:
        """The columns that are replaced by an age, each with the column of the date for the age."""
        return {r.column: r.anchor for r in self.dates if r.form == "age" and r.anchor}

    @property
    def moved(self) -> tuple[str, ...]:
        """The columns whose dates are shifted together, so that their intervals stay the same."""
        anchors = (rule.anchor for rule in self.dates if rule.anchor is not None)
        return tuple(dict.fromkeys((*(rule.column for rule in self.dates), *anchors)))


def check_dates(own: PersonRules) -> None:
    """Check that columns have one rule, shifts have settings, and there is at most one anchor."""
    ruled = [rule.column for rule in own.dates]
    for column in ruled:
        if ruled.count(column) > 1:
            raise PolicyError(f"column {quoted(column)} has two rules for dates")
        if column == own.column:
            raise PolicyError(
                f"column {quoted(column)} identifies people, but has a rule for dates"
            )
    shifting = any(rule.is_date or rule.form == "shifted-anchor" for rule in own.dates)
    if shifting != (own.shift is not None):
        raise PolicyError(
            "the policy must state both the shifted dates and the size of the shift, or "
            "neither of them"
        )
    if own.shifted_anchor is not None and own.link != "pseudonym":
        raise PolicyError(
            "the policy releases the shifted anchor date, which links rows that must not be linked"
        )
    if len({r.anchor or r.column for r in own.dates if r.form == "shifted-anchor"}) > 1:
        raise PolicyError(
            "the policy releases two anchor dates, which reveal the days between them"
        )
    for rule in own.dates:
        if rule.is_date if rule.anchor is not None else rule.is_within_record:
            raise PolicyError(f"the date rule of {quoted(rule.column)} and its anchor do not match")
