"""Find codebook formats by name. Formats are built in or come from other packages.

The content of a file decides which built-in format reads it. A format from another package is used
only if it is requested: ``codebook.xyz?format=NAME``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Protocol

from roadstead.registry import Registry
from roadstead.tables.codebooks.described import TableNotes
from roadstead.tables.codebooks.document import Document

GROUP = "roadstead.codebook_formats"
"""The entry point group for formats from other packages."""


class CodebookFormat(Protocol):
    """A format of codebooks."""

    @property
    def label(self) -> str:
        """The format in words, such as ``REDCap data dictionary``."""

    def recognizes(self, document: Document) -> bool:
        """Return whether the content of a file has this format."""

    def read(self, document: Document) -> tuple[TableNotes, ...]:
        """Return the notes on each table. Raises SourceError if the file is damaged."""


def _own(module: str, name: str) -> CodebookFormat:
    found: CodebookFormat = getattr(import_module(f"roadstead.tables.codebooks.{module}"), name)()
    return found


def _valid(name: str, offer: object) -> str | None:
    missing = [] if hasattr(offer, "label") else ["label"]
    missing += [one for one in ("recognizes", "read") if not callable(getattr(offer, one, None))]
    return f"{name} is not a codebook format: it lacks {', '.join(missing)}" if missing else None


_BUILT_IN: dict[str, Callable[[], CodebookFormat]] = {
    "redcap": partial(_own, "redcap", "Redcap"),
    "ddi": partial(_own, "ddi", "Ddi"),
    "csvw": partial(_own, "csvw", "Csvw"),
    "frictionless": partial(_own, "frictionless", "Frictionless"),
    "csv": partial(_own, "plain_csv", "PlainCsv"),
}
"""The formats, in the order in which they are tried."""
FORMATS: Registry[CodebookFormat] = Registry(GROUP, _BUILT_IN, _valid)
