"""Join the records of a file that has records of several types, such as households and people.

In a hierarchical extract of IPUMS, a household record is followed by the records of its members,
and a column contains the type of each record. The table that Roadstead reads has one row per
person, with the columns of the person and of the household. A household without members has no row.

The order of the records determines the household of a person, because a serial number is unique
only within one sample. Each column that both types of records have, such as the serial number, must
have the same value in both records. So records in a different order are not joined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from roadstead.errors import SourceError, quoted
from roadstead.front_end import argument
from roadstead.tables.failures import engine_errors
from roadstead.tables.formats.options import chosen
from roadstead.tables.source import Csv, Source

RECTYPE = "rectype"
"""The lowercase name of the column that contains the type of a record in a CSV file of IPUMS."""
RECORDS = "records"
"""The option that selects the type of the records that become rows."""
HOUSEHOLD, _PERSON = "H", "P"


class RecordTypes(NamedTuple):
    """The types of the records in a file. `column` contains the type of each record.

    `top` is the type of the records that come first and belong to no other record, if it is known.
    """

    column: str
    codes: tuple[str, ...]
    top: str | None

    def chosen(self, requested: str | None, path: Path) -> str:
        """Return the type that becomes the table: the requested type, or the only type below.

        Raises SourceError or SettingError if there is no such type.
        """
        below = [one for one in self.codes if one != self.top or requested is not None]
        return chosen(requested, below, path, RECORDS, "record type")


@dataclass
class JoinedRecords:
    """Join records of the type `own` to the last record of the type `above`.

    `columns` are the columns of the file, and `of` contains the places of the columns that each
    type of records has. The counts are complete after the last record.
    """

    path: Path
    own: str
    above: str | None
    columns: Sequence[str]
    at: int
    of: Mapping[str, AbstractSet[int]]
    _last: Sequence[str | None] | None = None
    _alone: bool = False
    _counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("above", "without", "other"), 0)
    )

    def __post_init__(self) -> None:
        """Raise SourceError if no column shows which records belong together."""
        above = self.of[self.above] if self.above is not None else set()
        self._own = self.of[self.own] - {self.at}
        self._shared = sorted(self._own & above)
        if self.above is not None and not self._shared:
            raise SourceError(
                f"{quoted(self.above)} records and {quoted(self.own)} records cannot be joined, "
                "because they have no column in common",
                where=self.path.name,
                fix="add a column such as the serial number of the household to both",
            )
        self.kept = sorted((self._own | above) - {self.at})

    def rows(
        self, records: Iterable[tuple[int, Sequence[str | None]]]
    ) -> Iterator[list[str | None]]:
        """Yield the joined rows. Each record has a line number and a cell for each column.

        Raises SourceError for a record that cannot be joined.
        """
        for line, cells in records:
            kind = cells[self.at]
            if kind == self.own:
                yield self._joined(line, cells)
            elif kind == self.above:
                self._counts["above"] += 1
                self._counts["without"] += self._alone
                self._last, self._alone = cells, True
            elif kind in self.of:
                self._counts["other"] += 1
            else:
                raise self._wrong(line, "the record has an unknown type", "remove the line")

    def _joined(self, line: int, cells: Sequence[str | None]) -> list[str | None]:
        if self.above is None:
            return [cells[at] for at in self.kept]
        fix = f"sort the file, so that each {quoted(self.above)} record is followed by its records"
        above, self._alone = self._last, False
        if above is None:
            raise self._wrong(line, f"there is no {quoted(self.above)} record above it", fix)
        for at in self._shared:
            if cells[at] != above[at]:
                what = (
                    f"{quoted(self.columns[at])} differs from the {quoted(self.above)} record above"
                )
                raise self._wrong(line, what, fix)
        return [cells[at] if at in self._own else above[at] for at in self.kept]

    def _wrong(self, line: int, what: str, fix: str) -> SourceError:
        return SourceError(what, where=f"{self.path.name}, line {line}", fix=fix)

    def said(self) -> tuple[str, ...]:
        """Describe the join with its counts."""
        parts = [f"{quoted(self.own)} records"]
        if self.above is not None:
            many, without = self._counts["above"], self._counts["without"] + self._alone
            parts[0] += f" joined to {many:,} {quoted(self.above)} records"
            if without:
                parts.append(f"{without:,} {quoted(self.above)} without {quoted(self.own)}")
        if other := self._counts["other"]:
            parts.append(f"{other:,} records of other types left out")
        return tuple(parts)


def require_one_type(source: Source) -> None:
    """Raise SourceError if a table mixes records of households with records of people.

    The column ``RECTYPE`` contains both types, and each type has columns that the other type lacks.
    """
    column = next((name for name in source.columns if name.casefold() == RECTYPE), None)
    if column is None:
        return
    others = [name for name in source.columns if name != column]
    with engine_errors(source.name):
        counts = {f"c{at}": _filled(source.table[name]).count() for at, name in enumerate(others)}
        rows = source.table.group_by(kind=_filled(source.table[column])).aggregate(**counts)
        rows = rows.to_pyarrow()
    filled = {row.pop("kind"): {*filter(row.get, row)} for row in rows.to_pylist()}
    above, own = (filled.get(code, set()) for code in (HOUSEHOLD, _PERSON))
    if not (above - own and own - above):
        return
    fix = "give each person the columns of the household, and leave out the households"
    if isinstance(source.format, Csv) and source.path is not None and source.path.is_file():
        example = argument(f"{source.path.name}?{RECORDS}={_PERSON}")
        fix = (
            "name the DDI codebook of the file, or read the people with the columns of their "
            f"households: {example}"
        )
    raise SourceError(
        f"it has records of households ({HOUSEHOLD}) and of people ({_PERSON}), as the column "
        f"{quoted(column)} shows",
        where=source.name,
        fix=fix,
    )


def _filled(column: Any) -> Any:  # noqa: ANN401 - a column of Ibis
    """Return the cells without blanks around them. An empty text is a missing value."""
    return column.strip().nullif("") if column.type().is_string() else column
