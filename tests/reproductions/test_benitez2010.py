"""Paper 004's experiments, on few synthetic people and, if available, on the real data."""

from __future__ import annotations

import json
from itertools import product
from math import log2, sqrt
from pathlib import Path

import numpy as np
import pytest
from effort import sparing
from hypothesis import given
from hypothesis import strategies as st

from roadstead.cli.reproduce import experiments_of
from roadstead.errors import SettingError, SourceError
from roadstead.policies.cells import Cells
from roadstead.policies.partition import OrderedDomains, Partition, is_below
from roadstead_reproductions import reproduction
from roadstead_reproductions.benitez2010 import experiments, published
from roadstead_reproductions.benitez2010.alternatives import (
    KINDS,
    by_ages,
    completed,
    kind_of,
    merged_values,
    single_merges,
)
from roadstead_reproductions.benitez2010.cases import (
    PATIENT_RACES,
    Case,
    adult,
    case_of,
    patients,
    reordered,
)
from roadstead_reproductions.benitez2010.efficiency import welch
from roadstead_reproductions.benitez2010.experiments import Extent, reproduce
from roadstead_reproductions.benitez2010.nodes import expected
from roadstead_reproductions.benitez2010.runs import BISECTING, DIRECTED, SEARCHES, repeated
from roadstead_reproductions.benitez2010.trends import line, linear, logarithmic, with_the_former
from roadstead_reproductions.benitez2010.variations import (
    AtLeast,
    with_groups_of_the_census,
    with_the_old_at_90,
)
from roadstead_reproductions.census import AGES, SEXES
from roadstead_reproductions.reproduction import Reproduction
from roadstead_reproductions.tennessee import tennessee_population
from roadstead_reproductions.tennessee_records import ADULT_RACES, Study

TINY = Extent("tiny", iterations=4, seeds=2, other_seeds=1, anonymity=(2,))
PUBLISHED_TABLES = [
    "table-2-seconds",
    "table-2-ratios",
    "figure-6-linear",
    "figure-7-remembering",
    "figure-8-non-dominated",
    "figure-9-nodes",
    "table-3-alternatives",
]


def quiet(_: str) -> None:
    """Report nothing."""


def few(attributes: tuple[str, ...], values: tuple[tuple[str, ...], ...], seed: int = 1) -> Study:
    """Some people with every combination of values, and one record in three cells or so."""
    random = np.random.default_rng(seed)
    sizes = tuple(map(len, values))
    codes = np.indices(sizes).reshape(len(sizes), -1).astype(np.uint32)
    people = random.integers(60, 160, codes.shape[1])
    records = np.where(random.random(codes.shape[1]) < 0.3, random.integers(1, 4, people.size), 0)
    return Study(Cells(OrderedDomains(attributes, sizes), codes, records, people), values, ("N.",))


@pytest.fixture(scope="module")
def case() -> Case:
    """A made-up table in the place of Adult."""
    return case_of(published.ADULT, few(("age", "sex", "race"), (AGES, SEXES, ADULT_RACES)))


@pytest.fixture(scope="module")
def found(case: Case) -> Reproduction:
    """All experiments on it."""
    return reproduce([case], TINY, quiet)


def people_by_values(case: Case) -> dict[tuple[str, ...], tuple[int, int]]:
    """Records and people of every combination of values."""
    cells, values = case.cells, [own.values for own in case.words.values]
    return {
        tuple(own[code] for own, code in zip(values, codes, strict=True)): (records, people)
        for codes, records, people in zip(
            cells.codes.T.tolist(), cells.records.tolist(), cells.people.tolist(), strict=True
        )
    }


# Trends.

HEIGHTS = st.lists(st.integers(-1000, 1000), min_size=3, max_size=40)


@sparing
@given(HEIGHTS)
def test_a_trend_is_the_line_of_least_squares(heights: list[int]) -> None:
    """With the share explained, which is the squared correlation."""
    y, x = np.array(heights, dtype=np.float64), np.arange(1.0, len(heights) + 1.0)
    for trend, at in ((linear(y), x), (logarithmic(y), np.log(x))):
        slope, begin = np.polyfit(at, y, 1)
        assert trend.slope == pytest.approx(slope, abs=1e-6)
        assert trend.begin == pytest.approx(begin, abs=1e-6)
        if y.std() > 0:
            assert trend.explained == pytest.approx(np.corrcoef(at, y)[0, 1] ** 2, abs=1e-9)
        else:
            assert trend.explained == 1.0
    if y[1:].std() > 0 and y[:-1].std() > 0:
        assert with_the_former(y) == pytest.approx(np.corrcoef(y[:-1], y[1:])[0, 1], abs=1e-9)
    else:
        assert with_the_former(y) == 0.0


