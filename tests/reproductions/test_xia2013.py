"""Paper 000's experiments, on small synthetic cells and, if available, quickly on Adult."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
import pytest
from effort import sparing
from frontier_cells import every_policy, shares_by_definition, synthetic_cells, worked_cells
from hypothesis import given
from hypothesis import strategies as st

from roadstead.cli.reproduce import experiments_of
from roadstead.policies.partition import Partition
from roadstead.search.frontiers.frontier import CLOSE, Frontier, Point
from roadstead.search.frontiers.protocol import FrontierOutcome, FrontierProblem, report_frontier
from roadstead.search.frontiers.steepest import Steepest
from roadstead.search.protocol import Control
from roadstead_reproductions import reproduction
from roadstead_reproductions.parallel import spread, tenths
from roadstead_reproductions.reproduction import Reproduction
from roadstead_reproductions.searches.sublattice_heuristic import PartitionRange
from roadstead_reproductions.tables import Row, Tell
from roadstead_reproductions.tennessee_records import Study
from roadstead_reproductions.xia2013 import experiments, instances, published
from roadstead_reproductions.xia2013.beyond import (
    SHARE,
    BeyondExtent,
    Maker,
    Timed,
    compared,
    ours,
    race,
    shs,
)
from roadstead_reproductions.xia2013.courses import Asked, Course, checkpoints, follow, mean_areas
from roadstead_reproductions.xia2013.efficiency import EfficiencyExtent, compare, efficiency
from roadstead_reproductions.xia2013.experiments import FULL, QUICK, Extent, reproduce, run
from roadstead_reproductions.xia2013.heuristic import (
    Lot,
    by_tenths,
    chain_frontier,
    correlated,
    heuristic,
    interval,
    predicted_and_met,
    try_sublattices,
)
from roadstead_reproductions.xia2013.instances import Instance, dominates, instance_of
from roadstead_reproductions.xia2013.quality import (
    QualityExtent,
    alternatives,
    better_than,
    chains_of,
    chosen,
    quality,
    share_dominated,
    thinned,
)
from roadstead_reproductions.xia2013.readings import (
    APART,
    CHOSEN,
    INITIAL,
    SAMPLERS,
    THRESHOLDS,
    Reading,
    ReadingsExtent,
    fitting,
    readings,
)
from roadstead_reproductions.xia2013.recording import record
from roadstead_reproductions.xia2013.spans import SpansExtent, fitting_both, spans

TINY = Extent(
    name="tiny",
    efficiency=EfficiencyExtent(2, 250),
    readings=(ReadingsExtent((50,), 1),),
    spans=SpansExtent(20, 1),
    sublattices=30,
    quality=QualityExtent(400, 100, 10),
    beyond=BeyondExtent((1, 2), 600),
    workers=1,
)


def quiet(_: str) -> None:
    """Report nothing."""


def small_town(seed: int) -> Instance:
    """People of 80 to 99 in twelve ZIP codes of three areas."""
    cells = synthetic_cells(seed, (20, 2, 3, 12), 400, 20_000)
    values = (
        tuple(str(age) for age in range(80, 100)),
        ("Female", "Male"),
        ("A", "B", "C"),
        tuple(str(zip_code) for zip_code in (*range(37010, 37014), *range(37110, 37118))),
    )
    return instance_of(Study(cells, values, ("Made up.",)))


@pytest.fixture(scope="module")
def town() -> Instance:
    """One such town."""
    return small_town(1)


@pytest.fixture(scope="module")
def found(town: Instance) -> Reproduction:
    """All experiments on it."""
    return reproduce(town, TINY, quiet, small_town)


# Courses and figure 5.


@dataclass(frozen=True)
class Told:
    """A search that reports its inputs: evaluations, and the loss of one policy at risk 0."""

    steps: tuple[tuple[int, float], ...]
    name: str = "told"
    guarantee: str = ""

    def run(self, problem: FrontierProblem, steering: Control) -> FrontierOutcome[Partition]:
        """Report the inputs."""
        frontier: Frontier[Partition] = Frontier()
        steering.begin()
        for evaluated, loss in self.steps:
            frontier.insert(0.0, loss, problem.domains.most_general)
            report_frontier(steering, evaluated, frontier)
        return FrontierOutcome(frontier, self.steps[-1][0], steering.seconds, "budget")


def test_the_area_at_a_checkpoint_is_what_was_told_last_before_it(town: Instance) -> None:
    """A value at the checkpoint itself counts; before the first report it is 1."""
    search = Told(((10, 0.9), (20, 0.8), (21, 0.7), (45, 0.4), (61, 0.1)))
    got = follow(town.problem, Asked(search, (5, 10, 20, 30, 40, 50, 60)))
    assert got.areas == pytest.approx((1.0, 0.9, 0.8, 0.7, 0.7, 0.4, 0.4))
    later = follow(town.problem, Asked(search, (10, 30), uncounted=15))
    assert later.areas == pytest.approx((0.7, 0.4))


def test_checkpoints_end_where_the_budget_does() -> None:
    """The budget need not be a multiple of the step."""
    assert checkpoints(100, 250) == (100, 200, 250)
    assert checkpoints(100, 200) == (100, 200)
    assert checkpoints(100, 50) == (50,)


def test_runs_are_compared_checkpoint_by_checkpoint() -> None:
    """Means, deviations, the share by which one is below, and in how many runs it is."""
    chains = [Course((0.4, 0.3), 1.0), Course((0.6, 0.2), 1.0)]
    sublattices = [Course((0.3, 0.3), 1.0), Course((0.5, 0.1), 1.0)]
    first, second = compare((100, 200), chains, sublattices)
    assert first["rcs"] == pytest.approx(0.5)
    assert first["rcs_sd"] == pytest.approx(stdev([0.4, 0.6]))
    assert first["below"] == pytest.approx(0.2)
    assert (first["wins"], first["below_published"]) == ("2 of 2", 0.28)
    assert second["below"] == pytest.approx(0.2)
    assert (second["wins"], second["below_published"]) == ("1 of 2", None)
    assert mean_areas(chains) == pytest.approx((0.5, 0.25))


# Details that the paper does not give.


@pytest.mark.nightly
def test_every_reading_is_run_and_the_chain_that_begins_is_free(town: Instance) -> None:
    """A row for each initial frontier, sampler and checkpoint; figures by their definition."""
    extent = ReadingsExtent((50, 100), 2)
    table = readings(town.problem, (extent,), 1, quiet)
    assert len(table.rows) == len(INITIAL) * len(SAMPLERS) * 2
    boundaries = town.problem.domains.boundaries
    for initial, uncounted in (("top and bottom", 0), ("random chain", boundaries + 1)):
        reading = Reading(0.7, "two of a chain", initial)
        assert reading.uncounted(town.problem) == uncounted
        means = []
        for make in (reading.chains, reading.sublattices):
            asked = [Asked(make(seed), extent.checkpoints, uncounted) for seed in range(2)]
            means.append(mean_areas([follow(town.problem, one) for one in asked]))
        (row,) = (
            row
            for row in table.rows
            if (row["initial"], row["sampler"], row["policies"]) == (initial, "two of a chain", 100)
        )
        assert row["rcs"] == pytest.approx(means[0][1])
        assert row["shs_0.7"] == pytest.approx(1 - means[1][1] / means[0][1])
    for row in table.rows:
        near = [th for th in THRESHOLDS if abs(float(str(row[f"shs_{th:g}"])) - 0.28) <= 0.05]
        assert row["near"] == (", ".join(f"TH {th:g}" for th in near) or "none")


def test_readings_that_fit_are_named() -> None:
    """About 28% after 100 policies, and ahead later on."""
    rows: list[Row] = [
        {
            "initial": "random chain",
            "sampler": "fixed bits",
            "policies": policies,
            **dict(zip((f"shs_{th:g}" for th in THRESHOLDS), below, strict=True)),
        }
        for policies, below in (
            (100, (0.3, 0.26, 0.1, 0.28, 0.4)),
            (500, (0.1, -0.1, 0.3, 0.2, 0.2)),
        )
    ]
    assert fitting(rows) == "random chain, fixed bits, TH 0.1; random chain, fixed bits, TH 0.7"
    assert fitting(rows[1:]) == "none"


def test_both_searches_begin_with_the_same_random_chain(town: Instance) -> None:
    """So that their runs can be compared pairwise."""
    uncounted = CHOSEN.uncounted(town.problem)
    for seed in range(3):
        areas = [
            follow(town.problem, Asked(search, (0, 100), uncounted)).areas[0]
            for search in (CHOSEN.chains(seed), CHOSEN.sublattices(seed))
        ]
        assert areas[0] == areas[1] == chain_frontier(town.problem, seed).area < 1.0


@pytest.mark.nightly
def test_spans_are_scanned_for_both_figures(town: Instance) -> None:
    """Each figure is that of the experiment it is taken from."""
    table = spans(town.problem, SpansExtent(40, 2), 1, quiet)
    assert len(table.rows) == len(APART) * len(INITIAL)
    reading = Reading(0.5, "10 apart", "top and bottom")
    means = [
        mean_areas([follow(town.problem, Asked(make(seed), (100,))) for seed in range(2)])[0]
        for make in (reading.chains, reading.sublattices)
    ]
    (row,) = (
        row
        for row in table.rows
        if (row["sampler"], row["initial"]) == (reading.sampler, reading.initial)
    )
    assert row["shs_0.5"] == pytest.approx(1 - means[1] / means[0])
    pairs = [try_sublattices(town.problem, Lot("10 apart", 4, 1, seed)) for seed in range(10)]
    h, e = np.concatenate(pairs).T
    assert row["r_many"] == pytest.approx(statistics.correlation(h.tolist(), e.tolist()))


def test_a_span_fits_when_it_gives_both_figures() -> None:
    """One of them is not enough."""
    rows: list[Row] = [
        {"sampler": name, "initial": "random chain", "near": near}
        for name, near in (("5 apart", "r"), ("10 apart", "both"), ("20 apart", "area"))
    ]
    assert fitting_both(rows) == "10 apart, random chain"
    assert fitting_both(rows[:1]) == "no span"


# Figure 6.


@sparing
@given(st.integers(0, 15), st.integers(0, 15), st.integers(0, 99))
def test_h_and_e_are_those_of_the_definition(one: int, other: int, seed: int) -> None:
    """E by looking at each policy of the same chain, from the definition of risk and loss."""
    cells = worked_cells()
    problem = FrontierProblem(cells)
    frontier: Frontier[Partition] = Frontier()
    for kept in (0b1111, 0b1011, 0b0010, 0b0000):
        frontier.insert(*shares_by_definition(cells, Partition(kept)), Partition(kept))
    sublattice = PartitionRange(Partition(one & other), Partition(one | other))
    got = predicted_and_met(problem, frontier, sublattice, np.random.default_rng(seed))
    free = [b for b in range(4) if sublattice.free >> b & 1]
    kept, chain = sublattice.specific.kept, [sublattice.specific.kept]
    for boundary in np.random.default_rng(seed).permutation(np.array(free, dtype=np.int64)):
        kept &= ~(1 << int(boundary))
        chain.append(kept)
    points = [shares_by_definition(cells, Partition(own)) for own in chain]
    improving = [
        not any(m.risk <= risk + CLOSE and m.loss <= loss + CLOSE for m in frontier)
        for risk, loss in points
    ]
    assert got[0] == pytest.approx(frontier.share_outside(Point(*points[-1]), Point(*points[0])))
    assert got[1] == pytest.approx(fmean(improving))


def test_the_interval_of_a_correlation_is_fishers() -> None:
    """By the worked example r = 0.5, n = 28, whose standard error is a fifth."""
    assert interval(0.5, 28) == pytest.approx((0.15603, 0.73575), abs=2e-4)
    assert interval(1.0, 28) == interval(0.5, 3) == interval(float("nan"), 28) == (None, None)


def test_a_correlation_without_variance_is_none() -> None:
    """And else it is Pearson's, with the slope of least squares."""
    flat = correlated(np.array([[0.1, 0.5], [0.2, 0.5]]))
    assert flat["r"] is flat["low"] is flat["slope"] is None
    pairs = np.random.default_rng(1).random((50, 2))
    pairs[:, 1] += 2 * pairs[:, 0]
    row = correlated(pairs)
    h, e = pairs[:, 0].tolist(), pairs[:, 1].tolist()
    assert row["r"] == pytest.approx(statistics.correlation(h, e))
    assert row["slope"] == pytest.approx(statistics.linear_regression(h, e).slope)


