"""A setting that a sentence names becomes a button, unless the user must write a value."""

from __future__ import annotations

import pytest

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
