"""Apply a policy in the engine that contains the data.

The policy is first applied to the frequency table. The resulting decisions are sent to the engine
as small tables (`joined_tables`), which the engine joins to the records. The engine suppresses each
record whose class is not released, and each record with a value that none of the tables contains.
Only released records leave the engine, and only if they are written to a file.

The rows of a release are sorted by their content, so their order does not reveal the order of the
source. For a file, the engine sorts the class numbers and the other columns. The labels of each
class are added when the sorted records are read. A small text file is sorted by its final content
when it is written.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.document import SUPPRESSED, Policy
from roadstead.policies.recodings.interval_columns import with_ends
from roadstead.release.ends import cell_kind_of, cells_of_columns, kind_of, names_of_ends, taken
from roadstead.release.generalized import Generalized
from roadstead.release.joined_tables import (
    labels_of,
    labels_of_places,
    mapping_of,
    numbering_of,
    released_classes,
)
from roadstead.release.persons.linking import of_persons_kept, with_pseudonyms
from roadstead.release.treatments.values import with_treated
from roadstead.tables.arrow_arrays import as_numpy
from roadstead.tables.engine import TextTable, is_embedded, spare_memory
from roadstead.tables.failures import engine_errors
from roadstead.tables.stores.access import workbench
from roadstead.tables.stores.names import fresh, quoted_name
from roadstead.tables.text import as_text
from roadstead.tables.texts import as_texts
from roadstead.tables.transfer import copied, is_portable, portable, stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import ibis
    import pyarrow as pa

    from roadstead.tables.source import Source

Bring: TypeAlias = "Callable[[pa.Table], ibis.Table]"
"""A function that sends a small table to the engine that contains the records."""

_JOINED_AT_ONCE = 20
"""The largest number of attributes whose labels one query joins, which keeps planning fast."""


def released_batches(
    source: Source,
    policy: Policy,
    generalized: Generalized,
    *,
    mask: bool,
    plain: bool = False,
    ordered: bool = True,
) -> pa.RecordBatchReader:
    """Return the release as a stream. The engine sorts the records unless `ordered` is false.

    If `mask` is true, suppressed records are kept with ``*`` in every quasi-identifier. Otherwise,
    they are dropped. If `plain` is true, the stream is for a text file. In this case, the ends of
    intervals that are released as two columns are plain text. The stream has the released columns
    in the order of the source. Labels are added while the stream is read. A quasi-identifier is a
    dictionary column, unless it is released as two columns.
    """
    import pyarrow as pa  # noqa: PLC0415 - heavy

    others = others_called(source.columns, policy)
    with contextlib.ExitStack() as opened:
        numbered = _numbered_rows(source, policy, generalized, opened, mask=mask, ordered=ordered)
        held = opened.pop_all()
    shown: dict[str, tuple[NDArray[np.int32], pa.Array]] = {}
    for at in range(len(policy.quasi)):
        numbers, labels = labels_of(generalized, at)
        shown |= {
            own: (numbers, cells)
            for own, cells in cells_of_columns(policy, at, labels, in_text=plain).items()
        }
    names = released_as(source.columns, policy)
    own = numbered.schema
    kinds = [
        own.field(others[name]).type if name in others else kind_of(shown[name][1])
        for name in names
    ]
    schema = pa.schema(list(zip(names, kinds, strict=True)))

    def labelled() -> Iterator[pa.RecordBatch]:
        # The engine of the query must stay open until the last record is read.
        with held:
            for batch in numbered:
                number = as_numpy(batch.column("number"))
                columns = [
                    batch.column(others[name]) if name in others else taken(*shown[name], number)
                    for name in names
                ]
                yield pa.record_batch(columns, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, labelled())


def _numbered_rows(
    source: Source,
    policy: Policy,
    generalized: Generalized,
    opened: contextlib.ExitStack,
    *,
    mask: bool,
    ordered: bool,
) -> pa.RecordBatchReader:
    """Return a stream of the class number and the other released columns of each record.

    The class number of a suppressed record is the number of released classes. The parameters are
    the same as in `released_batches`. In addition, `opened` keeps the resources of the stream until
    the stream has been read.
    """
    others = others_called(source.columns, policy)
    suppressed = int(generalized.kept.sum())
    query = numbered_texts(source, policy, generalized, opened, mask=mask)
    if source.texts is not None and query is not None:
        with engine_errors(source.name):
            return source.texts.batches(f"{query} {'ORDER BY ALL' if ordered else ''}")
    bench = opened.enter_context(workbench(source))
    table = bench.table if is_embedded(bench.table) else portable(bench.table)
    placed = placed_records(table, bench.small, policy, generalized, mask=mask)
    number = placed["place"].fill_null(suppressed)
    records = placed.select(number=number, **{own: placed[own] for own in others.values()})
    # The engine stays open as long as one of its expressions exists.
    opened.callback(lambda _held: None, records)
    with engine_errors(source.name):
        ordered_records = records.order_by(list(records.columns)) if ordered else records
        return stream(ordered_records, called={own: name for name, own in others.items()})


def numbered_texts(
    source: Source,
    policy: Policy,
    generalized: Generalized,
    opened: contextlib.ExitStack,
    *,
    mask: bool,
) -> str | None:
    """Return a DuckDB query for the class numbers and the other released columns of the records.

    The columns of the result are ``number`` and the names of `others_called`. The result is None if
    the source is not a table of strings, or if the labels alone do not determine the release. The
    query can be run until `opened` is closed.
    """
    if source.texts is None or not generalized.by_labels_alone:
        return None
    others = others_called(source.columns, policy)
    placed = _placed_texts(source.texts, opened, others, policy, generalized)
    number = f"coalesce(place, {int(generalized.kept.sum())}) AS number"
    kept = "" if mask else " WHERE place IS NOT NULL"
    return f"SELECT {', '.join((number, *others.values()))} FROM ({placed}){kept}"  # noqa: S608 - ours


def _placed_texts(
    table: TextTable,
    opened: contextlib.ExitStack,
    others: Mapping[str, str],
    policy: Policy,
    generalized: Generalized,
) -> str:
    """Return the DuckDB query for the result of `placed_records`, without labels."""
    con = table.engine.con

    def small(rows: pa.Table) -> str:
        name = fresh("small")
        con.register(name, rows)
        opened.callback(con.unregister, name)
        return name

    numbering = numbering_of(generalized)
    spare_memory(con, len(policy.quasi), len(policy.quasi) + len(others))
    own = [f"{quoted_name(name)} AS {place}" for name, place in others.items()]
    records = f"FROM (SELECT {', '.join((as_texts(policy.quasi), *own))} FROM {table.name})"  # noqa: S608 - quoted
    for at in range(len(policy.quasi)):
        mapping = small(mapping_of(generalized, numbering, at))
        records += f" LEFT JOIN {mapping} ON value_{at} = text_{at}"
    classes = small(released_classes(generalized, numbering))
    keys = (
        f"kept_key_{key} = " + " + ".join(f"part_{at}" for at in attributes)
        for key, attributes in enumerate(numbering.attributes)
    )
    return f"{records} LEFT JOIN {classes} ON {' AND '.join(keys)}"


def released_rows(
    table: ibis.Table,
    bring: Bring,
    policy: Policy,
    generalized: Generalized,
    *,
    mask: bool,
    ordered: bool = True,
) -> ibis.Table:
    """Return the release as an expression of the table's engine.

    The released columns are in the order of the table. The rows are sorted by content, unless
    `ordered` is false.
    """
    import ibis  # noqa: PLC0415 - heavy

    others = others_called(table.columns, policy)
    placed = placed_records(table, bring, policy, generalized, mask=mask)
    if ordered:
        own = [placed[name] for name in others.values()]
        # Some engines cannot sort their own special types, such as documents.
        keys = [one if is_portable(one.type()) else one.cast("string") for one in own]
        placed = placed.order_by([placed["place"], *keys])
    outside = placed["place"].isnull()
    final = {}
    for name in released_columns(table.columns, policy):
        if name in others:
            final[name] = placed[others[name]]
            continue
        at = policy.quasi.index(name)
        if name not in policy.two_columns:
            final[name] = ibis.ifelse(outside, SUPPRESSED, placed[f"label_{at}"])
            continue
        kind = cell_kind_of(policy, at)
        for own_name, cells in zip(policy.two_columns[name], names_of_ends(at), strict=True):
            final[own_name] = placed[cells].cast(kind)
    return placed.select(*(value.name(name) for name, value in final.items()))


def released_table(
    source: Source, policy: Policy, generalized: Generalized, *, mask: bool
) -> ibis.Table:
    """Return the release as a DuckDB table that further queries can use.

    `released_batches` explains the parameters. If the source is not in DuckDB, only the release is
    copied to DuckDB.
    """
    import ibis  # noqa: PLC0415 - heavy

    if is_embedded(source.table):
        return released_rows(source.table, ibis.memtable, policy, generalized, mask=mask)
    return copied(released_batches(source, policy, generalized, mask=mask), source.name)


def released_columns(columns: Sequence[str], policy: Policy) -> list[str]:
    """Return the columns of the source that are released, in the order of the source."""
    released = frozenset(policy.released)
    return [name for name in columns if name in released]


def released_as(columns: Sequence[str], policy: Policy) -> list[str]:
    """Return the released columns under their released names, in the order of the source."""
    return with_ends(released_columns(columns, policy), policy.two_columns)


def others_called(columns: Sequence[str], policy: Policy) -> dict[str, str]:
    """Return internal names for the other released columns, regardless of the source's names."""
    others = (name for name in released_columns(columns, policy) if name not in policy.quasi)
    return {name: f"other_{at}" for at, name in enumerate(others)}


