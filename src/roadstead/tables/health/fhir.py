"""FHIR R4 resources as one table with a row a patient.

From Patient come birth date, gender, race and ethnicity (the categories of US Core, where they are
there), place, marital status and whether the patient has died; from Encounter their number; from
Condition the set of codes. Names, identifiers, telephone numbers, street addresses, photographs and
contacts are not read: no release has a use for them, and what is not there cannot leak.

Codes of two systems are not one vocabulary: ``I10`` and ``59621000`` may be one disease. So the
codes are of one system: the one named, or the one that every condition is coded in. Sources:
HL7, FHIR R4; HL7, US Core Implementation Guide, race and ethnicity extensions.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from roadstead.errors import SourceError, quoted
from roadstead.tables import engine
from roadstead.tables.failures import engine_errors
from roadstead.tables.health.fhir_files import read_resources, statements
from roadstead.tables.health.joining import check_belongs, check_once
from roadstead.tables.health.locations import HealthLocation
from roadstead.tables.source import Engine, Source

if TYPE_CHECKING:
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
"""Short names of systems of diagnosis codes."""

_US_CORE = "http://hl7.org/fhir/us/core/StructureDefinition/us-core-"


def read_fhir(
    folder: str | os.PathLike[str],
    *,
    code_system: str | None = None,
    name: str | None = None,
    memory_limit: str = "2GB",
) -> Source:
    """Read a folder of FHIR R4 files as one table with a row a patient.

    Parameters
    ----------
    folder
        Files of Bundles or of a resource a line, plain or gzipped; other folders in it are not
        looked into.
    code_system
        The system of the condition codes: its address, or a name of :data:`SYSTEMS`. None: the one
        that every coded condition has a code of.
    name
        What to call the table in messages.
    memory_limit
        How much memory the private engine may use.

    Returns
    -------
    Source
        ``patient_id``, ``birth_date``, ``gender``, ``race``, ``ethnicity``, ``postal_code``,
        ``city``, ``state``, ``marital_status``, ``died`` (yes or no), all text; ``encounters``,
        their number; ``conditions``, a sorted list of distinct codes. The address is the home, or
        else the first that is not old, temporary or for bills. Encounters and conditions that were
        entered in error, and conditions that were refuted, do not count.

    Raises
    ------
    SourceError
        It is no folder, a file is not JSON or holds no FHIR, there is no patient, one stands twice
        or has no number, no encounter or condition is of these patients, or the conditions are
        coded in several systems of which none has all.
    """
    place = Path(folder)
    started = engine.start(memory_limit)
    try:
        read_resources(started, place)
        _gather(started, str(place), code_system)
    except BaseException:
        started.close()
        raise
    table = engine.table(started.backend, "people")
    called = name or HealthLocation("fhir", place).name
    return Source(table, tuple(table.columns), called, Engine(engine.BACKEND), None, started)


def _gather(started: PrivateEngine, where: str, code_system: str | None) -> None:
    """Make the table ``people`` of the resources, and drop all else."""
    con = started.backend.con
    with engine_errors(where):
        category, gathered = statements("fhir_patients.sql")
        con.execute(category)
        con.execute(gathered, {"race": f"{_US_CORE}race", "ethnicity": f"{_US_CORE}ethnicity"})
    patients = engine.table(started.backend, "patients")
    check_once(patients, KEY, where, "patient")
    with engine_errors(where):
        if not patients.count().to_pyarrow().as_py():
            raise SourceError(
                "there is no Patient in its files", where=where, fix="name a folder with patients"
            )
        for query in statements("fhir_events.sql"):
            con.execute(query)
    for kind in ("encounters", "codes"):
        rows = engine.table(started.backend, kind)
        called = {"encounters": "Encounter", "codes": "Condition"}[kind]
        check_belongs(rows, patients, KEY, f"{where}, {called}", "a Patient in its files")
    with engine_errors(where):
        (people,) = statements("fhir_people.sql")
        con.execute(people, {"system": _system(started, where, code_system)})
        for table in ("resources", "patients", "owned", "encounters", "codes"):
            con.execute(f"DROP TABLE {table}")


def _system(started: PrivateEngine, where: str, requested: str | None) -> str:
    """Choose the system of the condition codes."""
    rows = started.backend.con.execute(
        "SELECT system, count(DISTINCT row) FROM codes GROUP BY system ORDER BY 2 DESC, 1"
    ).fetchall()
    total = started.backend.con.execute("SELECT count(DISTINCT row) FROM codes").fetchall()[0][0]
    counts = {str(system): int(count) for system, count in rows}
    if requested is not None:
        uri = SYSTEMS.get(requested, requested)
        if counts and uri not in counts:
            raise SourceError(
                f"no condition has a code of the system {quoted(requested)}",
                where=where,
                fix=f"choose one of {_listed(counts)}",
            )
        return uri
    if not counts:
        return ""
    # Of several that have all, the one that stands first here, or else in the alphabet.
    order = [*SYSTEMS.values()]
    whole = [system for system, count in counts.items() if count == total]
    if whole:
        return min(whole, key=lambda s: (order.index(s) if s in order else len(order), s))
    raise SourceError(
        f"conditions are coded in {len(counts)} systems and none has all {total:,}: "
        f"{_listed(counts)}",
        where=where,
        fix=f"choose one, such as ?code_system={_short(next(iter(counts)))}; conditions without "
        "a code of it are left out",
    )


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{_short(system)} ({count:,})" for system, count in counts.items())


def _short(system: str) -> str:
    names = {address: short for short, address in SYSTEMS.items()}
    return names.get(system, system or "none")
