"""The frontier of a table: every point is the result of its policy, counted in plain Python."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property
from itertools import pairwise
from math import fsum, log, prod
from typing import Any, TypeAlias

import pyarrow as pa
import pytest

from roadstead.errors import SettingError
from roadstead.jobs import Observer
from roadstead.verbs.frontier.request import FrontierRequest
from roadstead.verbs.frontier.result import FrontierFinding
from roadstead.verbs.functions import frontier

Row: TypeAlias = tuple[str, ...]
NAMES = ("age", "sex", "zip")
ZIPS = ("02139", "02140", "03601", "03602", "59001")
PEOPLE = {"02139": 30_000, "02140": 9_000, "03601": 12_000, "03602": 8_000, "59001": 21_000}
"""Among the areas 021, 036, and 590, only 036 has 20,000 people or fewer."""


def arrow(rows: Sequence[Row], names: Sequence[str] = NAMES) -> pa.Table:
    """Put rows into a table; the empty text is a missing value."""
    columns = zip(names, zip(*rows, strict=True), strict=True)
    return pa.table({n: pa.array([v or None for v in c], pa.string()) for n, c in columns})


def people_of(rows: Sequence[Row]) -> Counter[Row]:
    """Make a population that the rows are of, with as many people in each ZIP code as above."""
    chance = random.Random(9)  # noqa: S311 - no secret
    people = Counter(rows)
    for code in ZIPS:
        for age in range(10, 100):
            for sex in "FM":
                people[str(age), sex, code] += chance.randint(0, 3)
    for code in ZIPS:
        here = sum(n for row, n in people.items() if row[2] == code)
        people["50", "F", code] += PEOPLE[code] - here
    return people


def peopled(people: Mapping[Row, int], names: Sequence[str] = NAMES) -> pa.Table:
    """Put a population into a table with a column of counts."""
    rows = [(*row, str(n)) for row, n in people.items() if n]
    return arrow(rows, (*names, "people"))


def adults(records: int = 150, seed: int = 4) -> list[Row]:
    """Ages from 17 to 95 with gaps, one text for most, two for some, and some missing."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    ages = ["17", "18", "40", "40.0", "41", "55", "89", "90", "93", "95", ""]
    return [(chance.choice(ages), chance.choice("FM"), chance.choice(ZIPS)) for _ in range(records)]


def number(text: str) -> Decimal | str:
    """Read a number; texts of one number are equal."""
    try:
        return Decimal(text)
    except InvalidOperation:
        return text


@dataclass(frozen=True)
class Witness:
    """Works risk and loss out record by record, from the document and the rows alone."""

    domains: Mapping[str, Sequence[str]]
    rows: Sequence[Row]
    people: Mapping[Row, int]

    @cached_property
    def places(self) -> dict[str, dict[Decimal | str, int]]:
        """Place of each value."""
        return {n: {number(v): i for i, v in enumerate(d)} for n, d in self.domains.items()}

    def spans(self, bits: str) -> list[tuple[int, int]]:
        """Give the interval that each place is in."""
        firsts = [0, *(i + 1 for i, bit in enumerate(bits) if bit == "1"), len(bits) + 1]
        spans = pairwise(firsts)
        return [(first, end) for first, end in spans for _ in range(first, end)]

    def amounts(self, policy: Mapping[str, str]) -> tuple[float, float]:
        """Sum of 1 / number of matching people over records, and the divergence."""
        spans = {name: self.spans(bits) for name, bits in policy.items()}

        def name_of(row: Row) -> tuple[tuple[int, int], ...]:
            return tuple(
                spans[n][self.places[n][number(v or "missing")]]
                for n, v in zip(policy, row, strict=True)
            )

        def cell_of(row: Row) -> tuple[int, ...]:
            return tuple(
                self.places[n][number(v or "missing")] for n, v in zip(policy, row, strict=True)
            )

        records = Counter(map(name_of, self.rows))
        alike: Counter[tuple[tuple[int, int], ...]] = Counter()
        for row, n in self.people.items():
            if n:
                alike[name_of(row)] += n
        own, total = Counter(map(cell_of, self.rows)), len(self.rows)
        spread = {name: f / prod(b - a for a, b in name) for name, f in records.items()}
        cells = {cell_of(row): name_of(row) for row in self.rows}
        loss = fsum(f / total * log(f / spread[cells[c]]) for c, f in own.items())
        return fsum(f / alike[name] for name, f in records.items()), loss

    def shares(self, policy: Mapping[str, str]) -> tuple[float, float]:
        """Give both as shares."""
        ends = [
            self.amounts({n: bit * (len(d) - 1) for n, d in self.domains.items()}) for bit in "10"
        ]
        risk, loss = self.amounts(policy)
        span = ends[1][1] - ends[0][1]
        return risk / ends[0][0], (loss - ends[0][1]) / span


def find(
    rows: Sequence[Row],
    people: Mapping[Row, int] | None = None,
    **more: Any,  # noqa: ANN401 - as frontier
) -> FrontierFinding[Any]:
    """Find the frontier of rows."""
    if people is not None:
        more = {"population": peopled(people), "population_counts": "people", **more}
    return frontier(arrow(rows), quasi=NAMES, **more)


