"""Join a table without people to the rows that refer to it, as a recipient can do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from roadstead.tables.stores.names import quoted_name

if TYPE_CHECKING:
    from roadstead.tables.database.opening import OpenedSet, SetTable


def seen_by_people(opened: OpenedSet, table: SetTable) -> Iterator[SetTable]:
    """Yield the joined table for each foreign key in people's rows that refers to the table.

    If a person's row refers to a row, the columns of both rows describe the person.
    """
    if table.rules.person is not None:
        return
    for own in (opened.people, *opened.of_persons):
        for column in [one for one, to in own.rules.links.items() if to == table.name]:
            person = f"person of {own.name}"
            called = {x: f"{own.name}.{x}" for x in own.rules.dates}
            called[str(own.rules.person)] = person
            cells = [f"r.{quoted_name(old)} AS {quoted_name(new)}" for old, new in called.items()]
            cells += [f"o.{quoted_name(one)}" for one in table.columns]
            dates = tuple(called[one] for one in own.rules.dates)
            rules = replace(table.rules, person=person, dates=dates)
            seen = replace(
                table,
                name=f"{table.name} ({own.name}.{column})",
                rules=rules,
                columns=(*called.values(), *table.columns),
            )
            opened.run(
                f"CREATE OR REPLACE TEMP VIEW {seen.view} AS SELECT {', '.join(cells)} "
                f"FROM {own.view} r JOIN {table.view} o ON r.{quoted_name(column)} = "
                f"o.{quoted_name(str(table.rules.key))}"
            )
            yield seen
