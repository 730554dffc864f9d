"""Read FHIR R4 resources as one table with one row per patient.

Names, identifiers, telephone numbers, street addresses, photographs, and contacts are not read,
because data that is not read cannot leak. A file contains Bundles, single resources, or one
resource per line (NDJSON), plain or gzipped. All condition codes come from one system, because
codes of two systems, such as ``I10`` and ``59621000``, may mean the same disease.

Sources: HL7, FHIR R4 and FHIR Bulk Data Access; HL7, US Core Implementation Guide, race and
ethnicity extensions.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from roadstead.errors import SourceError, quoted
from roadstead.tables import engine, files
from roadstead.tables.failures import engine_errors, from_engine
from roadstead.tables.health.joining import check_belongs, check_once
from roadstead.tables.health.locations import HealthLocation, files_of, text_of
from roadstead.tables.source import Engine, Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roadstead.tables.engine import PrivateEngine

KEY = "patient_id"
ITEMS = "conditions"
SYSTEMS = MappingProxyType(
    {
        "snomed": "http://snomed.info/sct",
        "icd10cm": "http://hl7.org/fhir/sid/icd-10-cm",
        "icd10": "http://hl7.org/fhir/sid/icd-10",
        "icd9cm": "http://hl7.org/fhir/sid/icd-9-cm",
    }
)
"""Short names for systems of diagnosis codes."""

_ENDINGS = (".json", ".ndjson", ".jsonl", ".json.gz", ".ndjson.gz", ".jsonl.gz")
_FIX = "use a folder of FHIR R4 Bundles (JSON) or NDJSON files"
_USUAL = 1 << 24
"""The length, in bytes, of the longest value that the engine accepts by default."""
_LONGEST = (1 << 32) - 1
_LINES = re.compile(r"[.](ndjson|jsonl)")
_LINK = re.compile(r"fhir_(\d+)[.]json")
_MALFORMED = re.compile(r"at byte (\d+) in record/value (\d+)")
_US_CORE = "http://hl7.org/fhir/us/core/StructureDefinition/us-core-"


def read_fhir(
    folder: str | os.PathLike[str],
    *,
    code_system: str | None = None,
    name: str | None = None,
    memory_limit: str = "2GB",
) -> Source:
    """Read a folder of FHIR R4 files, without subfolders, as a table with one row per patient.

    `code_system` is the URI of the system of the condition codes, or a name in :data:`SYSTEMS`. By
    default, the function uses a system in which every coded condition has a code. `name` is the
    name of the table in messages.

    The table has the text columns ``patient_id``, ``birth_date``, ``gender``, ``race``,
    ``ethnicity``, ``postal_code``, ``city``, ``state``, ``marital_status``, and ``died`` (yes or
    no); the number of ``encounters``; and ``conditions``, a sorted list of distinct codes. The
    table contains the home address of a patient or, if there is none, the first address that is not
    old, temporary, or for bills. Encounters and conditions that were entered in error, and
    conditions that were refuted, do not count.

    Raises SourceError if the path is not a folder; if a file is not JSON or does not contain FHIR;
    if patients are missing; if a patient is repeated or has no ID; if no encounter or no condition
    belongs to these patients; or if no system covers all conditions.
    """
    place = Path(folder)
    started = engine.start(memory_limit)
    try:
        _read_resources(started, place)
        _gather(started, str(place), code_system)
    except BaseException:
        started.close()
        raise
    table = engine.table(started.backend, "people")
    called = name or HealthLocation("fhir", place).name
    return Source(table, tuple(table.columns), called, Engine(engine.BACKEND), None, started)


def _gather(started: PrivateEngine, where: str, code_system: str | None) -> None:
    """Create the table ``people`` from the resources, and drop all other tables."""
    con = started.backend.con
    with engine_errors(where):
        category, gathered = _statements("fhir_patients.sql")
        con.execute(category)
        con.execute(gathered, {"race": f"{_US_CORE}race", "ethnicity": f"{_US_CORE}ethnicity"})
    patients = engine.table(started.backend, "patients")
    check_once(patients, KEY, where, "patient")
    with engine_errors(where):
        if not patients.count().to_pyarrow().as_py():
            raise SourceError(
                "the files of the folder contain no Patient resource",
                where=where,
                fix="use a folder with Patient resources",
            )
        for query in _statements("fhir_events.sql"):
            con.execute(query)
    for kind, called in (("encounters", "Encounter"), ("codes", "Condition")):
        rows = engine.table(started.backend, kind)
        check_belongs(rows, patients, KEY, f"{where}, {called}", "a Patient in its files")
    with engine_errors(where):
        (people,) = _statements("fhir_people.sql")
        con.execute(people, {"system": _system(started, where, code_system)})
        for table in ("resources", "patients", "owned", "encounters", "codes"):
            con.execute(f"DROP TABLE {table}")


def _system(started: PrivateEngine, where: str, requested: str | None) -> str:
    rows = started.backend.con.execute(
        "SELECT system, count(DISTINCT row) FROM codes GROUP BY system ORDER BY 2 DESC, 1"
    ).fetchall()
    total = started.backend.con.execute("SELECT count(DISTINCT row) FROM codes").fetchall()[0][0]
    counts = {str(system): int(count) for system, count in rows}
    if requested is not None:
        uri = SYSTEMS.get(requested, requested)
        if counts and uri not in counts:
            what = f"no condition has a code from the system {quoted(requested)}"
            raise SourceError(what, where=where, fix=f"choose one of {_listed(counts)}")
        return uri
    if not counts:
        return ""
    # If several systems cover all conditions, use the first in this list, then alphabetically.
    order = [*SYSTEMS.values()]
    whole = [system for system, count in counts.items() if count == total]
    if whole:
        return min(whole, key=lambda s: (order.index(s) if s in order else len(order), s))
    raise SourceError(
        f"the {total:,} conditions have codes from {len(counts)} systems, but no system covers all "
        f"of them: {_listed(counts)}",
        where=where,
        fix=f"choose one, such as ?code_system={_short(next(iter(counts)))}; conditions "
        "without a code from it are left out",
    )


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{_short(system)} ({count:,})" for system, count in counts.items())


def _short(system: str) -> str:
    names = {address: short for short, address in SYSTEMS.items()}
    return names.get(system, system or "none")


def _statements(name: str) -> list[str]:
    return [one for one in text_of(name).split(";\n") if one.strip()]


def _read_resources(started: PrivateEngine, folder: Path) -> None:
    """Create the table ``resources``, with the URL, the kind, and the JSON of each resource."""
    found = files_of(folder, _ENDINGS, _FIX)
    con = started.backend.con
    table, insert = _statements("fhir_resources.sql")
    con.execute(table)
    # The engine treats each name as one file; the names identify the files.
    links = [str(started.linked(path, f"fhir_{at}.json")) for at, path in enumerate(found)]
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
        what = "the file contains a value that is not a FHIR resource"
        fix = "remove other files from the folder; each resource requires its resourceType"
        raise SourceError(what, where=_name_of(wrong[0], found), fix=fix)


def _groups(found: Sequence[Path], links: Sequence[str]) -> dict[tuple[str, int], list[str]]:
    """Group the files that are read in the same way. Group unusually long files by length."""
    groups: dict[tuple[str, int], list[str]] = {}
    for path, link in zip(found, links, strict=True):
        zipped = files.first_bytes(path, 2) == files.GZIP_MAGIC
        size = path.stat().st_size
        if zipped:  # the last four bytes give the size of the content
            with files.reading(path), path.open("rb") as stream:
                stream.seek(-min(4, size), os.SEEK_END)
                size = int.from_bytes(stream.read(4), "little")
        # In a file with one resource per line, each resource is shorter than the file.
        lines = _LINES.search(path.name.lower())
        longest = _USUAL if size < _USUAL or lines else min(size + 1, _LONGEST)
        groups.setdefault(("gzip" if zipped else "none", longest), []).append(link)
    return groups


def _not_json(text: str, found: Sequence[Path]) -> SourceError:
    """Return the error for a file that is not JSON. The error gives the position of the mistake."""
    at = _MALFORMED.search(text)
    place = f", value {at[2]}, byte {at[1]}" if at else ""
    fix = "get the file again, or leave it out of the folder"
    where = f"{_name_of(text, found)}{place}"
    return SourceError("the file is not a JSON file, or it ends too early", where=where, fix=fix)


def _name_of(link: str, found: Sequence[Path]) -> str:
    place = _LINK.search(link)
    return found[int(place[1])].name if place else "a file of the folder"
