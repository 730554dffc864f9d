"""The eighteen identifiers in the order of the rule: 45 CFR 164.514(b)(2)(i)(A) to (R)."""

from __future__ import annotations

from types import MappingProxyType

IDENTIFIERS = MappingProxyType(
    {
        1: "names",
        2: "places smaller than a state",
        3: "dates finer than a year, and ages over 89",
        4: "telephone numbers",
        5: "fax numbers",
        6: "e-mail addresses",
        7: "social security numbers",
        8: "medical record numbers",
        9: "health plan beneficiary numbers",
        10: "account numbers",
        11: "certificate and license numbers",
        12: "vehicle identifiers and plates",
        13: "device identifiers and serial numbers",
        14: "web addresses",
        15: "IP addresses",
        16: "biometric identifiers",
        17: "full-face photographs",
        18: "other unique numbers and codes",
    }
)
"""Number and short name of each."""

OLDEST = 89
"""The highest age that may be told; those above it are one category, 90 or older."""

FEWEST_PEOPLE = 20_000
"""A three-digit ZIP area may be told if more people than this live in it."""

REMOVE = "remove"
KEEP_YEAR = "keep the year only"
KEEP_STATE = "nothing smaller than a state"
ONE_AGE = "one category for 90 and over"
ONE_YEAR = "one category for the years of birth that tell an age over 89"
KEEP_AREA = "keep three digits; 000 for areas of 20,000 people or fewer"
