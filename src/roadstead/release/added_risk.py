"""Measure the risk from columns that are released unchanged.

A privacy model assumes an attacker who knows only the quasi-identifiers. An attacker who knows more
about a person, such as a lab value or a day, can distinguish more records. This module counts the
released records that are unique, and the records in groups of fewer than k. The module groups the
records in three ways: by the quasi-identifiers, by the quasi-identifiers with one additional column
at a time, and by all columns. If the rows of a person are linked, groups consist of people, because
patients cannot hide among their own records. If the attacker may know several of a person's rows,
the module also counts the people whom an attacker can single out by all columns of these rows.
`persons.added_people` counts these people if the rows are not linked.
Values in the data never leave the engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import reduce
from math import ceil
from operator import add
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.errors import SettingError, quoted
from roadstead.policies.json_document import NOT_NONE, STRICT
from roadstead.release.apply import numbered_texts, others_called, placed_records
from roadstead.release.persons.fitting import fitting_however_many
from roadstead.risk.persons.knowledge import ROWS_IN_WORDS, RowsKnown
from roadstead.tables.failures import engine_errors
from roadstead.tables.frequency import canonical, summarize
from roadstead.tables.persons.profiles import summarize_persons
from roadstead.tables.stores.access import workbench
from roadstead.tables.stores.names import quoted_name
from roadstead.tables.text import as_text
from roadstead.tables.texts import with_strings

if TYPE_CHECKING:
    import ibis
    from ibis.expr import types as ir

    from roadstead.policies.document import Policy
    from roadstead.privacy.protocol import PrivacyModel
    from roadstead.release.generalized import Generalized
    from roadstead.tables.engine import TextTable
    from roadstead.tables.source import Source

_USUAL_SIZE: Final = 5
"""The group size that is used if the privacy requirements do not set one."""
_SLACK: Final = 1e-9
"""The relative tolerance for comparing a risk with a threshold."""
WHO: Final = "roadstead_who"
"""The column of the people, next to the columns of a release."""
T = TypeVar("T")

_MOST_CELLS: Final = 4_000_000
"""The maximum number of cells whose groups one query counts."""
_PLACE: Final = 6
"""The number of digits in the written number of a column."""


def size_within(models: Sequence[PrivacyModel]) -> int:
    """Return the smallest group size that keeps the risk within the threshold of all models."""
    return ceil(1.0 / (min(model.threshold for model in models) * (1.0 + _SLACK)))


def group_size(models: Sequence[PrivacyModel]) -> int:
    """Return the group size below which a record counts as being in a small group."""
    k = size_within(models)
    return k if k > 1 else _USUAL_SIZE


@checked_dataclass(frozen=True, config=STRICT)
class GroupCounts:
    """The records in small groups. If records are linked by person, groups consist of people."""

    unique: int  # unique records or, if linked, records that fit only one person
    below_k: int  # records in groups of fewer than k, including the unique records


@checked_dataclass(frozen=True, config=STRICT)
class SingledOutPeople:
    """The people in small groups, if an attacker knows all released columns of several rows.

    The numbers are None if there are too many combinations of rows to count.
    """

    knows: RowsKnown  # the number of a person's rows that the attacker may know
    persons: int  # the number of released people
    unique: int | None  # people who alone match their rows
    below_k: int | None  # people whose rows match fewer than k people, including unique people


@checked_dataclass(frozen=True, config=STRICT)
class AddedRisk:
    """The released records in small groups, for attackers who know different columns."""

    k: int  # groups of fewer than k are small
    records: int  # the number of released records
    quasi: GroupCounts  # if an attacker knows only the released quasi-identifiers
    together: GroupCounts  # if an attacker also knows all other released columns
    columns: dict[str, GroupCounts]  # if an attacker also knows this column
    # The unit of group sizes.
    groups_of: Annotated[
        Literal["records", "persons"], Field(exclude_if=lambda unit: unit == "records")
    ] = "records"
    # Set if people are counted, unless the rows are linked and an attacker knows one row. All other
    # counts are for one known row.
    people: Annotated[SingledOutPeople | None, NOT_NONE] = None

    @property
    def ranked(self) -> tuple[tuple[str, GroupCounts], ...]:
        """Return the columns in descending order of the risk that each column adds by itself."""
        return tuple(
            sorted(self.columns.items(), key=lambda one: (-one[1].unique, -one[1].below_k))
        )

    @property
    def worst(self) -> tuple[tuple[str, GroupCounts], ...]:
        """Return the columns that add risk by themselves, in descending order of this risk."""
        ranked = sorted(
            self.columns.items(), key=lambda one: (-one[1].unique, -one[1].below_k, one[0])
        )
        return tuple(one for one in ranked if one[1].below_k > self.quasi.below_k)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and shares as a dictionary that can be written as JSON."""
        return {
            "k": self.k,
            "records": self.records,
            "groups_of": self.groups_of,
            "quasi": _with_shares(self.quasi, self.records),
            "together": _with_shares(self.together, self.records),
            "columns": {n: _with_shares(own, self.records) for n, own in self.columns.items()},
            "people": None if self.people is None else asdict(self.people),
        }


