"""Write a determination as a tagged PDF that screen readers can read.

The PDF conforms to PDF/UA-1 and has embedded fonts. Typst generates the PDF without a browser or a
network. Typst receives people's answers as one JSON string, and does not run the answers as code.
For letters that are not Latin, Greek, or Cyrillic, Typst uses the fonts of the system.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from importlib.resources import files
from typing import Any

from roadstead.errors import MissingExtraError, OutputError
from roadstead.front_end import option
from roadstead.reports.determination.content import DeterminationContent
from roadstead.reports.wording import legible, moment

_STANDARD = "ua-1"


def require_typst() -> None:
    """Raise an error if Typst is missing, before any work is done."""
    try:
        import typst  # noqa: F401, PLC0415 - looked for alone; optional
    except ImportError:
        raise MissingExtraError(
            "a PDF requires Typst, which is not installed",
            where=option("pdf"),
            fix="install roadstead[pdf], or print the page to a PDF",
        ) from None


def render_pdf(content: DeterminationContent) -> bytes:
    """Return the document. Raise an `OutputError` if a letter is not in any font."""
    import typst  # noqa: PLC0415 - optional, heavy

    source = (files("roadstead.reports") / "templates" / "determination.typ").read_bytes()
    given: dict[str, Any] = {
        "input": source,
        "sys_inputs": {"content": json.dumps(_legible(_data(content)))},
        "timestamp": datetime.fromisoformat(content.created),
        "pdf_standards": _STANDARD,
    }
    for without_others in (True, False):
        try:
            made: bytes = typst.compile(**given, ignore_system_fonts=without_others)
        except (RuntimeError, typst.TypstError) as error:
            reason = str(error)
        else:
            return made
    raise OutputError(
        f"Roadstead cannot make a PDF of {content.short}: {reason.splitlines()[0]}",
        where=option("pdf"),
        fix="install fonts that have all letters of the document, or print the page to a PDF",
    )


def _data(content: DeterminationContent) -> dict[str, Any]:
    """Return the content as plain data, with values that are computed from the content."""
    document = asdict(content)
    document["created"], document["made"] = moment(content.created), moment(content.made)
    for part, shown in zip(document["parts"], content.parts, strict=True):
        for point, own in zip(part["points"], shown.points, strict=True):
            point["state"] = own.state
    return document


def _legible(value: Any) -> Any:  # noqa: ANN401 - of any shape
    """Make every character of all text visible, as on the pages."""
    if isinstance(value, str):
        return legible(value)
    if isinstance(value, dict):
        return {key: _legible(one) for key, one in value.items()}
    return [_legible(one) for one in value] if isinstance(value, list | tuple) else value
