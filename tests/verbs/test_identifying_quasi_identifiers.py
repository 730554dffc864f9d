"""A quasi-identifier that shows a direct identifier is not released, unless the user lists it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
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
