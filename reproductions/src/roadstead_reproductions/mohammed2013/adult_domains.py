"""Public facts about Adult: ranges, groups of categories, and the two classes.

The values of each category come from Adult's documentation. We chose the groups by the meaning of
the words, not by the incomes. The ranges are those that the census form allows.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from roadstead.differential.domains import CategoricalDomain, Domain, NumericDomain
from roadstead.hierarchies.taxonomy import Branch, from_branches

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

RANGES: Mapping[str, tuple[int, int]] = {
    "age": (15, 94),
    "fnlwgt": (0, 1_499_999),
    "education-num": (1, 19),
    "capital-gain": (0, 99_999),
    "capital-loss": (0, 4_999),
    "hours-per-week": (1, 99),
}

GROUPS: Mapping[str, Branch] = {
    "workclass": {
        "employed": {
            "private": ("Private",),
            "government": ("Federal-gov", "Local-gov", "State-gov"),
        },
        "self-employed": ("Self-emp-inc", "Self-emp-not-inc"),
        "unpaid": ("Never-worked", "Without-pay"),
    },
    "education": {
        "no diploma": {
            "up to 8th grade": ("Preschool", "1st-4th", "5th-6th", "7th-8th"),
            "9th to 12th grade": ("9th", "10th", "11th", "12th"),
        },
        "school or college": {
            "high school": ("HS-grad",),
            "some years of college": ("Some-college", "Assoc-voc", "Assoc-acdm"),
        },
        "degree": {
            "bachelor": ("Bachelors",),
            "higher degree": ("Masters", "Prof-school", "Doctorate"),
        },
    },
    "marital-status": {
        "married": ("Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent"),
        "was married": ("Divorced", "Separated", "Widowed"),
        "never married": ("Never-married",),
    },
    "occupation": {
        "office": {
            "managers and professionals": ("Exec-managerial", "Prof-specialty"),
            "technical, sales, and clerical": ("Tech-support", "Sales", "Adm-clerical"),
        },
        "trade and transport": {
            "trade": ("Craft-repair", "Machine-op-inspct"),
            "moving and farming": ("Transport-moving", "Handlers-cleaners", "Farming-fishing"),
        },
        "services": {
            "protection": ("Protective-serv", "Armed-Forces"),
            "other services": ("Other-service", "Priv-house-serv"),
        },
    },
    "relationship": {
        "spouse": ("Husband", "Wife"),
        "other": {
            "in a family": ("Own-child", "Other-relative", "Unmarried"),
            "not in a family": ("Not-in-family",),
        },
    },
    "race": ("White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"),
    "sex": ("Female", "Male"),
    "native-country": {
        "North America": {
            "United States": ("United-States",),
            "rest of North America": ("Canada", "Outlying-US(Guam-USVI-etc)", "Puerto-Rico"),
        },
        "Latin America": {
            "Mexico and Central America": (
                "Mexico",
                "El-Salvador",
                "Guatemala",
                "Honduras",
                "Nicaragua",
            ),
            "Caribbean": ("Cuba", "Dominican-Republic", "Haiti", "Jamaica", "Trinadad&Tobago"),
            "South America": ("Columbia", "Ecuador", "Peru"),
        },
        "Europe": {
            "western Europe": (
                "England",
                "France",
                "Germany",
                "Holand-Netherlands",
                "Ireland",
                "Scotland",
            ),
            "southern and eastern Europe": (
                "Greece",
                "Hungary",
                "Italy",
                "Poland",
                "Portugal",
                "Yugoslavia",
            ),
        },
        "Asia": {
            "east Asia": ("China", "Hong", "Japan", "South", "Taiwan"),
            "south and west Asia": (
                "Cambodia",
                "India",
                "Iran",
                "Laos",
                "Philippines",
                "Thailand",
                "Vietnam",
            ),
        },
    },
}


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
