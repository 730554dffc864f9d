"""Create the text of a new ``determination.toml`` that contains every question."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from textwrap import wrap

from roadstead.determination.answers import NOT_ASSESSED, questions, sections
from roadstead.printable import printable_toml

_WIDTH = 98
_HEAD = (
    "This file is for facts about a release that only people know. Each line has the "
    "answer to the question above it. If you know the answer, write it in place of "
    f'"{NOT_ASSESSED}". Otherwise, leave the line unchanged: the document then shows that '
    "the question was not assessed. Put text in quotes. If an answer has several lines, "
    'use """ ... """. The file has the questions of all regulators, so the same answers can be '
    "used for each of them. A document for one regulator shows only some of the answers. Its "
    "points combine answers with figures of the release, so it has fewer points than the file has "
    "questions. Leave the other questions unchanged."
)
_ABOUT = (
    "The release that the answers are about, identified by the SHA-256 of its "
    "certificate. If a release is made again, or if attacks are added to its certificate, "
    "the certificate changes: review every answer, then change the SHA-256. If the "
    "answers are about several releases, add one [[release]] per release at the end. If "
    "an answer is different for one release, write it below the [[release]], in a table "
    "such as [release.expert]."
)


def new_answers(
    certificate: str,
    name: str,
    columns: Sequence[str],
    answers: Mapping[str, str | date | float] | None = None,
    variables: Mapping[str, str] | None = None,
) -> str:
    """Return the text of a file that has all questions about a release, and one line per column.

    `answers` maps questions to known answers. `variables` maps columns to known reasons.
    """
    answered, reasons = answers or {}, variables or {}
    lines = [*_comment(_HEAD), "", "roadstead_determination = 1", "", *_comment(_ABOUT)]
    lines += ["[[release]]", f"name = {_text(name)}", f'certificate = "{certificate}"']
    for table, section in sections().items():
        head = (section.__doc__ or "").partition("\n")[0]
        own = [key for key in questions() if key.startswith(f"{table}.")]
        lines += ["", "", *_comment(head), f"[{table}]"]
        for key in own:
            if key != "data.variables":
                said = questions()[key].description
                value = _value(answered.get(key, NOT_ASSESSED))
                lines += [*_comment(said), f"{key.partition('.')[2]} = {value}"]
        if f"{table}.variables" in own:
            lines += ["", *_comment(questions()["data.variables"].description), "[data.variables]"]
            asked = dict.fromkeys((*columns, *reasons))
            lines += [
                f"{_text(column)} = {_text(reasons.get(column, NOT_ASSESSED))}" for column in asked
            ]
    return printable_toml("\n".join(lines) + "\n")


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in wrap(text, _WIDTH)]


def _value(value: str | date | float) -> str:
    if isinstance(value, str):
        return _text(value)
    return value.isoformat() if isinstance(value, date) else repr(value)


def _text(value: str) -> str:
    """Return a TOML string. In TOML, the character U+007F must be escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
