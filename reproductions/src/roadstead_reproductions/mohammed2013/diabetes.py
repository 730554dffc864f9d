"""The diabetes data set, which replaces MIMIC-II, and the public facts about it.

The data set has 101,766 encounters of diabetic patients in 130 hospitals (Clore, Cios, DeShazo, and
Strack 2014). Each encounter has up to three ICD-9 codes, which form one set. Ranges and categories
come from the documentation. We chose the groups by the meaning of the words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

import numpy as np

from roadstead.differential.domains import CategoricalDomain, Domain, NumericDomain, SetDomain
from roadstead.differential.private_table import PrivateTable, within
from roadstead.hierarchies.icd import icd9cm
from roadstead.hierarchies.taxonomy import Branch, from_branches, with_fanout
from roadstead.tables.frequency import summarize
from roadstead.tables.item_sets import ItemColumns, with_item_sets
from roadstead.tables.reading import read
from roadstead_reproductions.datasets import data_set

FANOUT: Final = 4
DIAGNOSES: Final = "diagnoses"
READMITTED: Final = "readmitted"
WHEN: Final = ("NO", "<30", ">30")
"""The classes: not readmitted, readmitted within 30 days, and readmitted later."""
PROCEDURES: Final = "num_procedures"
HOW_MANY: Final = tuple(str(number) for number in range(11))
"""The possible numbers of procedures in a stay, excluding laboratory tests."""

_CODES: Final = ("diag_1", "diag_2", "diag_3")
RANGES: Final[Mapping[str, tuple[int, int]]] = {
    "time_in_hospital": (1, 14),
    "num_lab_procedures": (0, 150),
    "num_procedures": (0, 10),
    "num_medications": (0, 100),
    "number_outpatient": (0, 50),
    "number_emergency": (0, 100),
    "number_inpatient": (0, 30),
    "number_diagnoses": (1, 20),
}
GROUPS: Final[Mapping[str, Branch]] = {
    "race": ("AfricanAmerican", "Asian", "Caucasian", "Hispanic", "Other", "?"),
    "gender": ("Female", "Male", "Unknown/Invalid"),
    "age": {
        "below 40": ("[0-10)", "[10-20)", "[20-30)", "[30-40)"),
        "40 to 69": ("[40-50)", "[50-60)", "[60-70)"),
        "70 and above": ("[70-80)", "[80-90)", "[90-100)"),
    },
    "admission_type_id": {
        "not planned": ("1", "2", "7"),
        "planned or newborn": ("3", "4"),
        "not reported": ("5", "6", "8"),
    },
    "admission_source_id": {
        "referral": ("1", "2", "3"),
        "emergency room or court": ("7", "8"),
        "from another institution": ("4", "5", "6", "10", "18", "19", "22", "25", "26"),
        "birth": ("11", "12", "13", "14", "23", "24"),
        "not reported": ("9", "15", "17", "20", "21"),
    },
}
"""The categories. Numbers of admissions are codes from the data set's code list."""


@dataclass(frozen=True)
class Encounters:
    """The encounters, with two prediction tasks.

    In `readmitted`, the table has all attributes, and the class states whether and when the patient
    came back. In `procedures`, the table has only categories and diagnoses, as in MIMIC-II, and the
    class is the number of procedures.
    """

    readmitted: PrivateTable
    procedures: PrivateTable


def diabetes() -> Encounters:
    """Read the encounters, or raise a SourceError if files are missing."""
    path = data_set("diabetes130") / "diabetic_data.csv.gz"
    with read(path) as source:
        with_sets = with_item_sets(source, [ItemColumns(DIAGNOSES, _CODES)])
        table = summarize(with_sets, [*RANGES, *GROUPS, DIAGNOSES, READMITTED])
    numbers: list[Domain] = [
        NumericDomain(name, Decimal(low), Decimal(high)) for name, (low, high) in RANGES.items()
    ]
    categories: list[Domain] = [
        CategoricalDomain(from_branches(name, "*", groups, origin=f"the groups of {name!r}"))
        for name, groups in GROUPS.items()
    ]
    both = (*categories, SetDomain(with_fanout(icd9cm(DIAGNOSES), FANOUT)))
    return Encounters(
        within(table, [*numbers, *both], READMITTED, WHEN),
        within(table, both, PROCEDURES, HOW_MANY),
    )


def told_apart(table: PrivateTable, positive: tuple[str, ...]) -> PrivateTable:
    """Merge the classes into two, such that all `positive` classes become the second class."""
    places = np.array([label in positive for label in table.classes], dtype=np.int32)
    rest = " or ".join(label for label in table.classes if label not in positive)
    classes = (rest, " or ".join(positive))
    return replace(table, classes=classes, target=places[table.target])
