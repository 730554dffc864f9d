"""Check column names, and suggest a similar name for a column that is not found."""

from __future__ import annotations

import fnmatch
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from roadstead.errors import RoleError, SourceError, quoted
from roadstead.near_names import nearest

_FEW = 12
_OF_LABELS = "Complete?"
"""The header of the columns with the state of a form in REDCap's export of labels."""


def numbered(count: int) -> tuple[str, ...]:
    """Return the names ``column_1``, ``column_2``, and so on for columns without names."""
    return tuple(f"column_{at}" for at in range(1, count + 1))


def filled(columns: Sequence[str]) -> tuple[str, ...]:
    """Name the first column if its name is blank. Pandas and R write headers such as ``,age,sex``.

    If REDCap exported labels instead of names, repeated labels are numbered.
    """
    if any(name.strip() == _OF_LABELS for name in columns):
        columns = with_numbers(columns)
    first, *others = columns
    if first.strip() or not others or not all(name.strip() for name in others):
        return tuple(columns)
    name = numbered(1)[0]
    while name.casefold() in {other.casefold() for other in others}:
        name += "_"
    return (name, *others)


def with_numbers(columns: Iterable[str]) -> tuple[str, ...]:
    """Number repeated names: ``Complete?``, ``Complete? (2)``, and so on."""
    times: Counter[str] = Counter()
    found = []
    for name in columns:
        key = name.strip().casefold()
        times[key] += 1
        found.append(f"{name} ({times[key]})" if key and times[key] > 1 else name)
    return tuple(found)


def checked(columns: Iterable[str], where: str) -> tuple[str, ...]:
    """Check that each name identifies its column, and return the names.

    Raises SourceError if there are no columns, a name is blank, or two names are equal. Names that
    differ only in case count as equal, because SQL engines confuse them. Names that differ only in
    surrounding blanks count as equal, because people confuse them. The message contains `where`,
    which describes the file or table.
    """
    names = tuple(columns)
    if wrong := _wrong(names):
        what, fix = wrong
        raise SourceError(what, where=where, fix=fix)
    return names


def _wrong(names: Sequence[str]) -> tuple[str, str] | None:
    """Return the error for the first invalid column name, and a suggestion for a fix."""
    if not names:
        return "it has no columns", "use a table with columns"
    for at, name in enumerate(names, 1):
        if (wrong := _wrong_name(at, name)) is not None:
            return wrong
    seen: dict[str, str] = {}
    for name in names:
        earlier = seen.setdefault(name.strip().casefold(), name)
        if earlier != name:
            how = "the blanks around them" if earlier.strip() == name.strip() else "case"
            what = f"the columns {quoted(earlier)} and {quoted(name)} differ only in {how}"
            return what, "rename one of the columns"
    repeated = [(name, times) for name, times in Counter(names).items() if times > 1]
    if repeated:
        first, *others = [f"{times} columns are named {quoted(name)}" for name, times in repeated]
        listed = "; ".join([first, *others[:_FEW]])
        return listed, "rename all but one" + (" of each" if others else "")
    return None


def _wrong_name(at: int, name: str) -> tuple[str, str] | None:
    if not name.strip():
        return f"column {at} has no name", "give the column a name in the header"
    if "\0" in name:
        what = f"the name of column {at} has a zero byte, so it may be in another encoding"
        return what, "save the table again, for example, as CSV in UTF-8"
    if name.startswith("\ufeff"):
        what = f"the name of column {at} starts with an invisible mark (U+FEFF)"
        return what, "remove the mark: the file starts with two byte-order marks"
    return None


def is_pattern(name: str, columns: Sequence[str]) -> bool:
    """Return whether a name is a pattern with wildcards rather than the name of a column."""
    return any(mark in name for mark in "*?[") and name not in columns


def matching(
    requested: Sequence[str], columns: Sequence[str], taken: Collection[str] = ()
) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Replace patterns with the columns that match them.

    In a pattern, ``*`` matches any string, ``?`` matches one character, and ``[ab]`` matches one of
    several characters. Patterns do not match the columns in `taken`, because these columns are
    named elsewhere. Returns the names in order, and the matches of each pattern. A name that
    several patterns match is returned once.
    """
    exact = [name for name in requested if not is_pattern(name, columns)]
    found: list[str] = []
    matched: dict[str, tuple[str, ...]] = {}
    for name in requested:
        if name in exact:
            found.append(name)
            continue
        every = [column for column in columns if fnmatch.fnmatchcase(column, name)]
        if not every:
            fix = _suggestion(re.sub(r"[*?\[\]]", "", name), columns)
            raise RoleError("no column matches it", where=f"columns {quoted(name)}", fix=fix)
        matched[name] = tuple(c for c in every if c not in exact and c not in taken)
        found += [column for column in matched[name] if column not in found]
    return tuple(found), matched


def require(requested: Iterable[str], columns: Sequence[str]) -> None:
    """Raise RoleError if the table does not have a requested column."""
    for name in requested:
        if name not in columns:
            what = "the table has no such column"
            raise RoleError(what, where=f"column {quoted(name)}", fix=_suggestion(name, columns))


def _suggestion(name: str, columns: Sequence[str]) -> str:
    meant = nearest(name, columns)
    if meant is not None:
        if meant == meant.strip():
            return f"did you mean {quoted(meant)}?"
        return (
            f"did you mean {quoted(meant)}? It has blanks around it; on the command line, "
            f"""write '"{meant}"'"""
        )
    if len(columns) <= _FEW:
        return f"its columns are {', '.join(columns)}"
    return f"it has {len(columns)} columns, such as {', '.join(columns[:_FEW])}"
