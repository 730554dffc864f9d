"""What a column looks like, in counts: enough to propose its role and hierarchy, and no values.

One aggregate query covers all records: how many values are missing, about how many are distinct,
how long they are. A second counts, in the first 200,000 records, how many values have the *shape*
of a number, a date, a code, an address: a shape is a regular expression, and a new one is a line
in the table below. They are written in the subset that DuckDB, PostgreSQL and Spark share.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from roadstead.tables.failures import engine_errors

if TYPE_CHECKING:
    from collections.abc import Mapping

    import ibis
    import pyarrow as pa

    from roadstead.tables.sources import Source

INSPECTED = 200_000
_PLACE = 6
"""Digits of a column's number."""


@dataclass(frozen=True)
class Shape:
    """A form that a text can have.

    Attributes
    ----------
    name
        What it is called in :attr:`ColumnProfile.shapes`.
    meaning
        One phrase for a person.
    pattern
        A regular expression that the whole text matches.
    date_format
        For dates, the form in the notation of ``strptime``.
    """

    name: str
    meaning: str
    pattern: str
    date_format: str | None = None


_MONTH = "(0?[1-9]|1[0-2])"
_DAY = "(0?[1-9]|[12][0-9]|3[01])"
_YEAR = "(1[89]|20)[0-9][0-9]"
_TIME = "[ T][0-2][0-9]:[0-5][0-9](:[0-6][0-9]([.][0-9]+)?)?(Z|[+-][0-9:]+)?"

