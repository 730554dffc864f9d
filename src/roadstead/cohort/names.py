"""Names: first names by sex, last names by race.

First names: U.S. Census Bureau, "Frequently Occurring Surnames from Census 1990 - Names Files",
files dist.female.first and dist.male.first: the fifty most frequent with their share in percent.
Last names: "Frequently Occurring Surnames from the 2010 Census": the most frequent with the number
of people who bear them and the share of each race among those. Both are in the public domain.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from roadstead.cohort.draws import Floats, Indices, Table
from roadstead.cohort.figures import rows_of
from roadstead.cohort.people import SEXES

_FIRST: Final = rows_of("first_names.csv")
_LAST: Final = rows_of("last_names.csv")

FIRST_NAMES: Final = np.array([name for _, name, _ in _FIRST])
LAST_NAMES: Final = np.array([name for name, *_ in _LAST])

_FIRST_BY_SEX: Final = Table(
    np.array([[float(share) * (sex == own) for sex, _, share in _FIRST] for own in SEXES])
)
_BEARERS: Final = np.array([float(bearers) for _, bearers, *_ in _LAST])
_RACE_SHARES: Final = np.array([[float(share) for share in shares] for _, _, *shares in _LAST])
_LAST_BY_RACE: Final = Table((_BEARERS[:, None] * _RACE_SHARES).T)


def full_names(sex: Indices, race: Indices, first: Floats, last: Floats) -> list[str]:
    """Draw "First Last" of positions in `people.SEXES` and `places.RACES`, by uniform numbers."""
    first_names = FIRST_NAMES[_FIRST_BY_SEX.draw(first, sex)].tolist()
    last_names = LAST_NAMES[_LAST_BY_RACE.draw(last, race)].tolist()
    return [f"{one} {other}" for one, other in zip(first_names, last_names, strict=True)]
