"""A table is the same from every format, and its release is the same for every other reader."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pandas as pd
import pytest
from commands import run
from program_files import FILES, LONG_NAME, PACKAGES, SHORT, people, read_by_others, write

import roadstead as rs

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


@pytest.mark.parametrize("file", FILES)
def test_the_policy_and_the_figures_do_not_depend_on_the_format(folder: Path, file: str) -> None:
    """Labels take the place of codes, so the policy is that of the text file."""
    expected = rs.anonymize(folder / "people.csv", quasi=QUASI, k=3).to_dict()
    found = rs.anonymize(folder / file, quasi=QUASI, k=3).to_dict()
    for key in ("loss", "loss_by_attribute", "suppressed", "records", "risk", "levels"):
        assert found.get(key) == expected.get(key), key


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


@pytest.mark.parametrize("file", PACKAGES[:3])
def test_the_codes_of_a_release_are_those_of_the_source(
    folder: Path, file: str, tmp_path: Path
) -> None:
    """A known label has its code again; a declared missing code is still declared missing."""
    import pyreadstat  # noqa: PLC0415 - here only

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


@pytest.mark.parametrize("file", FILES)
def test_two_releases_of_the_same_table_have_the_same_bytes(
    folder: Path, file: str, tmp_path: Path
) -> None:
    """No time, no path, and no random name is in a file."""
    sums = []
    for name in ("one", "two"):
        found = rs.anonymize(folder / file, quasi=QUASI, sensitive=["diagnosis"], k=3)
        found.write(tmp_path / name)
        certificate = json.loads((tmp_path / name / "certificate.json").read_text("utf-8"))
        sums.append(certificate["table"])
    assert sums[0] == sums[1]
