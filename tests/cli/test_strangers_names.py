"""Names and values of a table come from a stranger; no command lets them write to the terminal.

Every command runs on a table whose file, columns, and values hold line breaks, escape sequences,
and overrides, in words and as JSON. The test reads the output as a person would.
"""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path

import pytest
from commands import Ran, run, undrawn

from roadstead.printable import printable

PASSED = "Passed: the release meets its privacy requirements."
AGE = "age\n[privacy]\nk = 1\n#\x1b[2K\u202e\x9b]]\r" + PASSED
SEX = '"sex"] \n' + PASSED + "\x07\u2028roadstead: done"
NOTE = "note\n  ok    forged\x85" + PASSED
PLAIN = {AGE: "age\x1b[2K\u202e", SEX: "sex\x9b2J\u200f", NOTE: "note\u2066\x07"}
"""The same columns without line breaks, for commands that read the header on one line."""
FORGED = (PASSED, "  ok  ", "FAIL", "roadstead: done")


def table(folder: Path, names: dict[str, str]) -> Path:
    """Write a table of 120 records."""
    path = folder / f"t\x1b[2J\u202e{'' if names else chr(10) + PASSED}.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow([names.get(name, name) for name in (AGE, SEX, NOTE)])
        for i in range(120):
            label = "a\x1b[1A" if i % 2 else "b\u202e" + ("" if names else "\n" + PASSED)
            writer.writerow([20 + i % 40, label, ("flu\u2066", "co\x9bld")[i % 3 > 1]])
    return path


def listed(*names: str) -> str:
    """Write names as an option takes them."""
    return ",".join('"' + name.replace('"', '""') + '"' for name in names)


def said(*arguments: str | Path, code: int = 0) -> Ran:
    """Run a command in words and as JSON; every line is one of Roadstead's own."""
    for form in ([], ["--json"]):
        ran = run(*arguments, *form)
        assert ran.code == code, ran.err
        for line in (ran.out + ran.err).split("\n"):
            assert printable(line) == line
            assert not line.startswith(FORGED), line
    return ran


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A hostile table, where pictures are not drawn."""
    monkeypatch.chdir(tmp_path)
    undrawn(monkeypatch)
    return table(tmp_path, {})


def test_scan_writes_names_as_names(hostile: Path, tmp_path: Path) -> None:
    """A column's name opens no table of the project file and ends no comment.

    Fault class: a name that becomes a key of the file it is written into.
    """
    said("scan", hostile, "--out", tmp_path / "study.toml", "--force")
    text = (tmp_path / "study.toml").read_text("utf-8")
    assert all(printable(line) == line for line in text.split("\n"))
    project = tomllib.loads(text)
    assert project["privacy"]["k"] == 5
    found = [name for columns in project["roles"].values() for name in columns]
    assert sorted(found) == sorted([AGE, SEX, NOTE])


def test_no_name_or_value_writes_a_line_of_its_own(hostile: Path, tmp_path: Path) -> None:
    """De-identifying, verifying, and applying print names on lines of their own.

    Fault class: a stranger's text printed raw.
    """
    quasi: list[str] = ["--quasi", listed(AGE, SEX)]
    release, february = tmp_path / "release", tmp_path / "february"
    made: list[str | Path] = ["--unchanged", listed(NOTE), "--force", "--out", release]
    said("anonymize", hostile, *quasi, *made)
    said("anonymize", hostile, *quasi, "--k", "121", code=2)
    said("apply", release / "policy.json", hostile, "--force", "--out", february)
    statement: list[str | Path] = ["apply", release / "policy.json", "--sql", "--table", "visits"]
    assert (
        "contains an invisible character in a name or a value; use --json" in run(*statement).error
    )
    assert AGE in run(*statement, "--json").json["sql"]
    for folder in (release, february):
        ran = run("verify", folder)
        assert ran.code == 0
        verdicts = [line for line in ran.out.split("\n") if line.startswith(("Passed", "FAILED"))]
        (verdict,) = verdicts
        assert verdict.startswith("Passed: 5-anonymity of ")
        for name in ("report.html", "certificate.json", "policy.json"):
            lines = (folder / name).read_text("utf-8").split("\n")
            assert all(printable(line) == line for line in lines)


def test_no_name_or_value_writes_a_line_in_risk_and_frontier(hostile: Path) -> None:
    """The same of the commands that only look.

    Fault class: a stranger's text printed raw.
    """
    said("risk", hostile, "--quasi", listed(AGE, SEX))
    said("frontier", hostile, "--quasi", listed(AGE, SEX))
    said("risk", hostile, "--quasi", "nobody\n" + PASSED, code=2)


def test_no_name_or_value_writes_a_line_in_differential_privacy(
    hostile: Path, tmp_path: Path
) -> None:
    """The same of commands that read names on one line, and of a private release.

    Fault class: a stranger's text printed raw.
    """
    hostile.unlink()
    source = table(tmp_path, PLAIN)
    name, target = PLAIN[AGE], PLAIN[NOTE]
    (tmp_path / "study.toml").write_text(
        '[synthesis]\nclasses = ["flu\\u2066", "co\\u009bld"]\n'
        '[domains]\n"age\\u001b[2K\\u202e" = {low = 0, high = 100}\n',
        "utf-8",
    )
    request: list[str | Path] = [
        "--project",
        tmp_path / "study.toml",
        "--quasi",
        name,
        "--target",
        target,
    ]
    out = tmp_path / "private"
    said("synthesize", source, *request, "--epsilon", "1", "--force", "--out", out)
    said("evaluate", source, *request, "--epsilon", "1", "--runs", "1")
    ran = run("verify", out)
    assert ran.code == 0
    assert all(printable(line) == line for line in ran.out.split("\n"))
