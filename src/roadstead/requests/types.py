"""Check that the value of a field has the type that the field declares.

The types are the annotations of a request, so each type is written only once. The check is for
calls in Python. Values from the command line and from project files are converted before the check.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeGuard, Union, get_args, get_origin, get_type_hints

from roadstead.errors import quoted
from roadstead.front_end import Value, option
from roadstead.requests.checks import shown, wrong

_FORMS: dict[object, tuple[str, str]] = {
    str: ("text", "write it in quotes"),
    int: ("a whole number", "write a whole number, for example 5"),
    float: ("a number", "write a number without quotes"),
    bool: ("true or false", "write True or False"),
    Path: ("a path", 'write a path, for example "release"'),
    date: ("a day", "write a day, for example 2027-06-30"),
    Sequence: ("a list", "write it in brackets, for example [...]"),
    Mapping: ("a mapping from names", "write it in braces, for example {...}"),
}
"""The name of each type in messages, and how to write its values."""
_EXAMPLES: dict[object, Value] = {int: 2, float: 0.5, str: "...", Sequence[str]: ["a", "b"]}
"""An example of a value in a mapping."""


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def require_type(value: object, kind: type, key: str) -> None:
    """Reject a value that does not have the type that a request declares for the field `key`."""
    hint = _hints(kind)[key]
    members = [one for one in _members(hint) if one is not NoneType]
    if Path in members:
        members = [one for one in members if one is not str]
    if _has_type(value, hint):
        return
    forms = [_form(one) for one in members]
    what = f"{shown(value)} is not {' or '.join(form for form, _ in forms)}"
    if value is None:
        raise wrong(key, what, "leave this setting out to use the default")
    inner = _wrong_inside(value, members)
    if inner is not None:
        name, one, form = inner
        place = "it contains" if name is None else f"its value for {quoted(name)} is"
        raise wrong(key, f"{place} {shown(one)}, which is not {form[0]}", form[1])
    fix = forms[-1][1]
    if isinstance(value, str) and members[-1] == Sequence[str]:
        fix = f"write {option(key, [value])}"
    elif get_origin(members[-1]) is Mapping:
        fix = f"write {option(key, {'age': _EXAMPLES.get(get_args(members[-1])[1], '...')})}"
    raise wrong(key, what, fix)


def standard(value: Any) -> Any:  # noqa: ANN401 - any value
    """Return a value with Python's own whole numbers, and with tuples instead of iterators.

    An iterator yields its values only once, so a check would leave no values for the work.
    """
    if isinstance(value, Integral) and type(value).__module__ == "numpy":
        return int(value)
    if isinstance(value, Iterator):
        return tuple(map(standard, value))
    if type(value) in (list, tuple, dict):
        named = isinstance(value, dict)
        parts = [standard(one) for one in (value.values() if named else value)]
        if any(a is not b for a, b in zip(parts, value.values() if named else value, strict=True)):
            return dict(zip(value, parts, strict=True)) if named else tuple(parts)
    return value


def _members(hint: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a type
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _form(hint: Any) -> tuple[str, str]:  # noqa: ANN401 - a type
    return _FORMS[get_origin(hint) or hint]


def _has_type(value: object, hint: Any) -> bool:  # noqa: ANN401, PLR0911 - one line per type
    if hint is Any or get_origin(hint) is Literal:  # a separate check rejects a wrong word
        return True
    if get_origin(hint) in (Union, UnionType):
        return any(_has_type(value, one) for one in get_args(hint))
    if hint in (int, float):
        number = Integral if hint is int else Real
        return isinstance(value, number) and not _is_bool(value)
    if hint is Path:
        return isinstance(value, str | PathLike)
    if get_origin(hint) is Mapping:
        named, held = get_args(hint)
        return isinstance(value, Mapping) and all(
            _has_type(name, named) and _has_type(one, held) for name, one in value.items()
        )
    if get_origin(hint) is Sequence:
        (held,) = get_args(hint)
        return _is_list(value) and all(_has_type(one, held) for one in value)
    return isinstance(value, hint)


def _wrong_inside(
    value: object, members: Sequence[Any]
) -> tuple[str | None, object, tuple[str, str]] | None:
    """Return the first wrong value in a list or mapping, the value's name, and the right form."""
    for hint in members:
        if get_origin(hint) is Mapping and isinstance(value, Mapping):
            named, held = get_args(hint)
            for name, one in value.items():
                if not _has_type(name, named):
                    return None, name, _form(named)
                if not _has_type(one, held):
                    return str(name), one, _form(held)
        if get_origin(hint) is Sequence and _is_list(value):
            (held,) = get_args(hint)
            return next(
                ((None, one, _form(held)) for one in value if not _has_type(one, held)), None
            )
    return None


def _is_list(value: Any) -> TypeGuard[Iterable[Any]]:  # noqa: ANN401 - anything
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _is_bool(value: object) -> bool:
    return type(value).__name__ in ("bool", "bool_")  # also NumPy's
