"""Read the project file: a request in TOML that people can edit, repeat, and review.

::

    data = "patients.csv"

    [roles]
    quasi = ["age", "sex", "zip"]
    identifiers = ["name"]

    [privacy]
    k = 5
    suppression = 0.05

    [hierarchies]
    age = {kind = "intervals", widths = [5, 10, 20], top = 90}

Each key belongs to a field of a request (`roadstead.requests.fields`). Requests share many fields,
so several commands can use the same file. Relative paths start at the folder of the file. Options
on the command line take precedence over the file.
"""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    Strict,
    TypeAdapter,
    ValidationError,
    create_model,
)

from roadstead.errors import SettingError
from roadstead.near_names import did_you_mean_key
from roadstead.printable import named
from roadstead.regular_files import MIB
from roadstead.requests.fields import options_of
from roadstead.requests.origin import Project
from roadstead.toml_files import read_toml

Document = TypeVar("Document", bound=MutableMapping[str, Any])
_TYPES = {
    "Text": str,
    "AnyText": Annotated[str, Field(coerce_numbers_to_str=True)],
    "Number": Annotated[float, Strict()],
    "Whole": Annotated[int, Strict()],
    "YesOrNo": Annotated[bool, Strict()],
    "Any": Any,
    "Literal": Literal,
}
"""The types of the forms. For example, a TOML number is required for a number."""
_MOST = 16 * MIB
"""The size limit for project files, in bytes."""
_ANY = "NAME"
"""A placeholder for a name that the user chooses, such as ``age`` in ``[domains.age]``."""
_WRONG = {
    "tuple_type": ("is not a list", 'write it in brackets, for example ["age", "sex"]'),
    "string_type": ("is not text", "write it in quotes"),
    "int_type": ("is not a whole number", "write it without quotes, for example 5"),
    "int_from_float": ("is not a whole number", "write it without a decimal point, for example 5"),
    "decimal_type": ("is not a number", "write it without quotes, for example 95"),
    "finite_number": ("is not a finite number", "write a number, for example 95"),
    "float_type": ("is not a number", "write it without quotes, for example 0.05"),
    "bool_type": ("is not true or false", "write true or false, without quotes"),
}
"""The error messages and the fixes for wrong values in a project file."""

_FORMER_NAMES: Final = {
    "roles.identifying": "roles.identifiers",
    "roles.insensitive": "roles.unchanged",
    "roles.release": "roles.release_anyway",
    "quality.weigh": "quality.average_over",
}
"""Former names of keys. Project files may use these names until version 0.2."""


