"""The published optima of paper 003, found again on the real tables.

Quality is one minus the loss. Levels are in the order of the columns of each table; attributes
join in the order the paper added them in. Where no more than so many evaluations are allowed, that
is what an early prototype of this search needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf
from pathlib import Path

import pytest
from diving import diving, short_of_memory

from roadstead.hierarchies.arx_csv import find_hierarchies, read_hierarchy
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.policies.classes import classes_at
from roadstead.policies.encoding import Encoding, encode
from roadstead.policies.full_domain import Levels, full_domain
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.quality.aggregates import GeometricMean
from roadstead.quality.models.loss import Loss
from roadstead.search.evaluation import FullDomainProblem, evaluate, start
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control, Outcome
from roadstead.tables.frequency import FrequencyTable, summarize
from roadstead.tables.reading import read


@dataclass(frozen=True)
class DataSet:
    """Where a table and its hierarchies lie, and in which order its attributes join."""

    file: str
    hierarchies: str
    columns: tuple[str, ...]
    order: tuple[str, ...]

    def first(self, number: int) -> tuple[str, ...]:
        """Name the attributes that join first, in the order of the columns."""
        return tuple(column for column in self.columns if column in self.order[:number])


def names(text: str) -> tuple[str, ...]:
    """Split names at blanks."""
    return tuple(text.split())


ADULT = DataSet(
    "adult/adult.csv",
    "adult/hierarchies_2016_paper",
    names("sex age race marital-status education native-country workclass occupation salary-class"),
    names("age education marital-status native-country race salary-class sex workclass occupation"),
)
ADULT_TODAY = DataSet(ADULT.file, "adult/hierarchies", ADULT.columns, ADULT.order)
CUP = DataSet(
    "cup/cup.csv.gz",
    "cup/hierarchies",
    names("ZIP AGE GENDER INCOME STATE RAMNTALL NGIFTALL MINRAMNT"),
    names("AGE GENDER INCOME MINRAMNT NGIFTALL STATE ZIP RAMNTALL"),
)
FARS = DataSet(
    "fars/fars.csv.gz",
    "fars/hierarchies",
    names("iage irace ideathmon ideathday isex ihispanic istatenum iinjury"),
    names("iage ideathday ideathmon ihispanic iinjury irace isex istatenum"),
)

Encode = Callable[[DataSet, Sequence[str]], Encoding]


@pytest.fixture(scope="module")
def encoded(data_dir: Path) -> Encode:
    """Read tables and hierarchies with the project's own readers, each once."""

    @cache
    def table_of(file: str, columns: tuple[str, ...]) -> FrequencyTable:
        with read(data_dir / file) as source:
            return summarize(source, columns)

    @cache
    def hierarchy_of(folder: str, attribute: str) -> Hierarchy:
        found = find_hierarchies(data_dir / folder, [attribute])
        return read_hierarchy(found[attribute], attribute)

    def encoded(data: DataSet, attributes: Sequence[str]) -> Encoding:
        table = table_of(data.file, data.columns).project(attributes)
        return encode(table, [hierarchy_of(data.hierarchies, name) for name in attributes])

    return encoded


def problem(encoding: Encoding, *, k: int = 5, percent: int = 5) -> FullDomainProblem:
    """k-anonymity, so many percent suppressed at most, geometric mean."""
    return FullDomainProblem(
        encoding=encoding,
        space=full_domain(encoding.hierarchies),
        privacy=KAnonymity(k),
        quality=Loss(GeometricMean()).bind(encoding),
        limit=percent * encoding.records // 100,
    )


def check(outcome: Outcome[Levels], quality: float, levels: Sequence[int], suppressed: int) -> None:
    """Same policy, same records, same quality to the last digits, and proven."""
    assert outcome.best is not None
    assert outcome.best.policy == tuple(levels)
    assert outcome.best.suppressed == suppressed
    assert 1.0 - outcome.best.loss == pytest.approx(quality, rel=0, abs=1e-14)
    assert outcome.optimal
    assert outcome.lower_bound == outcome.best.loss


