"""The population of Tennessee in 2000 by age, sex, race, and ZIP code, estimated from margins.

The estimate replaces tables PCT12A-G of the Census of 2000, which papers 004 and 000 use. People by
age and sex are matched at random with people by race and ZIP code
(:mod:`roadstead_reproductions.census`), so both margins are kept exactly. In the estimate, age and
sex are independent of race and ZIP code.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.populations import estimate_population
from roadstead_reproductions.census import ages_and_sexes, races_and_zips, state_counts

LABEL: Final = (
    "The population is an estimate. People of Tennessee in 2000 by age and sex were matched at "
    "random with the same people by race and ZIP code (areas of 2010), because the census tables "
    "PCT12A-G that the papers used are not available by ZIP code."
)
"""A note for reports of figures that were measured against this population."""


def tennessee_population(seed: int) -> FrequencyTable:
    """Estimate the number of people of each age (0 to 120), sex, race, and ZIP code.

    The table contains 5,689,283 people, and :data:`LABEL` must be displayed with every figure. The
    function raises a SourceError if census files are missing.
    """
    chance = np.random.default_rng((seed, 2000))
    state = state_counts()
    margins = [ages_and_sexes(state), races_and_zips(state, chance)]
    return estimate_population(margins, seed, ("age and sex", "race and ZIP code")).table
