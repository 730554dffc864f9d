"""Texts that a spreadsheet may run, in Python and in the engine."""

from __future__ import annotations

import ibis
import pyarrow as pa
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from roadstead.tables.formulas import may_run, that_may_run

RUN = (
    '=HYPERLINK("http://a.example")',
    "  =1+1",
    "+A1",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(A1)",
    "\tA1",
    "\rA1",
    "\u3000=A1",
    "\uff1dA1",
    "\uff0bA1",
    "\uff0dA1",
    "\uff20A1",
    "\n=A1",
    "-5-A1",
)
NOT_RUN = (
    *(
        "",
        " ",
        "flu",
        "-",
        "--",
        "+++",
        "=",
        "@",
        "-5",
        "+5",
        " -5",
        "-5 ",
        "- 5",
        "-5,5",
        "-1.5e-3",
    ),
    *("+1,000.5", "-5%", "-5%", "\u22125", "\uff0d5", "a=b", "a@b", "5-10", "\t", "\r\n", "'=A1"),
)


def in_engine(texts: list[str | None]) -> list[bool]:
    """DuckDB's answer for each."""
    table = ibis.memtable(
        pa.table({"own": pa.array(texts, pa.string()), "at": [*range(len(texts))]})
    )
    found = table.select("at", runs=that_may_run(table["own"])).order_by("at")
    return list(found.to_pyarrow().column("runs").to_pylist())


@pytest.mark.parametrize("text", RUN)
def test_a_formula_is_found(text: str) -> None:
    """After blanks, full-width, or after a tab, too."""
    assert may_run(text)


@pytest.mark.parametrize("text", NOT_RUN)
def test_numbers_and_signs_alone_are_no_formulas(text: str) -> None:
    """A result such as +++ and a negative number run nothing."""
    assert not may_run(text)


def test_the_engine_finds_what_python_finds() -> None:
    """And never takes a missing cell for a formula."""
    assert in_engine([*RUN, *NOT_RUN, None]) == [True] * len(RUN) + [False] * (len(NOT_RUN) + 1)


@examples(30)
@given(st.lists(st.text("=+-@\t\r\n \u00a0\u3000\uff1d\uff0d59.,%eA(", max_size=6), max_size=40))
def test_the_engine_agrees_on_any_text(texts: list[str]) -> None:
    """Python's reading is the same."""
    assert in_engine([*texts, "x"])[:-1] == [may_run(text) for text in texts]