SHAPES = (
    Shape("integer", "whole number", "[+-]?[0-9]+"),
    Shape("number", "number", "[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?"),
    Shape("decimal_comma", "number with a decimal comma", "[+-]?[0-9]*,[0-9]+"),
    Shape("digits", "digits only", "[0-9]+"),
    Shape("leading_zero", "digits that begin with a zero", "0[0-9]+"),
    Shape("year", "year", _YEAR, "%Y"),
    Shape("iso_date", "ISO date", f"{_YEAR}-(0[1-9]|1[0-2])-[0-3][0-9]", "%Y-%m-%d"),
    Shape("iso_month", "ISO month", f"{_YEAR}-(0[1-9]|1[0-2])", "%Y-%m"),
    Shape(
        "iso_timestamp",
        "ISO date with a time",
        f"{_YEAR}-(0[1-9]|1[0-2])-[0-3][0-9]{_TIME}",
        "%Y-%m-%d %H:%M:%S",
    ),
    Shape(
        "compact_date",
        "date of eight digits",
        f"{_YEAR}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])",
        "%Y%m%d",
    ),
    Shape("slashed_iso_date", "date as 2024/05/31", f"{_YEAR}/{_MONTH}/{_DAY}", "%Y/%m/%d"),
    Shape("month_first_date", "date as 05/31/2024", f"{_MONTH}/{_DAY}/{_YEAR}", "%m/%d/%Y"),
    Shape("day_first_date", "date as 31/05/2024", f"{_DAY}/{_MONTH}/{_YEAR}", "%d/%m/%Y"),
    Shape("dotted_date", "date as 31.05.2024", f"{_DAY}[.]{_MONTH}[.]{_YEAR}", "%d.%m.%Y"),
    Shape("named_date", "date as 31-May-2024", f"{_DAY}-[A-Za-z]{{3}}-{_YEAR}", "%d-%b-%Y"),
    Shape("icd10", "ICD-10 code", "[A-Z][0-9][0-9A-Z]([.]?[0-9A-Z]{1,4})?"),
    Shape("icd9", "ICD-9 code", "([0-9]{3}|V[0-9]{2}|E[0-9]{3})([.]?[0-9]{1,2})?"),
    Shape("zip", "US ZIP code", "[0-9]{5}(-[0-9]{4})?"),
    Shape("ssn", "US social security number", "[0-9]{3}-[0-9]{2}-[0-9]{4}"),
    Shape("email", "e-mail address", "[^@ ]+@[^@ ]+[.][A-Za-z]{2,}"),
    Shape(
        "phone",
        "telephone number",
        "([+][0-9]{1,3}[-. ]?)?[(]?[0-9]{3}[)]?[-. ]?[0-9]{3}[-. ][0-9]{4}"
        "|[+][0-9]{1,3}[-. ()0-9]{6,16}",
    ),
    Shape("uuid", "UUID", "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    Shape("url", "web address", "https?://[^ ]+"),
    Shape("ip", "IP address", "([0-9]{1,3}[.]){3}[0-9]{1,3}"),
)


@dataclass(frozen=True)
class ColumnProfile:
    """What a column looks like.

    Attributes
    ----------
    name
        The column.
    type
        Its type in the engine, by Ibis's name.
    records, missing
        How many records there are, and in how many the value is missing.
    distinct
        About how many distinct values there are: a sketch, a few percent off. SQL engines do not
        count the missing value, Polars does.
    shortest, longest
        Lengths of the shortest and longest text, 0 if all are missing.
    inspected
        How many values were matched with the shapes: those not missing among the first records.
    shapes
        For each name of :data:`SHAPES`, how many of them have that shape.
    """

    name: str
    type: str
    records: int
    missing: int
    distinct: int
    shortest: int
    longest: int
    inspected: int
    shapes: Mapping[str, int]

    def share(self, shape: str) -> float:
        """Return the share of inspected values that have a shape, 0 if none was inspected."""
        return self.shapes[shape] / self.inspected if self.inspected else 0.0

    @property
    def is_list(self) -> bool:
        """Whether a value is a list, such as the conditions of a person."""
        return self.type.lower().startswith("array")

    @property
    def uniqueness(self) -> float:
        """The approximate number of distinct values per value that is not missing, at most 1."""
        present = self.records - self.missing
        return min(self.distinct / present, 1.0) if present else 0.0


def profile(source: Source, *, inspected: int = INSPECTED) -> tuple[ColumnProfile, ...]:
    """Describe every column of a source in counts.

    Parameters
    ----------
    source
        The table.
    inspected
        In how many records, from the first on, values are matched with the shapes.

    Returns
    -------
    tuple of ColumnProfile
        One for each column, in order.

    Raises
    ------
    SourceError
        The engine cannot read the source.
    """
    from roadstead.tables.text import as_text  # noqa: PLC0415 - heavy

    texts = source.table.select(
        **{f"value_{at}": as_text(source.table[name]) for at, name in enumerate(source.columns)}
    )
    with engine_errors(source.name):
        (totals,) = _rows(_totals(texts))
        shapes = {int(row.pop("place")): row for row in _rows(_shapes(texts.limit(inspected)))}
    types = source.table.schema()
    return tuple(
        ColumnProfile(
            name=name,
            type=str(types[name]),
            records=totals["records"],
            missing=totals["records"] - totals[f"present_{at}"],
            distinct=totals[f"distinct_{at}"],
            shortest=totals[f"shortest_{at}"] or 0,
            longest=totals[f"longest_{at}"] or 0,
            inspected=shapes[at].pop("present"),
            shapes=MappingProxyType(shapes[at]),
        )
        for at, name in enumerate(source.columns)
    )


def _totals(texts: ibis.Table) -> ibis.Table:
    measures = {"records": texts.count()}
    for at, name in enumerate(texts.columns):
        value = texts[name].nullif("")
        measures |= {
            f"present_{at}": value.count(),
            f"distinct_{at}": value.approx_nunique(),
            f"shortest_{at}": value.length().min(),
            f"longest_{at}": value.length().max(),
        }
    return texts.aggregate(**measures)


def _shapes(texts: ibis.Table) -> ibis.Table:
    """Count shapes for all columns stacked into one, matching each distinct text only once."""
    import ibis  # noqa: PLC0415 - heavy

    # Each text behind its column's number: pairs of them come back as JSON from PostgreSQL.
    cells = [ibis.literal(f"{at:0{_PLACE}}") + texts[name] for at, name in enumerate(texts.columns)]
    unnested = texts.select(cell=ibis.array(cells).unnest())
    stacked = unnested.select(place=unnested.cell.left(_PLACE), text=unnested.cell.substr(_PLACE))
    distinct = stacked.group_by(["place", "text"]).aggregate(records=stacked.count())
    text, records = distinct["text"], distinct["records"]
    measures = {"present": records.sum(where=text != "").fill_null(0)}
    for shape in SHAPES:
        matches = text.re_search(f"^({shape.pattern})$")
        measures[shape.name] = records.sum(where=matches).fill_null(0)
    return distinct.group_by("place").aggregate(**measures)


def _rows(aggregate: ibis.Table) -> list[dict[str, Any]]:
    result: pa.Table = aggregate.to_pyarrow()
    rows: list[dict[str, Any]] = result.to_pylist()
    return rows
