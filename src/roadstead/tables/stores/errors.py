"""Explain the errors of drivers, using the file ``data/errors.toml`` of each store.

For *opening*, *reading*, and *writing*, the file lists explanations with fixes. Each explanation
has a list ``when`` of sets of signs, and applies if one of the sets matches. Each sign is a pattern
for the class of the error (``name``), its SQLSTATE (``state``), or its text. The first matching
explanation is used. In an explanation, ``{error}`` is replaced with the class of the error.
"""

from __future__ import annotations

import re
import tomllib
from functools import cached_property, partialmethod
from importlib import resources
from typing import TYPE_CHECKING, Any

from roadstead.tables.failures import state_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from roadstead.tables.stores.store import Explanation


def signs_of(error: Exception) -> dict[str, str]:
    """Return the signs of an error of any driver."""
    name = type(error).__name__
    return {"name": name, "error": name, "state": state_of(error), "text": str(error)}


class ErrorTable:
    """The explanations of a store. They are read from a file when the first error occurs."""

    def __init__(
        self, package: str, signs: Callable[[Exception], dict[str, str]] = signs_of
    ) -> None:
        self._package = package
        self._signs = signs

    def _why(self, work: str, error: Exception) -> Explanation | None:
        return self.find(work, self._signs(error))

    opening = partialmethod(_why, "opening")
    reading = partialmethod(_why, "reading")
    writing = partialmethod(_why, "writing")

    def find(self, work: str, signs: dict[str, str]) -> Explanation | None:
        """Return the first explanation whose signs match. A missing sign is empty."""
        for row in self._rows.get(work, ()):
            for when in row["when"]:
                if all(re.search(p, signs.get(sign, ""), re.DOTALL) for sign, p in when.items()):
                    return row["what"].replace("{error}", signs.get("error", "")), row["fix"]
        return None

    @cached_property
    def _rows(self) -> dict[str, list[dict[str, Any]]]:
        file = resources.files(self._package) / "data" / "errors.toml"
        return tomllib.loads(file.read_text(encoding="utf-8"))
