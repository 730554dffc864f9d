"""Small random problems: tables with nested hierarchies, a model, a limit, a range of levels.

A `Case` is plain data, so a failing example is readable. `problem` turns it into the engine's
input. The module `definition` computes the same case by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from hypothesis import strategies as st

from roadstead.hierarchies.hierarchy import Hierarchy, Width, from_rules
from roadstead.hierarchies.rules import MISSING, Everything, Groups, Rule
from roadstead.policies.encoding import Encoding, encode
from roadstead.policies.full_domain import Levels, full_domain
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.protocol import BoundPrivacy
from roadstead.quality.aggregates import Aggregate, ArithmeticMean, GeometricMean
from roadstead.quality.models.loss import Loss
from roadstead.search.evaluation import FullDomainProblem
from roadstead.tables.frequency import FrequencyTable

AGGREGATES: dict[str, Callable[[tuple[float, ...] | None], Aggregate]] = {
    "geometric": GeometricMean,
    "arithmetic": ArithmeticMean,
}
MOST_ROWS = 30


@dataclass(frozen=True)
class Attribute:
    """A hierarchy as a table: the label of each value at each level.

    `widths` is the number of domain values that each value represents; the missing value represents
    one.
    """

    name: str
    values: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]
    widths: tuple[int, ...]

    @property
    def height(self) -> int:
        """Number of levels."""
        return len(self.columns)

    def hierarchy(self) -> Hierarchy:
        """Build the hierarchy with the project's own means."""
        rules = [_rule(self.values, column) for column in self.columns]
        plain = all(width == 1 for width in self.widths)
        widths = None if plain else [self._width(column) for column in self.columns]
        return from_rules(self.name, self.values, rules, origin="random", widths=widths)

    def _width(self, column: tuple[str, ...]) -> Width:
        label_of = dict(zip(self.values, column, strict=True))
        return lambda value: sum(
            width
            for other, width in zip(self.values, self.widths, strict=True)
            if other != MISSING and label_of[other] == label_of[value]
        )


@dataclass(frozen=True)
class Case:
    """One problem: distinct rows with counts, hierarchies, k, limit, measure, range of levels."""

    attributes: tuple[Attribute, ...]
    rows: tuple[tuple[str, ...], ...]
    counts: tuple[int, ...]
    k: int
    limit: int
    aggregate: Literal["geometric", "arithmetic"]
    weights: tuple[int, ...] | None
    bottom: Levels
    top: Levels

    @property
    def records(self) -> int:
        """Number of records."""
        return sum(self.counts)

    def table(self) -> FrequencyTable:
        """Code the rows by their place in each attribute's sorted domain."""
        columns = list(zip(*self.rows, strict=True))
        domains = tuple(tuple(sorted(set(column))) for column in columns)
        return FrequencyTable(
            attributes=tuple(attribute.name for attribute in self.attributes),
            domains=domains,
            codes=tuple(
                np.array([domain.index(value) for value in column], dtype=np.int32)
                for column, domain in zip(columns, domains, strict=True)
            ),
            counts=np.array(self.counts, dtype=np.int64),
        )

    def encoding(self) -> Encoding:
        """Compile the case's table and hierarchies."""
        return encode(self.table(), [attribute.hierarchy() for attribute in self.attributes])

    def problem(self, privacy: BoundPrivacy | None = None) -> FullDomainProblem:
        """Make the engine's problem of it, with k-anonymity unless another model is given."""
        encoding = self.encoding()
        names = encoding.attributes
        weights = None if self.weights is None else tuple(float(w) for w in self.weights)
        return FullDomainProblem(
            encoding=encoding,
            space=full_domain(
                encoding.hierarchies,
                dict(zip(names, self.bottom, strict=True)),
                dict(zip(names, self.top, strict=True)),
            ),
            privacy=privacy or KAnonymity(self.k),
            quality=Loss(AGGREGATES[self.aggregate](weights)).bind(encoding),
            limit=self.limit,
        )

    def unlimited(self, privacy: BoundPrivacy | None = None) -> FullDomainProblem:
        """Make the problem without a limit, so that every policy is evaluated whole."""
        return replace(self.problem(privacy), limit=self.records)


def _rule(values: Sequence[str], column: Sequence[str]) -> Rule:
    if set(column) == {"*"}:
        return Everything()
    members: dict[str, list[str]] = {}
    for value, label in zip(values, column, strict=True):
        members.setdefault(label, []).append(value)
    return Groups(tuple((label, tuple(group)) for label, group in members.items()))


@st.composite
def attributes(draw: st.DrawFn, name: str, most_values: int = 6) -> Attribute:
    """Hierarchies of 1 to 4 levels over few values, which may include the missing one.

    The first level may already merge values, and a value may represent several.
    """
    number = draw(st.integers(1, most_values))
    values = [f"{name}{i}" for i in range(number)]
    if draw(st.integers(0, 3)) == 0:
        values[draw(st.integers(0, number - 1))] = MISSING
    columns: list[tuple[str, ...]] = []
    groups = list(range(number))
    merged_at_once = draw(st.integers(0, 3)) == 0
    for level in range(draw(st.integers(0, 3))):
        if level or merged_at_once:
            parents = draw(st.lists(st.integers(0, number), min_size=number, max_size=number))
            groups = [parents[group % number] for group in groups]
            columns.append(tuple(f"{level}:{group}" for group in groups))
        else:
            columns.append(tuple(values))
    columns.append(("*",) * number)
    wide = draw(st.integers(0, 3)) == 0
    widths = st.lists(st.integers(1, 4 if wide else 1), min_size=number, max_size=number)
    return Attribute(name, tuple(values), tuple(columns), tuple(draw(widths)))


