"""Count the groups of a release in which all records have the same sensitive value.

k-anonymity limits how well an attacker can find a record in its group. If all records of the group
have the same value, the attacker learns the value without finding the record (homogeneity,
Machanavajjhala et al. 2007). The engine of the source counts these groups. As in l-diversity, a
blank does not count as a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from roadstead.release.apply import others_called, placed_records
from roadstead.tables.failures import engine_errors
from roadstead.tables.stores.access import workbench
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    from roadstead.policies.document import Policy
    from roadstead.release.generalized import Generalized
    from roadstead.tables.source import Source


@dataclass(frozen=True)
class SharedValues:
    """The groups of a release in which a column has only one value, apart from blanks."""

    column: str
    groups: int
    records: int  # the number of records in these groups
    of_groups: int
    of_records: int

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as a dictionary that can be written as JSON."""
        return asdict(self)


def shared_values(
    source: Source, policy: Policy, generalized: Generalized, names: Sequence[str], *, mask: bool
) -> tuple[SharedValues, ...]:
    """Count the groups that share one value of each of these columns, if there are such groups."""
    if not names:
        return ()
    with workbench(source) as bench:
        placed = placed_records(bench.table, bench.small, policy, generalized, mask=mask)
        called = others_called(source.columns, policy)
        # Suppressed records that are kept with * form one group.
        records = placed.select(
            place=placed["place"].fill_null(int(generalized.kept.sum())),
            **{
                f"text_{at}": as_text(placed[called[n]]).strip().nullif("")
                for at, n in enumerate(names)
            },
        )
        texts = [records[f"text_{at}"] for at in range(len(names))]
        groups = records.group_by("place").aggregate(
            size=records.count(),
            **{f"values_{at}": text.nunique() for at, text in enumerate(texts)},
        )
        size = groups["size"]
        alike = [groups[f"values_{at}"] == 1 for at in range(len(names))]
        counts = groups.aggregate(
            groups=groups.count(),
            records=size.sum(),
            **{f"groups_{at}": groups.count(where=one) for at, one in enumerate(alike)},
            **{f"records_{at}": size.sum(where=one) for at, one in enumerate(alike)},
        )
        with engine_errors(source.name):
            (found,) = counts.to_pyarrow().to_pylist()
    return tuple(
        SharedValues(
            name,
            found[f"groups_{at}"],
            int(found[f"records_{at}"]),
            found["groups"],
            int(found["records"]),
        )
        for at, name in enumerate(names)
        if found[f"groups_{at}"]
    )
