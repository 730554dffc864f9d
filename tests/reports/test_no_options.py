"""Pages for privacy officers name things, not options; a command is in an appendix alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import run

import roadstead as rs
from roadstead.cohort import write_csv

_APPENDIX = re.compile(
    r'<section id="(?:made|method|methods)".*?</section>|<script\b.*?</script>|<style\b.*?</style>',
    re.DOTALL,
)
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+\b(?!\))")
_QUASI = ["sex", "race", "zip"]
_OTHERS = ["record_number", "name", "birth_date", "admission_date", "diagnosis"]
_CLASSES = ["discharged home", "transferred", "died", "left against advice"]


def _release(patients: Path, folder: Path) -> Path:
    columns = ("--quasi", ",".join(_QUASI), "--identifiers", "record_number,name,birth_date")
    more = ("--unchanged", "length_of_stay", "--sensitive", "outcome", "--suppression", "0.2")
    done = run("anonymize", patients, *columns, *more, "--k", "3", "--out", folder / "release")
    assert done.code == 0, done.err
    return folder / "release"


def _report(patients: Path, folder: Path) -> Path:
    return _release(patients, folder) / "report.html"


def _attacked(patients: Path, folder: Path) -> Path:
    release = _release(patients, folder)
    done = run("attack", release, "--original", patients, "--attacks", "linkage,scan", "--certify")
    assert done.code in {0, 1}, done.err
    return release / "attacks.html"


def _frontier(patients: Path, folder: Path) -> Path:
    columns = ("--quasi", ",".join(_QUASI), "--identifiers", ",".join(_OTHERS))
    done = run("frontier", patients, *columns, "--out", folder / "frontier")
    assert done.code == 0, done.err
    return folder / "frontier" / "frontier.html"


def _risk(patients: Path, folder: Path) -> Path:
    done = run("risk", patients, "--quasi", ",".join(_QUASI), "--out", folder / "risk")
    assert done.code == 0, done.err
    return folder / "risk" / "risk.html"


def _private(patients: Path, folder: Path) -> Path:
    rs.synthesize(
        patients,
        epsilon=1,
        target="outcome",
        classes=_CLASSES,
        values={"sex": ["female", "male"]},
        ranges={"length_of_stay": "1..60"},
        specializations=3,
    ).write(folder / "private")
    return folder / "private" / "report.html"


def _compared(patients: Path, folder: Path) -> Path:
    release = _release(patients, folder)
    done = run("evaluate", release, "--original", patients, "--out", folder / "compared")
    assert done.code == 0, done.err
    return folder / "compared" / "evaluation.html"


def _determined(patients: Path, folder: Path) -> Path:
    release = _release(patients, folder)
    done = run("determine", release, "--dialect", "hipaa", "--out", folder / "determined")
    assert done.code == 0, done.err
    return next((folder / "determined").glob("*.html"))


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "make", [_report, _attacked, _frontier, _risk, _private, _compared, _determined]
)
def test_no_option_of_the_command_line_is_on_a_page(
    make: Callable[[Path, Path], Path], tmp_path: Path
) -> None:
    """Outside of the appendix that says how the page was made."""
    patients = tmp_path / "patients.csv"
    write_csv(patients, 300, seed=3)
    page = make(patients, tmp_path).read_text(encoding="utf-8")
    text = re.sub(r"<[^>]*>", " ", _APPENDIX.sub("", page))
    assert not _OPTION.findall(text)
    assert not re.search(r"roadstead (?!verify FOLDER|\d)[a-z]+ ", text)
