"""The published figures that the cohort is drawn from, as the files of `cohort/data` hold them."""

from __future__ import annotations

import csv
from importlib.resources import files


def text_of(name: str) -> str:
    """Read a file of figures."""
    return (files("roadstead.cohort") / "data" / name).read_text("utf-8")


def rows_of(name: str) -> list[list[str]]:
    """Read the rows of a table of figures, without its header."""
    return list(csv.reader(text_of(name).splitlines()))[1:]