def placed_records(
    table: ibis.Table,
    bring: Bring,
    policy: Policy,
    generalized: Generalized,
    *,
    mask: bool,
    alongside: str | None = None,
) -> ibis.Table:
    """Return each record with the index of its released class and with the other columns.

    The column ``place`` contains the index, which is null for a suppressed record. The columns
    ``label_0`` and so on contain the quasi-identifiers. If a quasi-identifier is released as two
    columns, the columns are ``low_0`` and ``high_0`` instead. The columns ``other_0`` and so on
    contain the other released columns after their treatment, in the order of the table. The column
    ``alongside`` contains an additional column of the table as text.
    """
    others = others_called(table.columns, policy)
    table = of_persons_kept(table, bring, policy, generalized)
    records = table.select(
        **{own: table[name] for name, own in others.items()},
        **{f"value_{at}": as_text(table[name]) for at, name in enumerate(policy.quasi)},
        **({} if alongside is None else {"alongside": as_text(table[alongside])}),
    )
    if policy.linked_by is not None:
        records = with_pseudonyms(records, others[policy.linked_by], bring, generalized)
    numbering = numbering_of(generalized)
    con = getattr(records.get_backend(), "con", None)
    spare_memory(con, len(policy.quasi), 2 * len(policy.quasi) + len(others))
    for at in range(0, len(policy.quasi), _JOINED_AT_ONCE):
        block = range(at, min(at + _JOINED_AT_ONCE, len(policy.quasi)))
        records = _mapped(records, {i: bring(mapping_of(generalized, numbering, i)) for i in block})
    keys = {
        f"key_{key}": _added([records[f"part_{at}"] for at in attributes])
        for key, attributes in enumerate(numbering.attributes)
    }
    labels = [f"label_{at}" for at in range(len(policy.quasi))]
    own = [*others.values(), *([] if alongside is None else ["alongside"])]
    recoded = generalized.row_of is not None
    records = records.select(*([] if recoded else labels), *own, **keys)
    classes = bring(released_classes(generalized, numbering))
    same = [records[key] == classes[f"kept_{key}"] for key in keys]
    records = records.left_join(classes, same)
    if recoded:
        records = records.select("place", *own)
        labels = [
            own
            for at, name in enumerate(policy.quasi)
            for own in (names_of_ends(at) if name in policy.two_columns else [f"label_{at}"])
        ]
        shown = bring(labels_of_places(policy, generalized))
        records = records.left_join(shown, records["place"] == shown["shown_place"])
    records = records.select("place", *labels, *own)
    records = with_treated(records, others, generalized.treated, bring)
    return records if mask else records.filter(records["place"].notnull())


def _mapped(records: ibis.Table, mappings: Mapping[int, ibis.Table]) -> ibis.Table:
    """Replace the values of some attributes with labels and parts, in one query.

    If each attribute added a nested query, the queries would be nested too deeply for the engine's
    compiler.
    """
    joined = records
    for at, mapping in mappings.items():
        joined = joined.left_join(mapping, [(f"value_{at}", f"text_{at}")])
    gone = {f"{kind}_{at}" for at in mappings for kind in ("value", "text")}
    return joined.select(*(name for name in joined.columns if name not in gone))


def _added(parts: Sequence[Any]) -> Any:  # noqa: ANN401 - Ibis gives its numbers several types
    """Add several columns. The sum is null if any of the columns is null.

    The function adds the columns in pairs, which limits the depth of the expression.
    """
    while len(parts) > 1:
        pairs = (parts[at : at + 2] for at in range(0, len(parts), 2))
        parts = [pair[0] + pair[1] if len(pair) > 1 else pair[0] for pair in pairs]
    return parts[0]
