"""Write SQL for a policy in which each class has its own recoding.

Each part of a quasi-identifier is a row in a small table. Each class is a row that lists its parts.
The statement joins each distinct combination of values with the classes that contain the
combination, and uses the first of these classes. Nodes of hierarchies are joined by their labels,
for one vector of levels at a time, so engines can use hash joins. Intervals are joined by their
ends. Strings are compared by their bytes. The order is the same as in a comparison by code points.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from roadstead.errors import PolicyError
from roadstead.hierarchies.number_text import parse_number, plain_number
from roadstead.hierarchies.rules import MISSING, Calendar
from roadstead.policies.recodings.document import IntervalParts, NodeParts, Recoding
from roadstead.release.sql.exact_numbers import NUMBER, decimal
from roadstead.release.sql.literals import column, text, texts, without_sql
from roadstead.release.sql.rule_sql import Fresh
from roadstead.release.sql.rules import (
    BYTEWISE,
    day_steps,
    keeping,
    last_day,
    number_steps,
    rule_sql,
    without_forms,
    without_ranges,
)

Steps: TypeAlias = tuple[Mapping[str, str], Mapping[str, str], Mapping[str, str]]
Cell: TypeAlias = "int | str | None"
"""A cell of a small table."""
SHOWN, VECTORS = "shown_by", "level_vectors"
"""The names of two joined tables: the classes with their parts, and the vectors of levels."""


@dataclass(frozen=True)
class PartsSql:
    """The parts of one quasi-identifier as SQL.

    `steps` lists the columns that the parts need, in the same form as for a rule. `places` lists
    the columns that are compared with the parts. `names`, `kinds`, and `rows` define the table of
    parts. In this table, the first column is the number of the part, and the last column is the
    label. For nodes, the second column is the level. `holds` is the condition that a part of a
    class contains a value. The parts of classes are in the table `SHOWN`. Nodes also use the table
    `VECTORS` for levels.
    """

    steps: Steps
    places: dict[str, str]
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    holds: str
    levels: tuple[int, ...] = ()  # for nodes, the index of each part's level

    @property
    def label(self) -> str:
        """Return the name of the column that contains the labels."""
        return self.names[-1]


def parts_sql(name: str, at: int, parts: NodeParts | IntervalParts, fresh: Fresh) -> PartsSql:
    """Convert the parts of the quasi-identifier at index `at` into SQL.

    If SQL cannot express the parts, a PolicyError is raised.
    """
    if isinstance(parts, NodeParts):
        return _nodes(name, at, parts, fresh)
    return _intervals(name, at, parts, fresh)


def _nodes(name: str, at: int, parts: NodeParts, fresh: Fresh) -> PartsSql:
    rules = [
        keeping(rule_sql(name, rule, fresh), name, parts.kept_by(rule)) for rule in parts.rules
    ]
    keys = tuple(column(fresh(f"{name}_{level}")) for level in parts.levels)
    first, second, third = (
        {new: said for rule in rules for new, said in rule.steps[step].items()} for step in range(3)
    )
    cases = " ".join(f"WHEN {place} THEN {key}" for place, key in enumerate(keys))
    part, level, label = (fresh(f"{what}_{at}") for what in ("part", "level", "label"))
    return PartsSql(
        (first, second, third),
        {key: rule.label for key, rule in zip(keys, rules, strict=True)},
        (part, level, label),
        ("INT", "INT", "TEXT"),
        tuple((number, *own) for number, own in enumerate(parts.parts)),
        f"CASE {VECTORS}.{level} {cases} END = {SHOWN}.{label}",
        tuple(place for place, _ in parts.parts),
    )


def _intervals(name: str, at: int, parts: IntervalParts, fresh: Fresh) -> PartsSql:
    order = _order(name, parts, fresh)
    own, value = column(fresh(f"{name}_place")), column(name)
    until = own if order.last is None else column(fresh(f"{name}_until"))
    names = ("part", "missing", "first", "last", "label")
    part, missing, first, last, label = (fresh(f"{what}_{at}") for what in names)

    def row(number: int, low: str | None, high: str | None) -> tuple[Cell, ...]:
        bounds = ((low, order.end), (high, order.last_end or order.end))
        inner = (None if one in (None, MISSING) else end(str(one)) for one, end in bounds)
        # If the high end is the missing value or a code, so is the low end, and the part does not
        # contain any other value.
        alone = low == high and high in (MISSING, *parts.missing_codes)
        ends = order.nothing if alone else tuple(inner)
        return (number, int(parts.with_missing[number]), *ends, parts.labels[number])

    ordered = (
        f"({own} IS NOT NULL "
        f"AND ({own} >= {SHOWN}.{first} OR {SHOWN}.{first} IS NULL) "
        f"AND ({until} <= {SHOWN}.{last} OR {SHOWN}.{last} IS NULL))"
    )
    nothing = f"{value} = ''"
    if parts.missing_codes:  # a code may look like a number
        code = f"{value} IN ({texts(parts.missing_codes)})"
        ordered = f"(({code} AND {value} = {SHOWN}.{label}) OR (NOT {code} AND {ordered}))"
        nothing = f"({nothing} OR {code})"
    return PartsSql(
        order.steps,
        {own: order.place, until: order.last or order.place},
        (part, missing, first, last, label),
        ("INT", "INT", order.kind, order.kind, "TEXT"),
        tuple(row(number, *ends) for number, ends in enumerate(parts.parts)),
        f"(({nothing} AND {SHOWN}.{missing} = 1) OR {ordered})",
    )


@dataclass(frozen=True)
class _Order:
    """The comparison of values: an expression for the position of a value, and the form of ends."""

    kind: str  # the SQL type of places and ends
    place: str  # null for a value without a place
    end: Callable[[str], Cell]
    nothing: tuple[Cell, Cell]  # ends of an empty interval
    steps: Steps = ({}, {}, {})
    # The last place of a value and of a high end, if it can differ from the first place.
    last: str | None = None
    last_end: Callable[[str], Cell] | None = None


def _order(name: str, parts: IntervalParts, fresh: Fresh) -> _Order:
    match parts.order:
        case "numbers":
            number, shapes, numbers = number_steps(name, fresh)
            return _Order(NUMBER, column(number), _number, ("1", "0"), (shapes, numbers, {}))
        case "dates":
            calendar = Calendar("year", parts.form, parts.pivot, parts.serials)
            known, steps = day_steps(name, calendar, fresh)
            (shape,) = steps[0]
            last = last_day(column(known), column(shape))
            days_of = parts.written.days_of
            return _Order(
                "TEXT",
                column(known),
                lambda value: str(days_of(value)[0]),
                ("1", "0"),
                steps,
                last,
                lambda value: str(days_of(value)[1]),
            )
        case "ranges":
            raise without_ranges(name)
        case "mixed" | "ages":
            raise without_forms(name)
        case "listed":
            places = {value: place for place, value in enumerate(parts.listed)}
            cases = " ".join(f"WHEN {text(value)} THEN {place}" for value, place in places.items())
            place = f"CASE {column(name)} {cases} END"
            return _Order("INT", place, places.__getitem__, (1, 0))
    return _Order("TEXT", f"{BYTEWISE}({column(name)})", str, ("1", "0"))


def _number(value: str) -> str:
    number = parse_number(value)
    if number is None:
        raise PolicyError("an interval ends at a value that is not a number", fix=without_sql())
    decimal(number)  # raises an error for inexact numbers
    return plain_number(number)


@dataclass(frozen=True)
class ClassTables:
    """The tables and joins that find the class of each record.

    In a join, `number` is the column that contains the number of a class, and `vector` is the
    column that contains the vector of levels. `keys` lists the columns of the quasi-identifiers'
    values. `rows` is the table of classes, with the number, the vector, and the parts of each
    class.
    """

    parts: tuple[PartsSql, ...]
    number: str
    vector: str
    keys: tuple[str, ...]
    rows: tuple[tuple[int, ...], ...]
    nowhere: str  # internal value for a record without a class

    @staticmethod
    def of(recoding: Recoding, parts: Sequence[PartsSql], fresh: Fresh) -> ClassTables:
        """Build the tables, and number the vectors of levels that the classes have."""
        vectors: dict[tuple[int, ...], int] = {}
        rows = []
        for number, own in enumerate(recoding.classes):
            levels = tuple(
                one.levels[part] for one, part in zip(parts, own, strict=True) if one.levels
            )
            rows.append((number, vectors.setdefault(levels, len(vectors)), *own))
        keys = tuple(fresh(f"value_{at}") for at in range(len(parts)))
        names = fresh("class_number"), fresh("vector_number")
        nowhere, labels = "in no class", {x for own in recoding.attributes for x in own.labels}
        while nowhere in labels:
            nowhere += "_"
        return ClassTables(tuple(parts), *names, keys, tuple(rows), nowhere)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns in the table of classes."""
        return (self.number, self.vector, *(one.names[0] for one in self.parts))

    def shown(self, classes: str, tables: Sequence[str]) -> str:
        """Return the join of classes with their parts."""
        columns, joins = [self.number, self.vector], []
        for at, (one, table) in enumerate(zip(self.parts, tables, strict=True)):
            part = one.names[0]
            joins.append(f"JOIN {table} AS p{at} ON c.{part} = p{at}.{part}")
            typed = zip(one.names[1:], one.kinds[1:], strict=True)
            columns += [f"CAST(p{at}.{name} AS {kind}) AS {name}" for name, kind in typed]
        return f"SELECT {', '.join(columns)} FROM {classes} AS c {' '.join(joins)}"  # noqa: S608 - ours

    def vectors(self, shown: str) -> str:
        """Return the query for the vectors of levels."""
        levels = [one.names[1] for one in self.parts if one.levels]
        return f"SELECT DISTINCT {', '.join((self.vector, *levels))} FROM {shown}"  # noqa: S608 - quoted

    def first(self, quasi: Sequence[str], placed: str, shown: str, vectors: str) -> str:
        """Return the query for the first class of each combination of values."""
        names = [column(name) for name in quasi]
        places = [place for one in self.parts for place in one.places]
        distinct = f"SELECT DISTINCT {', '.join((*names, *places))} FROM {placed}"  # noqa: S608 - quoted
        holds = " AND ".join(one.holds for one in self.parts)
        keys = ", ".join(f"{own} AS {key}" for own, key in zip(names, self.keys, strict=True))
        joined = (
            f"({distinct}) AS combinations CROSS JOIN {vectors} AS {VECTORS} "
            f"JOIN {shown} AS {SHOWN} ON {SHOWN}.{self.vector} = {VECTORS}.{self.vector} "
            f"AND {holds} GROUP BY {', '.join(names)}"
        )
        first = f"MIN({SHOWN}.{self.number}) AS {self.number}"
        return f"SELECT {keys}, {first} FROM {joined}"  # noqa: S608 - quoted

    def shows(self, attribute: int, covered: str) -> str:
        """Return SQL for the released value. `covered` is null if no rule covers the value."""
        label = f"COALESCE({self.parts[attribute].names[-1]}, {text(self.nowhere)})"
        return f"CASE WHEN ({covered}) IS NOT NULL THEN {label} END"

    def labelled(
        self, quasi: Sequence[str], columns: Sequence[str], tables: tuple[str, str, str]
    ) -> str:
        """Return the join of records with their classes.

        `tables` contains the tables of positions, of first classes, and of parts.
        """
        placed, first, shown = tables
        on = " AND ".join(
            f"{column(name)} = f.{key}" for name, key in zip(quasi, self.keys, strict=True)
        )
        joined = (
            f"{placed} AS v LEFT JOIN {first} AS f ON {on} "
            f"LEFT JOIN {shown} AS s ON f.{self.number} = s.{self.number}"
        )
        return f"SELECT {', '.join(columns)} FROM {joined}"  # noqa: S608 - quoted
