"""Check the population and the quasi-identifiers in a request to measure risk."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.policies.document import Policy
from roadstead.requests import checks
from roadstead.requests.checks import wrong
from roadstead.risk.individual_risk import check_fraction

if TYPE_CHECKING:
    from roadstead.verbs.risk.request import RiskRequest


def check_population(request: RiskRequest) -> None:
    """Reject an invalid sampling fraction, and a population combined with a sampling fraction."""
    population, fraction = request.population, request.sampling_fraction
    if fraction is None:
        return
    checks.number(fraction, "sampling_fraction")
    if population is not None:
        raise SettingError(
            "both a population and a sampling fraction are given",
            where=f"{option('population')}, {option('sampling_fraction')}",
            fix="leave one of them out; the population determines the fraction",
        )
    try:
        check_fraction(fraction)
    except SettingError as error:
        raise SettingError(error.what, where=option("sampling_fraction"), fix=error.fix) from None


def quasi_of(named: tuple[str, ...], policy: Policy | None) -> tuple[str, ...]:
    """Return the quasi-identifiers of a policy.

    If the request also names quasi-identifiers, both lists must contain the same columns.
    """
    if policy is None and not named:
        fix = "name the columns that an attacker may know"
        raise wrong("quasi", "no quasi-identifier is named", fix)
    if policy is not None and named and set(named) != set(policy.quasi):
        what = (
            f"the policy has the quasi-identifiers {', '.join(policy.quasi)}, but you named "
            f"{', '.join(named)}"
        )
        raise wrong("quasi", what, "name the same columns, or leave this setting out")
    return named if policy is None else policy.quasi


def check_threshold(threshold: float) -> float:
    """Reject a threshold that is not between 0 and 1."""
    if not (isfinite(threshold) and 0.0 < threshold < 1.0):
        what = f"the threshold is {threshold:g}, but must be above 0 and below 1"
        raise wrong("threshold", what, "for example, 0.2 accepts a risk of 1 in 5")
    return float(threshold)
