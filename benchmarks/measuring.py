"""Run a command in its own process, and return its time and memory.

The system counts the memory of the parent process for a new process, as long as the two still share
it. So a small process in between starts the commands, to avoid measuring the benchmark itself: this
file, run as a script, which imports almost nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MEBIBYTE = 1 << 20
_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class Run:
    """A command that ended successfully.

    Attributes
    ----------
    seconds
        From its start to its end.
    cpu
        Processor seconds that it used; on a busy machine they are more reliable than the clock.
    peak
        Largest memory that it held at once, in bytes.
    output
        What it wrote to standard output.
    """

    seconds: float
    cpu: float
    peak: int
    output: str


def run(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Run:
    """Run a command to its end; what it says on standard error is shown only if it fails.

    Raises
    ------
    SystemExit
        The command failed.
    """
    launcher = [sys.executable, "-I", "-S", __file__, *command]
    done = subprocess.run(
        launcher,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(command[:4])} ... ended with {done.returncode}:\n{done.stderr}")
    return Run(**json.loads(done.stdout))


def roadstead(*arguments: str) -> list[str]:
    """Give the command line of Roadstead as installed for this Python."""
    return [sys.executable, "-m", "roadstead", *arguments]


def peak_so_far() -> int:
    """Give the most memory this process has held at once, in bytes."""
    import resource  # noqa: PLC0415 - the script in between needs none of these

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT


def machine() -> dict[str, str]:
    """Describe what the figures were measured on, without naming it."""
    import platform  # noqa: PLC0415 - the script in between needs none of these
    from importlib.metadata import version  # noqa: PLC0415 - as above

    libraries = ("roadstead", "duckdb", "ibis-framework", "numba", "numpy", "pyarrow")
    load = os.getloadavg()[0]
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "system": platform.system(),
        "python": platform.python_version(),
        "libraries": ", ".join(f"{name} {version(name)}" for name in libraries),
        "load at the start": f"{load:.1f}",
    }


def _processor() -> str:
    described = Path("/proc/cpuinfo")
    lines = described.read_text(encoding="utf-8").splitlines() if described.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "unknown processor")


def show_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a Markdown table, columns aligned."""
    cells = [tuple(columns), *(tuple(row) for row in rows)]
    widths = [max(len(cell) for cell in column) for column in zip(*cells, strict=True)]
    lines = [" | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in cells]
    rule = "|".join("-" * (width + 2) for width in widths)
    print("\n".join([f"| {lines[0]} |", f"|{rule}|", *(f"| {line} |" for line in lines[1:])]))


def show_machine() -> None:
    """Print what the figures were measured on."""
    for what, value in machine().items():
        print(f"{what}: {value}")
    print(flush=True)


def save(path: Path | None, rows: Sequence[Mapping[str, object]]) -> None:
    """Write figures as JSON, if a file is named."""
    if path is not None:
        document = {"machine": machine(), "rows": list(rows)}
        path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def _launch(command: Sequence[str]) -> int:
    """Run a command, wait for it, and print what it took and what it printed, as JSON."""
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        output = process.stdout.read() if process.stdout is not None else ""
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
    took = {
        "seconds": seconds,
        "cpu": usage.ru_utime + usage.ru_stime,
        "peak": usage.ru_maxrss * _UNIT,
        "output": output,
    }
    print(json.dumps(took))
    return abs(process.returncode)


if __name__ == "__main__":
    sys.exit(_launch(sys.argv[1:]))
