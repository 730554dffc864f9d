"""Columns of Python objects whose Arrow type would be told by all of their values together.

A list, or a pandas column of type ``object``, has no type of its own, so Arrow gives it one that
holds every value in it. One value can so change how others read: ``Decimal("1")`` becomes ``1.00``
next to ``Decimal("2.55")``, a text becomes bytes next to bytes. In a differentially private release
no record may do that. Columns with values of one kind are safe, and so are whole numbers alongside
others: they read the same, or Arrow refuses them. Everything else is refused here.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from itertools import chain
from typing import Any

import numpy as np

from roadstead.errors import SourceError, quoted

_NUMBERS = (int, float, np.integer, np.floating)
_LISTS = (list, tuple, np.ndarray)
_MISSING = ("NoneType", "NAType", "NaTType")
_DECIMALS = "decimals"


def check_kinds(data: Any) -> None:  # noqa: ANN401 - a table of any library
    """Prove that each column of Python objects holds values of one kind.

    `data`: a pandas data frame or a mapping of column names to lists; anything else has types.
    Raises SourceError: a column mixes kinds, or holds decimal numbers, whose type has as many
    decimals as the longest of them.
    """
    for name, values in _columns(data):
        kinds = _kinds(values)
        if len(kinds) > 1 or _DECIMALS in kinds:
            what = (
                "mixes values of different types"
                if len(kinds) > 1
                else "holds Decimal objects, and one could change how the others are written"
            )
            raise SourceError(
                f"the column {what}",
                where=f"column {quoted(name)}",
                fix="convert it to one type, for instance with astype('string')",
            )


def _columns(data: Any) -> Iterator[tuple[str, Iterable[Any]]]:  # noqa: ANN401 - as above
    """Give the columns that have no type."""
    if isinstance(data, Mapping):
        columns = [(str(name), values) for name, values in data.items()]
    elif type(data).__module__.startswith("pandas") and hasattr(data, "columns"):
        columns = [(str(name), data.iloc[:, at]) for at, name in enumerate(data.columns)]
    else:
        return
    for name, values in columns:
        own: Any = getattr(getattr(values, "cat", None), "categories", values)
        if isinstance(own, list | tuple) or str(getattr(own, "dtype", "")) == "object":
            yield name, own


def _kinds(values: Iterable[Any]) -> set[str]:
    types = {one for one in set(map(type, values)) if one.__name__ not in _MISSING}
    if float in types and any(not issubclass(one, _NUMBERS) for one in types):
        # Among other values pandas writes a missing one as a float that is no number.
        types -= {float} if all(one != one for one in values if type(one) is float) else set()  # noqa: PLR0124 - not a number
    kinds = {_kind(one) for one in types}
    if kinds == {"times"}:
        present = (one for one in values if isinstance(one, dt.datetime) and one == one)  # noqa: PLR0124 - not a time
        kinds = {f"times, {'with' if one.tzinfo else 'without'} a zone" for one in present}
    if kinds == {"lists"}:
        lists = (one for one in values if isinstance(one, _LISTS))
        kinds = {f"lists of {kind}" for kind in _kinds([*chain.from_iterable(lists)])}
    return {_DECIMALS} if kinds == {f"lists of {_DECIMALS}"} else kinds


def _kind(one: type) -> str:
    known: tuple[tuple[Any, str], ...] = (
        ((bool, np.bool_), "truth values"),
        (_NUMBERS, "numbers"),
        (str, "texts"),
        (Decimal, _DECIMALS),
        (dt.datetime, "times"),
        (dt.date, "dates"),
        (_LISTS, "lists"),
    )
    return next((kind for types, kind in known if issubclass(one, types)), one.__name__)
