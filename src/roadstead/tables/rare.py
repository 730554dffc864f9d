"""How far a column singles people out all by itself.

A column that nobody declared may hold names, record numbers or exact measurements. Its content
tells: of the records that have a value, many have one that few others share. A blank is no value,
or a column of numbers that is mostly empty would pass for one in which nearly all are alike. No
value leaves the engine, and what the column is called plays no part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roadstead.tables.failures import engine_errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ibis.expr import types as ir

    from roadstead.tables.source import Source


BLANKS: Final = ("", "?", "-", ".", "na", "n/a", "nan", "null", "none", "unknown")
"""Texts in lower case that stand where nothing is known."""


def rare_shares(
    source: Source, columns: Sequence[str], *, fewer_than: int, negligible: float
) -> dict[str, float]:
    """For each column, the share of its values that fewer than so many records have.

    `source`: the table. `columns`: the columns to look at. Records in which one is blank do not
    count for it. `fewer_than`: how many records must share a value for it not to be rare.
    `negligible`: a share that need not be told from zero: columns with so few distinct values that
    theirs cannot be larger are not counted out. Returns shares between 0 and 1 of the records that
    have a value; 0 where the share is negligible, or all are blank.
    """
    from roadstead.tables.text import as_text  # noqa: PLC0415 - heavy

    if not columns:
        return {}
    texts = {f"value_{at}": _present(as_text(source.table[n])) for at, n in enumerate(columns)}
    table = source.table.select(**texts)
    measures = {f"present_{text}": table[text].count() for text in texts}
    measures |= {f"distinct_{text}": table[text].approx_nunique() for text in texts}
    with engine_errors(source.name):
        sketch = table.aggregate(**measures).to_pyarrow().to_pylist()[0]
        shares = {}
        for name, text in zip(columns, texts, strict=True):
            present = sketch[f"present_{text}"]
            # The sketch is a few percent off, so a factor of two is left for it.
            most = 2 * sketch[f"distinct_{text}"] * (fewer_than - 1)
            if most <= negligible * present:
                shares[name] = 0.0
                continue
            there = table.filter(table[text].notnull())
            groups = there.group_by(text).agg(records=there.count())
            rare = groups.filter(groups["records"] < fewer_than)["records"].sum().fill_null(0)
            shares[name] = int(rare.to_pyarrow().as_py()) / present
    return shares


def _present(text: ir.StringColumn) -> ir.StringColumn:
    """Make what stands for a blank null."""
    import ibis  # noqa: PLC0415 - heavy

    return ibis.ifelse(text.strip().lower().isin(BLANKS), ibis.null("string"), text)
