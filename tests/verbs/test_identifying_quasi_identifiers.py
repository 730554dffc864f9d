"""A quasi-identifier that shows a direct identifier is not released, unless the user lists it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from roadstead import anonymize, apply, frontier
from roadstead.errors import RoleError
from roadstead.hierarchies.hierarchy import from_columns

_NAMES = ("Maria Garcia", "James Smith", "Olga Johnson", "Peter Brown", "Ruth Miller", "Karen Lee")
_DOMAINS = ("mail.com", "web.org")


@pytest.fixture
def repeated() -> pd.DataFrame:
    """Return a table in which each person has forty rows, so that k does not hide the name."""
    made = np.random.default_rng(5)
    people = [i % 6 for i in range(40 * len(_NAMES))]
    return pd.DataFrame(
        {
            "pt": [_NAMES[i] for i in people],
            "email": [f"p{i}@{_DOMAINS[i % 2]}" for i in people],
            "zip": [made.choice(("77002", "78701")) for _ in people],
            "age": [made.choice(("30", "31")) for _ in people],
            "dx": [made.choice(("I10", "E11", "J44")) for _ in people],
        }
    )


def test_names_are_refused_in_every_recoding(repeated: pd.DataFrame) -> None:
    """Each person has k rows, so the search would release the name unchanged."""
    for recoding in ("global", "local"):
        with pytest.raises(RoleError, match="would show values") as refused:
            anonymize(repeated, quasi=["pt", "age"], sensitive=["dx"], k=5, recoding=recoding)
        assert [*refused.value.refused] == ["pt"]


def test_a_listed_column_is_released_with_a_warning(repeated: pd.DataFrame, tmp_path: Path) -> None:
    """The policy, the certificate, and the output record the decision and its reason."""
    found = anonymize(
        repeated,
        quasi=["pt", "email", "age"],
        sensitive=["dx"],
        release_anyway=["pt", "email"],
        reasons={"pt": "these are names of hospital wards"},
        out=tmp_path / "out",
    )
    assert "released anyway, although" in str(found)
    certificate = json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert {one["column"]: one["forced"] for one in certificate["identifiers"]} == {
        "pt": True,
        "email": True,
    }
    columns = certificate["policy"]["columns"]
    assert columns["forced_quasi"] == ["pt", "email"]
    assert columns["reasons"] == {"pt": "these are names of hospital wards"}
    assert "these are names of hospital wards" in (tmp_path / "out" / "report.html").read_text()
    apply(tmp_path / "out" / "policy.json", repeated)  # the policy records the decision


def test_a_policy_is_not_applied_to_names(repeated: pd.DataFrame, tmp_path: Path) -> None:
    """A later table can have names in a column that had categories."""
    wards = repeated.assign(pt=[f"ward {i % 6}" for i in range(len(repeated))])
    anonymize(wards, quasi=["pt", "age"], sensitive=["dx"], out=tmp_path / "out")
    policy = tmp_path / "out" / "policy.json"
    with pytest.raises(RoleError, match="would show values") as refused:
        apply(policy, repeated, unseen="suppress")
    assert "anonymize the table again, or release it anyway" in str(refused.value.fix)
    apply(policy, repeated, unseen="suppress", release_anyway=["pt"])


def test_a_release_of_a_frontier_is_refused(repeated: pd.DataFrame, tmp_path: Path) -> None:
    """Labels such as ``James Smith .. Karen Lee`` show two names."""
    frontier(repeated, quasi=["pt", "age"])
    with pytest.raises(RoleError, match="would show values"):
        frontier(repeated, quasi=["pt", "age"], choose=2, out=tmp_path / "out")


def test_coarser_labels_and_other_columns_are_released(repeated: pd.DataFrame) -> None:
    """A domain of email addresses shows nobody, and ZIP codes and ages are not identifiers."""
    addresses = repeated["email"].unique()
    domains = [one.partition("@")[2] for one in addresses]
    hierarchy = from_columns(
        "email", [[*addresses], domains, ["*"] * len(domains)], origin="columns"
    )
    anonymize(
        repeated,
        quasi=["email", "zip", "age"],
        sensitive=["dx"],
        hierarchies={"email": hierarchy},
        min_level={"email": 1},
    )


def test_suppressed_names_are_not_refused(repeated: pd.DataFrame) -> None:
    """If every name is different, the search removes the column."""
    single = repeated.assign(pt=[f"Maria Garcia{i} Lopez" for i in range(len(repeated))])
    found = anonymize(single, quasi=["pt", "age"], sensitive=["dx"])
    assert found.policy.words["pt"] == "removed"


_HEALTH = ("Good", "Asked Mrs. Ilse Brandt", "Bad")


@pytest.mark.parametrize("file", ["survey.sav", "survey.dta", "survey.csv"])
def test_one_category_that_contains_a_name_is_refused(file: str, tmp_path: Path) -> None:
    """The label of a code, or a value, of many records can name a person."""
    made = np.random.default_rng(1)
    codes = made.integers(1, 4, 300)
    survey = pd.DataFrame({"age": made.integers(30, 33, 300), "health": codes, "score": codes % 2})
    path = tmp_path / file
    labels: dict[str, dict[int | float, str]] = {"health": dict(enumerate(_HEALTH, 1))}
    if path.suffix == ".csv":
        survey.assign(health=[_HEALTH[code - 1] for code in codes]).to_csv(path, index=False)
    else:
        write = pyreadstat.write_sav if path.suffix == ".sav" else pyreadstat.write_dta
        write(survey, path, variable_value_labels=labels)
    known: dict[str, Any] = {"quasi": ["age", "health"], "sensitive": ["score"], "k": 5}
    with pytest.raises(RoleError, match="would show values") as refused:
        anonymize(path, **known, out=tmp_path / "out")
    assert [*refused.value.refused] == ["health"]
    found = anonymize(path, **known, release_anyway=["health"], out=tmp_path / "out")
    assert "released anyway, although" in str(found)
    levels = [[*_HEALTH], ["well", "not well", "not well"], ["*"] * len(_HEALTH)]
    grouped = from_columns("health", levels, origin="columns")
    anonymize(path, **known, hierarchies={"health": grouped}, min_level={"health": 1})


def test_honest_categories_are_not_refused() -> None:
    """Words of a survey and names of places can look like names of people."""
    labels = ("St. Mary", "Don't know", "May", "Single mother", "Lives with father", "Santa Rosa")
    made = np.random.default_rng(2)
    survey = pd.DataFrame({"label": made.choice(labels, 600), "score": made.integers(0, 2, 600)})
    anonymize(survey, quasi=["label"], sensitive=["score"], k=5)


@pytest.mark.parametrize("names", [("Karl Neumann", "Ilse Brandt"), _NAMES[:3]])
def test_a_few_interviewers_are_people(names: tuple[str, ...], repeated: pd.DataFrame) -> None:
    """Few names in many records are categories, unless the column is named like people."""
    table = repeated.assign(interviewer=[names[i % len(names)] for i in range(len(repeated))])
    with pytest.raises(RoleError, match="names of people"):
        anonymize(table, quasi=["age"], unchanged=["interviewer"])
