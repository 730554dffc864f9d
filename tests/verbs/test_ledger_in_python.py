"""The ledger for results in Python: which settings it needs, and what results say about it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from commands import run

import roadstead as rs
from roadstead.errors import Refusal, SettingError
from roadstead.release.ledger.folder import read_entries

TABLE = pd.DataFrame({"ward": ["A", "B"] * 60, "age": [30, 30, 40, 40] * 30})


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """Begin a ledger."""
    (tmp_path / "ledger").mkdir()
    return tmp_path / "ledger"


def synthesized(**more: Any) -> Any:  # noqa: ANN401 - fields, and a result
    """Release the counts of the wards."""
    return rs.synthesize(
        TABLE, epsilon="1/2", purpose="everything", values={"ward": ["A", "B"]}, **more
    )


def test_a_private_release_is_never_drawn_outside_its_ledger(ledger: Path) -> None:
    """The result could be written later, and the ledger would not have its epsilon."""
    with pytest.raises(SettingError, match="no output folder is given"):
        synthesized(ledger=ledger)


@pytest.mark.parametrize(
    "more", [{"ledger_epsilon": 1}, {"ledger_people": "north"}, {"ledger_warn": True}]
)
def test_settings_of_a_ledger_need_one(more: dict[str, Any], tmp_path: Path) -> None:
    """A budget without a ledger would have no effect."""
    with pytest.raises(SettingError, match="requires a ledger"):
        synthesized(**more)
    with pytest.raises(SettingError, match="requires a ledger"):
        synthesized(out=tmp_path / "out", **more)
    assert not (tmp_path / "out").exists()


def test_a_command_with_a_budget_needs_a_ledger(tmp_path: Path) -> None:
    """The command is checked like the function."""
    TABLE.to_csv(tmp_path / "data.csv", index=False)
    asked = ("--epsilon", "1", "--for", "everything", "--values", "ward=A,B")
    done = run("synthesize", str(tmp_path / "data.csv"), *asked, "--ledger-epsilon", "1")
    assert done.code == 2
    assert "--ledger-epsilon: this setting requires a ledger; add --ledger DIR" in done.err


def test_a_private_result_is_written_with_a_ledger(ledger: Path, tmp_path: Path) -> None:
    """Its epsilon is added to those in the ledger, and nothing is written above the budget."""
    found = synthesized()
    assert found.write(tmp_path / "one", ledger=ledger, ledger_epsilon="0.6").passed
    with pytest.raises(Refusal, match="epsilon would be 1, but the budget is 3/5"):
        found.write(tmp_path / "two", ledger=ledger)
    assert not (tmp_path / "two").exists()
    found.write(tmp_path / "two", ledger=ledger, ledger_warn=True)
    assert "more than the budget" in (tmp_path / "two/report.html").read_text("utf-8")
    assert [one.epsilon for one in read_entries(ledger)] == ["1/2", "1/2"]
    with pytest.raises(SettingError, match="recipients would get the ledger"):
        found.write(tmp_path / "in", ledger=tmp_path / "in" / "ledger")
    with pytest.raises(SettingError, match="requires a ledger"):
        found.write(tmp_path / "none", ledger_epsilon=1)


def test_a_renamed_column_is_not_compared_and_the_release_warns(
    ledger: Path, tmp_path: Path
) -> None:
    """A release under another name of a column is a release that the ledger cannot compare."""
    asked: dict[str, Any] = {"k": 5, "ledger": ledger}
    rs.anonymize(TABLE, quasi=["ward", "age"], out=tmp_path / "one", **asked)
    TABLE.rename(columns={"age": "alter"}).to_csv(tmp_path / "renamed.csv", index=False)
    done = run(
        *("anonymize", str(tmp_path / "renamed.csv"), "--quasi", "ward,alter", "--k", "5"),
        *("--out", str(tmp_path / "two"), "--ledger", str(ledger)),
    )
    warning = "Warning: this release was compared with only 0 of 1 earlier releases in the ledger."
    assert warning in done.out
    assert "if a column was renamed, use its earlier name" in done.out
    assert warning in (tmp_path / "two/report.html").read_text("utf-8")
    verified = run("verify", str(tmp_path / "two"), "--json").json["earlier_releases"]
    assert verified["compared"] == {"same_policy": 0, "other_policy": 0, "same_table": 0}
    assert [one["why"] for one in verified["not_compared"]] == ["columns"]
    assert warning.removeprefix("Warning: ") in run("verify", str(tmp_path / "two")).out
    (tmp_path / "gate.toml").write_text("[promise]\nk = 5\n", "utf-8")
    gate = rs.gate(tmp_path / "two", rules=tmp_path / "gate.toml")
    assert "cannot be judged: 1 of 1 earlier releases were not compared" in gate.rules[1].detail


def test_a_result_shows_the_comparison_after_it_was_written(ledger: Path, tmp_path: Path) -> None:
    """In its text and in its document, as the command prints them."""
    asked: dict[str, Any] = {"quasi": ["ward", "age"], "k": 5}
    one = rs.anonymize(TABLE, **asked, out=tmp_path / "one", ledger=ledger)
    assert "No earlier release was compared: the ledger is new." in str(one)
    two = rs.apply(tmp_path / "one/policy.json", TABLE)
    assert "earlier_releases" not in two.to_dict()
    assert "was not compared with earlier releases" in str(two)
    two.write(tmp_path / "two", ledger=ledger)
    assert "This release was compared with 1 earlier release in the ledger." in str(two)
    assert "was not compared with earlier releases" not in str(two)
    assert "This release was compared with 1 earlier release" in two._repr_html_()
    assert two.to_dict()["earlier_releases"]["compared"]["same_policy"] == 1
    private = synthesized()
    private.write(tmp_path / "three", ledger=ledger)
    assert "The first private release of these people spends an epsilon of 1/2." in str(private)
    two.write(tmp_path / "without")  # fault class: the comparison of the other writing was printed
    private.write(tmp_path / "private")
    assert "Compared with" not in str(two)
    assert "earlier_releases" not in two.to_dict()
    assert "The first private release" not in str(private)


def test_names_of_people_differ_by_more_than_case_and_spaces(ledger: Path, tmp_path: Path) -> None:
    """Otherwise a name with a blank would begin a new budget; a similar name is pointed out."""
    asked: dict[str, Any] = {"ledger": ledger, "ledger_epsilon": "0.6"}
    synthesized(**asked, ledger_people="North Ward", out=tmp_path / "one")
    for at, people in enumerate((" North Ward ", "north ward", "North  Ward")):
        with pytest.raises(Refusal, match="epsilon would be 1"):
            synthesized(ledger=ledger, ledger_people=people, out=tmp_path / f"more-{at}")
    new = synthesized(ledger=ledger, ledger_people=" North Wart", out=tmp_path / "new")
    assert "Warning: no earlier release was compared" in str(new)
    assert "Did you mean 'North Ward'?" in str(new)
    assert [one.people for one in read_entries(ledger)] == ["North Ward", "North Wart"]
    other = synthesized(ledger=ledger, ledger_people="2025-01", out=tmp_path / "other")
    next_one = synthesized(ledger=ledger, ledger_people="2025-02", out=tmp_path / "next")
    assert "Did you mean" not in str(other)
    assert "Did you mean" not in str(next_one)
