"""FHIR R4 resources as one table with a row a patient.

From Patient come birth date, gender, race and ethnicity (the categories of US Core, where they are
there), place, marital status and whether the patient has died; from Encounter their number; from
Condition the set of codes. Names, identifiers, telephone numbers, street addresses, photographs and
contacts are not read: no release has a use for them, and what is not there cannot leak.

Codes of two systems are not one vocabulary: ``I10`` and ``59621000`` may be one disease. So the
codes are of one system: the one asked for, or the one that every condition is coded in. Sources:
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
from roadstead.tables.formats import Engine
from roadstead.tables.health.fhir_files import read_resources
from roadstead.tables.health.joining import check_belongs, check_once
from roadstead.tables.health.locations import HealthLocation
from roadstead.tables.source import Source

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

_PATIENTS = """
    CREATE TEMP TABLE patients AS
    WITH parts AS (
        SELECT url, resource,
            json_extract(resource, '$.address[*]') AS addresses,
            json_extract(resource, '$.extension[*]') AS extensions
        FROM resources WHERE kind = 'Patient'
    ),
    chosen AS (
        SELECT *,
            coalesce(
                list_filter(addresses, lambda one: (one->>'$.use') = 'home')[1],
                list_filter(
                    addresses,
                    lambda one: coalesce(one->>'$.use', '') NOT IN ('old', 'temp', 'billing')
                )[1]
            ) AS address,
            json_extract(
                list_filter(extensions, lambda one: (one->>'$.url') = $race)[1], '$.extension[*]'
            ) AS races,
            json_extract(
                list_filter(extensions, lambda one: (one->>'$.url') = $ethnicity)[1],
                '$.extension[*]'
            ) AS ethnicities
        FROM parts
    )
    SELECT
        coalesce(trim(resource->>'$.id'), '') AS patient_id,
        url,
        resource->>'$.birthDate' AS birth_date,
        resource->>'$.gender' AS gender,
        category(races) AS race,
        category(ethnicities) AS ethnicity,
        address->>'$.postalCode' AS postal_code,
        address->>'$.city' AS city,
        address->>'$.state' AS state,
        coalesce(
            resource->>'$.maritalStatus.coding[0].code', resource->>'$.maritalStatus.text'
        ) AS marital_status,
        CASE WHEN (resource->>'$.deceasedDateTime') IS NOT NULL
            OR (resource->>'$.deceasedBoolean') = 'true' THEN 'yes' ELSE 'no' END AS died
    FROM chosen
"""
_CATEGORY = """
    CREATE TEMP MACRO category(parts) AS coalesce(
        nullif(list_aggregate(list_sort(list_distinct(list_transform(
            list_filter(parts, lambda part: (part->>'$.url') = 'ombCategory'),
            lambda part: coalesce(part->>'$.valueCoding.display', part->>'$.valueCoding.code')
        ))), 'string_agg', '; '), ''),
        list_filter(parts, lambda part: (part->>'$.url') = 'text')[1]->>'$.valueString'
    )
"""
# A reference is the address of an entry of a bundle, or ends in the patient's number.
_OWNERS = """
    CREATE TEMP TABLE owned AS
    WITH referring AS (
        SELECT kind, resource, resource->>'$.subject.reference' AS reference,
            coalesce(resource->>'$.id', url) AS own
        FROM resources WHERE kind IN ('Encounter', 'Condition')
    ),
    addresses AS (
        SELECT url, min(patient_id) AS patient_id FROM patients WHERE url IS NOT NULL GROUP BY url
    )
    SELECT kind, resource, own, row_number() OVER () AS row,
        coalesce(
            addresses.patient_id,
            nullif(regexp_extract(
                reference, '(?:(?:^|/)Patient/|^urn:uuid:)([^/?#|]+)', 1
            ), ''), ''
        ) AS patient_id
    FROM referring LEFT JOIN addresses ON reference = addresses.url
"""
_ENCOUNTERS = """
    CREATE TEMP TABLE encounters AS
    SELECT patient_id, count(DISTINCT coalesce('id ' || own, 'row ' || row)) AS encounters
    FROM owned
    WHERE kind = 'Encounter' AND (resource->>'$.status') IS DISTINCT FROM 'entered-in-error'
    GROUP BY patient_id
"""
_CODES = """
    CREATE TEMP TABLE codes AS
    WITH codings AS (
        SELECT patient_id, row, unnest(json_extract(resource, '$.code.coding[*]')) AS coding
        FROM owned
        WHERE kind = 'Condition' AND coalesce(
            resource->>'$.verificationStatus.coding[0].code', ''
        ) NOT IN ('entered-in-error', 'refuted')
    )
    SELECT patient_id, row, coalesce(coding->>'$.system', '') AS system,
        trim(coding->>'$.code') AS code
    FROM codings WHERE trim(coding->>'$.code') <> ''
"""
_PEOPLE = """
    CREATE TEMP TABLE people AS
    WITH sets AS (
        SELECT patient_id, list_sort(list(DISTINCT code)) AS conditions
        FROM codes WHERE system = $system GROUP BY patient_id
    )
    SELECT patients.* EXCLUDE (url),
        coalesce(encounters, 0) AS encounters, coalesce(conditions, []::VARCHAR[]) AS conditions
    FROM patients
        LEFT JOIN encounters USING (patient_id)
        LEFT JOIN sets USING (patient_id)
    ORDER BY patient_id
"""


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
        con.execute(_CATEGORY)
        con.execute(_PATIENTS, {"race": f"{_US_CORE}race", "ethnicity": f"{_US_CORE}ethnicity"})
    patients = engine.table(started.backend, "patients")
    check_once(patients, KEY, where, "patient")
    with engine_errors(where):
        if not patients.count().to_pyarrow().as_py():
            raise SourceError(
                "there is no Patient in its files", where=where, fix="name a folder with patients"
            )
        for query in (_OWNERS, _ENCOUNTERS, _CODES):
            con.execute(query)
    for kind in ("encounters", "codes"):
        rows = engine.table(started.backend, kind)
        called = {"encounters": "Encounter", "codes": "Condition"}[kind]
        check_belongs(rows, patients, KEY, f"{where}, {called}", "a Patient in its files")
    with engine_errors(where):
        con.execute(_PEOPLE, {"system": _system(started, where, code_system)})
        for table in ("resources", "patients", "owned", "encounters", "codes"):
            con.execute(f"DROP TABLE {table}")


def _system(started: PrivateEngine, where: str, asked: str | None) -> str:
    """Choose the system of the condition codes."""
    rows = started.backend.con.execute(
        "SELECT system, count(DISTINCT row) FROM codes GROUP BY system ORDER BY 2 DESC, 1"
    ).fetchall()
    total = started.backend.con.execute("SELECT count(DISTINCT row) FROM codes").fetchall()[0][0]
    counts = {str(system): int(count) for system, count in rows}
    if asked is not None:
        wanted = SYSTEMS.get(asked, asked)
        if counts and wanted not in counts:
            raise SourceError(
                f"no condition has a code of the system {quoted(asked)}",
                where=where,
                fix=f"choose one of {_listed(counts)}",
            )
        return wanted
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