def added_risk(
    source: Source, policy: Policy, generalized: Generalized, *, mask: bool, k: int
) -> AddedRisk:
    """Count the records in small groups of a release that has not been written yet."""
    masked = generalized.suppressed if mask else 0
    sizes = np.append(generalized.sizes, masked) if masked else generalized.sizes
    others = [name for name in source.columns if name in frozenset(policy.columns.released)]
    if not others:
        return _alone(sizes, k)
    linked, knows, alone = policy.linked_by, policy.rows_known, _alone(sizes, k)
    called = others_called(source.columns, policy)
    if generalized.by_labels_alone:
        source = with_strings(source)
    with ExitStack() as opened:
        query = numbered_texts(source, policy, generalized, opened, mask=mask)
        if source.texts is not None and query is not None:
            texts = [called[name] for name in others]
            with engine_errors(source.name):
                found = _counted_texts(source.texts, f"({query})", ["number"], texts, alone)
            return _with_counts(alone, found, others)
        bench = opened.enter_context(workbench(source))
        placed = placed_records(bench.table, bench.small, policy, generalized, mask=mask)
        records = placed.select(
            key_0=placed["place"].fill_null(int(generalized.kept.sum())),
            **{f"text_{at}": visible_text(placed[called[n]]) for at, n in enumerate(others)},
            **({} if linked is None else {WHO: as_text(placed[called[linked]])}),
        )
        return _counted(records, alone, others, source, knows)


def added_in_release(
    source: Source,
    quasi: Sequence[str],
    *,
    k: int,
    linked_by: str | None = None,
    knows: RowsKnown = 1,
) -> AddedRisk:
    """Count the records in small groups of a released table.

    The function assumes that an attacker does not know a column of pseudonyms. If rows are linked,
    the attacker may know `knows` rows of a person.
    """
    alone = _alone(summarize(source, quasi).counts, k)
    others = [name for name in source.columns if name not in (*quasi, linked_by)]
    if not others:
        return alone
    one_row = linked_by is None or knows == 1
    source = with_strings(source) if one_row else source
    if source.texts is not None and one_row:
        keys = [f"coalesce({quoted_name(name)}, '')" for name in quasi]
        texts = [quoted_name(name) for name in others]
        who = None if linked_by is None else quoted_name(linked_by)
        with engine_errors(source.name):
            found = _counted_texts(source.texts, source.texts.name, keys, texts, alone, who)
        return _with_counts(alone, found, others, linked=who is not None)
    table = source.table
    records = table.select(
        **{f"key_{at}": as_text(table[name]) for at, name in enumerate(quasi)},
        **{f"text_{at}": visible_text(table[name]) for at, name in enumerate(others)},
        **({} if linked_by is None else {WHO: as_text(table[linked_by])}),
    )
    return _counted(records, alone, others, source, knows)


def difference(found: AddedRisk, certified: AddedRisk) -> str:
    """Describe how the counts of a release differ from the certified counts, or return ""."""
    if found.groups_of == "records":  # the rows of a person are not linked
        found = replace(found, people=certified.people)
    if found == certified:
        return ""
    for name, counts in found.columns.items():
        if certified.columns.get(name) != counts:
            return f"the counts with {quoted(name)} differ from the certified counts"
    if found.people != certified.people:
        return "the counts of people with several known rows differ from the certified counts"
    return "the counts with all columns together differ from the certified counts"


