"""A label that few records have leaves in no form, also not in memory or in a database."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyreadstat
import pytest
from small_tables import write_csv

import roadstead as rs

NAME = "Dr. Jane Smith"


def _visits(folder: Path, few: int) -> Path:
    """Write records with a doctor, whom so few records have that the file shows the code."""
    doctors = [1.0 + at % 3 for at in range(120)] + [9.0] * few
    frame = pd.DataFrame({"sex": [1.0 + at % 2 for at in range(len(doctors))], "doctor": doctors})
    pyreadstat.write_sav(
        frame,
        str(folder / "visits.sav"),
        variable_value_labels={
            "sex": {1.0: "f", 2.0: "m"},
            "doctor": {1.0: "ward A", 2.0: "ward B", 3.0: "ward C", 9.0: NAME},
        },
    )
    return folder / "visits.sav"


@pytest.mark.quick(1)
@pytest.mark.parametrize("few", [2, 4])
def test_a_rare_label_is_a_code_in_memory_and_in_a_database(tmp_path: Path, few: int) -> None:
    """Fault class: the label was no objection, because a file shows the code, but it left."""
    found = rs.anonymize(_visits(tmp_path, few), quasi=["sex"], sensitive=["doctor"], k=5)
    texts = {
        "arrow": found.to_arrow()["doctor"].to_pylist(),
        "table": found.table().to_pyarrow()["doctor"].to_pylist(),
    }
    found.write(tmp_path / "out", into=f"duckdb://{tmp_path}/w.duckdb?table=visits")
    with rs.read(f"duckdb://{tmp_path}/w.duckdb?table=visits") as source:
        texts["database"] = source.table.to_pyarrow()["doctor"].to_pylist()
    for where, values in texts.items():
        assert NAME not in values, where
        assert sum(str(one).startswith("9") for one in values) == few, where
        assert "ward A" in values, where


def test_apply_accepts_the_labels_that_anonymize_accepts(tmp_path: Path) -> None:
    """Fault class: `apply` refused the table that the policy was made from."""
    table = _visits(tmp_path, 4)
    found = rs.anonymize(table, quasi=["sex"], sensitive=["doctor"], k=5)
    rs.apply(found.policy, table, out=tmp_path / "again")
    assert rs.verify(tmp_path / "again").passed


def test_a_quasi_identifier_of_a_pattern_stays_one(tmp_path: Path) -> None:
    """Fault class: a column released anyway was no longer one, and left unchanged."""
    rows = [(f"{'abc'[at % 3]} Street 1", "fm"[at % 2], str(at % 7)) for at in range(210)]
    table = write_csv(tmp_path / "t.csv", ("addr_name", "sex", "days"), rows)
    found = rs.anonymize(
        table, quasi=["addr*", "sex"], release_anyway=["addr_name"], unchanged=["days"], k=5
    )
    assert found.policy.quasi == ("addr_name", "sex")
    assert found.policy.columns.forced_quasi == ("addr_name",)


@pytest.mark.quick(1)
@pytest.mark.parametrize("person", [None, "who"])
def test_the_number_of_labels_left_out_is_that_of_the_file(
    tmp_path: Path, person: str | None
) -> None:
    """Of records or people, as the file counts them. Fault class: labels dropped in silence."""
    who = [float(at // 2) for at in range(240)]
    ward = [1.0 + one % 3 for one in who]
    ward[:4], ward[10:16] = [7.0] * 4, [8.0] * 6  # two people, and three people
    sex = [1.0 + one % 2 if one else 3.0 for one in who]  # the first person is masked
    frame = pd.DataFrame({"who": who, "sex": sex, "ward": ward})
    labels = {
        "sex": {1.0: "f", 2.0: "m", 3.0: "x"},
        "ward": dict(zip((1.0, 2.0, 3.0), "ABC", strict=True)),
    }
    labels["ward"] |= {7.0: "X", 8.0: "Y", 9.0: "Z"}
    pyreadstat.write_sav(frame, str(tmp_path / "v.sav"), variable_value_labels=labels)
    own = {"identifiers": ["who"]} if person is None else {"person": person}
    found = rs.anonymize(tmp_path / "v.sav", quasi=["sex"], unchanged=["ward"], k=5, **own)
    found.write(tmp_path / "out")
    _, notes = pyreadstat.read_sav(str(tmp_path / "out" / "v.sav"))
    left_out = sum(label.isdecimal() for label in notes.variable_value_labels["ward"].values())
    assert left_out == (1 if person is None else 2)
    said = f"leaves out {left_out} label{'s' * (left_out > 1)} of ward, and shows the code"
    (line,) = (one for one in found.noticed if "leaves out" in one)
    assert said in line
    assert "of sex" not in line
    assert ("people in the release" in line) == (person is not None)