def test_tenths_of_h_take_in_their_upper_end() -> None:
    """As the paper's groups; 0 is in the first."""
    pairs = np.array([[0.0, 0.2], [0.1, 0.4], [0.100001, 1.0], [0.3, 0.5], [1.0, 1.0]])
    rows = by_tenths(pairs)
    assert [row["sublattices"] for row in rows] == [2, 1, 1, 0, 0, 0, 0, 0, 0, 1]
    assert rows[0]["e"] == pytest.approx(0.3)
    half = 1.96 * stdev([0.2, 0.4]) / 2**0.5
    assert rows[0]["low"] == pytest.approx(0.3 - half, abs=1e-4)
    assert rows[0]["high"] == pytest.approx(0.3 + half, abs=1e-4)
    assert rows[1]["low"] is None
    assert rows[3]["e"] is None


def test_lots_of_one_seed_are_the_same_and_of_others_are_not(town: Instance) -> None:
    """Whichever process draws them."""
    one, again, other = (try_sublattices(town.problem, Lot("fixed bits", 5, s)) for s in (1, 1, 2))
    assert one.shape == (5, 2)
    assert (one == again).all()
    assert (one != other).any()
    assert ((one >= 0) & (one <= 1)).all()


# A run of which everything is kept.


def test_a_recorded_run_finds_what_the_search_finds(town: Instance) -> None:
    """The same frontier; each member was met on the sublattice that it is said to come from."""
    budget = 300 + CHOSEN.uncounted(town.problem)
    kept = record(CHOSEN.sublattices(1), town.problem, budget)
    plain = CHOSEN.sublattices(1).run(town.problem, Control(budget=budget)).frontier
    assert list(kept) == list(plain)
    assert len(kept.met) >= budget
    met = {tuple(own) for own in kept.met.tolist()}
    assert all((m.risk, m.loss) in met for m in kept)
    assert {kept.origin[m.policy] for m in kept} <= set(range(kept.sublattice + 1))
    assert kept.origin[town.problem.domains.most_specific] == 0
    on_chain: dict[int, list[Partition]] = {}
    for member in kept:
        on_chain.setdefault(kept.origin[member.policy], []).append(member.policy)
    for policies in on_chain.values():
        ordered = sorted(policies, key=lambda one: one.rank)
        assert all(a.kept & ~b.kept == 0 for a, b in pairwise(ordered))
    assert sum(chains_of(kept, list(kept)).values()) == len(kept)


