"""Policies evaluated in PostgreSQL, where the combinations are more than are to be held."""

from __future__ import annotations

from pathlib import Path

import pytest
from postgres_server import Server
from two_ways import released_alike

from roadstead.cohort import generate
from roadstead.tables.reading import read

QUASI = ("sex", "birth_date", "zip", "race")


@pytest.mark.nightly
def test_the_release_is_that_of_all_combinations_in_memory(
    postgres: Server, tmp_path: Path
) -> None:
    """With every query asked of the server, from the first GROUP BY to the classes."""
    columns = generate(2_000, 1)
    cells = ([v and str(v) for v in column] for column in columns.values())
    postgres.load("patients_in_engine", list(columns), list(zip(*cells, strict=True)))
    with read(postgres.address("patients_in_engine", user="owner")) as source:
        released_alike(source, tmp_path, quasi=QUASI)
