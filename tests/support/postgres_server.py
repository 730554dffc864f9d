"""A PostgreSQL server of the tests' own: on loopback, in a temporary folder, for one run.

PostgreSQL refuses to run as root, so tests that run as root start it as another user. Settings
against data loss are switched off. The server is not reachable from other machines.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from patience import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SECRET = "not-to-be-seen"  # noqa: S105 - of a server that nobody else can reach
_USERS = ("postgres", "nobody")
_ACCESS = """
host all guarded 127.0.0.1/32 scram-sha-256
host all nobody_else 127.0.0.1/32 reject
host all all 127.0.0.1/32 trust
"""


@dataclass(frozen=True)
class Server:
    """A running server with a database ``clinic``.

    ``owner`` may do everything; ``reader`` may read the tables of the schema ``public`` and nothing
    else, not even make temporary tables; ``guarded`` is a reader with the password `SECRET`.
    """

    port: int

    def address(self, table: str, user: str | None = "reader", database: str = "clinic") -> str:
        """Write the address of a table."""
        name = "" if user is None else f"{user}@"
        return f"postgresql://{name}127.0.0.1:{self.port}/{database}?table={table}"

    def renew(self) -> None:
        """Create the database again, empty."""
        import psycopg  # noqa: PLC0415 - an extra

        with psycopg.connect(
            host="127.0.0.1", port=self.port, user="owner", dbname="postgres", autocommit=True
        ) as connection:
            connection.execute("DROP DATABASE IF EXISTS clinic WITH (FORCE)")
            connection.execute("CREATE DATABASE clinic")
        self.run(
            "REVOKE TEMP ON DATABASE clinic FROM PUBLIC",
            "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
        )

    @contextlib.contextmanager
    def connected(self) -> Iterator[Any]:
        """Connect as the owner; each statement is its own transaction."""
        import psycopg  # noqa: PLC0415 - an extra

        with psycopg.connect(
            host="127.0.0.1", port=self.port, user="owner", dbname="clinic", autocommit=True
        ) as connection:
            yield connection

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements as the owner; return what the last one gives."""
        found: list[tuple[Any, ...]] = []
        with self.connected() as connection:
            for statement in statements:
                cursor = connection.execute(statement)
                found = cursor.fetchall() if cursor.description is not None else []
        return found

    def load(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Make a table, of text unless a column says its type after a colon, and fill it."""
        from psycopg import sql  # noqa: PLC0415 - an extra

        parts = [column.rpartition("::") for column in columns]
        named = [(name, kind) if colons else (kind, "text") for name, colons, kind in parts]
        # PostgreSQL itself parses the type.
        spec = sql.SQL(", ").join(
            sql.SQL("{} " + kind).format(sql.Identifier(name)) for name, kind in named
        )
        wanted = sql.Identifier(table)
        gc.collect()  # unused objects may still have a transaction on the table
        with self.connected() as connection:
            connection.execute(sql.SQL("SET lock_timeout = {}").format(PATIENCE * 1000))
            connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(wanted))
            connection.execute(sql.SQL("CREATE TABLE {} ({})").format(wanted, spec))
            connection.execute(sql.SQL("GRANT SELECT ON {} TO reader, guarded").format(wanted))
            with (
                connection.cursor() as cursor,
                cursor.copy(sql.SQL("COPY {} FROM STDIN").format(wanted)) as copy,
            ):
                for row in rows:
                    copy.write_row(row)


def programs() -> Path | None:
    """Find the folder of ``initdb`` and ``pg_ctl``."""
    places = [Path(place) for place in os.environ.get("PATH", "").split(os.pathsep)]
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((p for p in [*found, *places] if all((p / x).exists() for x in _NEEDED)), None)


_NEEDED = ("initdb", "pg_ctl", "postgres")


@contextlib.contextmanager
def running(folder: Path) -> Iterator[Server]:
    """Start a server of the programs in a folder, and stop it at the end."""
    user = _other_user()
    place = Path(tempfile.mkdtemp(prefix="pg-"))
    if user is not None:
        os.chown(place, user.pw_uid, user.pw_gid)
    data = place / "data"

    def call(program: str, *arguments: str) -> None:
        who: dict[str, Any] = {}
        if user is not None:
            who = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        subprocess.run(
            [folder / program, "-D", data, *arguments],
            check=True,
            cwd=place,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
            **who,
        )

    try:
        call("initdb", "-A", "trust", "-U", "owner", "--no-sync", "-E", "UTF8", "--locale=C")
        (data / "pg_hba.conf").write_text(_ACCESS)
        settings = (
            "-c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off "
            # A user's settings must not change how values are written.
            "-c DateStyle=German -c IntervalStyle=iso_8601 -c extra_float_digits=-5 "
            "-c TimeZone=Asia/Tokyo"
        )

        def started() -> int:
            port = _free_port()
            patient = ("-w", "-t", str(int(PATIENCE)), "-l", str(place / "log"))
            call("pg_ctl", *patient, "-o", f"-p {port} {settings}", "start")
            return port

        try:
            port = started()
        except subprocess.CalledProcessError:  # another program may have taken the port meanwhile
            port = started()
        try:
            yield _prepared(port)
        finally:
            call("pg_ctl", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _prepared(port: int) -> Server:
    server = Server(port)
    server.renew()
    server.run(
        "CREATE ROLE reader LOGIN",
        f"CREATE ROLE guarded LOGIN PASSWORD '{SECRET}'",
        "CREATE ROLE nobody_else LOGIN",
    )
    return server


def _other_user() -> pwd.struct_passwd | None:
    if os.geteuid() != 0:
        return None
    for name in _USERS:
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    return None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
