"""Open a Spark session in a Spark that is already running or that Roadstead starts.

A process can have only one Spark. So Roadstead uses the running Spark, but starts a separate
session. The settings and temporary views of this session are not visible to other sessions.
Roadstead does not change the settings of other sessions.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from roadstead.errors import SourceError
from roadstead.tables.stores.names import fresh
from roadstead.tables.stores.spark.engine import quiet

if TYPE_CHECKING:
    from collections.abc import Callable

_PATIENCE = 20.0
"""The number of seconds to wait for a server."""

_OURS = {"spark.app.name": "roadstead", "spark.ui.showConsoleProgress": "false"}
_UNLESS_SET = {
    "spark.ui.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    # Data beyond the memory limit is written to the workers' disks.
    "spark.io.encryption.enabled": "true",
}
_lock = threading.RLock()
_users = 0
"""The number of sessions that use the Spark that we started."""


@dataclass(frozen=True)
class OpenSession:
    """A Spark session whose settings Roadstead may change."""

    spark: Any
    close: Callable[[], None]  # a second call is harmless


def start(server: str | None, where: str) -> OpenSession:
    """Open a session on a master or a Spark Connect server. The server is optional."""
    if server is None:
        server = os.environ.get("SPARK_REMOTE") or None
    if server is not None and server.startswith("sc://"):
        return _connected(server, where)
    with _lock, quiet():
        return _classic(server, where)


def alongside(frame: Any) -> tuple[OpenSession, tuple[str, ...]]:  # noqa: ANN401 - of either Spark
    """Open a session that can read a data frame from another session by the returned name."""
    owner, name = frame.sparkSession, fresh("frame")
    if is_classic(owner):
        frame.createGlobalTempView(name)
        place = owner.conf.get("spark.sql.globalTempDatabase", "global_temp")
        forget = _once(lambda: owner.catalog.dropGlobalTempView(name))
        return OpenSession(owner.newSession(), forget), (place, name)
    frame.createTempView(name)
    forget = _once(lambda: owner.catalog.dropTempView(name))
    if not hasattr(owner, "cloneSession"):
        return OpenSession(owner, forget), (name,)
    clone = owner.cloneSession()

    return OpenSession(clone, _once(lambda: (forget(), clone.stop()))), (name,)


def _connected(server: str, where: str) -> OpenSession:
    with quiet():
        from pyspark.sql.connect.session import SparkSession  # noqa: PLC0415 - an extra

    place = urlsplit(server)
    _answers(place.hostname or "", place.port or 15002, where)
    with quiet():
        session = SparkSession.builder.remote(server).create()
    return OpenSession(session, _once(session.stop))


def _classic(server: str | None, where: str) -> OpenSession:
    with quiet():
        from pyspark import SparkContext  # noqa: PLC0415 - an extra
        from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra

    global _users  # noqa: PLW0603 - a process has one Spark
    there = SparkContext._active_spark_context  # noqa: SLF001 - there is no other way
    if there is None:
        _begin(server, where)
        _users = 1
    elif server is not None and there.master != server:
        fix = "end that session first, or leave the host out: spark://?table=..."
        raise SourceError(
            "this process already uses a different Spark session", where=where, fix=fix
        )
    elif _users:
        _users += 1
    context = SparkContext._active_spark_context  # noqa: SLF001 - there is no other way
    assert context is not None  # noqa: S101 - it was just begun
    with quiet():
        first = SparkSession._instantiatedSession or SparkSession(context)  # noqa: SLF001 - ditto
        session = first.newSession()
    # The session of another user is not changed.
    return OpenSession(session, _once(_leave if _users else lambda: None))


def forgets(session: Any) -> bool:  # noqa: ANN401 - of Spark or of Spark Connect
    """Return whether a catalog's tables disappear when the Spark that Roadstead started ends."""
    return is_classic(session) and _users > 0 and not lasting(session.conf)


def lasting(settings: Any) -> bool:  # noqa: ANN401 - of a session, or of a new session
    """Return whether Spark's own catalog is stored in Hive rather than in memory."""
    return str(settings.get("spark.sql.catalogImplementation", "in-memory")) != "in-memory"


def is_classic(session: Any) -> bool:  # noqa: ANN401 - of Spark or of Spark Connect
    """Return whether a session belongs to this process rather than to a Spark Connect server."""
    return ".connect." not in type(session).__module__


def _begin(server: str | None, where: str) -> None:
    """Start Spark without its console messages, which users do not need."""
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415 - an extra
    from pyspark.java_gateway import launch_gateway  # noqa: PLC0415 - an extra

    if server is not None and server.startswith("spark://"):
        place = urlsplit(server)
        _answers(place.hostname or "", place.port or 7077, where)
    gateway = SparkContext._gateway  # noqa: SLF001 - there is no other way
    if gateway is None:
        home = os.environ.get("JAVA_HOME")
        if shutil.which("java", path=str(Path(home, "bin")) if home else None) is None:
            fix = "install Java 17 and set JAVA_HOME, or use a Spark Connect server: sc://..."
            raise SourceError("Spark requires Java", where=where, fix=fix)
        given = SparkConf(loadDefaults=False)
        if server is not None:
            given.setMaster(server)
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        gateway = launch_gateway(given, silent)  # type: ignore[no-untyped-call] # of PySpark
        SparkContext._ensure_initialized(gateway=gateway)  # noqa: SLF001 - ditto
    settings = SparkConf(_jvm=gateway.jvm)
    for name, value in _UNLESS_SET.items():
        settings.setIfMissing(name, value)
    for name, value in _OURS.items():
        settings.set(name, value)
    if server is not None:
        settings.setMaster(server)
    if not lasting(settings) and not settings.contains("spark.sql.warehouse.dir"):
        # Spark creates this folder in the current folder, but temporary tables do not need it.
        folder = Path(tempfile.mkdtemp(prefix="roadstead-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        settings.set("spark.sql.warehouse.dir", folder.as_uri())
    SparkContext(conf=settings)


def _leave() -> None:
    """Stop the Spark that Roadstead started if no other session uses it."""
    from pyspark import SparkContext  # noqa: PLC0415 - an extra
    from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra

    global _users  # noqa: PLW0603 - a process has one Spark
    with _lock:
        _users -= 1
        context = SparkContext._active_spark_context  # noqa: SLF001 - there is no other way
        if _users > 0 or context is None:
            return
        session = SparkSession._instantiatedSession  # noqa: SLF001 - ditto
        with contextlib.suppress(Exception):
            (session or context).stop()


def _answers(host: str, port: int, where: str) -> None:
    """Check whether a server responds within seconds. Spark itself would try for minutes."""
    try:
        with socket.create_connection((host, port), timeout=_PATIENCE):
            return
    except socket.gaierror:
        what, fix = "there is no such host", "check its name"
    except OSError:
        what, fix = "no server answers there", "check the host and the port"
    raise SourceError(what, where=where, fix=fix) from None


def _once(action: Callable[[], object]) -> Callable[[], None]:
    """Return a function that runs an action once and ignores errors."""
    left = [action]

    def end() -> None:
        if left:
            with contextlib.suppress(Exception), quiet():
                left.pop()()

    return end