def test_policies_that_equal_a_member_are_counted() -> None:
    """All 16 policies of the worked example: eight points, one of them of two policies."""
    problem = FrontierProblem(worked_cells())
    kept = record(Reading(0.0, "fixed bits", "top and bottom").sublattices(3), problem, 2_000)
    assert len(kept) == 8
    points = [problem.point(policy) for policy in every_policy(problem.domains)]
    wanted = sum(
        any(abs(p.risk - m.risk) <= CLOSE and abs(p.loss - m.loss) <= CLOSE for m in kept)
        for p in points
    )
    assert kept.tied == wanted == 9


# Figures 8 and 9.


def test_domination_is_strict() -> None:
    """As good in both and better in one."""
    assert dominates(Point(0.1, 0.2), Point(0.1, 0.3))
    assert dominates(Point(0.0, 0.3), Point(0.1, 0.3))
    assert not dominates(Point(0.1, 0.3), Point(0.1, 0.3))
    assert not dominates(Point(0.0, 0.4), Point(0.1, 0.3))
    points = [Point(0.2, 0.2), Point(0.1, 0.1), Point(0.5, 0.0)]
    assert share_dominated(points, [Point(0.1, 0.1)]) == pytest.approx(1 / 3)
    assert share_dominated(points, []) == 0.0
    assert share_dominated([], points) is None


