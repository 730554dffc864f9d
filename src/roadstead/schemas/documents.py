"""The schemas, as files of this package: `data/NAME.json`, JSON Schema 2020-12.

A document that others read is a promise. So what it looks like is data that stands in a file, and
not only in the code that writes it: a change of a document is a change of its file. A schema that
speaks of another one names it by its `$id`; whoever asks for one gets it with all that it needs.
"""

from __future__ import annotations

import json
from difflib import get_close_matches
from importlib.resources import files
from typing import Any

from roadstead.errors import SettingError, quoted

ID = "urn:roadstead:schema:"
"""How the `$id` of each schema begins; its name follows."""
_ENDING, _PARTS = ".json", "parts"


def schema_names() -> tuple[str, ...]:
    """Name the documents that have a schema."""
    found = (one.name for one in files(__package__).joinpath("data").iterdir())
    names = {name.removesuffix(_ENDING) for name in found if name.endswith(_ENDING)}
    return tuple(sorted(names - {_PARTS}))


def schema(name: str) -> dict[str, Any]:
    """Give the JSON Schema of a document, complete in itself.

    Parameters
    ----------
    name
        The document: a verb, such as ``scan``, for what its ``--json`` prints; ``certificate``,
        ``policy`` or another file for what is written.

    Raises
    ------
    SettingError
        When there is no such document.
    """
    names = schema_names()
    if name not in names:
        near = get_close_matches(name, names, n=1)
        raise SettingError(
            f"there is no schema {quoted(name)}",
            fix=f"did you mean {near[0]}?" if near else f"use {', '.join(names)}",
        )
    found = _own(name)
    others = {other: _own(other) for other in sorted(_needed(name, found) - {name})}
    if others:
        found["$defs"] = {**found.get("$defs", {}), **others}
    return found


def _own(name: str) -> dict[str, Any]:
    text = files(__package__).joinpath("data", f"{name}{_ENDING}").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _needed(name: str, found: dict[str, Any]) -> set[str]:
    """Name the schemas that one speaks of, and those that these speak of."""
    names, waiting = {name}, [found]
    while waiting:
        for other in _named(waiting.pop()) - names:
            names.add(other)
            waiting.append(_own(other))
    return names


def _named(part: object) -> set[str]:
    if isinstance(part, list):
        return set().union(*map(_named, part))
    if not isinstance(part, dict):
        return set()
    target = part.get("$ref")
    own: set[str] = set()
    if isinstance(target, str) and target.startswith(ID):
        own = {target.removeprefix(ID).partition("#")[0]}
    return own.union(*map(_named, part.values()))
