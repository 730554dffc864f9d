"""How far a column singles people out all by itself.

A column that nobody declared may hold names, record numbers or exact measurements. Its content
tells: many records have a value that few others share. No value leaves the engine, and what the
column is called plays no part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.tables.failures import engine_errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roadstead.tables.sources import Source


def rare_shares(
    source: Source, columns: Sequence[str], *, fewer_than: int, negligible: float
) -> dict[str, float]:
    """For each column, the share of records whose value fewer than so many records have.

    Parameters
    ----------
    source
        The table.
    columns
        The columns to look at. Missing values count like any other.
    fewer_than
        How many records must share a value for it not to be rare.
    negligible
        A share that need not be told from zero: columns with so few distinct values that theirs
        cannot be larger are not counted out.

    Returns
    -------
    dict
        Shares between 0 and 1; 0 where the share is negligible.
    """
    from roadstead.tables.text import as_text  # noqa: PLC0415 - heavy

    if not columns:
        return {}
    texts = {f"value_{at}": as_text(source.table[name]) for at, name in enumerate(columns)}
    table = source.table.select(**texts)
    with engine_errors(source.name):
        about = table.aggregate(
            records=table.count(), **{name: table[name].approx_nunique() for name in texts}
        )
        sketch = about.to_pyarrow().to_pylist()[0]
        shares = {}
        for name, text in zip(columns, texts, strict=True):
            # The sketch is a few percent off, so a factor of two is left for it.
            most = 2 * sketch[text] * (fewer_than - 1) / sketch["records"]
            if most <= negligible:
                shares[name] = 0.0
                continue
            groups = table.group_by(text).agg(records=table.count())
            rare = groups.filter(groups["records"] < fewer_than)["records"].sum().fill_null(0)
            shares[name] = int(rare.to_pyarrow().as_py()) / sketch["records"]
    return shares
