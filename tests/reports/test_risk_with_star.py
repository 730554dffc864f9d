"""The risk of the records whose quasi-identifiers are replaced with ``*`` is stated, too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from commands import run

import roadstead as rs
from roadstead.jobs import SILENT
from roadstead.mcp_server.answers import VerifyArguments
from roadstead.mcp_server.tables import Allowed
from roadstead.mcp_server.tools import verify
from roadstead.places import Places
from roadstead.release.kind import release_of
from roadstead.release.verification.terms import PromiseTerms
from roadstead.reports.promise import shortfall

EXACT: dict[str, Any] = {"max_level": {"area": 0}, "k": 5, "suppression": 0.5}


@pytest.mark.parametrize(
    ("few", "said"),
    [
        (8, "at most 2.05% per record (12.5% for each of the 8 records with *), 2.04% on average"),
        (49, "at most 2.05% per record, 2.04% on average"),
        (60, "at most 2.05% per record, 2.04% on average"),
    ],
)
def test_a_small_group_of_records_with_a_star_has_its_own_risk(
    few: int, said: str, tmp_path: Path
) -> None:
    """An attacker who finds no group of a person knows that the person is one of these."""
    areas = [*(["N"] * 49), *(["S"] * 49), *(f"X{at // 3}" for at in range(few))]
    found = rs.anonymize(pa.table({"area": areas}), quasi=["area"], **EXACT)
    assert found.draft.counts.masked == few
    assert said in str(found)
    assert found.write(tmp_path / "out").passed
    report = (tmp_path / "out" / "report.html").read_text()
    said = "The probability of a right guess is 12.5% for each of the 8 records with *."
    assert (said in report) == ("for each of the 8 records with *" in report) == (few == 8)


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A release of two groups of 49 records, and 8 masked records."""
    areas = [*(["N"] * 49), *(["S"] * 49), *(f"X{at // 3}" for at in range(8))]
    found = rs.anonymize(pa.table({"area": areas}), quasi=["area"], **EXACT)
    assert found.write(tmp_path / "out").passed
    risk = found.to_dict()["risk"]
    assert (risk["maximum"], risk["maximum_of_masked"], risk["if_undone"]) == (1 / 49, 0.125, None)
    certified = json.loads((tmp_path / "out" / "certificate.json").read_text())["risk"]
    assert (certified["maximum"], certified["maximum_of_masked"]) == (1 / 49, 0.125)
    assert "if_undone" not in certified
    return tmp_path / "out"


def test_verify_and_the_tool_for_assistants_state_this_risk(release: Path) -> None:
    """Fault class: only the terminal and the report did."""
    document = run("verify", release, "--json").json
    known = {"highest_risk": 1 / 49, "highest_risk_of_masked": 0.125, "masked_records": 8}
    assert known.items() <= document.items()
    assert "highest 0.02041 (0.125 for the records with *)" in run("verify", release).out
    found = verify(VerifyArguments(release=str(release)), Allowed(Places.of((release,))), SILENT)
    assert known.items() <= found.model_dump().items()


@pytest.mark.parametrize(
    ("rule", "figure"),
    [
        ("highest_risk = 0.05", "0.125 (the 8 records with *)"),
        ("smallest_class = 9", "8 (the 8 records with *)"),
        ("average_risk = 0.028", "0.0283019 (including 8 records with *)"),
    ],
)
def test_a_gate_judges_the_records_with_a_star(
    release: Path, tmp_path: Path, rule: str, figure: str
) -> None:
    """Fault class: a rule of at most 1/20 passed a release with a group of eight records."""
    gate = tmp_path / "gate.toml"
    gate.write_text(f"[measured]\n{rule}\n")
    found = rs.gate(release, rules=gate)
    assert [one.detail for one in found.rules if not one.passed] == [figure]
    name, limit = rule.split(" = ")
    gate.write_text(f"[measured]\n{name} = {8 if limit == '9' else 0.125}\n")
    assert rs.gate(release, rules=gate).passed


def test_the_risk_under_a_policy_names_these_records(release: Path, tmp_path: Path) -> None:
    """Unless the policy leaves them out."""
    rows = [*["N"] * 49, *["S"] * 49, *(f"X{at}" for at in range(8))]
    policy = tmp_path / "policy.json"
    for records in ("mask", "drop"):
        text = (release / "policy.json").read_text()
        policy.write_text(text.replace('"records": "mask"', f'"records": "{records}"'))
        found = rs.risk(pa.table({"area": rows}), policy=policy)
        assert found.after is not None
        assert found.after.prosecutor.maximum == 1 / 49
        said = "The prosecutor risk is 12.5% for each of the 8 records with *."
        assert any(note.endswith(said) for note in found.notes) == (records == "mask")


def test_a_determination_compares_the_highest_risk_with_a_threshold(release: Path) -> None:
    """The figure is that of the records with ``*``."""
    figures = {one.id: one for one in release_of(release).figures()}
    highest = figures["risk-maximum"]
    assert (highest.value, highest.field) == (0.125, "risk.maximum_of_masked")
    assert figures["smallest"].value == {"smallest": 49, "classes": 2, "masked": 8}


def test_a_release_of_masked_records_only_has_their_risk(tmp_path: Path) -> None:
    """And a verdict says so if it is above 1/2."""
    table = pa.table({"area": [f"X{at}" for at in range(40)]})
    found = rs.anonymize(table, quasi=["area"], **{**EXACT, "suppression": 1.0})
    assert found.draft.counts.masked == 40
    assert "at most 0% per record (2.5% for each of the 40 records with *)" in str(found)
    assert found.write(tmp_path / "out").passed
    assert found.draft.risk.smallest_group == 40
    (tmp_path / "gate.toml").write_text("[measured]\nsmallest_class = 41\n")
    (wrong,) = [
        one
        for one in rs.gate(tmp_path / "out", rules=tmp_path / "gate.toml").rules
        if not one.passed
    ]
    assert wrong.detail == "40 (the 40 records with *)"


def test_a_verdict_names_the_records_with_a_star() -> None:
    """If their risk is the highest."""
    known = {"highest_risk_of_masked": 1.0, "masked_records": 1}
    terms = PromiseTerms(("mean risk 0.1",), ("age",), 0.02, **known)  # type: ignore[arg-type] # by name
    assert not terms.reassures
    assert (
        shortfall(terms)
        == "the highest risk is 100% (1 record with *) for an attacker who knows age"
    )
