"""Paper 002's experiments, on small synthetic records and, if available, on the real data."""

from __future__ import annotations

import csv
import gzip
import os
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest

from roadstead.cli.reproduce import experiments_of
from roadstead.differential.domains import NumericDomain, SetDomain
from roadstead.differential.private_table import PrivateTable
from roadstead.errors import SourceError
from roadstead_reproductions import datasets
from roadstead_reproductions.mohammed2013 import diabetes as encounters
from roadstead_reproductions.mohammed2013 import experiments, published
from roadstead_reproductions.mohammed2013.accuracies import (
    Cell,
    Grid,
    GridExtent,
    claims_table,
    grid,
    grid_table,
)
from roadstead_reproductions.mohammed2013.adult import Records, complete_records, private_table
from roadstead_reproductions.mohammed2013.adult_domains import (
    CLASSES,
    COLUMNS,
    TARGET,
    adult_domains,
)
from roadstead_reproductions.mohammed2013.choosing import choosing
from roadstead_reproductions.mohammed2013.comparison import (
    Compared,
    ComparisonExtent,
    compare,
    comparison_table,
)
from roadstead_reproductions.mohammed2013.diabetes import Encounters
from roadstead_reproductions.mohammed2013.experiments import (
    DIED,
    FULL,
    PROCEDURE,
    QUICK,
    READMITTED,
    SOON,
    Extent,
    Readers,
    of_encounters,
    reproduce,
)
from roadstead_reproductions.mohammed2013.mimic import mimic
from roadstead_reproductions.mohammed2013.runs import (
    Asked,
    Bounds,
    Fold,
    Run,
    TwoThirds,
    accuracies,
    bounds,
    judge,
    k_anonymous,
)
from roadstead_reproductions.mohammed2013.scaling import (
    Measured,
    ScalingExtent,
    most_memory,
    scaling,
    scaling_table,
    write_varied,
)
from roadstead_reproductions.mohammed2013.steps import StepsExtent, steps_table
from roadstead_reproductions.mohammed2013.ways import (
    DEFAULT,
    GAIN_CHOSEN,
    GAIN_CONSISTENT,
    MAX_CONSISTENT,
    PAPER_INFO_GAIN,
    PAPER_MAX,
)
from roadstead_reproductions.reproduction import Reproduction
from roadstead_reproductions.tables import ResultTable

RECORDS = 6_000
TINY = Extent(
    name="tiny",
    scaling=ScalingExtent((300, 600, 900), specializations=3),
    grid=GridExtent((Fraction(1),), (2, 4), 2),
    steps=StepsExtent((Fraction(1),), 2),
    comparison=ComparisonExtent((Fraction(1),), 1, 2, specializations=3),
    epsilons=(Fraction(1),),
    encounters=None,
    diabetes_runs=2,
    mimic_runs=2,
    workers=1,
)


def quiet(_: str) -> None:
    """Report nothing."""


