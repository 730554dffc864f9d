"""Texts that stand for a missing value, such as ``?``, read as missing where somebody says so.

Nothing stands for missing unless it is named: what is one table's "None" for no test is another's
missing result. What is named is missing in every column and every kind of table, and from then on
in everything that is worked out or released.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from roadstead.errors import SettingError
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roadstead.tables.source import Source


def without_markers(source: Source, markers: Sequence[str]) -> Source:
    """Give a source in which some texts are missing values.

    `source`: the table. `markers`: the texts; blanks around a value do not count, capitals do.
    Raises SettingError: the markers are one text and no list.
    """
    if isinstance(markers, str):
        raise SettingError("is one text and no list", where="missing", fix=f"write [{markers!r}]")
    texts = sorted({marker.strip() for marker in markers} - {""})
    if not texts:
        return source
    import ibis  # noqa: PLC0415 - heavy

    table = source.table
    read = {}
    for name in source.columns:
        column = table[name]
        if column.type().is_nested():
            continue
        marked = as_text(column).strip().isin(texts)
        read[name] = ibis.ifelse(marked, ibis.null(column.type()), column)
    return replace(source, held=table.mutate(**read))
