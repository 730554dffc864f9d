"""Protect against an attacker who knows two codes of a person.

At least k people in a class must share every pair of codes. If fewer than k people have a pair, the
rarer code in the pair is omitted for each of these people. All rows of the person with this code
are omitted. Each omission reduces the counts of other pairs, so the module counts again until
nothing changes. The module may omit more codes than necessary.

Rows of other tables that refer to an omitted row are omitted too. So the module prefers to omit
codes of tables to which no other table refers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.errors import Refusal
from roadstead.front_end import option
from roadstead.log import LOG
from roadstead.release.database.rows import has_of, levels_of
from roadstead.tables.engine import literal

if TYPE_CHECKING:
    from collections.abc import Collection

    from roadstead.tables.database.opening import OpenedSet

MOST = 500_000_000
"""The largest number of pairs of codes that are counted."""


def leave_out_pairs(
    opened: OpenedSet, domains: Collection[str], firm: Collection[str], k: int
) -> bool:
    """Omit codes for single people until at least k people share every pair.

    The table `gone` lists the omitted codes. `firm` contains the domains of tables to which other
    tables refer. The function returns whether any code of these domains was omitted. If so, the
    rows of the other tables must be decided again.
    """
    parts = " UNION ALL ".join(
        f"SELECT DISTINCT h.number, {literal(domain)} AS domain, l.released AS code "
        f"FROM {has_of(domain)} h JOIN people p USING (number) JOIN {levels_of(domain)} l "
        "ON l.class = p.class AND l.code = h.code AND l.released IS NOT NULL"
        for domain in sorted(domains)
    )
    opened.run(
        "CREATE OR REPLACE TEMP TABLE items AS SELECT number, class, "
        f"dense_rank() OVER (ORDER BY domain, code) AS item, domain, code FROM ({parts}) "
        "JOIN people USING (number)"
    )
    ((pairs,),) = opened.rows(
        "SELECT coalesce(sum(n * (n - 1) // 2), 0)::BIGINT FROM "
        "(SELECT count(*) AS n FROM items GROUP BY number)"
    )
    if pairs > MOST:
        raise Refusal(
            f"there are {pairs:,} pairs of codes, and Roadstead can count at most {MOST:,}",
            where=opened.name,
            fix=f"protect against one known code with {option('knows', '1')}, or name fewer tables "
            f"with {option('tables', 'person,condition_occurrence')}",
        )
    again = False
    named = ", ".join(map(literal, sorted(firm))) or "NULL"
    while True:
        opened.run(_rare_items(k, named))
        ((rare, of_firm),) = opened.rows(
            f"SELECT count(*), coalesce(count_if(domain IN ({named})), 0) FROM rare"
        )
        LOG.info("%d codes left out", rare)
        if not rare:
            return again
        again = again or bool(of_firm)
        for domain in sorted(domains):
            opened.run(
                f"INSERT INTO gone SELECT r.number, r.domain, l.code FROM rare r JOIN people p "
                f"USING (number) JOIN {levels_of(domain)} l ON l.class = p.class "
                f"AND l.released = r.code WHERE r.domain = {literal(domain)}"
            )
        opened.run(
            "DELETE FROM items USING rare r WHERE items.number = r.number AND items.item = r.item"
        )


def _rare_items(k: int, firm: str) -> str:
    """Return the query for the table `rare`, which lists the codes to omit for each person."""
    return f"""
        CREATE OR REPLACE TEMP TABLE rare AS
        WITH single AS (
            SELECT class, item, count(*) AS persons, any_value(domain) IN ({firm}) AS firm
            FROM items GROUP BY class, item
        ), pairs AS (
            SELECT a.class, a.item AS one, b.item AS other, list(a.number) AS holders
            FROM items a JOIN items b ON a.number = b.number AND a.item < b.item
            GROUP BY ALL HAVING count(*) < {k}
        ), chosen AS (
            SELECT unnest(holders) AS number,
                   CASE WHEN (s.firm::INTEGER, s.persons, one) < (t.firm::INTEGER, t.persons, other)
                        THEN one ELSE other END AS item
            FROM pairs JOIN single s ON s.class = pairs.class AND s.item = one
            JOIN single t ON t.class = pairs.class AND t.item = other
        ), few AS (
            SELECT number, item FROM items JOIN single USING (class, item)
            WHERE single.persons < {k}
        )
        SELECT DISTINCT number, item, items.domain, items.code
        FROM (FROM chosen UNION FROM few) JOIN items USING (number, item)
    """
