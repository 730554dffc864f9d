"""Formulas: what is one, and what is refused rather than read as something else."""

from __future__ import annotations

import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from roadstead.analysis.formulas import Formula, parse_formula
from roadstead.errors import SettingError


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("salary ~ age + sex", Formula("salary", ("age", "sex"))),
        ("  salary-class~native-country ", Formula("salary-class", ("native-country",))),
        ("`a + b` ~ `c ~ d` + length of stay", Formula("a + b", ("c ~ d", "length of stay"))),
        ("died ~ __import__", Formula("died", ("__import__",))),
    ],
)
def test_an_outcome_and_what_explains_it(text: str, formula: Formula) -> None:
    """Names are the texts between signs, without the blanks around them."""
    assert parse_formula(text) == formula


@pytest.mark.parametrize(
    "text",
    [
        *("", "~", "a", "a ~", "~ b", "a ~ b +", "a ~ + b", "a + b ~ c", "a ~ b ~ c"),
        *("a ~ b * c", "a ~ b:c", "a ~ log(b)", "a ~ b^2", "a ~ b | c", "a ~ `b", "a ~ ``"),
        *("a ~ a", "a ~ b + b", "a ~ `b` c"),
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    """Interactions and functions are not read as names."""
    with pytest.raises(SettingError):
        parse_formula(text)


NAMES = st.text(st.characters(exclude_characters="`", codec="utf-8"), min_size=1, max_size=8)


@given(st.lists(NAMES, min_size=2, max_size=4, unique=True))
@examples(60)
def test_any_name_can_stand_between_backquotes(names: list[str]) -> None:
    """Whatever it holds."""
    outcome, *others = names
    text = f"`{outcome}` ~ {' + '.join(f'`{name}`' for name in others)}"
    assert parse_formula(text) == Formula(outcome, tuple(others))


@given(st.text(max_size=20))
@examples(100)
def test_a_text_is_a_formula_or_an_error(text: str) -> None:
    """Nothing else happens, whatever it holds."""
    try:
        found = parse_formula(text)
    except SettingError:
        return
    assert found.outcome
    assert all(found.predictors)
