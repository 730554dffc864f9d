"""Describe which columns of a release were withheld, and how to release them.

If there are many reasons, they are grouped, and long lists are wrapped, so that even 200 columns
fit on a screen.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roadstead.front_end import name_in_list, option, worded
from roadstead.reports import wording
from roadstead.reports.release.columns import Releasing, Why, WithheldColumn
from roadstead.reports.terminal.columns import AGAIN
from roadstead.reports.wording import counted
from roadstead.tables.roles import Roles

_MOST_REASONS = 12
"""The maximum number of different reasons to list."""
_MOST_NAMES = 6
_WIDTH, _LINE = 88, 110
"""The maximum widths of lists and lines in characters."""
_KINDS: dict[Why, str] = {
    "person": "looks like a person ID",
    "identifier": "looks like an identifier",
    "known": "an attacker may know its values",
    "sensitive": "sensitive by its name or values",
    "objection": "may identify a person",
    "text": "long texts, which may contain names",
    "rare": "too many of its values are rare",
    "nested": "its values have parts that were not examined",
    "links": "links the records of a person",
    "undecided": "it has no role",
}
"""The wording for each kind of reason."""
_TO_RELEASE: dict[Releasing, str] = {
    "quasi": "To generalize and release columns that an attacker may know",
    "unchanged": "To release columns unchanged",
    "sensitive": "To release sensitive columns unchanged",
    "release_anyway": "To release columns even though they may identify a person",
}


@dataclass(frozen=True)
class RolesInFile:
    """The name of a project file, and the columns that it lists for each role."""

    name: str
    columns: Mapping[str, Sequence[str]]


def withheld_block(
    withheld: Sequence[WithheldColumn], roles: Roles, file: RolesInFile | None = None
) -> list[str]:
    """Describe which columns were withheld and why, and return the settings that release them.

    `roles` contains the roles in the request. The returned lists include the columns from the
    request, because these lists replace the lists in the request.
    """
    if not withheld:
        return []
    return [
        f"Withheld: {counted(len(withheld), 'column')} that you did not name for release.",
        *_reasons(withheld),
        *_ways(withheld, roles, file),
        *_not_offered(withheld),
    ]


def listed_as_undecided(names: Sequence[str], file: str) -> list[str]:
    """Report columns that are withheld because the project file lists them as undecided."""
    if not names:
        return []
    return [f"Withheld, because {file} lists them as undecided: {wording.first_few(names)}."]


def withheld_document(
    withheld: Sequence[WithheldColumn], roles: Roles
) -> dict[str, dict[str, list[str]] | list[dict[str, Any]]]:
    """Return the withheld columns for JSON, by reason and by the role that would release them.

    The entry `text` contains the lines that the user can paste.
    """
    roles_used = [role for role in _TO_RELEASE if _of(withheld, role)]
    return {
        "because": [
            {"why": why, "reason": reason, "columns": list(names)}
            for (why, reason), names in _grouped(withheld, lambda one: one.reason).items()
        ],
        "release_with": {role: _of(withheld, role) for role in roles_used},
        "text": {role: _lines(role, _of(withheld, role), roles) for role in roles_used},
    }


def _reasons(withheld: Sequence[WithheldColumn]) -> list[str]:
    """List the reasons with their columns, or only the kinds of reasons if there are many."""
    groups = _grouped(withheld, lambda one: one.reason)
    if len(groups) > _MOST_REASONS:
        groups = _grouped(withheld, lambda one: _KINDS[one.why])
    return [
        f"  {wording.first_few(names, _MOST_NAMES)}: {reason}"
        for (_, reason), names in groups.items()
    ]


def _grouped(
    withheld: Iterable[WithheldColumn], by: Callable[[WithheldColumn], str]
) -> dict[tuple[Why, str], tuple[str, ...]]:
    groups: dict[tuple[Why, str], tuple[str, ...]] = {}
    for one in withheld:
        key = one.why, by(one)
        groups[key] = (*groups.get(key, ()), one.name)
    return groups


def _of(withheld: Iterable[WithheldColumn], role: Releasing) -> list[str]:
    return [one.name for one in withheld if one.releasing == role]


def _ways(withheld: Sequence[WithheldColumn], roles: Roles, file: RolesInFile | None) -> list[str]:
    """Return the settings that release columns, grouped by role.

    The settings never contain a direct identifier in the project file, even if an option replaced
    the list of direct identifiers.
    """
    hidden = set(() if file is None else file.columns.get("identifiers", ()))
    found = []
    for role, does in _TO_RELEASE.items():
        names = [name for name in _of(withheld, role) if name not in hidden]
        if not names:
            continue
        own = () if file is None else file.columns.get(role, ())
        found += _after(f"{does}:", _lines(role, names, roles, own))
        if file is not None:
            taken = _and_take_out(file, names)
            found += _after(
                f"  or in {file.name}, below [roles], change the line{taken}:",
                _list_of(f"{role} = ", list(dict.fromkeys([*own, *names]))),
            )
    return found


def _not_offered(withheld: Sequence[WithheldColumn]) -> list[str]:
    """Say why no setting is offered for columns in which nearly every value is rare."""
    names = [one.name for one in withheld if one.singles_out]
    if not names:
        return []
    them, these = ("it", "this column") if len(names) == 1 else ("them", "these columns")
    again = AGAIN if any(one.only_unchanged for one in withheld) else ""
    return [
        f"Roadstead does not suggest releasing {these} unchanged: "
        f"{wording.first_few(names, _MOST_NAMES)}. Nearly every value is rare, so the "
        f"values would single out nearly every record. To release {them}, "
        f"{again}generalize {them} with {option('quasi')}, or, for numbers, round {them} "
        f"with {option('treat')}."
    ]


def _and_take_out(file: RolesInFile, names: Sequence[str]) -> str:
    undecided = file.columns.get("undecided", ())
    listed = not isinstance(undecided, str) and not set(undecided).isdisjoint(names)
    return " (and remove the columns from undecided)" if listed else ""


def _after(head: str, lines: Sequence[str]) -> list[str]:
    if len(lines) == 1 and len(head) + len(lines[0]) < _LINE:
        return [f"{head} {lines[0]}"]
    return [head, *(f"    {line}" for line in lines)]


def _lines(
    role: Releasing, names: Sequence[str], roles: Roles, listed: Collection[str] = ()
) -> list[str]:
    """Return the settings that release columns in a role, in the notation of the current front end.

    Because an option replaces the list in the project file, the option repeats the columns in
    `listed`.
    """
    known: tuple[str, ...] = getattr(roles, role)
    front = worded(command="command", python="python", page="page")
    if front == "command":
        kept = known if listed and {one for one in listed if "*" not in one} <= {*known} else ()
        return _options(role, list(dict.fromkeys([*kept, *names])))
    if front == "python":
        return _list_of(f"{role}=", [*known, *names])
    return [f"give {wording.first_few(names, _MOST_NAMES)} a role in the Columns step"]


def _options(role: Releasing, names: Sequence[str]) -> list[str]:
    flag = "--" + role.replace("_", "-")
    parts = [f"{flag} {shlex.quote(','.join(some))}" for some in _broken(map(name_in_list, names))]
    return [*(f"{part} \\" for part in parts[:-1]), parts[-1]]


def _list_of(head: str, names: Sequence[str]) -> list[str]:
    """Write a list in a notation that both Python and a project file accept. Wrap long lists."""
    texts = [json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f") for name in names]
    parts = [", ".join(some) for some in _broken(texts)]
    if len(parts) == 1:
        return [f"{head}[{parts[0]}]"]
    return [f"{head}[", *(f"    {part}," for part in parts), "]"]


def _broken(texts: Iterable[str]) -> list[list[str]]:
    parts: list[list[str]] = []
    for text in texts:
        if not parts or sum(len(one) + 2 for one in parts[-1]) + len(text) > _WIDTH:
            parts.append([])
        parts[-1].append(text)
    return parts
