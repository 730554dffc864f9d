"""The text alone determines the meaning of ``omop:`` and of an address."""

from __future__ import annotations

from pathlib import Path

import pytest

from roadstead.errors import SourceError
from roadstead.tables.addresses import locate, shareable
from roadstead.tables.locations import CdmLocation, FileLocation

PLACES = {
    "omop:postgresql://ann@h:5/clinic?schema=cdm&sslmode=require": (
        "omop:cdm",
        "omop:postgresql://h:5/clinic?schema=cdm&sslmode=require",
    ),
    "omop:postgresql://h/clinic": ("omop:clinic", "omop:postgresql://h/clinic"),
    "omop:postgresql://h": ("omop:database", "omop:postgresql://h/"),
    "omop:duckdb:///data/gib.duckdb?age_at=2024-12-31": (
        "omop:gib",
        "omop:duckdb:///data/gib.duckdb?age_at=2024-12-31",
    ),
    'omop:duckdb://gib.duckdb?schema="cdm.5"': (
        "omop:cdm.5",
        "omop:duckdb://gib.duckdb?schema=%22cdm.5%22",
    ),
    "omop:mysql://ann@h/clinic?schema=cdm": ("omop:cdm", "omop:mysql://h/clinic?schema=cdm"),
    "omop:sc://h:15002?schema=main.cdm": ("omop:cdm", "omop:sc://h:15002?schema=main.cdm"),
}


@pytest.mark.parametrize("text", PLACES)
def test_the_tables_are_beside_person_in_its_schema(text: str) -> None:
    """The displayed text names no user, and leads to the same place."""
    name, address = PLACES[text]
    found = locate(text)
    assert isinstance(found, CdmLocation)
    assert found.person.table.name == "person"
    assert (found.name, found.address) == (name, address)
    assert shareable(text) == address
    again = locate(address)
    assert isinstance(again, CdmLocation)
    assert (again.name, again.address, again.age_at) == (name, address, found.age_at)


def test_a_file_of_a_project_is_found_from_its_folder() -> None:
    found = locate("omop:duckdb://gib.duckdb", Path("studies"))
    assert isinstance(found, CdmLocation)
    assert found == locate("omop:duckdb://studies/gib.duckdb")


def test_a_folder_is_a_path() -> None:
    for text in ("omop:cdm", "omop:/data/cdm", "omop:C:\\cdm", "fhir:ward"):
        assert isinstance(locate(text), FileLocation)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("omop:postgresql://ann:word@h/clinic?schema=cdm", "contains a password"),
        ("omop:postgresql://h/clinic?schema=cdm&password=word", "contains a password"),
        ("omop:postgresql://h/clinic?table=cdm.person", "names a table; write omop:postgresql"),
        ("omop:postgresql://h/clinic?schema=", "does not name a schema"),
        ("omop:postgresql://h/clinic?schema=a.b.c", "does not name its table"),
        ("omop:postgresql://h/clinic?schma=cdm", "unknown setting schma"),
        ("omop:duckdb://gib.duckdb?age=2020-01-01", "unknown setting age"),
        ("omop:file:///data/cdm", "does not name a database; write omop:FOLDER"),
    ],
)
def test_what_names_no_cdm_is_refused(text: str, says: str) -> None:
    """In words that repeat no secret."""
    with pytest.raises(SourceError) as caught:
        locate(text)
    assert says in str(caught.value)
    assert "word" not in str(caught.value).replace("password", "")
