"""Convert privacy models to models that count people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from roadstead.front_end import option
from roadstead.privacy.models.k_anonymity import SMALLEST_K
from roadstead.privacy.models.values_of_persons import ValuesOfPersons
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.registry import MADE_FOR_PERSONS
from roadstead.requests.checks import wrong
from roadstead.verbs.persons.settings import person_anonymity

if TYPE_CHECKING:
    from roadstead.requests.persons import PersonProtection


def require_requestable(models: Sequence[PrivacyModel]) -> None:
    """Reject models that the person ID column implies, because a request must not name them."""
    for model in models:
        if model.kind in MADE_FOR_PERSONS:
            raise wrong(
                "privacy",
                f"you cannot name {model.kind}: Roadstead adds this model if you name a person ID",
                f"name the person ID column with {option('person', 'COLUMN')}",
            )


def in_persons(
    models: Sequence[PrivacyModel], request: PersonProtection
) -> tuple[PrivacyModel, ...]:
    """Return the additional models, which count people if a request has a person ID column."""
    if request.person is None:
        return tuple(models)
    knows = person_anonymity(SMALLEST_K, request).knows
    rows: Literal[1, "all"] = "all" if knows == "all" else 1
    return tuple(ValuesOfPersons(one.settings(), request.person, rows) for one in models)
