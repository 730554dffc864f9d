"""No document or message holds a value of the data, except the one cell of an error.

Every cell of the table is a unique word, so that a leaked value can be found anywhere. The released
table itself is a separate case: the test searches it for texts that must not be in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from commands import Ran, run, undrawn
from small_tables import Row, read_csv, write_csv

HEADER = ("name", "record", "ward", "city", "age", "born", "zip", "illness", "serial")
QUASI = "ward,city,age,born,zip"
IDENTIFYING = "name,record"


def rows() -> Sequence[Row]:
    """Forty ordinary records in ten combinations, and six of which each is rare in all it has."""
    ordinary = [
        (
            f"Qname{i}",
            f"Qrecord{i}",
            f"Qward{i % 2}",
            f"Qcity{i % 5}",
            str(7130 + i % 10),
            f"1951-03-{10 + i % 5}",
            f"8472{i % 2}",
            f"Qillness{i % 3}",
            f"Qserial{i}",
        )
        for i in range(40)
    ]
    rare = [
        (
            f"Qrarename{i}",
            f"Qrarerecord{i}",
            f"Qrareward{i}",
            f"Qrarecity{i}",
            str(9610 + i),
            f"1987-11-{10 + i}",
            f"6351{i}",
            f"Qillness{i % 3}",
            f"Qrareserial{i}",
        )
        for i in range(6)
    ]
    return [*ordinary, *rare]


@dataclass(frozen=True)
class Cells:
    """Values by what may become of them."""

    never: frozenset[str]
    """Identifying and withheld ones, and quasi-identifiers of suppressed records."""
    documents: frozenset[str]
    """Texts that no document or message may hold: all values."""


def cells() -> Cells:
    """Sort the values of the table."""
    columns = dict(zip(HEADER, zip(*rows(), strict=True), strict=True))
    gone = {value for name in ("name", "record", "serial") for value in columns[name]}
    rare = {value for row in rows()[40:] for value in row[2:7]}
    everything = {value for column in columns.values() for value in column}
    return Cells(frozenset(gone | rare), frozenset(everything))


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the table."""
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "table.csv", HEADER, rows())
    return tmp_path


def leaks(text: str, values: frozenset[str]) -> set[str]:
    """Values in a text, as whole words: digits of a measure do not count."""
    return {value for value in values if re.search(rf"(?<![\w.]){re.escape(value)}(?!\w)", text)}


def told(*rans: Ran) -> str:
    """All that commands said."""
    return "\n".join(ran.out + ran.err for ran in rans)


@pytest.mark.quick(1)
@pytest.mark.parametrize("suppressed", ["mask", "drop"])
def test_no_document_and_no_message_holds_a_value(
    place: Path, monkeypatch: pytest.MonkeyPatch, suppressed: str
) -> None:
    """Nor does the release hold what must not be released."""
    if suppressed == "drop":  # charts are of the same figures either way, and are looked at once
        undrawn(monkeypatch)
    options = ("--suppression", "0.15", "--suppressed", suppressed, "--k", "4")
    roles = ("--quasi", QUASI, "--identifiers", IDENTIFYING, "--sensitive", "illness")
    request = ("table.csv", *roles, *options)
    ran = run("anonymize", *request, "--out", "release")
    assert ran.code == 0, ran
    again = run("anonymize", *request, "--json")
    assert again.json["suppressed"] >= 6
    said = told(
        ran,
        again,
        run("scan", "table.csv", "--out", "project.toml"),
        run("scan", "table.csv", "--out", "project.toml", "--force", "--json"),
        run("verify", "release"),
        run("verify", "release", "--json"),
        run("verify", "table.csv", "--quasi", QUASI, "--k", "4"),
        run("apply", "release/policy.json", "table.csv", "--out", "again"),
        run("apply", "release/policy.json", "table.csv", "--json"),
    )
    values = cells()
    assert leaks(said, values.documents) == set()
    assert leaks((place / "project.toml").read_text("utf-8"), values.documents) == set()
    for out in ("release", "again"):
        for name in ("policy.json", "certificate.json", "report.html"):
            text = (place / out / name).read_text("utf-8")
            assert leaks(text, values.documents) == set(), name
        assert leaks((place / out / "table.csv").read_text("utf-8"), values.never) == set()
        assert "serial" not in read_csv(place / out / "table.csv")[0]


def test_a_refusal_holds_the_one_cell_that_it_is_about(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no other."""
    undrawn(monkeypatch)
    (place / "levels").mkdir()
    (place / "levels" / "ward.csv").write_text(
        "".join(f"{ward};*\n" for ward in sorted({row[2] for row in rows()} - {"Qrareward3"}))
    )
    (place / "ragged.csv").write_text((place / "table.csv").read_text() + "Qname99,Qrecord99\n")
    request = ("anonymize", "table.csv", "--quasi", QUASI, "--out", "release")
    values = cells()
    for arguments, shown in (
        ((*request, "--hierarchies", "levels"), {"Qrareward3"}),
        ((*request, "--max-level", "ward=0,city=0,age=0,born=0,zip=0"), set()),
        ((*request, "--sensitive", "ilness"), set()),
        ((*request, "--k", "1000"), set()),
        ((*request, "--out", "table.csv"), set()),
        (("anonymize", "ragged.csv", "--quasi", QUASI), set()),
        (("scan", "ragged.csv"), set()),
    ):
        ran = run(*arguments)
        assert ran.code in (1, 2), ran
        assert leaks(told(ran), values.documents) == shown
        assert "Qname99" not in told(ran)


def test_a_defect_shows_its_kind_and_not_its_text(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which may hold data."""

    def burst(*_: object, **__: object) -> None:
        raise ArithmeticError("Qname1 is in this text")

    monkeypatch.setattr("roadstead.verbs.anonymize.search.counted_by", burst)
    before = sorted(path.name for path in place.iterdir())
    ran = run("anonymize", "table.csv", "--quasi", QUASI, "--out", "release")
    assert (ran.code, ran.out) == (70, "")
    assert "ArithmeticError" in ran.error
    assert leaks(told(ran), cells().documents) == set()
    assert sorted(path.name for path in place.iterdir()) == before
    monkeypatch.setenv("ROADSTEAD_DEBUG", "1")
    with pytest.raises(ArithmeticError, match="Qname1"):
        run("anonymize", "table.csv", "--quasi", QUASI)
