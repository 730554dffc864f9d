"""The FHIR resources in a folder of JSON files, as tables of a private engine.

A file holds Bundles, single resources, or a resource a line (NDJSON, as servers export them); plain
or gzipped, one form or several. The engine parses them; of the resources only Patient, Encounter
and Condition are kept. Source: HL7, FHIR R4, Bundle, and FHIR Bulk Data Access.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from roadstead.errors import OutputError, SourceError
from roadstead.tables import files
from roadstead.tables.failures import engine_errors, from_engine
from roadstead.tables.health.locations import files_of, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from roadstead.tables.engine import PrivateEngine

_ENDINGS = (".json", ".ndjson", ".jsonl", ".json.gz", ".ndjson.gz", ".jsonl.gz")
_FIX = "name a folder of FHIR R4 Bundles (JSON) or NDJSON files"
_USUAL = 1 << 24
"""The longest value, in bytes, that the engine is ready for in all files."""
_LONGEST = (1 << 32) - 1
_LINK = re.compile(r"fhir_(\d+)[.]json")
_MALFORMED = re.compile(r"at byte (\d+) in record/value (\d+)")


def statements(name: str) -> list[str]:
    """Give the statements of a file of SQL."""
    return [one for one in text_of(name).split(";\n") if one.strip()]


def read_resources(started: PrivateEngine, folder: Path) -> None:
    """Make the table ``resources`` of an engine: url, kind and JSON of each resource.

    `started`: the engine. `folder`: the folder. Raises SourceError: it is no folder, has no JSON
    file, or a file is not JSON or holds no FHIR resources.
    """
    found = files_of(folder, _ENDINGS, _FIX)
    con = started.backend.con
    table, insert = statements("fhir_resources.sql")
    con.execute(table)
    links = [_linked(started, path, at) for at, path in enumerate(found)]
    for (compression, longest), group in _groups(found, links).items():
        asked = {"files": group, "compression": compression, "longest": longest}
        with engine_errors(str(folder)):
            try:
                con.execute(insert, asked)
            except Exception as error:
                if from_engine(error) and "Malformed JSON" in str(error):
                    raise _not_json(str(error), found) from None
                raise
    wrong = con.execute("SELECT min(place) FROM resources WHERE kind IS NULL").fetchone()
    if wrong and wrong[0] is not None:
        raise SourceError(
            "there is a value that is no FHIR resource",
            where=_name_of(wrong[0], found),
            fix="leave other files out of the folder; each resource needs its resourceType",
        )


def _linked(started: PrivateEngine, path: Path, at: int) -> str:
    """Give a file a name that the engine takes for one file, and that tells which it is."""
    link = started.scratch / f"fhir_{at}.json"
    try:
        link.symlink_to(path.absolute())
    except OSError as error:
        raise OutputError(
            f"nothing can be written to it ({error.strerror})",
            where="folder for temporary files",
            fix="set TMPDIR to a folder that you can write to",
        ) from error
    return str(link)


def _groups(found: Sequence[Path], links: Sequence[str]) -> dict[tuple[str, int], list[str]]:
    """Put files together that are read alike; one longer than usual is read alone."""
    groups: dict[tuple[str, int], list[str]] = {}
    for path, link in zip(found, links, strict=True):
        zipped = files.first_bytes(path, 2) == files.GZIP_MAGIC
        size = _size(path, zipped=zipped)
        longest = _USUAL if size < _USUAL or _has_lines(path) else min(size + 1, _LONGEST)
        groups.setdefault(("gzip" if zipped else "none", longest), []).append(link)
    return groups


def _size(path: Path, *, zipped: bool) -> int:
    """Give the size of a file's content; of a gzip file, what its last four bytes say."""
    with files.reading(path), path.open("rb") as stream:
        if not zipped:
            return path.stat().st_size
        stream.seek(-min(4, path.stat().st_size), os.SEEK_END)
        return int.from_bytes(stream.read(4), "little")


def _has_lines(path: Path) -> bool:
    """Tell from its name whether a file has a resource a line, so that none is as long as all."""
    return "json" in path.name.lower() and any(
        ending in path.name.lower() for ending in (".ndjson", ".jsonl")
    )


def _not_json(text: str, found: Sequence[Path]) -> SourceError:
    """Say which file is not JSON, and where; what stands there stays unsaid."""
    at = _MALFORMED.search(text)
    place = f", value {at[2]}, byte {at[1]}" if at else ""
    return SourceError(
        "is not JSON, or ends too early",
        where=f"{_name_of(text, found)}{place}",
        fix="get the file again, or leave it out of the folder",
    )


def _name_of(link: str, found: Sequence[Path]) -> str:
    place = _LINK.search(link)
    return found[int(place[1])].name if place else "a file of the folder"
