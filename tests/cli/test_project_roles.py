"""A project file decides on every column, or is refused with the line that does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import run

ROWS = 400


def project(folder: Path, roles: str) -> Path:
    """Write a table and a project file with these roles."""
    rows = (f"{20 + i % 40},{'FM'[i % 2]},{'abc'[i % 3]},{i % 4}" for i in range(ROWS))
    (folder / "patients.csv").write_text("age,sex,answer,score\n" + "\n".join(rows) + "\n")
    path = folder / "patients.toml"
    path.write_text(f'data = "patients.csv"\n\n[roles]\n{roles}\n')
    return path


def line_of(message: str) -> str:
    """Take the line that a message asks for."""
    found = re.search(r'write (undecided = "\w+")', message)
    assert found is not None, message
    return found[1]


@pytest.mark.parametrize(
    "roles",
    ['quasi = ["age", "sex"]', 'quasi = ["age", "sex"]\nundecided = [\n  "answer",\n  "score"\n]'],
    ids=["in no list", "listed as undecided"],
)
def test_the_line_that_the_refusal_asks_for_works(roles: str, tmp_path: Path) -> None:
    """Pasted where the message says, it decides on all columns. Fault class: a forgotten column."""
    path = project(tmp_path, roles)
    refused = run("anonymize", "--project", path)
    assert refused.code == 2
    assert "'answer', 'score' are undecided" in refused.err
    line = line_of(refused.err)
    told = "in place of the list undecided" if "undecided" in roles else "below [roles]"
    assert told in refused.err
    kept = re.sub(r"undecided = \[.*?\]\n?", "", roles, flags=re.DOTALL)
    project(tmp_path, f"{kept}\n{line}")
    done = run("anonymize", "--project", path)
    assert done.code == 0
    assert "Withheld, nobody decided on it: answer, score." in done.out


def test_an_option_decides_on_an_undecided_column(tmp_path: Path) -> None:
    """Options go before the file."""
    path = project(tmp_path, 'quasi = ["age", "sex"]\nundecided = ["answer", "score"]')
    done = run("anonymize", "--project", path, "--insensitive", "answer,score")
    assert done.code == 0
    assert "Released as they are: answer, score." in done.out


def test_a_column_with_a_role_is_not_undecided_too(tmp_path: Path) -> None:
    """Whoever wrote both meant one of them."""
    roles = 'quasi = ["age", "sex"]\ninsensitive = ["answer", "score"]\nundecided = ["score"]'
    refused = run("anonymize", "--project", project(tmp_path, roles))
    assert refused.code == 2
    assert "'score': is listed as insensitive and as undecided" in refused.err


def test_another_word_than_withhold_is_refused(tmp_path: Path) -> None:
    """With what may stand there."""
    roles = 'quasi = ["age", "sex"]\nundecided = "release"'
    refused = run("anonymize", "--project", project(tmp_path, roles))
    assert refused.code == 2
    assert 'write "withhold", or a list' in refused.err


def test_a_frontier_is_looked_at_with_undecided_columns_and_not_released(tmp_path: Path) -> None:
    """Only what is released needs every column decided."""
    path = project(tmp_path, 'quasi = ["age", "sex"]\nundecided = ["answer", "score"]')
    looked = run("frontier", "--project", path, "--search", "steepest")
    assert looked.code == 0
    out = tmp_path / "release"
    chosen = ("--search", "steepest", "--choose", "0", "--out", out)
    refused = run("frontier", "--project", path, *chosen)
    assert refused.code == 2
    assert "are undecided" in refused.err
    assert not out.exists()
