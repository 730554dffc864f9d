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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TypeAlias

    Row: TypeAlias = Mapping[str, Any]
    Columns: TypeAlias = Mapping[str, str | Callable[[Row], str]]
    """For each heading: a format of a row's values, or a function of the row."""

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


def in_own_process(*words: str, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Run a script with its words in a Python of its own, and read the JSON that it prints."""
    found: dict[str, Any] = json.loads(run([sys.executable, *words], environment).output)
    return found


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


def parser(description: str) -> argparse.ArgumentParser:
    """Make the parser of a script, with the option ``--json``."""
    import argparse  # noqa: PLC0415 - the script in between needs none of these

    made = argparse.ArgumentParser(description=description.splitlines()[0])
    made.add_argument("--json", type=Path, help="write the figures here too")
    return made


def collect(found: Iterable[Row]) -> list[Row]:
    """Collect rows, and print a dot on standard error for each."""
    rows = []
    for row in found:
        rows.append(row)
        print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return rows


def report(rows: Sequence[Row], path: Path | None, columns: Columns | None = None) -> None:
    """Print rows as a table, by default of all values, and write them if a file is named."""
    show(columns or {name: f"{{{name}}}" for name in rows[0]}, rows)
    save(path, rows)


def show(columns: Columns, rows: Iterable[Row]) -> None:
    """Print rows as a table."""
    show_table(list(columns), [cells(columns, row) for row in rows])


def cells(columns: Columns, row: Row) -> list[str]:
    """Return the cells of a row."""
    return [own.format_map(row) if isinstance(own, str) else own(row) for own in columns.values()]


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
