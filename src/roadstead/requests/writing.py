"""Write a request as a command or a Python call.

The command or call contains the path of the project file and the additional options, but does not
repeat the settings in the project file. User names are removed from addresses.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from decimal import Decimal
from typing import Any

from roadstead.front_end import Value, name_in_list
from roadstead.requests.fields import Option, options_of, set_fields
from roadstead.requests.origin import Origin

_ONE_EACH = frozenset({"missing"})
"""Fields whose values are not split at commas. Each value needs its own option."""


class CommandNaming:
    """A naming that formats fields as options, such as ``--k 5``, and quotes values for a shell.

    `names` maps keys to the option names that differ from the keys.
    """

    front = "command line"

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def __call__(self, key: str, value: Value | None) -> str:
        """Return an option, followed by its value if there is one."""
        name = self.names.get(key) or key.replace("_", "-")
        if value is None or isinstance(value, bool):
            return _flag(name, negated=value is False)
        texts = [_typed(value)]
        if key in _ONE_EACH and isinstance(value, Sequence) and not isinstance(value, str):
            texts = [_typed(one) for one in value]
        return " ".join(f"{_flag(name)} {shlex.quote(text)}" for text in texts)


def names_of_options(kinds: Collection[type]) -> dict[str, str]:
    """Return a mapping from keys to option names, for names that differ from their keys."""
    every = (one for kind in kinds for one in options_of(kind).values())
    return {one.key: one.flag for one in every if one.flag is not None}


def arguments(kind: type, origin: Origin, *, without: Collection[str] = ()) -> list[str]:
    """Return the arguments of a command for the same request. `shlex.join` can join them.

    Values of fields that `kind` does not have are omitted.
    """
    options = [one for one in options_of(kind).values() if one.command and one.key not in without]
    given = {key: value for key, value in origin.given.items() if value is not None}
    parts: list[str] = []
    for one in options:
        if one.positional and (one.key in given or origin.project.path is None):
            parts += one.form.write(given[one.key]) if one.key in given else [one.placeholder]
    if origin.project.path is not None:
        parts += [_flag("project"), str(origin.project.path)]
    for one in options:
        if not one.positional and one.key in given:
            parts += _option(one, given[one.key])
    return parts


def command(verb: str, parts: Sequence[str]) -> str:
    """Return a command line for a shell."""
    return shlex.join(["roadstead", verb, *parts])


def call(verb: str, request: Any) -> str:  # noqa: ANN401 - any request
    """Return the Python call for the same request, with one line per field.

    Tables and folders are written as paths or addresses.
    """
    options = options_of(type(request))
    lines = [
        f"    {'' if options[key].positional else f'{key}='}{_literal(value)},\n"
        for key, value in set_fields(request).items()
    ]
    return f"rs.{verb}(\n{''.join(lines)})"


def _literal(value: Any) -> str:  # noqa: ANN401 - of any field's type
    if isinstance(value, Mapping):
        inside = (f"{_literal(key)}: {_literal(one)}" for key, one in value.items())
        return f"{{{', '.join(inside)}}}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(_literal, value))}]"
    if callable(value) and hasattr(value, "__name__"):  # a function is written as its name
        return str(value.__name__)
    if value is None or isinstance(value, bool | int | float | Decimal):
        return str(value)
    place = getattr(value, "address", None) or getattr(value, "path", None)
    if place is None and is_dataclass(value) and not isinstance(value, type):  # a declaration
        return _literal({key: one for key, one in asdict(value).items() if one is not None})
    place = value if place is None else place  # of a location, or the value itself
    return json.dumps(str(place), ensure_ascii=False)


def _option(one: Option, value: Any) -> list[str]:  # noqa: ANN401 - of the field's type
    if one.form.typed in ("yes-no", "switch"):
        return [_flag(one.name, negated=not value)]
    return [part for text in one.form.write(value) for part in (_flag(one.name), text)]


def _flag(name: str, *, negated: bool = False) -> str:
    return "--" + ("no-" if negated else "") + name


def _typed(value: Value) -> str:
    if isinstance(value, Mapping):
        if "kind" in value:
            settings = [f"{key}={_typed(one)}" for key, one in value.items() if key != "kind"]
            return ":".join([str(value["kind"]), *([",".join(settings)] if settings else [])])
        return ",".join(f"{key}={_typed(one)}" for key, one in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(name_in_list(_typed(one)) for one in value)
    return str(value)
