"""A small OMOP CDM with everything that must not be released, and its release in plain Python."""

from __future__ import annotations

import csv
import hmac
import random
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path

PRIVATE = "Maria Lopes"
"""A text in every column and table that must not be released."""
LOCAL_CONCEPT = 2_000_000_007
ANCESTORS = {101: (100, 10), 102: (100, 10), 103: (100, 10), 201: (200, 10), 202: (200, 10)}
"""Each condition's ancestors, the nearest first."""
FIRST, LAST = date(2005, 1, 1), date(2015, 12, 31)

Rows = list[dict[str, str]]


def write_cdm(folder: Path, persons: int = 500, seed: int = 1) -> None:
    """Write the tables as CSV files."""
    chance = random.Random(seed)  # noqa: S311 - made-up people
    folder.mkdir()
    tables: dict[str, Rows] = {
        name: []
        for name in (
            "PERSON",
            "VISIT_OCCURRENCE",
            "CONDITION_OCCURRENCE",
            "CONDITION_ERA",
            "MEASUREMENT",
            "DEATH",
            "OBSERVATION_PERIOD",
        )
    }
    visit = 0
    for person in range(1, persons + 1):
        born = chance.choice((1950, 1951, 1960, 1970, 1980, 1915))
        tables["PERSON"].append(_person(person, born, chance))
        period: dict[str, object] = {"observation_period_id": person, "person_id": person}
        period |= {
            "observation_period_start_date": FIRST,
            "observation_period_end_date": LAST,
            "period_type_concept_id": 32880,
        }
        tables["OBSERVATION_PERIOD"].append(_texts(period))
        for _ in range(chance.randrange(1, 7)):
            visit += 1
            first = FIRST + timedelta(chance.randrange((LAST - FIRST).days))
            last = min(first + timedelta(chance.randrange(5)), LAST)
            kind = 9999 if visit % 97 == 0 else chance.choice((9201, 9202))
            tables["VISIT_OCCURRENCE"].append(_visit(visit, person, kind, first, last))
            code = chance.choice((101, 101, 101, 102, 103, 201, 202, 301, LOCAL_CONCEPT))
            for name, prefix in (
                ("CONDITION_OCCURRENCE", "condition"),
                ("CONDITION_ERA", "condition_era"),
            ):
                tables[name].append(_condition(name, prefix, visit, person, code, first, last))
            tables["MEASUREMENT"].append(_measurement(visit, person, first, chance))
        if person % 3 == 0:
            tables["DEATH"].append(
                _texts(
                    {
                        "person_id": person,
                        "death_date": LAST - timedelta(chance.randrange(900)),
                        "death_type_concept_id": 32817,
                        "cause_concept_id": 0,
                        "cause_source_value": PRIVATE,
                    }
                )
            )
    tables["NOTE"] = [{"note_id": "1", "person_id": "1", "note_text": PRIVATE}]
    tables["PROVIDER"] = [{"provider_id": "1", "provider_name": PRIVATE}]
    tables["CONCEPT"] = [
        {"concept_id": str(one), "concept_name": name, "domain_id": "Condition"}
        for one, name in ((10, "disease"), (101, "flu"), (LOCAL_CONCEPT, PRIVATE))
    ]
    tables["CONCEPT_ANCESTOR"] = [
        {
            "ancestor_concept_id": str(above),
            "descendant_concept_id": str(code),
            "min_levels_of_separation": str(steps),
        }
        for code, own in ANCESTORS.items()
        for steps, above in enumerate((code, *own))
    ]
    for name, rows in tables.items():
        write_rows(folder / f"{name}.csv", rows)


def _texts(row: Mapping[str, object]) -> dict[str, str]:
    return {name: str(cell) for name, cell in row.items()}


def _person(person: int, born: int, chance: random.Random) -> dict[str, str]:
    return _texts(
        {
            "PERSON_ID": person,
            "GENDER_CONCEPT_ID": chance.choice((8507, 8532)),
            "YEAR_OF_BIRTH": born,
            "MONTH_OF_BIRTH": chance.randrange(1, 13),
            "RACE_CONCEPT_ID": chance.choice((8527, 8527, 8527, 8516)),
            "ETHNICITY_CONCEPT_ID": 0,
            "PROVIDER_ID": 1,
            "PERSON_SOURCE_VALUE": PRIVATE,
            "SITE_NOTES": PRIVATE,
        }
    )


def _visit(visit: int, person: int, kind: int, first: date, last: date) -> dict[str, str]:
    return _texts(
        {
            "visit_occurrence_id": 5000 + visit,
            "person_id": person,
            "visit_concept_id": kind,
            "visit_start_date": first,
            "visit_start_datetime": f"{first}T13:37:00",
            "visit_end_date": last,
            "visit_type_concept_id": 44818517,
            "visit_source_value": PRIVATE,
            "preceding_visit_occurrence_id": 4999 + visit if visit > 1 else "",
        }
    )


def _condition(
    name: str, prefix: str, visit: int, person: int, code: int, first: date, last: date
) -> dict[str, str]:
    row: dict[str, object] = {
        f"{name.lower()}_id": 90000 + visit,
        "person_id": person,
        "condition_concept_id": code,
        f"{prefix}_start_date": first,
        f"{prefix}_end_date": last,
    }
    if name == "CONDITION_OCCURRENCE":
        row |= {"visit_occurrence_id": 5000 + visit, "condition_source_value": PRIVATE}
    return _texts(row)


def _measurement(visit: int, person: int, day: date, chance: random.Random) -> dict[str, str]:
    return _texts(
        {
            "measurement_id": visit,
            "person_id": person,
            "measurement_concept_id": chance.choice((3000963, 3004249)),
            "measurement_date": day,
            "value_as_number": chance.randrange(90, 160),
            "value_source_value": PRIVATE,
            # One in five refers to a visit that is not there.
            "visit_occurrence_id": 5000 + visit if visit % 5 else 1,
        }
    )


def write_rows(path: Path, rows: Rows) -> None:
    """Write rows as a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def read_rows(path: Path) -> Rows:
    """Read a CSV file, its columns in small letters."""
    with path.open(newline="", encoding="utf-8") as stream:
        return [{k.lower(): v for k, v in row.items()} for row in csv.DictReader(stream)]


def tables_of(folder: Path) -> dict[str, Rows]:
    """Read all tables of a folder."""
    return {path.stem.lower(): read_rows(path) for path in sorted(folder.glob("*.csv"))}


class Custodian:
    """Knowledge of the key's owner: the real people, and the number of days of each shift."""

    def __init__(self, key: Path, days: int) -> None:
        self.secret = bytes.fromhex(key.read_text().split()[-1])
        self.days = days

    def number(self, name: str, kind: str) -> str:
        """Give the new key of a row of a kind of thing."""
        own = hmac.digest(self.secret, kind.encode(), "sha256")
        return str(int(hmac.digest(own, name.encode(), "sha256").hex()[:15], 16))

    def moved(self, person: str) -> timedelta:
        """Give the days by which a person's dates are moved."""
        own = hmac.digest(self.secret, f"\0date shift {self.days} 1".encode(), "sha256")
        drawn = int.from_bytes(hmac.digest(own, person.encode(), "sha256"), "big")
        return timedelta(drawn % (2 * self.days + 1) - self.days)
