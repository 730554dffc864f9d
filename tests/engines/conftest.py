"""A PostgreSQL for the tests of this folder, or a reason why there is none."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from postgres_server import Server, programs, running

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A server that lives as long as the tests do."""
    if find_spec("psycopg") is None:
        pytest.skip("install roadstead[postgres] to run this test")
    folder = programs()
    if folder is None:
        pytest.skip("install PostgreSQL (initdb and pg_ctl) to run this test")
    with running(folder) as server:
        yield server
