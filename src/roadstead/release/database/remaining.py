"""Measure how much of each table remains: the people who have rows, and the rows of each code.

If codes lose very different shares of their rows, analyses of the release are biased.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from roadstead.release.database.certificate import KeptCodes, KeptPeople
from roadstead.release.database.rows import code_of, remaining
from roadstead.tables.engine import literal
from roadstead.tables.stores.names import quoted_name

if TYPE_CHECKING:
    from roadstead.release.database.decisions import DatabaseDraft
    from roadstead.tables.database.opening import SetTable


@dataclass(frozen=True)
class CodeShare:
    """The share of the rows of a code that are released with this code."""

    code: str
    share: float


@dataclass(frozen=True)
class CodesLeft:
    """The codes with the smallest and the largest share of released rows, and the lost codes.

    Only codes that at least k people have in the release have a share. The other codes are counted.
    """

    least: CodeShare
    greatest: CodeShare
    released: int
    lost: int

    @property
    def certified(self) -> KeptCodes:
        """Return the shares in whole percent, without the names of the codes."""
        return KeptCodes(int(100 * self.least.share), int(100 * self.greatest.share))


def people_kept(draft: DatabaseDraft, table: SetTable) -> KeptPeople | None:
    """Count the people who have rows in a table of the source, and in the release."""
    if table.rules.person is None or table.rules.is_of_persons:
        return None
    own = quoted_name(table.rules.person)
    ((before,),) = draft.opened.rows(f"SELECT count(DISTINCT {own}) FROM {table.view}")
    rows = remaining(draft.opened, table, gone=draft.gone)
    ((after,),) = draft.opened.rows(f"SELECT count(DISTINCT p.number) {rows}")
    return KeptPeople(before, after)


def codes_left(draft: DatabaseDraft, table: SetTable) -> CodesLeft | None:
    """Return the shares of the codes of a table, or None if fewer than two codes have a share."""
    opened = draft.opened
    if table.rules.code is None or table.rules.person is None:
        return None
    code, none = code_of(opened, table), "0" if opened.numbered else literal("")
    rows = remaining(opened, table, gone=draft.gone)
    unchanged = rows._replace(where=(*rows.where, f"l.released = {code}"))
    found = opened.rows(
        f"WITH before AS (SELECT {code} AS code, count(*) AS rows FROM {table.view} r GROUP BY 1), "
        f"after AS (SELECT {code} AS code, count(*) AS rows, count(DISTINCT p.number) AS people "
        f"{unchanged} GROUP BY 1) "
        "SELECT code::VARCHAR, coalesce(after.rows, 0) / before.rows AS share, "
        "coalesce(after.people, 0) FROM before LEFT JOIN after USING (code) "
        f"WHERE code <> {none} ORDER BY share, code"
    )
    enough = [CodeShare(own, share) for own, share, people in found if people >= draft.settings.k]
    lost = sum(share == 0 for _, share, _ in found)
    return CodesLeft(enough[0], enough[-1], len(enough), lost) if len(enough) > 1 else None