def test_points_above_each_other_have_no_slope() -> None:
    """Nothing is divided by nothing."""
    assert line(np.ones(3), np.array([1.0, 2.0, 3.0])) == (2.0, 0.0, 0.0)


def test_welch_divides_the_difference_by_its_error() -> None:
    """Means 2 and 5, variances 1 and 4, three and three values."""
    t = welch(np.array([1.0, 2.0, 3.0]), np.array([3.0, 5.0, 7.0]))
    assert t == pytest.approx(-3 / sqrt(1 / 3 + 4 / 3))
    assert welch(np.ones(2), np.ones(2)) == 0.0


@pytest.mark.parametrize("edge", [5, 30, 55])
def test_searches_ask_about_as_many_policies_as_expected(edge: int) -> None:
    """Where all policies with so many boundaries or fewer are acceptable."""
    small = case_of("small", few(("a", "b"), (AGES[:31], AGES[:31])))
    runs = repeated(small, lambda policy: policy.rank <= edge, 1, 150)
    for name, own in runs.items():
        assert set(own.ranks.ravel()) == {edge}
        mean = float(own.searched.mean())
        if name == DIRECTED:
            away = 2 * sqrt(60) / 2 if edge == 30 else 0.0
            assert mean == pytest.approx(expected(name, 60, own.ranks), abs=1.2 + away)
        else:
            assert expected(name, 60, own.ranks) == log2(60)
            assert {5.0, 6.0} >= set(own.searched.ravel())


# The table as a case.


def test_safe_harbor_merges_the_old_and_nothing_else(case: Case) -> None:
    """Its own risk is the threshold."""
    assert merged_values(case, case.safe_harbor) == "age: 90 and over"
    rule = case.rule()
    assert rule(case.safe_harbor)
    assert rule.threshold == rule.risk(case.safe_harbor)


def test_merging_puts_values_together_and_nothing_else(case: Case) -> None:
    """From the first to the last."""
    told = {
        ("sex", "Male", "Female"): "sex: Male, Female",
        ("age", "52", "53"): "age: 52 to 53",
        ("race", "Black", "Asian-Pac-Islander"): (
            "race: Black, Amer-Indian-Eskimo, Asian-Pac-Islander"
        ),
    }
    for (attribute, first, last), words in told.items():
        assert merged_values(case, case.merging(attribute, first, last)) == words
    with pytest.raises(SettingError, match="no values to merge"):
        case.merging("age", "53", "52")


def test_another_order_of_the_races_changes_no_record() -> None:
    """Only the neighbors change."""
    races = tuple(sorted(PATIENT_RACES))
    study = few(("age", "sex", "race"), (AGES, SEXES, races))
    other = reordered(study, "race", PATIENT_RACES)
    before, after = case_of("a", study), case_of("a", other)
    assert people_by_values(before) == people_by_values(after)
    assert other.values[2] == PATIENT_RACES
    assert "Asian, Some" in merged_values(after, after.merging("race", "Asian", "Some other race"))
    with pytest.raises(SettingError, match="other values"):
        reordered(study, "race", PATIENT_RACES[1:])


def test_ages_of_the_census_are_single_to_99(case: Case) -> None:
    """Three groups above; no person is lost."""
    counts = people_by_values(with_groups_of_the_census(case))
    wanted: dict[tuple[str, ...], tuple[int, int]] = {}
    for (age, *rest), (records, people) in people_by_values(case).items():
        group = age
        if int(age) >= 100:
            group = "100 to 104" if int(age) < 105 else "105 to 109" if int(age) < 110 else "110+"
        so_far = wanted.get((group, *rest), (0, 0))
        wanted[(group, *rest)] = (so_far[0] + records, so_far[1] + people)
    assert counts == wanted
    smaller = with_groups_of_the_census(case)
    assert smaller.rule().threshold == pytest.approx(case.rule().threshold)


