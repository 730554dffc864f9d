"""What a custodian declares on the command line: domains, sets and classes, as texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from roadstead.errors import SettingError, quoted
from roadstead.requests.texts import split
from roadstead.tables.addresses import is_address

Described = dict[str, Any]
"""A set, by the keys that a project file has for it."""

_TABLE, _ORDERED = 3, 4
_FORMS = {"--range": "NAME=LOW..HIGH", "--taxonomy": "NAME=TAXONOMY"}
_EXAMPLES = {"--range": "write age=15..95", "--taxonomy": "write diagnoses=icd9"}


def lists(given: Sequence[str] | None, option: str) -> dict[str, tuple[str, ...]]:
    """Read ``name=A,B,C``, one name in each.

    Raises
    ------
    SettingError
        One has no equals sign, or a name is given twice.
    """
    found: dict[str, tuple[str, ...]] = {}
    for text in given or ():
        name, sign, rest = text.partition("=")
        if not sign or not name.strip():
            raise SettingError(
                f"{quoted(text)} is not NAME=A,B,C", where=option, fix="write sex=F,M"
            )
        _once(name.strip(), found, option)
        found[name.strip()] = split([rest])
    return found


def once(given: Sequence[str] | None, option: str) -> dict[str, str]:
    """Read ``name=value`` pairs; a name that comes again is refused, not overwritten.

    Raises
    ------
    SettingError
        One has no equals sign, or a name is given twice.
    """
    found: dict[str, str] = {}
    for text in split(given):
        name, sign, value = (part.strip() for part in text.partition("="))
        if not sign or not name or not value:
            raise SettingError(
                f"{quoted(text)} is not {_FORMS[option]}", where=option, fix=_EXAMPLES[option]
            )
        _once(name, found, option)
        found[name] = value
    return found


def fanouts(given: Sequence[str] | None) -> dict[str, int]:
    """Read ``N`` for all taxonomies, under the empty name, and ``name=N`` for one.

    Raises
    ------
    SettingError
        One is not a number.
    """
    found: dict[str, int] = {}
    for text in split(given):
        name, _, number = text.rpartition("=")
        if not (number.strip().isascii() and number.strip().isdecimal()):
            raise SettingError(
                f"{quoted(number)} is not a number of children",
                where="--fanout",
                fix="write 4, or diagnoses=4",
            )
        _once(name.strip(), found, "--fanout")
        found[name.strip()] = int(number)
    return found


def classes(
    given: Sequence[str] | None, target: str | None, columns: Sequence[str]
) -> tuple[str, ...]:
    """Read ``A,B`` or ``target=A,B``; a class may have an equals sign, such as ``<=50K``.

    Parameters
    ----------
    given
        The texts.
    target
        Whose classes they should be.
    columns
        The columns of the table, which a text could be taken to name.

    Raises
    ------
    SettingError
        They are those of another column.
    """
    found: list[str] = []
    for text in given or ():
        name, sign, rest = text.partition("=")
        named = name.strip() if sign else ""
        if named in columns and named != target:
            raise SettingError(
                f"classes of {quoted(named)} are given, and the target is {quoted(target or '')}",
                where="--classes",
                fix="write them of the target",
            )
        found += split([rest if named and named == target else text])
    return tuple(found)


def described(
    given: Sequence[str] | None,
    delimiter: str | None,
    sequences: Sequence[str] | None,
    longest: int | None,
    project: Mapping[str, Described],
) -> dict[str, Described]:
    """Read sets, and join them with those of a project file.

    Parameters
    ----------
    given
        ``name`` for a column, ``name=a+b+c`` for several, ``name=DATA:KEY:CODE`` or
        ``name=DATA:KEY:CODE:ORDER`` for a second table. In an address the first colon behind its
        question mark ends it.
    delimiter
        What stands between the items of a text.
    sequences, longest
        Sets that hold their items with their order, and how many positions count.
    project
        The project file's; those of the same name are replaced.

    Raises
    ------
    SettingError
        Texts that are none of these, or that do not go together.
    """
    own: dict[str, Described] = {}
    for text in split(given):
        name, sign, where = text.partition("=")
        _once(name.strip(), own, "--sets")
        own[name.strip()] = _described(name.strip(), where.strip() if sign else name.strip())
    texts = [one for one in own.values() if "column" in one]
    if delimiter is not None and not texts:
        raise SettingError(
            "no set of one column is named",
            where="--delimiter-in-sets",
            fix="name it with --sets, or leave this out",
        )
    for one in texts:
        one["delimiter"] = delimiter
    sets = {**{name: dict(one) for name, one in project.items()}, **own}
    _in_order(sets, split(sequences), longest)
    return sets


def _described(name: str, where: str) -> Described:
    if not name or not where:
        raise SettingError(
            "a set needs a name and a place",
            where="--sets",
            fix="write diagnoses, diagnoses=diag_1+diag_2 or diagnoses=DATA:KEY:CODE",
        )
    if is_address(where):
        return _of_address(where)
    parts = where.split(":")
    if len(parts) > _TABLE and len(parts[0]) == 1 and parts[1][:1] in ("\\", "/"):
        parts = [f"{parts[0]}:{parts[1]}", *parts[2:]]  # a drive's letter
    if len(parts) in (_TABLE, _ORDERED):
        return _second_table(*parts)
    if "+" in where:
        return {"columns": tuple(part.strip() for part in where.split("+"))}
    return {"column": where}


def _of_address(where: str) -> Described:
    """Part an address from the columns; a server's port and the scheme have colons, too."""
    place, mark, rest = where.partition("?")
    table, *columns = rest.split(":")
    if not mark or len(columns) + 1 not in (_TABLE, _ORDERED):
        raise SettingError(
            "an address is not followed by the columns of a second table",
            where="--sets",
            fix="write NAME=DATABASE://...?table=TABLE:KEY:CODE, and a colon in TABLE as %3A",
        )
    return _second_table(f"{place}?{table}", *columns)


def _second_table(data: str, key: str, code: str, order: str | None = None) -> Described:
    return {"file": data, "key": key, "code": code, **({} if order is None else {"order": order})}


def _in_order(sets: Mapping[str, Described], sequences: Sequence[str], longest: int | None) -> None:
    """Say of sets that hold their items with their order how many positions count."""
    for name in sequences:
        if name not in sets:
            raise SettingError(
                f"{quoted(name)} is not a set",
                where="--sequence",
                fix=f"name it with --sets {name}",
            )
        if longest is None and "longest" not in sets[name]:
            raise SettingError(
                f"how many items of {quoted(name)} count is not said",
                where="--sequence",
                fix="give --longest N: a number that does not come from this table",
            )
        if longest is not None:
            sets[name]["longest"] = longest
        if "file" in sets[name] and "order" not in sets[name]:
            raise SettingError(
                f"the table of {quoted(name)} has no column of the order",
                where="--sequence",
                fix=f"write --sets {name}=DATA:KEY:CODE:ORDER",
            )
    for name, one in sets.items():
        if one.get("order") is not None and one.get("longest") is None:
            raise SettingError(
                f"the items of {quoted(name)} have an order, and how many count is not said",
                where="--sets",
                fix=f"add --sequence {name} --longest N",
            )
    if longest is not None and not sequences:
        raise SettingError(
            "no sequence is named", where="--longest", fix="name a set with --sequence"
        )


def _once(name: str, found: Mapping[str, object], option: str) -> None:
    if name in found:
        raise SettingError(
            f"{quoted(name)} is given twice", where=option, fix="leave one of them out"
        )
