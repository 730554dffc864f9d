"""People with several rows, computed from the definition in plain Python.

The tests compare the search by people with this second implementation. The two share neither code
nor ideas. A person's rows have labels. For each multiset of labels that an attacker may know about
a kept person, at least k kept people must have it. People are left out one at a time until this is
true. Every policy is computed, with dictionaries and fractions.

A sensitive value counts once per person: in a class of rows, or, if an attacker may know all rows,
among the people with the same rows, with all their values. Models that are not monotone have no
greatest set of people. Instead, a rule applies (docs/methods/persons.md): everyone with a row in a
failing class is left out, all at once, and repeatedly. The rule first applies to the values that
the model needs, and then to the model itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, count
from math import ceil, floor, log, log2, prod
from random import Random
from typing import Any

import definition
import numpy as np
from lattices import AGGREGATES, Attribute, Case

from roadstead.hierarchies.rules import MISSING
from roadstead.policies.encoding import encode
from roadstead.privacy.combination import bind_all
from roadstead.privacy.models.person_anonymity import Known, PersonAnonymity
from roadstead.privacy.models.values_of_persons import ValuesOfPersons
from roadstead.privacy.protocol import PrivacyModel
from roadstead.quality.models.loss import Loss
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.left_out import persons_left_out
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.histograms import histogram
from roadstead.tables.persons.profiles import rows_of_persons

Label = tuple[str, ...]
Record = tuple[int, str]
"""The row of the case that a record is, and its sensitive value."""
Multiset = tuple[tuple[Label, int], ...]
"""Labels and how often each, in order."""
SENSITIVE = "illness"
ALL = "all"


@dataclass(frozen=True)
class Population:
    """A case whose records belong to people, the attacker's knowledge, and the people left out.

    The limit is a limit of people, or of records if rows are left out. `model` has the settings of
    a model of the sensitive values that must also be met.
    """

    case: Case
    persons: tuple[tuple[Record, ...], ...]
    knows: Known
    leaves_out: str
    limit: int
    model: dict[str, Any] | None = None
    average_over: str = "rows"

    @property
    def models(self) -> tuple[PrivacyModel, ...]:
        """The engine's models."""
        leaves_out: Any = self.leaves_out
        own = PersonAnonymity(self.case.k, "person", self.knows, leaves_out)
        if self.model is None:
            return (own,)
        knows: Any = self.knows
        return (own, ValuesOfPersons(self.model, "person", knows))

    def table(self) -> FrequencyTable:
        """Make the engine's table, with rows of people."""
        records = [(p, row, value) for p, own in enumerate(self.persons) for row, value in own]
        pairs = sorted({(p, row) for p, row, _ in records})
        often = Counter((p, row) for p, row, _ in records)
        rows = np.array([row for _, row in pairs])
        whole = replace(self.case, counts=(1,) * len(self.case.rows)).table()
        table = replace(
            whole,
            codes=tuple(column[rows] for column in whole.codes),
            counts=np.array([often[pair] for pair in pairs], dtype=np.int64),
        )
        if self.model is not None:
            values = sorted({value for _, _, value in records})
            entries = sorted(Counter((pairs.index((p, r)), v) for p, r, v in records).items())
            own = (
                np.array([place for (place, _), _ in entries], dtype=np.int64),
                np.array([values.index(value) for (_, value), _ in entries], dtype=np.int32),
                np.array([number for _, number in entries], dtype=np.int64),
            )
            table = replace(
                table, alongside=(histogram(SENSITIVE, tuple(values), own, len(pairs)),)
            )
        names = tuple(f"p{p}" for p in range(len(self.persons)))
        return rows_of_persons(table, "person", np.array([p for p, _ in pairs]), names)

    def problem(self) -> FullDomainProblem:
        """Make the engine's problem."""
        table = self.table()
        case = self.case
        encoding = encode(table, [attribute.hierarchy() for attribute in case.attributes])
        weights = None if case.weights is None else tuple(map(float, case.weights))
        average_over: Any = self.average_over
        space = replace(case, counts=(1,) * len(case.rows)).problem().space
        return FullDomainProblem(
            encoding=encoding,
            space=space,
            privacy=bind_all(self.models, table),
            quality=Loss(AGGREGATES[case.aggregate](weights), average_over).bind(encoding),
            limit=self.limit,
            persons=persons_left_out(self.models, table),
        )


