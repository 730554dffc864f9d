"""Build hierarchies of the codes in a code system.

The levels are the code, its parts, and groups of codes. A code system comes with the package
(`code_systems`) or is a user's table of concepts, such as SNOMED CT or RxNorm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from roadstead.code_systems.system import CodeSystem, system_named
from roadstead.errors import HierarchyError
from roadstead.hierarchies.code_rules import Beginnings, CodeParts
from roadstead.hierarchies.hierarchy import Hierarchy, from_rules
from roadstead.hierarchies.rules import Everything, Identity, Rule
from roadstead.hierarchies.taxonomy_files import paths_of
from roadstead.hierarchies.written_numbers import APART


def codes(attribute: str, values: Sequence[str], book: str) -> Hierarchy:
    """Build a hierarchy whose levels are the code, its first parts, its groups, and ``*``.

    The rules contain the full system, so they do not reveal which codes occur in a table. All
    strings that are not codes of the system have the same separate label.
    """
    system = system_named(book, where=f"hierarchy of {attribute!r}")
    rules: list[Rule] = [Identity(), *code_rules(system), Everything()]
    return from_rules(attribute, values, rules, origin=f"{system.title} of {attribute!r}")


def code_rules(system: CodeSystem) -> Iterator[Rule]:
    """Yield the rules between the code and ``*``, from specific to general."""
    first = tuple(sorted(system.first))
    for keep in range(len(system.parts), 0, -1):
        if part := system.parts[keep - 1]:
            yield CodeParts(
                system.title, part, keep, system.forms, first, system.width, system.other
            )
    for level in system.levels:
        forms = () if system.loose else system.forms
        groups = tuple(level.groups.items())
        yield Beginnings(groups, system.title, level.name, system.other, forms, system.whole)


def concepts(
    attribute: str,
    values: Sequence[str],
    path: str | Path,
    code: str,
    groups: Sequence[str],
    *,
    delimiter: str | None = None,
) -> Hierarchy:
    """Build a hierarchy from a table of concepts: the code, then groups from specific to general.

    All values that the table of concepts does not list have the same separate label. `path` is a
    CSV file with a header and one row for each concept. The file must list all concepts of the
    system, not only the concepts in the data. `code` is the file's column of codes, and `groups`
    are the columns of groups from general to specific. By default, the first row determines the
    `delimiter`. Raises `HierarchyError` if the file cannot be read, or if a group belongs to two
    groups of the level above.
    """
    file = Path(path)
    rows = [*paths_of(file, attribute, (*groups, code), delimiter, show_cells=False)]
    rules: list[Rule] = [Identity()]
    for at in reversed(range(len(groups))):
        members: dict[str, list[str]] = {}
        above: dict[str, str] = {}
        for row in rows:
            members.setdefault(row[at], []).append(row[-1])
            if at and above.setdefault(row[at], row[at - 1]) != row[at - 1]:
                raise HierarchyError(
                    f"a group in column {groups[at]!r} belongs to two groups in {groups[at - 1]!r}",
                    where=file.name,
                    fix="put each group into only one group above it",
                )
        listed = tuple((label, tuple(own)) for label, own in members.items())
        rules.append(Beginnings(listed, file.stem, groups[at], APART, whole=True))
    return from_rules(attribute, values, [*rules, Everything()], origin=str(file))
