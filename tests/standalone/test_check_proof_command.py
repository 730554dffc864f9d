"""The proof of a table in a file, from the command's option to the checking program."""

from __future__ import annotations

import gzip
import json
import os
import stat
from pathlib import Path
from random import Random
from typing import Any

import pytest

import roadstead as rs
from roadstead.errors import SettingError
from roadstead.privacy.models.distinct_l_diversity import DistinctLDiversity
from roadstead.privacy.models.recursive_cl_diversity import RecursiveCLDiversity
from roadstead.privacy.models.t_closeness import TCloseness
from roadstead.standalone import check_proof

QUASI = ["age", "sex", "zip"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Write records with quoted cells, codes for missing values, and numbers between semicolons."""
    chance = Random(4)  # noqa: S311 - for tests
    path = tmp_path / "ward.csv"
    ages = [*range(20, 40), 999]
    rows = [
        f'{chance.choice(ages)};{chance.choice("fm?")};"02{chance.randint(0, 9)};1"'
        for _ in range(300)
    ]
    path.write_text("age;sex;zip\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_the_program_checks_what_the_option_wrote(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is right on this table, also packed, and wrong on any other."""
    proof = tmp_path / "proof.json.gz"
    found = rs.anonymize(table, quasi=QUASI, k=5, missing=["?", "age=999"], proof=proof)
    assert found.optimal
    if os.name == "posix":
        assert stat.S_IMODE(proof.stat().st_mode) == 0o600
    assert check_proof.main([str(table), str(proof)]) == 0
    said = capsys.readouterr().out
    assert "no allowed policy within these levels loses less" in said
    assert f"of the {found.space.size:,} policies suppress too much" in said
    assert f"suppresses {found.suppressed:,} records" in said
    assert f"Its loss is {found.loss:.10f}" in said
    packed = tmp_path / "ward.csv.gz"
    packed.write_bytes(gzip.compress(table.read_bytes()))
    assert check_proof.main([str(packed), str(proof)]) == 0
    lines = table.read_text(encoding="utf-8").splitlines()
    table.write_text("\n".join([*lines[:-1], lines[1]]), encoding="utf-8")
    assert check_proof.main([str(table), str(proof)]) == 2
    assert "Not checked: this is not the table of the proof" in capsys.readouterr().err


def test_the_program_reads_codes_with_decimals(table: Path, tmp_path: Path) -> None:
    """A table from pandas contains 999.0, and the code is 999."""
    table.write_text(table.read_text("utf-8").replace("999;", "999.0;"), encoding="utf-8")
    proof = tmp_path / "proof.json.gz"
    rs.anonymize(table, quasi=QUASI, k=5, missing=["?", "age=999"], proof=proof)
    assert check_proof.main([str(table), str(proof)]) == 0


def test_a_proof_of_diversity_is_about_one_column(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The values of a sensitive column are counted; a proof of two columns is refused early."""
    text = table.read_text(encoding="utf-8").splitlines()
    chance = Random(5)  # noqa: S311 - for tests
    more = [
        f"{line};{chance.choice(['flu', 'hiv', '-', ''])};{at % 3}" for at, line in enumerate(text)
    ]
    more[0] = text[0] + ";dx;arm"
    table.write_text("\n".join(more) + "\n", encoding="utf-8")
    proof = tmp_path / "proof.json.gz"
    asked: dict[str, Any] = {"quasi": QUASI, "k": 5, "missing": ["-"], "proof": proof}
    of_dx = DistinctLDiversity("dx", 2)
    found = rs.anonymize(table, **asked, sensitive=["dx"], privacy=[of_dx])
    assert check_proof.main([str(table), str(proof)]) == 0
    said = capsys.readouterr().out
    assert "has 5 or more records, with distinct-l-diversity of 'dx' (l=2, blank=no-value)." in said
    assert f"suppresses {found.suppressed:,} records" in said
    asked["proof"] = tmp_path / "recursive.json.gz"
    rs.anonymize(
        table, **asked, sensitive=["dx"], privacy=[of_dx, RecursiveCLDiversity("dx", 2, 2)]
    )
    assert check_proof.main([str(table), str(asked["proof"])]) == 0
    said = capsys.readouterr().out
    assert "with recursive-cl-diversity of 'dx' (c=2, l=2, blank=no-value)" in said
    asked["proof"] = tmp_path / "other.json.gz"
    both = [of_dx, DistinctLDiversity("arm", 2)]
    with pytest.raises(
        SettingError,
        match="of only one column, but the privacy models count the values of dx and arm",
    ):
        rs.anonymize(table, **asked, sensitive=["dx", "arm"], privacy=both)
    other = [line.replace(";hiv;", ";flu;") for line in more]
    table.write_text("\n".join(other) + "\n", encoding="utf-8")
    assert check_proof.main([str(table), str(proof)]) == 2


def test_a_proof_of_closeness_has_the_order_of_the_values(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Equal numbers have one place; another order is refused, and so is another distance."""
    lines = table.read_text(encoding="utf-8").splitlines()
    chance = Random(6)  # noqa: S311 - for tests
    days = [f"{line};{chance.choice(['10', '2', '2.0', '7', '9'])}" for line in lines[1:]]
    table.write_text("\n".join([lines[0] + ";days", *days]) + "\n", encoding="utf-8")
    asked: dict[str, Any] = {"quasi": QUASI, "k": 5, "sensitive": ["days"], "suppression": 0.1}
    for distance in ("equal", "ordered"):
        proof = tmp_path / f"{distance}.json.gz"
        close = TCloseness("days", 0.2, distance)
        found = rs.anonymize(table, **asked, privacy=[close], proof=proof)
        assert check_proof.main([str(table), str(proof)]) == 0
        said = capsys.readouterr().out
        assert f"with t-closeness of 'days' (t=0.2, distance={distance})" in said
        assert f"suppresses {found.suppressed:,} records" in said
        assert ("the order of values, and" in said) == (distance == "ordered")
        places = "Places in the order: 4. With several values: 1."
        assert (places in said) == (distance == "ordered")
    document = json.loads(gzip.decompress(proof.read_bytes()))
    assert document["requirements"][1]["order"] == [["2", "2.0"], ["7"], ["9"], ["10"]]
    for order in ([["2"], ["7"], ["9"], ["10"]], [["2", "2.0"], ["7", "2"], ["9"], ["10"]], []):
        document["requirements"][1]["order"] = order
        proof.write_text(json.dumps(document), encoding="utf-8")
        assert check_proof.main([str(table), str(proof)]) == 1
    tree = tuple((value, "*") for value in ("10", "2", "2.0", "7", "9"))
    close = TCloseness("days", 0.2, "hierarchical", hierarchy=tree)
    with pytest.raises(SettingError, match="equal or ordered distance, but not"):
        rs.anonymize(table, **asked, privacy=[close], proof=tmp_path / "none.json.gz")


def test_a_proof_for_people_counts_their_ids(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It needs one known row and rows that are left out; every other way to count is refused."""
    lines = table.read_text(encoding="utf-8").splitlines()
    chance = Random(7)  # noqa: S311 - for tests
    rows = [f"{line};P{chance.randint(1, 90)};{at % 3}" for at, line in enumerate(lines[1:])]
    table.write_text("\n".join([lines[0] + ";id;dx", *rows]) + "\n", encoding="utf-8")
    proof = tmp_path / "proof.json.gz"
    asked: dict[str, Any] = {"quasi": QUASI, "k": 4, "person": "id", "proof": proof}
    found = rs.anonymize(table, **asked, suppression=0.05)
    assert check_proof.main([str(table), str(proof)]) == 0
    said = capsys.readouterr().out
    assert "has 1 or more records, with person-anonymity of 'id' (k=4)." in said
    assert f"Its loss is {found.loss:.10f}" in said
    document = json.loads(gzip.decompress(proof.read_bytes()))
    assert "P1" not in json.dumps(document)
    for requirement in ({"kind": "k-anonymity", "k": 4}, {**document["requirements"][0], "k": 5}):
        forged = tmp_path / "forged.json"
        forged.write_text(json.dumps({**document, "requirements": [requirement]}))
        assert check_proof.main([str(table), str(forged)]) > 0
    table.write_text(table.read_text(encoding="utf-8").replace(";P2;", ";P1;"), encoding="utf-8")
    assert check_proof.main([str(table), str(proof)]) == 2
    refused: dict[str, dict[str, Any]] = {
        "only if an attacker knows one row": {"knows": 2},
        "if single rows are left out": {"leave_out": "persons"},
        "the same weight": {"average_over": "persons"},
        "changed dates": {"dates": {"dx": "interval"}},
        "only one column, but the privacy models count the values of dx and id": {
            "sensitive": ["dx"],
            "privacy": [DistinctLDiversity("dx", 2)],
        },
    }
    for why, more in refused.items():
        with pytest.raises(SettingError, match=why):
            rs.anonymize(table, **{**asked, **more, "proof": tmp_path / "none.json.gz"})


def test_files_that_cannot_be_read_are_no_verdict(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Cut and missing files end with 2, other documents with 1."""
    proof = tmp_path / "proof.json.gz"
    rs.anonymize(table, quasi=QUASI, k=5, proof=proof)
    cut = tmp_path / "cut"
    cut.write_bytes(proof.read_bytes()[:-40])
    assert check_proof.main([str(table), str(cut)]) == 2
    assert check_proof.main([str(tmp_path / "none"), str(proof)]) == 2
    for content in (b"{", b"[]", b'{"a": 1, "a": 2}', b'{"format": 1.5}', b"[" * 100_000):
        cut.write_bytes(content)
        assert check_proof.main([str(table), str(cut)]) == 1
    assert "Traceback" not in capsys.readouterr().err


def test_a_proof_is_not_written_over_a_file(table: Path, tmp_path: Path) -> None:
    """Nor without a mean, and nothing is written then."""
    proof = tmp_path / "proof"
    with pytest.raises(rs.RoadsteadError, match="requires a mean"):
        rs.anonymize(table, quasi=QUASI, aggregate="maximum", proof=proof)
    assert not proof.exists()
    proof.write_text("mine", encoding="utf-8")
    with pytest.raises(rs.RoadsteadError, match="exists already"):
        rs.anonymize(table, quasi=QUASI, proof=proof)
    assert proof.read_text(encoding="utf-8") == "mine"


def test_a_proof_is_not_written_into_a_release(table: Path, tmp_path: Path) -> None:
    """Fault class: the recipient of the folder reads the values of the original table."""
    out = tmp_path / "release"
    given: dict[str, Any] = {"quasi": QUASI, "k": 5, "missing": ["?", "age=999"]}
    rs.anonymize(table, **given, out=out)
    for where in (out / "proof.json.gz", out / ".." / "release" / "p.gz"):
        with pytest.raises(SettingError, match="in the folder of a release"):
            rs.anonymize(table, **given, proof=where)
        with pytest.raises(SettingError, match="in the folder of a release"):
            rs.anonymize(table, **given, out=out, force=True, proof=where)
    assert not {one.name for one in out.iterdir()} & {"proof.json.gz", "p.gz"}
    assert rs.verify(out).passed
