"""Small tables of typed columns with hostile names, released in an engine and by plain Python.

The engine makes a stream for a file, and a table of its own. Both must have the same rows, as a
bag, as :mod:`by_hand` makes from the texts of the values.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeAlias

import pyarrow as pa
from by_hand import Row, apply
from hypothesis import strategies as st

from roadstead import anonymize
from roadstead.release.apply import released_rows
from roadstead.tables.reading import read
from roadstead.tables.source import Source
from roadstead.tables.stores.access import workbench

Load: TypeAlias = Callable[[pa.Table], AbstractContextManager[Source]]
"""Puts a table into an engine for a while."""

TWINS = (
    "a",
    "A",
    "a ",
    " a",
    "ä",
    "a\u0308",
    "Ä",
    "*",
    "'",
    '"',
    "\\",
    "b;--",
    "ß",
    "ss",
    "ﬁ",
    "fi",
)
"""Texts that a careless comparison confuses with one another, or does not treat as text."""

NAMES = (
    *(
        "select",
        "from",
        "class",
        "order",
        "ü",
        'a"b',
        "a'b",
        "a;b",
        "a b",
        "--",
        "%s",
        "`x`",
        "a.b",
    ),
    *("number", "place", "digest", "value_0", "other_0", "other_1", "label_0", "label_1", "part_0"),
    *("text_0", "text_1", "key_0", "kept_key_0", "kept_0", "code_0", "sum_0", "records", "t0", "A"),
)
"""Names that mean something in SQL, and those that a release gives to columns of its own."""

_DAYS = (date(2023, 12, 31), date(2024, 1, 1), date(2024, 2, 29), date(2025, 5, 6), None)
QUASI: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.string(): st.sampled_from([*TWINS, None]),
    pa.int64(): st.sampled_from([*range(18, 40, 3), -4, None]),
    pa.float64(): st.sampled_from([20.0, 21.0, 35.0, None, math.nan]),
    pa.date32(): st.sampled_from(_DAYS),
}
"""Types of quasi-identifiers; each gets another kind of default hierarchy."""
OTHERS: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.string(): st.sampled_from([*TWINS, None]),
    pa.int64(): st.sampled_from([0, -1, 2**62, None]),
    pa.float64(): st.sampled_from([0.5, -0.25, 3.0, None]),
    pa.date32(): st.sampled_from(_DAYS),
    pa.bool_(): st.sampled_from([True, False, None]),
}
"""Types of other columns that are released."""


@dataclass(frozen=True)
class Drawn:
    """A table, and its request.

    The columns are quasi-identifiers, other released columns, one column without a role that
    numbers the records, and a direct identifier.
    """

    table: pa.Table
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    identifiers: tuple[str, ...]
    k: int
    suppression: float
    suppressed: str


@st.composite
def drawn(draw: st.DrawFn, names: Sequence[str] = NAMES) -> Drawn:
    """Tables of up to 30 records."""
    quasi = draw(st.lists(st.sampled_from(list(QUASI)), min_size=1, max_size=3, unique=True))
    others = draw(st.lists(st.sampled_from(list(OTHERS)), max_size=3, unique=True))
    kinds = [*quasi, *others]
    cells = st.tuples(*(QUASI[kind] for kind in quasi), *(OTHERS[kind] for kind in others))
    chosen = draw(st.lists(cells, min_size=1, max_size=8))
    rows = [row for row in chosen for _ in range(draw(st.integers(1, 4)))][:30]
    rows += rows[: max(0, 2 - len(rows))]
    called = draw(st.permutations(names))[: len(kinds) + 2]
    columns = {
        name: pa.array([row[at] for row in rows], kind)
        for at, (name, kind) in enumerate(zip(called, kinds, strict=False))
    }
    columns[called[-2]] = pa.array([f"s{at:03}" for at in range(len(rows))])
    columns[called[-1]] = pa.array([f"id{at}" for at in range(len(rows))])
    order = draw(st.permutations(list(columns)))
    return Drawn(
        table=pa.table({name: columns[name] for name in order}),
        quasi=tuple(called[: len(quasi)]),
        sensitive=tuple(called[len(quasi) : len(kinds)]),
        identifiers=(called[-1],),
        k=draw(st.integers(2, min(4, len(rows)))),
        suppression=draw(st.sampled_from([0.0, 0.3, 1.0])),
        suppressed=draw(st.sampled_from(["mask", "drop"])),
    )


def one_of_all() -> Drawn:
    """Draw one table that has every type and every name, for engines that take their time."""
    chance = random.Random(5)  # noqa: S311 - made-up values keep no secret
    days = [date(2024, 1 + at % 3, 1 + at % 5) for at in range(20)]
    cells: dict[pa.DataType, list[Any]] = {
        pa.string(): [*TWINS, None],
        pa.int64(): [*range(18, 40, 3), None],
        pa.float64(): [20.0, 21.0, 35.0, None, math.nan],
        pa.date32(): [*days, None],
        pa.bool_(): [True, False, None],
    }
    kinds = list(cells)
    columns = {
        name: pa.array(chance.choices(cells[kinds[at % 5]], k=120), kinds[at % 5])
        for at, name in enumerate(NAMES)
    }
    return Drawn(pa.table(columns), NAMES[:4], NAMES[5:-1], NAMES[-1:], 3, 1.0, "mask")


def check(case: Drawn, load: Load) -> None:
    """Release a table in an engine, both ways, and compare with the release by hand."""
    with load(case.table) as source:
        result = anonymize(
            source,
            quasi=case.quasi,
            k=case.k,
            suppression=case.suppression,
            suppressed=case.suppressed,  # type: ignore[arg-type] # drawn from the two
            identifiers=case.identifiers,
            release_anyway=case.sensitive,  # by name, as there are dates and odd texts among them
        )
        mask = result.draft.masks
        streamed = result.to_arrow()
        with workbench(source) as bench:
            rows = released_rows(
                bench.table, bench.small, result.policy, result.generalized, mask=mask
            )
            made = rows.to_pyarrow()
        brought = result.table().to_pyarrow()
    by_hand = apply(result.to_dict()["policy"], case.table.column_names, texts(case.table))
    wanted = [name for name in case.table.column_names if name in result.policy.released]
    assert streamed.column_names == made.column_names == brought.column_names == wanted
    assert bag(streamed) == by_hand.rows
    assert bag(made) == by_hand.rows
    assert bag(brought) == by_hand.rows


def bag(table: pa.Table) -> Counter[Row]:
    """Count the rows of a table, as texts."""
    return Counter(texts(table))


def texts(table: pa.Table) -> list[Row]:
    """Give the rows of a table as texts; what is missing is empty."""
    columns = [[_text(cell) for cell in column.to_pylist()] for column in table.columns]
    return list(zip(*columns, strict=True))


def _text(cell: object) -> str:
    if cell is None or cell != cell:  # noqa: PLR0124 - what is no number is not itself
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


@contextmanager
def in_memory(table: pa.Table) -> Iterator[Source]:
    """Read a table by the private engine."""
    with read(table) as source:
        yield source
