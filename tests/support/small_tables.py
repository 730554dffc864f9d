"""Small tables written and read with Python's own csv module, which the engine does not use."""

from __future__ import annotations

import csv
import gzip
import io
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

Row: TypeAlias = tuple[str, ...]

PATIENTS = ("name", "record", "age", "sex", "zip", "diagnosis")
QUASI = "age,sex,zip"


def write_csv(
    path: Path,
    header: Sequence[str] | None,
    rows: Iterable[Sequence[str]],
    *,
    delimiter: str = ",",
    encoding: str = "utf-8",
    newline: str = "\n",
    gzipped: bool = False,
) -> Path:
    """Write rows as a delimited file and return its path."""
    text = io.StringIO(newline="")
    cells = list(rows if header is None else [header, *rows])
    # Python quotes no lone carriage return before version 3.13.
    returns = any("\r" in cell for row in cells for cell in row)
    form: dict[str, Any] = {"quoting": csv.QUOTE_ALL} if returns else {}
    csv.writer(text, delimiter=delimiter, lineterminator=newline, **form).writerows(cells)
    content = text.getvalue().encode(encoding)
    path.write_bytes(gzip.compress(content, mtime=0) if gzipped else content)
    return path


def read_csv(path: Path, *, delimiter: str = ",", encoding: str = "utf-8") -> list[Row]:
    """Read all rows of a delimited file, plain or gzipped, the header first."""
    content = path.read_bytes()
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    text = io.StringIO(content.decode(encoding), newline="")
    return [tuple(row) for row in csv.reader(text, delimiter=delimiter)]


def patients(records: int = 200, seed: int = 1) -> list[Row]:
    """Make up patients with the columns `PATIENTS`; ZIP codes begin with a zero."""
    chance = random.Random(seed)  # noqa: S311 - made-up patients keep no secret
    return [
        (
            f"Name{number:04d} Surname",
            f"MRN{number:06d}",
            str(chance.randint(20, 59)),
            chance.choice("FM"),
            f"02{chance.randint(130, 145)}",
            chance.choice(("flu", "cold", "asthma")),
        )
        for number in range(records)
    ]
