"""What the errors of Ibis mean, whichever database it works with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.tables.stores.store import Explanations

if TYPE_CHECKING:
    from roadstead.tables.stores.store import Explanation

_LACKING = ("OperationNotDefinedError", "UnsupportedBackendType", "UnsupportedOperationError")


def _opening(error: Exception) -> Explanation | None:
    if type(error).__name__ == "TableNotFound":
        return "there is no such table", "check its name and schema"
    return None


def _reading(error: Exception) -> Explanation | None:
    if type(error).__name__ in _LACKING:
        return (
            "this kind of database lacks what is asked of it",
            "copy the table to a CSV or Parquet file",
        )
    return None


EXPLANATIONS = Explanations(_opening, _reading)
