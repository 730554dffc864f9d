"""Show what a hierarchy does to a column: the levels, their detail, and records per label.

The module uses the same hierarchy as a release. This is the declared hierarchy, if there is one.
Otherwise, it is a file in the folder of hierarchies or, without such a file, the proposal. If pages
hide the values of a column, only values that enough records share are displayed. For a
quasi-identifier, messages and the form may name any value, because the person who edits its
hierarchy has the table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import RoadsteadError, SettingError, quoted
from roadstead.hierarchies.arx_csv import csv_of
from roadstead.hierarchies.defaults import Meaning
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.label_order import label_order
from roadstead.hierarchies.ordered_domain import ordered_domain
from roadstead.hierarchies.rules import MISSING, Bands, Calendar
from roadstead.jobs import Observer
from roadstead.policies.classes import no_class
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import full_domain
from roadstead.policies.person_rules import PersonRules
from roadstead.quality.models.loss import Loss
from roadstead.release.persons.dates import make_dates
from roadstead.release.persons.early_births import EarlyBirths
from roadstead.release.persons.old_ages import is_called_a_birth
from roadstead.reports.charts.svg import picture
from roadstead.reports.charts.value_bars import ValueBars, ValueCount, value_bars
from roadstead.reports.noticed.gather import noticed
from roadstead.tables.codebooks.shown import labels_of_codes
from roadstead.tables.frequency import FrequencyTable, OutgrownError
from roadstead.tables.identifiers.descriptions import described_ages
from roadstead.tables.kept_codes import missing_codes_shown
from roadstead.tables.persons.profiles import PersonTable, counted_by
from roadstead.tables.source import Source
from roadstead.tables.texts import texts_of
from roadstead.verbs.defaults import proposed_hierarchy
from roadstead.verbs.hierarchies import choose_hierarchies
from roadstead.verbs.persons.dates import date_rule
from roadstead.verbs.scan.proposed_hierarchy import births_before
from roadstead.verbs.settings import aggregate_of
from roadstead.web.work.questions.source import source_of

_MOST = 5_000_000
"""The largest number of values, or of (person, value) pairs, of a column in memory."""
_EXAMPLES = 10
_LISTED = 300
"""The largest number of values that the form lists for grouping."""
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")


@dataclass(frozen=True, eq=False)
class CountedColumn:
    """A column of a table. The column is counted once for all questions about it."""

    source: Source
    column: str
    person: str | None
    table: FrequencyTable
    since: str | None = None  # the form of dates that replaces the column, such as since:COLUMN

    @property
    def domain(self) -> tuple[str, ...]:
        """The values of the column."""
        return self.table.domains[0]

    @property
    def means(self) -> dict[str, Meaning]:
        """The meaning of the column if its name does not show it. A release uses it, too."""
        if self.since is None:
            return {**described_ages(self.source, [self.column])}
        return {self.column: "capped-age" if self.since.startswith("age:") else "days"}

    @cached_property
    def faces(self) -> Mapping[str, str]:
        """The label of each code, if the codebook of the table has labels for all codes."""
        codebook = self.source.codebook
        found = None if codebook is None else codebook.faces(self.column, self.domain)
        return found or {}

    def shown(self, text: str) -> str:
        """Return the label of a code. Any other string is returned unchanged."""
        return self.faces.get(text, text)

    @cached_property
    def born(self) -> EarlyBirths | None:
        """The band of birth dates that show ages over 89, judging by the table's other dates."""
        if self.since is not None or not is_called_a_birth(self.column):
            return None
        first = texts_of(self.source, self.source.columns).first(_LISTED)
        samples = dict(zip(self.source.columns, first.values(), strict=True))
        return births_before(self.source, samples).get(self.column)

    @cached_property
    def by_value(self) -> NDArray[np.int64]:
        """The number of records with each value."""
        return np.bincount(
            self.table.codes[0], weights=self.table.counts, minlength=len(self.domain)
        ).astype(np.int64)

    @cached_property
    def values(self) -> FrequencyTable:
        """The same table with one row per value, summed over all people."""
        codes = np.arange(len(self.domain), dtype=np.int32)
        return FrequencyTable((self.column,), (self.domain,), (codes,), self.by_value)


_kept: list[CountedColumn] = []
"""The columns that were counted last."""
_MOST_KEPT = 8


