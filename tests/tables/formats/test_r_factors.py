"""Factors of R stay factors, with only the levels of the released records."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadr
import pytest

import roadstead as rs

STAGES = ["mild", "moderate", "severe", "Rosa Hapgood"]
GROUPS = ["18-29", "30-49", "50+"]


def trial(records: int = 240) -> pd.DataFrame:
    """A trial with factors, whose levels are not in the order of the alphabet.

    One level is a name that no record has, and one column has no value.
    """
    return pd.DataFrame(
        {
            "sex": pd.Categorical(["male", "female"] * (records // 2), ["male", "female"]),
            "age_group": pd.Categorical([GROUPS[at % 3] for at in range(records)], GROUPS),
            "stage": pd.Categorical([STAGES[at % 5 % 3] for at in range(records)], STAGES),
            "empty": pd.Categorical([None] * records, ["Rosa Hapgood"]),
            "visit": [f"2024-01-{1 + at % 28:02}" for at in range(records)],
            "arm": ["A" if at % 4 else "B" for at in range(records)],
        }
    )


@pytest.fixture(params=["trial.rds", "trial.RData"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The trial in a file of R."""
    made = tmp_path / str(request.param)
    if made.suffix == ".rds":
        pyreadr.write_rds(str(made), trial())
    else:
        pyreadr.write_rdata(str(made), trial(), df_name="trial")
    return made


def released(path: Path, folder: Path, **more: Any) -> pd.DataFrame:  # noqa: ANN401 - settings
    """Release the trial, and read the release as R has it."""
    rs.anonymize(
        path,
        quasi=["sex", "age_group"],
        sensitive=["stage"],
        unchanged=["empty", "arm"],
        identifiers=["visit"],
        k=5,
        **more,
    ).write(folder)
    assert rs.verify(folder).passed
    (table,) = pyreadr.read_r(str(folder / "trial.rds")).values()
    return table


@pytest.mark.quick(1)
def test_factors_stay_factors_in_their_order(path: Path, tmp_path: Path) -> None:
    """Fault class: a model in R had a text where it had a factor."""
    table = released(path, tmp_path / "out")
    assert [*table["sex"].cat.categories] == ["male", "female"]
    assert [*table["age_group"].cat.categories] == GROUPS
    assert [*table["stage"].cat.categories] == STAGES[:3]
    assert str(table["arm"].dtype) != "category"
    assert table["empty"].isna().all()
    counts = trial()["stage"].astype(str).value_counts().to_dict()
    assert table["stage"].astype(str).value_counts().to_dict() == counts


@pytest.mark.quick(1)
def test_a_level_that_no_released_record_has_does_not_leave(path: Path, tmp_path: Path) -> None:
    """A level may be the name of a person who was left out."""
    released(path, tmp_path / "out")
    assert b"Hapgood" not in gzip.decompress((tmp_path / "out" / "trial.rds").read_bytes())


@pytest.mark.quick(1)
def test_labels_of_generalized_values_are_new_levels(path: Path, tmp_path: Path) -> None:
    """The levels that remain come first."""
    spec = {"kind": "mapping", "groups": {"18-49": ["18-29", "30-49"], "50+": ["50+"]}}
    at_one = {"age_group": 1}
    table = released(
        path,
        tmp_path / "out",
        hierarchies={"age_group": spec},
        min_level=at_one,
        max_level=at_one,
    )
    assert [*table["age_group"].cat.categories] == ["50+", "18-49"]
