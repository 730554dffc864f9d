"""A population estimated from its margins: people by age and sex, people by race and ZIP code.

Statistics are published as margins, a few attributes at a time. What the risk of a release depends
on is how many people share all of its quasi-identifiers, and that has to be estimated. The estimate
assumes nothing that the margins do not say: it is iterative proportional fitting from a uniform
start (:mod:`roadstead.tables.proportional_fit`), drawn in whole people, because nobody is alike to
0.3 people. Every margin is kept to the last person where the margins can be matched one after the
other (:mod:`roadstead.tables.matching`); disjoint, nested and chained margins always can. Other
overlapping margins are fitted, rounded and repaired (:mod:`roadstead.tables.integer_counts`), and
how far off they remain is told.

Of the packages that fit margins, ipfn has no whole numbers and needs pandas, and humanleague has
no wheels to install; so it is written here, in NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import prod

import numpy as np

from roadstead.errors import SettingError, quoted
from roadstead.tables.frequency import FrequencyTable, canonical
from roadstead.tables.integer_counts import whole_people
from roadstead.tables.matching import matched, running_order
from roadstead.tables.proportional_fit import Margin, proportional_fit

_MOST_PEOPLE = 1 << 26
_MOST_BOXES = 1 << 24
_MOST_COMBINATIONS = 1 << 62


@dataclass(frozen=True, eq=False)
class PeopleEstimate:
    """A population estimated from margins.

    Attributes
    ----------
    table
        People by all attributes, in the order in which the margins name them first.
    deviations
        For each margin, by how many people its counts are missed, summed over its counts. All 0
        where the margins can be matched.
    iterations
        Cycles of the fitting; 0 where the margins were matched.
    """

    table: FrequencyTable = field(repr=False)
    deviations: tuple[int, ...]
    iterations: int

    @property
    def exact(self) -> bool:
        """Whether every margin is kept to the last person."""
        return not any(self.deviations)


def estimate_population(
    margins: Sequence[FrequencyTable], seed: int, names: Sequence[str] = ()
) -> PeopleEstimate:
    """Draw a population that has given margins.

    Parameters
    ----------
    margins
        People by some of the attributes each; the counts are people, as
        :func:`roadstead.tables.populations.read_population` gives them. An attribute may be in
        several.
    seed
        Of all random choices. The same margins and seed give the same population.
    names
        What to call each margin in messages, such as its file; numbers if not given.

    Returns
    -------
    PeopleEstimate
        The population, and how far it is off its margins.

    Raises
    ------
    SettingError
        There is no margin, or nobody in it; margins contradict each other; or the combinations or
        people are too many.
    """
    called = tuple(names) or tuple(
        f"margin {i} ({', '.join(margin.attributes)})" for i, margin in enumerate(margins, start=1)
    )
    if not margins or len(called) != len(margins):
        raise SettingError(
            f"{len(margins)} margins have {len(called)} names",
            fix="give at least one margin, and a name for each or none",
        )
    for margin, name in zip(margins, called, strict=True):
        if not margin.counts.any():
            raise SettingError("there are no people", where=name, fix="give a margin of some")
    alike = _on_common_domains(margins)
    for (one, first), (other, second) in combinations(zip(alike, called, strict=True), 2):
        _require_agreement(one, other, f"{first} and {second}")
    if alike[0].records > _MOST_PEOPLE:
        raise SettingError(
            f"{alike[0].records:,} people are too many to be drawn one by one",
            fix=f"estimate a part of them; at most {_MOST_PEOPLE:,} can be",
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
    """Write margins with the same domain for an attribute wherever it occurs; leave out zeros."""
    values: dict[str, set[str]] = {}
    for margin in margins:
        for name, domain in zip(margin.attributes, margin.domains, strict=True):
            values.setdefault(name, set()).update(domain)
    domains = {name: tuple(sorted(own)) for name, own in values.items()}
    combined = prod(len(domain) for domain in domains.values())
    if combined > _MOST_COMBINATIONS:
        raise SettingError(
            f"the attributes {', '.join(domains)} have {combined:.1e} combinations of values",
            fix="estimate fewer attributes at once, or give them fewer values",
        )
    found = []
    for margin in margins:
        some = margin.counts > 0
        codes = []
        for name, domain, own in zip(margin.attributes, margin.domains, margin.codes, strict=True):
            place = {value: code for code, value in enumerate(domains[name])}
            codes.append(np.array([place[value] for value in domain], dtype=np.int32)[own[some]])
        widened = tuple(domains[name] for name in margin.attributes)
        found.append(canonical(margin.attributes, widened, codes, margin.counts[some])[0])
    return found


def _require_agreement(one: FrequencyTable, other: FrequencyTable, where: str) -> None:
    """See that two margins have as many people, and as many with each value that both count."""
    fix = "give margins of the same people, or scale one to the other"
    if one.records != other.records:
        raise SettingError(
            f"they have {one.records:,} and {other.records:,} people", where=where, fix=fix
        )
    shared = tuple(name for name in one.attributes if name in other.attributes)
    if not shared:
        return
    first, second = one.project(shared), other.project(shared)
    codes = [np.concatenate(pair) for pair in zip(first.codes, second.codes, strict=True)]
    sides = [np.concatenate([first.counts, 0 * second.counts])]
    sides.append(np.concatenate([0 * first.counts, second.counts]))
    (ours, theirs) = (canonical(shared, first.domains, codes, side)[0] for side in sides)
    difference = np.abs(ours.counts - theirs.counts)
    worst = int(difference.argmax())
    if difference[worst]:
        values = ", ".join(
            f"{name} {quoted(domain[column[worst]])}"
            for name, domain, column in zip(shared, ours.domains, ours.codes, strict=True)
        )
        raise SettingError(
            f"of {values} they have {ours.counts[worst]:,} and {theirs.counts[worst]:,} people",
            where=where,
            fix=fix,
        )


def _not_nested(margins: Sequence[FrequencyTable]) -> list[FrequencyTable]:
    """Leave out margins of margins; what they say follows, because they agree."""
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
    """Fit, round and repair margins that overlap in a circle."""
    domains = {
        name: domain
        for margin in margins
        for name, domain in zip(margin.attributes, margin.domains, strict=True)
    }
    shape = tuple(len(domains[name]) for name in attributes)
    if prod(shape) > _MOST_BOXES:
        raise SettingError(
            f"margins that overlap in a circle are fitted in {prod(shape):,} boxes, one for each "
            f"combination of {', '.join(attributes)}",
            fix=f"give coarser values or fewer attributes, {_MOST_BOXES:,} boxes at most, or "
            "margins that can be matched one after the other",
        )
    targets = [_dense(margin, attributes, shape) for margin in margins]
    start = np.full(shape, margins[0].records / prod(shape))
    fit = proportional_fit(start, targets)
    if not fit.expected.any():
        raise SettingError(
            "no population has all of them, though any two agree",
            where=where,
            fix="give margins of the same people, or fewer",
        )
    rounded = whole_people(fit.expected, targets, chance)
    places = np.nonzero(rounded.counts)
    table, _ = canonical(
        attributes,
        tuple(domains[name] for name in attributes),
        [place.astype(np.int32) for place in places],
        rounded.counts[places],
    )
    return PeopleEstimate(table, rounded.deviations, fit.cycles)


def _dense(margin: FrequencyTable, attributes: tuple[str, ...], shape: tuple[int, ...]) -> Margin:
    ordered = margin.project([name for name in attributes if name in margin.attributes])
    axes = tuple(attributes.index(name) for name in ordered.attributes)
    counts = np.zeros([shape[axis] for axis in axes], dtype=np.int64)
    counts[ordered.codes] = ordered.counts
    return axes, counts