@dataclass(frozen=True)
class Best:
    """The best policy of all: its loss, what it leaves out, its levels, and who is kept."""

    loss: float
    missing: int
    levels: tuple[int, ...]
    kept: frozenset[tuple[int, int]]  # records, as the number of a person and of the record


def best(population: Population) -> Best | None:
    """Work out every policy; None where all leave out more than the limit."""
    found = []
    for levels in definition.policies(population.case):
        kept = released(population, labels_of(population, levels))
        if population.leaves_out == "persons":
            missing = len(population.persons) - len({person for person, _ in kept})
        else:
            missing = sum(map(len, population.persons)) - len(kept)
        if missing <= population.limit:
            order, loss = lost(population, levels, kept)
            found.append((order, sum(levels), levels, missing, loss, kept))
    if not found:
        return None
    _, _, levels, missing, loss, kept = min(found, key=lambda one: one[:3])
    return Best(loss, missing, levels, kept)


def labels_of(population: Population, levels: tuple[int, ...]) -> dict[int, list[Label]]:
    """Label the records of each person."""
    case = population.case
    return {
        person: [
            tuple(map(definition.label, case.attributes, levels, case.rows[row])) for row, _ in own
        ]
        for person, own in enumerate(population.persons)
    }


def released(population: Population, labels: dict[int, list[Label]]) -> frozenset[tuple[int, int]]:
    """Say which records are released."""
    holds = _conditions(population, population.model) if population.model else []
    k, knows = population.case.k, population.knows
    if population.leaves_out == "rows":
        every = [(p, i) for p, own in labels.items() for i in range(len(own))]
        return frozenset(
            (p, i)
            for p, i in every
            if _persons_of(labels, labels[p][i]) >= k
            and all(one(_values_in(population, labels, labels[p][i])) for one in holds)
        )
    kept = dict(labels)
    for condition in (None, *holds):
        while True:
            kept = {p: kept[p] for p in greatest(kept, k, knows)}
            failing = set() if condition is None else _failing(population, kept, condition)
            if not failing:
                break
            kept = {p: own for p, own in kept.items() if p not in failing}
    return frozenset((p, i) for p, own in kept.items() for i in range(len(own)))


def _failing(
    population: Population,
    labels: Mapping[int, list[Label]],
    holds: Callable[[Counter[str]], bool],
) -> set[int]:
    """Give the people whose values do not meet a condition."""
    if population.knows == ALL:
        groups: dict[Multiset, list[int]] = {}
        for person, own in labels.items():
            groups.setdefault(_multiset(own), []).append(person)
        return {
            person
            for group in groups.values()
            if not holds(
                Counter(v for p in group for v in {value for _, value in population.persons[p]})
            )
            for person in group
        }
    wrong = {
        label
        for label in {label for own in labels.values() for label in own}
        if not holds(_values_in(population, labels, label))
    }
    return {person for person, own in labels.items() if wrong & set(own)}


def _persons_of(labels: Mapping[int, list[Label]], label: Label) -> int:
    return sum(label in own for own in labels.values())


def _values_in(
    population: Population, labels: Mapping[int, list[Label]], label: Label
) -> Counter[str]:
    """Count the people who have each sensitive value in a class of rows."""
    return Counter(
        value
        for person, own in labels.items()
        for value in {
            population.persons[person][i][1] for i, other in enumerate(own) if other == label
        }
    )


def _conditions(
    population: Population, model: Mapping[str, Any]
) -> list[Callable[[Counter[str]], bool]]:
    """Give what must hold of values: what any larger group would need too, and the model."""
    whole = Counter(
        v for own in population.persons for v in {value for _, value in own}
    )  # people by value, once per value
    share = {value: Fraction(number, whole.total()) for value, number in whole.items()}
    if model["kind"] == "delta-disclosure":
        return _as_frequent(share, model["delta"])

    def mixed(found: Counter[str]) -> bool:
        total = found.total()
        entropy = -sum(n / total * log(n / total) for n in found.values())
        return bool(entropy >= log(model["l"]) * (1 - 1e-9))

    def not_too_frequent(found: Counter[str]) -> bool:
        numbers = sorted(found.values(), reverse=True)
        rarer = sum(numbers[model["l"] - 1 :])
        return bool(numbers[0] < Fraction(repr(float(model["c"]))) * rarer)

    def near(found: Counter[str]) -> bool:
        far = sum(abs(Fraction(found[v], found.total()) - share[v]) for v in share) / 2
        return bool(float(far) <= model["t"] * (1 + 1e-9))

    def under(found: Counter[str]) -> bool:
        return all(
            float(Fraction(n, found.total())) <= _cap(share[v], model) * (1 + 1e-9)
            for v, n in found.items()
        )

    match model["kind"]:
        case "distinct-l-diversity":
            return [lambda found: len(found) >= model["l"]]
        case "entropy-l-diversity":
            return [lambda found: len(found) >= model["l"] - 1e-9, mixed]
        case "recursive-cl-diversity":
            least = model["l"] + floor(1 / Fraction(repr(float(model["c"]))))
            return [lambda found: len(found) >= least, not_too_frequent]
        case "t-closeness":
            reach = [
                lambda found: float(1 - sum(share[v] for v in found)) <= model["t"] * (1 + 2e-9)
            ]
            return [*reach, near]
        case _:
            room = [lambda found: sum(_cap(share[v], model) for v in found) >= 1 - 2e-9]
            return [*room, under]


