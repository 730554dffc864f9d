"""Whose records go out: persons left out with all their rows, and pseudonyms in place of the rest.

Where a release links the records of a person, a small table says of each person who is kept which
pseudonym it gets, and the engine joins it to the records. A record of anybody else finds no partner
and is left out, be it of a person who is left out or of one that nobody thought of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from roadstead.release.generalized import GeneralizedPersons
from roadstead.tables.arrow_arrays import texts
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa

    from roadstead.policies.document import Policy
    from roadstead.release.generalized import Generalized
    from roadstead.release.persons.pseudonyms import Pseudonyms

_NAME, _PSEUDONYM = "roadstead name", "roadstead pseudonym"
"""Columns of what is brought, that no table has."""
_Bring: TypeAlias = "Callable[[pa.Table], ibis.Table]"


def of_persons_kept(
    table: ibis.Table, bring: _Bring, policy: Policy, generalized: Generalized
) -> ibis.Table:
    """Leave out all records of the persons who are left out.

    Where records are linked nothing is to be done: who is left out has no pseudonym.
    """
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if not isinstance(generalized, GeneralizedPersons) or policy.linked_by is not None:
        return table
    if not generalized.persons_out:
        return table
    out = bring(pa.table({"person_out": texts(sorted(generalized.persons_out))}))
    return table.filter(as_text(table[generalized.table.persons.column]).notin(out["person_out"]))


def with_pseudonyms(
    records: ibis.Table, column: str, bring: _Bring, generalized: Generalized
) -> ibis.Table:
    """Put a pseudonym in place of each person who is kept; leave out the records of all others."""
    if not isinstance(generalized, GeneralizedPersons) or generalized.pseudonyms is None:
        raise ValueError("the policy links records, but the pseudonyms are missing")
    out = generalized.persons_out or frozenset()
    kept = [name for name in generalized.table.persons.names if name not in out]
    return renamed_in(records, column, bring(pairs_of(kept, generalized.pseudonyms)))


def pairs_of(names: Sequence[str], made: Pseudonyms) -> pa.Table:
    """Pair persons, or things of another kind, with their pseudonyms, to be brought to an engine.

    The same `made` gives the same pseudonyms in all tables of a release.
    """
    import pyarrow as pa  # noqa: PLC0415 - heavy

    return pa.table({_NAME: texts(names), _PSEUDONYM: texts(made.of(names))})


def renamed_in(records: ibis.Table, column: str, pairs: ibis.Table) -> ibis.Table:
    """Put pseudonyms in a column of records in place of names; records of no pair are left out."""
    named = records.mutate(**{column: as_text(records[column])})
    joined = named.inner_join(pairs, [(column, _NAME)])
    return joined.select(
        **{name: joined[_PSEUDONYM] if name == column else joined[name] for name in records.columns}
    )
