"""Explain Spark's errors by their condition or SQLSTATE."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

from roadstead.tables.stores.errors import ErrorTable
from roadstead.tables.stores.store import Explanations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roadstead.tables.stores.store import Explanation

_MISSING = ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "CATALOG_NOT_FOUND", "42P01", "42704")


def _signs(error: Exception) -> dict[str, str]:
    """Return the text of an error, and its condition and SQLSTATE, which never contain data."""
    found = []
    for name in ("getCondition", "getSqlState"):
        word = ""
        # This calls Java, which may have ended.
        with contextlib.suppress(Exception):
            word = getattr(error, name)() or ""
        found.append(word if re.fullmatch(r"[A-Z0-9_.]{1,100}", word) else "")
    condition, state = found
    text = f"{condition}\n{error}"
    called = condition or type(error).__name__
    return {"condition": condition, "state": state, "text": text, "error": called}


ERRORS = ErrorTable(__package__, _signs)


def is_missing(error: Exception) -> bool:
    """Return whether an error means that the table does not exist."""
    signs = _signs(error)
    return signs["state"] in _MISSING or signs["condition"].partition(".")[0] in _MISSING


def why_not_written(error: Exception, columns: Sequence[str] = ()) -> Explanation | None:
    """Explain why Spark cannot write a table with these columns."""
    found = ERRORS.writing(error)
    if found is None:
        return None
    odd = next((x for x in columns if set(x) & set(" ,;{}()\n\t=")), None)
    return found[0].replace("{column}", "" if odd is None else f" {odd!r}"), found[1]


def _is_cancelled(error: Exception) -> bool:
    text = str(error)
    return _signs(error)["condition"].startswith("OPERATION_CANCELED") or (
        "cancelled" in text and "Job" in text
    )


EXPLANATIONS = Explanations(reading=ERRORS.reading, is_cancelled=_is_cancelled)
