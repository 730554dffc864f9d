"""Write SQL that converts the values of a column to the text that the rules of a policy read."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from roadstead.release.sql.literals import column, text


class Zoned(NamedTuple):
    """The type of a column of times in a given time zone, which determines their days."""

    zone: str


Kind: TypeAlias = Literal["float", "decimal", "timestamp", "other"] | Zoned
"""The types of columns that need special SQL for the conversion to text."""
_WHOLE = 10**18


def value_as_text(name: str, kind: Kind) -> str:
    """Return the SQL equivalent of `roadstead.tables.text.as_text`. Missing values become ''."""
    own = column(name)
    plain = f"CAST({own} AS TEXT)"
    match kind:
        case "float":
            return (
                f"CASE WHEN {own} IS NULL OR LOWER({plain}) = 'nan' THEN '' "
                f"WHEN {plain} IN ('Infinity', '-Infinity') THEN SUBSTRING(LOWER({plain}), 1, "
                f"CAST(LENGTH({plain}) AS INT) - 5) "
                f"WHEN ABS({own}) < {_WHOLE} AND {own} = FLOOR({own}) "
                f"THEN CAST(CAST({own} AS BIGINT) AS TEXT) ELSE {plain} END"
            )
        case "timestamp":
            day = f"CAST({own} AS DATE)"
            return (
                f"CASE WHEN {own} IS NULL THEN '' WHEN CAST({day} AS TIMESTAMP) = {own} "
                f"THEN CAST({day} AS TEXT) ELSE {plain} END"
            )
        case Zoned(zone):  # without the offset, which the rules of dates do not read
            return f"COALESCE(CAST({own} AT TIME ZONE {text(zone)} AS TEXT), '')"
        case "decimal":  # PostgreSQL's numeric has NaN
            return f"COALESCE(NULLIF({plain}, 'NaN'), '')"
        case "other":
            return f"COALESCE({plain}, '')"
