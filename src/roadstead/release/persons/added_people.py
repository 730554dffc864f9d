"""Count the people whom an attacker singles out by the released columns of unlinked rows.

A table without pseudonyms does not show which rows belong to the same person, so a recipient cannot
repeat this count. The custodian counts as the privacy requirement does: a person fits if the person
has the rows that the attacker knows.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from roadstead.release.added_risk import WHO, SingledOutPeople, singled_out, visible_text
from roadstead.release.apply import others_called, placed_records
from roadstead.tables.failures import engine_errors
from roadstead.tables.stores.access import workbench

if TYPE_CHECKING:
    from roadstead.policies.document import Policy
    from roadstead.release.generalized import Generalized
    from roadstead.tables.source import Source


def people_of_unlinked_rows(
    source: Source, policy: Policy, generalized: Generalized, *, mask: bool, k: int
) -> SingledOutPeople | None:
    """Count the people in small groups, or return None unless unlinked rows belong to people."""
    if not (mask or generalized.kept.any()):
        return None  # No record is released.
    released = frozenset(policy.columns.released)
    others = [name for name in source.columns if name in released]
    if policy.persons is None or policy.linked_by is not None or not others:
        return None
    called = others_called(source.columns, policy)
    with ExitStack() as opened, engine_errors(source.name):
        bench = opened.enter_context(workbench(source))
        placed = placed_records(
            bench.table,
            bench.small,
            policy,
            generalized,
            mask=mask,
            alongside=policy.persons.column,
        )
        records = placed.select(
            key_0=placed["place"].fill_null(int(generalized.kept.sum())),
            **{f"text_{at}": visible_text(placed[called[n]]) for at, n in enumerate(others)},
            **{WHO: placed["alongside"]},
        )
        return singled_out(records, k, source, policy.rows_known)
