"""A made-up register of physicians, which replaces the register of Ontario in paper 001.

The people are not real. The register has the reported properties of the real register: 23,590
people, 5,349 postal codes, 70 years of graduation, and two genders. The rest is made up:

* Postal codes are Canadian, A1A 1A1 without the blank. The first letters are those of Ontario, and
  a third of the codes begin with M, the letter of the capital. The codes are in a few hundred areas
  of three characters. Some areas have many codes, and most have few.
* Many people are at the same code if the code has a hospital. The number of people at the code of
rank r is proportional to 1 / (r + 12), in addition to one person at each code. A third of the codes
  have only one physician.
* Early years have few people, later years have more, and the last years are incomplete. The share
  of women rises from one in twenty to one half.

Draws use only divisions, comparisons, and one uniform number each, so that the same seed gives the
same register on every machine.
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
"""The east, center, capital, southwest, and north of Ontario."""
_IN_CODES = "ABCEGHJKLMNPRSTVWXYZ"
_AREAS = 510
_AREA_OFFSET = 25
"""A parameter for areas: a smaller number puts more codes into the first areas."""
CROWDED, EVEN = 12, 10**9
"""A parameter for codes: a smaller number puts more people at the first codes."""
_RISING, _COMING = 35, 8
"""The years over which classes grew, and the last years, which are still incomplete."""
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
    """Create a register in which every code and every year occurs.

    `people` must be at least the number of codes and at least the number of years. `offset`
    determines how evenly people are distributed over codes: `CROWDED`, `EVEN`, or a number in
    between.
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
    """Create sorted postal codes in areas of different sizes."""
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
    """Draw a place for each person, with probability proportional to 1 / (rank + offset)."""
    edges = np.cumsum(1.0 / (np.arange(places) + float(offset)))
    ranks = np.searchsorted(edges, chance.random(number) * edges[-1], side="right")
    return np.asarray(ranks, dtype=np.int64)


def _years(chance: np.random.Generator, years: int, number: int) -> NDArray[np.int64]:
    """Draw years of graduation, counted from the first year."""
    since = np.arange(years)
    weights = np.minimum(1.0, (since + 1.0) / _RISING)
    weights = weights * np.minimum(1.0, (years - since) / (_COMING + 1.0))
    edges = np.cumsum(weights)
    found = np.searchsorted(edges, chance.random(number) * edges[-1], side="right")
    return np.asarray(found, dtype=np.int64)