def made_up(size: int = RECORDS) -> Records:
    """Records of any values at all; nine in ten have the class that their schooling says."""
    chance = np.random.default_rng(1)
    values, codes = [], []
    for domain in adult_domains():
        if isinstance(domain, NumericDomain):
            steps = max(domain.size // 1_000, 1)
            own = [str(at) for at in range(int(domain.low), int(domain.high) + 1, steps)]
        else:
            assert not isinstance(domain, SetDomain)
            own = list(domain.taxonomy.leaf_labels)
        values.append(tuple(own))
        codes.append(chance.integers(len(own), size=size).astype(np.int32))
    schooling = codes[COLUMNS.index("education-num")]
    other = chance.random(size) < 0.1
    values.append(CLASSES)
    codes.append(((schooling >= 12) ^ other).astype(np.int32))
    return Records(tuple(values), tuple(codes))


def nothing_there() -> Encounters:
    """Report that there are no data."""
    raise SourceError("it is nowhere", where="here", fix="look elsewhere")


@pytest.fixture(scope="module")
def records() -> Records:
    """Such records."""
    return made_up()


@pytest.fixture(scope="module")
def table(records: Records) -> PrivateTable:
    """The same in their domains."""
    return private_table(records)


@pytest.fixture(scope="module")
def small_grid(table: PrivateTable) -> Grid:
    """Figure 4 of them."""
    return grid(table, GridExtent((Fraction(1),), (2, 4), 3), 1, quiet)


@pytest.fixture(scope="module")
def found(records: Records, table: PrivateTable) -> Reproduction:
    """All experiments on them; the diabetes data are missing."""
    return reproduce(records, Readers(nothing_there, lambda: table), TINY, quiet)


def run_of(accuracy: float, *, steps: int = 4, seconds: float = 1.0) -> Run:
    """Give a run of which only the accuracy matters."""
    return Run(accuracy, kept=1.0, steps=steps, set_steps=0, groups=8, listed=4, seconds=seconds)


def table_of(found: Reproduction, name: str) -> ResultTable:
    """Find a table."""
    (own,) = (one for one in found.tables if one.name == name)
    return own


# Runs.


def test_folds_predict_every_record_once(table: PrivateTable) -> None:
    """Records to learn from and records to predict are all records together, in each fold."""
    parts = [Fold(3, place, 4).of(table) for place in range(4)]
    assert sum(test.records for _, test in parts) == table.records
    assert all(train.records + test.records == table.records for train, test in parts)
    ages = sum(np.bincount(test.codes[0], weights=test.counts, minlength=80) for _, test in parts)
    assert np.array_equal(ages, np.bincount(table.codes[0], weights=table.counts, minlength=80))


def test_two_thirds_are_others_with_another_seed(table: PrivateTable) -> None:
    """A release is made from two thirds of the records."""
    train, test = TwoThirds(1).of(table)
    other, _ = TwoThirds(2).of(table)
    assert (train.records, test.records) == (4_000, 2_000)
    assert any(
        not np.array_equal(own, its) for own, its in zip(train.codes, other.codes, strict=True)
    )


def test_accuracy_lies_between_the_bounds(table: PrivateTable) -> None:
    """A release reveals part of the class, and no more than the records do."""
    both = bounds(table, TwoThirds(0))
    ours = judge(table, Asked(GAIN_CHOSEN, Fraction(1), 4, TwoThirds(0)))
    tds = k_anonymous(table, TwoThirds(0))
    assert both.la + 0.05 < ours.accuracy < both.ba + 0.02
    assert both.la + 0.05 < tds < both.ba + 0.02
    assert ours.steps >= 1
    assert abs(ours.kept - 1) < 0.1


def test_a_run_makes_as_many_specializations_as_it_is_asked_for(table: PrivateTable) -> None:
    """The default does not ask."""
    for way in (PAPER_MAX, PAPER_INFO_GAIN, GAIN_CONSISTENT):
        assert judge(table, Asked(way, Fraction(1), 3, TwoThirds(0))).steps == 3


# Figure 4.


@pytest.mark.nightly
def test_max_is_above_info_gain(small_grid: Grid) -> None:
    """InfoGain is nearly random at epsilon 1; Max finds the attribute that predicts the class."""
    ours = small_grid.estimate(PAPER_MAX.name, Fraction(1), 4)
    other = small_grid.estimate(PAPER_INFO_GAIN.name, Fraction(1), 4)
    assert ours.mean > small_grid.la + 0.1
    assert ours.mean > other.mean + 0.02


@pytest.mark.nightly
def test_a_point_has_the_runs_of_its_own_way(small_grid: Grid) -> None:
    """Runs are dealt to the points in their order."""
    for cell, runs in small_grid.runs.items():
        assert len(runs) == 3
        assert {one.steps for one in runs} == {cell.specializations}
    assert len(small_grid.runs) == 8
    rows = grid_table(small_grid).rows
    assert [(row["way"], row["specializations"]) for row in rows][:2] == [
        (PAPER_MAX.name, 2),
        (PAPER_MAX.name, 4),
    ]


def hand_made(paper: float, ours: float, info: float) -> Grid:
    """Figure 4 at epsilon 1 and 10 specializations, with accuracies given."""
    pairs = ((PAPER_MAX, paper), (MAX_CONSISTENT, ours), (PAPER_INFO_GAIN, info))
    return Grid(
        {
            Cell(way.name, Fraction(1), 10): (run_of(ca - 0.01), run_of(ca + 0.01))
            for way, ca in pairs
        },
        (Bounds(0.85, 0.75), Bounds(0.856, 0.76)),
    )


@pytest.mark.parametrize(
    ("accuracy", "cost", "benefit"),
    [(0.8224, "yes", "yes"), (0.84, "better", "better"), (0.79, "no", "no")],
)
def test_a_statement_holds_within_a_percent(accuracy: float, cost: str, benefit: str) -> None:
    """BA - CA is 3% there, CA - LA 6.74%; BA is 0.853, LA 0.755."""
    rows = {str(row["statement"]): row for row in claims_table(hand_made(accuracy, 0.8, 0.7)).rows}
    point = f"{PAPER_MAX.name}, epsilon 1, 10 specializations"
    assert rows[f"{point}: BA - CA"]["holds"] == cost
    assert rows[f"{point}: CA - LA"]["holds"] == benefit
    assert rows[f"{point}: BA - CA"]["ours"] == f"{100 * (0.853 - accuracy):.2f}%"
    assert rows["points at which Max is above InfoGain"]["holds"] == "yes"


def test_a_statement_that_does_not_hold_is_told() -> None:
    """InfoGain may be above Max, and a release may be slow."""
    made = hand_made(0.78, 0.8, 0.79)
    slow = {cell: (*runs, run_of(0.8, seconds=31.0)) for cell, runs in made.runs.items()}
    rows = {str(row["statement"]): row for row in claims_table(replace(made, runs=slow)).rows}
    assert rows["points at which Max is above InfoGain"]["holds"] == "no"
    assert rows["the longest time of a release, in seconds"]["holds"] == "no"


def test_only_the_published_point_has_a_published_figure(small_grid: Grid) -> None:
    """It is LA and 6.74%, of Max at epsilon 1 with 10 specializations."""
    (row,) = (row for row in grid_table(hand_made(0.8, 0.8, 0.8)).rows if row["ca_published"])
    assert row["way"] == PAPER_MAX.name
    assert row["ca_published"] == pytest.approx(0.8224)
    assert not any(row["ca_published"] for row in grid_table(small_grid).rows)


def test_the_published_figures_fit_each_other() -> None:
    """At epsilon 1 and 0.5 cost and benefit add up to BA - LA, 9.8%."""
    between = published.BA - published.LA
    assert abs(published.SHOWN_COST + published.SHOWN_BENEFIT - between) < 0.003
    (cheap, dear), (little, much) = published.HALF_COSTS, published.HALF_BENEFITS
    assert cheap + much == pytest.approx(between)
    assert dear + little == pytest.approx(between)


# The steps to ours, and choosing.


def test_ways_are_compared_run_by_run() -> None:
    """The difference of two ways is the mean of the differences, the interval that of these."""
    runs = {
        (Fraction(1), PAPER_MAX.name): (run_of(0.70), run_of(0.80), run_of(0.90)),
        (Fraction(1), "other"): (run_of(0.72), run_of(0.82), run_of(0.92)),
    }
    first, second = steps_table(runs, 0.95).rows
    assert first["ahead"] is None
    assert second["ahead"] == pytest.approx(0.02)
    assert second["ahead_margin"] == pytest.approx(0.0, abs=1e-12)
    assert second["margin"] == pytest.approx(4.3027 * 0.1 / 3**0.5, rel=1e-4)
    assert second["cost"] == pytest.approx(0.95 - 0.82)


@pytest.mark.nightly
def test_the_chosen_number_is_set_against_the_best(table: PrivateTable, small_grid: Grid) -> None:
    """The best and the worst are of the fixed numbers; the made-up rule is found either way."""
    result, drawn = choosing(table, small_grid, 1, quiet)
    other, row = result.rows
    assert (other["way"], row["way"]) == (DEFAULT.name, GAIN_CHOSEN.name)
    means = {
        number: small_grid.estimate(GAIN_CONSISTENT.name, Fraction(1), number).mean
        for number in (2, 4)
    }
    assert row["best_ca"] == max(means.values())
    assert row["worst_ca"] == min(means.values())
    assert row["behind"] == pytest.approx(max(means.values()) - float(str(row["ca"])))
    assert float(str(row["ca"])) > small_grid.la + 0.1
    assert [one["number"] for one in drawn] == ["2", "4", "chosen"] * 2


# Figure 5A.


@pytest.mark.nightly
def test_every_way_and_bound_is_compared(table: PrivateTable) -> None:
    """BA is above all, and LA below TDS."""
    extent = ComparisonExtent((Fraction(1),), 1, 2, specializations=3)
    own = compare(table, extent, 1, quiet)
    assert own.la.mean + 0.1 < own.tds.mean < own.ba.mean + 0.02
    assert all(own.la.mean < one.mean < own.ba.mean + 0.02 for one in own.means.values())
    ways = [str(row["way"]) for row in comparison_table(own, extent).rows]
    assert ways[-3:] == ["BA", "TDS, k = 5", "LA"]


def test_it_is_told_where_a_release_is_above_tds() -> None:
    """Only at the epsilons where its mean is."""
    tds = accuracies([run_of(0.80), run_of(0.81)])
    high, low = (accuracies([run_of(one), run_of(one)]) for one in (0.825, 0.70))
    means = {
        (way, Fraction(one)): low for way in (PAPER_MAX.name, GAIN_CHOSEN.name) for one in (1, 2)
    }
    means[GAIN_CHOSEN.name, Fraction(2)] = high
    means |= {(DEFAULT.name, Fraction(one)): low for one in (1, 2)}
    notes = comparison_table(
        Compared(means, tds, high, low), ComparisonExtent((Fraction(1), Fraction(2)), 1, 10)
    ).notes
    assert f"{PAPER_MAX.name}: below TDS at every epsilon." in notes
    assert f"{GAIN_CHOSEN.name}: above TDS at epsilon 2, by 2.0% on average there." in notes


# Figure 5B.


def test_variations_keep_the_class_and_stay_in_the_domains(
    records: Records, tmp_path: Path
) -> None:
    """The first records are unchanged; in the others, about half of the values are replaced."""
    path = tmp_path / "varied.csv"
    size = 2 * RECORDS
    write_varied(path, records, size, seed=1)
    with path.open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream)
    assert tuple(header) == COLUMNS
    assert len(rows) == size
    cells = np.array(rows)
    at = COLUMNS.index(TARGET)
    originals, variations = cells[:RECORDS], cells[RECORDS:]
    assert np.array_equal(originals[:, at], variations[:, at])
    first = [values[code[0]] for values, code in zip(records.values, records.codes, strict=True)]
    assert originals[0].tolist() == first
    age, weight = COLUMNS.index("age"), COLUMNS.index("fnlwgt")
    # In a large domain, the same value is rarely drawn again.
    assert abs((originals[:, weight] != variations[:, weight]).mean() - 0.5) < 0.05
    ages = variations[:, age].astype(int)
    assert ages.min() >= 15
    assert ages.max() <= 94


