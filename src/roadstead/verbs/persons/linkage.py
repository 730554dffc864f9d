"""Find columns that link the rows of a person in a release that must not link them.

A column without a role is withheld if it links the rows of more than a few people. A column with a
role is released, and the first lines of the output describe what it reveals. A column that links as
many rows as a pseudonym is rejected unless ``release_anyway`` lists it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from roadstead.errors import RoleError, quoted
from roadstead.front_end import named_with, option
from roadstead.reports.release.columns import (
    ColumnDecisions,
    LinkingColumns,
    WithheldColumn,
    links_records,
    shares_values,
)
from roadstead.tables.persons.linking_columns import LinkedRowsShare, linked_rows, linked_together
from roadstead.tables.roles import Roles
from roadstead.tables.source import Source
from roadstead.verbs.columns import MOST_RARE, MOST_UNIQUE, SMALL

AS_A_PSEUDONYM = 0.5
"""The largest accepted share of people whose rows a column links."""


def links_by_declared(
    source: Source, roles: Roles, *, k: int, linked: bool, known: bool
) -> dict[str, LinkedRowsShare]:
    """For each column with a role, return the share of people whose rows the column links.

    The result is empty if the release links rows anyway, or if records are counted. The function
    raises a RoleError if a column works like a person ID, unless ``release_anyway`` lists it and
    the request says how many rows of a person an attacker knows (`known`). The default, one row, is
    wrong for such a release.
    """
    if roles.person is None or linked:
        return {}
    declared = (*roles.sensitive, *roles.unchanged)
    found = linked_rows(
        source, roles.person, (*declared, *roles.release_anyway), k=k, small=SMALL * k
    )
    like_ids = [
        name for name, one in found.items() if one.share > AS_A_PSEUDONYM and one.persons >= k
    ]
    for name in like_ids:
        if name not in declared and not known:
            raise RoleError(
                "this column is released, and it shows which records belong to one person: "
                f"{links_records(found[name])}. An attacker can know several of these records",
                where=f"column {quoted(name)}",
                fix=f"link the records of a person with {option('link', 'pseudonym')}; or state "
                f"how many records an attacker knows: {option('knows', 'all')}, or a number "
                "instead of all",
            )
        if name in declared:
            raise RoleError(
                "this column shows which records belong to one person: "
                f"{links_records(found[name])}",
                where=f"column {quoted(name)}",
                fix=f"{named_with(option('identifiers', [name]))}, link the records of a person "
                f"with {option('link', 'pseudonym')}, or release it anyway with "
                f"{option('release_anyway', [name])}",
            ).refusing(name)
    return found


def without_links(
    source: Source, decided: ColumnDecisions, declared: Mapping[str, LinkedRowsShare], *, k: int
) -> ColumnDecisions:
    """Withhold undecided columns that link rows, and record which columns with a role link rows.

    `declared` is the result of `links_by_declared`.
    """
    person = decided.roles.person
    if person is None:
        return decided
    if decided.linked:
        return _without_rare(source, decided, person, k=k)
    free = linked_rows(source, person, decided.unnamed, k=k, small=SMALL * k)
    withheld = {name: links_records(one) for name, one in free.items() if one.share > _most(one, k)}
    linking = {name: one for name, one in declared.items() if one.share > _most(one, k)}
    harmless = [name for name in (*declared, *decided.unnamed) if name not in {*linking, *withheld}]
    names, both = linked_together(source, person, harmless, k=k, small=SMALL * k)
    if both is not None and both.share > _most(both, k) and set(names) & set(decided.unnamed):
        how = f"together with other columns, {links_records(both)}"
        withheld |= {name: how for name in names if name in decided.unnamed}
        harmless = [name for name in harmless if name not in withheld]
        names, both = linked_together(source, person, harmless, k=k, small=SMALL * k)
    told = [LinkingColumns((name,), one.share, links_records(one)) for name, one in linking.items()]
    if both is not None and both.share > _most(both, k):
        told.append(LinkingColumns(names, both.share, links_records(both)))
    return replace(
        decided,
        unnamed=tuple(name for name in decided.unnamed if name not in withheld),
        withheld=(
            *decided.withheld,
            *(
                WithheldColumn(name, "links", how, 0.0, forced=True)
                for name, how in withheld.items()
            ),
        ),
        linking=tuple(told),
    )


def _without_rare(
    source: Source, decided: ColumnDecisions, person: str, *, k: int
) -> ColumnDecisions:
    """Withhold columns without a role if only a few people share their values.

    If the release links rows anyway, a column may link the same rows. However, a value that only
    two people have can identify them, even if many records contain the value.
    """
    free = linked_rows(source, person, decided.unnamed, k=k, small=SMALL * k)
    rare = {name: one for name, one in free.items() if one.value_share > _most(one, k)}
    return replace(
        decided,
        unnamed=tuple(name for name in decided.unnamed if name not in rare),
        withheld=(
            *decided.withheld,
            *(WithheldColumn(name, "rare", shares_values(one), 0.0) for name, one in rare.items()),
        ),
    )


def _most(one: LinkedRowsShare, k: int) -> float:
    return MOST_RARE if one.fewer_than == k else MOST_UNIQUE
