"""Synthetic visits with missing values, decimals, dates, and digits, for tests of recodings."""

from __future__ import annotations

import random

from small_tables import Row

HEADER = ("name", "age", "sex", "zip", "temp", "visit", "diagnosis")
QUASI = "age,sex,zip,temp,visit"
KINDS = {"cells": "exact", "local": "first-fit", "intervals": "mondrian"}
"""The kinds of recoding, each with its quickest search."""
FOREIGN: list[Row] = [
    ("X1", "19", "F", "02131", "37.5", "2024-02-03", "flu"),
    ("X2", "61", "M", "02140", "40.5", "2025-01-01", "flu"),
    ("X3", "30", "X", "02999", "", "2023-12-31", "cold"),
    ("X4", "old", "F", "ABCDE", "36.95", "someday", "cold"),
]
"""Records with values that the first extract did not have; some values of the last are invalid."""


def visits(records: int, seed: int) -> list[Row]:
    """Make up records, of which some cells are empty; some combinations are frequent."""
    chance = random.Random(seed)  # noqa: S311 - made-up values keep no secret

    def one(number: int) -> Row:
        return (
            f"N{number}",
            "" if chance.random() < 0.04 else str(chance.choice((22, 25, 25, 31, 44, 58))),
            "" if chance.random() < 0.04 else chance.choice("FM"),
            f"0213{chance.choice((0, 0, 1, 5))}",
            chance.choice(("36.6", "37", "37", "38.25", "")),
            f"2024-0{chance.choice((1, 1, 5))}-{chance.choice((11, 12))}",
            chance.choice(("flu", "cold", "asthma")),
        )

    return [one(number) for number in range(records)]
