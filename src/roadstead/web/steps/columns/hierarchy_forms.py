"""Convert a hierarchy to a form with fields, and convert the fields back to a declaration.

The declaration is checked when the hierarchy is built. This module rejects only input that cannot
be a declaration at all.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, get_args

from pydantic.fields import FieldInfo

from roadstead.code_systems.system import systems
from roadstead.errors import SettingError, quoted
from roadstead.hierarchies.calendar_units import CalendarUnit
from roadstead.hierarchies.declare import KINDS, Character, CodeBook, Exact, Mask, Whole
from roadstead.web.typed_numbers import number_in

ROWS = "rows"
"""The form of a mapping that lists the labels of each value, with one row per value."""
_INDENT = "  "
_NUMBER = "enter a number, for example, 5 or 0.5"


class HierarchyField(NamedTuple):
    """A field of the form."""

    key: str
    label: str
    shape: str  # the kind of input: a key of `_READ`
    hint: str = ""
    needed: bool = False
    default: Any = None  # what a declaration without this key means


class HierarchyForm(NamedTuple):
    """A kind of hierarchy and its form."""

    kind: str
    title: str
    fields: tuple[HierarchyField, ...] = ()


_SHAPES: tuple[tuple[Any, str], ...] = (
    (Exact | None, "number"),
    (Exact, "number"),
    (Whole | None, "whole"),
    (tuple[Exact, ...], "numbers"),
    (tuple[Whole, ...], "wholes"),
    (tuple[int, ...], "wholes"),
    (tuple[tuple[Exact, ...], ...], "cuts"),
    (tuple[CalendarUnit, ...], "units"),
    (tuple[str, ...], "lines"),
    (dict[str, Any] | None, "tree"),
    (dict[str, tuple[str, ...]] | None, "rows"),
    (CodeBook, "book"),
    (bool, "tick"),
    (Mask, "mark"),
    (Character | None, "character"),
)
"""The kind of input for each type of key. For all other types, the input is one line of text."""
_NEEDED = ("units", "tree", "rows")
"""The kinds of input that have no default."""
_MAY_BE_EMPTY = ("ordered", "groups")
_ROWS_TITLE = "Labels of each value, one row per value"


def _field(kind: str, key: str, declared: FieldInfo) -> HierarchyField:
    # Pydantic separates a type from its annotations.
    given = Exact if declared.annotation is Decimal else declared.annotation
    shape = next((shape for type_, shape in _SHAPES if type_ == given), "text")
    needed = declared.is_required() or shape in _NEEDED
    return HierarchyField(
        key,
        declared.title or key,
        shape,
        declared.description or "",
        needed and (kind, key) != _MAY_BE_EMPTY,
        None if declared.is_required() else declared.default,
    )


def _forms() -> Iterator[HierarchyForm]:
    """Yield a form for each kind of declaration.

    Mappings have two forms: as a tree, and as rows.
    """
    for kind, declared in KINDS.items():
        keys = {key: one for key, one in declared.model_fields.items() if key != "kind"}
        fields = {key: _field(kind, key, one) for key, one in keys.items()}
        title = declared.model_config["title"] or kind
        if kind == "mapping":
            yield HierarchyForm(kind, title, (fields["groups"],))
            yield HierarchyForm(ROWS, _ROWS_TITLE, (fields["levels"],))
        else:
            yield HierarchyForm(kind, title, tuple(fields.values()))


FORMS = tuple(_forms())
"""All kinds of forms, in the order of the page."""
UNITS = get_args(CalendarUnit)
BOOKS: Mapping[str, str] = {
    name: system.values[0].upper() + system.values[1:] for name, system in systems().items()
}
"""The code systems, and the names of their codes."""


def form_named(kind: str) -> HierarchyForm:
    """Return the form for a kind of hierarchy."""
    found = next((one for one in FORMS if one.kind == kind), None)
    if found is None:
        raise SettingError(
            f"{quoted(kind)} is not a kind of hierarchy", fix="choose a kind from the list"
        )
    return found


def kind_of(spec: Mapping[str, Any]) -> str:
    """Return the kind of form that fits a declaration."""
    kind = str(spec.get("kind", ""))
    return ROWS if kind == "mapping" and spec.get("levels") is not None else kind


def filled_in(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a declaration to the contents of a form's fields. Omitted keys show their default."""
    form = form_named(kind_of(spec))
    given = {one: spec.get(one.key, one.default) for one in form.fields}
    return {one.key: _WRITTEN[one.shape](own) for one, own in given.items() if own is not None}


