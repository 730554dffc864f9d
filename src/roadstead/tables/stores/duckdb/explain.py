"""What the errors of DuckDB mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.tables.failures import MEMORY
from roadstead.tables.stores.store import Explanations

if TYPE_CHECKING:
    from roadstead.tables.stores.store import Explanation

_NOT_WRITABLE = ("its file cannot be written to", "name one that can be")
_WRITING = (
    (("Out of Memory", "could not allocate", "failed to pin block"), MEMORY),
    (("Conflicting lock", "Unique file handle"), ("its file is open elsewhere", "close it there")),
    (("Permission denied", "Read-only file system"), _NOT_WRITABLE),
    (("within a transaction",), ("its connection is in a transaction", "end that first")),
)


def _reading(error: Exception) -> Explanation | None:
    name = type(error).__name__
    if name == "PermissionException" and "file system operations are disabled" in str(error):
        return (
            "a view in its database reads another file or the network, which is not allowed",
            "if you trust that view, write its rows to a CSV or Parquet file and name that",
        )
    if name == "ConnectionException":
        return "the source was closed", "keep it open until all is written"
    return None


def _writing(error: Exception) -> Explanation | None:
    text = str(error)
    return next((why for signs, why in _WRITING if any(sign in text for sign in signs)), None)


EXPLANATIONS = Explanations(reading=_reading, writing=_writing)
