"""A hint on the command line works when it is pasted into a shell, for all names of columns."""

from __future__ import annotations

import random
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import run, without_charts

from roadstead.front_end import argument, naming, option
from roadstead.requests.texts import split
from roadstead.requests.writing import CommandNaming, names_of_options
from roadstead.verbs.catalog import REQUESTS

COLUMNS = (
    "Patient ID",
    "Vital status",
    "Weight kg",
    "ZIP, home",
    "Ward's name",
    "Charges ($)",
    "Bill no",
)
_OPTION = re.compile(r"--(?P<name>[a-z-]+) (?P<rest>\S.*)")
_NAMES = ("quasi", "sensitive", "identifiers", "unchanged", "release-anyway", "person")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a table whose columns have blanks, commas, quotes, and a dollar sign."""
    without_charts(monkeypatch)
    monkeypatch.chdir(tmp_path)
    draw = random.Random(3)  # noqa: S311 - no secret
    rows = [",".join(f'"{name}"' for name in COLUMNS)]
    for at in range(600):
        weight = 999 if at % 40 == 0 else draw.randrange(50, 110)
        status = "not asked" if at % 9 == 0 else draw.choice(["alive", "dead"])
        ward = draw.choice(["A", "B"])
        rows.append(
            f"P{at // 2:04},{status},{weight},0{draw.randrange(1801, 1860)},{ward},"
            f"{1000 + 7 * at},{40_001 + at}"
        )
    Path("our table.csv").write_text("\n".join([*rows, ""]), encoding="utf-8")


def hints(text: str) -> Iterator[tuple[str, str]]:
    """Yield each option in a text with its first word, as a shell reads them."""
    for line in text.splitlines():
        for at in [one.start() for one in re.finditer(r"--[a-z]", line)]:
            if (found := _OPTION.match(line, at)) is None:
                continue
            lexer = shlex.shlex(found["rest"], posix=True, punctuation_chars=False)
            lexer.whitespace_split, lexer.commenters = True, ""
            word = str(lexer.get_token()).rstrip(".,;:")
            if word != "to":  # as in "add it to --quasi to generalize it"
                yield found["name"], word


COMMANDS = {
    "scan": (),
    "risk": ("--quasi", 'Vital status,Weight kg,"ZIP, home"'),
    "anonymize": ("--quasi", "Vital status,Weight kg", "--sensitive", "Charges ($),Ward's name"),
    "frontier": ("--quasi", "Vital status,Weight kg", "--sensitive", "Charges ($),Ward's name"),
    "anonymize of an ID": ("--quasi", "Vital status", "--unchanged", "Bill no"),
    "anonymize of a place": ("--quasi", "Vital status", "--unchanged", '"ZIP, home"'),
}
EXPECTED = {
    "scan": "missing",
    "risk": "missing",
    "anonymize": "person",
    "anonymize of an ID": "release-anyway",
    "anonymize of a place": "release-anyway",
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("what", COMMANDS)
def test_each_column_in_a_hint_is_a_column_of_the_table(what: str) -> None:
    """Fault class: --quasi Vital status, which a shell reads as two words."""
    ran = run(what.split(maxsplit=1)[0], "our table.csv", *COMMANDS[what])
    found = list(hints(ran.out + ran.err))
    names = [name for option_name, text in found if option_name in _NAMES for name in split([text])]
    assert {*names} <= {*COLUMNS, "COLUMN", "NAME", "or"}, found
    codes = [text for name, text in found if name == "missing"]
    assert {*codes} <= {"Weight kg=999", "Vital status=not asked"}, found
    assert what not in EXPECTED or EXPECTED[what] in {name for name, _ in found}, ran.out + ran.err


def test_values_of_options_are_read_back_by_a_shell() -> None:
    """One value, one word; codes that mean missing need one option each."""
    with naming(CommandNaming(names_of_options(REQUESTS))):
        assert option("missing", ["a b=1", "c=2"]) == "--missing 'a b=1' --missing c=2"
        assert option("quasi", ["a, b", "c d"]) == """--quasi '"a, b",c d'"""
        assert option("values", {"a b": ("x y", "z")}) == "--values 'a b=x y,z'"
        assert option("privacy", {"kind": "k-map", "k": 5}) == "--privacy k-map:k=5"
        assert option("out", "it's") == """--out 'it'"'"'s'"""
        assert argument("a b.xlsx?sheet=1") == "'a b.xlsx?sheet=1'"
    assert option("quasi", ["a, b"]) == 'quasi=["a, b"]'
    assert argument("a b.xlsx?sheet=1") == "a b.xlsx?sheet=1"
