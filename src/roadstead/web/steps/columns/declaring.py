"""A hierarchy as a form: what it is made of, as fields that somebody fills in, and back again.

What is written in a field becomes the declaration of a project file (`hierarchies.declare`), which
is checked where it is built: here only what cannot be a declaration at all is refused.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from math import inf, isfinite
from typing import Any, NamedTuple, get_args

from roadstead.errors import SettingError, quoted
from roadstead.hierarchies.rules import CalendarUnit

ROWS = "rows"
"""The form of a mapping that lists the labels of each value, one row a value."""
_INDENT = "  "


class HierarchyField(NamedTuple):
    """A field of the form."""

    key: str
    label: str
    shape: str  # how it is filled in: a key of `_READ`
    hint: str = ""
    needed: bool = False


class HierarchyForm(NamedTuple):
    """A kind of hierarchy, as it is chosen and filled in."""

    kind: str
    title: str
    fields: tuple[HierarchyField, ...] = ()


_ENDS = (
    HierarchyField("lowest", "Lowest possible value", "number", "else the lowest in the table"),
    HierarchyField("highest", "Highest possible value", "number", "else the highest in the table"),
)
FORMS = (
    HierarchyForm(
        "intervals",
        "Bands of equal width",
        (
            HierarchyField(
                "widths", "Widths, one a level", "numbers", "such as 5, 10, 20", needed=True
            ),
            HierarchyField("top", "One band from here on", "number", "such as 90, for 90+"),
            HierarchyField("bottom", "One band below", "number"),
            HierarchyField("origin", "Bands are counted from", "number", "else from 0"),
            *_ENDS,
        ),
    ),
    HierarchyForm(
        "cuts",
        "Bands between numbers of your own",
        (
            HierarchyField(
                "cuts", "Where to cut, one line a level", "cuts", "finest first", needed=True
            ),
            *_ENDS,
        ),
    ),
    HierarchyForm(
        "dates",
        "Calendar: day, month, year",
        (
            HierarchyField("units", "Levels", "units", needed=True),
            HierarchyField("form", "How dates are written", "text", "such as %d.%m.%Y; else ISO"),
        ),
    ),
    HierarchyForm(
        "prefix",
        "First characters of a code, such as ZIP or ICD-10",
        (
            HierarchyField(
                "keep", "Characters kept, one a level", "wholes", "such as 3, 1", needed=True
            ),
            HierarchyField("mask", "Mark in place of the others", "mark", "empty cuts them off"),
        ),
    ),
    HierarchyForm(
        "ranges",
        "Ranges in wider ranges, such as 10-19 in 0-39",
        (HierarchyField("widths", "Widths, one a level", "wholes", "such as 20, 40", True),),
    ),
    HierarchyForm(
        "ordered",
        "Neighbors in an order",
        (
            HierarchyField("order", "All values in their order, one a line", "lines", needed=True),
            HierarchyField(
                "groups", "Values a group, one number a level", "wholes", "such as 2, 4"
            ),
        ),
    ),
    HierarchyForm(
        "mapping",
        "Groups of values, as a tree",
        (
            HierarchyField(
                "groups",
                "A group on a line; what is in it on the lines below, indented",
                "tree",
                "",
                needed=True,
            ),
        ),
    ),
    HierarchyForm(
        ROWS,
        "Labels of each value, as rows",
        (
            HierarchyField(
                "levels", "A value and its labels, divided by semicolons", "rows", needed=True
            ),
        ),
    ),
    HierarchyForm(
        "codes",
        "Code book: ICD-9-CM or ICD-10-CM, by category, block and chapter",
        (HierarchyField("book", "Code book", "book", needed=True),),
    ),
    HierarchyForm("flat", "As it is, or not at all"),
    HierarchyForm(
        "file",
        "A hierarchy file (ARX)",
        (
            HierarchyField("path", "Path of the file", "text", needed=True),
            HierarchyField("delimiter", "Delimiter", "text", "else found out"),
        ),
    ),
)
"""All kinds, in the order in which they are offered."""
UNITS = get_args(CalendarUnit)
BOOKS: Mapping[str, str] = {"icd10": "ICD-10-CM", "icd9": "ICD-9-CM"}
"""The code books, as they are called."""


def form_named(kind: str) -> HierarchyForm:
    """Give the form of a kind."""
    found = next((one for one in FORMS if one.kind == kind), None)
    if found is None:
        raise SettingError(
            f"{quoted(kind)} is no kind of hierarchy", fix="choose one of those offered"
        )
    return found


def kind_of(spec: Mapping[str, Any]) -> str:
    """Say which form a declaration is filled in with."""
    kind = str(spec.get("kind", ""))
    return ROWS if kind == "mapping" and spec.get("levels") is not None else kind


def filled_in(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Write the fields of a declaration as a form shows them."""
    form = form_named(kind_of(spec))
    return {one.key: _WRITTEN[one.shape](spec[one.key]) for one in form.fields if one.key in spec}


