"""Apply a policy in the engine that reads the data.

The policy decides on the frequency table; what goes to the engine are small tables: for each
quasi-identifier, the code of what each of its values becomes, and the equivalence classes that are
released, numbered. The engine joins them to the records, so all it has to carry and to sort is a
number and the other columns; a record whose class is not among those released gets the number
after the last, so what nobody thought of is suppressed too. What a class's labels are is put in
last, as the sorted records stream by.

A database counts the records; it is not asked to hold the small tables, because whoever reads there
often may not make one, and nothing shall be left behind. So the columns that a release needs are
streamed to a private engine, as they would be to be written, and meet the small tables there.

The rows of a release are in the order of their own content, which tells nothing about the order
they came in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.document import SUPPRESSED, Policy
from roadstead.release.generalized import Generalized
from roadstead.tables.failures import engine_errors
from roadstead.tables.text import MISSING, as_text
from roadstead.tables.transfer import brought

if TYPE_CHECKING:
    from collections.abc import Iterator

    import ibis
    import pyarrow as pa

    from roadstead.tables.sources import Source


def released_batches(
    source: Source, policy: Policy, generalized: Generalized, *, mask: bool
) -> pa.RecordBatchReader:
    """Make the release as a stream: the engine sorts now, labels are put in as it is read.

    Parameters
    ----------
    source
        The table.
    policy
        What to do.
    generalized
        The policy applied to the source's frequency table.
    mask
        Keep suppressed records with ``*`` in every quasi-identifier; otherwise leave them out.

    Returns
    -------
    pyarrow.RecordBatchReader
        The released columns in the order of the source, quasi-identifiers as dictionaries.

    Raises
    ------
    SourceError, OutputError
        The engine cannot read the source, or has too little memory or disk to sort it.
    """
    import pyarrow as pa  # noqa: PLC0415 - heavy

    from roadstead.tables.batches import stream  # noqa: PLC0415 - heavy

    columns = released_columns(source, policy)
    records = _numbered(source, policy, generalized, mask=mask)
    with engine_errors(source.name):
        sorted_records = stream(records.order_by(list(records.columns)))
    labels = {name: _labels(generalized, i) for i, name in enumerate(policy.quasi)}
    others = {name: f"other_{i}" for i, name in enumerate(_others(source, policy))}
    kinds = {
        name: sorted_records.schema.field(others[name]).type
        if name in others
        else pa.dictionary(pa.int32(), pa.string())
        for name in columns
    }
    schema = pa.schema(list(kinds.items()))

    def labelled(_held: ibis.Table) -> Iterator[pa.RecordBatch]:
        # An engine lives as long as an expression of it is held.
        for batch in sorted_records:
            number = batch.column("number").to_numpy()
            yield pa.record_batch(
                [
                    batch.column(others[name])
                    if name in others
                    else pa.DictionaryArray.from_arrays(labels[name][0][number], labels[name][1])
                    for name in columns
                ],
                schema=schema,
            )

    return pa.RecordBatchReader.from_batches(schema, labelled(records))


def released_table(
    source: Source, policy: Policy, generalized: Generalized, *, mask: bool
) -> ibis.Table:
    """Make the release as a table expression of the source's engine, to be queried further.

    Parameters are those of `released_batches`, which is what is written: to sort labels takes an
    engine several times the memory and time of sorting numbers.
    """
    columns, others = released_columns(source, policy), _others(source, policy)
    records = _numbered(source, policy, generalized, mask=mask)
    texts: dict[str, Any] = {"class": np.arange(int(generalized.kept.sum()) + 1, dtype=np.int64)}
    for i in range(len(policy.quasi)):
        places, labels = _labels(generalized, i)
        texts[f"label_{i}"] = labels.take(places)
    classes = _small_table(texts)
    joined = records.join(classes, [("number", "class")])
    final = {
        name: joined[f"other_{others.index(name)}"]
        if name in others
        else joined[f"label_{policy.quasi.index(name)}"]
        for name in columns
    }
    return joined.select(**final).order_by(columns)


def released_columns(source: Source, policy: Policy) -> list[str]:
    """List the columns of a release, in the order of the source."""
    released = frozenset(policy.released)
    return [name for name in source.columns if name in released]


def _others(source: Source, policy: Policy) -> list[str]:
    return [name for name in released_columns(source, policy) if name not in policy.quasi]


def _numbered(
    source: Source, policy: Policy, generalized: Generalized, *, mask: bool
) -> ibis.Table:
    """Give each record the number of its class among those released, beside the other columns."""
    plain = {f"other_{i}": source.table[name] for i, name in enumerate(_others(source, policy))}
    text = {f"value_{i}": as_text(source.table[name]) for i, name in enumerate(policy.quasi)}
    records = brought(source.table.select(**plain, **text), source.name)
    codes = [f"code_{i}" for i in range(len(policy.quasi))]
    for i, (domain, labels) in enumerate(
        zip(generalized.table.domains, generalized.labels, strict=True)
    ):
        place = {label: code for code, label in enumerate(generalized.merged.domains[i])}
        mapping = _small_table(
            {
                "value": list(domain),
                codes[i]: np.array([place[label] for label in labels], dtype=np.int32),
            }
        )
        joined = records.left_join(mapping, records[f"value_{i}"] == mapping["value"])
        records = joined.drop(f"value_{i}", "value")
    classes = _small_table(_released_classes(generalized))
    matches = [records[code] == classes[f"kept_{code}"] for code in codes]
    records = records.left_join(classes, matches).select("place", *plain)
    if not mask:
        records = records.filter(records["place"].notnull())
    number = records["place"].fill_null(int(generalized.kept.sum()))
    return records.select(number=number, **{name: records[name] for name in plain})


def _labels(generalized: Generalized, attribute: int) -> tuple[NDArray[np.int32], pa.StringArray]:
    """For each class's number the place of its label, and the labels; the last is suppressed."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    names = generalized.merged.domains[attribute]
    codes = generalized.merged.codes[attribute][generalized.kept]
    texts = [None if name == MISSING else name for name in names]
    return (
        np.append(codes, len(names)).astype(np.int32),
        pa.array([*texts, SUPPRESSED], pa.string()),
    )


def _small_table(columns: dict[str, Any]) -> ibis.Table:
    """Make a table that goes to the engine; through Arrow, so that no other library is needed."""
    import ibis  # noqa: PLC0415 - heavy
    import pyarrow as pa  # noqa: PLC0415 - heavy

    return ibis.memtable(pa.table(columns))


def _released_classes(generalized: Generalized) -> dict[str, Any]:
    """List the released classes by the codes of their labels; their order is that of these."""
    kept = generalized.kept
    table: dict[str, Any] = {
        f"kept_code_{i}": column[kept].astype(np.int32)
        for i, column in enumerate(generalized.merged.codes)
    }
    table["place"] = np.arange(int(kept.sum()), dtype=np.int32)
    return table
