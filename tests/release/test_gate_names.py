"""A gate compares column names as a reader sees them, and only ``*`` matches other letters."""

from __future__ import annotations

import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from roadstead.release.similar_names import as_read, is_like, mixed_scripts

SAME = {
    "another case": ("NAME", "name"),
    "blanks at either end": (" name\t", "name"),
    "a blank of no width": ("na\u200bme", "name"),
    "a soft hyphen": ("na\u00adme", "name"),
    "a mark that turns the direction": ("\u202ename", "name"),
    "a filler": ("name\u3164", "name"),
    "letters of full width": ("\uff4e\uff41\uff4d\uff45", "name"),
    "bold letters": ("\U0001d427\U0001d41a\U0001d426\U0001d41e", "name"),
    "a ligature": ("\ufb01rst", "first"),
    "a Cyrillic letter": ("n\u0430me", "name"),
    "Cyrillic letters alone": ("\u0412\u041c\u0406", "bmi"),
    "a Greek letter": ("n\u03bfte", "note"),
    "a blank that does not break": ("birth\u00a0date", "birth date"),
    "two blanks": ("birth  date", "birth date"),
    "a pattern": ("record_7", "record_*"),
    "a pattern of nothing": ("record_", "record_*"),
    "a pattern before": ("patient name", "*name"),
    "a pattern with a blank": ("patient name", "* name"),
    "a pattern over lines": ("record_\n7", "record_*"),
    "brackets that are brackets": ("sex [m/f]", "sex [M/F]"),
    "a question that is a question": ("alive?", "Alive?"),
}
OTHER = {
    "another letter": ("nome", "name"),
    "brackets that were letters": ("sexm", "sex[mf]"),
    "a question that was a letter": ("record_7", "record_?"),
    "a point": ("recordx7", "record.7"),
    "a part": ("surname", "name"),
    "a pattern whose blank is not there": ("surname", "* name"),
}


@pytest.mark.parametrize("kind", SAME)
def test_a_name_that_reads_the_same_is_the_same(kind: str) -> None:
    """However it is written."""
    assert is_like(*SAME[kind])


@pytest.mark.parametrize("kind", OTHER)
def test_a_name_that_reads_otherwise_is_another(kind: str) -> None:
    """Only ``*`` is special."""
    assert not is_like(*OTHER[kind])


@given(st.text(max_size=12).filter(lambda name: "*" not in name))
@examples(200)
def test_every_name_is_like_itself_and_everything(name: str) -> None:
    """Whatever characters it has; and what is read is read the same again."""
    assert is_like(name, name) or not as_read(name)
    assert is_like(name, "*")
    assert as_read(as_read(name)) == as_read(name)


def test_names_that_mix_scripts_are_found_and_honest_ones_are_not() -> None:
    """Latin letters with Cyrillic, Armenian, Cherokee or Greek ones that look like them."""
    assert mixed_scripts(["age", "n\u0430me"]) == ("n\u0430me", "Cyrillic")
    assert mixed_scripts(["n\u03bfte"]) == ("n\u03bfte", "Greek")
    assert mixed_scripts(["s\u0585x"]) == ("s\u0585x", "Armenian")
    honest = [
        "TNF-\u03b1",
        "\u03b2_blocker",
        "dose_\u00b5g",
        "\u0438\u043c\u044f",
        "BMI\u6307\u6570",
    ]
    assert mixed_scripts(honest) is None