def declaration(kind: str, given: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Make a declaration of what was filled in; what was left empty is not in it."""
    spec: dict[str, Any] = {"kind": "mapping" if kind == ROWS else kind}
    for one in form_named(kind).fields:
        texts = [text.replace("\r\n", "\n") for text in given.get(one.key, ())]
        empty = not any(text.strip() for text in texts)
        if one.shape == "mark":
            spec[one.key] = texts[0].strip() if texts else "*"
        elif not empty:
            spec[one.key] = _READ[one.shape](texts, one.label)
        elif one.needed:
            fix = f"fill it in, {one.hint}" if one.hint.startswith("such") else "fill it in"
            raise SettingError("is empty", where=one.label, fix=fix)
        elif one.shape == "wholes":
            spec[one.key] = []
    return spec


def _number(text: str, label: str) -> int | float:
    try:
        found = float(Decimal(text.strip()))
    except InvalidOperation:
        found = inf
    if not isfinite(found):
        raise SettingError(
            f"{quoted(text.strip())} is not a number", where=label, fix="write one such as 5 or 0.5"
        )
    return int(text) if re.fullmatch(r"\s*[+-]?\d+\s*", text, re.ASCII) else found


def _whole(text: str, label: str) -> int:
    found = _number(text, label)
    if not isinstance(found, int):
        raise SettingError(
            f"{quoted(text)} is not a whole number", where=label, fix="write one such as 5"
        )
    return found


def _parts(text: str) -> list[str]:
    return [part for part in re.split(r"[,;\s]+", text) if part]


def _numbers(texts: Sequence[str], label: str) -> list[int | float]:
    return [_number(part, label) for part in _parts(texts[0])]


def _wholes(texts: Sequence[str], label: str) -> list[int]:
    return [_whole(part, label) for part in _parts(texts[0])]


def _cuts(texts: Sequence[str], label: str) -> list[list[int | float]]:
    return [_numbers([line], label) for line in texts[0].split("\n") if line.strip()]


def _units(texts: Sequence[str], _: str) -> list[str]:
    return [unit for unit in UNITS if unit in texts]


def _text(texts: Sequence[str], _: str) -> str:
    return texts[0].strip()


def _line(text: str) -> str:
    """Write a value so that it stands on one line and is read back as it is."""
    plain = text and text == text.strip() and not text.startswith('"') and text.isprintable()
    return text if plain else json.dumps(text)


def _value(line: str, label: str) -> str:
    written = line.strip()
    if not written.startswith('"'):
        return written
    try:
        found = json.loads(written)
    except ValueError:
        found = None
    if not isinstance(found, str):
        raise SettingError(
            "a line begins with a quotation mark and is no quoted text",
            where=label,
            fix='close it: "I21"',
        )
    return found


def _lines(texts: Sequence[str], label: str) -> list[str]:
    return [_value(line, label) for line in texts[0].split("\n") if line.strip()]


def _tree(texts: Sequence[str], label: str) -> dict[str, Any]:
    """Read groups by how far their lines are indented."""
    lines = [line.expandtabs(4).rstrip() for line in texts[0].split("\n") if line.strip()]
    entries = [(len(line) - len(line.lstrip()), _value(line, label)) for line in lines]
    top: list[tuple[str, list[Any]]] = []
    open_: list[tuple[int, list[Any]]] = [(-1, top)]
    for indent, value in entries:
        while indent <= open_[-1][0]:
            open_.pop()
        inside: list[Any] = []
        open_[-1][1].append((value, inside))
        open_.append((indent, inside))
    found = _grouped(top, label)
    if not isinstance(found, dict):
        raise SettingError(
            "no value is in a group", where=label, fix="write a group, and indent its values"
        )
    return found


def _grouped(entries: Sequence[tuple[str, list[Any]]], label: str) -> dict[str, Any] | list[str]:
    """Make a list of values, or a table of groups; what is both at once is refused."""
    names = [value for value, _ in entries]
    inner = [value for value, inside in entries if inside]
    if not inner:
        return names
    if len(inner) < len(names):
        alone = next(value for value, inside in entries if not inside)
        raise SettingError(
            f"{quoted(alone)} stands next to groups and is in none",
            where=label,
            fix="put it into a group, or indent what is in it",
        )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise SettingError(
            f"there are two groups {quoted(twice)}", where=label, fix="put them together"
        )
    return {value: _grouped(inside, label) for value, inside in entries}


def _rows(texts: Sequence[str], label: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    try:
        rows = [*csv.reader(io.StringIO(texts[0].strip("\n")), delimiter=";", strict=True)]
    except csv.Error:
        raise SettingError(
            "a row cannot be divided", where=label, fix="close every quotation mark"
        ) from None
    for value, *labels in filter(None, rows):
        if value in found:
            raise SettingError(
                f"the value {quoted(value)} stands in two rows", where=label, fix="keep one of them"
            )
        found[value] = labels
    return found


def _branches(groups: Any, depth: int = 0) -> Iterator[str]:  # noqa: ANN401 - a tree
    entries = groups.items() if isinstance(groups, Mapping) else ((one, ()) for one in groups)
    for value, inside in entries:
        yield _INDENT * depth + _line(str(value))
        yield from _branches(inside, depth + 1)


def _in_rows(levels: Mapping[str, Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=";", lineterminator="\n").writerows(
        [value, *labels] for value, labels in levels.items()
    )
    return text.getvalue()


def _joined(values: Sequence[object]) -> str:
    return ", ".join(map(str, values))


_READ: Mapping[str, Callable[[Sequence[str], str], Any]] = {
    "number": lambda texts, label: _number(texts[0], label),
    "numbers": _numbers,
    "wholes": _wholes,
    "cuts": _cuts,
    "units": _units,
    "text": _text,
    "mark": _text,
    "book": _text,
    "lines": _lines,
    "tree": _tree,
    "rows": _rows,
}
"""How a field of each shape is read, from its texts and its label."""
_WRITTEN: Mapping[str, Callable[[Any], Any]] = {
    "number": str,
    "numbers": _joined,
    "wholes": _joined,
    "cuts": lambda cuts: "\n".join(map(_joined, cuts)),
    "units": list,
    "text": str,
    "mark": str,
    "book": str,
    "lines": lambda lines: "\n".join(_line(str(one)) for one in lines),
    "tree": lambda groups: "\n".join(_branches(groups)),
    "rows": _in_rows,
}
"""How it is written again."""
