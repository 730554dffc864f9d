"""The privacy models, listed by kind, and their publications."""

from __future__ import annotations

from roadstead.publications import Publication
from roadstead.registry import classes_in

PRIVACY_MODELS = classes_in(
    "roadstead.privacy.models", "kind", "roadstead.privacy_models", default="k-anonymity"
)
"""The privacy models by kind."""

MADE_FOR_PERSONS = ("person-anonymity", "values-of-persons")
"""The kinds of models that only Roadstead, not a user, can create, in order to count people."""


def sources_of(kind: str) -> tuple[str | Publication, ...]:
    """Return the publications of a kind of model."""
    sources: tuple[str | Publication, ...] = getattr(PRIVACY_MODELS.get(kind), "sources", ())
    return sources
