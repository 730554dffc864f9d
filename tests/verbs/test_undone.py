"""A column that is released anyway may reveal the values that the groups of a release hide."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from commands import run
from pyarrow import parquet
from second_opinion import verdict as second_verdict

import roadstead as rs
from roadstead.release.kind import release_of
from roadstead.reports.promise import undone_sentence

ZIPS = [f"{area}{at:02}" for area in ("021", "100") for at in range(12)]
ANYWAY: dict[str, Any] = {
    "release_anyway": ["cluster"],
    "reasons": {"cluster": "needed for the sampling"},
}


def clusters(each: int, *few: int) -> pa.Table:
    """Some records of each cluster, all of them with the same ZIP code; then smaller clusters."""
    sizes = [*[each] * len(ZIPS), *few]
    zips = [*ZIPS, *(f"300{at:02}" for at in range(len(few)))]
    rows = [
        (f"C{at:02}", zips[at], "FM"[one % 2])
        for at, size in enumerate(sizes)
        for one in range(size)
    ]
    cluster, place, sex = zip(*rows, strict=True)
    return pa.table({"cluster": cluster, "zip": place, "sex": sex})


def by_hand(table: pa.Table, out: Path) -> float:
    """Count the records of the release that have the same labels and are in the same ZIP code."""
    released = parquet.read_table(out / "release.parquet").to_pylist()
    exact = dict(zip(table["cluster"].to_pylist(), table["zip"].to_pylist(), strict=True))
    sizes = Counter((row["zip"], row["sex"], exact[row["cluster"]]) for row in released)
    return 1 / min(sizes.values())


@pytest.mark.parametrize("each", [4, 10])
def test_the_risk_is_that_of_an_attacker_who_reads_the_column(tmp_path: Path, each: int) -> None:
    """And is not shown where the column reveals nothing that the groups hide."""
    table = clusters(each)
    found = rs.anonymize(table, quasi=["zip", "sex"], k=5, count_records=True, **ANYWAY)
    assert found.write(tmp_path / "out").passed
    undone = found.decided.undone
    if each == 10:
        assert undone is None
        return
    assert undone is not None
    assert (undone.columns, undone.quasi) == (("cluster",), ("zip",))
    assert undone.maximum == by_hand(table, tmp_path / "out") == 0.5
    said = "cluster determines zip. If an attacker knows only the quasi-identifiers, and which of"
    assert said in str(found)
    assert said in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize("limit", [0.05, 0.5])
def test_the_certificate_states_the_risk_and_a_gate_judges_it(tmp_path: Path, limit: float) -> None:
    """Fault class: the facts omitted it, so a rule about the highest risk passed such a release."""
    release, gate = tmp_path / "out", tmp_path / "gate.toml"
    found = rs.anonymize(clusters(4), quasi=["zip", "sex"], k=5, count_records=True, **ANYWAY)
    assert found.write(release).passed
    assert second_verdict(release, signed=False) != "refused"
    stated = {"columns": ["cluster"], "quasi": ["zip"], "maximum": 0.5}
    stated |= {"unit": "record", "at_least": False}
    assert json.loads((release / "certificate.json").read_text())["risk"]["if_undone"] == stated
    assert json.loads(json.dumps(found.to_dict()))["risk"]["if_undone"] == stated
    assert run("verify", release, "--json").json["risk_if_undone"] == stated
    said = run("verify", release).out
    assert "  !     According to the certificate: cluster determines zip. If an attacker" in said
    assert "how high the risk is because cluster determines zip (only someone who has the" in said
    gate.write_text(f"[measured]\nhighest_risk = {limit}\n")
    judged = rs.gate(release, rules=gate)
    assert judged.passed == (limit == 0.5)
    assert judged.rules[-1].detail == "0.5 (according to the certificate, cluster determines zip)"
    gate.write_text("[measured]\naverage_risk = 1.0\n")
    (wrong,) = [one for one in rs.gate(release, rules=gate).rules if not one.passed]
    assert wrong.detail.startswith("cannot be judged: cluster determines zip, and the average risk")
    assert wrong.detail.endswith("was not measured")
    figures = {one.id: one for one in release_of(release).figures()}
    assert figures["risk-undone"].value["maximum"] == 0.5


def test_a_risk_above_one_half_does_not_reassure(tmp_path: Path) -> None:
    """One of the three records of each cluster has a sex of its own."""
    release, gate = tmp_path / "out", tmp_path / "gate.toml"
    table = clusters(3)
    found = rs.anonymize(table, quasi=["zip", "sex"], k=5, count_records=True, **ANYWAY)
    assert found.write(release).passed
    last = run("verify", release).out.splitlines()[-1]
    why = "the highest risk is 100% for an attacker who knows zip, sex, because cluster determines"
    assert f"; but {why}" in last
    gate.write_text("[promise]\nk = 5\n")
    (wrong,) = [one for one in rs.gate(release, rules=gate).rules if not one.passed]
    assert wrong.detail.endswith("; make the release again, and leave out or generalize cluster")


def test_a_gate_cannot_judge_a_risk_that_can_be_higher(tmp_path: Path) -> None:
    """The risk is that of one known row, but an attacker may know two rows of a person."""
    release, gate = tmp_path / "out", tmp_path / "gate.toml"
    table = clusters(4).append_column("who", pa.array([f"P{at // 2:04}" for at in range(96)]))
    asked: dict[str, Any] = {"person": "who", "knows": 2, "count_records": True}
    found = rs.anonymize(table, quasi=["zip"], k=3, **asked, **ANYWAY)
    assert found.write(release).passed
    gate.write_text("[measured]\nhighest_risk = 1.0\n")
    (wrong,) = [one for one in rs.gate(release, rules=gate).rules if not one.passed]
    assert wrong.detail.startswith("cannot be judged: cluster determines zip, and the risk from")
    assert "according to the certificate" not in wrong.detail
    assert second_verdict(release, signed=False) != "refused"


def test_records_with_a_star_are_a_group(tmp_path: Path) -> None:
    """Their column tells them apart, too."""
    table = clusters(10, 2, 3)
    exact: dict[str, Any] = {"max_level": {"zip": 0, "sex": 0}, "suppression": 0.05}
    found = rs.anonymize(table, quasi=["zip", "sex"], k=5, count_records=True, **exact, **ANYWAY)
    assert found.write(tmp_path / "out").passed
    assert found.draft.counts.masked == 5
    assert found.decided.undone is not None
    assert found.decided.undone.maximum == 0.5  # two records in one of the two clusters


@pytest.mark.quick(1)
@pytest.mark.parametrize("knows", [1, 2])
def test_people_are_counted_once(knows: int) -> None:
    """Each person has two rows, so that a group of two rows may be one person."""
    table = clusters(4).append_column("who", pa.array([f"P{at // 2:04}" for at in range(96)]))
    asked: dict[str, Any] = {"person": "who", "knows": knows, "count_records": True}
    found = rs.anonymize(table, quasi=["zip"], k=3, **asked, **ANYWAY).decided.undone
    assert found is not None
    assert found.maximum == 0.5  # two people in each cluster
    assert ("With several known rows" in undone_sentence(found)) == (knows == 2)
    alone: dict[str, Any] = {"quasi": ["zip"], "k": 2, "max_level": {"zip": 0}}
    assert rs.anonymize(table, **alone, **asked, **ANYWAY).decided.undone is None


def test_a_column_that_only_follows_another_one_does_not_determine_it() -> None:
    """A lot of each month reveals no day."""
    days = [f"2021-{1 + at // 20:02}-{1 + at % 20:02}" for at in range(240)]
    lots = [f"L{at // 20:02}" for at in range(240)]
    table = pa.table({"visit": days, "lot": lots})
    anyway: dict[str, Any] = {"release_anyway": ["lot"], "reasons": {"lot": "needed for the assay"}}
    found = rs.anonymize(table, quasi=["visit"], k=5, count_records=True, **anyway)
    assert found.decided.undone is None