@pytest.fixture(scope="module", params=["population", "sample"])
def found(request: pytest.FixtureRequest) -> tuple[FrontierFinding[Any], Witness]:
    """A frontier with a population and without, and its witness."""
    rows = adults()
    people = people_of(rows) if request.param == "population" else None
    finding = find(rows, people)
    known = Counter(rows) if people is None else people
    return finding, Witness(finding.to_dict()["domains"], rows, known)


@pytest.mark.quick(1)
def test_every_policy_gives_its_point(found: tuple[FrontierFinding[Any], Witness]) -> None:
    """Records, groups, and people counted from the rows, with the listed bits and domains."""
    finding, witness = found
    points = finding.to_dict()["points"]
    assert len(points) > 20
    for point in [*points[:: len(points) // 20], points[-1]]:
        risk, loss = witness.shares(point["policy"])
        assert risk == pytest.approx(point["risk"], rel=1e-9)
        assert loss == pytest.approx(point["utility_loss"], abs=1e-9)


def test_points_are_a_staircase_whose_area_is_told(
    found: tuple[FrontierFinding[Any], Witness],
) -> None:
    """Risks ascend and losses descend, from 0 to 1; below the least risk all is lost."""
    document = found[0].to_dict()
    risks = [point["risk"] for point in document["points"]]
    losses = [point["utility_loss"] for point in document["points"]]
    assert risks == sorted(set(risks))
    assert losses == sorted(set(losses), reverse=True)
    assert min(*risks, *losses) >= 0
    assert max(*risks, *losses) <= 1
    steps = zip([0.0, *risks], [*risks, 1.0], [1.0, *losses], strict=True)
    area = fsum((right - left) * height for left, right, height in steps)
    assert document["area"] == pytest.approx(area, abs=1e-12)
    assert (document["gap"], document["ending"]) == (0.0, "complete")


def test_ages_nobody_has_belong_to_the_domain(
    found: tuple[FrontierFinding[Any], Witness],
) -> None:
    """From the lowest to the highest of records and people; the missing one goes first."""
    finding, witness = found
    document = finding.to_dict()
    ages = document["domains"]["age"]
    lowest = 10 if document["population"]["basis"] == "file" else 17
    highest = 99 if document["population"]["basis"] == "file" else 95
    assert ages[0] == "missing"
    assert [Decimal(age) for age in ages[1:]] == list(range(lowest, highest + 1))
    assert document["boundaries"] == sum(len(d) - 1 for d in witness.domains.values())


def test_safe_harbor_is_judged_record_by_record(
    found: tuple[FrontierFinding[Any], Witness],
) -> None:
    """Ages over 89 are one, ZIP codes are cut to three digits, areas of few people are one.

    Without a population, of the areas only 036 is one of few people, by Census 2010.
    """
    finding, witness = found

    def harbored(row: Row) -> Row:
        age = "90+" if row[0] and Decimal(row[0]) >= 90 else str(number(row[0])).split(".")[0]
        return (age, row[1], "000" if row[2][:3] == "036" else row[2][:3])

    records = Counter(map(harbored, witness.rows))
    people: Counter[Row] = Counter()
    for row, n in witness.people.items():
        people[harbored(row)] += n
    original: Counter[Row] = Counter()
    for row, n in witness.people.items():
        original[str(number(row[0])).split(".")[0], *row[1:]] += n
    before = fsum(1 / original[str(number(r[0])).split(".")[0], *r[1:]] for r in witness.rows)
    document = finding.to_dict()["safe_harbor"]
    expected = fsum(f / people[name] for name, f in records.items()) / before
    assert document["risk"] == pytest.approx(expected, rel=1e-9)
    assert witness.shares(document["policy"]) == pytest.approx(
        (document["risk"], document["utility_loss"]), abs=1e-9
    )
    assert "036 (in one group, written as 000)" in document["says"][2]


def test_what_betters_safe_harbor_is_counted_and_grouped(
    found: tuple[FrontierFinding[Any], Witness],
) -> None:
    """Each such policy is in one group, and no other is in any."""
    finding, _ = found
    document = finding.to_dict()
    risk, loss = (document["safe_harbor"][axis] for axis in ("risk", "utility_loss"))
    better = [
        i
        for i, point in enumerate(document["points"])
        if point["risk"] <= risk + 1e-12
        and point["utility_loss"] <= loss + 1e-12
        and (point["risk"] < risk - 1e-12 or point["utility_loss"] < loss - 1e-12)
    ]
    assert better
    assert document["dominating_safe_harbor"] == len(better)
    groups = document["clusters"]
    assert sorted(i for one in groups for i in one["indices"]) == better
    assert all(one["medoid"] in one["indices"] for one in groups)
    frame = finding.to_pandas()
    assert frame[frame["dominates_safe_harbor"]]["index"].tolist() == better


def test_areas_of_few_people_are_those_of_the_population_given() -> None:
    """With as many people everywhere as in 590, no area is small; the census is not asked."""
    rows = adults(60)
    people = people_of(rows)
    for code in ZIPS:
        people["51", "M", code] += 20_001
    says = find(rows, people, search="steepest").to_dict()["safe_harbor"]["says"][2]
    assert "(source: the given population): none" in says


@pytest.mark.parametrize(
    ("quality", "loss"),
    [("loss", 1.0), ("entropy", 1.0), ("discernibility", 1.0), ("class-size", 1.0)],
)
def test_every_loss_spans_from_0_to_1(quality: str, loss: float) -> None:
    """The data as they are lose nothing, and everything merged loses all."""
    points = find(adults(60), quality=quality, search="steepest").to_dict()["points"]
    assert points[0]["utility_loss"] == pytest.approx(loss)
    assert points[-1]["utility_loss"] == pytest.approx(0.0, abs=1e-12)
    assert points[-1]["risk"] == pytest.approx(1.0)


def test_records_at_risk_are_those_among_fewer_than_k() -> None:
    """Counted from the rows; the share is of the data's own."""
    rows = adults(120)
    document = find(rows, risk_measure="at-risk", k=4, search="steepest").to_dict()
    witness = Witness(document["domains"], rows, Counter(rows))
    spans = {n: witness.spans("1" * (len(d) - 1)) for n, d in document["domains"].items()}
    cells = Counter(
        tuple(
            spans[n][witness.places[n][number(v or "missing")]]
            for n, v in zip(NAMES, r, strict=True)
        )
        for r in rows
    )
    assert document["risk_measure"]["greatest"] == sum(f for f in cells.values() if f < 4)
    assert document["points"][0]["risk"] == 0.0


def test_gamma_weighs_the_people_alike() -> None:
    """With gamma 2 a record counts one over the square of its people."""
    rows = adults(60)
    document = find(rows, gamma=2.0, search="steepest").to_dict()
    cells = Counter((str(number(a)).split(".")[0], s, z) for a, s, z in rows)
    assert document["risk_measure"]["greatest"] == pytest.approx(
        fsum(1 / f for f in cells.values())
    )


@pytest.mark.parametrize("search", ["combined", "random-chain", "sublattice-heuristic"])
def test_the_same_request_has_the_same_indices(search: str) -> None:
    """Also where policies are drawn at random; the seed is kept."""
    rows = adults(60)
    one, other = (find(rows, search=search, seed=5, evaluations=300) for _ in range(2))
    assert one.to_dict()["points"] == other.to_dict()["points"]
    assert one.to_dict()["seed"] == 5


SEARCHES = ("steepest", "closure", "segmentation", "sublattice-heuristic", "random-chain")


@pytest.mark.parametrize("search", ["combined", *SEARCHES, "exact"])
def test_stopped_at_once_something_is_found(search: str) -> None:
    """The reason is reported; the original data are a policy too."""
    request = FrontierRequest(arrow(adults(60)), quasi=NAMES, search=search)
    stopped = request.run(Observer(stopped=lambda: True))
    document = stopped.to_dict()
    assert document["ending"] == "interrupted"
    assert len(document["points"]) >= 1
    assert "may differ in the next run" in str(stopped)


def test_a_table_of_equal_records_has_one_policy() -> None:
    """Nothing can be lost and nothing gained."""
    document = find([("40", "F", "02139")] * 7).to_dict()
    points = [(point["risk"], point["utility_loss"]) for point in document["points"]]
    assert points == [(1.0, 0.0)]
    assert document["dominating_safe_harbor"] == 0
    assert document["points"][0]["policy"] == {"age": "", "sex": "", "zip": ""}


def test_rounding_makes_no_share_negative() -> None:
    """A loss is a difference of sums, which may come out a little below nothing."""
    rows = [(str(i % 3 + 40), "F", "02139") for i in range(8)]
    document = find(rows).to_dict()
    assert all(0.0 <= point["utility_loss"] <= 1.0 for point in document["points"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"privacy": [{"kind": "k-anonymity", "k": 3}]}, "privacy: .* add threshold=.models"),
        ({"iterations": 5}, "iterations: .* requires a threshold"),
        ({"threshold": 0.5, "evaluations": 5}, "evaluations: .* use iterations"),
        (
            {"search": "exact", "orders": {"sex": ["M", "F"]}},
            "orders: a search over levels .* does not use an order",
        ),
        (
            {"search": "exact", "privacy": [{"kind": "k-anonymity", "k": 3}]},
            "privacy: the exact search does not use privacy models",
        ),
        ({"search": "exact", "threshold": 0.5}, "search: 'exact' is not known"),
    ],
)
def test_what_would_go_unheeded_is_refused(settings: dict[str, Any], message: str) -> None:
    """No requested setting is ignored silently."""
    with pytest.raises(SettingError, match=message):
        find(adults(40), **settings)


def test_a_table_without_a_population_is_said_to_be_told_of() -> None:
    """Domains come from the table, so the page is only for people with access to the table."""
    rows = adults(40)
    alone, known = find(rows, search="steepest"), find(rows, people_of(rows), search="steepest")
    said = "only to people who may see the table"
    assert any(said in note for note in alone.to_dict()["notes"])
    assert said in str(alone)
    assert said not in str(known)