def test_alternatives_lie_at_the_edge_of_safe_harbors_risk(town: Instance) -> None:
    """Not above it, and above it with any boundary more."""
    problem, threshold = town.problem, town.yardstick.risk
    for policy in set(alternatives(town, 10, 2)):
        assert problem.point(policy).risk <= threshold
        lacked = problem.domains.most_specific.kept & ~policy.kept
        below = [
            Partition(policy.kept | 1 << b) for b in range(lacked.bit_length()) if lacked >> b & 1
        ]
        assert any(problem.point(one).risk > threshold for one in below)


def test_safe_harbor_is_measured_on_the_table(town: Instance) -> None:
    """Ages over 89 in one interval, and areas of few people in one group."""
    assert "90 and over" in town.safe_harbor.says[0]
    kept = town.safe_harbor.partition
    domains = town.problem.domains
    assert [first for first, _ in domains.intervals(kept)[0]] == list(range(11))
    wanted = shares_by_definition(town.study.cells, kept)
    assert town.yardstick == pytest.approx(wanted, abs=1e-9)


def test_examples_come_from_different_chains(town: Instance) -> None:
    """Each is the farthest of its chain from what it dominates."""
    kept = record(CHOSEN.sublattices(2), town.problem, 500)
    yardstick = Point(0.9, 0.9)
    members = chosen(kept, yardstick)
    assert len(members) == 2
    assert len({kept.origin[m.policy] for m in members}) == 2
    assert all(dominates(Point(m.risk, m.loss), yardstick) for m in members)
    assert set(members) <= set(better_than(kept, yardstick))
    assert chosen(kept, Point(0.0, 0.0)) == []