@dataclass(frozen=True)
class Published:
    """A row of the published table, and the evaluations that the prototype needed."""

    data: DataSet
    number: int
    quality: float
    levels: Levels
    suppressed: int
    policies: int
    evaluations: float = inf

    def __str__(self) -> str:
        return f"{self.data.file.partition('/')[0]}-{self.number}"


PUBLISHED = [
    Published(ADULT, 3, 0.9589917129013221, (1, 0, 0), 847, 60, 10),
    Published(ADULT, 4, 0.8801818030123745, (2, 0, 0, 1), 1112, 180, 17),
    Published(ADULT, 5, 0.869744724488194, (3, 0, 0, 0, 1), 1411, 360, 18),
    Published(ADULT, 6, 0.8699319038417452, (2, 0, 0, 1, 1, 0), 1390, 720, 32),
    Published(ADULT, 7, 0.8674315517457727, (0, 3, 0, 0, 1, 1, 0), 1449, 1440, 45),
    Published(ADULT, 8, 0.8288350057809766, (0, 3, 0, 0, 2, 1, 1, 0), 1383, 4320, 100),
    Published(ADULT, 9, 0.7570844289429579, (0, 3, 0, 0, 2, 1, 1, 2, 0), 1383, 12960, 359),
    Published(CUP, 3, 0.9826641704214456, (1, 0, 0), 260, 30),
    Published(CUP, 4, 0.9406215210080544, (2, 0, 0, 0), 2422, 150),
    Published(CUP, 5, 0.9218406352334123, (1, 0, 0, 1, 1), 878, 750),
    Published(CUP, 6, 0.8723318416408845, (3, 0, 0, 0, 2, 1), 2488, 1500),
    Published(CUP, 7, 0.8712033847775258, (4, 3, 0, 0, 0, 2, 1), 2491, 9000),
    Published(CUP, 8, 0.8603106390825048, (4, 3, 0, 0, 0, 1, 2, 1), 2578, 45000, 118),
    Published(FARS, 3, 0.9520693164893594, (2, 0, 0), 1921, 96),
    Published(FARS, 4, 0.9029144224083259, (2, 0, 1, 0), 2086, 288),
    Published(FARS, 5, 0.9185494747167227, (2, 0, 1, 0, 0), 2096, 864),
    Published(FARS, 6, 0.9042146344687654, (2, 0, 0, 1, 0, 0), 4701, 2592),
    Published(FARS, 7, 0.8985293682610245, (3, 0, 0, 1, 0, 0, 0), 4711, 5184),
    Published(FARS, 8, 0.8460101233152582, (3, 0, 1, 1, 0, 0, 2, 0), 4597, 20736, 247),
]


@pytest.mark.quick(3)
@pytest.mark.parametrize("row", PUBLISHED, ids=str)
def test_the_published_optimum_is_found(encoded: Encode, row: Published) -> None:
    """K = 5, 5% suppression, by the number of quasi-identifiers."""
    given = problem(encoded(row.data, row.data.first(row.number)))
    assert given.space.size == row.policies
    outcome = Exact().run(given, Control())
    check(outcome, row.quality, row.levels, row.suppressed)
    assert outcome.evaluated <= row.evaluations


@pytest.mark.parametrize(
    ("number", "quality", "levels"), [(1, 0.9997679199, [0]), (2, 0.9795769512, [0, 0])]
)
def test_one_and_two_quasi_identifiers_are_searched_too(
    encoded: Encode, number: int, quality: float, levels: list[int]
) -> None:
    """Adult's age alone, and with education."""
    outcome = Exact().run(problem(encoded(ADULT, ADULT.first(number))), Control())
    assert outcome.best is not None
    assert outcome.best.policy == tuple(levels)
    assert 1.0 - outcome.best.loss == pytest.approx(quality, rel=0, abs=1e-10)


