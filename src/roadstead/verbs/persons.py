"""The person of each record: what a request that counts persons may ask for, and what not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.privacy.protocol import PrivacyModel

if TYPE_CHECKING:
    from roadstead.requests.groups import PersonProtection
    from roadstead.verbs.anonymize.request import AnonymizeRequest

_IN_PERSONS = ("distinct-l-diversity",)
"""Models that say the same whether a class has several rows of a person or one."""
_ABOUT_PERSONS = ("knows", "leave_out", "dates", "shift_days", "shift_weeks")


def require_person(request: PersonProtection) -> None:
    """Refuse what is about persons where no column says whose each record is."""
    if request.person is not None:
        return
    for key in _ABOUT_PERSONS:
        if getattr(request, key, None) not in (None, False, {}):
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


def require_models_of_persons(models: Sequence[PrivacyModel]) -> None:
    """Refuse models that count records where persons are to be counted."""
    for model in models:
        if model.kind not in _IN_PERSONS:
            raise SettingError(
                f"{model.name} counts records, and persons are to be counted",
                where=option("privacy"),
                fix="use " + " or ".join(_IN_PERSONS),
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
