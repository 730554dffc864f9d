"""The demonstration of MIMIC-III and the public facts about it, for a small check.

Paper 002 uses 36,000 admissions of MIMIC-II with the same attributes. The public demonstration has
129 admissions of 100 patients. Diagnoses are in a second table. The categories come from MIMIC's
documentation. We chose the groups.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final

from roadstead.differential.domains import CategoricalDomain, Domain, SetDomain
from roadstead.differential.private_table import PrivateTable, within
from roadstead.errors import SourceError
from roadstead.hierarchies.icd import icd9cm
from roadstead.hierarchies.taxonomy import from_branches, with_fanout
from roadstead.tables.frequency import summarize
from roadstead.tables.item_sets import ItemTable, with_item_sets
from roadstead.tables.reading import read
from roadstead_reproductions.datasets import data_set
from roadstead_reproductions.mohammed2013.diabetes import DIAGNOSES, FANOUT
from roadstead_reproductions.mohammed2013.public_facts import public_facts

TARGET: Final = "hospital_expire_flag"
CLASSES: Final = ("0", "1")
"""The classes: left the hospital alive, and died in the hospital."""

_ADMISSION: Final = "hadm_id"
_PATIENT: Final = "subject_id"
_NOT_TOLD: Final = "NOT TOLD"
_, _GROUPS = public_facts("mimic")


def mimic() -> PrivateTable:
    """Read the admissions with the gender and the diagnoses of their patients.

    The function raises a SourceError if files are missing.
    """
    folder = data_set("mimic3_demo")
    genders = {row[_PATIENT]: row["gender"] for row in _rows(folder / "PATIENTS.csv")}
    admissions = [
        {**row, "gender": genders[row[_PATIENT]]} for row in _rows(folder / "ADMISSIONS.csv")
    ]
    columns = {
        name: [row[name] or _NOT_TOLD for row in admissions]
        for name in (_ADMISSION, *_GROUPS, TARGET)
    }
    codes = read(folder / "DIAGNOSES_ICD.csv")
    sets = ItemTable(DIAGNOSES, codes, key=_ADMISSION, own_key=_ADMISSION, code="icd9_code")
    with codes, read(columns, name="admissions") as source:
        table = summarize(with_item_sets(source, [sets]), [*_GROUPS, DIAGNOSES, TARGET])
    return within(table, mimic_domains(), TARGET, CLASSES)


def mimic_domains() -> tuple[Domain, ...]:
    """Return the domains of the attributes."""
    categories: list[Domain] = [
        CategoricalDomain(from_branches(name, "*", groups, origin=f"the groups of {name!r}"))
        for name, groups in _GROUPS.items()
    ]
    return (*categories, SetDomain(with_fanout(icd9cm(DIAGNOSES), FANOUT)))


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.is_file():
        raise SourceError(
            "the file does not exist",
            where=f"mimic3_demo/{path.name}",
            fix="get the MIMIC-III demo",
        )
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))
