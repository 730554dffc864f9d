"""List the models and searches from other packages that a release uses.

Roadstead cannot know what a model from another package checks. To use the model, Roadstead must run
code that the release names. So a certificate lists the package and version of each such model or
search. The release fails verification until the recipient allows the package by name. Until then,
nothing from the package is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal

from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.policies.json_document import STRICT
from roadstead.privacy.registry import PRIVACY_MODELS
from roadstead.quality.words import QUALITY_MODELS
from roadstead.registry import Plugin, Registry
from roadstead.search.recoding.registry import RECODINGS
from roadstead.search.registry import FRONTIERS, LEVELS, PARTITIONS, THRESHOLDS

_SEARCHES: tuple[Registry[Any], ...] = (
    LEVELS,
    PARTITIONS,
    FRONTIERS,
    THRESHOLDS,
    *RECODINGS.values(),
)


@checked_dataclass(frozen=True, config=STRICT)
class CertifiedPlugin:
    """A model or a search from another package."""

    kind: Literal["privacy model", "quality model", "search"]
    name: str
    package: str
    version: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name} of the package {self.package} {self.version}"


def plugins_of(
    privacy: Sequence[Mapping[str, Any]],
    loss: Mapping[str, Any] | None,
    search: Mapping[str, Any] | None,
) -> tuple[CertifiedPlugin, ...] | None:
    """Return the models and searches from other packages that a release uses, or None."""
    found: list[tuple[Literal["privacy model", "quality model", "search"], Plugin | None]] = [
        *(("privacy model", PRIVACY_MODELS.plugin(kind)) for kind in foreign_kinds(privacy)),
        ("quality model", QUALITY_MODELS.plugin(str((loss or {}).get("kind")))),
        *(("search", known.plugin(str((search or {}).get("name")))) for known in _SEARCHES),
    ]
    listed = [CertifiedPlugin(kind, **asdict(own)) for kind, own in found if own is not None]
    return tuple(dict.fromkeys(listed)) or None


def foreign_kinds(settings: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the kinds of models from other packages, including nested models."""
    for one in settings:
        kind, inner = one.get("kind"), one.get("model")
        if kind not in PRIVACY_MODELS.own:
            yield str(kind)
        if isinstance(inner, Mapping):
            yield from foreign_kinds([inner])
