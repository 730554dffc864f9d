"""A policy whose classes each show their own parts, applied by hand from the JSON document.

Plain Python for rows of text, which shares no code with the package. A record is in the first class
whose parts have all of its values. Classes are counted with a `Counter`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Any, TypeAlias

from by_hand import label

Row: TypeAlias = tuple[str, ...]
Json: TypeAlias = Mapping[str, Any]


def _number(value: str) -> Decimal | None:
    try:
        return Decimal(value)
    except InvalidOperation:
        return None


def _day(value: str) -> date | None:
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


def holds(own: Json, part: int, value: str) -> bool:
    """Say whether a part of a quasi-identifier has a value."""
    if own["kind"] == "nodes":
        level, text = own["parts"][part]
        return bool(label(own["rules"][level], value) == text)
    first, last = own["parts"][part]
    if value == "":
        return bool(first in (None, "") or part in own["missing"])
    if first == "":
        return False
    keys: dict[str, Callable[[str], Any]] = {
        "numbers": _number,
        "dates": _day,
        "texts": str,
        "listed": lambda text: own["listed"].index(text) if text in own["listed"] else None,
    }
    key = keys[own["order"]]
    place = key(value)
    if place is None or first is None:
        return place is not None
    return bool(key(first) <= place <= key(last))


def shown(own: Json, part: int) -> str:
    """Give the text of the release for a part."""
    return str(own["labels"][part] if own["kind"] == "intervals" else own["parts"][part][1])


def apply(policy: Json, header: Sequence[str], rows: Sequence[Row]) -> Counter[Row]:
    """Apply a policy document to a table, whatever share of it is suppressed."""
    k = policy["privacy"][0]["k"]
    recoding = policy["recoding"]
    names = [attribute["name"] for attribute in policy["attributes"]]
    places = [header.index(name) for name in names]
    attributes = recoding["attributes"]
    has = [cache(lambda part, value, own=own: holds(own, part, value)) for own in attributes]

    def class_of(row: Row) -> Row | None:
        for parts in recoding["classes"]:
            if all(own(p, row[at]) for own, p, at in zip(has, parts, places, strict=True)):
                return tuple(shown(own, p) for own, p in zip(attributes, parts, strict=True))
        return None

    keys = [class_of(row) for row in rows]
    sizes = Counter(keys)
    gone = [key is None or sizes[key] < k for key in keys]
    masks = policy["suppression"]["records"] == "mask" and sum(gone) >= k
    removed = set(policy["columns"]["removed"])
    released: Counter[Row] = Counter()
    for row, key, out in zip(rows, keys, gone, strict=True):
        if out and not masks:
            continue
        cells = dict(zip(header, row, strict=True))
        cells |= dict(zip(names, ("*",) * len(names) if out or key is None else key, strict=True))
        released[tuple(cell for name, cell in cells.items() if name not in removed)] += 1
    return released
