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

from roadstead.printable import named
from roadstead.privacy.settings import model_from
from roadstead.reasons import Reason
from roadstead.release.documents import STRICT


@checked_dataclass(frozen=True, config=STRICT)
class BelowPromise:
    """What was declared and is not kept, and why the release was made all the same."""

    declared: Annotated[tuple[Reason, ...], Field(min_length=1)]
    reason: Reason


def not_kept(
    k: int | None,
    models: Sequence[Mapping[str, Any]],
    smallest: int,
    certified: Sequence[Mapping[str, Any]],
) -> tuple[str, ...]:
    """Name what was declared and is not kept by a release.

    `smallest`: the records, or people, of its smallest group. `certified`: the models that its
    certificate promises; a declared model that is not among them was not checked.
    """
    kept = [model_from(dict(one), where="the release").settings() for one in certified]
    own = [model_from(dict(one), where="the promise") for one in models]
    missing = [named(one.name) for one in own if one.settings() not in kept]
    enough = k is None or smallest >= k
    return (*([] if enough else [f"{k}-anonymity"]), *missing)
