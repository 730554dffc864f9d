"""Read the text that names a taxonomy: a file, a code system, or a prefix of codes."""

from __future__ import annotations

from pathlib import Path

from roadstead.hierarchies.icd import icd9cm, icd10cm, icd10who
from roadstead.tables.formats.options import is_there

CODE_SYSTEMS = {"icd9": icd9cm, "icd10": icd10cm, "icd10who": icd10who}
"""The function that makes the taxonomy of each code system."""
PREFIX = "prefix"
"""The beginning of a text that declares the lengths of prefixes."""


def file_of_taxonomy(tree: str | Path) -> tuple[Path, str] | None:
    """Split the text of a taxonomy into a file and its columns. Return None if there is no file.

    The form is ``FILE``, or ``FILE:CODE:GROUP+GROUP`` for a table of codes. If a file has the whole
    text as its name, the file takes precedence.
    """
    text = str(tree)
    if text in CODE_SYSTEMS or text.startswith(f"{PREFIX}:"):
        return None
    file, *columns = text.rsplit(":", 2)
    if len(columns) < 2 or is_there(Path(text)):  # noqa: PLR2004 - both are written
        return Path(text), ""
    return Path(file), text.removeprefix(file)
