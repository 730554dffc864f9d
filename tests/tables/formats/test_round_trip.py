"""A table is the same from every format, and its release is the same for every other reader."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from commands import run
from program_files import FILES, LONG_NAME, PACKAGES, SHORT, people, read_by_others, write

import roadstead as rs
from roadstead.errors import SourceError
from roadstead.tables.reading import read

QUASI = ["sex", "age", "region"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same people in every format."""
    made = tmp_path_factory.mktemp("formats")
    for name in (*FILES, "people.csv"):
        write(people(), made / name)
    return made


def long_name(file: str) -> str:
    """Return the name of the column with the longest name that the format can have."""
    return LONG_NAME[:32] if file in SHORT else LONG_NAME


def days_of(frame: pd.DataFrame) -> list[dt.date]:
    """Return the days of the visits."""
    return [*pd.to_datetime(frame["visit"]).dt.date]


@pytest.mark.quick(2)
@pytest.mark.parametrize("file", FILES)
def test_the_policy_and_the_figures_do_not_depend_on_the_format(folder: Path, file: str) -> None:
    """Labels take the place of codes, so the policy is that of the text file."""
    expected = rs.anonymize(folder / "people.csv", quasi=QUASI, k=3).to_dict()
    found = rs.anonymize(folder / file, quasi=QUASI, k=3).to_dict()
    for key in ("loss", "loss_by_attribute", "suppressed", "records", "risk", "levels"):
        assert found.get(key) == expected.get(key), key


@pytest.mark.quick(2)
@pytest.mark.parametrize("file", FILES)
def test_what_is_released_unchanged_is_equal_for_another_reader(
    folder: Path, file: str, tmp_path: Path
) -> None:
    """Dates, numbers to the last bit, texts that look like formulas, and missing values."""
    roles = ["--quasi", "sex,region", "--sensitive", "diagnosis", "--k", "3"]
    kept = ["--unchanged", f"age,dose,nothing,{long_name(file)}", "--release-anyway", "visit"]
    out = tmp_path / "out"
    ran = run("anonymize", str(folder / file), *roles, *kept, "--out", str(out))
    assert ran.code == 0, ran.error
    assert run("verify", str(out)).code == 0
    table = next(path for path in out.iterdir() if path.suffix not in (".json", ".html"))
    released = read_by_others(table)
    original = read_by_others(folder / file)
    suppressed = released["sex"].astype(str) == "*"
    for name in ("dose", "age"):
        assert sorted(released[name].dropna()) == sorted(original[name].dropna()), name
    for name in ("diagnosis", long_name(file)):
        texts = released[name].replace("", None).dropna()
        assert sorted(texts) == sorted(original[name].replace("", None).dropna()), name
    assert sorted(days_of(released)) == sorted(days_of(original)) == sorted(people()["visit"])
    assert len(set(original["dose"])) > len(people()) / 2
    assert released["nothing"].replace("", None).isna().all()
    visible = released.loc[~suppressed, ["sex", "region"]].drop_duplicates()
    assert set(visible["sex"]) <= {"male", "female"}
    assert set(visible["region"]) <= {"North", "South", "Été", "refused"}


@pytest.mark.quick(1)
@pytest.mark.parametrize("file", PACKAGES[:3])
def test_the_codes_of_a_release_are_those_of_the_source(
    folder: Path, file: str, tmp_path: Path
) -> None:
    """A known label has its code again; a declared missing code is still declared missing."""
    out = tmp_path / "out"
    found = rs.anonymize(folder / file, quasi=QUASI, sensitive=["diagnosis"], k=3)
    found.write(out)
    table = next(path for path in out.iterdir() if path.suffix in (".sav", ".dta"))
    reader = pyreadstat.read_dta if table.suffix == ".dta" else pyreadstat.read_sav
    _, notes = reader(str(table), user_missing=True)
    labels = {text: code for code, text in notes.variable_value_labels["region"].items()}
    assert (labels["North"], labels["South"]) == (1, 2)
    refused = labels["refused"]
    assert refused == ("a" if table.suffix == ".dta" else 9)
    if table.suffix == ".sav":
        assert notes.missing_ranges["region"] == [{"lo": 9.0, "hi": 9.0}]
        assert notes.column_names_to_labels["sex"] == "Sex at birth"


@pytest.mark.nightly
def test_codes_that_are_texts_have_labels_too(tmp_path: Path) -> None:
    """Fault class: SPSS has labels of texts; the hierarchy and the report had bare codes."""
    frame = people(120)[["age"]].assign(
        sex=["f", "m", "x"] * 40, town=["LIS", "POR", "FAR", "BRA"] * 29 + ["ZZ"] + ["FAR"] * 3
    )
    labels: dict[str, dict[Any, str]] = {
        "sex": {"f": "female", "m": "male", "x": "refused"},
        "town": {"LIS": "Lisbon", "POR": "Porto", "FAR": "Faro", "BRA": "Braga", "ZZ": "Zebedee"},
    }
    missing: dict[str, list[Any]] = {"sex": ["x"]}
    pyreadstat.write_sav(
        frame, str(tmp_path / "t.sav"), variable_value_labels=labels, missing_ranges=missing
    )
    with rs.read(tmp_path / "t.sav") as source:
        found = source.table.to_pyarrow().to_pydict()
    for name, texts in labels.items():
        assert found[name] == [texts[code] for code in frame[name]]
    rs.anonymize(tmp_path / "t.sav", quasi=["sex", "age"], unchanged=["town"], k=5).write(
        tmp_path / "out"
    )
    released, notes = pyreadstat.read_sav(str(tmp_path / "out" / "t.sav"), user_missing=True)
    assert sorted(released["town"]) == sorted(frame["town"])
    told: Any = notes.variable_value_labels
    assert told["town"] == {**labels["town"], "ZZ": "ZZ"}
    assert rs.verify(tmp_path / "out").passed


def test_an_arrow_file_may_have_a_missing_value_in_a_dictionary(tmp_path: Path) -> None:
    """Arrow cannot write such a column to Parquet, where rows are kept while they are read."""
    values = pa.array(["a", None, "b"])
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None], pa.int8()), values)
    table = pa.table({"coded": column, "day": [1, 2, 3, 4]})
    with pa.ipc.new_file(tmp_path / "coded.arrow", table.schema) as writer:
        writer.write_table(table)
    with read(tmp_path / "coded.arrow") as source:
        found = source.table.to_pyarrow().to_pydict()
    assert found == {"coded": ["a", None, "b", None], "day": [1, 2, 3, 4]}


def test_an_arrow_file_with_lists_in_a_dictionary_is_refused(tmp_path: Path) -> None:
    """Arrow cannot write such a column to Parquet, whether or not a value is missing."""
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array([["a"], ["b", "c"]]))
    table = pa.table({"coded": column})
    with pa.ipc.new_file(tmp_path / "coded.arrow", table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(SourceError, match="contains a dictionary of lists or records"):
        read(tmp_path / "coded.arrow")
