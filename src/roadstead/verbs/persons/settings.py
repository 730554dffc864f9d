"""The person of each record: what a request that counts persons may ask for, and what not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from roadstead.errors import PolicyError, RoleError, SettingError, quoted
from roadstead.front_end import option
from roadstead.policies.json_document import FROM_ROADSTEAD
from roadstead.privacy.models.person_anonymity import Known, PersonAnonymity
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.registry import MADE_FOR_PERSONS
from roadstead.reports.wording import CountedUnit
from roadstead.requests.checks import wrong
from roadstead.tables.dependencies.found import likely_persons
from roadstead.tables.frequency import FrequencyTable, summarize
from roadstead.tables.identifiers.person_keys import named_person_keys
from roadstead.tables.persons.profiles import summarize_persons
from roadstead.verbs.columns import unit_by
from roadstead.verbs.key.use import require_use_of_key

if TYPE_CHECKING:
    from roadstead.policies.document import Policy
    from roadstead.quality.protocol import QualityModel
    from roadstead.requests.groups import TableInput
    from roadstead.requests.persons import PersonProtection
    from roadstead.tables.source import Source

_ABOUT_PERSONS = (
    "knows",
    "leave_out",
    "weigh",
    "link",
    "key",
    "dates",
    "shift_days",
    "shift_weeks",
)


_OF_WHOLE_COMBINATIONS = ("divergence",)
"""Losses that compare how often each combination occurs."""


def require_person(request: PersonProtection) -> None:
    """Refuse what is about persons where no column says whose each record is.

    A key is refused where nothing is made with it, and one known row where rows are linked.
    """
    if request.person is not None:
        require_use_of_key(request.key, used=links(request) or shifts(request))
        if request.knows == "1" and links(request):
            raise linked_rows_are_known_together()
        return
    for key in _ABOUT_PERSONS:
        if getattr(request, key, None) not in (None, False, {}):
            raise without_persons(key)


def without_persons(key: str) -> SettingError:
    """Make the error of a field that is about persons where no column says whose records are."""
    what = "is about persons, and no column says whose each record is"
    return wrong(key, what, f"name it with {option('person', 'COLUMN')}")


def person_anonymity(k: int, request: PersonProtection) -> PersonAnonymity:
    """Make the model that a request asks for.

    If nothing is said, one row is known, or two where the release links them. Rows are left out
    where one is known; where several are known together, persons are.
    """
    if request.person is None:
        raise ValueError("no column says whose each record is")
    known = known_rows(request.knows, linked=links(request))
    leave_out = request.leave_out or ("rows" if known == 1 else "persons")
    return PersonAnonymity(k, request.person, known, leave_out)


def known_rows(knows: str | int | None, *, linked: bool) -> Known:
    """Say how many rows of a person may be known: if nothing is said, two where they are linked."""
    if knows is None:
        return 2 if linked else 1
    return "all" if knows == "all" else int(knows)


def rows_known(request: _KnowsOfPersons) -> Known:
    """Say how many rows of a person may be known; refuse to say it where nobody counts persons."""
    if request.knows is not None and request.person is None:
        raise without_persons("knows")
    return "all" if request.knows == "all" else int(request.knows or "1")


class _KnowsOfPersons(Protocol):
    """A request that says what is known of persons."""

    @property
    def person(self) -> str | None: ...

    @property
    def knows(self) -> str | int | None: ...


def links(request: PersonProtection) -> bool:
    """Whether the release says which rows are of one person."""
    return request.link == "pseudonym"


def shifts(request: PersonProtection) -> bool:
    """Whether dates of persons are shifted."""
    asked: Mapping[str, str] = getattr(request, "dates", None) or {}
    return any(form.strip().startswith("shift") for form in asked.values())


def linked_rows_are_known_together() -> SettingError:
    """Make the error of a release that links rows and protects one row alone."""
    return SettingError(
        "protects against who knows one row of a person, and a release that links rows shows "
        "which others are of the same person, so two known rows can single one out",
        where=option("knows", "1"),
        fix=f"use {option('knows', '2')} or more, or {option('link', 'none')}",
    )


def require_linked_protection(policy: Policy, models: Sequence[PrivacyModel]) -> None:
    """Refuse a policy that links the rows of a person and protects no more than one of them."""
    if policy.linked_by is None:
        return
    if not any(isinstance(model, PersonAnonymity) and model.knows != 1 for model in models):
        raise PolicyError(
            "links the rows of a person, and protects at most one row that somebody knows",
            where="the policy",
            fix="anonymize the table afresh, with two known rows or more",
        )


def require_loss_of_persons(quality: QualityModel) -> None:
    """Refuse a loss that does not hold where persons are left out."""
    if quality.name in _OF_WHOLE_COMBINATIONS:
        raise SettingError(
            f"{quality.name} compares how often each combination of values occurs, and some "
            "records of one may be left out with a person while others stay",
            where=option("quality"),
            fix=f"use another loss, such as {option('quality', 'loss')}, or leave out "
            f"{option('person')}",
        )


def require_left_out(request: TableInput) -> None:
    """Refuse to keep suppressed records where persons are counted.

    Even with ``*`` in every quasi-identifier they would say how many records a person has.
    """
    if request.origin.given.get("suppressed") == "mask":
        raise SettingError(
            "records that are suppressed are left out where persons are counted: kept with *, they "
            "would still say how many records a person has",
            where=option("suppressed", "mask"),
            fix=f"leave it out, or {option('person')}",
        )


def require_no_population(request: object) -> None:
    """Refuse a population where persons are counted, and what one is estimated from."""
    given = {
        "population": getattr(request, "population", None) is not None,
        "margins": bool(getattr(request, "margins", ())),
    }
    for key in (key for key, there in given.items() if there):
        what = "a population is compared with records, not with persons"
        raise wrong(key, what, f"leave out {option(key)} or {option('person')}")


def person_of_policy(
    policy: Policy, models: Sequence[PrivacyModel], source: Source | None = None
) -> str | None:
    """Name the column by which a policy counts persons; None where it counts records.

    PolicyError where the policy names two, releases it, or has a model that counts records.
    RoleError where the source lacks the column: its records would be taken for as many persons.
    """
    own = [model for model in models if isinstance(model, PersonAnonymity)]
    if len(own) > 1:
        raise PolicyError(
            "has several models of what is known of a person, and who is left out follows from one",
            where="the policy",
            fix="keep the one that promises most",
        )
    named = {model.person for model in own}
    if policy.persons is not None:
        named.add(policy.persons.column)
    if not named:
        return None
    if len(named) > 1:
        raise PolicyError(
            f"persons are named by {' and '.join(map(quoted, sorted(named)))}, and only one column "
            "can say whose a record is",
            where="the policy",
            fix=FROM_ROADSTEAD,
        )
    for model in models:
        if model.kind not in MADE_FOR_PERSONS:
            raise PolicyError(
                f"{model.name} counts records, and the policy counts persons",
                where="the policy",
                fix=FROM_ROADSTEAD,
            )
    (column,) = named
    if column in (*policy.quasi, *policy.columns.released):
        raise PolicyError(
            f"column {quoted(column)} names persons, and is released",
            where="the policy",
            fix=FROM_ROADSTEAD,
        )
    if source is not None and column not in source.columns:
        raise RoleError(
            "the policy counts persons by it, and the table does not have it; its records would be "
            "taken for as many persons",
            where=f"{source.name}, column {quoted(column)}",
            fix="add the column that says whose each record is",
        )
    return column


def unit_of(source: Source, quasi: Sequence[str], person: str | None = None) -> CountedUnit:
    """Say what is counted; if records, which columns seem by their names to say whose they are."""
    if person is not None:
        return CountedUnit(person)
    return unit_by(named_person_keys(source), quasi)


def unit_seen(source: Source, quasi: Sequence[str], person: str | None = None) -> CountedUnit:
    """Say the same where all columns may be looked at: a person ID is seen under any header."""
    unit = unit_of(source, quasi, person)
    if person is not None or unit.suspects or unit.single is not None:
        return unit
    return unit_by(likely_persons(source, quasi), quasi)


def summarized(
    source: Source, person: str | None, attributes: Sequence[str], alongside: Sequence[str] = ()
) -> FrequencyTable:
    """Count the records of a source, with whose they are where a column says so."""
    if person is None:
        return summarize(source, attributes, alongside)
    return summarize_persons(source, person, attributes, alongside)
