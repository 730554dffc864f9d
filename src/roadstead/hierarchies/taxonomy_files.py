"""Read taxonomies from files in ARX's format, or from tables of codes with their groups.

A table has a header with the names of a column of codes and of columns of groups::

    code,chapter,sub_chapter
    4019,circulatory,hypertensive
    4280,circulatory,other heart

A taxonomy for a protected table must come from a code book. If the taxonomy came from the codes in
the table, it would reveal which codes occur there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from roadstead.errors import HierarchyError, SettingError, quoted
from roadstead.hierarchies.arx_csv import read_hierarchy, rows_of
from roadstead.hierarchies.taxonomy import Find, Taxonomy, exactly, from_hierarchy, from_paths
from roadstead.near_names import did_you_mean

_ROOT = "*"


def read_taxonomy(
    path: str | Path,
    attribute: str,
    *,
    code: str | None = None,
    groups: Sequence[str] = (),
    delimiter: str | None = None,
    root: str | None = None,
    find: Find = exactly,
    show_cells: bool = True,
) -> Taxonomy:
    """Read a taxonomy from a file, plain or gzipped.

    Parameters
    ----------
    path
        The file.
    attribute
        The column or the kind of items to which the taxonomy applies.
    code, groups
        The column of the values, and the columns of their groups from general to specific. By
        default, the file is in ARX's format, with no header and one row per value, from specific to
        general.
    delimiter
        One character. By default, the first of ``;``, tab, ``|``, and ``,`` that divides the first
        row.
    root
        The name of the root. By default, the name in the file, or ``*``.
    find
        The function that finds a value among the leaves. By default, the value must equal the name
        of the leaf.
    show_cells
        Whether an error for a file in ARX's format may quote the cells that cause it.

    Raises
    ------
    HierarchyError
        If the file cannot be read or is not a taxonomy. The message names the file and the row.
    """
    if (code is None) != (not groups):
        raise SettingError(
            "a table of codes requires both a column of codes and columns of groups",
            where=str(path),
            fix="give both settings; for a hierarchy file of ARX, leave both out",
        )
    if code is None:
        hierarchy = read_hierarchy(path, attribute, delimiter=delimiter, show_cells=show_cells)
        return replace(from_hierarchy(hierarchy, root=root), find=find)
    file = Path(path)
    return from_paths(
        attribute,
        paths_of(file, attribute, (*groups, code), delimiter),
        root=root or _ROOT,
        origin=str(file),
        find=find,
    )


def paths_of(
    file: Path,
    attribute: str,
    columns: Sequence[str],
    delimiter: str | None,
    *,
    show_cells: bool = True,
) -> Iterator[list[str]]:
    """Check the rows, and yield each value with its groups, from general to specific.

    `show_cells` indicates whether an error may quote the cells that cause it.
    """
    rows = rows_of(file, delimiter, "the header", "add a header and one row per value")
    _, header = next(rows)
    places = [_place(column, header, file, show_cells=show_cells) for column in columns]
    seen: dict[str, int] = {}
    for line, row in rows:
        path = [row[place].strip() for place in places]
        for column, cell in zip(columns, path, strict=True):
            if not cell:
                of = f" for value {quoted(path[-1])}" if path[-1] and show_cells else ""
                group = "if a group has no subgroups, repeat the name of the group"
                raise HierarchyError(
                    f"column {column!r} is empty{of}",
                    where=f"{file}, row {line}",
                    fix=f"fill in the cell; {group}"
                    if of
                    else "fill in the cell, or leave the row out",
                )
        if path[-1] in seen:
            value = f"value {quoted(path[-1])}" if show_cells else "the value"
            raise HierarchyError(
                f"{value} of {attribute!r} is also in row {seen[path[-1]]}",
                where=f"{file}, row {line}",
                fix="keep one of them",
            )
        seen[path[-1]] = line
        yield path


def _place(column: str, header: Sequence[str], file: Path, *, show_cells: bool) -> int:
    names = [name.strip() for name in header]
    if names.count(column) == 1:
        return names.index(column)
    if column in names:
        what, fix = f"two columns are named {quoted(column)}", "rename one of them"
    else:
        what = f"there is no column {quoted(column)}"
        near = names if show_cells else ()
        fix = did_you_mean(column, near, "use a column name from the first row", show=repr)
    raise HierarchyError(what, where=str(file), fix=fix)
