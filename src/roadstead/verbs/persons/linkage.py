"""Columns that would link a person's rows in a release that is not to link them.

What nobody decided on is withheld where it does so for more than a few persons. A column that
somebody named goes the way that was said, and the first lines say what it tells; one that is as
good as a pseudonym is refused unless it was released by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from roadstead.errors import RoleError, quoted
from roadstead.front_end import option
from roadstead.reports.numbers import percent
from roadstead.tables.persons.linking_columns import LinkedRowsShare, linked_rows, linked_together
from roadstead.tables.roles import Roles
from roadstead.tables.source import Source
from roadstead.verbs.columns import (
    MOST_RARE,
    MOST_UNIQUE,
    SMALL,
    ColumnDecisions,
    LinkingColumns,
    WithheldColumn,
)

AS_A_PSEUDONYM = 0.5
"""Of persons with several rows, the share of whom two are linked, above which a column is a key."""


def links_by_declared(
    source: Source, roles: Roles, *, k: int, linked: bool
) -> dict[str, LinkedRowsShare]:
    """Say of each column that somebody named how many persons it links rows of.

    Nothing where rows are to be linked, or records are counted.

    Raises
    ------
    RoleError
        A column works as a key of persons, and was not released by name.
    """
    if roles.person is None or linked:
        return {}
    declared = (*roles.sensitive, *roles.unchanged)
    found = linked_rows(
        source, roles.person, (*declared, *roles.release_anyway), k=k, small=SMALL * k
    )
    for name in declared:
        if found[name].share > AS_A_PSEUDONYM and found[name].persons >= k:
            raise RoleError(
                f"it shows which records belong to one person: {_how(found[name])}",
                where=f"column {quoted(name)}",
                fix=f"name it with {option('identifiers', [name])}, link the records of a person "
                f"with {option('link', 'pseudonym')}, or release it anyway with "
                f"{option('release_anyway', [name])}",
            )
    return found


def without_links(
    source: Source, decided: ColumnDecisions, declared: Mapping[str, LinkedRowsShare], *, k: int
) -> ColumnDecisions:
    """Withhold what links rows and nobody decided on; note what links them and somebody did.

    `declared` is what `links_by_declared` found.
    """
    person = decided.roles.person
    if person is None:
        return decided
    if decided.linked:
        return _without_rare(source, decided, person, k=k)
    free = linked_rows(source, person, decided.unnamed, k=k, small=SMALL * k)
    withheld = {name: _how(one) for name, one in free.items() if one.share > _most(one, k)}
    linking = {name: one for name, one in declared.items() if one.share > _most(one, k)}
    harmless = [name for name in (*declared, *decided.unnamed) if name not in {*linking, *withheld}]
    names, both = linked_together(source, person, harmless, k=k, small=SMALL * k)
    if both is not None and both.share > _most(both, k) and set(names) & set(decided.unnamed):
        how = f"together with other columns, {_how(both)}"
        withheld |= {name: how for name in names if name in decided.unnamed}
        harmless = [name for name in harmless if name not in withheld]
        names, both = linked_together(source, person, harmless, k=k, small=SMALL * k)
    told = [LinkingColumns((name,), one.share, _how(one)) for name, one in linking.items()]
    if both is not None and both.share > _most(both, k):
        told.append(LinkingColumns(names, both.share, _how(both)))
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
    """Withhold what nobody decided on and too few persons share, however many records they have.

    Where rows are linked nothing needs to link them, but a value of two persons still tells who
    they are; counted by records it would not be rare.
    """
    free = linked_rows(source, person, decided.unnamed, k=k, small=SMALL * k)
    rare = {name: one for name, one in free.items() if one.value_share > _most(one, k)}
    return replace(
        decided,
        unnamed=tuple(name for name in decided.unnamed if name not in rare),
        withheld=(
            *decided.withheld,
            *(WithheldColumn(name, "rare", _by_value(one), 0.0) for name, one in rare.items()),
        ),
    )


def _most(one: LinkedRowsShare, k: int) -> float:
    return MOST_RARE if one.fewer_than == k else MOST_UNIQUE


def _how(one: LinkedRowsShare) -> str:
    if one.value_share < one.order_share:
        whose = f"for {percent(one.share)} of the people with several records, two "
        return f"{whose}are next to each other in its order"
    return _by_value(one)


def _by_value(one: LinkedRowsShare) -> str:
    whose = f"for {percent(one.value_share)} of the people with several records, two "
    alone = one.fewer_than == 2  # noqa: PLR2004 - one alongside it
    others = "no one else has" if alone else f"fewer than {one.fewer_than} people have"
    return f"{whose}share a value that {others}"