def in_one_line(found: AddedRisk) -> str:
    """Return a sentence about the risk that all released columns together add."""
    if not found.columns:
        return "no other column is released"
    people = found.people
    if people is not None and people.unique is not None:
        rows = ROWS_IN_WORDS[people.knows]
        return (
            f"{people.unique:,} of {people.persons:,} people match no other person if all columns "
            f"of {rows} are known"
        )
    alike = "are unique" if found.groups_of == "records" else "match a single person"
    return (
        f"{found.together.unique:,} of {found.records:,} records {alike} if all columns are "
        f"known, and {found.quasi.unique:,} if only the quasi-identifiers are known"
    )


def visible_text(column: ir.Column) -> ir.StringColumn:
    """Return values as a recipient sees them. An empty string differs from a missing value."""
    import ibis  # noqa: PLC0415 - heavy

    if not column.type().is_string():
        return as_text(column)
    return ibis.ifelse(column.isnull(), "", ibis.literal("=") + as_text(column))


def _alone(sizes: NDArray[np.int64], k: int) -> AddedRisk:
    """Count the records in small classes of a release that has only quasi-identifiers."""
    counts = GroupCounts(int(sizes[sizes == 1].sum()), int(sizes[sizes < k].sum()))
    return AddedRisk(k, int(sizes.sum()), counts, counts, {})


def _counted(
    records: ibis.Table,
    alone: AddedRisk,
    others: Sequence[str],
    source: Source,
    knows: RowsKnown,
) -> AddedRisk:
    """Count the records that have equal keys and equal text values, for each column."""
    import ibis  # noqa: PLC0415 - heavy

    keys = [name for name in records.columns if name.startswith("key_")]
    texts = [records[f"text_{at}"] for at in range(len(others))]
    who = [WHO] if WHO in records.columns else []
    # An additional cell combines all columns, and each text value follows its length. For linked
    # records, another cell is the same in all records, and represents the quasi-identifiers alone.
    lengths = [text.length().cast("string") + ":" + text for text in texts]
    cells = [*texts, reduce(add, lengths), *([ibis.literal("")] if who else [])]
    # The number of each cell precedes the cell, because PostgreSQL returns pairs as JSON.
    numbered = [ibis.literal(f"{at:0{_PLACE}}") + cell for at, cell in enumerate(cells)]
    found: dict[str, list[Any]] = {"place": [], "unique": [], "below_k": []}
    for block in _blocks(numbered, len(texts), alone.records):
        stacked = records.select(*keys, *who, cell=ibis.array(block).unnest())
        alike = stacked.group_by([*keys, "cell"]).aggregate(**_sizes(stacked))
        placed = alike.select("size", "of", place=alike["cell"].left(_PLACE))
        each = placed.group_by("place").aggregate(**_measures(placed, alone.k))
        with engine_errors(source.name):
            rows = each.to_pyarrow().to_pydict()
        found = {name: [*known, *rows[name]] for name, known in found.items()}
    people = None if not who or knows == 1 else singled_out(records, alone.k, source, knows)
    return replace(_with_counts(alone, found, others, linked=bool(who)), people=people)