@pytest.mark.parametrize(
    ("k", "percent", "quality", "levels", "suppressed"),
    [
        (2, 5, 0.8297754126876287, [0, 3, 0, 0, 1, 1, 1, 1, 0], 1393),
        (100, 5, 0.5304308935984157, [0, 4, 0, 2, 3, 1, 1, 2, 0], 1481),
        (5, 0, 0.42684903444099564, [0, 4, 1, 1, 3, 2, 2, 1, 0], 0),
        (5, 100, 0.778713255440429, [0, 3, 0, 0, 2, 1, 1, 1, 0], 2584),
    ],
)
def test_other_k_and_limits_give_the_policies_that_another_tool_finds(
    encoded: Encode, k: int, percent: int, quality: float, levels: list[int], suppressed: int
) -> None:
    """Adult with all nine quasi-identifiers."""
    given = problem(encoded(ADULT, ADULT.columns), k=k, percent=percent)
    check(Exact().run(given, Control()), quality, levels, suppressed)


def test_a_country_spelled_right_changes_the_figures_not_the_policy(encoded: Encode) -> None:
    """The published hierarchy had England in a group of its own."""
    outcome = Exact().run(problem(encoded(ADULT_TODAY, ADULT.columns)), Control())
    assert outcome.best is not None
    assert outcome.best.policy == (0, 3, 0, 0, 2, 1, 1, 2, 0)
    assert outcome.best.suppressed == 1346
    assert 1.0 - outcome.best.loss == pytest.approx(0.7580676349, rel=0, abs=1e-10)


def test_the_loss_of_each_attribute_is_the_published_one(encoded: Encode) -> None:
    """Adult with all nine at the optimum, in units of 1e-8 as printed."""
    given = problem(encoded(ADULT, ADULT.columns))
    levels = (0, 3, 0, 0, 2, 1, 1, 2, 0)
    found = evaluate(given, levels, start(given))
    losses = given.quality.loss_by_attribute(levels, found.tally, found.kept)
    published = [0.0458524, 0.22897163, 0.0458524, 0.0458524, 0.39696528]
    published += [0.30697318, 0.318466, 1.0, 0.0458524]
    assert losses == pytest.approx(published, rel=0, abs=1e-8)


def test_the_data_as_they_are_would_lose_most_records(encoded: Encode) -> None:
    """The bottom of the lattice is far from admissible."""
    given = problem(encoded(ADULT, ADULT.columns), percent=100)
    bottom = evaluate(given, given.space.bottom, start(given)).candidate
    assert bottom is not None
    assert bottom.suppressed == 23_470
    assert 1.0 - bottom.loss == pytest.approx(0.2219, abs=5e-5)


@pytest.mark.parametrize(
    ("attributes", "levels", "records"),
    [
        (names("sex age race"), (0, 0, 0), 425),
        (ADULT.columns, (0, 3, 0, 0, 2, 1, 1, 1, 0), 2553),
    ],
)
def test_as_many_records_are_in_small_classes_as_two_other_tools_count(
    encoded: Encode, attributes: tuple[str, ...], levels: Levels, records: int
) -> None:
    """Classes below five, by tools that share no code."""
    sizes = classes_at(encoded(ADULT_TODAY, attributes), levels).sizes
    assert int(sizes[sizes < 5].sum()) == records


def test_short_of_memory_the_same_is_found(encoded: Encode) -> None:
    """Classes of waiting sublattices are forgotten and worked out again."""
    given = problem(encoded(ADULT, ADULT.first(8)))
    usual = Exact().run(given, Control())
    with short_of_memory():
        scarce = Exact().run(given, Control())
    assert (scarce.best, scarce.evaluated) == (usual.best, usual.evaluated)


@pytest.mark.quick(1)
@pytest.mark.parametrize("data", [ADULT, CUP, FARS], ids=["adult", "cup", "fars"])
def test_two_dives_side_by_side_find_the_same(encoded: Encode, data: DataSet) -> None:
    """By another way, and each time by the same."""
    given = problem(encoded(data, data.columns))
    alone = Exact().run(given, Control())
    with diving(2):
        alongside, again = Exact().run(given, Control()), Exact().run(given, Control())
    assert alongside.best == alone.best
    assert alongside.optimal
    assert alongside.evaluated == again.evaluated
