"""The commands of private releases read a table by its first line, not by its records.

Standard error reports how the table was read; ``--outside stop`` proves that each cell was read as
written.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import Ran, run

ASKED = ("--epsilon", "1", "--target", "died", "--classes", "'y',y", "--specializations", "1")
DECLARED = ("--values", "sex='F',F,M")
REHEARSED = ("--runs", "1", "--comparators", "none")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(place: Path, *odd: str, name: str = "t.csv", header: str = "sex,died") -> None:
    """Write 2,000 equal lines below a header, and odd ones."""
    lines = [header, *["'F','y'"] * 2_000, *odd, ""]
    (place / name).write_text("\n".join(lines), encoding="utf-8")


def asked(*arguments: str) -> Ran:
    """Run a command that has to succeed."""
    ran = run(*arguments)
    assert ran.code == 0, ran
    return ran


@pytest.mark.parametrize(
    "command", [("synthesize",), ("evaluate", *REHEARSED)], ids=["synthesize", "evaluate"]
)
def test_one_odd_line_is_the_only_one_left_out(place: Path, command: tuple[str, ...]) -> None:
    """The words about the reading are the same."""
    verb, *more = command
    written(place)
    ran = asked(verb, "t.csv", *ASKED, *DECLARED, "--outside", "stop", *more)
    reading = "t.csv: comma-separated, UTF-8, header, 2 columns"
    assert reading in ran.err
    written(place, "'F\"','y'")
    ran = asked(verb, "t.csv", *ASKED, *DECLARED, *more)
    assert reading in ran.err
    assert "1 record of 2,001 was left out" in ran.err + ran.out


def test_a_second_table_is_read_by_its_first_line_too(place: Path) -> None:
    """Its cells are read with their single quotes: no key is without a record."""
    written(place)
    rows = ["sex;code", *["'F';b"] * 2_000, ""]
    (place / "codes.csv").write_text("\n".join(rows), encoding="utf-8")
    ran = asked(
        *("synthesize", "t.csv", *ASKED, *DECLARED, "--outside", "stop"),
        *("--sets", "dx=codes.csv:sex:code", "--values", "dx=b,c"),
    )
    assert "without a matching record" not in ran.err


def test_what_an_option_says_is_obeyed(place: Path) -> None:
    """A delimiter, and that there is no header."""
    (place / "t.csv").write_text("F;y\n" * 300, encoding="utf-8")
    request = ("--epsilon", "1", "--target", "column_2", "--classes", "y,n", "--outside", "stop")
    ran = asked(
        *("synthesize", "t.csv", *request, "--values", "column_1=F,M"),
        *("--no-header", "--delimiter", ";"),
    )
    assert "semicolon-separated, UTF-8, no header" in ran.err


def test_a_table_of_a_header_alone_is_released(place: Path) -> None:
    """A rehearsal of it has nothing to learn from, and says so."""
    (place / "t.csv").write_text("sex,died", encoding="utf-8")
    ran = asked("synthesize", "t.csv", *ASKED, *DECLARED, "--out", "out")
    assert "and verified" in ran.out
    assert "for your eyes only" not in ran.err
    ran = run("evaluate", "t.csv", *ASKED, *DECLARED, *REHEARSED)
    assert ran.code == 2
    assert "contain 0 records, and with this share, there would be no training record" in ran.error
    ran = run("evaluate", "out", "--held-out", "t.csv")
    assert ran.code == 2
    assert "there are no records" in ran.error
    ran = run("anonymize", "t.csv", "--quasi", "sex", "--k", "2")
    assert ran.code == 2
    assert "there are no records" in ran.error
