"""A Spark cluster of the tests' own: a master, two workers and a server of Spark Connect.

Everything listens on loopback, lives in a folder that goes away, and ends with the block or the
command that it was started for::

    python tests/support/spark_cluster.py COMMAND...

runs a command with the addresses in its environment, and exits as the command did.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from patience import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

MASTER = "ROADSTEAD_TEST_SPARK"
"""The variable that names the master of a cluster for the tests."""
CONNECT = "ROADSTEAD_TEST_SPARK_CONNECT"
"""The variable that names a server of Spark Connect for the tests."""
_WORKERS = 2
# They end within minutes, so code that is compiled at once does better than the best code.
_BRIEF = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
# Several applications share the workers, so each uses little: two cores of one worker. The server
# of Spark Connect uses one core of each worker, so that rows go from worker to worker too.
_SETTINGS = f"""
spark.driver.extraJavaOptions {_BRIEF}
spark.executor.extraJavaOptions {_BRIEF}
spark.cores.max 2
spark.executor.cores 2
spark.executor.memory 800m
spark.driver.memory 900m
spark.driver.host 127.0.0.1
spark.driver.bindAddress 127.0.0.1
spark.ui.enabled false
spark.ui.showConsoleProgress false
spark.master.rest.enabled false
spark.sql.shuffle.partitions 2
spark.default.parallelism 2
spark.sql.autoBroadcastJoinThreshold 1m
"""


class NotStartedError(Exception):
    """A part of the cluster has ended, or takes too long."""


@dataclass(frozen=True)
class Cluster:
    """A running cluster.

    Attributes
    ----------
    master
        The master's address.
    connect
        The address of the server of Spark Connect; empty without one.
    workers
        The process groups of the workers, each with its executors.
    variables
        What a process needs in its environment to use the cluster as it should be used.
    """

    master: str
    connect: str
    workers: tuple[int, ...]
    variables: dict[str, str]


def lacking(*, connect: bool = False) -> str | None:
    """Say what is missing to start a cluster, if anything is."""
    if find_spec("pyspark") is None:
        return "install roadstead[spark] to run this test"
    if shutil.which("java") is None:
        return "install Java 17 to run this test"
    if connect and find_spec("grpc") is None:
        return "install roadstead[spark-connect] to run this test"
    return None


@contextlib.contextmanager
def running(*, connect: bool = True) -> Iterator[Cluster]:
    """Start a cluster, with a server of Spark Connect if it is wanted, and stop it at the end."""
    place = Path(tempfile.mkdtemp(prefix="spark-"))
    started: list[subprocess.Popen[bytes]] = []
    try:
        variables = _variables(place)
        environment = {**os.environ, **variables}

        def start(name: str, *command: str) -> subprocess.Popen[bytes]:
            memory = "900m" if name == "connect" else "256m"
            with (place / name).open("wb") as log:
                process = subprocess.Popen(
                    [_home() / "bin" / command[0], *command[1:]],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    cwd=place,
                    # A server of Spark Connect does the work of a driver.
                    env={**environment, "SPARK_DAEMON_MEMORY": memory},
                    start_new_session=True,
                )
            started.append(process)
            return process

        port = _free_port()
        master = f"spark://127.0.0.1:{port}"
        deploy = "org.apache.spark.deploy"
        on = ("--host", "127.0.0.1", "--webui-port", "0")
        start("master", "spark-class", f"{deploy}.master.Master", *on, "--port", str(port))
        _wait_for(port, started)
        workers = [
            start(
                f"worker{at}",
                *("spark-class", f"{deploy}.worker.Worker", *on, "--cores", "4"),
                *("--memory", "4g", "--work-dir", str(place / f"work{at}"), master),
            )
            for at in range(_WORKERS)
        ]
        server = _free_port() if connect else None
        if server is not None:
            settings = (
                "spark.connect.grpc.binding.address=127.0.0.1",
                f"spark.connect.grpc.binding.port={server}",
                f"spark.sql.warehouse.dir={place / 'warehouse'}",
                "spark.executor.cores=1",
            )
            flags = [x for setting in settings for x in ("--conf", setting)]
            service = "org.apache.spark.sql.connect.service.SparkConnectServer"
            start("connect", "spark-submit", "--class", service, "--master", master, *flags)
        _wait_for_workers(place / "master", started)
        if server is not None:
            _wait_for(server, started)
        address = "" if server is None else f"sc://127.0.0.1:{server}"
        known = {MASTER: master, **({CONNECT: address} if address else {})}
        yield Cluster(
            master, address, tuple(worker.pid for worker in workers), {**variables, **known}
        )
    except NotStartedError:
        for log in ("master", "connect"):
            with contextlib.suppress(OSError):
                print((place / log).read_text()[-2000:], file=sys.stderr)  # noqa: T201 - a note
        raise
    finally:
        for process in reversed(started):
            _kill(process)
        shutil.rmtree(place, ignore_errors=True)


def _variables(place: Path) -> dict[str, str]:
    settings = place / "conf"
    settings.mkdir()
    local = f"spark.local.dir {place / 'scratch'}\n"
    (settings / "spark-defaults.conf").write_text(_SETTINGS + local)
    return {
        "SPARK_CONF_DIR": str(settings),
        "SPARK_DAEMON_JAVA_OPTS": _BRIEF,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


def _home() -> Path:
    found = find_spec("pyspark")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _wait_for(port: int, started: Sequence[subprocess.Popen[bytes]]) -> None:
    """Wait until a port answers."""

    def answers() -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return True
        return False

    _until(answers, started)


def _wait_for_workers(log: Path, started: Sequence[subprocess.Popen[bytes]]) -> None:
    """Wait until the master knows its workers."""
    _until(lambda: log.read_bytes().count(b"Registering worker") >= _WORKERS, started)


def _until(done: Callable[[], bool], started: Sequence[subprocess.Popen[bytes]]) -> None:
    end = time.monotonic() + PATIENCE
    while not done():
        if time.monotonic() > end or any(process.poll() is not None for process in started):
            raise NotStartedError
        time.sleep(0.2)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process with all that it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _main(command: Sequence[str]) -> int:
    reason = lacking()
    if reason is not None:
        print(f"no Spark for the tests: {reason}", file=sys.stderr)  # noqa: T201 - a note
        return subprocess.run(command, check=False).returncode
    # A requested end must end the cluster too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with running(connect=lacking(connect=True) is None) as cluster:
        return subprocess.run(
            command, check=False, env={**os.environ, **cluster.variables}
        ).returncode


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
