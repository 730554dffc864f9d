"""Check that each file in the release of a database is exactly as Roadstead writes it.

The module reads each file, writes it again, and compares the bytes. So the bytes, quotes, keys, and
metadata of a file cannot contain information that is not in the cells.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.printable import named
from roadstead.release.documents import fingerprint, table_form
from roadstead.release.verification.checks import Check, counted
from roadstead.tables import engine
from roadstead.tables.scratch import scratch
from roadstead.tables.sinks import write

if TYPE_CHECKING:
    from roadstead.release.database.certificate import DatabaseCertificate
    from roadstead.tables.database.opening import OpenedSet


def check_written(opened: OpenedSet, certificate: DatabaseCertificate, folder: Path) -> Check:
    """Read each table, write it again, and compare the bytes."""
    check, forms = "each table has the format that Roadstead writes", set()
    with scratch() as aside:
        for name, table in opened.tables.items():
            file = certificate.tables[name].file.name
            if table_form(table.form, ()) != certificate.tables[name].form:
                detail = (
                    f"{named(file)} has the format {table.form.describe()}, which is not the "
                    "certified format"
                )
                return Check(check, passed=False, detail=detail)
            again = Path(aside) / file
            write(engine.table(opened.engine.backend, opened.raw(name)), again, table.form)
            if fingerprint(again) != fingerprint(folder / file):
                detail = (
                    f"the bytes of {named(file)} differ from the bytes that Roadstead writes for "
                    "its cells"
                )
                return Check(check, passed=False, detail=detail)
            again.unlink()
            forms.add(table.form.describe())
    read = "; ".join(sorted(forms))
    return Check(
        check, passed=True, detail=f"{counted(len(opened.tables), 'table')}, read as {read}"
    )