def declaration(kind: str, given: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return a declaration from the fields of a form. Empty fields are omitted."""
    spec: dict[str, Any] = {"kind": "mapping" if kind == ROWS else kind}
    for one in form_named(kind).fields:
        texts = [text.replace("\r\n", "\n") for text in given.get(one.key, ())]
        empty = not any(text.strip() or (one.shape == "character" and text) for text in texts)
        if one.shape == "mark":
            spec[one.key] = _character(texts, one.label) if texts else one.default
        elif not empty:
            spec[one.key] = _READ[one.shape](texts, one.label)
        elif one.needed:
            fix = f"fill it in, {one.hint}" if one.hint.startswith("such") else "fill it in"
            raise SettingError("is empty", where=one.label, fix=fix)
        elif one.shape == "wholes":
            spec[one.key] = []
    return spec


def _parts(text: str) -> list[str]:
    return [part for part in re.split(r"[,;\s]+", text) if part]


def _numbers(texts: Sequence[str], label: str) -> list[int | float]:
    return [number_in(part, label, fix=_NUMBER) for part in _parts(texts[0])]


def _wholes(texts: Sequence[str], label: str) -> list[int | float]:
    return [number_in(part, label, whole=True) for part in _parts(texts[0])]


def _cuts(texts: Sequence[str], label: str) -> list[list[int | float]]:
    return [_numbers([line], label) for line in texts[0].split("\n") if line.strip()]


def _units(texts: Sequence[str], _: str) -> list[str]:
    return [unit for unit in UNITS if unit in texts]


def _text(texts: Sequence[str], _: str) -> str:
    return texts[0].strip()


def _character(texts: Sequence[str], _: str) -> str:
    """Return the text without blanks around it. A blank alone, such as a tab, stays."""
    return texts[0].strip() or texts[0][:1]


def line_of(text: str) -> str:
    """Write a value on one line. The line can be parsed to the same value."""
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
            "a line begins with a quotation mark that is never closed",
            where=label,
            fix='close the quotation mark: "I21"',
        )
    return found


def _lines(texts: Sequence[str], label: str) -> list[str]:
    return [_value(line, label) for line in texts[0].split("\n") if line.strip()]


def _tree(texts: Sequence[str], label: str) -> dict[str, Any]:
    """Parse groups from the indentation of lines."""
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
            "none of the values are in a group",
            where=label,
            fix="write the name of a group, and indent its values below",
        )
    return found


def _grouped(entries: Sequence[tuple[str, list[Any]]], label: str) -> dict[str, Any] | list[str]:
    """Return a list of values, or a table of groups. Reject a mixture of the two."""
    names = [value for value, _ in entries]
    inner = [value for value, inside in entries if inside]
    if not inner:
        return names
    if len(inner) < len(names):
        alone = next(value for value, inside in entries if not inside)
        raise SettingError(
            f"{quoted(alone)} is not in a group",
            where=label,
            fix="put the value into a group, or indent the values below it",
        )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise SettingError(
            f"two groups have the name {quoted(twice)}", where=label, fix="merge them"
        )
    return {value: _grouped(inside, label) for value, inside in entries}


def _rows(texts: Sequence[str], label: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    try:
        rows = [*csv.reader(io.StringIO(texts[0].strip("\n")), delimiter=";", strict=True)]
    except csv.Error:
        raise SettingError(
            "a row cannot be split into labels", where=label, fix="close every quotation mark"
        ) from None
    for value, *labels in filter(None, rows):
        if value in found:
            raise SettingError(
                f"the value {quoted(value)} has two rows", where=label, fix="keep one of them"
            )
        found[value] = labels
    return found


def _branches(groups: Any, depth: int = 0) -> Iterator[str]:  # noqa: ANN401 - a tree
    entries = groups.items() if isinstance(groups, Mapping) else ((one, ()) for one in groups)
    for value, inside in entries:
        yield _INDENT * depth + line_of(str(value))
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
    "number": lambda texts, label: number_in(texts[0], label, fix=_NUMBER),
    "whole": lambda texts, label: number_in(texts[0], label, whole=True),
    "numbers": _numbers,
    "wholes": _wholes,
    "cuts": _cuts,
    "units": _units,
    "text": _text,
    "character": _character,
    "tick": lambda texts, _: bool(texts),
    "book": _text,
    "lines": _lines,
    "tree": _tree,
    "rows": _rows,
}
"""For each kind of field, the function that reads a value from the field's strings and label."""
_WRITTEN: Mapping[str, Callable[[Any], Any]] = {
    "number": str,
    "whole": str,
    "numbers": _joined,
    "wholes": _joined,
    "cuts": lambda cuts: "\n".join(map(_joined, cuts)),
    "units": list,
    "text": str,
    "mark": str,
    "character": str,
    "tick": bool,
    "book": str,
    "lines": lambda lines: "\n".join(line_of(str(one)) for one in lines),
    "tree": lambda groups: "\n".join(_branches(groups)),
    "rows": _in_rows,
}
"""For each kind of field, the function that writes the field."""
