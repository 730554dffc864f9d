"""Compute the size of the population from the sampling fraction."""

from __future__ import annotations

from roadstead.reports.numbers import percent
from roadstead.requests.checks import wrong
from roadstead.risk.assessment import Population

_MOST_PEOPLE = 1e12
"""The upper limit for the size of a population."""


def sampled_population(units: int, fraction: float | None) -> Population:
    """Describe the population from which records or people were sampled with a known fraction."""
    if fraction is None:
        return Population(None, "not given, so only the prosecutor risk is reported")
    if units / fraction > _MOST_PEOPLE:
        what = (
            f"with the sampling fraction {fraction:g}, the population would be larger than the "
            "population of the world"
        )
        fix = "divide the number of records by the number of people in the population"
        raise wrong("sampling_fraction", what, fix)
    people = round(units / fraction)
    label = f"{people:,} people, of whom {percent(fraction)} are in the table"
    return Population("fraction", label, people, fraction)
