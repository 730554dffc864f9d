"""Small tables and their recodings, as targets of attacks."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
from small_tables import Row

from roadstead.hierarchies.hierarchy import from_rules
from roadstead.hierarchies.rules import Everything, Groups, Identity
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import full_domain
from roadstead.privacy.combination import bind_all
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.protocol import PrivacyModel
from roadstead.search.recoding.protocol import Parts, Recoded, RecodingProblem, recoding_problem
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.histograms import histogram

SENSITIVE = "diagnosis"


def drawing(seed: int) -> random.Random:
    """Draw a table, always the same."""
    return random.Random(seed)  # noqa: S311 - made-up records keep no secret


def problem_of(
    rows: Sequence[Row],
    k: int,
    *models: PrivacyModel,
    groups: dict[int, Sequence[Sequence[str]]] | None = None,
    intervals: bool = False,
) -> RecodingProblem:
    """Make the problem of rows whose last cell is sensitive.

    Each attribute is shown exactly, or not at all; `groups` are what is between the two.
    """
    counted = Counter(row[:-1] for row in rows)
    combinations = sorted(counted)
    columns = list(zip(*combinations, strict=True))
    domains = [tuple(sorted(set(column))) for column in columns]
    values = tuple(sorted({row[-1] for row in rows}))
    entries = sorted(
        (combinations.index(row[:-1]), values.index(row[-1]), number)
        for row, number in Counter(rows).items()
    )
    row, code, number = np.array(entries, dtype=np.int64).T
    table = FrequencyTable(
        attributes=tuple(f"a{at}" for at in range(len(columns))),
        domains=tuple(domains),
        codes=tuple(
            np.array([domain.index(value) for value in column], dtype=np.int32)
            for column, domain in zip(columns, domains, strict=True)
        ),
        counts=np.array([counted[one] for one in combinations], dtype=np.int64),
        alongside=(
            histogram(SENSITIVE, values, (row, code.astype(np.int32), number), len(combinations)),
        ),
    )
    hierarchies = []
    for at, domain in enumerate(domains):
        middle = (groups or {}).get(at)
        named = (
            [Groups(tuple(("/".join(members), tuple(members)) for members in middle))]
            if middle
            else []
        )
        hierarchies.append(
            from_rules(f"a{at}", domain, [Identity(), *named, Everything()], origin="made up")
        )
    encoding = encode(table, hierarchies)
    return recoding_problem(
        encoding,
        full_domain(encoding.hierarchies),
        bind_all((KAnonymity(k), *models), table),
        k=k,
        limit=0,
        intervals=intervals,
    )


def in_order(problem: RecodingProblem, parts: Sequence[Sequence[tuple[int, int]]]) -> Recoded:
    """Place the records of a table in classes, in the order given."""
    own: Parts = np.array(parts, dtype=np.int32)
    return Recoded(own, problem.place(own))
