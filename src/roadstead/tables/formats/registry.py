"""Find file formats by name, both built-in formats and formats from other packages.

A format from another package can only read files, and only if the user requests it:
``visits.xyz?format=NAME``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from roadstead.errors import MissingExtraError, SettingError, quoted
from roadstead.near_names import did_you_mean
from roadstead.registry import Registry
from roadstead.tables.formats.format import FileFormat

if TYPE_CHECKING:
    from roadstead.tables.source import ProgramFile

GROUP = "roadstead.file_formats"
"""The entry point group for formats from other packages."""


def _own(module: str, name: str) -> FileFormat:
    found: FileFormat = getattr(import_module(f"roadstead.tables.formats.{module}"), name)
    return found


def _valid(name: str, offer: object) -> str | None:
    needed = ("label", "extra", "modules", "options", "written_as")
    missing = [one for one in needed if not hasattr(offer, one)]
    missing += [] if callable(getattr(offer, "read", None)) else ["read()"]
    return f"{name} is not a file format: it lacks {', '.join(missing)}" if missing else None


_BUILT_IN: dict[str, Callable[[], FileFormat]] = {
    "excel": partial(_own, "excel.format", "EXCEL"),
    "opendocument": partial(_own, "excel.format", "OPENDOCUMENT"),
    "spss": partial(_own, "statistics.spss", "SPSS"),
    "spss-portable": partial(_own, "statistics.spss", "PORTABLE"),
    "stata": partial(_own, "statistics.stata", "STATA"),
    "sas": partial(_own, "statistics.sas", "SAS"),
    "sas-transport": partial(_own, "statistics.sas", "TRANSPORT"),
    "r": partial(_own, "r.format", "R"),
    "arrow": partial(_own, "arrow", "ARROW"),
    "json-lines": partial(_own, "json_lines", "JSON_LINES"),
    "sqlite": partial(_own, "sqlite", "SQLITE"),
    "fixed-width": partial(_own, "fixed_width", "FIXED_WIDTH"),
}
FORMATS: Registry[FileFormat] = Registry(GROUP, _BUILT_IN, _valid)


WITH_RARE_CODES = ("spss", "stata", "sas-transport")
"""The formats whose files show the code of a value whose label is not written."""


def release_kind(form: ProgramFile) -> str | None:
    """Return the format of a table's release, which may be ``csv``, or None for Parquet.

    A release has a built-in format, so that recipients can check the release without another
    package.
    """
    kind = format_named(form.kind).written_as
    return kind if kind in ("csv", *FORMATS.own) else None


def format_named(name: str) -> FileFormat:
    """Return a format. Raises SettingError if it is unknown, MissingExtraError if not installed."""
    if name not in FORMATS:
        fix = did_you_mean(name, [*FORMATS], f"use one of {', '.join(FORMATS)}", show=quoted)
        raise SettingError(f"there is no file format {quoted(name)}", where="format", fix=fix)
    found = FORMATS[name]
    if found.extra is not None and any(find_spec(module) is None for module in found.modules):
        what = f"{found.label} files need packages that are not installed"
        raise MissingExtraError(what, fix=f"pip install 'roadstead[{found.extra}]'")
    return found
