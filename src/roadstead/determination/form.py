"""The questions for a form, and the conversion between answers and a form's texts.

Invalid text stays text. The reader of the file then reports the same error as for a file that a
person wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from functools import cache
from typing import Any, Literal, NamedTuple, get_args, get_type_hints

from roadstead.determination.answers import AllAnswers, questions, sections

VARIABLES = "data.variables"
_OF_FILES = ", without quotes"
"""The part of a question that applies only to files."""


class FormQuestion(NamedTuple):
    """A question of a form. `words` lists the possible answers if the kind is ``words``."""

    key: str
    label: str
    asks: str
    kind: Literal["text", "day", "number", "words"]
    words: tuple[str, ...] = ()


@cache
def form_of() -> tuple[tuple[str, tuple[FormQuestion, ...]], ...]:
    """Return the questions by section, except the question about each column."""
    return tuple(
        (
            (section.__doc__ or "").partition("\n")[0],
            tuple(_question(key) for key in questions() if _is_of(key, name)),
        )
        for name, section in sections().items()
    )


def _is_of(key: str, section: str) -> bool:
    return key.startswith(f"{section}.") and key != VARIABLES


def _question(key: str) -> FormQuestion:
    section, _, name = key.partition(".")
    field, hint = questions()[key], get_type_hints(sections()[section])[name]
    kinds = get_args(hint)  # an answer, or None
    words = tuple(word for one in kinds for word in get_args(one) if isinstance(word, str))
    kind: Any = "words" if words else _KINDS.get(kinds[0], "text")
    asks = field.description.replace(_OF_FILES, "")
    return FormQuestion(key, field.title, asks, kind, words)


_KINDS = {date: "day", float: "number"}


def from_form(texts: Mapping[str, str]) -> dict[str, str | date | float]:
    """Return the answers in a form. An empty text is a missing answer."""
    found: dict[str, str | date | float] = {}
    for _, asked in form_of():
        for one in asked:
            if text := texts.get(one.key, "").strip():
                found[one.key] = _read(one.kind, text)
    return found


def _read(kind: str, text: str) -> str | date | float:
    with suppress(ValueError):
        if kind == "day":
            return date.fromisoformat(text)
        if kind == "number":
            return float(text)
    return text.replace("\r\n", "\n")


def to_form(answers: AllAnswers) -> tuple[dict[str, str], dict[str, str]]:
    """Return the texts for a form: one dictionary by question, and one by column."""
    texts = {key: answers.answer(key) for key in questions() if key != VARIABLES}
    variables: Any = answers.answer(VARIABLES)
    return _said(texts), _said(variables)


def _said(answers: Mapping[str, object]) -> dict[str, str]:
    return {key: str(one) for key, one in answers.items() if one is not None}
