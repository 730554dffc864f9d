"""A column whose name has blanks around it can be named exactly.

Fault class: a forgotten column. A column that cannot be named has no role.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from commands import run

from roadstead.errors import RoleError, SettingError, SourceError
from roadstead.requests.texts import pairs, split
from roadstead.tables.frequency import summarize
from roadstead.tables.reading import read

if TYPE_CHECKING:
    from pathlib import Path

TABLE = " age ,sex\n" + "30,f\n" * 5 + "40,m\n" * 5


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (["a,b"], ("a", "b")),
        ([" a , b ", "c"], ("a", "b", "c")),
        (['" age ",sex'], (" age ", "sex")),
        (['sex, " age "'], ("sex", " age ")),
        (['"a,b",c'], ("a,b", "c")),
        (['"say ""x""",c'], ('say "x"', "c")),
        (['"line\nbreak",c'], ("line\nbreak", "c")),
        (["a,,b,", "", '""', '" "'], ("a", "b")),
        (["it's"], ("it's",)),
        (None, ()),
    ],
)
def test_names_in_quotes_are_taken_as_they_are(
    given: list[str] | None, names: tuple[str, ...]
) -> None:
    """And those without lose the blanks around them."""
    assert split(given) == names


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (["age = 2,sex=1"], {"age": "2", "sex": "1"}),
        (['" age "=2'], {" age ": "2"}),
        (['" age =2"'], {" age ": "2"}),
        (['"a,b=3",c=1'], {"a,b": "3", "c": "1"}),
        (["a=b=3"], {"a=b": "3"}),
    ],
)
def test_pairs_keep_the_blanks_of_a_name_in_quotes(given: list[str], found: dict[str, str]) -> None:
    """Whether the name is in quotes or the pair."""
    assert pairs(given, "--weight") == found


def test_a_line_break_outside_quotes_is_refused() -> None:
    """It could be the end of a name, or a part of it."""
    with pytest.raises(SettingError, match="line break"):
        split(["a\nb"])


def test_a_name_with_blanks_is_suggested_and_can_be_given(tmp_path: Path) -> None:
    """In a command, and in Python."""
    (tmp_path / "t.csv").write_text(TABLE)
    ran = run("risk", tmp_path / "t.csv", "--quasi", "age,sex")
    assert ran.code == 2
    assert "did you mean ' age '? It has blanks around it" in ran.error
    assert """on the command line, write '" age "'""" in ran.error
    ran = run("risk", tmp_path / "t.csv", "--quasi", '" age ",sex')
    assert ran.code == 0, ran.error
    with read(tmp_path / "t.csv") as source:
        assert summarize(source, (" age ",)).domains == (("30", "40"),)
        with pytest.raises(RoleError, match="blanks around it"):
            summarize(source, ("age",))


def test_a_project_file_names_it_as_it_is(tmp_path: Path) -> None:
    """In TOML a text keeps its blanks."""
    (tmp_path / "t.csv").write_text(TABLE)
    (tmp_path / "p.toml").write_text(
        'data = "t.csv"\n[roles]\nquasi = [" age ", "sex"]\n[privacy]\nk = 3\n'
    )
    ran = run("anonymize", "--project", tmp_path / "p.toml", "--out", tmp_path / "out")
    assert ran.code == 0, ran.error
    assert (tmp_path / "out" / "t.csv").read_text().startswith(" age ,sex\n")


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("age, age", "differ only in the blanks around them"),
        ("age,Age", "differ only in case"),
        ("age,age", "2 columns are named 'age'"),
        ("age, ", "column 2 has no name"),
        ('age,""', "column 2 has no name"),
    ],
)
def test_names_that_people_confuse_are_refused(tmp_path: Path, header: str, says: str) -> None:
    """Users would confuse one of the two with the other."""
    (tmp_path / "t.csv").write_text(f"{header}\n1,2\n3,4\n")
    with pytest.raises(SourceError, match=says):
        read(tmp_path / "t.csv", header=True)
