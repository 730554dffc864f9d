"""Forty hospital columns that an honest analyst requests, and why two may raise an objection.

The quasi-identifiers are the sex, the age, and the year of admission. Many columns depend on them
or on one another, as in real data: weight and height, both blood pressures, creatinine and eGFR.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, Final

from revealing_tables import Row

QUASI: Final = ("sex", "age", "admission_year")

_ICD = [f"{letter}{at:02}.{end}" for letter in "CEFIJKMN" for at in range(30) for end in range(4)]
_ATC = [
    f"{one}{at:02}A{two}{end:02}"
    for one in "ABCJN"
    for at in (3, 5)
    for two in "AB"
    for end in range(1, 8)
]
_DRUGS = ["metformin", "Aspirin 81 mg", "atorvastatin", "heparin", "amoxicillin/clavulanate"]
_DRUGS += ["insulin glargine", "Tylenol", "vancomycin", "furosemide 40 mg", "Coumadin"]
_WARDS = ["Medicine A", "Medicine B", "Surgery", "Cardiology", "ICU", "Oncology", "Neurology 2"]
_ORGANISMS = [
    "Escherichia coli",
    "Staphylococcus aureus",
    "Klebsiella pneumoniae",
    "none",
    "Candida albicans",
]
_PROCEDURES = [
    "Hip Replacement",
    "Coronary Angiography",
    "Appendectomy",
    "Cesarean Section",
    "none",
]


def _zipf(chance: random.Random, values: Sequence[Any]) -> Any:  # noqa: ANN401 - any cell
    """Draw a category: few are frequent, many rare."""
    weights = [1 / (at + 1) ** 1.2 for at in range(len(values))]
    return chance.choices(values, weights)[0]


def _creatinine(r: random.Random, row: Row) -> float:
    return round(max(0.3, r.lognormvariate(0.0, 0.35) * (1.1 if row["sex"] == "M" else 0.9)), 2)


def _egfr(r: random.Random, row: Row) -> int:
    """By the formula of 2021, with what a laboratory rounds."""
    del r
    low, power = (0.7, -0.241) if row["sex"] == "F" else (0.9, -0.302)
    ratio = row["creatinine"] / low
    factor = 1.012 if row["sex"] == "F" else 1.0
    rate: float = (
        142 * min(ratio, 1) ** power * max(ratio, 1) ** -1.2 * 0.9938 ** row["age"] * factor
    )
    return round(rate)


COLUMNS: Final[dict[str, Callable[[random.Random, Row], Any]]] = {
    "weight_kg": lambda r, row: round(r.gauss(84 if row["sex"] == "M" else 70, 14), 1),
    "height_cm": lambda r, row: round(r.gauss(177 if row["sex"] == "M" else 163, 7)),
    "bmi": lambda _, row: round(row["weight_kg"] / (row["height_cm"] / 100) ** 2, 1),
    "systolic": lambda r, row: round(r.gauss(108 + row["age"] / 3, 15)),
    "diastolic": lambda r, row: round(row["systolic"] * 0.5 + r.gauss(14, 6)),
    "heart_rate": lambda r, _: round(r.gauss(78, 13)),
    "temperature": lambda r, _: round(r.gauss(36.9, 0.6), 1),
    "spo2": lambda r, _: min(100, round(r.gauss(96, 2))),
    "creatinine": _creatinine,
    "egfr": _egfr,
    "sodium": lambda r, _: round(r.gauss(139, 4)),
    "potassium": lambda r, _: round(r.gauss(4.2, 0.5), 1),
    "hemoglobin": lambda r, row: round(r.gauss(14.5 if row["sex"] == "M" else 12.9, 1.6), 1),
    "hematocrit": lambda r, row: round(row["hemoglobin"] * 3 + r.gauss(0, 0.8), 1),
    "platelets": lambda r, _: round(r.gauss(250, 65)) * 1_000,
    "wbc": lambda r, _: round(r.lognormvariate(2.1, 0.4), 1),
    "glucose": lambda r, _: round(r.lognormvariate(4.75, 0.3)),
    "hba1c": lambda r, row: round(4 + row["glucose"] / 60 + r.gauss(0, 0.3), 1),
    "ldl": lambda r, _: round(r.gauss(115, 35)) if r.random() < 0.6 else None,
    "crp": lambda r, _: "<0.3" if r.random() < 0.3 else f"{r.lognormvariate(1, 1.2):.1f}",
    "troponin": lambda r, _: round(r.lognormvariate(-4, 1.4), 3),
    "bnp": lambda r, row: round(r.lognormvariate(4 + row["age"] / 60, 1)),
    "ejection_fraction": lambda r, _: min(75, 5 * round(r.gauss(55, 11) / 5)),
    "diagnosis": lambda r, _: _zipf(r, _ICD),
    "secondary_diagnosis": lambda r, _: _zipf(r, ["", *_ICD]),
    "drug_code": lambda r, _: _zipf(r, _ATC),
    "drug_name": lambda r, _: _zipf(r, _DRUGS),
    "dose_unit": lambda r, _: _zipf(r, ["mg", "ug/kg/min", "IU", "mL"]),
    "organism": lambda r, _: _zipf(r, _ORGANISMS),
    "procedure_name": lambda r, _: _zipf(r, _PROCEDURES),
    "apache_score": lambda r, row: max(0, round(r.gauss(8 + row["age"] / 8, 6))),
    "charlson": lambda r, row: max(0, int(row["age"] / 25) + int(r.expovariate(0.7))),
    "pain": lambda r, _: min(10, int(r.expovariate(0.4))),
    "nyha_class": lambda r, _: _zipf(r, ["I", "II", "III", "IV"]),
    "length_of_stay": lambda r, _: min(90, int(r.expovariate(0.2)) + 1),
    "icu_hours": lambda r, _: round(r.expovariate(0.02), 1) if r.random() < 0.3 else 0,
    "ward": lambda r, row: "Geriatrics" if row["age"] > 80 else _zipf(r, _WARDS),
    "readmitted": lambda r, _: r.choice(["yes", "no", "no", "no"]),
    "smoker": lambda r, _: _zipf(r, ["never", "former", "current", "unknown"]),
    "discharged_to": lambda r, _: _zipf(r, ["home", "home health", "nursing facility", "died"]),
    "charges": lambda r, row: round(row["length_of_stay"] * r.lognormvariate(7.5, 0.5), 2),
}
"""Each by how it is made, from the columns before it."""
SENSITIVE: Final = ("diagnosis", "secondary_diagnosis", "discharged_to", "charges")


def hospital(records: int, seed: int) -> list[Row]:
    """Make records of the quasi-identifiers and the honest columns."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    rows = []
    for _ in range(records):
        row: Row = {
            "sex": chance.choice("FM"),
            "age": min(89, max(18, round(chance.gauss(62, 17)))),
            "admission_year": chance.randint(2012, 2019),
        }
        for name, value in COLUMNS.items():
            row[name] = value(chance, row)
        rows.append(row)
    return rows
