"""Further privacy models where persons are counted: which can be, how, and why others cannot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.privacy.conditions import SizeModel
from roadstead.privacy.models.k_anonymity import SMALLEST_K
from roadstead.privacy.models.values_of_persons import ValuesOfPersons
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.registry import MADE_FOR_PERSONS
from roadstead.verbs.persons.settings import person_anonymity

if TYPE_CHECKING:
    from roadstead.requests.persons import PersonProtection

_OVER_RECORDS = (
    "average-risk",
    "strict-average-risk",
    "records-at-risk",
    "sample-uniqueness",
    "population-uniqueness",
)

_WHY_NOT = {
    "no-attack": "says how many records a class has, and several may be of one person",
    "profitability": "weighs the records of a class, and several may be of one person",
    "delta-disclosure": "lets values be absent, and of the values that occur it need not hold of "
    "two groups of persons together that it holds of: ask for every value",
    "grassberger-l-diversity": "corrects an entropy for how few records were drawn, each by "
    "itself, and rows of one person were not; entropy-l-diversity is counted in persons",
}


def in_persons(
    models: Sequence[PrivacyModel], request: PersonProtection, k: int | None
) -> tuple[PrivacyModel, ...]:
    """Count further models in persons, where a request names the person of each record.

    A `SettingError` says why a model cannot be counted so, or that there is no `k` alongside.
    """
    for model in models:
        if model.kind in MADE_FOR_PERSONS:
            raise _not_in_persons(
                f"{model.kind} follows from whose the records are, and is not asked for by name",
                f"name their column with {option('person', 'COLUMN')}",
            )
    if request.person is None:
        return tuple(models)
    for model in models:
        if model.clause is None:
            fix = "leave it out"
            if isinstance(model, SizeModel):
                fix = f"use {option('k', model.least_records)}, which is of persons"
            raise _not_in_persons(f"{model.name} {_why_not(model)}", fix)
    _require_k(k)
    knows = person_anonymity(SMALLEST_K, request).knows
    for model in models:
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
    if model.kind in _OVER_RECORDS:
        return (
            "is a mean over records, or a share, in which a person with many rows would count "
            f"often: the risk of each person is bounded by {option('k')}"
        )
    return _WHY_NOT.get(model.kind, "does not say how it is counted in persons")


def _not_in_persons(what: str, fix: str) -> SettingError:
    return SettingError(what, where=option("privacy"), fix=fix)


def _require_k(k: int | None) -> None:
    """Refuse to protect persons without a number of persons whom what is known must fit."""
    if k is None:
        raise SettingError(
            "1 asks for no k-anonymity, which persons need: without it one person alone may fit "
            "what is known",
            where=option("k"),
            fix=f"use {option('k', '2')} or more",
        )