def test_thinned_points_are_some_of_the_points() -> None:
    """One for each cell of the grid."""
    points = np.array([[0.1, 0.1], [0.1001, 0.1001], [0.5, 0.5], [1.0, 0.0]])
    assert thinned(points).tolist() == [[0.1, 0.1], [0.5, 0.5], [1.0, 0.0]]


# Beyond the paper.


def test_ours_may_evaluate_a_tenth(town: Instance) -> None:
    """And all is set against the SHS with the least area."""
    found = race(town.problem, 600, strict=True)
    assert [one.name for one in found] == ["SHS, TH 0.3", "SHS, TH 0.5", "steepest", "combined"]
    assert [one.ours for one in found] == [False, False, True, True]
    assert all(one.evaluated <= 600 / SHARE + 1 for one in found if one.ours)
    best = min(found[:2], key=lambda one: one.area)
    rows = compared(7, found)
    assert rows[0]["area_ratio"] is None
    assert rows[3]["area_ratio"] == pytest.approx(found[3].area / best.area)
    assert rows[3]["evaluated_ratio"] == pytest.approx(found[3].evaluated / best.evaluated)
    assert rows[3]["seconds_ratio"] == pytest.approx(found[3].seconds / best.seconds)


def test_a_first_frontier_is_set_against_the_better_in_each() -> None:
    """The least area of the readings, and the least time of them."""
    theirs = [Timed("a", False, 0.4, 9, 90, 8.0), Timed("b", False, 0.5, 9, 90, 2.0)]
    rows = compared(7, [*theirs, Timed("c", True, 0.1, 9, 9, 1.0, 0.5, 0.2)])
    assert rows[0]["complete_area_ratio"] is rows[0]["complete_seconds_ratio"] is None
    assert rows[2]["complete_area_ratio"] == pytest.approx(0.5)
    assert rows[2]["complete_seconds_ratio"] == pytest.approx(0.25)


