"""Find file formats by name. Formats are built in or come from other packages.

A format from another package can only read files, and only if the user requests it:
``visits.xyz?format=NAME``.
"""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from roadstead.errors import MissingExtraError, SettingError, quoted
from roadstead.near_names import did_you_mean
from roadstead.registry import Registry, imported
from roadstead.tables.formats.format import FileFormat

if TYPE_CHECKING:
    from roadstead.tables.source import ProgramFile

GROUP = "roadstead.file_formats"
"""The entry point group for formats from other packages."""


def _valid(name: str, offer: object) -> str | None:
    needed = ("label", "extra", "modules", "options", "written_as")
    missing = [one for one in needed if not hasattr(offer, one)]
    missing += [] if callable(getattr(offer, "read", None)) else ["read()"]
    return f"{name} is not a file format: it lacks {', '.join(missing)}" if missing else None


_PLACES = {
    "excel": "excel.format:EXCEL",
    "opendocument": "excel.format:OPENDOCUMENT",
    "spss": "statistics.spss:SPSS",
    "spss-portable": "statistics.spss:PORTABLE",
    "stata": "statistics.stata:STATA",
    "sas": "statistics.sas:SAS",
    "sas-transport": "statistics.sas:TRANSPORT",
    "r": "r.format:R",
    "arrow": "arrow:ARROW",
    "json-lines": "json_lines:JSON_LINES",
    "sqlite": "sqlite:SQLITE",
    "fixed-width": "fixed_width:FIXED_WIDTH",
    "hierarchical": "hierarchical:HIERARCHICAL",
}
_BUILT_IN = {
    name: partial(imported, f"roadstead.tables.formats.{place}") for name, place in _PLACES.items()
}
FORMATS: Registry[FileFormat] = Registry(GROUP, _BUILT_IN, _valid)


WITH_RARE_CODES = ("spss", "stata", "sas-transport", "r")
"""The formats whose files show the code of a value whose label is not written."""


def release_kind(form: ProgramFile) -> str | None:
    """Return the format of a table's release, which may be ``csv``, or None for Parquet.

    A release has a built-in format, so that recipients can check the release without another
    package.
    """
    kind = format_named(form.kind).written_as
    return kind if kind in ("csv", *FORMATS.own) else None


def format_named(name: str) -> FileFormat:
    """Return a format. Raises SettingError if unknown, and MissingExtraError if not installed."""
    if name not in FORMATS:
        fix = did_you_mean(name, [*FORMATS], f"use one of {', '.join(FORMATS)}", show=quoted)
        raise SettingError(f"there is no file format {quoted(name)}", where="format", fix=fix)
    found = FORMATS[name]
    if found.extra is not None and any(find_spec(module) is None for module in found.modules):
        what = f"{found.label} files need packages that are not installed"
        raise MissingExtraError(what, fix=f"pip install 'roadstead[{found.extra}]'")
    return found