def read_project(path: Path | None, kinds: Iterable[type]) -> Project:
    """Read a project file, which may contain the fields of the given requests.

    If no path is given, the result is empty.
    """
    if path is None:
        return Project()
    document = with_current_names(_read(path), str(path))
    kinds = tuple(kinds)
    try:
        found = _schema(kinds).validate_python(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise _explained(first["loc"], first["type"], first["msg"], path, kinds) from None
    values = {}
    for place in places(kinds):
        value: Any = found
        for key in place.split("."):
            value = getattr(value, key, None)
        if value is not None and value not in ((), {}):
            values[place] = value
    _require_numbers(values.get("privacy.models", ()), path)
    return Project(values, path)


def with_current_names(document: Document, where: str) -> Document:
    """Replace old names of keys in a document with the current names.

    `document` is a TOML table, which may be a ``tomlkit`` object. The function raises a
    SettingError if the file contains both names of a key.
    """
    for former, name in _FORMER_NAMES.items():
        table, _, key = former.rpartition(".")
        values, current = document.get(table), name.rpartition(".")[2]
        if not isinstance(values, MutableMapping) or key not in values:
            continue
        if current in values:
            raise SettingError(
                f"the file has both {former} and {name}, which are two names of the same key",
                where=where,
                fix=f"keep {name}, the current name",
            )
        values[current] = values.pop(key)
    return document


@cache
def places(kinds: tuple[type, ...]) -> dict[str, Any]:
    """Return every key that a project file may contain, and the type of its value."""
    return {
        one.place: _type_of(one.form.toml)
        for kind in kinds
        for one in options_of(kind).values()
        if one.place is not None
    }


def _type_of(words: str) -> Any:  # noqa: ANN401 - a type
    """Return the type that a string such as ``dict[str, Whole]`` describes.

    The form ``module:Name`` refers to a type in a module.
    """
    module, colon, name = words.partition(":")
    if colon:
        found: Any = getattr(import_module(module), name)
        return dict[str, found]
    return eval(words, {**_TYPES})  # noqa: S307 - own words


@cache
def _schema(kinds: tuple[type, ...]) -> TypeAdapter[BaseModel]:
    """Build the type of a whole project file from the keys of all fields."""
    tables: dict[str, dict[str, Any]] = {"": {}}
    for place, kind in places(kinds).items():
        table, _, key = place.rpartition(".")
        tables.setdefault(table, {})[key] = (kind | None, None)
    strict = ConfigDict(extra="forbid")
    top = tables.pop("")
    for name, keys in tables.items():
        made = create_model(name.capitalize(), __config__=strict, **keys)
        top[name] = (made, made())
    return TypeAdapter(create_model("ProjectFile", __config__=strict, **top))


def _read(path: Path) -> dict[str, Any]:
    return read_toml(
        path,
        most=_MOST,
        noun="the project file",
        missing="make a project file with roadstead scan",
        unfit="give a project file from roadstead scan, or another file of the same form",
    )


def _require_numbers(models: Iterable[dict[str, Any]], path: Path) -> None:
    from roadstead.privacy.settings import number_as_text  # noqa: PLC0415 - seldom used, heavy

    for at, settings in enumerate(models):
        if (key := number_as_text(settings)) is not None:
            raise _explained(("privacy", "models", at, key), "float_type", "", path, ())


def _explained(
    loc: tuple[int | str, ...], kind: str, message: str, path: Path, kinds: tuple[type, ...]
) -> SettingError:
    keys = tuple(named(part) for part in loc if isinstance(part, str))
    if keys[:2] == ("roles", "undecided"):
        fix = 'write "withhold", "refuse", or "release", or a list such as ["age", "sex"]'
        what = "roles.undecided: the value is not a known word or a list of columns"
        return SettingError(what, where=str(path), fix=fix)
    place = (".".join(keys) or '""') + "".join(
        f", item {part + 1}" for part in loc if isinstance(part, int)
    )
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        return SettingError(f"{place} is not known", where=str(path), fix=_instead(keys, kinds))
    if kind in ("dict_type", "dataclass_type", "model_type", "model_attributes_type"):
        return SettingError(f"{place} is not a table", where=str(path), fix=_as_table(loc))
    what, fix = _WRONG.get(
        kind.replace("_parsing", "_type"), (message.removeprefix("Input "), "correct it")
    )
    return SettingError(f"{place} {what}", where=str(path), fix=fix)


def _as_table(loc: tuple[int | str, ...]) -> str:
    match loc:
        case ("hierarchies", _):
            return 'write, for example, {kind = "flat"}, or leave it out'
        case (*keys, int()):
            head = f"[[{'.'.join(map(str, keys))}]]"
        case keys:
            head = f"[{'.'.join(map(str, keys))}]"
    return f"write its keys below {head}, one line per key: key = value"


def _instead(keys: tuple[str, ...], kinds: tuple[type, ...]) -> str:
    own = keys[1] if len(keys) > 1 else _ANY
    names = [tuple(own if key == _ANY else key for key in name) for name in _names(kinds)]
    return did_you_mean_key(keys, names)


def _names(kinds: tuple[type, ...]) -> list[tuple[str, ...]]:
    found: dict[tuple[str, ...], None] = {}
    for place, kind in places(kinds).items():
        keys = tuple(place.split("."))
        for end in range(1, len(keys) + 1):
            found[keys[:end]] = None
        for part in get_args(kind):  # a table of declarations by name
            for key in getattr(part, "__dataclass_fields__", ()):
                found[(*keys, _ANY, key)] = None
    return list(found)
