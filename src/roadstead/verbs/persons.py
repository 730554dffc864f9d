"""The person of each record: what a request that counts persons may ask for, and what not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from roadstead.errors import RoleError, SettingError, quoted
from roadstead.front_end import option
from roadstead.privacy.protocol import PrivacyModel
from roadstead.tables import names
from roadstead.tables.roles import Roles

if TYPE_CHECKING:
    from roadstead.verbs.anonymize.request import AnonymizeRequest

_IN_PERSONS = ("distinct-l-diversity",)
"""Models that say the same whether a class has several rows of a person or one."""


def with_person(roles: Roles, request: AnonymizeRequest, columns: Sequence[str]) -> Roles:
    """Keep the person's column out of the release, and refuse what cannot be asked of persons.

    Raises
    ------
    RoleError
        When there is no such column, or it is to be released.
    SettingError
        When something is asked for that needs persons and none are named, or that counts records.
    """
    person = request.person
    if person is None:
        for key in ("knows", "leave_out"):
            if getattr(request, key) is not None:
                raise SettingError(
                    "is about persons, and no column says whose each record is",
                    where=option(key),
                    fix=f"name it with {option('person', 'COLUMN')}",
                )
        return roles
    names.require((person,), columns)
    for role in ("quasi", "sensitive", "insensitive", "release"):
        if person in getattr(roles, role):
            raise RoleError(
                "says whose each record is, so it cannot be released",
                where=f"column {quoted(person)}",
                fix=f"take it out of {option(role)}",
            )
    if request.population is not None:
        raise SettingError(
            "a population is compared with records, not with persons",
            where=option("population"),
            fix=f"leave out {option('population')} or {option('person')}",
        )
    return replace(roles, identifying=tuple(dict.fromkeys((*roles.identifying, person))))


def require_models_of_persons(models: Sequence[PrivacyModel]) -> None:
    """Refuse models that count records where persons are to be counted."""
    for model in models:
        if model.kind not in _IN_PERSONS:
            raise SettingError(
                f"{model.name} counts records, and persons are to be counted",
                where=option("privacy"),
                fix="use " + " or ".join(_IN_PERSONS),
            )
