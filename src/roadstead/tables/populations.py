"""Read or estimate a population, which counts the people with each combination of values.

If an attacker does not know whether the table includes a person, two numbers protect the person: f,
the number of matching people in the table, and F, the number of matching people in the population
(paper 001, Re-identification risk). A population is a frequency table of people. Joining a
population to a table adds F to the rows of the table, and adds rows with f = 0. F cannot be below
f. If a population has a lower F, Roadstead raises F to f, and reports the total increase.

`estimate_population` estimates the population from *margins*, which count people by a few
attributes. To *match* two margins, the function randomly pairs people who have the same values of
the shared attributes. The result meets both margins exactly, and its expected counts are the same
as the result of iterative proportional fitting from a uniform start (S. L. Lauritzen, Graphical
Models, 1996, section 4.4). Margins can be matched one after another if each margin fulfills one
condition: all attributes that it shares with earlier margins are in one of the earlier margins.
Other margins are fitted, rounded, and repaired (:mod:`roadstead.tables.fitting`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import RoleError, SettingError, SourceError, quoted
from roadstead.front_end import option
from roadstead.near_names import nearest
from roadstead.tables.fitting import Margin, proportional_fit, whole_people
from roadstead.tables.frequency import FrequencyTable, canonical, places, summarize
from roadstead.tables.source import Source

_MOST_PEOPLE = 1e12
_MOST_DRAWN = 1 << 26
_MOST_BOXES = 1 << 24
_MOST_COMBINATIONS = 1 << 62
_WHOLE = re.compile(r"\d{1,15}(\.0*)?", re.ASCII)
"""A pattern for numbers of people, which a file may store with zeros after the point."""


@dataclass(frozen=True, eq=False)
class Populated:
    """A frequency table with its population.

    `missing` is the number of people who had to be added to the population. If `missing` is not
    zero, the population does not belong to the table, or its values are written in a different way.
    """

    table: FrequencyTable
    missing: int


def with_population(table: FrequencyTable, people: FrequencyTable) -> Populated:
    """Add a population to a table, or replace an existing population.

    `people` is a frequency table whose counts are numbers of people. `people` has the attributes of
    `table`, and may have more attributes and other values. The result has a row for each
    combination that occurs in either table.
    """
    whole = people.project(table.attributes)
    domains, codes = [], []
    for i, (ours, theirs) in enumerate(zip(table.domains, whole.domains, strict=True)):
        domain = tuple(sorted({*ours, *theirs}))
        domains.append(domain)
        own, other = places(ours, domain)[table.codes[i]], places(theirs, domain)[whole.codes[i]]
        codes.append(np.concatenate([own, other]))
    nobody = np.zeros(whole.distinct, dtype=np.int64)
    counts = np.concatenate([table.counts, nobody])
    union, target = canonical(table.attributes, tuple(domains), codes, counts)
    known = np.zeros(union.distinct, dtype=np.int64)
    known[target[table.distinct :]] = whole.counts  # combinations are distinct
    alongside = tuple(
        one.merged(target[: table.distinct], union.distinct) for one in table.alongside
    )
    raised = np.maximum(known, union.counts)
    return Populated(
        replace(union, alongside=alongside, population=raised), int(np.sum(raised - known))
    )


def read_population(
    source: Source, attributes: Sequence[str], counts: str | None = None
) -> FrequencyTable:
    """Read a population from a table of people.

    `counts` is the column with the number of people that each row represents. By default, each row
    represents one person. Raises RoleError if the population lacks an attribute.
    """
    for name in attributes:
        if name not in source.columns:
            meant = nearest(name, source.columns)
            raise RoleError(
                f"the population has no column {quoted(name)}",
                where=source.name,
                fix="the population and the table must have the same quasi-identifiers, with the "
                f"same kinds of values{f'; did you mean {quoted(meant)}?' if meant else ''}",
            )
    if counts is None:
        return summarize(source, attributes)
    table = summarize(source, (*attributes, counts))
    where = f"{source.name}, column {quoted(counts)}"
    numbers = np.array([_number(text, where) for text in table.domains[-1]], dtype=np.int64)
    if float(np.dot(table.counts.astype(float), numbers[table.codes[-1]])) > _MOST_PEOPLE:
        raise SourceError(
            "the counts add up to too many people",
            where=where,
            fix="correct the counts",
        )
    people = table.counts * numbers[table.codes[-1]]
    some = people > 0
    if not some.any():
        raise SourceError("all counts are 0", where=where, fix="name the column with the counts")
    codes = tuple(column[some] for column in table.codes)
    return replace(table, codes=codes, counts=people[some]).project(tuple(attributes))


def _number(text: str, where: str) -> int:
    if not _WHOLE.fullmatch(text):
        shown = f"count {quoted(text)}" if text else "a missing count"
        what = f"{shown} is not a whole number"
        raise SourceError(
            what,
            where=where,
            fix="write how many people each row represents; to estimate the risk from a sample "
            f"with weights, run risk with {option('sampling_fraction')} instead",
        )
    return int(text.partition(".")[0])


@dataclass(frozen=True, eq=False)
class PeopleEstimate:
    """The estimated number of people with each combination of all attributes.

    `deviations` contains the total error of each margin, in people. `iterations` is the number of
    fitting cycles. The errors and the number of cycles are 0 if the margins can be matched.
    """

    table: FrequencyTable = field(repr=False)
    deviations: tuple[int, ...]
    iterations: int

    @property
    def exact(self) -> bool:
        """Return whether the estimate meets every margin exactly."""
        return not any(self.deviations)


def estimate_population(
    margins: Sequence[FrequencyTable], seed: int, names: Sequence[str] = ()
) -> PeopleEstimate:
    """Sample a population that has the given margins.

    Each margin counts people by some of the attributes. Several margins may share an attribute.
    `names` contains the names of the margins in messages, such as file names. Raises SettingError
    if no margins are given, a margin has no people, margins contradict each other, or there are too
    many combinations or people.
    """
    called = tuple(names) or tuple(
        f"margin {i} ({', '.join(margin.attributes)})" for i, margin in enumerate(margins, start=1)
    )
    if not margins or len(called) != len(margins):
        raise SettingError(
            f"the number of margins is {len(margins)}, and the number of names is {len(called)}",
            fix="give at least one margin, and either a name for each margin or no names",
        )
    for margin, name in zip(margins, called, strict=True):
        if not margin.counts.any():
            raise SettingError(
                "the counts of the margin are all 0", where=name, fix="give a margin with people"
            )
    alike = _on_common_domains(margins)
    for (one, first), (other, second) in combinations(zip(alike, called, strict=True), 2):
        _require_agreement(one, other, f"{first} and {second}")
    if alike[0].records > _MOST_DRAWN:
        raise SettingError(
            f"{alike[0].records:,} people are too many to sample one by one",
            fix=f"estimate at most {_MOST_DRAWN:,} people",
        )
    widest = _not_nested(alike)
    order = running_order([frozenset(margin.attributes) for margin in widest])
    chance = np.random.default_rng(seed)
    attributes = tuple(dict.fromkeys(name for margin in margins for name in margin.attributes))
    if order is None:
        return _fitted(
            alike, attributes, " and ".join([", ".join(called[:-1]), called[-1]]), chance
        )
    whole = widest[order[0]]
    for i in order[1:]:
        whole = matched(whole, widest[i], chance)
    return PeopleEstimate(whole.project(attributes), (0,) * len(margins), 0)


def _on_common_domains(margins: Sequence[FrequencyTable]) -> list[FrequencyTable]:
    """Give each attribute the same domain in all margins, and omit counts of zero."""
    values: dict[str, set[str]] = {}
    for margin in margins:
        for name, domain in zip(margin.attributes, margin.domains, strict=True):
            values.setdefault(name, set()).update(domain)
    domains = {name: tuple(sorted(own)) for name, own in values.items()}
    combined = prod(len(domain) for domain in domains.values())
    if combined > _MOST_COMBINATIONS:
        raise SettingError(
            f"the attributes {', '.join(domains)} have {combined:.1e} combinations of values",
            fix="estimate fewer attributes together, or use coarser values",
        )
    found = []
    for margin in margins:
        some = margin.counts > 0
        widened = tuple(domains[name] for name in margin.attributes)
        codes = [
            places(domain, wider)[own[some]]
            for domain, wider, own in zip(margin.domains, widened, margin.codes, strict=True)
        ]
        found.append(canonical(margin.attributes, widened, codes, margin.counts[some])[0])
    return found


def _require_agreement(one: FrequencyTable, other: FrequencyTable, where: str) -> None:
    """Check that two margins have equal totals, and equal counts of the shared attributes."""
    fix = "give margins of the same people, or scale one margin to the other"
    if one.records != other.records:
        raise SettingError(
            f"they have {one.records:,} and {other.records:,} people", where=where, fix=fix
        )
    shared = tuple(name for name in one.attributes if name in other.attributes)
    if not shared:
        return
    first, second = one.project(shared), other.project(shared)
    codes = [np.concatenate(pair) for pair in zip(first.codes, second.codes, strict=True)]
    sides = ([first.counts, 0 * second.counts], [0 * first.counts, second.counts])
    ours, theirs = (
        canonical(shared, first.domains, codes, np.concatenate(side))[0] for side in sides
    )
    difference = np.abs(ours.counts - theirs.counts)
    worst = int(difference.argmax())
    if difference[worst]:
        values = ", ".join(
            f"{name} = {quoted(domain[column[worst]])}"
            for name, domain, column in zip(shared, ours.domains, ours.codes, strict=True)
        )
        what = f"for {values}, they have {ours.counts[worst]:,} and {theirs.counts[worst]:,} people"
        raise SettingError(what, where=where, fix=fix)


def _not_nested(margins: Sequence[FrequencyTable]) -> list[FrequencyTable]:
    """Omit margins that other margins contain. All margins agree, so no information is lost."""
    kept: dict[frozenset[str], FrequencyTable] = {}
    for margin in sorted(margins, key=lambda one: -len(one.attributes)):
        scope = frozenset(margin.attributes)
        if not any(scope <= wider for wider in kept):
            kept[scope] = margin
    return list(kept.values())


def _fitted(
    margins: Sequence[FrequencyTable],
    attributes: tuple[str, ...],
    where: str,
    chance: np.random.Generator,
) -> PeopleEstimate:
    """Fit margins that cannot be matched one after another, and round and repair the result."""
    domains = {
        name: domain
        for margin in margins
        for name, domain in zip(margin.attributes, margin.domains, strict=True)
    }
    shape = tuple(len(domains[name]) for name in attributes)
    if prod(shape) > _MOST_BOXES:
        raise SettingError(
            f"margins that overlap in a circle require {prod(shape):,} boxes, one for each "
            f"combination of {', '.join(attributes)}",
            fix=f"give coarser values or fewer attributes (at most {_MOST_BOXES:,} boxes), or "
            "margins that can be matched one after another",
        )
    targets = [_dense(margin, attributes, shape) for margin in margins]
    start = np.full(shape, margins[0].records / prod(shape))
    fit, cycles = proportional_fit(start, targets)
    if not fit.any():
        what = "no population has all of these margins, although any two margins agree"
        raise SettingError(
            what, where=where, fix="give margins of the same people, or fewer margins"
        )
    counts, deviations = whole_people(fit, targets, chance)
    boxes = np.nonzero(counts)
    codes = [axis.astype(np.int32) for axis in boxes]
    of_all = tuple(domains[name] for name in attributes)
    table, _ = canonical(attributes, of_all, codes, counts[boxes])
    return PeopleEstimate(table, deviations, cycles)


def _dense(margin: FrequencyTable, attributes: tuple[str, ...], shape: tuple[int, ...]) -> Margin:
    ordered = margin.project([name for name in attributes if name in margin.attributes])
    axes = tuple(attributes.index(name) for name in ordered.attributes)
    counts = np.zeros([shape[axis] for axis in axes], dtype=np.int64)
    counts[ordered.codes] = ordered.counts
    return axes, counts


def running_order(scopes: Sequence[frozenset[str]]) -> tuple[int, ...] | None:
    """Order margins so that they can be matched one by one. Return None if no order works.

    `scopes` contains the attributes of each margin. No margin contains another margin. Each step
    takes the margin that shares the most attributes with one of the earlier margins. This method
    finds a suitable order if there is one, because the order is a maximum-weight spanning tree
    (Bernstein and Goodman 1981).
    """
    taken, left = [0], list(range(1, len(scopes)))
    while left:
        best = max(left, key=lambda i: max(len(scopes[i] & scopes[j]) for j in taken))
        shared = scopes[best] & frozenset().union(*(scopes[j] for j in taken))
        if not any(shared <= scopes[j] for j in taken):
            return None
        taken.append(best)
        left.remove(best)
    return tuple(taken)


def matched(
    first: FrequencyTable, second: FrequencyTable, chance: np.random.Generator
) -> FrequencyTable:
    """Randomly match people in two tables who have equal values of the shared attributes.

    Shared attributes must have the same domains and the same counts. The function uses one random
    number per person. The result counts people by the attributes of `first` and the additional
    attributes of `second`.
    """
    own = _key(first, second.attributes)
    other = _key(second, first.attributes)
    groups, number = np.unique(np.concatenate([own, other]), return_inverse=True)
    ours = _people(first, number[: own.size])
    theirs = _people(second, number[own.size :])
    random = chance.random(theirs.size)
    if groups.size > 1:
        random += number[own.size :][theirs]  # keep people aligned with their groups
    theirs = theirs[np.argsort(random, kind="stable")]
    del random
    pairs = ours.astype(np.int64)
    pairs *= second.distinct
    pairs += theirs
    del ours, theirs
    found, counts = np.unique(pairs, return_counts=True)
    at, there = np.divmod(found, second.distinct)
    further = [i for i, name in enumerate(second.attributes) if name not in first.attributes]
    return canonical(
        (*first.attributes, *(second.attributes[i] for i in further)),
        (*first.domains, *(second.domains[i] for i in further)),
        [*(c[at] for c in first.codes), *(second.codes[i][there] for i in further)],
        counts.astype(np.int64),
    )[0]


def _key(table: FrequencyTable, others: Sequence[str]) -> NDArray[np.int64]:
    """Assign the same numbers to the values of the shared attributes in both tables."""
    key = np.zeros(table.distinct, dtype=np.int64)
    for name in sorted({*table.attributes} & {*others}):
        at = table.attributes.index(name)
        key *= len(table.domains[at])
        key += table.codes[at]
    return key


def _people(table: FrequencyTable, groups: NDArray[np.int64]) -> NDArray[np.int32]:
    """List people by group. Each person is represented by the index of a combination."""
    order = np.argsort(groups, kind="stable").astype(np.int32)
    return np.repeat(order, table.counts[order])
