"""A name that was mistyped is answered with the one that was meant, in every place for names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from commands import run
from small_tables import PATIENTS, patients, write_csv

from roadstead.near_names import did_you_mean, nearest


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("agee", ["sex", "age"], "age"),
        ("AGE", ["sex", "age"], "age"),
        (" age", ["sex", "age "], "age "),
        ("zip_code", ["sex", "age"], None),
        ("", ["sex", "age"], None),
        ("age", [], None),
    ],
)
def test_the_nearest_name_is_found_whatever_its_case_and_blanks(
    name: str, known: Sequence[str], meant: str | None
) -> None:
    """None where no name is near."""
    assert nearest(name, known) == meant


def test_one_name_is_offered_or_else_all() -> None:
    """One, even where two are near."""
    known = ["quality", "quasi"]
    assert did_you_mean("quazi", known) == "did you mean quasi?"
    assert did_you_mean("quazi", known, show=repr) == "did you mean 'quasi'?"
    assert did_you_mean("xyz", known) == "use one of quality, quasi"
    assert did_you_mean("xyz", known, "leave it out") == "leave it out"


_ROLES = ("--quasi", "age,sex,zip", "--identifiers", "name,record", "--undecided", "withhold")


@pytest.fixture(name="place")
def fixture_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table of patients."""
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "patients.csv", PATIENTS, patients(60))
    return tmp_path


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (("anonymise", "patients.csv"), "did you mean anonymize?"),
        (("anonymize", "patients.csv", "--quazi", "age"), "did you mean --quasi?"),
        (("anonymize", "patient.csv", *_ROLES), "did you mean patients.csv?"),
        (("anonymize", "patients.csv", "--quasi", "agee"), "did you mean 'age'?"),
        (
            ("anonymize", "patients.csv", *_ROLES, "--privacy", "t-closenes:t=0.2"),
            "did you mean t-closeness?",
        ),
        (
            ("anonymize", "patients.csv", *_ROLES, "--privacy", "k-map:kk=5"),
            "did you mean k?",
        ),
        (("anonymize", "patients.csv", *_ROLES, "--quality", "entropi"), "did you mean entropy?"),
        (("anonymize", "patients.csv", *_ROLES, "--search", "exakt"), "did you mean exact?"),
        (("anonymize", "patients.csv", *_ROLES, "--recoding", "locl"), "did you mean local?"),
        (("anonymize", "patients.csv", *_ROLES, "--max-level", "agee=1"), "did you mean 'age'?"),
        (("anonymize", "patients.csv", *_ROLES, "--weight", "agee=1"), "did you mean 'age'?"),
        (
            ("anonymize", "patients.csv", *_ROLES, "--treat", "roundin:column=age,base=5"),
            "did you mean rounding?",
        ),
        (
            ("anonymize", "patients.csv", *_ROLES, "--treat", "rounding:colum=age,base=5"),
            "did you mean column?",
        ),
        (
            ("frontier", "patients.csv", "--quasi", "age,sex", "--risk-measure", "at-rsk"),
            "did you mean at-risk?",
        ),
        (
            ("frontier", "patients.csv", "--quasi", "age,sex", "--order", "sexx=f,m"),
            "did you mean 'sex'?",
        ),
        (("schema", "certificat"), "did you mean certificate?"),
    ],
)
def test_every_mistyped_name_is_answered_with_one(given: tuple[str, ...], meant: str) -> None:
    """For a command, an option, a file, a column, a model, a parameter, a measure, and a search."""
    ran = run(*given)
    assert ran.code == 2
    assert meant in ran.error
    assert "ossible" not in ran.error
    assert ran.error.lower().count("did you mean") == 1
