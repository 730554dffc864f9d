"""The person of each record: what a request that counts persons may ask for, and what not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.privacy.models.k_anonymity import SMALLEST_K
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.privacy.models.values_of_persons import ValuesOfPersons
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.registry import MADE_FOR_PERSONS

if TYPE_CHECKING:
    from roadstead.requests.groups import PersonProtection
    from roadstead.verbs.anonymize.request import AnonymizeRequest

_ABOUT_PERSONS = ("knows", "leave_out", "weigh")


def require_person(request: PersonProtection) -> None:
    """Refuse what is about persons where no column says whose each record is."""
    if request.person is not None:
        return
    for key in _ABOUT_PERSONS:
        if getattr(request, key, None) is not None:
            raise SettingError(
                "is about persons, and no column says whose each record is",
                where=option(key),
                fix=f"name it with {option('person', 'COLUMN')}",
            )


def person_anonymity(k: int, request: PersonProtection) -> PersonAnonymity:
    """Make the model that a request asks for.

    One row is known if nothing is said, and rows are left out then; where several are known
    together, persons are.
    """
    if request.person is None:
        raise ValueError("no column says whose each record is")
    knows = request.knows or "1"
    leave_out = request.leave_out or ("rows" if knows == "1" else "persons")
    return PersonAnonymity(k, request.person, "all" if knows == "all" else int(knows), leave_out)


def in_persons(
    models: Sequence[PrivacyModel], request: PersonProtection
) -> tuple[PrivacyModel, ...]:
    """Count further models in persons, where a request names the person of each record.

    A `SettingError` says why a model cannot be counted so.
    """
    for model in models:
        if model.kind in MADE_FOR_PERSONS:
            raise _not_in_persons(
                f"{model.kind} follows from whose the records are, and is not asked for by name",
                f"name their column with {option('person', 'COLUMN')}",
            )
    if request.person is None:
        return tuple(models)
    knows = person_anonymity(SMALLEST_K, request).knows
    for model in models:
        if model.clause is None:
            raise _not_in_persons(f"{model.name} {_why_not(model)}", "leave it out")
        if knows not in (1, "all"):
            raise _not_in_persons(
                f"{model.name} would have to hold among the persons of every combination of rows "
                "that may be known, and these have persons in common",
                f"use {option('knows', 'all')}, which promises it for every number of rows",
            )
    rows: Literal[1, "all"] = "all" if knows == "all" else 1
    return tuple(ValuesOfPersons(one.settings(), request.person, rows) for one in models)


def _why_not(model: PrivacyModel) -> str:
    """Say why a model cannot be counted in persons: a clause that begins with a verb."""
    if model.takes_population or model.needs_population:
        return (
            "compares records with a population, which lists each person once: a person with "
            "several rows has several combinations, and would be looked for in several places"
        )
    if model.kind == "estimated-k-map":
        return (
            "takes the records for a random sample of people, each of whom has one: where a person "
            "has several, their number says nothing of how many people there are"
        )
    if model.kind in ("average-risk", "strict-average-risk"):
        return (
            "is a mean over records, in which a person with many rows would count often: the risk "
            f"of each person is bounded by {option('k')}"
        )
    return "does not say how it is counted in persons"


def _not_in_persons(what: str, fix: str) -> SettingError:
    return SettingError(what, where=option("privacy"), fix=fix)


def require_k_of_persons(k: int | None) -> None:
    """Refuse to protect persons without a number of persons whom what is known must fit."""
    if k is None:
        raise SettingError(
            "1 asks for no k-anonymity, which persons need: without it one person alone may fit "
            "what is known",
            where=option("k"),
            fix=f"use {option('k', '2')} or more",
        )


def require_left_out(request: AnonymizeRequest) -> None:
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
    """Refuse a population where persons are counted."""
    if getattr(request, "population", None) is not None:
        raise SettingError(
            "a population is compared with records, not with persons",
            where=option("population"),
            fix=f"leave out {option('population')} or {option('person')}",
        )
