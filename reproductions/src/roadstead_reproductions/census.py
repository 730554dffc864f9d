"""Marginal counts of the people of Tennessee in the Census of 2000, from public files.

Papers 004 and 000 measure risk against tables PCT12A-G of the Census of 2000: people by age, sex,
race, and ZIP code. Only margins of these tables are still available by ZIP code. All margins are
scaled to the same number of people, the census count of 5,689,283.

- **Age and sex.** The base of the intercensal estimates has single years up to 84. Later
corrections added 144 people, so the 2,770,311 men and 2,919,116 women of the base are scaled to the
census's 2,770,275 and 2,919,008. :func:`ages_of_the_old` distributes people of 85 and older over
the ages
  85 to 120.
- **ZIP codes.** The counts of people in the Tennessee part of each ZIP code tabulation area of 2010
  are scaled.
- **Race by ZIP code.** The table of the adults of 2010 is fitted to the people of each ZIP code and
  to the seven counts of the state in 2000. The adults are counted by race or as Hispanic. Hispanic
  adults are assigned the races that Hispanic people in the state had in 2000. Asians and Pacific
  Islanders are divided in the same way. One person with average shares of the races is added to
  each ZIP code, so that no count is 0.

Shares are rounded to whole numbers by the largest remainders. For race by ZIP code, the fit is
rounded down, and the remaining people are matched at random.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from roadstead.cohort.people import POPULATION
from roadstead.errors import SourceError
from roadstead.tables.fitting import Floats, proportional_fit
from roadstead.tables.frequency import FrequencyTable, canonical
from roadstead.tables.populations import matched
from roadstead_reproductions.datasets import UNFETCHABLE, data_set

Integers = NDArray[np.int64]

SEXES: Final = ("Male", "Female")
RACES: Final = (
    "White",
    "Black or African American",
    "American Indian and Alaska Native",
    "Asian",
    "Native Hawaiian and Other Pacific Islander",
    "Some other race",
    "Two or more races",
)
"""The races, in the order of tables PCT12A to PCT12G."""
AGES: Final = tuple(str(age) for age in range(121))

_STATE: Final = "47"
_OPEN: Final = 85
"""The first age of the last group. The state has one count for all people of this age and over."""
_TRACT_RACES: Final = (*("white", "black", "ameri.es", "asian", "hawn.pi", "other", "mult.race"),)
_TRACT_NOT_HISPANICS: Final = (
    *("nh.white", "nh.black", "nh.ameri.es", "nh.asian", "nh.hawn.pi", "nh.other"),
)
_ADULTS: Final = (
    *("NH_White_alone", "NH_Black_alone", "NH_AIAN_alone", "NH_API_alone"),
    *("NH_Other_alone", "NH_Mult_Total", "Hispanic_Total"),
)


@dataclass(frozen=True, eq=False)
class State:
    """Counts for the state in 2000, which are sums over its tracts.

    `sexes` contains the numbers of men and women, and `races` contains the number of people of each
    race. `not_hispanic` contains the number of people of each race who are not Hispanic.
    """

    sexes: Integers = field(repr=False)
    races: Integers = field(repr=False)
    not_hispanic: Integers = field(repr=False)

    @property
    def hispanic(self) -> Integers:
        """Return the number of Hispanic people of each race."""
        return np.asarray(self.races - self.not_hispanic, dtype=np.int64)


def state_counts() -> State:
    """Add up the counts of the tracts."""
    wanted = ("males", "females", *_TRACT_RACES, "not.hispanic.t", *_TRACT_NOT_HISPANICS)
    rows = list(_rows("tn_tract_sf1_2000.csv.gz", wanted))
    sums = np.array([[float(cell) for cell in row] for row in rows]).sum(axis=0).astype(np.int64)
    everyone, by_race = sums[9], sums[10:]  # all other people have two or more races
    not_hispanic = np.append(by_race, everyone - by_race.sum())
    return State(sums[:2], sums[2:9], not_hispanic)


def ages_and_sexes(state: State) -> FrequencyTable:
    """Return the number of people in the state by sex and by single year of age from 0 to 120."""
    counts = np.zeros((2, _OPEN + 1), dtype=np.int64)
    wanted = ("STATE", "SEX", "AGE", "ESTIMATESBASE2000")
    for number, sex, age, people in _rows("st-est00int-agesex.csv.gz", wanted):
        if number == _STATE and sex in ("1", "2") and int(age) <= _OPEN:
            counts[int(sex) - 1, int(age)] = int(people)
    columns = []
    for which, everyone in enumerate(state.sexes.tolist()):
        own = largest_remainders(counts[which], everyone)
        columns.append(np.append(own[:_OPEN], ages_of_the_old(int(own[_OPEN]), which)))
    return _table(("age", "sex"), (AGES, SEXES), np.stack(columns, axis=1))


def ages_of_the_old(people: int, sex: int) -> Integers:
    """Distribute the men (0) or women (1) of 85 and older over the ages 85 to 120.

    Up to age 103, the numbers are proportional to the numbers of people of the same sex in the
    nation (census of 2010, see :mod:`roadstead.cohort.people`). Above 103, each number is about two
    thirds of the previous number, which is the ratio of 103 to 102. Each age has at least one
    person, so that the population reaches 120, as in the papers.
    """
    nation = POPULATION[1 - sex, _OPEN:].astype(np.float64)
    ratio = nation[-1] / nation[-2]
    further = nation[-1] * ratio ** np.arange(1, len(AGES) - _OPEN - nation.size + 1)
    shape = np.concatenate([nation, further])
    return np.asarray(1 + largest_remainders(shape, people - shape.size))


def races_and_zips(state: State, chance: np.random.Generator) -> FrequencyTable:
    """Return the number of people in the state by race and ZIP code. Only rounding is random."""
    living = _people_by_zip()
    zips = tuple(living)
    people = largest_remainders(np.array(list(living.values())), int(state.races.sum()))
    shape = _shape_of_races(state, zips)
    margins = [((0,), state.races), ((1,), people)]
    fit = proportional_fit(shape, margins)[0]
    whole = np.floor(fit).astype(np.int64)
    # The remaining people are matched at random, which keeps both margins.
    left = [counts - whole.sum(axis=1 - axis) for (axis,), counts in margins]
    by_race = _table(("race",), (RACES,), left[0])
    pairs = matched(by_race, _table(("zip",), (zips,), left[1]), chance)
    order = np.array([RACES.index(race) for race in pairs.domains[0]])
    whole[order[pairs.codes[0]], pairs.codes[1]] += pairs.counts
    return _table(("race", "zip"), (RACES, zips), whole)


def largest_remainders(shares: NDArray[np.float64] | Integers, total: int) -> Integers:
    """Divide a number of people in proportion to shares by Hamilton's method.

    Each share first gets its whole part. The shares with the largest remainders then get one more
    person each. In a tie, earlier shares come first.
    """
    due = shares * (total / shares.sum())
    whole = np.floor(due).astype(np.int64)
    left = total - int(whole.sum())
    whole[np.argsort(whole - due, kind="stable")[:left]] += 1
    return np.asarray(whole, dtype=np.int64)


def _people_by_zip() -> dict[str, float]:
    """Return the number of people in the Tennessee part of each ZIP code in 2010."""
    found: dict[str, float] = {}
    wanted = ("zcta5", "state", "poppt")
    for code, state, people in _rows("zcta_county_rel_2010.csv.gz", wanted):
        if state == _STATE and float(people) > 0:
            found[code] = found.get(code, 0.0) + float(people)
    return dict(sorted(found.items()))


def _shape_of_races(state: State, zips: Sequence[str]) -> Floats:
    """Return the adults of 2010 by race and ZIP code, adjusted so that no count is 0."""
    adults = np.zeros((len(zips), len(_ADULTS)))
    place = {code: row for row, code in enumerate(zips)}
    for code, *counts in _rows("zcta_race_18plus_2010.csv.gz", ("ZCTA5", *_ADULTS)):
        if code in place:
            adults[place[code]] = [float(count) for count in counts]
    white, black, native, asian_or_islander, other, two, hispanic = adults.T
    islanders = state.not_hispanic[4] / (state.not_hispanic[3] + state.not_hispanic[4])
    asian, islander = asian_or_islander * (1 - islanders), asian_or_islander * islanders
    alone = np.stack([white, black, native, asian, islander, other, two])
    of_hispanics = state.hispanic / state.hispanic.sum()
    average = state.races / state.races.sum()
    shape: Floats = alone + of_hispanics[:, None] * hispanic + average[:, None]
    return shape


def _table(
    attributes: tuple[str, ...], values: tuple[tuple[str, ...], ...], counts: Integers
) -> FrequencyTable:
    """Convert a dense array to a table with domains in code-point order."""
    places = np.nonzero(counts)
    domains, codes = [], []
    for own, place in zip(values, places, strict=True):
        domain = tuple(sorted(own))
        rank = {value: code for code, value in enumerate(domain)}
        domains.append(domain)
        codes.append(np.array([rank[value] for value in own], dtype=np.int32)[place])
    return canonical(attributes, tuple(domains), codes, counts[places])[0]


def _rows(name: str, wanted: Sequence[str]) -> Iterator[list[str]]:
    """Read the requested columns of a census file."""
    path = Path(data_set("census")) / name
    if not path.is_file():
        raise SourceError(
            "the file does not exist", where=f"census/{name}", fix=UNFETCHABLE["census"][1]
        )
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        rows = csv.reader(stream)
        header = next(rows, [])
        missing = [column for column in wanted if column not in header]
        if missing:
            raise SourceError(
                f"it does not have the column {missing[0]!r}",
                where=f"census/{name}",
                fix="get the file again",
            )
        places = [header.index(column) for column in wanted]
        for number, row in enumerate(rows, start=2):
            if len(row) != len(header):
                raise SourceError(
                    f"this record has {len(row)} cells, the header has {len(header)}",
                    where=f"census/{name}, line {number}",
                    fix="get the file again",
                )
            yield [row[place] for place in places]