def test_the_old_can_be_written_as_90(case: Case) -> None:
    """The people stay who they are."""
    before, after = people_by_values(case), people_by_values(with_the_old_at_90(case))
    for (age, *rest), (records, people) in before.items():
        old = sum(before[(other, *rest)][0] for other in AGES[90:])
        wanted = records if int(age) < 90 else old if age == "90" else 0
        assert after[(age, *rest)] == (wanted, people)


# Alternatives.


def test_every_single_merge_is_evaluated(case: Case) -> None:
    """Against each policy by itself."""
    (rows, rule) = single_merges([case]).rows, case.rule()
    bottom = case.cells.domains.most_specific.kept
    for number, row in enumerate(rows):
        boundaries = [
            b
            for b in range(case.cells.domains.boundaries)
            if case.cells.domains.place(b)[0] == number
        ]
        risks = [rule.risk(Partition(bottom & ~(1 << b))) for b in boundaries]
        assert row["merges"] == len(risks)
        assert row["risk"] == pytest.approx(min(risks))
        assert row["acceptable"] == sum(risk <= rule.threshold for risk in risks)


def test_ages_are_merged_until_the_risk_is_acceptable(case: Case) -> None:
    """And no longer; each merge is the one that leaves the least risk."""
    rule, domains = case.rule(), case.cells.domains
    policy = by_ages(case, rule)
    assert kind_of(case, policy) == KINDS[2]
    step = domains.most_specific
    while not rule(step):
        step = min(
            (Partition(step.kept & ~(1 << b)) for b in range(120) if b in step), key=rule.risk
        )
    assert step == policy


def test_a_completed_policy_is_risk_minimal(case: Case) -> None:
    """It is acceptable, and none directly below is."""
    rule = case.rule()
    for seed in range(3):
        runs = repeated(case, rule, 1, 2 + seed, (BISECTING,))[BISECTING]
        policy = runs.outcomes[0].found[-1].policy
        whole = completed(policy, rule)
        assert rule(whole)
        assert is_below(whole, policy)
        for b in range(case.cells.domains.boundaries):
            assert b in whole or not rule(Partition(whole.kept | 1 << b))


def test_policies_are_told_apart_by_what_they_merge(case: Case) -> None:
    """The sexes come first, ages last."""
    sexes, races = case.merging("sex", "Male", "Female"), case.merging("race", "White", "Black")
    ages = case.merging("age", "10", "12")
    both = Partition(sexes.kept & races.kept & ages.kept)
    assert [kind_of(case, p) for p in (both, sexes, races, ages)] == [
        KINDS[0],
        KINDS[0],
        KINDS[1],
        KINDS[2],
    ]


@sparing
@given(st.integers(0, 63), st.integers(1, 8), st.integers(0, 20))
def test_the_rule_of_k_anonymity_counts_records(kept: int, k: int, seed: int) -> None:
    """Against counting them one by one."""
    study = few(("a", "b"), (AGES[:4], AGES[:4]), seed)
    policy = Partition(kept)
    labels = study.cells.domains.labels(policy)
    counts: dict[tuple[int, int], int] = {}
    for (a, b), records in zip(
        product(range(4), repeat=2), study.cells.records.tolist(), strict=True
    ):
        if records:
            key = (int(labels[0][a]), int(labels[1][b]))
            counts[key] = counts.get(key, 0) + records
    assert AtLeast(study.cells, k)(policy) == all(n >= k for n in counts.values())


# All of it.


def test_every_experiment_gives_a_table(found: Reproduction) -> None:
    """With a figure or an honest gap in every cell, as plain JSON."""
    names = [table.name for table in found.tables]
    assert names[: len(PUBLISHED_TABLES)] == PUBLISHED_TABLES
    assert names[len(PUBLISHED_TABLES) :] == [
        "single-merges",
        "policies-found",
        "other-domains",
        "other-exponents",
        "k-anonymity",
        "by-iteration",
    ]
    for table in found.tables:
        assert table.rows, table.name
        assert all(len(table.texts(row)) == len(table.columns) for row in table.rows)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["paper"] == "benitez2010"
    assert found.settings["estimated or made-up data"] == "N."


