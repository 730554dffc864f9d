"""All experiments of paper 003.

A full run has all attributes of all data sets, and every subset of these attributes. A quick run
tests the experiments with fewer attributes, a sample of the subsets, and short time limits. The
times of a quick run are not comparable.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from roadstead.errors import MissingExtraError, SourceError
from roadstead_reproductions.prasser2016 import charts
from roadstead_reproductions.prasser2016.cases import NAMES, SUPPRESSION, Case, K, load, made_up
from roadstead_reproductions.prasser2016.convergence import convergence, warm_up
from roadstead_reproductions.prasser2016.heuristics import heuristics
from roadstead_reproductions.prasser2016.lattices import lattices
from roadstead_reproductions.prasser2016.memory import memory
from roadstead_reproductions.prasser2016.published import REFERENCE
from roadstead_reproductions.prasser2016.recordings import (
    Recording,
    record_best_first,
    record_flash,
)
from roadstead_reproductions.prasser2016.statistics import statistics
from roadstead_reproductions.prasser2016.structures import structures
from roadstead_reproductions.reproduction import Reproduction, check_folder
from roadstead_reproductions.survey import RECORDS, demographics_and, survey
from roadstead_reproductions.tables import Tell

__all__ = ["check_folder", "expected_seconds", "run"]

PAPER = "prasser2016"
_LEFT_OUT_IF_MISSING = "Fars"
"""The data set that has no readable public copy. The other data sets are fetched."""


@dataclass(frozen=True)
class Extent:
    """The extent of a run.

    Attributes
    ----------
    attributes
        The largest number of attributes of a data set in tables 1 and 2 and figure 7.
    whole
        The data sets that are used with all attributes in tables 1 and 2.
    subset_attributes, sample
        The largest number of attributes of a subset in table 5, and the number of subsets of each
        size (None for all subsets).
    survey_records
        The number of people in the made-up survey.
    survey_attributes, survey_seconds, operations
        For the survey in table 1: the attributes, the time limit, and the largest number of
        operations to replay.
    memory_attributes, memory_seconds, explicit_policies
        For the survey in figure 5: the attributes, the time limit, and the largest explicit
        lattice.
    seed
        The seed of the sample.
    expected
        The approximate time in seconds on two cores.
    """

    name: str
    attributes: int
    subset_attributes: int
    sample: int | None
    survey_records: int
    survey_attributes: int
    survey_seconds: float
    operations: int
    memory_attributes: tuple[int, ...]
    memory_seconds: float
    explicit_policies: int
    whole: tuple[str, ...] = ()
    seed: int = 2016
    expected: float = 0.0


FULL = Extent(
    name="full",
    attributes=9,
    subset_attributes=9,
    sample=None,
    survey_records=RECORDS,
    survey_attributes=15,
    survey_seconds=30.0,
    operations=30_000,
    memory_attributes=tuple(range(3, 14)),
    memory_seconds=20.0,
    explicit_policies=4_200_000,
    expected=720.0,
)
QUICK = Extent(
    name="quick",
    attributes=5,
    subset_attributes=5,
    sample=3,
    survey_records=5_000,
    survey_attributes=10,
    survey_seconds=2.0,
    operations=4_000,
    memory_attributes=(3, 5, 7, 9),
    memory_seconds=1.0,
    explicit_policies=100_000,
    whole=("Adult",),
    expected=30.0,
)


def expected_seconds(*, quick: bool) -> float:
    """Estimate how long the experiments take, in seconds."""
    return (QUICK if quick else FULL).expected


def run(tell: Tell, *, quick: bool) -> Reproduction:
    """Run the experiments on the available data sets, and on the made-up survey.

    The function raises a SourceError if Adult or Cup is not available, and a MissingExtraError if
    the library for fetching data is not installed.
    """
    began = time.perf_counter()
    cases, left_out = [], {}
    for name in NAMES:
        tell(f"reading {name}")
        try:
            cases.append(load(name))
        except (SourceError, MissingExtraError) as error:
            if name != _LEFT_OUT_IF_MISSING:
                raise
            left_out[name] = error.message
            tell(f"{name} is left out: {error.message}")
    return reproduce(cases, QUICK if quick else FULL, tell, left_out=left_out, began=began)


def reproduce(
    cases: Sequence[Case],
    extent: Extent,
    tell: Tell,
    *,
    left_out: dict[str, str] | None = None,
    began: float | None = None,
) -> Reproduction:
    """Run the experiments on data sets.

    `left_out` lists unavailable data sets and why they are unavailable. `began` is the time at
    which the work started, as measured by `time.perf_counter`.
    """
    began = time.perf_counter() if began is None else began
    tell("making up the survey")
    people = made_up(survey(extent.survey_records))
    warm_up(cases[0])
    parts = [case.first(extent.attributes) for case in cases]
    searched = [
        case if case.name in extent.whole else part for case, part in zip(cases, parts, strict=True)
    ]
    recordings = record(searched, people, extent, tell)
    tell("table 1: replaying the recordings")
    stores = structures(recordings, extent.operations)
    counts = statistics(
        [r for r in recordings if r.data != people.name],
        {case.name: len(case.attributes) for case in cases},
    )
    tell("explicit compared with implicit lattice")
    both = lattices(parts)
    surveys = [_survey_of(people, number) for number in extent.memory_attributes]
    weights = memory(surveys, extent.explicit_policies, extent.memory_seconds, tell)
    optima, times, quality = convergence(cases, extent.attributes, tell)
    improvement, ours = heuristics(
        cases, extent.subset_attributes, extent.sample, extent.seed, tell
    )
    tell("drawing")
    pictures = (
        charts.structures_picture(stores),
        charts.memory_picture(weights),
        charts.time_picture(times),
        charts.share_picture(times),
        charts.quality_picture(quality),
        charts.improvement_picture(improvement),
        charts.evaluations_picture(improvement),
    )
    return Reproduction(
        PAPER,
        REFERENCE,
        _settings(cases, extent, left_out or {}),
        (stores, counts, both, weights, optima, times, quality, improvement, ours),
        pictures,
        time.perf_counter() - began,
    )


def record(
    parts: Sequence[Case], people: Case, extent: Extent, tell: Tell
) -> tuple[Recording, ...]:
    """Record Flash and best-first on the data sets, and best-first on the survey."""
    found = []
    for case in parts:
        tell(f"recording searches: {case.name}, {len(case.attributes)} attributes")
        found += [record_flash(case), record_best_first(case)]
    part = _survey_of(people, extent.survey_attributes)
    tell(f"recording searches: {part.name}, {len(part.attributes)} attributes")
    return (*found, record_best_first(part, extent.survey_seconds))


def _survey_of(people: Case, attributes: int) -> Case:
    return people.of(demographics_and(max(0, attributes - 6))[:attributes])


def _settings(cases: Sequence[Case], extent: Extent, left_out: dict[str, str]) -> dict[str, object]:
    return {
        "extent": extent.name,
        "k": K,
        "suppression limit": float(SUPPRESSION),
        "quality": "Iyengar's loss, shifted geometric mean",
        "data": [f"{case.name} ({case.table.records:,} records)" for case in cases],
        "left out": [f"{name}: {why}" for name, why in left_out.items()] or "nothing",
        "made-up survey": f"{extent.survey_records:,} records",
        "most attributes": extent.attributes,
        "subsets per size": "all" if extent.sample is None else extent.sample,
        "seed": extent.seed,
        "time limit, survey in table 1": extent.survey_seconds,
        "time limit, figure 5": extent.memory_seconds,
        "largest number of operations replayed": extent.operations,
    }