def test_a_line_is_fitted_to_the_whole_times() -> None:
    """Times on a line are all predicted by the line."""
    sizes = (100_000, 200_000, 400_000)
    measured = [Measured(size, 1e-5 * size, 1e-6 * size, 9.0, 1.0, None) for size in sizes]
    result = scaling_table(ScalingExtent(sizes), measured, None)
    assert [row["total"] for row in result.rows] == pytest.approx([2.1, 3.2, 5.4])
    assert [row["fitted"] for row in result.rows] == pytest.approx([2.1, 3.2, 5.4])
    assert any(
        "11.00 microseconds per record and 1.00 s; it explains 100.0%" in n for n in result.notes
    )


def test_tables_grow(records: Records) -> None:
    """Each size is read from a file with so many records."""
    result = scaling(records, ScalingExtent((300, 900), specializations=3), quiet)
    assert [row["records"] for row in result.rows] == [300, 900]
    assert [row["distinct"] for row in result.rows] == [300, 900]
    for row in result.rows:
        parts = [float(str(row[name])) for name in ("reading", "placing", "ours")]
        assert float(str(row["total"])) == pytest.approx(sum(parts))
        assert min(parts) > 0


def test_memory_is_that_of_this_process() -> None:
    """It is given on Linux, and then it is at least the size of a large array."""
    before = most_memory()
    if before is None:
        pytest.skip("this system does not tell")
    array = np.ones(1 << 24)
    after = most_memory()
    assert after is not None
    assert after >= before
    assert after >= array.nbytes


