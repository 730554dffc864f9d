"""Sets of items as texts, made where the table lies.

A set is written as one text, ``{250.83|401.9}``: its distinct items in order, between braces. The
empty set is ``{}``, which is not the missing value, the empty text. A bar or a backslash within an
item has a backslash before it. Equal sets have equal texts, so an engine can group by them.

Items with their order are pairs of position and item, ``{1:250.83|2:401.9}``. A position is the
place where an item is written, so one that is missing leaves its place empty.

Each text is made from one record alone, or from the rows of one person alone; whatever the other
records are, it stays the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from roadstead.tables.text import MISSING, as_text

if TYPE_CHECKING:
    import ibis
    from ibis.expr import types as ir

    from roadstead.tables.item_sets import ItemTable


OPENING, SEPARATOR, CLOSING, ESCAPE = "{", "|", "}", "\\"
EMPTY = OPENING + CLOSING
KEY, TEXT = "key", "text"
_NUMBER = "^[+-]?[0-9]{1,200}([.][0-9]{0,100})?$"
"""A text that every engine takes for the same number; what it can say fits a double."""


def item(value: ir.Value, missing: Sequence[str]) -> ir.StringValue:
    """Return a value as an item, stripped and escaped; null where it is missing."""
    text = as_text(value).strip()
    for marker in sorted({MISSING, *missing}):
        text = text.nullif(marker)
    return text.replace(ESCAPE, ESCAPE + ESCAPE).replace(SEPARATOR, ESCAPE + SEPARATOR)


def set_of(values: ir.ArrayValue, missing: Sequence[str], longest: int | None) -> ir.StringValue:
    """Return a list as the text of its set; null where the list is null.

    `longest`: None for the items alone; for pairs with their position, how many positions count.
    """
    import ibis  # noqa: PLC0415 - heavy

    if longest is None:
        items = values.map(lambda value: item(value, missing))
    else:
        items = values[:longest].map(
            lambda value, at: (at + 1).cast("string") + ":" + item(value, missing)
        )
    text = _text(items.filter(lambda one: one.notnull()))
    # To PostgreSQL a list that nothing is left of is null.
    return ibis.ifelse(values.isnull(), ibis.null("string"), text.fill_null(EMPTY))


def _text(items: ir.ArrayValue) -> ir.StringValue:
    return OPENING + items.unique().sort().join(SEPARATOR) + CLOSING


def sets_by_key(table: ibis.Table, one: ItemTable) -> ibis.Table:
    """Gather the rows of each key into the text of its set; null where no row holds an item.

    With an order, items are pairs with their position: the rank of the row within its key, which
    equal ones share. Returns columns ``key`` and ``text``; one row a key.
    """
    import ibis  # noqa: PLC0415 - heavy

    ranks = {} if one.order is None else _ranking(table[one.order])
    code = item(table[one.code], one.missing)
    rows = table.select(**{KEY: as_text(table[one.key]), "item": code}, **ranks)
    if ranks:
        window = ibis.window(group_by=KEY, order_by=[rows[name] for name in ranks])
        position = ibis.dense_rank().over(window) + 1
        rows = rows.mutate(position=position)
        rows = rows.filter(rows.position <= one.longest)
        rows = rows.mutate(item=rows.position.cast("string") + ":" + rows.item)
    rows = rows.filter(rows[KEY] != MISSING)
    gathered = rows.group_by(KEY).aggregate(items=rows.item.collect())
    return gathered.select(KEY, **{TEXT: _text(gathered["items"])})


def _ranking(order: ir.Column) -> dict[str, ir.Value]:
    """Say what rows are ranked by; those without an order stand last, together.

    Texts are ranked as numbers where they are numbers, before those that are not, such as ISO
    dates, which are ranked as text. Numbers are digits, perhaps with a sign and a point: what more
    is one differs between engines, and not all can be asked. This is told from each text by itself:
    if it were told from the whole column, one person's row could change the order of all others.
    """
    import ibis  # noqa: PLC0415 - heavy

    if not order.type().is_string():
        return {"rank_1": order.isnull(), "rank_2": order}
    text = as_text(order).strip()
    number = ibis.ifelse(text.re_search(_NUMBER), text, ibis.null("string")).cast("float64")
    return {
        "rank_1": text == MISSING,
        "rank_2": number.isnull(),
        "rank_3": number,
        "rank_4": ibis.ifelse(number.isnull(), text, MISSING),
    }
