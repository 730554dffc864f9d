"""Apply a policy in the engine that holds the data.

The policy decides on the frequency table; what goes to the engine are small tables: for each
quasi-identifier, what each of its values becomes, and the equivalence classes that are released.
The engine joins them to the records. A record whose class is not among those released is
suppressed, so what nobody thought of is suppressed too.

The rows of a release are in the order of their own content, which tells nothing about the order
they came in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from roadstead.policies.document import SUPPRESSED, Policy
from roadstead.release.generalized import Generalized
from roadstead.tables.text import MISSING, as_text

if TYPE_CHECKING:
    import ibis

    from roadstead.tables.sources import Source


def released_table(
    source: Source, policy: Policy, generalized: Generalized, *, mask: bool
) -> ibis.Table:
    """Make the release as a table expression; nothing runs until it is written.

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
    """
    columns = released_columns(source, policy)
    others = [name for name in columns if name not in policy.quasi]
    plain = {f"other_{i}": source.table[name] for i, name in enumerate(others)}
    text = {f"value_{i}": as_text(source.table[name]) for i, name in enumerate(policy.quasi)}
    records = source.table.select(**plain, **text)
    codes = [f"code_{i}" for i in range(len(policy.quasi))]
    for i, (domain, labels) in enumerate(
        zip(generalized.table.domains, generalized.labels, strict=True)
    ):
        names = generalized.merged.domains[i]
        place = {label: code for code, label in enumerate(names)}
        mapping = _small_table(
            {
                "value": list(domain),
                f"label_{i}": list(labels),
                codes[i]: np.array([place[label] for label in labels], dtype=np.int32),
            }
        )
        joined = records.left_join(mapping, records[f"value_{i}"] == mapping["value"])
        records = joined.drop(f"value_{i}", "value")
    classes = _small_table(_released_classes(generalized, codes))
    matches = [records[code] == classes[f"kept_{code}"] for code in codes]
    records = records.left_join(classes, matches)
    inside = records["released"].notnull()
    if not mask:
        records = records.filter(inside)
    final: dict[str, Any] = {}
    for name in columns:
        if name in policy.quasi:
            label = records[f"label_{policy.quasi.index(name)}"].nullif(MISSING)
            final[name] = inside.ifelse(label, SUPPRESSED) if mask else label
        else:
            final[name] = records[f"other_{others.index(name)}"]
    result = records.select(**final)
    return result.order_by(columns)


def released_columns(source: Source, policy: Policy) -> list[str]:
    """List the columns of a release, in the order of the source."""
    released = frozenset(policy.released)
    return [name for name in source.columns if name in released]


def _small_table(columns: dict[str, Any]) -> ibis.Table:
    """Make a table that goes to the engine; through Arrow, so that no other library is needed."""
    import ibis  # noqa: PLC0415 - heavy
    import pyarrow as pa  # noqa: PLC0415 - heavy

    return ibis.memtable(pa.table(columns))


def _released_classes(generalized: Generalized, codes: Sequence[str]) -> dict[str, Any]:
    kept = generalized.kept
    table: dict[str, Any] = {
        f"kept_{code}": column[kept].astype(np.int32)
        for code, column in zip(codes, generalized.merged.codes, strict=True)
    }
    table["released"] = np.ones(int(kept.sum()), dtype=np.bool_)
    return table
