"""All experiments of paper 000.

A full run has the paper's budget of 14,780 policies and 20 runs of each search. A quick run tests
the experiments with a small part of each experiment.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from roadstead_reproductions.reproduction import Reproduction, check_folder
from roadstead_reproductions.tables import Tell
from roadstead_reproductions.xia2013 import charts, published
from roadstead_reproductions.xia2013.beyond import BeyondExtent, Maker, beyond
from roadstead_reproductions.xia2013.efficiency import EfficiencyExtent, efficiency
from roadstead_reproductions.xia2013.heuristic import DRAWN, heuristic
from roadstead_reproductions.xia2013.instances import Instance, adult
from roadstead_reproductions.xia2013.quality import QualityExtent, quality
from roadstead_reproductions.xia2013.readings import CHOSEN, ReadingsExtent, readings
from roadstead_reproductions.xia2013.spans import SpansExtent, spans

__all__ = ["check_folder", "expected_seconds", "run"]

PAPER = "xia2013"
_SEED = 1
"""The seed of the population in all experiments except the last."""
_MOST_WORKERS = 8


@dataclass(frozen=True)
class Extent:
    """The extent of a run.

    `sublattices` is the number of random sublattices of each reading in figure 6. `workers` is the
    number of processes. `expected` is the approximate time in seconds on two cores.
    """

    name: str
    efficiency: EfficiencyExtent
    readings: tuple[ReadingsExtent, ...]
    spans: SpansExtent
    sublattices: int
    quality: QualityExtent
    beyond: BeyondExtent
    workers: int
    expected: float = 0.0


FULL = Extent(
    name="full",
    efficiency=EfficiencyExtent(published.RUNS, published.BUDGET),
    readings=(ReadingsExtent((100,), 20), ReadingsExtent((500, 1_000, 2_000), 3)),
    spans=SpansExtent(1_000, 20),
    sublattices=4_000,
    quality=QualityExtent(published.BUDGET, published.BUDGET // 10, published.ALTERNATIVES),
    beyond=BeyondExtent((1, 2, 3, 4, 5), published.BUDGET),
    workers=max(1, min(_MOST_WORKERS, os.cpu_count() or 1)),
    expected=780.0,
)
QUICK = Extent(
    name="quick",
    efficiency=EfficiencyExtent(2, 600),
    readings=(ReadingsExtent((100,), 1),),
    spans=SpansExtent(20, 1),
    sublattices=50,
    quality=QualityExtent(1_000, 800, 5),
    beyond=BeyondExtent((_SEED,), 7_600, strict=False),
    workers=1,
    expected=25.0,
)


def expected_seconds(*, quick: bool) -> float:
    """Estimate how long the experiments take, in seconds."""
    return (QUICK if quick else FULL).expected


def run(tell: Tell, *, quick: bool) -> Reproduction:
    """Run the experiments on Adult among the people of Tennessee.

    The function raises a SourceError if Adult or the census is not available.
    """
    began = time.perf_counter()
    tell("estimating the population of Tennessee, and matching Adult with it")
    instance = adult(_SEED)
    if quick:
        return reproduce(instance, QUICK, tell, lambda _seed: instance, began=began)
    return reproduce(instance, FULL, tell, began=began)


def reproduce(
    instance: Instance,
    extent: Extent,
    tell: Tell,
    make: Maker = adult,
    *,
    began: float | None = None,
) -> Reproduction:
    """Run the experiments on a table with its population.

    `make` creates the tables and populations of the last experiment. `began` is the time at which
    the work started, as measured by `time.perf_counter`.
    """
    began = time.perf_counter() if began is None else began
    problem, workers = instance.problem, extent.workers
    areas, every = efficiency(problem, extent.efficiency, workers, tell)
    open_questions = readings(problem, extent.readings, workers, tell)
    levels = spans(problem, extent.spans, workers, tell)
    correlations, means = heuristic(problem, extent.sublattices, workers, tell)
    frontiers, alternatives, points, examples = quality(instance, extent.quality, tell)
    outcomes, courses = beyond(extent.beyond, make, workers, tell)
    tell("drawing")
    pictures = (
        charts.areas_picture(every),
        charts.heuristic_picture(means, DRAWN[0]),
        charts.frontier_picture(points),
        charts.safe_harbor_picture(points),
        charts.beyond_picture(courses),
    )
    return Reproduction(
        PAPER,
        published.REFERENCE,
        _settings(instance, extent),
        (
            areas,
            every,
            open_questions,
            levels,
            correlations,
            means,
            frontiers,
            alternatives,
            points,
            examples,
            outcomes,
            courses,
        ),
        pictures,
        time.perf_counter() - began,
    )


def _settings(instance: Instance, extent: Extent) -> dict[str, object]:
    cells, domains = instance.study.cells, instance.problem.domains
    return {
        "extent": extent.name,
        "records": f"{cells.total:,}",
        "people": f"{int(cells.people.sum()):,}",
        "attributes": [
            f"{name} ({size})" for name, size in zip(domains.attributes, domains.sizes, strict=True)
        ],
        "boundaries": f"{domains.boundaries} (published {published.BOUNDARIES})",
        "population": list(instance.study.notes),
        "risk": "sum of 1 / identical people, as a share of the original data's",
        "loss": f"divergence as a share of the greatest, {instance.problem.loss_unit:.3f} nats",
        "reading of SHS": f"threshold {CHOSEN.threshold:g}, {CHOSEN.sampler}, initial frontier "
        f"{CHOSEN.initial}",
        "budget": f"{extent.efficiency.budget:,} policies, {extent.efficiency.runs} runs",
        "sublattices of figure 6": extent.sublattices,
        "populations beyond the paper": len(extent.beyond.seeds),
        "processes": extent.workers,
    }
