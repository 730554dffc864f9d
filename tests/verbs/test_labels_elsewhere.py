"""Labels of codes in risk, apply, and notes: a person reads labels, and the table keeps codes."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import run

import roadstead as rs

pyreadstat = pytest.importorskip("pyreadstat")
pandas = pytest.importorskip("pandas")

LABELS = {11: "North", 12: "South", 13: "East", 14: "West"}
GROUPS = {"Coast": ["North", "West"], "Inland": ["South", "East"]}


def spss(path: Path, further: int | None = None) -> Path:
    """Write 200 records; in the last eight, the region is a further code without a label."""
    regions = [list(LABELS)[at % 4] for at in range(200)]
    if further is not None:
        regions[-8:] = [further] * 8
    frame = pandas.DataFrame({"region": regions, "sex": [at % 2 + 1 for at in range(200)]})
    labels = {"region": LABELS, "sex": {1: "male", 2: "female"}}
    pyreadstat.write_sav(frame, str(path), variable_value_labels=labels)
    return path


def test_a_new_code_without_a_label_leaves_the_other_labels(tmp_path: Path) -> None:
    """Fault class: one value without a label, and a policy of labels covered nothing."""
    made = rs.anonymize(
        spss(tmp_path / "may.sav"),
        quasi=["region", "sex"],
        hierarchies={"region": {"kind": "mapping", "groups": GROUPS}},
        min_level={"region": 1},
        k=5,
    )
    made.write(tmp_path / "may")
    policy, june = tmp_path / "may" / "policy.json", spss(tmp_path / "june.sav", 15)
    said = run("apply", policy, june, "--out", tmp_path / "june")
    assert "does not cover the value '15' of 'region'" in said.error
    assert "(and" not in said.error
    ran = run("apply", policy, june, "--unseen", "suppress", "--out", tmp_path / "june")
    assert ran.code == 0, ran.err
    frame, meta = pyreadstat.read_sav(tmp_path / "june" / "june.sav", user_missing=True)
    names = frame["region"].map(meta.variable_value_labels["region"])
    assert dict(names.value_counts()) == {"Coast": 96, "Inland": 96, "*": 8}
    assert run("risk", june, "--policy", policy).error.count("'15'") == 1


def test_a_codebook_gives_risk_and_apply_the_labels_of_codes(tmp_path: Path) -> None:
    """In notes about values, and in a refusal. Fault class: a project of scan lost its labels."""
    lines = [f"{list(LABELS)[at % 4]},{at % 2}" for at in range(200)]
    (tmp_path / "may.csv").write_text("\n".join(["region,sex", *lines, ""]))
    (tmp_path / "june.csv").write_text("\n".join(["region,sex", *lines, *["19,1"] * 8, ""]))
    values = "; ".join(f"{code}={label}" for code, label in {**LABELS, 19: "Refused"}.items())
    (tmp_path / "codes.csv").write_text(f"name,label,values\nregion,Region,{values}\n")
    book = ("--codebook", tmp_path / "codes.csv")
    ran = run("risk", tmp_path / "june.csv", "--quasi", "region,sex", *book)
    assert "8 values of region are 19 = Refused: if 19 means missing" in ran.out
    hierarchy = {"kind": "mapping", "groups": GROUPS}
    rs.anonymize(
        tmp_path / "may.csv",
        quasi=["region", "sex"],
        codebook=book[1],
        hierarchies={"region": hierarchy},
        min_level={"region": 1},
        k=5,
        out=tmp_path / "may",
    )
    policy = tmp_path / "may" / "policy.json"
    ran = run("apply", policy, tmp_path / "june.csv", *book, "--out", tmp_path / "june")
    assert "does not cover the value '19' ('Refused') of 'region'" in ran.error
