"""Select the people whose records are released, and give them pseudonyms.

If a release links the records of a person, the engine joins a small table of people and pseudonyms
to the records. Records without a match are excluded, even if the person is unknown.
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
"""The columns of the small table. No other table has columns with these names."""
_Bring: TypeAlias = "Callable[[pa.Table], ibis.Table]"


def of_persons_kept(
    table: ibis.Table, bring: _Bring, policy: Policy, generalized: Generalized
) -> ibis.Table:
    """Exclude all records of the people who are suppressed.

    If records are linked, the function does nothing, because the join with the pseudonyms excludes
    these people.
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
    """Replace each remaining person with a pseudonym, and exclude the records of other people."""
    if not isinstance(generalized, GeneralizedPersons) or generalized.pseudonyms is None:
        raise ValueError("the policy links records, but the pseudonyms are missing")
    out = generalized.persons_out or frozenset()
    kept = [name for name in generalized.table.persons.names if name not in out]
    return renamed_in(records, column, bring(pairs_of(kept, generalized.pseudonyms)))


def pairs_of(names: Sequence[str], made: Pseudonyms) -> pa.Table:
    """Return a table that maps people, or other names, to their pseudonyms."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    return pa.table({_NAME: texts(names), _PSEUDONYM: texts(made.of(names))})


def renamed_in(records: ibis.Table, column: str, pairs: ibis.Table) -> ibis.Table:
    """Replace names with pseudonyms in a column, and exclude records without a pseudonym."""
    named = records.mutate(**{column: as_text(records[column])})
    joined = named.inner_join(pairs, [(column, _NAME)])
    return joined.select(
        **{name: joined[_PSEUDONYM] if name == column else joined[name] for name in records.columns}
    )
