r"""Read a string that identifies a table: a path of a file or a folder, or an address.

::

    visits.csv                                                a file
    visits.xlsx?sheet=2026                                    a part of a file
    visits/                                                   a folder of such files
    duckdb:///data/clinic.duckdb?table=visits                 a table in a database file
    postgresql://db.example.org:5432/clinic?table=care.visits a table on a server
    mysql://db.example.org/clinic?table=visits                in any other database for Ibis
    omop:postgresql://db.example.org/clinic?schema=cdm        tables of an OMOP CDM in any of these

This module only parses the text, so an address has the same meaning on every computer. An address
begins with a scheme of at least two letters and ``://``. Everything else is a path, including
``C:\visits.csv`` and ``C://visits.csv``. The store for a scheme reads the addresses of the scheme
(`roadstead.tables.stores.address`).
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import quote, unquote

from roadstead.tables.locations import (
    OMOP,
    CdmLocation,
    DatabaseLocation,
    FileLocation,
    Location,
)
from roadstead.tables.stores.address import Address, AddressForm, path_of, wrong
from roadstead.tables.stores.store import by_scheme

_SCHEME = re.compile(rf"(?:{OMOP})?([A-Za-z][A-Za-z0-9+.-]+)://")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def locate(text: str | os.PathLike[str], base: Path | None = None) -> Location:
    """Return the location of a path or an address. Only a ``str`` can be an address.

    Relative paths start at `base`. Raises SourceError if an address contains a password or does not
    name a table.

    >>> locate("duckdb://clinic.duckdb?table=care.visits").table
    TableName(name='visits', schema='care', catalog=None)
    """
    start = base or Path()
    if not is_address(text):
        return FileLocation(start / Path(text))
    assert isinstance(text, str)  # noqa: S101 - `is_address` is true
    if text.startswith(OMOP):
        return _cdm(text.removeprefix(OMOP), start)
    scheme, _, rest = text.partition("://")
    scheme = scheme.lower()
    if _CONTROL.search(text):
        raise wrong(scheme, "has a control character", "encode the character, for example, as %0A")
    if scheme == "file":
        return FileLocation(start / path_of(rest.removeprefix("localhost/")))
    store = by_scheme(scheme)
    return store.locate(Address(text, scheme, store.forms.get(scheme, AddressForm()), start))


def is_address(text: object) -> bool:
    """Return whether a string is the address of a table rather than a path."""
    return isinstance(text, str) and _SCHEME.match(text) is not None


def shareable(text: str) -> str:
    """Return an address without the user name, so that it can be shared. A path does not change."""
    if not is_address(text):
        return text
    location = locate(text)
    return text if isinstance(location, FileLocation) else location.address


def _cdm(text: str, base: Path) -> CdmLocation:
    """Locate the table PERSON of a CDM, given the address of its schema."""
    place, _, query = text.partition("?")
    pairs = [part for part in query.split("&") if part]
    own = {"schema": None, "age_at": None} | {
        name: unquote(value)
        for name, _, value in (pair.partition("=") for pair in pairs)
        if name in ("schema", "age_at", "table")
    }
    if "table" in own or own["schema"] == "":
        what = "does not name a schema" if own["schema"] == "" else "names a table"
        raise wrong("omop", what, f"write {OMOP}postgresql://host:5432/database?schema=NAME")
    # A schema is written in the same way as before a table name, so the parser for tables can read
    # it.
    person = "person" if own["schema"] is None else f"{own['schema']}.person"
    rest = [pair for pair in pairs if pair.partition("=")[0] not in own]
    found = locate("&".join([f"{place}?table={quote(person, safe='')}", *rest]), base)
    if not isinstance(found, DatabaseLocation):
        raise wrong("omop", "does not name a database", f"write {OMOP}FOLDER for a folder of files")
    return CdmLocation(found, own["age_at"])