# All together.


@pytest.mark.nightly
def test_every_experiment_gives_a_table(found: Reproduction) -> None:
    """Missing data are reported, and the rest is run."""
    assert [one.name for one in found.tables] == [
        "figure-4-claims",
        "figure-4-accuracies",
        "steps",
        "choosing",
        "figure-5a-comparison",
        "figure-3-heterogeneous",
        "figure-5b-scaling",
    ]
    assert all(one.rows for one in found.tables)
    for one in found.tables:
        for row in one.rows:
            assert set(one.names) <= row.keys()
            assert all(one.texts(row))
    heterogeneous = table_of(found, "figure-3-heterogeneous")
    assert {row["data"] for row in heterogeneous.rows} == {DIED}
    assert any("diabetes is left out: here: it is nowhere" in note for note in heterogeneous.notes)
    assert found.settings["left out"] == ["diabetes: here: it is nowhere; look elsewhere"]


@pytest.mark.nightly
def test_every_picture_can_be_drawn(found: Reproduction, tmp_path: Path) -> None:
    """And everything can be written."""
    found.write(tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    for picture in ("figure-4-accuracies", "figure-5a-comparison", "figure-5b-scaling", "choosing"):
        assert {f"{picture}.svg", f"{picture}.png"} <= names


def test_the_command_runs_what_the_paper_ran(monkeypatch: pytest.MonkeyPatch) -> None:
    """Quick and full differ in extent alone."""
    asked: list[Extent] = []

    def reproduced(
        _records: Records, _readers: object, extent: Extent, *_: object, **__: object
    ) -> None:
        asked.append(extent)

    monkeypatch.setattr(experiments, "complete_records", made_up)
    monkeypatch.setattr(experiments, "reproduce", reproduced)
    own = experiments_of("mohammed2013")
    own.run(quiet, quick=True)
    own.run(quiet, quick=False)
    assert asked == [QUICK, FULL]
    assert FULL.grid == GridExtent(published.EPSILONS, published.SPECIALIZATIONS, published.RUNS)
    assert (FULL.scaling.sizes[0], FULL.scaling.sizes[-1]) == (200_000, 1_000_000)
    assert set(QUICK.grid.epsilons) <= set(FULL.grid.epsilons)


# Their data.


def data(name: str) -> Path:
    """Find a data set, or skip."""
    folder = Path(os.environ.get("ROADSTEAD_DATA") or "nowhere") / name
    if not folder.is_dir():
        pytest.skip(f"ROADSTEAD_DATA has no folder {name}")
    return folder


@pytest.mark.nightly
def test_adult_has_the_records_and_the_bounds_of_the_paper() -> None:
    """45,222 complete records, all within their domains, of which 75.2% are of one class."""
    data("adult_uci")
    own = private_table(complete_records())
    assert own.records == published.RECORDS
    assert (own.left_out, own.clamped) == (0, ())
    majority = np.bincount(own.target, weights=own.counts).max() / own.records
    assert majority == pytest.approx(published.LA, abs=0.004)
    runs = {
        way: fmean(
            judge(own, Asked(way, Fraction(1), 10, TwoThirds(seed))).accuracy for seed in range(3)
        )
        for way in (PAPER_MAX, GAIN_CHOSEN)
    }
    assert all(majority + 0.04 < mean < published.BA + 0.005 for mean in runs.values())


def test_a_line_that_is_no_record_of_adult_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And so is a file that is not there."""
    folder = tmp_path / "adult_uci"
    folder.mkdir()
    monkeypatch.setenv("ROADSTEAD_DATA", str(tmp_path))
    with pytest.raises(SourceError, match=r"adult\.data: the file does not exist"):
        complete_records()
    (folder / "adult.data").write_text("39, State-gov\n", encoding="utf-8")
    with pytest.raises(SourceError, match="line 1: it is not a record of Adult"):
        complete_records()


def first_encounters(folder: Path, number: int) -> list[dict[str, str]]:
    """Copy the first encounters to a folder of their own, and give them."""
    (folder / "diabetes130").mkdir()
    source = data("diabetes130") / "diabetic_data.csv.gz"
    with gzip.open(source, "rt", encoding="utf-8", newline="") as stream:
        lines = [line for line, _ in zip(stream, range(number + 1), strict=False)]
    target = folder / "diabetes130" / "diabetic_data.csv.gz"
    with gzip.open(target, "wt", encoding="utf-8", newline="") as stream:
        stream.writelines(lines)
    return list(csv.DictReader(lines))


def test_encounters_have_their_diagnoses_as_one_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted by hand: encounters with diabetes (250) or heart failure (428) among their codes."""
    rows = first_encounters(tmp_path, 4_000)
    monkeypatch.setattr(datasets, "data_set", lambda name: tmp_path / name)
    monkeypatch.setattr(encounters, "data_set", lambda name: tmp_path / name)
    own = encounters.diabetes()
    assert own.readmitted.records == own.procedures.records == len(rows)
    for category in ("250", "428"):
        by_hand = sum(
            any(row[code].partition(".")[0] == category for code in ("diag_1", "diag_2", "diag_3"))
            for row in rows
        )
        assert having(own.readmitted, category) == by_hand
        assert having(own.procedures, category) == by_hand
    labels = [row["readmitted"] for row in rows]
    readmitted, soon, procedure = of_encounters(own, TINY)
    assert (readmitted.name, soon.name, procedure.name) == (READMITTED, SOON, PROCEDURE)
    for subject, number in (
        (readmitted, sum(one != "NO" for one in labels)),
        (soon, labels.count("<30")),
        (procedure, sum(row["num_procedures"] != "0" for row in rows)),
    ):
        counts = np.bincount(subject.table.target, weights=subject.table.counts)
        assert counts.tolist() == [len(rows) - number, number]


def having(own: PrivateTable, category: str) -> int:
    """Count the records with a category among the items of their set."""
    domain, sets = own.domains[-1], own.sets[-1]
    assert isinstance(domain, SetDomain)
    assert sets is not None
    (leaf,) = domain.taxonomy.locate([category])
    has = [leaf in items for items in np.split(sets.items, sets.starts[1:-1])]
    return int(own.counts[np.array(has)[own.codes[-1]]].sum())


def test_admissions_have_the_diagnoses_of_a_second_table() -> None:
    """Counted by hand: admissions with heart failure or with any of a few other categories."""
    folder = data("mimic3_demo")
    own = mimic()
    assert (own.records, own.left_out) == (129, 0)
    assert np.bincount(own.target, weights=own.counts).tolist() == [89, 40]
    with (folder / "DIAGNOSES_ICD.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for category in ("428", "584", "V58"):
        by_hand = {row["hadm_id"] for row in rows if row["icd9_code"].startswith(category)}
        assert having(own, category) == len(by_hand) > 0
