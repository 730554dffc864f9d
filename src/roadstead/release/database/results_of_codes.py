"""Find the codes whose results may reveal a person, such as a measurement of the age.

A column of results contains the results of many codes. So an examination of the whole column would
not find a single code. A query over all codes selects each code whose results follow the year of
birth or the date, or differ between people like an ID. The results of a selected code are then
examined as a column that has the name of the code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from roadstead.release.database.rows import code_of
from roadstead.tables.database.omop import CONCEPT, CONCEPTS
from roadstead.tables.engine import literal
from roadstead.tables.identifiers.vocabulary import is_called
from roadstead.tables.stores.names import quoted_name

if TYPE_CHECKING:
    from roadstead.tables.database.opening import OpenedSet, SetTable

_ROWS = 5_000_000
"""The approximate number of rows that are compared."""
_FEWEST = 20
"""The smallest number of results of a code."""
_FOLLOWS = 0.8
"""The smallest correlation of results that are examined."""
_DIFFERENT = 0.9
"""The smallest number of different results per person, if the results may be an ID."""


@dataclass(frozen=True)
class ResultsOfCode:
    """The results of a code: a table with the rows of the code, and the column's name in it."""

    column: str
    code: str
    called: str
    table: SetTable


def suspicious_results(
    opened: OpenedSet, table: SetTable, columns: Sequence[str]
) -> Iterator[ResultsOfCode]:
    """Yield the codes of a table whose results may reveal a person.

    Only numbers in `details` are results. Concepts are not results.
    """
    rules = table.rules
    details = [x for x in rules.details if x in columns and not x.endswith(CONCEPTS)]
    if rules.code is None or rules.person is None:
        return
    names = _names(opened, table) if details else {}
    for column in details:
        for code in _suspicious(opened, table, column, names):
            if code not in rules.left_empty.get(column, ()):
                name = names.get(code, column)
                taken = {one.casefold() for one in table.columns}
                called = name if name and name.casefold() not in taken else column
                own = _rows(opened, table, column, code, called)
                yield ResultsOfCode(column, code, called, own)


def _names(opened: OpenedSet, table: SetTable) -> Mapping[str, str]:
    """Return the name of each code. If the database is not a CDM, the name is the code itself."""
    codes = f"SELECT DISTINCT {code_of(opened, table)} AS code FROM {table.view} r"
    if not opened.numbered:
        return {str(code): str(code) for (code,) in opened.rows(codes)}
    if CONCEPT not in opened.tables:
        return {}
    found = opened.rows(
        f"SELECT code::VARCHAR, concept_name FROM ({codes}) JOIN {opened.tables[CONCEPT].view} "
        "ON try_cast(concept_id AS BIGINT) = code WHERE concept_name IS NOT NULL"
    )
    return {code: str(name) for code, name in found}


def _suspicious(
    opened: OpenedSet, table: SetTable, column: str, names: Mapping[str, str]
) -> list[str]:
    rules, people = table.rules, opened.people
    person = quoted_name(str(rules.person))
    birth = f"o.{quoted_name(people.rules.birth)}" if people.rules.birth else "NULL"
    day = f"r.{quoted_name(rules.dates[0])}" if rules.dates else "NULL::DATE"
    ((rows,),) = opened.rows(f"SELECT count(*) FROM {table.view}")
    named = ", ".join(literal(code) for code, name in names.items() if is_called(name, "age"))
    within = "OVER (PARTITION BY code, person)"
    follow = " OR ".join(
        f"(isfinite({one}) AND abs({one}) >= {_FOLLOWS})"
        for one in ("corr(value, born)", "corr(value, day)", "corr(own, days)")
    )
    numbers = "avg((value = floor(value))::INTEGER) > 0.99 AND count(DISTINCT value) >= greatest"
    found = opened.rows(
        f"WITH cells AS (SELECT {code_of(opened, table)}::VARCHAR AS code, r.{person} AS person, "
        f"try_cast(nullif(trim(r.{quoted_name(column)}::VARCHAR), '') AS DOUBLE) AS value, "
        f"{birth}::DOUBLE AS born, datediff('day', DATE '1970-01-01', {day})::DOUBLE AS day "
        f"FROM {table.view} r JOIN {people.view} o "
        f"ON r.{person} = o.{quoted_name(str(people.rules.person))} "
        f"WHERE hash(r.{person}) % {max(1, rows // _ROWS)} = 0), "
        f"results AS (SELECT *, value - avg(value) {within} AS own, "
        f"day - avg(day) {within} AS days FROM cells WHERE isfinite(value)) "
        f"SELECT code FROM results GROUP BY code HAVING count(*) >= {_FEWEST} AND ({follow} OR "
        f"({numbers}({_FEWEST}, {_DIFFERENT} * count(DISTINCT person))) OR code IN "
        f"({named or 'NULL'})) ORDER BY code"
    )
    return [code for (code,) in found]


def _rows(opened: OpenedSet, table: SetTable, column: str, code: str, called: str) -> SetTable:
    """Return the rows of a code as a table. The results are in the column `called`."""
    columns = tuple(called if one == column else one for one in table.columns)
    rules = replace(table.rules, details=(called,), kept=(), empty=())
    own = replace(table, name=f"{table.name} {code}", rules=rules, columns=columns)
    cells = ", ".join(
        f"r.{quoted_name(old)} AS {quoted_name(new)}"
        for old, new in zip(table.columns, columns, strict=True)
    )
    opened.run(
        f"CREATE OR REPLACE TEMP VIEW {own.view} AS SELECT {cells} FROM {table.view} r "
        f"WHERE {code_of(opened, table)}::VARCHAR = {literal(code)}"
    )
    return own
