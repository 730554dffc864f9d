"""Count the groups of a release in which all records have the same sensitive value.

k-anonymity limits how well an attacker can find a record in its group. But if all records of the
group have the same value, the attacker learns the value without finding the record (homogeneity,
Machanavajjhala et al. 2007). The engine of the source counts these groups. As in l-diversity, a
blank does not count as a value, and a code that the file declares as missing counts as a blank.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from roadstead.release.apply import numbered_texts, others_called, placed_records
from roadstead.tables.failures import engine_errors
from roadstead.tables.kept_codes import missing_codes_shown
from roadstead.tables.stores.access import workbench
from roadstead.tables.text import as_text
from roadstead.tables.texts import with_strings

if TYPE_CHECKING:
    import ibis

    from roadstead.policies.document import Policy
    from roadstead.release.generalized import Generalized
    from roadstead.risk.persons.knowledge import RowsKnown
    from roadstead.tables.source import Source


@dataclass(frozen=True)
class SharedValues:
    """The groups of a release in which a column has only one value, except for blanks."""

    column: str
    groups: int
    records: int  # the number of records in these groups
    of_groups: int
    of_records: int
    # The number of rows of a person that the attacker of the release knows. The groups are those of
    # one known row.
    knows: RowsKnown = 1
    with_suppressed: bool = False  # whether the suppressed records are one of the groups
    coded: bool = False  # whether the column also has codes that the file declares as missing

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as a dictionary that can be written as JSON."""
        found = asdict(self)
        del found["knows"], found["with_suppressed"], found["coded"]
        return found


def shared_values(
    source: Source,
    policy: Policy,
    generalized: Generalized,
    names: Sequence[str],
    *,
    mask: bool,
    knows: RowsKnown = 1,
) -> tuple[SharedValues, ...]:
    """Count the groups that share one value of a column, for each column with such groups."""
    if not names:
        return ()
    codes = missing_codes_shown(source)
    if generalized.by_labels_alone and not codes:
        source = with_strings(source)
    with ExitStack() as opened:
        query = numbered_texts(source, policy, generalized, opened, mask=mask)
        called = [others_called(source.columns, policy)[name] for name in names]
        with engine_errors(source.name):
            if source.texts is not None and query is not None:
                found = source.texts.row_of(_query(query, called))
            else:
                bench = opened.enter_context(workbench(source))
                placed = placed_records(bench.table, bench.small, policy, generalized, mask=mask)
                blanks = [codes.get(name, frozenset()) for name in names]
                found = _counted(placed, called, blanks, int(generalized.kept.sum()))
    return tuple(
        SharedValues(
            name,
            found[f"groups_{at}"],
            int(found[f"records_{at}"]),
            found["groups"],
            int(found["records"]),
            knows,
            mask and generalized.suppressed > 0,
            bool(codes.get(name)),
        )
        for at, name in enumerate(names)
        if found[f"groups_{at}"]
    )


def _query(records: str, columns: Sequence[str]) -> str:
    """Return the DuckDB query for the same counts as `_counted`."""
    values = (
        f"count(DISTINCT nullif(trim({name}, E' \\t\\n\\r\\v\\f'), '')) AS values_{at}"
        for at, name in enumerate(columns)
    )
    groups = f"SELECT count(*) AS size, {', '.join(values)} FROM ({records}) GROUP BY number"  # noqa: S608 - ours
    counts = (
        f"count(*) FILTER (values_{at} = 1) AS groups_{at}, "
        f"sum(size) FILTER (values_{at} = 1) AS records_{at}"
        for at in range(len(columns))
    )
    totals = "count(*) AS groups, sum(size) AS records"
    return f"SELECT {totals}, {', '.join(counts)} FROM ({groups})"  # noqa: S608 - as above


def _counted(
    placed: ibis.Table, columns: Sequence[str], blanks: Sequence[AbstractSet[str]], suppressed: int
) -> dict[str, Any]:
    """Count the groups and records for each column, with Ibis.

    `blanks` contains the declared missing codes of each column, which count as blanks. Suppressed
    records that are kept with ``*`` do not have a place, and form one group.
    """
    records = placed.select(
        place=placed["place"].fill_null(suppressed),
        **{
            f"text_{at}": _value(as_text(placed[name]).strip(), {"", *own})
            for at, (name, own) in enumerate(zip(columns, blanks, strict=True))
        },
    )
    texts = [records[f"text_{at}"] for at in range(len(columns))]
    groups = records.group_by("place").aggregate(
        size=records.count(),
        **{f"values_{at}": text.nunique() for at, text in enumerate(texts)},
    )
    size = groups["size"]
    alike = [groups[f"values_{at}"] == 1 for at in range(len(columns))]
    counts = groups.aggregate(
        groups=groups.count(),
        records=size.sum(),
        **{f"groups_{at}": groups.count(where=one) for at, one in enumerate(alike)},
        **{f"records_{at}": size.sum(where=one) for at, one in enumerate(alike)},
    )
    (found,) = counts.to_pyarrow().to_pylist()
    return dict(found)


def _value(text: ibis.Value, blanks: AbstractSet[str]) -> ibis.Value:
    import ibis  # noqa: PLC0415 - heavy

    return ibis.ifelse(text.isin(sorted(blanks)), ibis.null("string"), text)
