"""Define how users write field values on the command line and in a project file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from roadstead.front_end import name_in_list
from roadstead.requests import checks, texts


def _same(value: Any, _key: str) -> Any:  # noqa: ANN401 - of any type
    return value


def _as_text(value: Any) -> list[str]:  # noqa: ANN401 - of any type
    return [str(value)]


def _over(value: Any, under: Any) -> Any:  # noqa: ANN401 - of any type
    return under if value is None else value


def _in_place(value: Any, _base: Path) -> Any:  # noqa: ANN401 - of any type
    return value


@dataclass(frozen=True)
class Form:
    """A form in which users write a value.

    `typed` is the kind of value that users write on the command line. An option of the kind `texts`
    can be repeated, and an option of the kind `yes-no` is written as ``--header/--no-header``.
    `toml` is the name, in Python notation, of the type in a project file. The module
    `roadstead.requests.project` creates the type, so commands without a project file need no
    further imports.
    """

    typed: Literal["text", "whole", "number", "path", "texts", "yes-no", "switch"]
    toml: str = "Text"
    read: Callable[[Any, str], Any] = _same  # converts the typed text; errors name the key
    write: Callable[[Any], list[str]] = _as_text  # converts back to the strings of the option
    join: Callable[[Any, Any], Any] = _over  # combines a given value with the value in the file
    located: Callable[[Any, Path], Any] = _in_place  # makes paths start at the file's folder
    metavar: str | None = None  # placeholder of the value on the command line
    words: tuple[str, ...] = ()  # the allowed words, if there are only a few
    check: Callable[[Any, str], Any] | None = None  # rejects wrong values, standardizes others


def _located(text: str, base: Path | None = None) -> Any:  # noqa: ANN401 - a location
    from roadstead.tables.addresses import locate  # noqa: PLC0415 - not for --help

    return locate(text) if base is None else locate(text, base)


def _new_table(address: str, base: Path) -> str:
    """Return the address of a new table. A relative path of a database file starts at `base`."""
    from roadstead.tables.locations import DatabaseLocation  # noqa: PLC0415 - not for --help

    location = _located(address, base)
    in_file = isinstance(location, DatabaseLocation) and location.file is not None
    return location.address if in_file else address


def _codes_files(codes: Sequence[str], base: Path) -> tuple[str, ...]:
    """Return codes for missing values. Relative paths of files with codes start at `base`."""
    from roadstead.tables.missing_file import is_codes_file  # noqa: PLC0415 - not for --help

    return tuple(str(base / code) if is_codes_file(code) else code for code in codes)


def _codes(value: Any, _key: str) -> tuple[str, ...]:  # noqa: ANN401 - whatever was given
    from roadstead.tables.missing_codes import listed_codes  # noqa: PLC0415 - not for --help

    return listed_codes(value)


def _policy(value: Any, key: str) -> Any:  # noqa: ANN401 - whatever was given
    from roadstead.policies.document import Policy  # noqa: PLC0415 - not for --help

    own = getattr(value, "policy", value)
    if isinstance(own, Policy):
        return own
    if isinstance(value, str | PathLike):
        return Path(value)
    fix = (
        "pass a `Policy`, a result that contains a policy, or a path, for example "
        '"release/policy.json"'
    )
    raise checks.wrong(key, f"{checks.shown(value)} is not a policy", fix)


def _shareable(value: Any) -> list[str]:  # noqa: ANN401 - a path or an address
    """Return the location of a table without the user name."""
    from roadstead.tables.addresses import shareable  # noqa: PLC0415 - not for --help

    return [shareable(str(value))]


def _merged(value: Mapping[str, Any] | None, under: Mapping[str, Any] | None) -> Any:  # noqa: ANN401 - a mapping
    return None if value is None and under is None else {**(under or {}), **(value or {})}


def _listed(value: Sequence[str]) -> list[str]:
    return [",".join(map(name_in_list, value))]


def _paired(value: Mapping[str, Any]) -> list[str]:
    return [f"{name_in_list(name)}={one}" for name, one in value.items()]


def _ordered(value: Mapping[str, Sequence[str]]) -> list[str]:
    return [f"{name}={_listed(one)[0]}" for name, one in value.items()]


def _models(value: Sequence[str], key: str) -> list[dict[str, str]]:
    return [texts.model_settings(one, key) for one in value]


def _treatments(value: Sequence[str], key: str) -> list[dict[str, str]]:
    return [texts.treatment_settings(one, key) for one in value]


def _names(value: Sequence[str], _key: str) -> tuple[str, ...] | None:
    return texts.split(value) or None


def choice(*words: str) -> Form:
    """Return the form of a value that must be one of the given words."""
    return Form("text", f"Literal{list(words)}", words=words)


TEXT = Form("text")
SETTING = Form("text", "AnyText")
"""The form of a setting that can also be a number, such as an exact fraction."""
MEASURE = Form("text", write=lambda value: [getattr(value, "__name__", str(value))])
"""The form of a measure, which is given by name. In Python, the measure can also be a function."""
ROWS_KNOWN = replace(choice("1", "2", "3", "all"), toml="Literal['1', '2', '3', 'all', 1, 2, 3]")
"""The form of the number of a person's rows that an attacker knows."""
WHOLE = Form("whole", "Whole")
NUMBER = Form("number", "Number")
YES_OR_NO = Form("yes-no", "YesOrNo", check=checks.yes_or_no)
SWITCH = Form("switch", "YesOrNo", check=checks.yes_or_no)
FOLDER = NEW_FOLDER = Form(
    "path", located=lambda text, base: base / text, metavar="DIR", check=checks.path
)
FILE = NEW_FILE = replace(FOLDER, metavar="FILE")
PATH_OR_OBJECT = replace(FOLDER, check=None)
"""The form of a path that Python users can replace with an object, such as a mapping."""
POLICY = replace(FILE, check=_policy)
"""The form of a policy. In Python, the value can be a `Policy`, or a result that has a policy."""
TABLE = Form("text", write=_shareable, located=_located, metavar="DATA")
"""The form of a table, which is given by a path or an address."""
NEW_TABLE = Form("text", write=_shareable, located=_new_table, metavar="ADDRESS", check=checks.text)
TABLES = Form(
    "texts",
    "tuple[Text, ...]",
    write=lambda value: [_shareable(one)[0] for one in value],
    metavar="DATA",
)
TEXTS = Form("texts", "tuple[Text, ...]", write=list)
CODES = replace(TEXTS, located=_codes_files, check=_codes)
"""The form of codes for missing values."""
FOLDERS = Form("texts", "tuple[Text, ...]", write=lambda value: [str(one) for one in value])
NAMES = Form("texts", "tuple[Text, ...]", read=_names, write=_listed, metavar="A,B")
COLUMNS = replace(NAMES, check=checks.names)
NUMBERS_BY_NAME = Form("texts", "dict[str, Number]", texts.numbers, _paired, _merged)
LEVELS_BY_NAME = Form("texts", "dict[str, Whole]", texts.levels, _paired, _merged)
TEXTS_BY_NAME = Form("texts", "dict[str, Text]", texts.pairs, _paired, _merged)
REASONS = Form(
    "texts",
    "dict[str, Text]",
    texts.reasons,
    lambda value: [texts.written_reason(*one) for one in value.items()],
    _merged,
)
ORDERS = Form("texts", "dict[str, tuple[Text, ...]]", texts.orders, _ordered)
MODELS = Form(
    "texts",
    "tuple[dict[str, Any], ...]",
    read=_models,
    write=lambda value: [texts.written_model(one) for one in value],
    metavar="MODEL:A=1",
)
TREATMENTS = Form(
    "texts",
    "tuple[dict[str, Any], ...]",
    read=_treatments,
    write=lambda value: [texts.written_treatment(one) for one in value],
)
DECLARATIONS = Form("texts", "dict[str, dict[str, Any]]")
"""The form of named declarations in a project file."""
UNDECIDED = Form(
    "text", f"tuple[Text, ...] | Literal{list(checks.UNDECIDED)}", check=checks.undecided
)
"""The form of the setting for columns without a role."""
