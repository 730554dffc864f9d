"""Public facts about Adult: ranges, groups of categories, and the two classes.

The values of each category come from Adult's documentation. We chose the groups by the meaning of
the words, not by the incomes. The ranges are those that the census form allows.
"""

from __future__ import annotations

from decimal import Decimal

from roadstead.differential.domains import CategoricalDomain, Domain, NumericDomain
from roadstead.hierarchies.taxonomy import from_branches
from roadstead_reproductions.mohammed2013.public_facts import public_facts

TARGET = "income"
CLASSES = ("<=50K", ">50K")

COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    TARGET,
)
"""The columns, in the order of the file, which has no header."""

RANGES, GROUPS = public_facts("adult")


def adult_domains() -> tuple[Domain, ...]:
    """Return the domains of the 14 attributes, in the order of the file."""
    return tuple(_domain(name) for name in COLUMNS if name != TARGET)


def _domain(name: str) -> Domain:
    if name in RANGES:
        low, high = RANGES[name]
        return NumericDomain(name, Decimal(low), Decimal(high))
    return CategoricalDomain(
        from_branches(name, "*", GROUPS[name], origin=f"the groups of {name!r} for Adult")
    )
