"""A setting that a sentence names becomes a button, unless the user must write a value."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

from roadstead.requests.fields import options_of
from roadstead.verbs.attack.request import AttackRequest
from roadstead.web.pages import STEPS
from roadstead.web.steps.columns.roles import ROLE_WORDS
from roadstead.web.suggested import suggestions
from roadstead.web.words import LABELS


@pytest.mark.parametrize(
    ("key", "value", "offered"),
    [
        ("missing", "age=999", True),
        ("missing", "Birth Date=VALUE", False),
        ("skip_rows", "2-3", True),
        ("skip_rows", "ROWS", False),
    ],
)
def test_a_placeholder_is_not_offered_as_a_button(key: str, value: str, *, offered: bool) -> None:
    """A button would store the placeholder as a code, and change nothing."""
    found = suggestions(f"If so, use {LABELS[key]}: {value}.")
    assert [(one.key, one.value) for one in found] == ([(key, value)] if offered else [])


def test_a_message_names_fields_as_the_page_does() -> None:
    """Fault class: advice to use "min level", which the page calls "Lowest level allowed"."""
    folder = files("roadstead.web") / "templates"
    shown = "".join(one.read_text("utf-8") for one in Path(str(folder)).rglob("*.html"))
    shown += "".join(one.title for one in (*ROLE_WORDS, *STEPS))
    shown += options_of(AttackRequest)["certify"].help
    quoted = {one for label in LABELS.values() for one in re.findall("“(.+?)”", label)}
    assert [one for one in quoted if one not in shown] == []
