"""Privacy models as components of a combination of features."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from roadstead.capabilities import NOTHING, Component, Feature, Reason
from roadstead.privacy.combination import needs_population, takes_population
from roadstead.privacy.protocol import PrivacyModel

_NEEDS_POPULATION = {
    Feature.POPULATION: Reason(
        "a privacy model compares groups with a population, but no population is given",
        "give a table of the population with {population=FILE}",
    )
}


def model_parts(models: Iterable[PrivacyModel]) -> Iterator[Component]:
    """Yield one component per privacy model."""
    for model in models:
        yield Component(
            "privacy",
            model.name,
            "privacy",
            frozenset({Feature.PEOPLE_COMPARED} if takes_population([model]) else ()),
            _NEEDS_POPULATION if needs_population([model]) else {},
            getattr(model, "capabilities", NOTHING),
            instead="k-anonymity alone",
        )
