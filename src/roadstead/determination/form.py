"""Provide the questions for a form, and convert between answers and the text in a form.

Invalid text is stored unchanged. When Roadstead reads the file, the error is the same as for a file
that a person wrote.
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
"""The part of a question's text that applies only in files."""


class FormQuestion(NamedTuple):
    """A question in a form. If the kind is ``words``, `words` lists the possible answers."""

    key: str
    label: str
    asks: str
    kind: Literal["text", "day", "number", "words"]
    words: tuple[str, ...] = ()


@cache
def form_of() -> tuple[tuple[str, tuple[FormQuestion, ...]], ...]:
    """Return the questions in each section, except the question that is asked for each column."""
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
    kinds = get_args(hint)  # the type of the answer, or None
    words = tuple(word for one in kinds for word in get_args(one) if isinstance(word, str))
    kind: Any = "words" if words else _KINDS.get(kinds[0], "text")
    asks = field.description.replace(_OF_FILES, "")
    return FormQuestion(key, field.title, asks, kind, words)


_KINDS = {date: "day", float: "number"}


def from_form(texts: Mapping[str, str]) -> dict[str, str | date | float]:
    """Return the answers that a form contains. An empty string is a missing answer."""
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
    """Return the text in a form as two dictionaries: by question, and by column."""
    texts = {key: answers.answer(key) for key in questions() if key != VARIABLES}
    variables: Any = answers.answer(VARIABLES)
    return _said(texts), _said(variables)


def _said(answers: Mapping[str, object]) -> dict[str, str]:
    return {key: str(one) for key, one in answers.items() if one is not None}
