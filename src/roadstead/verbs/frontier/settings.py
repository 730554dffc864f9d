"""What may be set of a frontier: its measures and its searches, by name."""

from __future__ import annotations

from collections.abc import Callable

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.risk.at_risk import RecordsAtRisk
from roadstead.risk.population import PopulationRisk
from roadstead.risk.protocol import SummedRisk
from roadstead.search.frontiers.bisecting import Bisecting
from roadstead.search.frontiers.boundary import BoundarySearch
from roadstead.search.frontiers.closure import Closure
from roadstead.search.frontiers.combined import Combined
from roadstead.search.frontiers.directed import Directed
from roadstead.search.frontiers.pareto_segments import ParetoSegments
from roadstead.search.frontiers.protocol import FrontierSearch
from roadstead.search.frontiers.random_chain import RandomChain
from roadstead.search.frontiers.segmentation import Segmentation
from roadstead.search.frontiers.steepest import Steepest
from roadstead.search.frontiers.sublattice_heuristic import SublatticeHeuristic
from roadstead.verbs.settings import check_number

FRONTIER_SEARCHES: dict[str, Callable[[int], FrontierSearch]] = {
    "combined": lambda _: Combined(),
    "steepest": lambda _: Steepest(),
    "closure": lambda _: Closure(),
    "segmentation": lambda _: Segmentation(),
    "pareto-segments": lambda _: ParetoSegments(),
    "sublattice-heuristic": lambda seed: SublatticeHeuristic(seed=seed),
    "random-chain": lambda seed: RandomChain(seed=seed),
}
"""Searches for the whole frontier over partitions, made from a seed."""
BOUNDARY_SEARCHES: dict[str, Callable[[int], BoundarySearch]] = {
    "bisecting": lambda seed: Bisecting(seed=seed),
    "directed": lambda seed: Directed(seed=seed),
}
"""Searches for policies at a threshold, made from a seed."""
FULL_DOMAIN = "exact"
"""The search for the frontier of the full-domain lattice."""
RISKS = ("population", "at-risk")


def risk_of(kind: str, gamma: float | None, k: int | None) -> SummedRisk:
    """Make a risk measure.

    Raises
    ------
    SettingError
        When there is none of the name, or a parameter does not belong to it.
    """
    match kind:
        case "population":
            if k is not None:
                raise SettingError(
                    "k is given, which the population risk does not have",
                    where=option("k"),
                    fix=f"leave it out, or use {option('risk_measure', 'at-risk')}",
                )
            if gamma is not None:
                check_number(gamma, "gamma")
            return PopulationRisk(1.0 if gamma is None else gamma)
        case "at-risk":
            if gamma is not None:
                raise SettingError(
                    "gamma is given, which the number of records at risk does not have",
                    where=option("gamma"),
                    fix=f"leave it out, or use {option('risk_measure', 'population')}",
                )
            return RecordsAtRisk(5 if k is None else k)
        case _:
            raise SettingError(
                f"there is no risk measure {kind!r}",
                where=option("risk_measure"),
                fix=f"use {' or '.join(RISKS)}",
            )