def levels(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:  # noqa: ARG001 - a task
    """Describe what each level of a column does, and draw one level."""
    counted = counted_column(given)
    hierarchy, origin = _hierarchy(counted, given)
    name, k, covered = given["column"], int(given["k"]), bool(given["covered"])
    _require_limits(hierarchy, given)
    encoding = encode(counted.values, [hierarchy])
    bound = Loss().bind(encoding)
    nothing = bound.nothing_suppressed()
    codes = hierarchy.codes_of(counted.domain)
    found = [
        {
            "level": level,
            "what": hierarchy.describe(level),
            "labels": int(np.unique(codes[level]).size),
            "loss": bound.loss_by_attribute((level,), nothing, no_class())[0],
            "below": _below(counted, codes[level], k),
        }
        for level in range(hierarchy.height)
    ]
    chosen = min(max(int(given.get("level") or 0), 0), hierarchy.height - 1)
    fewest = k if covered else 1
    bars = _bars(counted, hierarchy, chosen, fewest)
    drawn = picture(bars.chart(f"values-{chosen}", name))
    return {
        "levels": found,
        "level": chosen,
        "origin": origin,
        "old_births": _old_births(counted, hierarchy),
        "unit": "records" if counted.person is None else "people",
        "wide": str(drawn.wide),
        "narrow": str(drawn.narrow),
        "bars": [[one.label, one.records] for one in bars.rows],
        "records": bars.records,
        "examples": _examples(counted, hierarchy, chosen, fewest),
    }


def proposed(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:  # noqa: ARG001 - a task
    """Propose a hierarchy for a column. If there are few values, return them and their counts."""
    counted = counted_column(given)
    name, domain = given["column"], counted.domain
    shown_values = tuple(map(counted.shown, domain))
    proposal = proposed_hierarchy(name, shown_values, counted.means.get(name), counted.born)
    spec, systems = dict(proposal.declaration), proposal.systems
    values: list[list[Any]] | None = None
    codebook = counted.source.codebook
    (hierarchy,), _ = choose_hierarchies(
        counted.values, None, {name: spec}, means=counted.means, codebook=codebook
    )
    hierarchy = replace(hierarchy, births_compared_with=proposal.births_compared_with)
    shown = given.get("decided") or not given["covered"]
    if shown and len(domain) <= _LISTED:
        many = dict(zip(domain, counted.by_value.tolist(), strict=True))
        ordered = _in_order(hierarchy, domain)[0]
        values = [[counted.shown(one), many[one]] for one in ordered if one != MISSING]
    book = None if systems is None else systems.possible[0].name
    found = noticed(
        counted.values,
        [hierarchy],
        fewest=int(given["k"]),
        labels=labels_of_codes(counted.source),
        declared=missing_codes_shown(counted.source),
    )
    said = (*proposal.said(), *found)
    return {"spec": spec, "values": values, "book": book, "noticed": said}


def _old_births(counted: CountedColumn, hierarchy: Hierarchy) -> str | None:
    """Return a warning if a level shows dates of birth that reveal ages over 89."""
    rule = hierarchy.levels[0].rule
    bottom = rule.bottom if isinstance(rule, Calendar | Bands) else None
    if counted.born is None or (bottom is not None and bottom >= counted.born.before):
        return None
    first = counted.born.before
    has_field = isinstance(rule, Calendar | Bands)
    kind = "" if has_field else "choose Calendar as the kind of levels, and "
    way = f"{kind}enter {first} as the year or number below which values are in one band"
    return (
        f"Warning: some dates of birth before {first} show an age over 89. Safe Harbor requires "
        f"one band for them. {way[0].upper()}{way[1:]}."
    )


def exported(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:  # noqa: ARG001 - a task
    """Write the hierarchy of a column as a file in ARX's format."""
    hierarchy, _ = _hierarchy(counted_column(given), given)
    return {"text": csv_of(hierarchy).decode("utf-8")}


def counted_column(given: Mapping[str, Any]) -> CountedColumn:
    """Count a column of the table, unless the column was counted before."""
    source, column, person = source_of(given["project"]), given["column"], given.get("person")
    since = given.get("since")
    for one in _kept:
        own = (one.column, one.person, one.since)
        if one.source is source and own == (column, person, since):
            return one
    try:
        table = counted_by(_with_days(source, column, person, since), person, [column], most=_MOST)
    except OutgrownError:
        raise SettingError(
            f"has more than {_MOST:,} values, too many for this page",
            where=f"column {quoted(column)}",
            fix="round its values first, or set its role to Direct identifier",
        ) from None
    made = CountedColumn(source, column, person, table, since)
    _kept[:] = [*(one for one in _kept if one.source is source)][1 - _MOST_KEPT :]
    _kept.append(made)
    return made


def _with_days(source: Source, column: str, person: str | None, since: str | None) -> Source:
    """Replace the dates of a column with days, as a release does."""
    if person is None or since is None:
        return source
    rule = date_rule(column, since, source.columns)
    if rule.form == "shifted-anchor":  # the column has days; another column has the shifted date
        rule = replace(rule, form="interval")
    return make_dates(source, PersonRules(person, dates=(rule,)), None).source


def _hierarchy(counted: CountedColumn, given: Mapping[str, Any]) -> tuple[Hierarchy, str]:
    """Return the hierarchy that a release would use.

    For a quasi-identifier, an error message names the invalid value. For other columns, messages do
    not name hidden values.
    """
    spec, folder = given.get("spec"), given.get("folder")
    name, base = counted.column, Path(given["project"]).parent
    own = {} if spec is None else {name: spec}
    born = counted.born if spec is None else None
    try:
        (made,), origins = choose_hierarchies(
            counted.values,
            None if folder is None else base / folder,
            own,
            base=base,
            means=counted.means,
            codebook=counted.source.codebook,
            born={} if born is None else {name: born},
        )
    except RoadsteadError as error:
        if given.get("decided") or not given["covered"]:
            raise
        values = {quoted(value) for value in counted.domain}
        what, fix = _without(error.what, values), _without(error.fix or "", values)
        raise SettingError(what, fix=fix or None) from None
    return made, origins[name]


def _without(text: str, values: set[str]) -> str:
    """Remove the values of the column from a message."""
    return _QUOTED.sub(lambda found: "…" if found[0] in values else found[0], text)


def _require_limits(hierarchy: Hierarchy, given: Mapping[str, Any]) -> None:
    """Reject limits on levels that the hierarchy does not have, and invalid weights."""
    name = hierarchy.attribute
    limits = (given.get("least"), given.get("most"))
    full_domain([hierarchy], *({} if one is None else {name: int(one)} for one in limits))
    weight = given.get("weight")
    if weight is not None:
        aggregate_of("geometric", {name: float(weight), "another": 1.0}, [name, "another"])


def holders_of(
    counted: CountedColumn, codes: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the records or the people that have each label.

    A person is counted only once per label.

    The second result is the label of each row. If people are counted, the second result is instead
    the profile times the number of labels, plus the label.
    """
    table = counted.table
    labels = codes[table.codes[0]].astype(np.int64)
    many = int(codes.max()) + 1
    if not isinstance(table, PersonTable):
        return np.bincount(labels, weights=table.counts, minlength=many).astype(np.int64), labels
    persons = table.persons
    pairs = _each_once(persons.owners.astype(np.int64) * many + labels)
    owner, label = np.divmod(pairs, many)
    sizes = np.bincount(label, weights=persons.people[owner], minlength=many)
    return sizes.astype(np.int64), pairs


def _each_once(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the distinct numbers in ascending order.

    Sorting is fastest if the numbers are nearly sorted already.
    """
    ordered = np.sort(numbers, kind="stable")
    first = np.ones(ordered.size, dtype=np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    once: NDArray[np.int64] = ordered[first]
    return once


def _below(counted: CountedColumn, codes: NDArray[np.int32], k: int) -> float:
    """Return the share of records or people that this column alone puts into a group below k."""
    sizes, rows = holders_of(counted, codes)
    if not isinstance(counted.table, PersonTable):
        return float(sizes[sizes < k].sum() / sizes.sum())
    owner, label = np.divmod(rows, int(codes.max()) + 1)
    exposed = _each_once(owner[sizes[label] < k])
    people = counted.table.persons.people
    return float(people[exposed].sum() / people.sum())


def _in_order(hierarchy: Hierarchy, domain: Sequence[str]) -> tuple[list[str], bool]:
    """Return the values in their order, and whether the order has a meaning.

    Bands and dates have their natural order, regardless of their order in the file.
    """
    ordered = ordered_domain(hierarchy, domain)
    values = [value for place in ordered.places for value in place]
    order = None if ordered.numeric else label_order(values)
    if order is not None:
        return [values[at] for at in order], True
    return values, ordered.origin != "in order of code points"


def _bars(counted: CountedColumn, hierarchy: Hierarchy, level: int, fewest: int) -> ValueBars:
    """Count the records with each label of a level. The labels are in the order of the values."""
    values, ordered = _in_order(hierarchy, counted.domain)
    place = {value: at for at, value in enumerate(counted.domain)}
    by_value, codes = counted.by_value, hierarchy.codes_of(counted.domain)[level]
    records: dict[int, int] = {}
    for value in values:
        label = int(codes[place[value]])
        records[label] = records.get(label, 0) + int(by_value[place[value]])
    labels, holders = hierarchy.levels[level].labels, holders_of(counted, codes)[0]
    counts = [
        ValueCount(counted.shown(labels[label]), many, int(holders[label]))
        for label, many in records.items()
    ]
    return value_bars(counts, ordered=ordered, fewest=fewest)


def _examples(
    counted: CountedColumn, hierarchy: Hierarchy, level: int, fewest: int
) -> list[list[str]]:
    """Return some values and their labels at the level, from the first to the last value."""
    values, ordered = _in_order(hierarchy, counted.domain)
    place = {value: at for at, value in enumerate(counted.domain)}
    holders, _ = holders_of(counted, np.arange(len(counted.domain), dtype=np.int32))
    enough = [value for value in values if holders[place[value]] >= fewest]
    if not ordered:
        enough.sort(key=lambda value: (-holders[place[value]], value))
        enough = enough[:_EXAMPLES]
    step = max(-(-len(enough) // _EXAMPLES), 1)
    level_of, codes = hierarchy.levels[level], hierarchy.codes_of(counted.domain)[level]
    pairs = ((value, level_of.labels[int(codes[place[value]])]) for value in enough[::step])
    return [[counted.shown(value), counted.shown(label)] for value, label in pairs]
