"""Columns without a decision in a project file are withheld, or refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import run

ROWS = 400


def project(folder: Path, roles: str) -> Path:
    """Write a table and a project file with these roles."""
    rows = (f"{20 + i % 40},{'FM'[i % 2]},{'abc'[i % 3]},{i % 5}" for i in range(ROWS))
    (folder / "patients.csv").write_text("age,sex,answer,score\n" + "\n".join(rows) + "\n")
    path = folder / "patients.toml"
    path.write_text(f'data = "patients.csv"\n\n[roles]\n{roles}\n')
    return path


@pytest.mark.parametrize(
    "roles",
    ['quasi = ["age", "sex"]', 'quasi = ["age", "sex"]\nundecided = [\n  "answer",\n  "score"\n]'],
    ids=["in no list", "listed as undecided"],
)
def test_what_a_project_file_leaves_open_is_withheld(roles: str, tmp_path: Path) -> None:
    """The first lines say so where the file lists it, the last ones have the line to paste."""
    done = run("anonymize", "--project", project(tmp_path, roles))
    assert done.code == 0
    listed = "Withheld, because patients.toml lists them as undecided"
    assert done.out.startswith(listed) == ("undecided" in roles)
    block = done.out[done.out.index("To release columns unchanged:") :]
    assert block.startswith("To release columns unchanged: --unchanged answer,score\n")
    written = block.splitlines()[-1]
    assert written.endswith('unchanged = ["answer", "score"]')
    assert ("and remove the columns from undecided" in block) == ("undecided" in roles)
    kept = re.sub(r"undecided = \[.*?\]\n?", "", roles, flags=re.DOTALL)
    pasted = written[written.index("unchanged = ") :]
    done = run("anonymize", "--project", project(tmp_path, f"{kept}\n{pasted}"))
    assert "Released unchanged: answer, score." in done.out
    assert "Withheld" not in done.out


def test_columns_that_an_option_releases_are_not_called_withheld(tmp_path: Path) -> None:
    """Fault class: the first line named released columns as withheld."""
    path = project(tmp_path, 'quasi = ["age", "sex"]\nundecided = ["answer", "score"]')
    done = run("anonymize", "--project", path, "--undecided", "release")
    assert done.code == 0
    assert "Withheld" not in done.out


@pytest.mark.parametrize("by", ["the file", "the option"])
def test_columns_without_a_role_are_refused_where_the_request_says_so(
    by: str, tmp_path: Path
) -> None:
    """The message names them. Fault class: a forgotten column."""
    roles = 'quasi = ["age", "sex"]'
    more = ["--undecided", "refuse"] if by == "the option" else []
    path = project(tmp_path, roles if more else f'{roles}\nundecided = "refuse"')
    for verb in (["anonymize"], ["frontier", "--choose", "0", "--out", tmp_path / "out"]):
        refused = run(*verb, "--project", path, *more)
        assert refused.code == 2
        assert "'answer', 'score' have no role" in refused.err


def test_an_option_decides_on_an_undecided_column(tmp_path: Path) -> None:
    """Options override the file."""
    path = project(tmp_path, 'quasi = ["age", "sex"]\nundecided = ["answer", "score"]')
    done = run("anonymize", "--project", path, "--unchanged", "answer,score")
    assert done.code == 0
    assert "Released unchanged: answer, score." in done.out


def test_a_column_with_a_role_is_not_undecided_too(tmp_path: Path) -> None:
    """A file with both is ambiguous."""
    roles = 'quasi = ["age", "sex"]\nunchanged = ["answer", "score"]\nundecided = ["score"]'
    refused = run("anonymize", "--project", project(tmp_path, roles))
    assert refused.code == 2
    assert "'score': the column is listed as unchanged and as undecided" in refused.err


def test_a_word_that_is_not_known_is_refused(tmp_path: Path) -> None:
    """With the words that are."""
    roles = 'quasi = ["age", "sex"]\nundecided = "judge"'
    refused = run("anonymize", "--project", project(tmp_path, roles))
    assert refused.code == 2
    assert 'write "withhold", "refuse", or "release", or a list' in refused.err
    roles = 'quasi = ["age", "sex"]'
    refused = run("anonymize", "--project", project(tmp_path, roles), "--undecided", "judge")
    assert refused.code == 2
    assert "write --undecided release, which does the same" in refused.err


def test_a_chosen_policy_releases_no_undecided_column(tmp_path: Path) -> None:
    """A frontier is looked at without decisions; a release withholds what has no role."""
    path = project(tmp_path, 'quasi = ["age", "sex"]\nundecided = ["answer", "score"]')
    looked = run("frontier", "--project", path, "--search", "steepest")
    assert looked.code == 0
    out = tmp_path / "release"
    done = run("frontier", "--project", path, "--search", "steepest", "--choose", "0", "--out", out)
    assert done.code == 0
    assert done.out.startswith("Withheld, because patients.toml lists them as undecided")
    assert done.out.splitlines()[-1].endswith('unchanged = ["answer", "score"]')
    (table,) = (out / "release").glob("*.csv")
    assert table.read_text("utf-8").startswith("age,sex\n")