def _as_frequent(
    share: Mapping[str, Fraction], delta: float
) -> list[Callable[[Counter[str]], bool]]:
    """Every value is about as frequent as in the table: what that needs, and the model."""
    needed = _least_of_each(share, delta)

    def near(found: Counter[str]) -> bool:
        times = [found[v] / found.total() / float(q) for v, q in share.items()]
        return all(x and abs(log2(x)) < delta * (1 - 1e-9) for x in times)

    return [lambda found: all(found[v] >= least for v, least in needed.items()), near]


def _least_of_each(share: Mapping[str, Fraction], delta: float) -> dict[str, int]:
    """Fewest people with each value, for the smallest sufficient number of people and values."""
    for size in count(1):
        least = {v: max(1, ceil(size * float(q) * 2**-delta)) for v, q in share.items()}
        most = {v: floor(size * float(q) * 2**delta) for v, q in share.items()}
        fits = all(least[v] <= most[v] for v in share)
        if fits and sum(least.values()) <= size <= sum(most.values()):
            return least
    raise AssertionError


def _cap(share: Fraction, model: Mapping[str, Any]) -> float:
    gain: float = min(model["beta"], -log(share))
    return float(share) * (1 + gain)


def known(labels: Sequence[Label], knows: Known) -> set[Multiset]:
    """List an attacker's possible knowledge about a person with these labels: at most all rows."""
    most = len(labels) if knows == ALL else min(int(knows), len(labels))
    return {_multiset(some) for some in combinations(labels, most)}


def fits(labels: Sequence[Label], what: Multiset, knows: Known) -> bool:
    """Whether a person with rows so labelled may be the one of whom that is known."""
    have = Counter(labels)
    if knows == ALL:
        return have == Counter(dict(what))
    return all(have[one] >= often for one, often in what)


def _multiset(labels: Iterable[Label]) -> Multiset:
    return tuple(sorted(Counter(labels).items()))


def admissible(labels: Mapping[int, Sequence[Label]], k: int, knows: Known) -> bool:
    """Whether all possible knowledge about each of these people matches k of them."""
    return all(
        sum(fits(other, what, knows) for other in labels.values()) >= k
        for own in labels.values()
        for what in known(own, knows)
    )


def greatest(labels: Mapping[int, Sequence[Label]], k: int, knows: Known) -> set[int]:
    """Leave out, one at a time, people about whom possible knowledge matches too few people."""
    kept = dict(labels)
    while True:
        unsafe = (
            person
            for person, own in kept.items()
            if any(
                sum(fits(other, what, knows) for other in kept.values()) < k
                for what in known(own, knows)
            )
        )
        person = next(unsafe, None)
        if person is None:
            return set(kept)
        del kept[person]


def lost(
    population: Population, levels: tuple[int, ...], kept: frozenset[tuple[int, int]]
) -> tuple[int, float]:
    """Work out the loss where these records are kept, and a whole number that grows with it."""
    case, losses = population.case, []
    by_person = population.average_over == "persons"
    shown = replace(case, rows=tuple(case.rows[r] for own in population.persons for r, _ in own))
    for i, (attribute, level) in enumerate(zip(case.attributes, levels, strict=True)):
        most = definition.covered(shown, i, attribute.height - 1, attribute.values[0]) - 1
        cost = {
            value: definition.covered(shown, i, level, value) - 1
            for value in {row[i] for row in shown.rows}
        }
        total, whole = Fraction(0), Fraction(0)
        for p, own in enumerate(population.persons):
            weight = Fraction(1, len(own)) if by_person else Fraction(1)
            for j, (row, _) in enumerate(own):
                total += weight * (cost[case.rows[row][i]] if (p, j) in kept else most)
                whole += weight * most
        losses.append(floor(total / whole * definition.UNIT) if most else 0)
    weights = case.weights or (1,) * len(losses)
    if case.aggregate == "arithmetic":
        order = sum(w * loss for w, loss in zip(weights, losses, strict=True))
        return order, float(Fraction(order, definition.UNIT * sum(weights)))
    order = prod((definition.UNIT + loss) ** w for w, loss in zip(weights, losses, strict=True))
    return order, definition.root(order, sum(weights))