def test_a_frontier_is_complete_when_its_first_chain_is(town: Instance) -> None:
    """Not before; the initial chain of SHS is not counted."""
    boundaries = town.problem.domains.boundaries
    whole = ours(town.problem, Steepest(), 1_000)
    assert whole.evaluated == boundaries + 1
    assert whole.complete is not None
    assert whole.complete_area == whole.area
    part = ours(town.problem, Steepest(), boundaries // 2)
    assert part.complete is part.complete_area is None
    counted = shs(town.problem, CHOSEN, 200, 0).evaluated
    assert 200 <= counted <= 200 + boundaries


# Pieces of work, and all of it.


def add(shared: int, piece: int) -> int:
    """Add."""
    return shared + piece


@pytest.mark.nightly
def test_work_is_spread_over_processes_in_order() -> None:
    """With the same results as in one."""
    done: list[int] = []
    assert (
        spread(10, add, [3, 1, 2], 2, done.append) == [13, 11, 12] == spread(10, add, [3, 1, 2], 1)
    )
    assert done == [1, 2, 3]


def test_progress_is_told_after_each_tenth() -> None:
    """And at the end."""
    told: list[str] = []
    tell: Callable[[int], None] = tenths(told.append, "runs", 35)
    for number in range(1, 36):
        tell(number)
    assert len(told) == 12
    assert told[-1] == "runs: 35 of 35"


@pytest.mark.nightly
def test_every_experiment_gives_a_table(found: Reproduction) -> None:
    """With a figure or an honest gap in every cell, as plain JSON."""
    assert [table.name for table in found.tables] == [
        "figure-5-areas",
        "figure-5-checkpoints",
        "readings",
        "spans",
        "figure-6-correlation",
        "figure-6-means",
        "figure-7-8-frontiers",
        "figure-8-alternatives",
        "figure-7-8-points",
        "figure-9-examples",
        "beyond",
        "beyond-courses",
    ]
    for table in found.tables:
        assert table.rows, table.name
        assert all(len(table.texts(row)) == len(table.columns) for row in table.rows)
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["settings"]["population"] == ["Made up."]
    assert document["settings"]["boundaries"] == "33 (published 738)"


@pytest.mark.nightly
def test_every_picture_can_be_drawn(found: Reproduction, tmp_path: Path) -> None:
    """In both forms, with its title in it."""
    assert len(found.pictures) == 5
    for picture in found.pictures:
        reproduction._write_picture(picture, tmp_path)
        drawn = (tmp_path / f"{picture.name}.svg").read_text("utf-8")
        assert picture.specification["title"]["text"].partition(" ")[0] in drawn
        assert (tmp_path / f"{picture.name}.png").stat().st_size > 5_000


def test_the_published_figures_fit_each_other() -> None:
    """The budget is twenty chains of one policy more than there are boundaries."""
    assert published.BUDGET == published.RUNS * (published.BOUNDARIES + 1)
    assert published.ON_ONE_CHAIN < published.BETTER_THAN_SAFE_HARBOR < published.POINTS


@pytest.fixture(scope="module")
def adult(data_dir: Path) -> Instance:
    """Adult among the people of Tennessee."""
    for needed in ("adult_uci", "census"):
        if not (data_dir / needed).is_dir():
            pytest.skip(f"ROADSTEAD_DATA has no folder {needed}")
    return instances.adult(1)


@pytest.mark.nightly
def test_adult_gives_the_findings_of_the_paper(adult: Instance) -> None:
    """In small: SHS leads, much of its frontier dominates Safe Harbor, and ours is best."""
    problem = adult.problem
    assert problem.domains.boundaries == 754
    assert adult.study.cells.total == 32_561
    _, ahead = efficiency(problem, EfficiencyExtent(2, 300), 1, quiet)
    correlations, _ = heuristic(problem, 25, 1, quiet)
    extent = QualityExtent(QUICK.quality.budget, problem.domains.boundaries + 1, 3)
    frontiers, found_alternatives, _, examples = quality(adult, extent, quiet)
    outcomes = compared(1, race(problem, QUICK.beyond.budget, strict=False))
    tables = (ahead, correlations, frontiers, found_alternatives, examples)
    the_findings_hold({table.name: table.rows for table in tables} | {"beyond": outcomes})


@pytest.mark.slow
@pytest.mark.usefixtures("adult")
def test_all_experiments_on_adult_give_the_findings_of_the_paper() -> None:
    """As the command runs them quickly."""
    reproduction = run(quiet, quick=True)
    assert reproduction.settings["boundaries"] == "754 (published 738)"
    assert reproduction.settings["records"] == "32,561"
    the_findings_hold({table.name: table.rows for table in reproduction.tables})


def the_findings_hold(rows: Mapping[str, Sequence[Row]]) -> None:
    """Compare the rows of each table with what the paper says, and with what we say beyond it."""
    assert all(float(str(row["below"])) > 0 for row in rows["figure-5-checkpoints"])
    assert all(float(str(row["low"])) > 0.3 for row in rows["figure-6-correlation"])
    theirs, own = rows["figure-7-8-frontiers"]
    assert int(str(theirs["better"])) >= published.BETTER_THAN_SAFE_HARBOR
    assert float(str(own["area"])) < 0.7 * float(str(theirs["area"]))
    assert all(row["by_any"] == 1.0 for row in rows["figure-8-alternatives"])
    assert {row["policy"] for row in rows["figure-9-examples"]} == {"Safe Harbor", "A", "B"}
    outcomes = {row["search"]: row for row in rows["beyond"]}
    for name in ("steepest", "combined"):
        assert float(str(outcomes[name]["area_ratio"])) < 0.7
        assert float(str(outcomes[name]["evaluated_ratio"])) <= 0.1


@pytest.mark.nightly
@pytest.mark.parametrize("quick", [True, False])
def test_the_command_runs_all_of_it_on_adult(
    town: Instance,
    found: Reproduction,
    monkeypatch: pytest.MonkeyPatch,
    quick: bool,  # noqa: FBT001 - a table of cases
) -> None:
    """Quickly with the same population again; in full, others are made as is usual."""
    asked: list[tuple[Instance, Extent]] = []
    makers: list[Maker | None] = []

    def reproduced(
        instance: Instance, extent: Extent, _: Tell, make: Maker | None = None, *, began: float
    ) -> Reproduction:
        assert began > 0
        asked.append((instance, extent))
        makers.append(make)
        return found

    monkeypatch.setattr(experiments, "adult", {1: town}.__getitem__)
    monkeypatch.setattr(experiments, "reproduce", reproduced)
    own = experiments_of("xia2013")
    assert own.expected_seconds(quick=quick) == (QUICK if quick else FULL).expected
    assert own.run(quiet, quick=quick) is found
    assert asked == [(town, QUICK if quick else FULL)]
    assert [make and make(2) for make in makers] == [town if quick else None]
