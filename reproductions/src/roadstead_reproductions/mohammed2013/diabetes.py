"""The diabetes data set, which replaces MIMIC-II, and the public facts about it.

The data set has 101,766 encounters of diabetic patients in 130 hospitals (Clore, Cios, DeShazo, and
Strack 2014). Each encounter has up to three ICD-9 codes, which form one set. Ranges and categories
come from the documentation. We chose the groups by the meaning of the words.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

import numpy as np

from roadstead.differential.domains import CategoricalDomain, Domain, NumericDomain, SetDomain
from roadstead.differential.private_table import PrivateTable, within
from roadstead.hierarchies.icd import icd9cm
from roadstead.hierarchies.taxonomy import from_branches, with_fanout
from roadstead.tables.frequency import summarize
from roadstead.tables.item_sets import ItemColumns, with_item_sets
from roadstead.tables.reading import read
from roadstead_reproductions.datasets import data_set
from roadstead_reproductions.mohammed2013.public_facts import public_facts

FANOUT: Final = 4
DIAGNOSES: Final = "diagnoses"
READMITTED: Final = "readmitted"
WHEN: Final = ("NO", "<30", ">30")
"""The classes: not readmitted, readmitted within 30 days, and readmitted later."""
PROCEDURES: Final = "num_procedures"
HOW_MANY: Final = tuple(str(number) for number in range(11))
"""The possible numbers of procedures in a stay, excluding laboratory tests."""

_CODES: Final = ("diag_1", "diag_2", "diag_3")
RANGES, GROUPS = public_facts("diabetes")


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
