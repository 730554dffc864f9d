"""Store the decisions about the columns that are not quasi-identifiers.

The modules in `verbs` make these decisions. Everything that a release says about its columns is
derived from these decisions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from roadstead.front_end import option
from roadstead.policies.document import PolicyColumns
from roadstead.policies.treatments.document import Treatment, treated_columns
from roadstead.release.certificate import IdentifierReleased, RiskIfUndone
from roadstead.reports.content import ReleasedIdentifier
from roadstead.reports.numbers import percent
from roadstead.reports.wording import CountedUnit, RiskByPeople
from roadstead.tables.identifiers.findings import (
    PLACES,
    ChecklistLine,
    IdentifierFinding,
    checklist,
)
from roadstead.tables.identifiers.judgment import Examined, Judgment, is_free_text
from roadstead.tables.identifiers.objections import HELD, ObjectionKind
from roadstead.tables.identifiers.person_keys import PersonKey
from roadstead.tables.persons.linking_columns import LinkedRowsShare
from roadstead.tables.roles import Roles

Why: TypeAlias = Literal[
    "person",
    "identifier",
    "known",
    "sensitive",
    "objection",
    "text",
    "rare",
    "nested",
    "links",
    "undecided",
]
"""A kind of reason why a column is withheld. `undecided` means that there is no objection."""
Releasing: TypeAlias = Literal["quasi", "sensitive", "unchanged", "release_anyway"]
"""A role that releases a column."""

_RELEASED = ("release_anyway", "to release it despite the warning")
_WAYS: dict[Why, tuple[tuple[str, str], ...]] = {
    "person": (
        ("person", "to count people"),
        ("identifiers", "to count records, and to leave the column out"),
    ),
    "identifier": (("identifiers", "to leave it out"), _RELEASED),
    "known": (("quasi", "to generalize it"), ("unchanged", "to release it unchanged")),
    "sensitive": (("sensitive", "to release it unchanged"), ("identifiers", "to leave it out")),
    "text": (("identifiers", "to leave it out"), ("unchanged", "to release it unchanged")),
    "rare": (("unchanged", "to release it unchanged"), ("identifiers", "to leave it out")),
    "nested": (("unchanged", "to release it unchanged"), ("identifiers", "to leave it out")),
    "links": (("identifiers", "to leave it out"), _RELEASED),
    "objection": (("identifiers", "to leave it out"), _RELEASED),
    "undecided": (("unchanged", "to release it unchanged"), ("identifiers", "to leave it out")),
}
"""The roles that a user can choose for each kind of reason, with their effects."""

_COARSER = (("quasi", "to generalize it"), ("identifiers", "to leave it out"))
"""The roles of a column in which nearly every record has a rare value."""
NEARLY_ALL_RARE = 0.9
"""With at least this share of rare values, a column is not offered for release unchanged."""

_KIND_OF_NUMBER: dict[int, ObjectionKind] = {1: "text", PLACES: "place", 3: "date"}
"""The kind of objection for each number of an identifier. The default is "identifier"."""

NESTED = "its values have parts that Roadstead did not examine"
UNDECIDED = "it has no role"
_UNIQUE = 2
"""Fewer holders of a value than this number means that no one else has the value."""


def unit_by(
    keys: Sequence[PersonKey],
    quasi: Sequence[str],
    person: str | None = None,
    *,
    alone: bool = False,
    hidden: Sequence[str] = (),
) -> CountedUnit:
    """Return the unit that is counted, with the columns that look like person IDs.

    If `alone` is true, each record belongs to a different person. Then only columns that are named
    like a person ID, or that are `hidden` as direct identifiers, are doubts about the person.
    """
    suspects = tuple(
        key.column
        for key in keys
        if key.found
        and key.column not in quasi
        and not (alone and key.column == person)
        and (not alone or key.clear or key.column in hidden)
    )
    single = next((key.column for key in keys if key.doubt == "single"), None)
    return CountedUnit(person, suspects, alone=alone, single=single)


def _decision(role: str, column: str) -> str:
    return option(role, column if role == "person" else [column])


def rare_values(share: float, fewer_than: int) -> str:
    """Say which share of the records has a rare value."""
    others = (
        "no other record has it" if fewer_than == _UNIQUE else f"fewer than {fewer_than} have it"
    )
    return f"in {percent(share)} of the records with a value, the value is rare ({others})"


def found_by(judgment: Judgment) -> str:
    """Return the identifiers that a column looks like, or the reason for another objection."""
    if not judgment.findings:
        return judgment.reason
    return "; ".join(
        f"{one.identifier} (identifier {one.number}; {one.why})" for one in judgment.findings
    )


def links_records(one: LinkedRowsShare) -> str:
    """Say how the order or the values of a column link the records of a person."""
    if one.value_share < one.order_share:
        return (
            "if the records are sorted by this column, two records of the same person are next to "
            f"each other ({_true_for(percent(one.share))})"
        )
    return shares_values(one)


def shares_values(one: LinkedRowsShare) -> str:
    """Say how the values of a column link the records of a person."""
    whose = _true_for(percent(one.value_share))
    others = (
        "no one else has"
        if one.fewer_than == _UNIQUE
        else f"fewer than {one.fewer_than} people have"
    )
    return f"two records of the same person share a value that {others} ({whose})"


def _true_for(share: str) -> str:
    return f"true for {share} of the people who have several records in the original table"


@dataclass(frozen=True)
class WithheldColumn:
    """A column that is withheld because it has no role."""

    name: str  # the column
    why: Why  # the kind of reason, and the reason in words
    reason: str
    rare: float  # the share of its values that occur in too few records
    numbers: tuple[int, ...] = ()  # which of the eighteen identifiers it looks like
    forced: bool = False  # whether only ``release_anyway`` releases it unchanged
    only_unchanged: bool = False  # whether it can only be released unchanged, as in `apply`

    @property
    def singles_out(self) -> bool:
        """Return whether nearly every record has a rare value.

        No list should release such a column.
        """
        return not self.forced and self.why != "known" and self.rare >= NEARLY_ALL_RARE

    @property
    def decide(self) -> str:
        """Describe the roles that the column can get, with the effect of each role."""
        if self.only_unchanged and self.releasing is not None:
            return f"use {option(self.releasing, [self.name])} to release it"
        ways = _COARSER if self.singles_out else _WAYS[self.why]
        if self.forced and self.why == "known":
            ways = (ways[0], _RELEASED)
        elif self.forced and self.why != "person":
            ways = _WAYS["objection"]
        return "use " + ", or ".join(f"{_decision(role, self.name)} {does}" for role, does in ways)

    @property
    def releasing(self) -> Releasing | None:
        """Return the most protective role that releases the column.

        Return None if the column would single out nearly every record.
        """
        if self.singles_out:
            return None
        if self.why == "known" and not self.only_unchanged:
            return "quasi"
        if self.forced:
            return "release_anyway"
        return "sensitive" if self.why == "sensitive" and not self.only_unchanged else "unchanged"


@dataclass(frozen=True)
class LinkingColumns:
    """Columns that link the rows of a person, in a release that must not link rows."""

    names: tuple[str, ...]  # one column, or several columns that link rows together
    share: float  # share of people whose rows are linked, among people with several rows
    how: str  # the link in words


@dataclass(frozen=True)
class ColumnDecisions:
    """The decisions about all columns other than the quasi-identifiers."""

    roles: Roles  # the roles given
    unnamed: tuple[str, ...]  # columns that are released without a role
    withheld: tuple[WithheldColumn, ...]  # columns not released because they have no role
    examined: Examined  # the findings of the detectors about each examined column
    alone: bool = False  # whether each record belongs to a different person
    linked: bool = False  # whether the person ID is released, as pseudonyms
    treatments: tuple[Treatment, ...] = ()  # treatments of released columns that are changed
    linking: tuple[LinkingColumns, ...] = ()  # columns that link rows although they must not
    by_people: RiskByPeople | None = None  # risk of the release, if a person ID is only likely
    undone: RiskIfUndone | None = None  # if columns reveal the values that a group hides
    first: str = ""  # what must be done before a person ID can be named
    # The quasi-identifiers whose released values show an identifier.
    identifying: tuple[IdentifierFinding, ...] = ()

    @property
    def counted(self) -> CountedUnit:
        """Return the unit that is counted, and the columns that look like person IDs."""
        own = self.roles
        keys, hidden = self.examined.persons, own.identifiers
        unit = unit_by(keys, own.quasi, own.person, alone=self.alone, hidden=hidden)
        return replace(unit, by_people=self.by_people, first=self.first)

    @property
    def columns(self) -> PolicyColumns:
        """Return the decisions in the form that a policy stores."""
        return PolicyColumns(
            sensitive=self.roles.sensitive,
            unchanged=(*self.roles.unchanged, *self.unnamed),
            removed=(
                *self.roles.identifiers,
                *(column.name for column in self.withheld),
                *([] if self.roles.person is None or self.linked else [self.roles.person]),
            ),
            forced=self.roles.release_anyway,
            undecided=self.unnamed,
            forced_quasi=self.roles.forced_quasi,
            reasons=dict(self.roles.reasons),
        )

    @property
    def treated(self) -> dict[str, Treatment]:
        """Return the treatment of each released column that has a treatment."""
        return treated_columns(self.treatments)

    @property
    def released_identifiers(self) -> tuple[ReleasedIdentifier, ...]:
        """Return the released columns that look like identifiers.

        Columns in ``release_anyway`` are listed first.
        """
        quasi = (
            ReleasedIdentifier(
                one.column, one.number, None, one.identifier, one.why, one.remedy, forced=True
            )
            for one in self.identifying
        )
        return (*quasi, *self._others_released)

    @property
    def _others_released(self) -> tuple[ReleasedIdentifier, ...]:
        return tuple(
            one
            for name in (*self.roles.release_anyway, *self.roles.sensitive, *self.roles.unchanged)
            for one in self._spoken_against(name)
        )

    def _spoken_against(self, name: str) -> Iterator[ReleasedIdentifier]:
        """Yield the findings and other objections about a released column."""
        forced, findings = name in self.roles.release_anyway, self.examined.judgments[name].findings
        for one in findings:
            yield ReleasedIdentifier(
                name, one.number, None, one.identifier, one.why, one.remedy, forced
            )
        known = {_KIND_OF_NUMBER.get(one.number, "identifier") for one in findings}
        for objection in self.examined.objections.get(name, ()):
            if objection.kind not in known:
                kind, why = objection.kind, objection.why
                removed = kind == "person" and {*objection.others} & {*self.roles.identifiers}
                what = "an identifier that you removed" if removed else HELD[kind]
                yield ReleasedIdentifier(name, None, kind, what, why, "", forced)

    @property
    def checklist(self) -> tuple[ChecklistLine, ...]:
        """Return the eighteen Safe Harbor identifiers, each with the findings about it."""
        judged, samples = self.examined.judgments, self.examined.samples
        return checklist(
            (finding for judgment in judged.values() for finding in judgment.findings),
            free_text=[name for name in judged if samples[name] and is_free_text(samples[name])],
        )

    @property
    def certified(self) -> tuple[IdentifierReleased, ...]:
        """Return the released identifiers in the form that a certificate stores."""
        return tuple(
            IdentifierReleased(one.column, one.number, one.objection, one.forced)
            for one in self.released_identifiers
        )

    @property
    def rare(self) -> dict[str, float]:
        """Return the share of values that occur in too few records, for each withheld column."""
        return {column.name: column.rare for column in self.withheld}

    def to_dict(self) -> dict[str, Any]:
        """Return the decisions as a dictionary that can be converted to JSON."""
        return {
            "withheld": self.rare,
            "withheld_because": {
                column.name: {
                    "why": column.why,
                    "reason": column.reason,
                    "identifiers": list(column.numbers),
                    "decide": column.decide,
                }
                for column in self.withheld
            },
            "released_without_a_role": list(self.unnamed),
            "released_by_name": list(self.roles.release_anyway),
            "released_identifiers": [one.to_dict() for one in self.released_identifiers],
            "checklist": [line.to_dict() for line in self.checklist],
            "linking": [{"columns": list(one.names), "share": one.share} for one in self.linking],
        }
