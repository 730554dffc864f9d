"""Parse and write domains, sets, and classes for the command line and the project file.

Examples are ``--range age=15..95``, ``--values sex=F,M``, ``--taxonomy dx=icd9``, ``--fanout
dx=4``, ``--sets dx=codes.csv:name:code``, and ``--per-person age=first:date``. Each string is
converted to the value that a Python user would give, and can be converted back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from roadstead.errors import quoted
from roadstead.front_end import name_in_list, option
from roadstead.requests import checks
from roadstead.requests.checks import shown, wrong
from roadstead.requests.forms import NUMBERS_BY_NAME, TEXTS, Form
from roadstead.requests.texts import split
from roadstead.tables.text import text_of

_DECLARATIONS = "roadstead.verbs.synthesize.declarations"
_TABLE, _ORDERED = 3, 4
"""The number of parts in the location of a second table."""
_KEYS = ("file", "key", "code", "order")


class TypedClasses(tuple[str, ...]):
    """Classes as the user typed them.

    Whether ``a`` in ``a=b`` is a target depends on the columns of the table.
    """

    __slots__ = ()


def classes_of(given: Sequence[str], target: str | None, columns: Sequence[str]) -> Sequence[str]:
    """Parse ``A,B`` or ``target=A,B``. A class may contain an equals sign, as in ``<=50K``."""
    if not isinstance(given, TypedClasses):
        return given
    found: list[str] = []
    for text in given:
        name, sign, rest = text.partition("=")
        named = name.strip() if sign else ""
        if named in columns and named != target:
            raise wrong(
                "classes",
                f"classes of {quoted(named)} are given, but the target is {quoted(target or '')}",
                "give the classes of the target",
            )
        found += split([rest if named and named == target else text])
    return tuple(found)


def _pairs(given: Sequence[str], key: str, form: str, example: str) -> dict[str, str]:
    """Parse ``name=value`` pairs, and reject a repeated name."""
    found: dict[str, str] = {}
    for text in split(given):
        name, sign, value = (part.strip() for part in text.partition("="))
        if not sign or not name or not value:
            raise wrong(key, f"{quoted(text)} is not {form}", f"write {example}")
        _add(name, value, found, key)
    return found


def _values(given: Sequence[str], key: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for text in given:
        name, sign, rest = text.partition("=")
        if not sign or not name.strip():
            raise wrong(key, f"{quoted(text)} is not NAME=A,B,C", "write sex=F,M")
        _add(name.strip(), split([rest]), found, key)
    return found


def _per_person(given: Sequence[str], key: str) -> dict[str, str]:
    """Parse rules of the form ``WHICH`` for all columns or ``column=WHICH`` for one column."""
    found: dict[str, str] = {}
    for text in split(given):
        name, sign, which = (part.strip() for part in text.partition("="))
        _add(name if sign else "", which if sign else name, found, key)
    return found


def _fanout(given: Sequence[str], key: str) -> dict[str, int]:
    """Parse fan-outs of the form ``N`` for all taxonomies or ``name=N`` for one taxonomy."""
    found: dict[str, int] = {}
    for text in split(given):
        name, _, number = text.rpartition("=")
        if not (number.strip().isascii() and number.strip().isdecimal()):
            raise wrong(
                key, f"{quoted(number)} is not a number of children", "write 4, or diagnoses=4"
            )
        _add(name.strip(), int(number), found, key)
    return found


def _sets(given: Sequence[str], key: str) -> dict[str, dict[str, Any]]:
    """Parse the locations of sets, and return them as settings for a project file.

    The form ``name`` describes a set in one column, and ``name=a+b+c`` describes a set in several
    columns. The forms ``name=DATA:KEY:CODE`` and ``name=DATA:KEY:CODE:ORDER`` describe a set in a
    second table. A database address ends at the first colon after the question mark.
    """
    found: dict[str, dict[str, Any]] = {}
    for text in split(given):
        name, sign, where = (part.strip() for part in text.partition("="))
        _add(name, _set(name, where if sign else name, key), found, key)
    return found


def _set(name: str, where: str, key: str) -> dict[str, Any]:
    from roadstead.tables.addresses import is_address  # noqa: PLC0415 - not for --help

    if not name or not where:
        raise wrong(
            key,
            "a set requires a name and a place",
            "write diagnoses, diagnoses=diag_1+diag_2, or diagnoses=DATA:KEY:CODE",
        )
    if is_address(where):
        # The scheme and the port of a server also contain colons.
        place, mark, rest = where.partition("?")
        table, *columns = rest.split(":")
        if not mark or len(columns) + 1 not in (_TABLE, _ORDERED):
            raise wrong(
                key,
                "the columns of the second table must follow the address",
                "write NAME=DATABASE://...?table=TABLE:KEY:CODE, and a colon in TABLE as %3A",
            )
        return _second_table(f"{place}?{table}", *columns)
    parts = where.split(":")
    if len(parts) > _TABLE and len(parts[0]) == 1 and parts[1][:1] in ("\\", "/"):
        parts = [f"{parts[0]}:{parts[1]}", *parts[2:]]  # the letter of a drive
    if len(parts) in (_TABLE, _ORDERED):
        return _second_table(*parts)
    if "+" in where:
        return {"columns": tuple(part.strip() for part in where.split("+"))}
    return {"column": where}


def _second_table(data: str, *columns: str) -> dict[str, Any]:
    return {"file": data, **dict(zip(_KEYS[1:], columns, strict=False))}


def _add(name: str, value: Any, found: dict[str, Any], key: str) -> None:  # noqa: ANN401 - of any kind
    if name in found:
        raise wrong(key, f"{quoted(name)} is given twice", "leave one of them out")
    found[name] = value


def _domains(value: Any, key: str) -> dict[str, Any]:  # noqa: ANN401 - whatever was given
    """Return the declarations by column. A declaration can be given as a mapping."""
    from pydantic import ValidationError  # noqa: PLC0415 - not for --help

    from roadstead.verbs.synthesize.declarations import DomainDeclaration  # noqa: PLC0415 - as above

    fix = 'declare a domain by column, such as {"sex": {"values": ["f", "m"]}}'
    if not isinstance(value, Mapping):
        raise wrong(key, "this is not a table of domains", fix)
    found = {}
    for name, one in value.items():
        try:
            found[name] = DomainDeclaration(**one) if isinstance(one, Mapping) else one
        except (TypeError, ValidationError):
            raise wrong(
                key, f"the declaration of {quoted(str(name))} is not a domain", fix
            ) from None
        if not isinstance(found[name], DomainDeclaration):
            raise wrong(key, f"the declaration of {quoted(str(name))} is not a domain", fix)
    return found


def _located(sets: Mapping[str, Any], base: Path) -> dict[str, dict[str, Any]]:
    """Return the sets in a project file. Relative paths of second tables start at `base`."""
    from roadstead.tables.addresses import locate  # noqa: PLC0415 - not for --help

    found = {}
    for name, one in sets.items():
        found[name] = {key: value for key, value in asdict(one).items() if value is not None}
        if "file" in found[name]:
            found[name]["file"] = locate(found[name]["file"], base)
    return found


def _written(value: Mapping[str, Any]) -> list[str]:
    return [f"{name}={_place(one)}" if name else _place(one) for name, one in value.items()]


def _place(value: Any) -> str:  # noqa: ANN401 - of a range, a list, a tree, a number or a set
    match value:
        case {"file": _}:
            return ":".join(str(value[key]) for key in _KEYS if key in value)
        case {"columns": columns}:
            return "+".join(columns)
        case {"column": column}:
            return str(column)
        case tuple() | list():
            return ",".join(map(name_in_list, map(str, value)))
        case _:
            return str(value)


def _texts_by_name(value: Any, key: str) -> dict[str, tuple[str, ...]]:  # noqa: ANN401 - anything
    """Return lists of values by name. Each value is written as in the cells of a table."""
    fix = f"write {option(key, {'sex': ('F', 'M')})}"
    if not isinstance(value, Mapping):
        raise wrong(key, f"{shown(value)} is not a mapping from names to values", fix)
    found = {}
    for name, one in value.items():
        if not _is_list(one):
            fix = f"write {option(key, {str(name): ('A', 'B', 'C')})}"
            raise wrong(key, f"the values of {quoted(str(name))} are not a list", fix)
        found[checks.text(name, key)] = tuple(map(text_of, one))
    return found


def _classes(value: Any, key: str) -> Sequence[str]:  # noqa: ANN401 - whatever was given
    if isinstance(value, TypedClasses):
        return value
    if not _is_list(value):
        what = f"{shown(value)} is not a list of values"
        raise wrong(key, what, f"write {option(key, ('A', 'B'))}")
    return tuple(map(text_of, value))


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


_RANGES = partial(_pairs, form="NAME=LOW..HIGH", example="age=15..95")
RANGES = replace(NUMBERS_BY_NAME, read=_RANGES, write=_written)
VALUES = replace(RANGES, read=_values, check=_texts_by_name)
TAXONOMIES = replace(RANGES, read=partial(_pairs, form="NAME=TAXONOMY", example="diagnoses=icd9"))
FANOUT = replace(RANGES, read=_fanout)
PER_PERSON = replace(RANGES, toml="dict[str, Text] | Text", read=_per_person)
SETS = replace(RANGES, toml=f"{_DECLARATIONS}:SetDeclaration", read=_sets, located=_located)
DOMAINS = Form("texts", f"{_DECLARATIONS}:DomainDeclaration", check=_domains)
CLASSES = replace(
    TEXTS,
    toml="tuple[AnyText, ...]",
    read=lambda texts, _: TypedClasses(texts) or None,
    metavar="A,B",
    check=_classes,
)
