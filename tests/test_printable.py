"""Text from outside is printed on one line, with what cannot be seen shown as an escape."""

from __future__ import annotations

import json
import sys
import tomllib
import unicodedata

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SettingError, quoted
from roadstead.printable import named, printable, printable_json, printable_toml

ANYTHING = st.text(st.characters(exclude_categories=()))
"""Text of all code points, lone surrogates included."""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("age\nPassed", r"age\nPassed"),
        ("\r\t\x0b\x00", r"\r\t\x0b\x00"),
        ("\x1b[2K\x1b[1A", r"\x1b[2K\x1b[1A"),
        ("\x7f\x85\x9b2J", r"\x7f\x85\x9b2J"),
        ("\u202eegassem\u202c", r"\u202eegassem\u202c"),
        ("\u2066\u2069\u200e\u200f\u061c", r"\u2066\u2069\u200e\u200f\u061c"),
        ("a\u200bb\ufeffc\u2060d\u00ade", r"a\u200bb\ufeffc\u2060d\xade"),
        ("a\u2028b\u2029c", r"a\u2028b\u2029c"),
        ("\ud800", r"\ud800"),
        ("\U000e0041\U000e0100", r"\U000e0041\U000e0100"),
        ("\u034f\u115f\u3164\uffa0\ufe0f", r"\u034f\u115f\u3164\uffa0\ufe0f"),
    ],
)
def test_what_cannot_be_seen_is_shown(text: str, shown: str) -> None:
    """Controls, separators, overrides and what is drawn as nothing become escapes.

    Fault class: a stranger's text printed raw.
    """
    assert printable(text) == shown


@pytest.mark.parametrize(
    "text",
    ["", "idade ao óbito", "العمر", "年齢", "возраст", "a b\u00a0c", "C:\\new", "😀"],
)
def test_letters_of_every_script_stay(text: str) -> None:
    """Ordinary characters on the screen are unchanged."""
    assert printable(text) == text


@given(ANYTHING)
def test_any_text_is_one_line_without_controls(text: str) -> None:
    """No text makes a second line or hides anything, and printing twice changes nothing."""
    shown = printable(text)
    assert len(shown.splitlines()) <= 1
    assert not {unicodedata.category(c) for c in shown} & {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"}
    assert printable(shown) == shown


def test_every_code_point_is_decided_without_an_error() -> None:
    """The whole of Unicode can be printed."""
    assert all(printable(chr(code)) for code in range(sys.maxunicode + 1))


@given(st.lists(st.text()))
def test_json_says_the_same_after_its_escapes(values: list[str]) -> None:
    """JSON for a terminal holds no control and reads back as what it was."""
    text = printable_json(json.dumps(values, ensure_ascii=False, indent=1))
    assert all(printable(line) == line for line in text.split("\n"))
    assert json.loads(text) == values


@given(st.dictionaries(st.text(min_size=1), st.lists(st.text())))
def test_a_project_file_says_the_same_after_its_escapes(values: dict[str, list[str]]) -> None:
    """TOML for people holds no control and reads back as what it was.

    Fault class: a name that becomes a key of the file it is written into.
    """
    text = printable_toml(tomlkit.dumps({"roles": values}))
    assert all(printable(line) == line for line in text.split("\n"))
    assert tomllib.loads(text) == {"roles": values}


@given(ANYTHING, ANYTHING, ANYTHING)
def test_an_error_is_one_line_without_controls(where: str, what: str, fix: str) -> None:
    """For any contents, a message is safe to print.

    Fault class: a stranger's text printed raw.
    """
    message = SettingError(what, where=where, fix=fix).message
    assert printable(message) == message


@given(ANYTHING)
def test_a_name_among_other_words_is_short_and_has_single_blanks(name: str) -> None:
    """It cannot fill a line and go on as if at the start of the next.

    Fault class: a stranger's text printed raw.
    """
    shown = named(name)
    assert printable(shown) == shown
    assert len(shown) <= 80
    assert "  " not in shown


@given(ANYTHING)
def test_a_quoted_cell_is_printable(cell: str) -> None:
    """One cell in a message is shown unchanged, or as escapes."""
    assert printable(quoted(cell)) == quoted(cell)
