"""Describe a release that does not meet its declared privacy requirements.

Privacy requirements are declared before the search. A policy that is chosen from a frontier or in
the workbench may fail these requirements. The certificate then contains the declared requirements
and the reason for the release.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.errors import PolicyError
from roadstead.policies.json_document import STRICT
from roadstead.printable import named
from roadstead.privacy.settings import model_from
from roadstead.reasons import Reason
from roadstead.release.plugins import foreign_kinds


@checked_dataclass(frozen=True, config=STRICT)
class BelowPromise:
    """The unmet declared requirements, as settings of models, and the reason for the release."""

    declared: Annotated[tuple[dict[str, Any], ...], Field(min_length=1)]
    reason: Reason

    def __post_init__(self) -> None:
        """Reject settings that do not belong to a model."""
        try:
            names_of(self.declared)
        except PolicyError as error:
            raise ValueError(error.what) from None

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the declared requirements."""
        return names_of(self.declared)


def names_of(models: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the name of each model, given the model's settings.

    The name of a model from another package is its kind, because the package is not loaded.
    """
    return tuple(
        named(
            str(one.get("kind"))
            if any(foreign_kinds([one]))
            else model_from(one, where="the privacy requirements").name
        )
        for one in models
    )


def not_kept(
    k: int | None,
    models: Sequence[Mapping[str, Any]],
    smallest: int,
    certified: Sequence[Mapping[str, Any]],
) -> tuple[dict[str, Any], ...]:
    """Return the settings of the declared requirements that a release does not meet.

    `smallest` is the number of records, or people, in the smallest group of the release.
    `certified` lists the models in the certificate. A declared model that is not in this list was
    not checked.
    """
    kept = [model_from(one, where="the release").settings() for one in certified]
    declared = [model_from(one, where="the privacy requirements").settings() for one in models]
    enough = k is None or smallest >= k
    missing = [] if enough else [{"kind": "k-anonymity", "k": k}]
    return (*missing, *(one for one in declared if one not in kept))
