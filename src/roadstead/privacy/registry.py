"""The privacy models by kind, and where each was published."""

from __future__ import annotations

from roadstead.publications import Publication
from roadstead.registry import classes_in

PRIVACY_MODELS = classes_in(
    "roadstead.privacy.models", "kind", "roadstead.privacy_models", default="k-anonymity"
)
"""The models by kind."""

MADE_FOR_PERSONS = ("person-anonymity", "values-of-persons")
"""Kinds of models that Roadstead creates when it counts people; you cannot specify them by name."""


def sources_of(kind: str) -> tuple[str | Publication, ...]:
    """Return the publications of a kind of model: known publications by key, or publications."""
    sources: tuple[str | Publication, ...] = getattr(PRIVACY_MODELS.get(kind), "sources", ())
    return sources
