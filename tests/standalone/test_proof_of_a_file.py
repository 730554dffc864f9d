"""Proofs of tables in files of many forms: a right proof is accepted, or is refused early."""

from __future__ import annotations

import zipfile
from pathlib import Path
from random import Random
from typing import Any

import pytest
from commands import run

import roadstead as rs
from roadstead.errors import OutputError, SettingError
from roadstead.standalone import check_proof

HEADER = ("age", "sex", "zip")


def rows() -> list[tuple[str, ...]]:
    """Draw 150 records, always the same."""
    chance = Random(5)  # noqa: S311 - for tests
    return [
        (str(chance.randint(20, 40)), chance.choice("fm"), f"0213{chance.randint(0, 9)}")
        for _ in range(150)
    ]


def written(
    records: list[tuple[str, ...]], header: tuple[str, ...] = HEADER, mark: str = ","
) -> str:
    """Return records as text, with a header unless it is empty."""
    lines = [mark.join(record) for record in ([header] if header else []) + records]
    return "\n".join(lines) + "\n"


def with_ages(form: str) -> list[tuple[str, ...]]:
    """Return the records with the ages in a form."""
    return [(form.format(age), *others) for age, *others in rows()]


def with_code(code: str) -> list[tuple[str, ...]]:
    """Return the records with a code instead of the ages below 23."""
    return [(age if int(age) >= 23 else code, *others) for age, *others in rows()]


ACCEPTED: dict[str, tuple[str, dict[str, Any]]] = {
    "blank lines first": ("\n\n" + written(rows()) + "\n\n", {}),
    "names with spaces": (
        written(rows(), ("age ", " sex", "zip")),
        {"quasi": ["age ", " sex", "zip"]},
    ),
    "no header": (written(rows(), ()), {"quasi": ["column_1", "column_2", "column_3"]}),
    "a code in spaces": (written(with_code("\t ? ")), {"missing": ["age=?"]}),
    "no code, after another space": (written(with_code("\u00a0?")), {"missing": ["?"]}),
    "a byte-order mark": ("\ufeff" + written(rows(), mark="\t"), {}),
    "quotes": (written(with_ages("'{},x'")), {}),
    "a long cell": (written([*rows(), ("x" * 140_000, "f", "02139")]), {"suppression": 0.1}),
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("form", ACCEPTED)
def test_a_right_proof_is_accepted(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fault class: a right proof is called wrong, because a file was read in another way."""
    text, settings = ACCEPTED[form]
    table, proof = tmp_path / "ward.csv", tmp_path / "proof.gz"
    table.write_text(text, encoding="utf-8")
    found = rs.anonymize(table, **{"quasi": [*HEADER], "k": 4, "proof": proof, **settings})
    assert check_proof.main([str(table), str(proof)]) == 0
    assert f"Its loss is {found.loss:.10f}" in capsys.readouterr().out


REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "decimal commas": (
        written(with_ages("{},5"), mark=";"),
        {},
        "thousands separators; check 'age'",
    ),
    "digit groups": (written(with_ages('"1,1{}.50"')), {}, "thousands separators; check 'age'"),
    "stated commas": (
        written(with_ages('"{},5"')),
        {"decimal": "comma"},
        "separators; check 'age'",
    ),
    "codes with decimals": (
        written([(*others, f"{code}.0") for *others, code in rows()]),
        {},
        "whole codes, not codes such as 91911.0; check 'zip'",
    ),
    "a range": (written(with_code("901")), {"missing": ["age=900..999"]}, "a range, in 'age'"),
    "no name": (
        written(rows(), ("", "sex", "zip")),
        {"quasi": ["column_1", "sex", "zip"], "header": True},
        "each column",
    ),
    "skipped rows": ("A title,,\n" + written(rows()), {"skip_rows": "1"}, "without skipped rows"),
}


@pytest.mark.quick(4)
@pytest.mark.parametrize("form", REFUSED)
def test_a_table_that_is_read_by_rules_is_refused_before_the_search(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checking program does not have these rules; without a proof, the table is accepted."""
    text, settings, why = REFUSED[form]
    table, proof = tmp_path / "ward.csv", tmp_path / "proof.gz"
    table.write_text(text, encoding="utf-8")
    asked: dict[str, Any] = {"quasi": [*HEADER], "k": 4, **settings}
    assert rs.anonymize(table, **asked).optimal
    searched = "roadstead.verbs.anonymize.run.answer_of"
    monkeypatch.setattr(searched, lambda *_: pytest.fail("it searched first"))
    with pytest.raises(SettingError, match=why):
        rs.anonymize(table, **asked, proof=proof)
    assert not proof.exists()


def test_a_column_that_the_proof_does_not_use_may_have_any_form(tmp_path: Path) -> None:
    """A proof of other columns is right."""
    table, proof = tmp_path / "ward.csv", tmp_path / "proof.gz"
    table.write_text(written(with_ages("{},5"), mark=";"), encoding="utf-8")
    rs.anonymize(table, quasi=["sex", "zip"], unchanged=["age"], k=4, proof=proof)
    assert check_proof.main([str(table), str(proof)]) == 0


def test_a_proof_in_a_missing_folder_is_refused_before_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault class: a search of hours, and no proof."""
    table = tmp_path / "ward.csv"
    table.write_text(written(rows()), encoding="utf-8")
    searched = "roadstead.verbs.anonymize.run.answer_of"
    monkeypatch.setattr(searched, lambda *_: pytest.fail("it searched first"))
    with pytest.raises(OutputError, match="its folder does not exist"):
        rs.anonymize(table, quasi=[*HEADER], k=4, proof=tmp_path / "none" / "proof.gz")


def test_the_command_says_what_to_do_before_the_check(tmp_path: Path) -> None:
    """A folder must become one file, and an archive must be unpacked; then the proof is right."""
    folder, archive = tmp_path / "ward", tmp_path / "ward.zip"
    folder.mkdir()
    half = len(rows()) // 2
    (folder / "a.csv").write_text(written(rows()[:half], mark=";"), encoding="utf-8")
    (folder / "b.csv").write_text(written(rows()[half:], mark=";"), encoding="utf-8")
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("inside.csv", written(rows(), mark=";"))
    exported, unpacked = tmp_path / "export.csv", tmp_path / "inside.csv"
    exported.write_text(written(rows()), encoding="utf-8")
    for data, table, before, named in (
        (folder, exported, "First export the table as TABLE", "TABLE"),
        (archive, unpacked, f"Unpack {archive} first.", str(unpacked)),
    ):
        proof = tmp_path / f"{data.stem}-{table.stem}.gz"
        out = run("anonymize", data, "--quasi", "age,sex,zip", "--k", "4", "--proof", proof).out
        assert before in out
        assert f"Check it with: roadstead-check-proof {named} {proof}" in out
        unpacked.write_text(written(rows(), mark=";"), encoding="utf-8")
        assert check_proof.main([str(table), str(proof)]) == 0
