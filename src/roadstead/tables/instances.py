"""Keep instances of DuckDB for reuse, because the start of an instance takes 40 ms of CPU time.

Temporary tables, registered data, and the time zone belong to a connection and disappear with the
connection. The memory limit, the number of threads, and the spill folder belong to the instance, so
they are set again. An instance is not reused if its database is not empty, if it was confined, or
if it has spilled data to disk.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

_CONFIGURATION: dict[str, str | bool] = {
    "temp_file_encryption": True,
    "force_mbedtls_unsafe": "true",
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
}
_MOST = 2
"""The number of waiting instances. One instance reads a release, and another writes it again."""
_waiting: dict[int, list[duckdb.DuckDBPyConnection]] = {}
"""The waiting instances by process. A forked process lacks the threads of an instance."""

_AS_NEW = """
    SELECT current_setting('enable_external_access')
        AND NOT current_setting('lock_configuration')
        AND (SELECT count(*) FROM duckdb_databases() WHERE NOT internal) = 1
        AND NOT EXISTS (FROM duckdb_schemas() WHERE NOT internal AND schema_name <> 'main')
        AND NOT EXISTS (FROM duckdb_tables())
        AND NOT EXISTS (FROM duckdb_views() WHERE NOT internal)
"""


def instance(memory_limit: str, scratch: Path) -> duckdb.DuckDBPyConnection:
    """Return a connection to an empty in-memory instance with a folder for spill files."""
    import duckdb  # noqa: PLC0415 - heavy

    waiting = _waiting.get(os.getpid())
    if not waiting:
        limits = {"memory_limit": memory_limit, "temp_directory": str(scratch)}
        return duckdb.connect(config={**limits, **_CONFIGURATION})
    again = waiting.pop()
    folder = str(scratch).replace("'", "''")
    again.execute(
        f"RESET threads; SET memory_limit = '{memory_limit}'; SET temp_directory = '{folder}'"
    )
    return again


def release(again: duckdb.DuckDBPyConnection, scratch: Path) -> None:
    """Keep an instance for reuse after its connections are closed, or close the instance."""
    import duckdb  # noqa: PLC0415 - heavy

    waiting = _waiting.setdefault(os.getpid(), [])
    try:
        spilled = any(not entry.is_symlink() for entry in scratch.iterdir())
        fits = len(waiting) < _MOST and not spilled and again.execute(_AS_NEW).fetchall()
        if fits == [(True,)]:
            waiting.append(again)
            return
    except (OSError, duckdb.Error):  # the instance is broken, or its folder is gone
        pass
    again.close()
