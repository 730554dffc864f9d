"""What may be set of a frontier: its measures and its searches, by name."""

from __future__ import annotations

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.requests import checks
from roadstead.risk.at_risk import RecordsAtRisk
from roadstead.risk.population import PopulationRisk
from roadstead.risk.protocol import SummedRisk

FULL_DOMAIN = "exact"
"""The search for the frontier of the full-domain lattice."""
RISKS = ("population", "at-risk")


def risk_of(kind: str, gamma: float | None, k: int | None) -> SummedRisk:
    """Make a risk measure; refuse a name that is none, and parameters that do not belong to it."""
    match kind:
        case "population":
            if k is not None:
                raise SettingError(
                    "k is given, which the population risk does not have",
                    where=option("k"),
                    fix=f"leave it out, or use {option('risk_measure', 'at-risk')}",
                )
            if gamma is not None:
                checks.number(gamma, "gamma")
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
