"""Parse and write lists and pairs: ``age,sex``, ``age=2``, ``race=White,Black,Other``.

A quoted name can contain commas and spaces. A quote inside a quoted name is doubled.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from roadstead.errors import SettingError
from roadstead.front_end import name_in_list, option
from roadstead.requests.checks import wrong

N = TypeVar("N")
_QUOTED = re.compile(r'"((?:[^"]|"")*)"')
_LISTED = re.compile(
    rf"\s*(?:{_QUOTED.pattern.replace('(', '(?P<quoted>', 1)}\s*|(?P<bare>[^,]*))(?:,|$)"
)
"""A pattern that matches a name in a list. A name is quoted, or ends at the next comma."""


def split(values: Sequence[str] | None) -> tuple[str, ...]:
    """Split lists of names at the commas."""
    return tuple(name for name, _ in _listed(values))


def pairs(values: Sequence[str] | None, key: str) -> dict[str, str]:
    """Parse ``name=value`` pairs. One string may contain several pairs, separated by commas.

    A quoted name or pair is not split.
    """
    found = {}
    for item, in_quotes in _listed(values):
        name, sign, value = item.rpartition("=")
        if not sign or not name:
            raise wrong(
                key, f"{item!r} does not have the form NAME=VALUE", "write, for example, age=2"
            )
        own = _QUOTED.fullmatch(name.strip())
        name = own[1].replace('""', '"') if own else name if in_quotes else name.strip()
        found[name] = value.strip()
    return found


_REASON = re.compile(r'(?:"((?:[^"]|"")*)"|([^="]+))\s*=(.*)', re.DOTALL)


def reasons(values: Sequence[str] | None, key: str) -> dict[str, str]:
    """Parse ``column=words`` pairs, one per string. The words may contain commas."""
    found = {}
    for item in values or ():
        match = _REASON.fullmatch(item)
        if match is None:
            raise wrong(
                key,
                "a reason must have the form COLUMN=WORDS",
                "write, for example, ward='the steering board approved it'",
            )
        quoted_name, name, words = match.groups()
        found[name.strip() if quoted_name is None else quoted_name.replace('""', '"')] = words
    return found


def written_reason(name: str, words: str) -> str:
    """Write a reason as a pair that `reasons` can parse. Quote an ambiguous name."""
    plain = name == name.strip() and name and not set(name) & set('="')
    return f"{name}={words}" if plain else '"{}"={}'.format(name.replace('"', '""'), words)


def numbers(values: Sequence[str] | None, key: str) -> dict[str, float]:
    """Parse ``name=number`` pairs."""
    return _converted(values, key, float, "number")


def levels(values: Sequence[str] | None, key: str) -> dict[str, int]:
    """Parse ``name=whole number`` pairs."""
    return _converted(values, key, _whole, "level")


def orders(values: Sequence[str] | None, key: str) -> dict[str, tuple[str, ...]]:
    """Parse orderings such as ``race=White,Black,Other``. A value with a comma must be quoted."""
    found: dict[str, tuple[str, ...]] = {}
    for text in values or ():
        name, equals, ordered = text.partition("=")
        if not equals or not name or not ordered:
            raise wrong(
                key, f"{text!r} is not an order of values", "write, for example, race=White,Black"
            )
        if name in found:
            raise wrong(key, f"{name!r} has two orders", "give one order per column")
        found[name] = tuple(next(iter(csv.reader([ordered]))))
    return found


def model_settings(text: str, key: str) -> dict[str, str]:
    """Parse a privacy model such as ``t-closeness:column=diagnosis,t=0.2``.

    Numbers remain strings until the privacy model converts them.
    """
    kind, _, rest = text.partition(":")
    settings = {"kind": kind.strip()}
    for part in rest.split(",") if rest else ():
        name, equals, value = part.partition("=")
        if not equals or not name.strip():
            fix = "write, for example, t-closeness:column=diagnosis,t=0.2"
            raise wrong(key, f"{part!r} is not a parameter", fix)
        settings[name.strip()] = value.strip()
    return settings


def treatment_settings(text: str, key: str) -> dict[str, str]:
    """Parse a treatment such as ``microaggregation:column=glucose,k=5``."""
    kind, colon, rest = text.partition(":")
    if not colon or not rest:
        fix = "write, for example, rounding:column=weight,base=5"
        raise wrong(key, f"{text!r} does not name a column", fix)
    return {"kind": kind.strip(), **pairs([rest], key)}


def columns_named(settings: Mapping[str, object]) -> list[object]:
    """Return the columns of a treatment, which can be a list or a string such as ``a+b``."""
    several, one = settings.get("columns", ()), settings.get("column", ())
    if isinstance(several, str):
        several = [name.strip() for name in several.split("+")]
    listed = [several if isinstance(several, Sequence) else [several]]
    listed.append([one] if isinstance(one, str) or not isinstance(one, Sequence) else one)
    return [name for names in listed for name in names]


def written_treatment(settings: Mapping[str, object]) -> str:
    """Write the settings of a treatment as a string that `treatment_settings` can parse."""
    own = {
        name: "+".join(map(str, value)) if isinstance(value, list | tuple) else value
        for name, value in settings.items()
        if name != "kind"
    }
    listed = ",".join(name_in_list(f"{name}={value}") for name, value in own.items())
    return f"{settings['kind']}:{listed}"


def written_model(settings: Mapping[str, object]) -> str:
    """Write the settings of a privacy model as a string that `model_settings` can parse."""
    parameters = ",".join(f"{name}={value}" for name, value in settings.items() if name != "kind")
    return f"{settings['kind']}:{parameters}" if parameters else str(settings["kind"])


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise ValueError
    return int(text)


def _converted(
    values: Sequence[str] | None, key: str, convert: Callable[[str], N], noun: str
) -> dict[str, N]:
    found = {}
    for name, value in pairs(values, key).items():
        try:
            found[name] = convert(value)
        except ValueError:
            raise SettingError(
                f"{value!r} is not a {noun}",
                where=f"{option(key)} {name}",
                fix="write, for example, age=2",
            ) from None
    return found


def _listed(values: Sequence[str] | None) -> list[tuple[str, bool]]:
    """Return each name in a list, and whether the name was quoted."""
    found = []
    for value in values or ():
        for match in _LISTED.finditer(value):
            quoted, bare = match["quoted"], (match["bare"] or "").strip()
            if "\n" in bare or "\r" in bare:
                raise SettingError(
                    "a list of names has a line break",
                    fix="write such a name in quotes, for example '\"line\\nbreak\",age'",
                )
            if quoted is not None and quoted.strip():
                found.append((quoted.replace('""', '"'), True))
            elif bare:
                found.append((bare, False))
    return found
