"""Read the settings that ARX stores only in serialized objects.

These are amounts of money, population sizes, and whether groups can have different levels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final

from roadstead.verbs.scan.arx.java_objects import JavaObject, java_objects

_ARX: Final = "org.deidentifier.arx."
_AMOUNTS: Final[Mapping[str, str]] = {
    "benefit": "publisherBenefit",
    "loss": "publisherLoss",
    "gain": "adversaryGain",
    "cost": "adversaryCost",
}
UNIQUENESS, ESTIMATED = "PopulationUniqueness", "KMap"
"""Names of ARX classes with a population size."""


@dataclass(frozen=True)
class StoredSettings:
    """The settings that Roadstead can read from the serialized object of a project.

    `amounts` contains the benefit, loss, gain, and cost, or is empty. `people` contains the size of
    the population for each ARX class of a privacy model.
    """

    amounts: Mapping[str, float] = field(default_factory=dict)
    people: Mapping[str, int] = field(default_factory=dict)

    def amounts_of(self, names: Iterable[str]) -> dict[str, float]:
        """Return the named amounts, or an empty dictionary if the amounts are unknown."""
        return {name: self.amounts[name] for name in names if name in self.amounts}


def stored_settings(stream: bytes) -> StoredSettings:
    """Read the serialized configuration of a project.

    The result is empty unless the stream contains exactly one configuration.
    """
    found = [one for one in java_objects(stream) if one.name == f"{_ARX}ARXConfiguration"]
    if len(found) != 1:
        return StoredSettings()
    (own,) = found
    people: dict[str, set[int]] = {}
    for kind, size in _sizes(own.fields.get("criteria")):
        people.setdefault(kind, set()).add(size)
    return StoredSettings(
        _amounts(own.fields.get("costBenefitConfiguration")),
        {kind: sizes.pop() for kind, sizes in people.items() if len(sizes) == 1},
    )


@dataclass(frozen=True)
class Transformation:
    """How ARX generalizes the records.

    `iterations` is the number of iterations if groups can have different levels, and None if all
    records have the same levels.
    """

    iterations: int | None


def stored_transformation(stream: bytes) -> Transformation | None:
    """Read how the project generalizes records, or return None if the stream does not say how."""
    objects = java_objects(stream)
    kinds = _of_class(objects, "ModelAnonymizationConfiguration")
    if len(kinds) != 1 or kinds[0].fields.get("transformationType") not in ("GLOBAL", "LOCAL"):
        return None
    if kinds[0].fields["transformationType"] == "GLOBAL":
        return Transformation(None)
    found = [one.fields.get("numIterations") for one in _of_class(objects, "ModelLocalRecoding")]
    numbers = [one for one in found if isinstance(one, int) and one > 0]
    return Transformation(numbers[0]) if len(numbers) == 1 else None


def _of_class(objects: Iterable[JavaObject], name: str) -> list[JavaObject]:
    return [one for one in objects if one.name == f"{_ARX}gui.model.{name}"]


def _amounts(costs: object) -> dict[str, float]:
    if not isinstance(costs, JavaObject):
        return {}
    found = {name: costs.fields.get(stated) for name, stated in _AMOUNTS.items()}
    valid = {name: one for name, one in found.items() if isinstance(one, float) and isfinite(one)}
    return valid if len(valid) == len(_AMOUNTS) else {}


def _sizes(criteria: object) -> Iterator[tuple[str, int]]:
    for one in criteria.content if isinstance(criteria, JavaObject) else ():
        kind = one.name.rpartition(".")[2] if isinstance(one, JavaObject) else ""
        size: Any = one
        for name in ("populationModel", "populationSize"):
            size = size.fields.get(name) if isinstance(size, JavaObject) else None
        number = size.fields.get("value") if isinstance(size, JavaObject) else None
        if kind in (UNIQUENESS, ESTIMATED) and isinstance(number, int) and number > 0:
            yield kind, number
