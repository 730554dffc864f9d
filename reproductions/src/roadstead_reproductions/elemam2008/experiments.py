"""The simulation of paper 001, and the reasons for its findings.

A full run draws 1,000 samples of each fraction of each population, as in the paper. A quick run
draws 30 samples: enough for the curves, but not for their last digit.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass

from roadstead.errors import MissingExtraError, SourceError
from roadstead_reproductions.elemam2008 import charts, reasons, tables
from roadstead_reproductions.elemam2008.checkpoints import checkpoints
from roadstead_reproductions.elemam2008.findings import findings_table
from roadstead_reproductions.elemam2008.populations import Population, cup, fars, physicians
from roadstead_reproductions.elemam2008.published import (
    FRACTIONS,
    PHYSICIANS,
    POPULATIONS,
    REFERENCE,
    REPETITIONS,
    SIZES,
)
from roadstead_reproductions.elemam2008.register import EVEN
from roadstead_reproductions.elemam2008.rules import SIGNIFICANCE
from roadstead_reproductions.elemam2008.simulation import Draws, Series, Simulated, simulate
from roadstead_reproductions.elemam2008.summaries import summarized
from roadstead_reproductions.elemam2008.tables import MEASURES, Panels
from roadstead_reproductions.reproduction import Reproduction, check_folder
from roadstead_reproductions.tables import Picture, ResultTable, Tell

__all__ = ["check_folder", "expected_seconds", "run"]

PAPER = "elemam2008"
_SEED = 2008


@dataclass(frozen=True)
class Extent:
    """The extent of a run.

    Attributes
    ----------
    repetitions
        The number of samples of each fraction of each population.
    others
        The number of samples of each fraction for the explanations.
    sizes
        The k of k-anonymity, starting with the k of the paper's figures.
    workers
        The number of processes, or 0 for one process per core.
    resumes
        Whether to store finished parts, so that a later run can continue.
    seed
        The seed of the samples and of the made-up register.
    expected
        The approximate time in seconds on two cores.
    """

    name: str
    repetitions: int
    others: int
    fractions: tuple[float, ...] = FRACTIONS
    sizes: tuple[int, ...] = SIZES
    workers: int = 0
    resumes: bool = False
    seed: int = _SEED
    expected: float = 0.0

    @property
    def processes(self) -> int:
        """Return the number of processes."""
        return self.workers or os.cpu_count() or 1


FULL = Extent("full", REPETITIONS, 200, resumes=True, expected=210.0)
QUICK = Extent("quick", 30, 10, expected=20.0)


def expected_seconds(*, quick: bool) -> float:
    """Estimate how long the experiments take, in seconds."""
    return (QUICK if quick else FULL).expected


def run(tell: Tell, *, quick: bool) -> Reproduction:
    """Run the simulation on the available populations, and on the made-up register.

    The function raises a SourceError if Cup is not available, and a MissingExtraError if the
    library for fetching data is not installed.
    """
    began = time.perf_counter()
    extent = QUICK if quick else FULL
    tell("making up the register")
    register, even = physicians(extent.seed), physicians(extent.seed, EVEN)
    tell("reading Cup")
    populations, left_out = [register, cup()], {}
    tell("reading Fars")
    try:
        populations.append(fars())
    except (SourceError, MissingExtraError) as error:
        left_out["Fars"] = error.message
        tell(f"Fars is left out: {error.message}")
    return reproduce(populations, extent, tell, even=even, left_out=left_out, began=began)


def reproduce(
    populations: Sequence[Population],
    extent: Extent,
    tell: Tell,
    *,
    even: Population | None = None,
    left_out: dict[str, str] | None = None,
    began: float | None = None,
) -> Reproduction:
    """Run the simulation on populations.

    `even` is the register with an even distribution of people, which is used for the explanations.
    `left_out` lists unavailable populations and why they are unavailable. `began` is the time at
    which the work started, as measured by `time.perf_counter`.
    """
    began = time.perf_counter() if began is None else began
    tell("preparing the policies")
    free = tuple(
        Series(one.name, one.lattice, extent.fractions, extent.repetitions) for one in populations
    )
    kept = tuple(
        Series(
            one.name + reasons.KEPT,
            one.limited(one.keeping_something()),
            extent.fractions,
            extent.repetitions,
        )
        for one in populations
    )
    others = reasons.variations(populations, even, extent.others)
    every = (*free, *kept, *others)
    lattices = [series.lattice for series in every]
    store = checkpoints(PAPER, lattices, extent.seed, max(extent.sizes)) if extent.resumes else None
    draws = Draws(extent.seed, max(extent.sizes), store)
    found = simulate(every, draws, extent.processes, tell)
    tell("summing up")
    results, pictures = _results(populations, free, kept, others, found, extent)
    settings = _settings(populations, extent, found, left_out or {})
    if store is not None:
        store.forget()
    seconds = time.perf_counter() - began
    return Reproduction(PAPER, REFERENCE, settings, results, pictures, seconds)


def _results(
    populations: Sequence[Population],
    free: tuple[Series, ...],
    kept: tuple[Series, ...],
    others: tuple[Series, ...],
    found: Simulated,
    extent: Extent,
) -> tuple[tuple[ResultTable, ...], tuple[Picture, ...]]:
    """Create the tables and the pictures."""
    every, sizes = (*free, *kept, *others), extent.sizes
    first = sizes[0]
    summaries = summarized(every, found, sizes)
    pairs = [
        (one, series) for one, *both in zip(populations, free, kept, strict=True) for series in both
    ]
    physicians = [series for one, series in pairs if one.stands_for == PHYSICIANS]
    notes = reasons.explanations(
        list(zip(free, kept, strict=True)), [*physicians, *others], summaries, first
    )
    panels = (Panels(free), Panels(kept, "-detail-kept", reasons.KEPT))
    figures = [
        (measure, k, side, side is panels[0] and k == first)
        for side in panels
        for k in sizes
        for measure in MEASURES
    ]
    results = (
        tables.populations_table(populations),
        tables.sizes_table(sizes, extent.fractions),
        findings_table(pairs, summaries, sizes, notes),
        *(
            tables.figure_table(measure, k, side, summaries, drawn=not shown)
            for measure, k, side, shown in figures
        ),
        reasons.policies_table(every, summaries, found, first),
        reasons.significance_table((*free, *kept), found, first),
        tables.all_figures_table(every, summaries),
    )
    pictures = tuple(
        charts.picture(measure, k, side, summaries)
        for measure, k, side, _ in figures
        if side is panels[0] or k == first
    )
    return results, pictures


def _full_samples() -> int:
    """Return the number of samples of a full run."""
    figures = 2 * len(POPULATIONS) * len(FULL.fractions) * FULL.repetitions
    return figures + reasons.SERIES * len(reasons.FRACTIONS) * FULL.others


def _settings(
    populations: Sequence[Population], extent: Extent, found: Simulated, left_out: dict[str, str]
) -> dict[str, object]:
    return {
        "extent": extent.name,
        "data": [f"{one.name} ({one.people:,} people)" for one in populations],
        "left out": [f"{name}: {why}" for name, why in left_out.items()] or "nothing",
        "made up": "the register of physicians",
        "k": list(extent.sizes),
        "sampling fractions": list(extent.fractions),
        "simple random samples per fraction": extent.repetitions,
        "for the reasons": extent.others,
        "optimum": "global: full-domain generalization with suppression, by discernibility",
        "significance of D3 and D4": SIGNIFICANCE,
        "detail kept": {one.name: one.keeping_something() for one in populations},
        "seed": extent.seed,
        "processes": extent.processes,
        "pieces of work": found.pieces,
        "of these, reused from an interrupted run": found.taken_over,
        "seconds per sample, all rules and k": found.sample_seconds,
        "seconds of the simulation": found.seconds,
        "estimated seconds of a full simulation": found.sample_seconds
        * _full_samples()
        / extent.processes,
    }