@st.composite
def cases(draw: st.DrawFn, most_attributes: int = 4) -> Case:
    """Random problems of up to 256 policies and `MOST_ROWS` distinct rows."""
    chosen = tuple(
        draw(attributes(name)) for name in "abcd"[: draw(st.integers(1, most_attributes))]
    )
    missing = draw(st.integers(0, 3)) == 0
    cells = [
        st.sampled_from(sorted({*attribute.values, MISSING} if missing else attribute.values))
        for attribute in chosen
    ]
    rows = draw(st.lists(st.tuples(*cells), min_size=1, max_size=MOST_ROWS, unique=True))
    most = draw(st.sampled_from([1, 3, 20]))
    counts = draw(st.lists(st.integers(1, most), min_size=len(rows), max_size=len(rows)))
    ranges = [_ranges(attribute.height) for attribute in chosen]
    levels = [draw(one) for one in ranges]
    weights = st.lists(st.integers(0, 3), min_size=len(chosen), max_size=len(chosen)).filter(any)
    return Case(
        attributes=chosen,
        rows=tuple(sorted(rows)),
        counts=tuple(counts),
        k=draw(st.integers(2, 8)),
        limit=draw(st.integers(0, 100)) * sum(counts) // 100,
        aggregate=draw(st.sampled_from(["geometric", "arithmetic"])),
        weights=draw(st.none() | weights.map(tuple)),
        bottom=tuple(low for low, _ in levels),
        top=tuple(high for _, high in levels),
    )


def _ranges(height: int) -> st.SearchStrategy[tuple[int, int]]:
    """Mostly the whole hierarchy, sometimes a part of it."""
    whole = st.just((0, height - 1))
    ends = st.tuples(st.integers(0, height - 1), st.integers(0, height - 1))
    part = ends.map(lambda pair: (min(pair), max(pair)))
    return whole | whole | part


def crowded_cases() -> st.SearchStrategy[Case]:
    """Larger problems, made by chance from a seed: such as a search has to work for."""
    return st.integers(0, 2**32 - 1).map(crowded)


def crowded(seed: int) -> Case:
    """Make a problem of four attributes with 16 to 256 policies over up to 30 rows."""
    chance = np.random.default_rng(seed)
    attributes = tuple(_attribute(name, chance) for name in "abcd")
    cells = [chance.choice(attribute.values, size=30).tolist() for attribute in attributes]
    rows = tuple(sorted(set(zip(*cells, strict=True))))
    counts = tuple(chance.integers(1, chance.choice([2, 4, 21]), size=len(rows)).tolist())
    weights = (None, (1, 2, 0, 3), (0, 1, 1, 0))[chance.integers(3)]
    return Case(
        attributes=attributes,
        rows=rows,
        counts=counts,
        k=int(chance.integers(2, 9)),
        limit=int(chance.choice([0, 5, 20, 50, 100])) * sum(counts) // 100,
        aggregate="geometric" if chance.integers(2) else "arithmetic",
        weights=weights,
        bottom=(0, 0, 0, 0),
        top=tuple(attribute.height - 1 for attribute in attributes),
    )


def _attribute(name: str, chance: np.random.Generator) -> Attribute:
    number = int(chance.integers(2, 8))
    values = tuple(f"{name}{i}" for i in range(number))
    columns, groups = [values], list(range(number))
    for level in range(1, int(chance.integers(2, 4))):
        parents = chance.integers(0, number, size=number).tolist()
        groups = [parents[group] for group in groups]
        columns.append(tuple(f"{level}:{group}" for group in groups))
    return Attribute(name, values, (*columns, ("*",) * number), (1,) * number)


def levels_between(bottom: Levels, top: Levels) -> st.SearchStrategy[Levels]:
    """Policies of a sublattice."""
    pairs = zip(bottom, top, strict=True)
    return st.tuples(*[st.integers(low, high) for low, high in pairs])


def chains(case: Case) -> st.SearchStrategy[tuple[Levels, Levels, Levels]]:
    """Three policies a <= y <= b anywhere in the hierarchies of a case."""
    heights = [attribute.height for attribute in case.attributes]
    each = [
        st.lists(st.integers(0, height - 1), min_size=3, max_size=3).map(sorted)
        for height in heights
    ]
    return st.tuples(*each).map(_transposed)


def _transposed(components: tuple[list[int], ...]) -> tuple[Levels, Levels, Levels]:
    low, middle, high = zip(*components, strict=True)
    return low, middle, high


Admits = Callable[[Sequence[int]], bool]
"""Whether a class, given as the indices of its rows, may be released."""
