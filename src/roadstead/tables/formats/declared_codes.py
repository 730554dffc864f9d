"""Keep codes that a file declares as missing as separate values, such as ``refused``.

In a column of numbers, the table shows these codes as missing values, and the file is staged with
the codes in further columns. A release can keep the codes that enough records have. The column then
contains text: the numbers and the labels of the codes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from roadstead.tables.formats.codebook import LETTERS, Code, ColumnNotes, code_text, range_text
from roadstead.tables.missing_codes import without_codes
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    from ibis.expr import types as ir

    from roadstead.tables.missing_codes import MissingCodes


@dataclass(frozen=True)
class DeclaredCodes:
    """The declared missing codes of numbers that a table shows as missing values.

    `table` is the table without the codes, and `shown` contains its columns as columns of the
    staged table `rows`. For each column with such codes, `codes` has the staged column with the
    strings for the codes, and the number of records (or people) for each code.
    """

    rows: ir.Table
    table: ir.Table
    shown: Mapping[str, ir.Column]
    codes: Mapping[str, tuple[ir.Column, Mapping[float, int]]]

    def of_people(self, person: str) -> DeclaredCodes:
        """Return the codes with the number of people for each code. `person` is their ID column."""
        codes = {}
        for name, (staged, counts) in self.codes.items():
            rows = self.rows.select(code=staged, who=self.shown[person])
            having = rows.group_by("code").aggregate(people=rows["who"].nunique())
            people = {row["code"]: row["people"] for row in having.to_pyarrow().to_pylist()}
            codes[name] = (staged, {code: people.get(code_text(code), 0) for code in counts})
        return replace(self, codes=codes)

    def texts(
        self, column: str, notes: ColumnNotes, fewest: int, *, labels: bool
    ) -> dict[str, float]:
        """Return the codes that at least `fewest` records or people have, by text in the table.

        Without `labels`, which not all formats can contain, the text is the code itself. The
        result is in the order of the codes, which does not depend on the order of the records.
        """
        _, counts = self.codes[column]
        frequent = sorted(code for code, having in counts.items() if having >= fewest)
        found = {code: notes.missing_text(code) if labels else code_text(code) for code in frequent}
        return {text: code for code, text in found.items() if text is not None}

    def without(self, listed: MissingCodes) -> DeclaredCodes:
        """Return the codes and the table, with plain missing values for `listed` codes."""
        shown = {**self.shown, **without_codes(self.shown, listed)}
        codes = {
            name: (
                staged,
                {c: n for c, n in counts.items() if listed.matching(name, code_text(c)) is None},
            )
            for name, (staged, counts) in self.codes.items()
        }
        return DeclaredCodes(self.rows, self.rows.select(**shown), shown, codes)

    def listed(self, codes: MissingCodes) -> dict[str, dict[str, int]]:
        """Count the records with declared codes that `codes` lists, by column and code."""
        found: dict[str, dict[str, int]] = {}
        for name, (_, counts) in self.codes.items():
            for code, records in counts.items():
                if (text := codes.matching(name, code_text(code))) is not None:
                    own = found.setdefault(name, {})
                    own[text] = own.get(text, 0) + records
        return found

    def with_texts(self, texts: Mapping[str, Mapping[str, float]]) -> ir.Table:
        """Return the table with these codes of columns as separate values."""
        import ibis  # noqa: PLC0415 - heavy

        columns = dict(self.shown)
        for name, own in texts.items():
            if not own:
                continue
            staged, _ = self.codes[name]
            cases = [(staged == code_text(code), text) for text, code in own.items()]
            value = as_text(columns[name]).nullif("")
            columns[name] = ibis.cases(*cases, else_=value)
        return self.rows.select(**columns)


def codes_lost(notes: ColumnNotes, found: Collection[Code], *, labeled: bool) -> tuple[str, ...]:
    """Return the missing codes that become plain missing values, as ranges of the file.

    The codes themselves may be values, such as 97 if a file declares 90 to 99.
    """
    lost = {*found} - notes.labels.keys() if labeled else {*found}
    ranges = {notes.missing_range(code) for code in lost}
    letters = [code_text(code) for code in lost if notes.missing_range(code) == LETTERS]
    return (
        *(range_text(ends) for ends in notes.missing if ends in ranges and ends != LETTERS),
        *sorted(letters),
    )
