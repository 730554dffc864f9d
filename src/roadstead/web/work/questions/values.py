"""Show the most frequent values of a column, and its unusual values.

If pages hide the values of a column, only values that enough records or people share are displayed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from roadstead.hierarchies.rules import MISSING
from roadstead.jobs import Observer
from roadstead.printable import printable
from roadstead.web.work.questions.levels import CountedColumn, counted_column, holders_of

_FREQUENT, _ODD = 8, 12
"""The largest numbers of frequent values and of unusual values that are named."""
_MOSTLY = 0.5
"""A column contains numbers or dates if more than this share of the records do."""
_LONGEST = 60
_KINDS = (
    ("numbers", re.compile(r"\s*[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?\s*")),
    ("dates", re.compile(r"\s*(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}([./-])\d{1,2}\2\d{2,4})([ T].*)?")),
)


def values(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:  # noqa: ARG001 - a task
    """Count the values of a column. `hidden` is the number of values that are not named."""
    counted = counted_column(given)
    fewest = int(given["k"]) if given["covered"] else 1
    found = sorted(_named(counted, fewest), key=lambda one: (-one[1], one[0]))
    distinct = len(counted.domain) - (MISSING in counted.domain)
    records = sum(many for value, many in _all(counted) if value != MISSING)
    return {
        "frequent": [[_short(counted.shown(value)), many] for value, many in found[:_FREQUENT]],
        "distinct": distinct,
        "hidden": distinct - len(found),
        "records": records,
        "fewest": fewest,
        "mostly": _mostly(counted, dict(found), records),
    }


def _all(counted: CountedColumn) -> Iterator[tuple[str, int]]:
    yield from zip(counted.domain, counted.by_value.tolist(), strict=True)


def _named(counted: CountedColumn, fewest: int) -> Iterator[tuple[str, int]]:
    """Yield the values that the page may name, each with its number of records."""
    own = np.arange(len(counted.domain), dtype=np.int32)
    holders = holders_of(counted, own)[0].tolist()
    for (value, many), people in zip(_all(counted), holders, strict=True):
        if value != MISSING and people >= fewest:
            yield value, many


def _mostly(
    counted: CountedColumn, named: Mapping[str, int], records: int
) -> dict[str, Any] | None:
    """Return the kind of most values, and the exceptions, or None if all values are of one kind."""
    for kind, written in _KINDS:
        other = {
            value: many
            for value, many in _all(counted)
            if value != MISSING and not written.fullmatch(value)
        }
        share = 1 - sum(other.values()) / max(records, 1)
        if other and share > _MOSTLY:
            shown = sorted((one for one in other if one in named), key=lambda one: -other[one])
            return {
                "kind": kind,
                "share": share,
                "records": sum(other.values()),
                "distinct": len(other),
                "values": [[_short(value), other[value]] for value in shown[:_ODD]],
                "exact": [value for value in shown[:_ODD] if "," not in value],
            }
    return None


def _short(value: str) -> str:
    text = printable(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