def test_figures_of_a_run_follow_from_its_iterations(case: Case, found: Reproduction) -> None:
    """Counts and levels are those of searches run again, whatever the clock says."""
    tables = {table.name: table for table in found.tables}
    runs = repeated(case, case.rule(), TINY.seeds, TINY.iterations, tuple(SEARCHES))
    for row in tables["figure-9-nodes"].rows:
        outcomes = runs[str(row["search"])].outcomes
        assert row["nodes"] == sum(run.searched for run in outcomes) / 2
        assert row["nodes_published"] is None  # a run is shorter than the published one
    last = [r for r in tables["figure-8-non-dominated"].rows if r["iteration"] == TINY.iterations]
    for row in last:
        outcomes = runs[str(row["search"])].outcomes
        assert row["mean"] == sum(len(run.non_dominated) for run in outcomes) / 2
    for row in tables["policies-found"].rows:
        policies = {one.policy for run in runs[str(row["search"])].outcomes for one in run.found}
        assert row["distinct"] == len(policies)
        assert row["iterations"] == TINY.seeds * TINY.iterations
    for row in tables["table-3-alternatives"].rows:
        assert (row["acceptable"] == "yes") == (float(str(row["share"])) <= 1)


@pytest.mark.nightly
def test_every_picture_can_be_drawn(found: Reproduction, tmp_path: Path) -> None:
    """In both forms, with its title in it."""
    assert len(found.pictures) == 4
    for picture in found.pictures:
        reproduction._write_picture(picture, tmp_path)
        drawn = (tmp_path / f"{picture.name}.svg").read_text("utf-8")
        assert "Figure" in drawn
        assert (tmp_path / f"{picture.name}.png").stat().st_size > 5_000


def test_the_published_figures_are_those_the_paper_speaks_of() -> None:
    """Ratios of table 2 and of figure 9, and the order of table 3."""
    seconds = published.SECONDS
    ratios = [
        seconds[name, DIRECTED].mean / seconds[name, BISECTING].mean
        for name in (published.PATIENTS, published.ADULT)
    ]
    assert ratios == pytest.approx([11.85, 6.70], abs=0.01)
    assert published.NODES[published.ADULT, DIRECTED] == 5140
    harbor = published.RISKS["Safe Harbor"]
    assert all(risk < harbor for name, risk in published.RISKS.items() if name != "Safe Harbor")


def test_the_paper_can_be_asked_for() -> None:
    """By its name on the command line."""
    own = experiments_of("benitez2010")
    assert own is experiments


def test_without_the_data_it_says_how_they_can_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    """The census has no public copy that can be used."""
    monkeypatch.delenv("ROADSTEAD_DATA", raising=False)
    with pytest.raises(SourceError, match="ROADSTEAD_DATA"):
        experiments.run(quiet, quick=True)


@pytest.fixture(scope="module")
def real(data_dir: Path) -> tuple[Case, Case]:
    """Adult and the made-up patients, of the full run's seed."""
    assert (data_dir / "census").is_dir()
    people = tennessee_population(experiments.FULL.seed)
    return adult(experiments.FULL.seed, people), patients(experiments.FULL.seed, people)


@pytest.mark.nightly
def test_the_published_alternatives_but_one_beat_safe_harbor(real: tuple[Case, Case]) -> None:
    """Merging the sexes, or Asian with Other, is enough in both tables; 52 and 53 is in neither."""
    for case, races in zip(
        real, (("Asian-Pac-Islander", "Other"), ("Asian", "Some other race")), strict=True
    ):
        rule = case.rule()
        assert rule(case.merging("sex", "Male", "Female"))
        assert rule(case.merging("race", *races))
        assert not rule(case.merging("age", "52", "53"))


@pytest.mark.nightly
def test_bisecting_asks_seven_times_less_and_finds_more(real: tuple[Case, Case]) -> None:
    """One run of 100 iterations each, as published."""
    for case, boundaries in zip(real, (125, 127), strict=True):
        assert case.cells.domains.boundaries == boundaries
        runs = repeated(case, case.rule(), 1, published.ITERATIONS)
        directed, bisecting = runs[DIRECTED], runs[BISECTING]
        assert bisecting.searched.sum() == 700
        assert 4_500 < directed.searched.sum() < 5_600
        assert bisecting.non_dominated[0, -1] > 90 > directed.non_dominated[0, -1]
        assert (bisecting.searched == bisecting.evaluated).all()