def _blocks(cells: Sequence[T], texts: int, records: int) -> list[Sequence[T]]:
    """Divide the cells of a record into queries, because a query keeps its groups in memory.

    The first `texts` cells belong to single columns. The other cells are long, and get a separate
    query.
    """
    size = max(_MOST_CELLS // max(records, 1), 1)
    if len(cells) <= size:
        return [cells]
    return [*(cells[at : min(at + size, texts)] for at in range(0, texts, size)), cells[texts:]]


def _counted_texts(
    table: TextTable,
    records: str,
    keys: Sequence[str],
    texts: Sequence[str],
    alone: AddedRisk,
    who: str | None = None,
) -> dict[str, list[Any]]:
    """Return the same counts as the query of `_counted`, but do not import Ibis, which takes time.

    `records` is a table or a query of the engine. The other parameters are expressions of its
    columns.
    """
    visible = [f"CASE WHEN {text} IS NULL THEN '' ELSE '=' || {text} END" for text in texts]
    lengths = " || ".join(f"length({text}) || ':' || {text}" for text in visible)
    cells = [*visible, lengths, *([] if who is None else ["''"])]
    numbered = [f"'{at:0{_PLACE}}' || {cell}" for at, cell in enumerate(cells)]
    own = [f"{key} AS key_{at}" for at, key in enumerate(keys)]
    own += [] if who is None else [f"coalesce({who}, '') AS {WHO}"]
    grouped = ", ".join([*(f"key_{at}" for at in range(len(keys))), "cell"])
    of = "count(*)" if who is None else f"count(DISTINCT {WHO})"
    found: dict[str, list[Any]] = {"place": [], "unique": [], "below_k": []}
    for block in _blocks(numbered, len(texts), alone.records):
        stacked = f"SELECT {', '.join(own)}, unnest([{', '.join(block)}]) AS cell FROM {records}"  # noqa: S608 - quoted
        alike = (
            f'SELECT count(*) AS size, {of} AS "of", cell[:{_PLACE}] AS place '  # noqa: S608 - ours
            f"FROM ({stacked}) GROUP BY {grouped}"
        )
        rows = table.columns_of(
            'SELECT place, coalesce(sum(size) FILTER ("of" = 1), 0) AS "unique", '  # noqa: S608 - ours
            f'coalesce(sum(size) FILTER ("of" < {alone.k}), 0) AS below_k FROM ({alike}) '
            "GROUP BY place"
        )
        found = {name: [*known, *rows[name]] for name, known in found.items()}
    return found


def _with_counts(
    alone: AddedRisk,
    found: Mapping[str, Sequence[Any]],
    others: Sequence[str],
    *,
    linked: bool = False,
) -> AddedRisk:
    """Add the counts for each column. The numbers of the columns are in ``place``."""
    none = GroupCounts(0, 0)  # The column does not have any released record.
    rows = zip(*(map(int, found[name]) for name in ("place", "unique", "below_k")), strict=True)
    by_place = {place: GroupCounts(unique, below_k) for place, unique, below_k in rows}
    *columns, together = (by_place.get(at, none) for at in range(len(others) + 1))
    if linked:
        quasi = by_place.get(len(others) + 1, none)
        alone = replace(alone, quasi=quasi, groups_of="persons")
    return replace(alone, together=together, columns=dict(zip(others, columns, strict=True)))


def singled_out(records: ibis.Table, k: int, source: Source, knows: RowsKnown) -> SingledOutPeople:
    """Count the people in small groups, if an attacker knows all columns of `knows` rows."""
    columns = tuple(name for name in records.columns if name != WHO)
    everyone = replace(source, held=records, columns=(WHO, *columns), instants=frozenset())
    table = summarize_persons(everyone, WHO, columns)
    classes = canonical(table.attributes, table.domains, table.codes, table.counts)[1]
    people = table.persons.people
    try:
        fitting = fitting_however_many(table.persons, classes, knows)
    except SettingError:
        return SingledOutPeople(knows, table.units, None, None)
    unique, below = people[fitting == 1].sum(), people[fitting < k].sum()
    return SingledOutPeople(knows, table.units, int(unique), int(below))


def _sizes(records: ibis.Table) -> dict[str, ibis.Value]:
    linked = WHO in records.columns
    return {
        "size": records.count(),
        "of": records[WHO].nunique() if linked else records.count(),
    }


def _measures(groups: ibis.Table, k: int) -> dict[str, ibis.Value]:
    size, of = groups["size"], groups["of"]
    return {
        "unique": size.sum(where=of == 1).fill_null(0),
        "below_k": size.sum(where=of < k).fill_null(0),
    }


def _with_shares(counts: GroupCounts, records: int) -> dict[str, float]:
    return {
        "unique": counts.unique,
        "unique_share": counts.unique / records if records else 0.0,
        "below_k": counts.below_k,
        "below_k_share": counts.below_k / records if records else 0.0,
    }
