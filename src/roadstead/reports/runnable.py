"""Warn about cells of a release that a spreadsheet program may run as formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from roadstead.front_end import option
from roadstead.printable import named
from roadstead.reports.wording import counted, first_few, listed

if TYPE_CHECKING:
    from roadstead.release.runnable import RunnableCells


def runnable_warnings(
    found: RunnableCells, table: str | None = None, *, first: str = ""
) -> list[str]:
    """Name the columns with cells that a spreadsheet program may run, and say what to do.

    `table` is the table of a whole database, if a project file lists the released columns. `first`
    says what must be done before columns can be withheld.
    """
    where = "the release" if table is None else f"the table {named(table)}"
    withhold = (
        f"{first}withhold the columns with {option('identifiers', list(found.cells))}"
        if table is None
        else "remove the columns from the project file"
    )
    said = []
    if found.cells:
        columns = [f"{named(n)} ({counted(own, 'cell')})" for n, own in found.cells.items()]
        said.append(
            f"Warning: a spreadsheet may run cells of {where} as formulas: {first_few(columns)}. "
            f"Import every column as text, or {withhold}."
        )
    if found.names:
        said.append(
            f"Warning: a spreadsheet may run column names in {where} as formulas: "
            f"{listed([named(name) for name in found.names])}. Rename these columns."
        )
    return said


def runnable_document(found: RunnableCells) -> dict[str, Any]:
    """Return the cells as JSON, or an empty dictionary if there are no such cells."""
    return {"spreadsheet_formulas": found.to_dict()} if found else {}
