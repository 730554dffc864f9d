"""Labels of ages are read as the whole years that they take in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.hierarchies.age_labels import age_interval


@pytest.mark.parametrize(
    ("label", "years"),
    [
        ("42", (42, 42)),
        ("42.9", (42, 42)),
        ("80-89", (80, 89)),
        ("80\N{EN DASH}89", (80, 89)),
        ("80 to 89 years", (80, 89)),
        ("aged 80-89", (80, 89)),
        ("[80-90)", (80, 89)),
        ("[80, 90)", (80, 89)),
        ("[80;90[", (80, 89)),
        ("(79, 89]", (80, 89)),
        ("]79,89]", (80, 89)),
        ("[80, 90]", (80, 90)),
        ("90+", (90, None)),
        ("90 and over", (90, None)),
        ("90 years and over", (90, None)),
        ("85 or older", (85, None)),
        (">=90", (90, None)),
        ("\N{GREATER-THAN OR EQUAL TO}90", (90, None)),
        (">89", (90, None)),
        ("over 89", (90, None)),
        ("<5", (0, 4)),
        ("under 5", (0, 4)),
        ("<=4", (0, 4)),
        ("up to 4", (0, 4)),
        ("", None),
        ("unknown", None),
        ("<0", None),
        ("90-80", None),
        ("[80-90", None),
        ("[80-80)", None),
        ("2024-05-01", None),
        ("1234", None),
    ],
)
def test_a_label_is_read_as_whole_years(label: str, years: tuple[int, int | None] | None) -> None:
    """Both ends are taken in, but for one beside a round bracket."""
    assert age_interval(label) == years


@given(st.integers(0, 99), st.integers(1, 20))
def test_a_half_open_band_is_the_closed_one(low: int, width: int) -> None:
    """Fault class: a bound that is not taken in, read as one that is."""
    assert age_interval(f"[{low}-{low + width})") == age_interval(f"{low}-{low + width - 1}")
