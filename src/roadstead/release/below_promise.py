"""A release that keeps less than was declared, and why it was released all the same.

A promise is declared before anything is searched: a k, and models. A point of a frontier, or what
was tried on the page with a smaller k, may keep less. It is released only with a reason, which the
certificate keeps next to what was declared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.errors import PolicyError
from roadstead.printable import named
from roadstead.privacy.settings import model_from
from roadstead.reasons import Reason
from roadstead.release.documents import STRICT
from roadstead.release.plugins import foreign_kinds


@checked_dataclass(frozen=True, config=STRICT)
class BelowPromise:
    """What was declared and is not kept, as settings of models, and why it left all the same."""

    declared: Annotated[tuple[dict[str, Any], ...], Field(min_length=1)]
    reason: Reason

    def __post_init__(self) -> None:
        """Refuse settings that are of no model, which a document may have."""
        try:
            names_of(self.declared)
        except PolicyError as error:
            raise ValueError(error.what) from None

    @property
    def names(self) -> tuple[str, ...]:
        """What was declared, by name."""
        return names_of(self.declared)


def names_of(models: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the name of each model by its settings.

    A model of another package is called by its kind, because nothing of that package is loaded.
    """
    return tuple(
        named(
            str(one.get("kind"))
            if any(foreign_kinds([one]))
            else model_from(one, where="the promise").name
        )
        for one in models
    )


def not_kept(
    k: int | None,
    models: Sequence[Mapping[str, Any]],
    smallest: int,
    certified: Sequence[Mapping[str, Any]],
) -> tuple[dict[str, Any], ...]:
    """Return the settings of what was declared and is not kept by a release.

    `smallest`: the records, or people, of its smallest group. `certified`: the models that its
    certificate promises; a declared model that is not among them was not checked.
    """
    kept = [model_from(one, where="the release").settings() for one in certified]
    declared = [model_from(one, where="the promise").settings() for one in models]
    enough = k is None or smallest >= k
    missing = [] if enough else [{"kind": "k-anonymity", "k": k}]
    return (*missing, *(one for one in declared if one not in kept))
