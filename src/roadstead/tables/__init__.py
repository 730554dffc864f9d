"""Reading tables through Ibis, and turning them into frequency tables.

:func:`read` opens a file, a data frame or an Ibis table as a :class:`Source`; :class:`Roles` says
what its columns are; :func:`summarize` asks its engine one question and returns the
:class:`FrequencyTable` that everything else works on; :mod:`roadstead.tables.profile` describes its
columns in counts; :func:`write` streams a table to a file. Names are imported when they are first
used, so that importing this package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roadstead.tables.dialect import Dialect
    from roadstead.tables.failures import engine_errors
    from roadstead.tables.formats import Csv, Engine, Format, Memory, Parquet
    from roadstead.tables.frequency import FrequencyTable, summarize
    from roadstead.tables.profile import ColumnProfile
    from roadstead.tables.reading import read
    from roadstead.tables.roles import Roles
    from roadstead.tables.sinks import write
    from roadstead.tables.source import Source
    from roadstead.tables.text import as_text

__all__ = [
    "ColumnProfile",
    "Csv",
    "Dialect",
    "Engine",
    "Format",
    "FrequencyTable",
    "Memory",
    "Parquet",
    "Roles",
    "Source",
    "as_text",
    "engine_errors",
    "read",
    "summarize",
    "write",
]

_HOMES = {
    "ColumnProfile": "profile",
    "Csv": "formats",
    "Dialect": "dialect",
    "Engine": "formats",
    "Format": "formats",
    "FrequencyTable": "frequency",
    "Memory": "formats",
    "Parquet": "formats",
    "Roles": "roles",
    "Source": "source",
    "as_text": "text",
    "engine_errors": "failures",
    "read": "reading",
    "summarize": "frequency",
    "write": "sinks",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever is exported
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{home}"), name)
