"""The original of a release is read with the missing codes that the release was made with."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from commands import run

import roadstead as rs

MISSING = ("--missing", "age=999", "--missing", "ward=unknown", "--missing", "note=none")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with codes in three columns, of which two are released."""
    folder, chance = tmp_path_factory.mktemp("codes"), random.Random(3)  # noqa: S311 - no secret
    rows = [
        f"{chance.choice((30, 31, 44, 58, 999))},{chance.choice(('A', 'B', 'unknown'))},"
        f"{chance.choice('FM')},{chance.choice(('none', 'x'))},{chance.randint(1, 9)}"
        for _ in range(300)
    ]
    (folder / "t.csv").write_text("\n".join(["age,ward,sex,note,stay", *rows, ""]))
    made = ("anonymize", folder / "t.csv", "--quasi", "age,ward,sex", "--unchanged", "stay")
    out = ("--identifiers", "note", "--suppression", "1", "--out", folder / "release")
    assert run(*made, *MISSING, *out).code == 0
    return folder


def test_a_certificate_lists_the_codes_of_released_columns(place: Path) -> None:
    certificate = json.loads((place / "release" / "certificate.json").read_text("utf-8"))
    assert certificate["settings"]["missing"] == {"age": ["999"], "ward": ["unknown"]}
    assert rs.verify(place / "release").passed
    report = (place / "release" / "report.html").read_text("utf-8")
    assert "Codes that were declared as missing values: age (999), ward (unknown)." in report


def test_the_codes_are_used_where_none_are_named(place: Path) -> None:
    """Fault class: an original that is read as another table, without a word."""
    release, original = place / "release", place / "t.csv"
    repeated = run("repeat", release, "--original", original)
    assert repeated.code == 0
    assert (
        "Roadstead uses the missing codes in the certificate: age=999, ward=unknown."
        in repeated.err
    )
    for verb, *more in (("attack",), ("evaluate", "--formula", "stay ~ age + sex")):
        found = run(verb, release, "--original", original, *more, "--json")
        named = run(verb, release, "--original", original, *more, "--json", *MISSING[:4])
        assert _figures(found.out) == _figures(named.out)
    applied = place / "applied"
    assert run("apply", release / "policy.json", original, "--out", applied).code == 0
    assert (applied / "t.csv").read_bytes() == (release / "t.csv").read_bytes()


def test_a_register_needs_no_column_that_has_codes(place: Path) -> None:
    """Fault class: the attack was refused because of a code that nobody named."""
    register = place / "register.csv"
    register.write_text("name,sex,age\nAnn,F,30\nBob,M,44\nCy,M,58\n")
    for named in ((), ("--missing", "age=999", "--missing", "ward=unknown")):
        asked = ("--original", place / "t.csv", "--register", register, *named)
        ran = run("attack", place / "release", *asked)
        assert "does not have the column 'ward'" not in ran.err
    ran = run("attack", place / "release", "--original", register, "--missing", "ward=unknown")
    assert "does not have the column 'ward'" in ran.err


def test_codes_that_are_named_count_alone(place: Path) -> None:
    found = run("repeat", place / "release", "--original", place / "t.csv", "--missing", "age=30")
    assert found.code == 1
    assert "codes in the certificate" not in found.err


def test_a_rare_code_may_be_what_the_user_hides(place: Path, tmp_path: Path) -> None:
    """It is in no document, but who reads the original learns that the release has such codes."""
    lines = (place / "t.csv").read_text("utf-8").splitlines()
    for at in (3, 8):
        age, _, *rest = lines[at].split(",")
        lines[at] = ",".join((age, "Dr. Ito's ward", *rest))
    (tmp_path / "t.csv").write_text("\n".join([*lines, ""]))
    made = ("anonymize", tmp_path / "t.csv", "--quasi", "age,ward,sex", "--unchanged", "stay")
    rare = ("--missing", "ward=Dr. Ito's ward", "--identifiers", "note", "--suppression", "1")
    assert run(*made, *MISSING, *rare, "--out", tmp_path / "release").code == 0
    for file in (tmp_path / "release").iterdir():
        assert b"Ito" not in file.read_bytes()
    certificate = json.loads((tmp_path / "release" / "certificate.json").read_text("utf-8"))
    assert certificate["settings"]["missing_rare"] == ["ward"]
    report = (tmp_path / "release" / "report.html").read_text("utf-8")
    assert "In ward, more codes were declared as missing." in report
    found = run("attack", tmp_path / "release", "--original", tmp_path / "t.csv")
    assert "The release has more missing codes in ward. The certificate does not" in found.err


@pytest.mark.parametrize("forged", [["age"], {"age": "999"}, {"age": [["999"], 1]}, 7])
def test_a_forged_list_is_no_list(place: Path, tmp_path: Path, forged: object) -> None:
    (tmp_path / "release").mkdir()
    for file in (place / "release").iterdir():
        (tmp_path / "release" / file.name).write_bytes(file.read_bytes())
    path = tmp_path / "release" / "certificate.json"
    document = json.loads(path.read_text("utf-8"))
    document["settings"]["missing"] = forged
    path.write_text(json.dumps(document), "utf-8")
    assert (
        "codes in the certificate"
        not in run("attack", path.parent, "--original", place / "t.csv").err
    )


def _figures(text: str) -> object:
    document = json.loads(text)
    document.pop("seconds", None)
    return document