MODELS: dict[str, Callable[[Random], dict[str, Any]]] = {
    "distinct-l-diversity": lambda chance: {"l": chance.choice([2, 2, 3])},
    "entropy-l-diversity": lambda chance: {"l": chance.choice([1.5, 1.8, 2.0, 2.5])},
    "recursive-cl-diversity": lambda chance: {"c": chance.choice([0.5, 1.5, 2.0, 3.0]), "l": 2},
    "t-closeness": lambda chance: {"t": chance.choice([0.1, 0.3, 0.5])},
    "beta-likeness": lambda chance: {"beta": chance.choice([0.3, 0.7, 1.5])},
    "delta-disclosure": lambda chance: {"delta": chance.choice([0.45, 0.9, 1.7])},
}
"""Random parameters, for each kind of model that counts people."""


def populations(
    number: int, seed: int, knows: Known, leaves_out: str, kind: str | None = None
) -> Iterator[Population]:
    """Draw small tables: up to 18 people with one to five records, up to three attributes."""
    for at in range(number):
        chance = Random(f"{seed} {at} {knows} {leaves_out} {kind}")  # noqa: S311 - for tests
        yield population(chance, knows, leaves_out, kind)


def population(
    chance: Random, knows: Known, leaves_out: str, kind: str | None = None
) -> Population:
    """Draw one; identical people are frequent, and limits are from 0 to 100%."""
    attributes = tuple(_attribute(chance, name) for name in "abc"[: chance.randint(1, 3)])
    rows = sorted(
        {
            tuple(chance.choice(attribute.values) for attribute in attributes)
            for _ in range(chance.randint(2, 12))
        }
    )
    few = [
        tuple(chance.randrange(len(rows)) for _ in range(chance.choice([1, 1, 1, 2, 2, 3, 5])))
        for _ in range(chance.randint(1, 8))
    ]
    odd = chance.choice([0.0, 0.3, 0.6])  # how often a record is not as that of others
    everyone = [
        tuple(chance.randrange(len(rows)) if chance.random() < odd else row for row in own)
        for own in (chance.choice(few) for _ in range(chance.randint(1, 18)))
    ]
    values = "uuuvvw"[: chance.randint(3, 6)]
    persons = tuple(tuple((row, chance.choice(values)) for row in own) for own in everyone)
    units = len(persons) if leaves_out == "persons" else sum(map(len, persons))
    case = Case(
        attributes=attributes,
        rows=tuple(rows),
        counts=(1,) * len(rows),
        k=chance.choice([2, 2, 3, 4]),
        limit=0,
        aggregate="geometric" if chance.random() < 0.5 else "arithmetic",
        weights=chance.choice([None, tuple(chance.randint(1, 3) for _ in attributes)]),
        bottom=(0,) * len(attributes),
        top=tuple(attribute.height - 1 for attribute in attributes),
    )
    return Population(
        case=case,
        persons=persons,
        knows=knows,
        leaves_out=leaves_out,
        limit=int(chance.random() ** 2 * 101) * units // 100,
        model=None if kind is None else {"kind": kind, "column": SENSITIVE, **MODELS[kind](chance)},
        average_over=chance.choice(["rows", "persons"]),
    )


def _attribute(chance: Random, name: str) -> Attribute:
    """A hierarchy of up to four levels over few values, which may include the missing one."""
    values = [f"{name}{i}" for i in range(chance.randint(2, 6))]
    if chance.random() < 0.2:
        values[-1] = MISSING
    columns, groups = [tuple(values)], list(range(len(values)))
    for level in range(1, chance.randint(1, 3)):
        parents = [chance.randrange(len(values)) for _ in values]
        groups = [parents[group] for group in groups]
        columns.append(tuple(f"{level}:{group}" for group in groups))
    columns.append(("*",) * len(values))
    return Attribute(name, tuple(values), tuple(columns), (1,) * len(values))
