"""A made-up register of physicians, in place of the register of Ontario that paper 001 used.

The people in it are not real. It has the properties of the real register that the paper reports:
23,590 people, 5,349 postal codes, 70 years of graduation, two genders. The rest is made up to
resemble a register:

* Postal codes are Canadian, A1A 1A1 without the blank. The first letters are those of Ontario, and
  a third of the codes begin with its capital's M. A few hundred areas of three characters share the
  codes, some many and most few.
* People crowd where hospitals are: the code at place r has people in proportion to 1 / (r + 12), in
  addition to one person anywhere. A third of the codes have only one physician.
* The oldest years have few people, later years more and more, and the youngest are incomplete.
  Women are one in twenty of the oldest and half of the youngest.

Draws use divisions, comparisons, and one uniform number each, so that every machine makes the same
register from a seed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.mappings import ordered
from roadstead.hierarchies.numbers import intervals
from roadstead.hierarchies.prefixes import prefixes
from roadstead.tables.frequency import FrequencyTable

PEOPLE, CODES, YEARS = 23_590, 5_349, 70
LAST_YEAR = 2006
GENDERS = ("F", "M")
_LETTERS = "KLMNP"
_CODES_BY_LETTER = (0.17, 0.27, 0.33, 0.17, 0.06)
"""East, center, capital, southwest and north of Ontario."""
_IN_CODES = "ABCEGHJKLMNPRSTVWXYZ"
_AREAS = 510
_AREA_OFFSET = 25
"""The smaller, the more codes have the first areas."""
CROWDED, EVEN = 12, 10**9
"""The smaller, the more people have the first codes."""
_RISING, _COMING = 35, 8
"""Years over which classes grew, and over which the youngest are still coming in."""
_OLDEST_WOMEN, _YOUNGEST_WOMEN = 0.05, 0.50


@dataclass(frozen=True)
class Register:
    """The register's frequency table and hierarchies."""

    table: FrequencyTable
    hierarchies: tuple[Hierarchy, ...]


def register(
    seed: int,
    *,
    people: int = PEOPLE,
    codes: int = CODES,
    years: int = YEARS,
    offset: int = CROWDED,
) -> Register:
    """Make up a register in which every code and every year occurs.

    Parameters
    ----------
    seed
        Of all random choices.
    people
        At least as many as there are codes and years.
    codes, years
        How many different ones.
    offset
        How evenly people are spread over codes: `CROWDED`, or `EVEN`, or between.
    """
    chance = np.random.default_rng(seed)
    names = _postal_codes(chance, codes)
    place = np.concatenate([np.arange(codes), _spread(chance, codes, people - codes, offset)])
    code = chance.permutation(codes)[place]
    year = np.concatenate([np.arange(years), _years(chance, years, people - years)])
    year = year[chance.permutation(people)]
    women = _OLDEST_WOMEN + (_YOUNGEST_WOMEN - _OLDEST_WOMEN) * year / max(1, years - 1)
    gender = (chance.random(people) >= women).astype(np.int64)
    told = tuple(str(LAST_YEAR - years + 1 + i) for i in range(years))
    everyone = FrequencyTable(
        attributes=("postal code", "graduation year", "gender"),
        domains=(names, told, GENDERS),
        codes=tuple(own.astype(np.int32) for own in (code, year, gender)),
        counts=np.ones(people, dtype=np.int64),
    )
    return Register(
        everyone.project(everyone.attributes),
        (
            prefixes("postal code", names, (5, 4, 3, 2, 1)),
            intervals("graduation year", told, (5, 10, 20)),
            ordered("gender", GENDERS, ()),
        ),
    )


def _postal_codes(chance: np.random.Generator, number: int) -> tuple[str, ...]:
    """Make up postal codes, in areas some of which have many; sorted."""
    areas: dict[str, None] = {}
    edges = np.cumsum(_CODES_BY_LETTER)
    while len(areas) < _AREAS:
        letter = _LETTERS[int(np.searchsorted(edges, chance.random() * edges[-1], side="right"))]
        areas[f"{letter}{chance.integers(10)}{_letter(chance)}"] = None
    names = list(areas)
    found: dict[str, None] = {}
    while len(found) < number:
        area = names[int(_spread(chance, _AREAS, 1, _AREA_OFFSET)[0])]
        found[f"{area}{chance.integers(10)}{_letter(chance)}{chance.integers(10)}"] = None
    return tuple(sorted(found))


def _letter(chance: np.random.Generator) -> str:
    return _IN_CODES[int(chance.integers(len(_IN_CODES)))]


def _spread(
    chance: np.random.Generator, places: int, number: int, offset: int
) -> NDArray[np.int64]:
    """Put people at places, the one at rank r getting a share in proportion to 1 / (r + offset)."""
    edges = np.cumsum(1.0 / (np.arange(places) + float(offset)))
    ranks = np.searchsorted(edges, chance.random(number) * edges[-1], side="right")
    return np.asarray(ranks, dtype=np.int64)


def _years(chance: np.random.Generator, years: int, number: int) -> NDArray[np.int64]:
    """Choose years of graduation, counted from the oldest."""
    since = np.arange(years)
    weights = np.minimum(1.0, (since + 1.0) / _RISING)
    weights = weights * np.minimum(1.0, (years - since) / (_COMING + 1.0))
    edges = np.cumsum(weights)
    found = np.searchsorted(edges, chance.random(number) * edges[-1], side="right")
    return np.asarray(found, dtype=np.int64)
