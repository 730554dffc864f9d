"""Extracts of one table, released by hand under small policies, and months in which it grows."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from roadstead.hierarchies.rules import Everything, Identity, Prefix, Rule
from roadstead.policies.attribute_policy import AttributePolicy
from roadstead.policies.document import Policy, PolicyColumns, Suppression
from roadstead.release.ledger.classes import ReleasedClasses, counted_classes
from roadstead.tables.frequency import FrequencyTable, canonical

Record: TypeAlias = tuple[str, str, str]
QUASI = ("ward", "code")
COLUMNS = (*QUASI, "diagnosis")
K = 3
LEVELS: tuple[tuple[Rule, ...], ...] = (
    (Identity(), Everything()),
    (Identity(), Prefix(1, 2, "*"), Everything()),
)


def policy_of(ward: int, code: int, k: int = K, diversity: int | None = None) -> Policy:
    """Give the policy of two levels."""
    models = [{"kind": "k-anonymity", "k": k}]
    if diversity is not None:
        kind = {"kind": "distinct-l-diversity", "column": "diagnosis", "l": diversity}
        models.append(kind)
    return Policy(
        tuple(
            AttributePolicy(name, level, len(rules), rules[level])
            for name, level, rules in zip(QUASI, (ward, code), LEVELS, strict=True)
        ),
        tuple(models),
        Suppression(1.0, "mask"),
        PolicyColumns(("diagnosis",), undecided=()),
    )


def labels_of(record: Sequence[str], ward: int, code: int) -> tuple[str, str]:
    """Generalize by hand."""
    shown = (record[1], record[1][0] + "*", "*")[code]
    return (record[0] if ward == 0 else "*", shown)


def released_by_hand(records: Sequence[Record], ward: int, code: int, k: int = K) -> list[Record]:
    """Generalize, and mask the classes that are too small."""
    sizes = Counter(labels_of(one, ward, code) for one in records)
    found = []
    for one in records:
        labels = labels_of(one, ward, code)
        found.append((*(labels if sizes[labels] >= k else ("*", "*")), one[2]))
    return found


def table_of(records: Sequence[Record]) -> FrequencyTable:
    """Count records, without an engine."""
    columns = list(zip(*records, strict=True))
    domains = tuple(tuple(sorted(set(own))) for own in columns)
    codes = [
        np.array([domain.index(cell) for cell in own], dtype=np.int32)
        for own, domain in zip(columns, domains, strict=True)
    ]
    return canonical(COLUMNS, domains, codes, np.ones(len(records), dtype=np.int64))[0]


def classes_by_hand(records: Sequence[Record], ward: int, code: int) -> ReleasedClasses:
    """Count the classes of a release made by hand."""
    return counted_classes(table_of(released_by_hand(records, ward, code)), policy_of(ward, code))


def months(number: int, seed: int = 0) -> list[list[Record]]:
    """Make a table that grows by five records in each of six classes every month."""
    chance = random.Random(seed)  # noqa: S311 - of a test

    def of(ward: str, code: str, records: int) -> list[Record]:
        return [(ward, code, chance.choice(("flu", "cold", "none"))) for _ in range(records)]

    wards = [(ward, code) for ward in "AB" for code in ("11", "12", "21")]
    table = [row for ward, code in wards for row in of(ward, code, 40)]
    made = []
    for _ in range(number):
        made.append(list(table))
        table += [row for ward, code in wards for row in of(ward, code, 5)]
    return made
