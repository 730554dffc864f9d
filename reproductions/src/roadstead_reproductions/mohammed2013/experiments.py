"""All experiments of paper 002.

As in the paper, a full run makes ten releases for each point, each from a random two thirds of the
records. A quick run tests the experiments with a small part of each experiment.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from roadstead.differential.evaluation.accuracy import split
from roadstead.differential.private_table import PrivateTable
from roadstead.errors import SourceError
from roadstead_reproductions.mohammed2013 import charts, published
from roadstead_reproductions.mohammed2013.accuracies import (
    GridExtent,
    claims_table,
    grid,
    grid_table,
)
from roadstead_reproductions.mohammed2013.adult import Records, complete_records, private_table
from roadstead_reproductions.mohammed2013.choosing import choosing
from roadstead_reproductions.mohammed2013.comparison import (
    ComparisonExtent,
    compare,
    comparison_table,
)
from roadstead_reproductions.mohammed2013.diabetes import (
    HOW_MANY,
    WHEN,
    Encounters,
    diabetes,
    told_apart,
)
from roadstead_reproductions.mohammed2013.heterogeneous import Subject, heterogeneous
from roadstead_reproductions.mohammed2013.mimic import mimic
from roadstead_reproductions.mohammed2013.scaling import ScalingExtent, scaling
from roadstead_reproductions.mohammed2013.steps import StepsExtent, steps
from roadstead_reproductions.reproduction import Reproduction, check_folder
from roadstead_reproductions.tables import Tell

__all__ = ["check_folder", "expected_seconds", "run"]

PAPER = "mohammed2013"
_MOST_WORKERS = 8
_SEED = 2013
"""The seed for sampling the diabetes data in a quick run."""

READMITTED = "diabetes: readmitted"
SOON = "diabetes: readmitted within 30 days"
PROCEDURE = "diabetes: any procedure"
DIED = "MIMIC-III demo: died in hospital"


@dataclass(frozen=True)
class Readers:
    """The functions that read the heterogeneous data."""

    encounters: Callable[[], Encounters] = diabetes
    admissions: Callable[[], PrivateTable] = mimic


@dataclass(frozen=True)
class Extent:
    """The extent of a run.

    `epsilons` and the numbers of runs apply to figure 3. `encounters` is the number of sampled
    diabetes records, or None for all. `workers` is the number of processes. `expected` is the
    approximate time in seconds on two cores.
    """

    name: str
    scaling: ScalingExtent
    grid: GridExtent
    steps: StepsExtent
    comparison: ComparisonExtent
    epsilons: tuple[Fraction, ...]
    encounters: int | None
    diabetes_runs: int
    mimic_runs: int
    workers: int
    expected: float = 0.0


FULL = Extent(
    name="full",
    scaling=ScalingExtent((200_000, 400_000, 600_000, 800_000, published.LARGEST)),
    grid=GridExtent(published.EPSILONS, published.SPECIALIZATIONS, published.RUNS),
    steps=StepsExtent((Fraction(1, 10), Fraction(1)), 3 * published.RUNS),
    comparison=ComparisonExtent(
        (*published.EPSILONS[:3], Fraction(3, 4), *(Fraction(one) for one in (1, 2, 3, 4))),
        1,
        published.FOLDS,
    ),
    epsilons=published.EPSILONS,
    encounters=None,
    diabetes_runs=5,
    mimic_runs=40,
    workers=max(1, min(_MOST_WORKERS, os.cpu_count() or 1)),
    expected=600.0,
)
QUICK = Extent(
    name="quick",
    scaling=ScalingExtent((20_000, 40_000, 60_000)),
    grid=GridExtent((Fraction(1, 10), Fraction(1)), (4, 10), 3),
    steps=StepsExtent((Fraction(1),), 3),
    comparison=ComparisonExtent((Fraction(1, 10), Fraction(1)), 1, 2, specializations=10),
    epsilons=(Fraction(1),),
    encounters=5_000,
    diabetes_runs=2,
    mimic_runs=3,
    workers=1,
    expected=25.0,
)


def expected_seconds(*, quick: bool) -> float:
    """Estimate how long the experiments take, in seconds."""
    return (QUICK if quick else FULL).expected


def run(tell: Tell, *, quick: bool) -> Reproduction:
    """Run the experiments on Adult, and on the available heterogeneous data.

    The function raises a SourceError if Adult is not available, and a MissingExtraError if the
    library for fetching data is not installed.
    """
    began = time.perf_counter()
    tell("reading Adult")
    records = complete_records()
    return reproduce(records, Readers(), QUICK if quick else FULL, tell, began=began)


def of_encounters(found: Encounters, extent: Extent) -> tuple[Subject, ...]:
    """Return three prediction tasks on the encounters."""
    questions = (
        (READMITTED, found.readmitted, WHEN[1:]),
        (SOON, found.readmitted, WHEN[1:2]),
        (PROCEDURE, found.procedures, HOW_MANY[1:]),
    )
    subjects = []
    for name, table, positive in questions:
        own = told_apart(table, positive)
        if extent.encounters is not None:
            own, _ = split(own, extent.encounters / own.records, _SEED)
        subjects.append(Subject(name, own, extent.diabetes_runs))
    return tuple(subjects)


def reproduce(
    records: Records,
    readers: Readers,
    extent: Extent,
    tell: Tell,
    *,
    began: float | None = None,
) -> Reproduction:
    """Run the experiments on tables.

    `readers` reads the heterogeneous data, and unavailable data are omitted. `began` is the time at
    which the work started, as measured by `time.perf_counter`.
    """
    began = time.perf_counter() if began is None else began
    workers = extent.workers
    # Figure 5B comes first, because it measures memory while the process is still small.
    grown = scaling(records, extent.scaling, tell)
    table = private_table(records)
    figure_4 = grid(table, extent.grid, workers, tell)
    chosen, drawn = choosing(table, figure_4, workers, tell)
    stepwise = steps(table, extent.steps, figure_4, workers, tell)
    compared = compare(table, extent.comparison, workers, tell)
    subjects, left_out = _read(readers, extent, tell)
    figure_3 = heterogeneous(subjects, extent.epsilons, workers, tell, _notes(subjects, left_out))
    tell("drawing")
    pictures = (
        charts.accuracies_picture(figure_4),
        charts.comparison_picture(compared, extent.comparison),
        charts.scaling_picture(grown),
        charts.choosing_picture(drawn),
    )
    return Reproduction(
        PAPER,
        published.REFERENCE,
        _settings(table, subjects, extent, left_out),
        (
            claims_table(figure_4),
            grid_table(figure_4),
            stepwise,
            chosen,
            comparison_table(compared, extent.comparison),
            figure_3,
            grown,
        ),
        pictures,
        time.perf_counter() - began,
    )


def _read(
    readers: Readers, extent: Extent, tell: Tell
) -> tuple[tuple[Subject, ...], dict[str, str]]:
    """Return the available data, and the reasons why other data are missing."""
    makers: dict[str, Callable[[], tuple[Subject, ...]]] = {
        "diabetes": lambda: of_encounters(readers.encounters(), extent),
        "MIMIC-III demo": lambda: (Subject(DIED, readers.admissions(), extent.mimic_runs),),
    }
    found: list[Subject] = []
    left_out: dict[str, str] = {}
    for name, make in makers.items():
        tell(f"reading {name}")
        try:
            found += make()
        except SourceError as error:
            left_out[name] = error.message
            tell(f"{name} is left out: {error.message}")
    return tuple(found), left_out


def _notes(subjects: tuple[Subject, ...], left_out: Mapping[str, str]) -> tuple[str, ...]:
    names = {subject.name for subject in subjects}
    notes = [f"{name} is left out: {why}." for name, why in left_out.items()]
    if SOON in names:
        notes.append(
            "One patient in nine is readmitted within 30 days, and hardly any patient has a "
            "probability above one half. So no classifier is much above LA, not even the "
            "classifier on the original records. Accuracy is not a good measure for such a class."
        )
    if PROCEDURE in names:
        notes.append(
            "Readmission depends more on the number of earlier stays than on the diagnoses, "
            "which are hardly specialized. Whether a procedure was done depends on the "
            "diagnoses. Categories and diagnoses alone predict it, as in MIMIC-II."
        )
    if DIED in names:
        notes.append(
            "The demonstration of MIMIC-III has 129 admissions, and two thirds of these are 86. "
            "At epsilon 0.1, the noise of a count has a standard deviation of at least 14, and "
            "about 27 of the 86 died. So the release consists of noise, and CA is not above LA. "
            "Small data need a large epsilon or another agreement. This experiment only checks "
            "that second tables and sets work. It does not allow conclusions about MIMIC-II."
        )
    return tuple(notes)


def _settings(
    table: PrivateTable,
    subjects: tuple[Subject, ...],
    extent: Extent,
    left_out: Mapping[str, str],
) -> dict[str, object]:
    return {
        "extent": extent.name,
        "records of Adult": f"{table.records:,} (published {published.RECORDS:,}), "
        f"{table.left_out:,} left out",
        "other data": [
            f"{one.name} ({one.table.records:,} records, {one.table.left_out:,} left out), "
            f"{one.runs} runs"
            for one in subjects
        ],
        "left out": [f"{name}: {why}" for name, why in left_out.items()] or "nothing",
        "instead of MIMIC-II": "the diabetes data set and MIMIC-III's demonstration",
        "neighbors": "one more or one less record",
        "randomness": "exact mechanisms with random numbers of the operating system: not seeded",
        "classifier": "decision tree by entropy, pruned by cross-validation, instead of C4.5",
        "runs per point": extent.grid.runs,
        "cross-validation": f"{extent.comparison.validations} x {extent.comparison.folds}",
        "processes": extent.workers,
    }
