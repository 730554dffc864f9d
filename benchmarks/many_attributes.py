"""Made-up tables of many attributes, for searches of very large lattices.

`clients` are 30,000 clients of a bank in 24 attributes: six statuses of payment that depend on each
other from month to month, and twelve amounts that do so too, with about 4.9e13 policies. `answers`
are 70,000 people who answered ten questions in four steps each, with six facts about them:
85,030,560 policies. `attributes` is a table of the requested number of attributes, with two to five
values each.

Every seed makes a different table. The dependencies, the skew of the values, and the similarity of
months are drawn too, so that nothing can be tuned to one table. The people are not real.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from roadstead.hierarchies.hierarchy import Hierarchy, from_columns
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import full_domain
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.quality.models.loss import Loss
from roadstead.search.evaluation import FullDomainProblem
from roadstead.tables.frequency import FrequencyTable

MONTHS = 6
_LATENT = 3
"""Hidden traits of a person on which what is seen depends."""
Column = tuple[NDArray[np.int64], Hierarchy]


def clients(seed: int, records: int = 30_000) -> FullDomainProblem:
    """Make the problem of clients: k = 5, 5%, Iyengar's loss, geometric mean."""
    chance = np.random.default_rng([seed, 24])
    traits = chance.normal(size=(_LATENT, records))
    wealth = _mixture(traits, chance, 0.5)
    columns = [
        _cut(chance, _mixture(traits, chance, 0.9), "sex", 2, ()),
        _cut(chance, _mixture(traits, chance, 0.8), "education", 4, ()),
        _cut(chance, _mixture(traits, chance, 0.8), "marriage", 3, ()),
        _cut(chance, _mixture(traits, chance, 0.7), "age", 56, (7, 28)),
        _cut(chance, wealth, "limit", 80, (8, 40)),
    ]
    late, bill = _mixture(traits, chance, 0.6), wealth
    like, alike = chance.uniform(0.75, 0.95), chance.uniform(0.8, 0.97)
    for month in range(MONTHS):
        late = _next(late, like, chance)
        bill = _next(bill, alike, chance)
        paid = 0.6 * bill - 0.3 * late + 0.7 * chance.normal(size=records)
        columns += [
            _cut(chance, late, f"status{month}", 10, (5,), skew=2.0),
            _cut(chance, bill, f"bill{month}", 512, (8, 32, 128), skew=0.6),
            _cut(chance, paid, f"paid{month}", 256, (8, 32, 64), skew=0.9),
        ]
    columns.append(_cut(chance, late + chance.normal(size=records), "default", 2, (), skew=0.5))
    return _problem(columns)


def answers(seed: int, records: int = 70_000) -> FullDomainProblem:
    """Make the problem of answers: k = 5, 5%, Iyengar's loss, geometric mean."""
    chance = np.random.default_rng([seed, 16])
    traits = chance.normal(size=(_LATENT, records))
    facts = (
        *(("age", 72, (6, 12, 24)), ("sex", 2, ()), ("region", 12, (3,))),
        *(("education", 8, (2, 4)), ("marital", 6, (3,)), ("income", 12, (2, 6))),
    )
    columns = [
        _cut(chance, _mixture(traits, chance, chance.uniform(0.5, 1.0)), name, values, widths)
        for name, values, widths in facts
    ]
    for number in range(10):
        seen = _mixture(traits, chance, chance.uniform(0.5, 0.95))
        columns.append(
            _cut(chance, seen, f"question{number}", 4, (2,), skew=chance.uniform(0.3, 1.6))
        )
    return _problem(columns)


def attributes(seed: int, number: int, records: int = 20_000) -> FullDomainProblem:
    """Return the problem of this many attributes, with few values each."""
    chance = np.random.default_rng([seed, number])
    traits = chance.normal(size=(_LATENT, records))
    columns = []
    for place in range(number):
        seen = _mixture(traits, chance, chance.uniform(0.4, 0.95))
        values = int(chance.choice([2, 4, 8, 16]))
        widths = tuple(width for width in (2, 4) if width * 2 <= values)
        columns.append(
            _cut(chance, seen, f"column{place:02}", values, widths, skew=chance.uniform(0.0, 1.5))
        )
    return _problem(columns)


def _mixture(
    traits: NDArray[np.float64], chance: np.random.Generator, own: float
) -> NDArray[np.float64]:
    """Mix the traits with something of its own, of this share."""
    weights = chance.dirichlet(np.ones(len(traits)))
    shared = np.sqrt(weights) @ traits
    return np.asarray(
        np.sqrt(1.0 - own**2) * shared + own * chance.normal(size=traits.shape[1]),
        dtype=np.float64,
    )


def _next(
    before: NDArray[np.float64], like: float, chance: np.random.Generator
) -> NDArray[np.float64]:
    """Give the next month, which is like the one before."""
    moved = like * before + np.sqrt(1.0 - like**2) * chance.normal(size=before.size)
    return np.asarray(moved, dtype=np.float64)


def _cut(
    chance: np.random.Generator,
    seen: NDArray[np.float64],
    name: str,
    values: int,
    widths: tuple[int, ...],
    *,
    skew: float = 0.0,
) -> Column:
    """Cut what is seen into values, the first of them the most frequent the more it is skewed.

    Each of the `widths` is a level of the hierarchy, between the values and nothing.
    """
    weights = chance.dirichlet(np.full(values, 4.0)) * np.exp(-skew * np.linspace(0, 3, values))
    edges = np.cumsum(weights / weights.sum())[:-1]
    ranks = np.empty(seen.size)
    ranks[np.argsort(seen, kind="stable")] = (np.arange(seen.size) + 0.5) / seen.size
    codes = np.searchsorted(edges, ranks, side="right").astype(np.int64)
    labels = [f"{value:03}" for value in range(values)]
    columns = [labels]
    for width in widths:
        ends = [*range(0, values, width), values]
        parts = [labels[a:b] for a, b in pairwise(ends)]
        columns.append([f"{part[0]}-{part[-1]}" for part in parts for _ in part])
    return codes, from_columns(name, [*columns, ["*"] * values], origin="made up")


def _problem(columns: list[Column]) -> FullDomainProblem:
    hierarchies = tuple(hierarchy for _, hierarchy in columns)
    everyone = FrequencyTable(
        attributes=tuple(hierarchy.attribute for hierarchy in hierarchies),
        domains=tuple(hierarchy.values for hierarchy in hierarchies),
        codes=tuple(codes.astype(np.int32) for codes, _ in columns),
        counts=np.ones(columns[0][0].size, dtype=np.int64),
    )
    encoding = encode(everyone.project(everyone.attributes), hierarchies)
    return FullDomainProblem(
        encoding=encoding,
        space=full_domain(encoding.hierarchies),
        privacy=KAnonymity(5),
        quality=Loss().bind(encoding),
        limit=encoding.records // 20,
    )
