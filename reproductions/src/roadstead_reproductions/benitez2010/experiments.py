"""All experiments of paper 004.

A full run repeats every search of 100 iterations with ten seeds. A quick run tests the experiments
with a few iterations and two seeds.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from roadstead_reproductions.benitez2010 import charts
from roadstead_reproductions.benitez2010.alternatives import alternatives, single_merges
from roadstead_reproductions.benitez2010.cases import Case, adult, patients
from roadstead_reproductions.benitez2010.diversity import curves, found, non_dominated
from roadstead_reproductions.benitez2010.efficiency import lines, memory, ratios, times
from roadstead_reproductions.benitez2010.nodes import nodes
from roadstead_reproductions.benitez2010.published import ITERATIONS, REFERENCE
from roadstead_reproductions.benitez2010.runs import EVEN, SEARCHES, Runs, repeated
from roadstead_reproductions.benitez2010.variations import anonymity, domains, gammas
from roadstead_reproductions.reproduction import Reproduction, check_folder
from roadstead_reproductions.tables import Tell
from roadstead_reproductions.tennessee import tennessee_population

__all__ = ["check_folder", "expected_seconds", "run"]

PAPER = "benitez2010"


@dataclass(frozen=True)
class Extent:
    """The extent of a run.

    `iterations` and `seeds` apply to table 2 and figures 6 to 9, and `other_seeds` to other
    domains, exponents, and rules. `anonymity` lists the k of k-anonymity. `seed` applies to the
    population and the tables. `expected` is the approximate time in seconds on two cores.
    """

    name: str
    iterations: int
    seeds: int
    other_seeds: int
    anonymity: tuple[int, ...]
    seed: int = 2010
    expected: float = 0.0


FULL = Extent("full", ITERATIONS, 10, 2, (2, 5, 10), expected=60.0)
QUICK = Extent("quick", 8, 2, 1, (5,), expected=10.0)


def expected_seconds(*, quick: bool) -> float:
    """Estimate how long the experiments take, in seconds."""
    return (QUICK if quick else FULL).expected


def run(tell: Tell, *, quick: bool) -> Reproduction:
    """Run the experiments on Adult and on made-up patients.

    The function raises a SourceError if the census or Adult is not available, and a
    MissingExtraError if the library for fetching data is not installed.
    """
    began = time.perf_counter()
    extent = QUICK if quick else FULL
    tell("estimating the people of Tennessee")
    people = tennessee_population(extent.seed)
    tell("matching the records with them")
    cases = (adult(extent.seed, people), patients(extent.seed, people))
    return reproduce(cases, extent, tell, began=began)


def reproduce(
    cases: Sequence[Case], extent: Extent, tell: Tell, *, began: float | None = None
) -> Reproduction:
    """Run the experiments on tables with their populations.

    The tables contain age from 0 to 120, sex, and race. `began` is the time at which the work
    started, as measured by `time.perf_counter`.
    """
    began = time.perf_counter() if began is None else began
    for case in cases:
        repeated(
            case, case.rule(), 1, 3, tuple(SEARCHES)
        )  # loads compiled functions before the timed runs
    runs: list[Runs] = []
    for case in cases:
        runs += repeated(
            case, case.rule(), extent.seeds, extent.iterations, tuple(SEARCHES), tell
        ).values()
    pair = [one for one in runs if one.search != EVEN]
    tell("policies in words")
    told = (alternatives(runs), single_merges(cases), found(runs))
    others = (
        domains(cases, extent.other_seeds, extent.iterations, tell),
        gammas(cases, runs, extent.other_seeds, extent.iterations, tell),
        anonymity(cases, extent.anonymity, extent.other_seeds, extent.iterations, tell),
    )
    course = curves(runs)
    tell("drawing")
    pictures = (
        charts.time_picture(course),
        charts.memory_picture(pair),
        charts.diversity_picture(course),
        charts.nodes_picture(course),
    )
    tables = (times(pair), ratios(pair), lines(pair), memory(pair), non_dominated(runs))
    return Reproduction(
        PAPER,
        REFERENCE,
        _settings(cases, extent),
        (*tables, nodes(pair), *told, *others, course),
        pictures,
        time.perf_counter() - began,
    )


def _settings(cases: Sequence[Case], extent: Extent) -> dict[str, object]:
    return {
        "extent": extent.name,
        "data": [f"{case.name} ({case.cells.total:,} records)" for case in cases],
        "estimated or made-up data": " ".join(
            dict.fromkeys(note for case in cases for note in case.notes)
        ),
        "quasi-identifiers": "age (0 to 120), sex, race",
        "risk": "sum over records of 1 / identical people",
        "threshold": "Safe Harbor's risk",
        "iterations per run": extent.iterations,
        "runs, each with its seed": extent.seeds,
        "runs with other domains, exponents, and rules": extent.other_seeds,
        "seed of the population and the tables": extent.seed,
    }
