"""Generalize the codes in people's rows until k people in a class share each code.

If fewer than k people in a class have a code, the code is replaced by its most specific ancestor
that at least k people have. A person with any rare code below the ancestor counts as a person with
the ancestor. If there is no such ancestor, the rows with the code are omitted. All rows in a class
that have the same code are changed in the same way, so an attacker who knows the code finds at
least k people.

The engine returns only the rare codes and the few people who have these codes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from roadstead.release.database.rows import code_of, eligible, has_of, levels_of
from roadstead.tables.database.omop import ANCESTORS, LOCAL

if TYPE_CHECKING:
    from roadstead.tables.database.opening import OpenedSet, SetTable

Code = Any
"""A code, which is a whole number in a CDM and text otherwise."""


@dataclass(frozen=True)
class Ancestry:
    """The ancestors of each code, and the number of codes below each ancestor."""

    above: Mapping[Code, Sequence[Code]] = field(default_factory=dict)
    below: Mapping[Code, int] = field(default_factory=dict)


def ancestry_of(opened: OpenedSet) -> Ancestry:
    """Return the ancestors of the codes that people have, except local codes of a site."""
    if not opened.numbered or ANCESTORS not in opened.tables:
        return Ancestry()
    steps = opened.tables[ANCESTORS].view
    used = " UNION ".join(
        f"SELECT {code_of(opened, one)} AS code FROM {one.view} r"
        for one in opened.of_persons
        if one.rules.code is not None
    )
    pairs = opened.rows(
        "SELECT a, d, n FROM (SELECT try_cast(ancestor_concept_id AS BIGINT) AS a, "
        f"try_cast(descendant_concept_id AS BIGINT) AS d, count(*) OVER (PARTITION BY a) AS n "
        f"FROM {steps}) WHERE a <> d AND a > 0 AND a < {LOCAL} AND d IN ({used})"
    )
    above: dict[Code, list[Code]] = defaultdict(list)
    for ancestor, code, _ in pairs:
        above[code].append(ancestor)
    return Ancestry(above, {ancestor: number for ancestor, _, number in pairs})


def generalize_codes(
    opened: OpenedSet,
    tables: Sequence[SetTable],
    k: int,
    ancestry: Ancestry,
    *,
    gone: bool,
) -> None:
    """Decide for each class how to release each code in a domain, and write a table of decisions.

    The table has the columns `class`, `code`, and `released`. The column `released` contains the
    released code, or null if the rows are omitted. A second table, `has DOMAIN`, contains the codes
    of each person.
    """
    domain = tables[0].rules.domain
    has, levels = has_of(domain), levels_of(domain)
    rows = " UNION ALL ".join(
        f"SELECT DISTINCT p.number, {code_of(opened, one)} AS code "
        f"{eligible(opened, one, gone=gone)}"
        for one in tables
    )
    distinct = "DISTINCT " if len(tables) > 1 else ""
    opened.run(f"CREATE OR REPLACE TEMP TABLE {has} AS SELECT {distinct}number, code FROM ({rows})")
    opened.run(
        f"CREATE OR REPLACE TEMP TABLE {levels} AS SELECT class, code, code AS released, "
        f"count(*) AS persons FROM {has} JOIN people USING (number) GROUP BY ALL"
    )
    local = f" OR (code >= {LOCAL})" if opened.numbered else ""
    rare = opened.rows(
        f"SELECT l.class, l.code, number FROM {levels} l JOIN {has} h ON h.code = l.code "
        f"JOIN people USING (number) WHERE people.class = l.class AND (l.persons < {k}"
        f"{local.replace('code', 'l.code')}) ORDER BY ALL"
    )
    told = next((one.rules.root for one in tables if one.rules.root is not None), None)
    root: Code = int(told) if told is not None and opened.numbered else told
    common = _common(opened, levels, k, local)
    changed = []
    for own, holders in _by_class(rare).items():
        found = climb(holders, common[own], ancestry, k, root)
        changed += [(own, code, to) for code, to in found.items()]
    _enter(opened, levels, changed)


def climb(
    holders: Mapping[Code, frozenset[int]],
    common: frozenset[Code],
    ancestry: Ancestry,
    k: int,
    root: Code | None,
) -> dict[Code, Code | None]:
    """Return the code that replaces each rare code in a class, or None if the code is omitted.

    `holders` maps each rare code to the people who have the code. `common` contains the codes that
    enough people have. The most specific ancestor is the ancestor with the fewest codes below it.
    If there are several such ancestors, the first is used.
    """
    found: dict[Code, Code | None] = dict.fromkeys(holders)
    below: dict[Code, list[Code]] = defaultdict(list)
    for code in holders:
        for ancestor in ancestry.above.get(code, ()):
            below[ancestor].append(code)
    for ancestor, codes in below.items():
        if ancestor in holders:
            codes.append(ancestor)
    waiting = set(holders)
    for ancestor in sorted(below, key=lambda one: (ancestry.below.get(one, 0), one)):
        codes = [code for code in below[ancestor] if code in waiting]
        persons = frozenset().union(*(holders[code] for code in codes))
        if codes and (ancestor in common or len(persons) >= k):
            found |= dict.fromkeys(codes, ancestor)
            waiting.difference_update(codes)
    if root is not None and waiting:
        persons = frozenset().union(*(holders[code] for code in waiting))
        if root in common or len(persons) >= k:
            found |= dict.fromkeys(waiting, root)
    return found


def _by_class(
    rows: Sequence[tuple[int, Code, int]],
) -> dict[int, dict[Code, frozenset[int]]]:
    found: dict[int, dict[Code, set[int]]] = defaultdict(lambda: defaultdict(set))
    for own, code, person in rows:
        found[own][code].add(person)
    return {
        own: {code: frozenset(persons) for code, persons in codes.items()}
        for own, codes in found.items()
    }


def _common(
    opened: OpenedSet, levels: str, k: int, local: str
) -> defaultdict[int, frozenset[Code]]:
    """Return the codes in each class that are released unchanged."""
    found: dict[int, set[Code]] = defaultdict(set)
    for own, code in opened.rows(
        f"SELECT class, code FROM {levels} WHERE persons >= {k} AND NOT (false{local})"
    ):
        found[own].add(code)
    return defaultdict(frozenset, {own: frozenset(codes) for own, codes in found.items()})


def _enter(
    opened: OpenedSet, levels: str, changed: Sequence[tuple[int, Code, Code | None]]
) -> None:
    import pyarrow as pa  # noqa: PLC0415 - heavy

    kind = pa.int64() if opened.numbered else pa.string()
    own, code, to = ([one[at] for one in changed] for at in range(3))
    columns = [pa.array(own, pa.int64()), pa.array(code, kind), pa.array(to, kind)]
    con = opened.engine.con
    con.register("arriving", pa.table(columns, names=["class", "code", "becomes"]))
    opened.run(
        f"UPDATE {levels} l SET released = c.becomes FROM arriving c "
        "WHERE c.class = l.class AND c.code = l.code"
    )
    con.unregister("arriving")
