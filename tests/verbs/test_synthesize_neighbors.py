"""Neighboring tables become neighboring private tables, whatever the extra record is."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet
from seeded_mechanisms import SeededMechanisms

import roadstead as rs
from roadstead.differential.private_table import PrivateTable
from roadstead.errors import SourceError
from roadstead.tables.item_sets import with_item_sets
from roadstead.tables.reading import read, read_privately
from roadstead.tables.source import Source
from roadstead.verbs.synthesize.domains import Declarations
from roadstead.verbs.synthesize.placing import place
from roadstead.verbs.synthesize.result import SynthesisFinding
from roadstead.verbs.synthesize.sets import item_sets, opened_sets
from roadstead.verbs.synthesize.settings import settings_of
from roadstead.verbs.synthesize.synthesis import synthesized

REQUEST = settings_of(1, "died", ("y", "'y'"), 1, "max", "leave-out")
SEXES = ("F", "M", "'F'", "F;1", "F|1")


def records_of(table: PrivateTable) -> Counter[tuple[Any, ...]]:
    """Take a private table apart into its records."""
    columns: list[list[Any]] = []
    for codes, sets in zip(table.codes, table.sets, strict=True):
        if sets is None:
            columns.append(codes.tolist())
        else:
            starts = sets.starts.tolist()
            columns.append(
                [tuple(sets.items[starts[c] : starts[c + 1]].tolist()) for c in codes.tolist()]
            )
    found: Counter[tuple[Any, ...]] = Counter()
    for *row, count in zip(*columns, table.target.tolist(), table.counts.tolist(), strict=True):
        found[tuple(row)] += count
    return found


def placed(
    data: Any,  # noqa: ANN401 - whatever can be read
    sets: dict[str, Any] | None = None,
    by: Callable[..., Source] = read_privately,
    **reading: Any,  # noqa: ANN401 - as read has it
) -> Counter[tuple[Any, ...]]:
    """Read and place a table; its records, by sex and class."""
    values = {"sex": SEXES, "column_1": SEXES, "dx": ("'a'", "b", "a")}
    request = REQUEST
    if reading.get("header") is False:
        request = settings_of(1, "column_2", ("y", "'y'"), 1, "max", "leave-out")
    with by(data, **reading) as source:
        known = {*source.columns, *(sets or {})}
        declared = Declarations(values={name: values[name] for name in values if name in known})
        declared = replace(declared, sets=item_sets(sets or {}))
        return records_of(place(source, request, declared).records)


@dataclass(frozen=True)
class Odd:
    """A file of many equal lines, and one odd line."""

    header: str | None
    line: str
    odd: str
    kept: bool
    """Whether the odd line has a place in the domains."""


ODD = {
    "a double quote among single ones": Odd("sex,died", "'F','y'", "'F\"','y'", kept=False),
    "a quoted cell among single quotes": Odd("sex,died", "'F','y'", '"M","y"', kept=True),
    "a delimiter in a quoted cell": Odd("sex,died", "'F','y'", '"a,b",y', kept=False),
    "a number": Odd("sex,died", "F,y", "39,1e5", kept=False),
    "a line break in a cell": Odd("sex,died", "'F','y'", '"a\nb",y', kept=False),
    "an empty cell": Odd("sex,died", "'F','y'", ",", kept=False),
    "no semicolon": Odd(None, "F;1,y", "M,y", kept=True),
    "no bar": Odd(None, "F|1,y", "M,'y'", kept=True),
}


@pytest.mark.quick(12)
@pytest.mark.parametrize("one", ODD.values(), ids=ODD)
@pytest.mark.parametrize("at", [0, 1_000, 2_000], ids=["first", "amid", "last"])
def test_one_odd_line_changes_nothing_but_itself(tmp_path: Path, one: Odd, at: int) -> None:
    """The other 2,000 lines are read the same way with and without it."""
    lines = [one.line] * 2_000
    header = [] if one.header is None else [one.header]
    reading: dict[str, Any] = {"header": False} if one.header is None else {}
    both = []
    for name, rows in (("without.csv", lines), ("with.csv", [*lines[:at], one.odd, *lines[at:]])):
        (tmp_path / name).write_text("\n".join([*header, *rows, ""]), encoding="utf-8")
        both.append(placed(tmp_path / name, **reading))
    without, with_it = both
    assert without.total() == 2_000
    assert without - with_it == Counter()
    assert (with_it - without).total() == int(one.kept)


@pytest.mark.parametrize("name", ["a double quote among single ones", "no bar"])
def test_a_look_at_the_records_would_change_all_of_them(tmp_path: Path, name: str) -> None:
    """So the lines are odd enough: the reading of the other verbs is not for private releases."""
    one = ODD[name]
    reading: dict[str, Any] = {"header": one.header is not None}
    both = []
    for odd in ([], [one.odd]):
        lines = [*([] if one.header is None else [one.header]), *[one.line] * 2_000, *odd, ""]
        (tmp_path / "t.csv").write_text("\n".join(lines), encoding="utf-8")
        both.append(placed(tmp_path / "t.csv", by=read, **reading))
    without, with_it = both
    assert max((without - with_it).total(), (with_it - without).total()) >= 2_000


def test_a_line_beyond_what_is_looked_at_changes_nothing_either(tmp_path: Path) -> None:
    """10,000 lines, gzipped, and much longer than a sample."""
    line, odd = "'F','y'," + "x" * 60, '"M\'","y",";|\t"'
    both = []
    for rows in ([line] * 10_000, [*[line] * 9_000, odd, *[line] * 1_000]):
        text = "\n".join(["sex,died,note", *rows, ""])
        (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text.encode(), compresslevel=1))
        both.append(placed(tmp_path / "t.csv.gz"))
    assert both[0] == both[1]
    assert both[0].total() == 10_000


def test_one_odd_row_of_a_second_table_changes_nothing_but_its_own_set(tmp_path: Path) -> None:
    """The others keep their items, which are written in single quotes."""
    people = ["who,died", *(f"{at},y" for at in range(500)), "x,y", ""]
    (tmp_path / "people.csv").write_text("\n".join(people), encoding="utf-8")
    sets = {"dx": {"file": tmp_path / "codes.csv", "key": "who", "code": "code"}}
    both = []
    for odd in ([], ['x,"b"']):
        rows = ["who,code", *(f"{at},'a'" for at in range(500)), *odd, ""]
        (tmp_path / "codes.csv").write_text("\n".join(rows), encoding="utf-8")
        both.append(placed(tmp_path / "people.csv", sets))
    assert both[0] == Counter({((0,), 0): 500, ((), 0): 1})
    assert both[1] == Counter({((0,), 0): 500, ((1,), 0): 1})


SCHEMA = pa.schema([("sex", pa.string()), ("age", pa.int64()), ("died", pa.string())])


def empties(folder: Path) -> dict[str, Any]:
    """Make a table without records in each form."""
    nothing = SCHEMA.empty_table()
    (folder / "line.csv").write_text("sex,age,died\n", encoding="utf-8")
    (folder / "no_line.csv").write_text("sex;age;died", encoding="utf-8")
    (folder / "t.csv.gz").write_bytes(gzip.compress(b"\xef\xbb\xbfsex\tage\tdied\r\n"))
    parquet.write_table(nothing, folder / "t.parquet")
    (folder / "parts").mkdir()
    (folder / "parts" / "1.csv").write_text("sex,age,died", encoding="utf-8")
    return {
        **{name: folder / name for name in ("line.csv", "no_line.csv", "t.csv.gz", "t.parquet")},
        "folder": folder / "parts",
        "arrow": nothing,
        "pandas with types": nothing.to_pandas(),
        "pandas without": pd.DataFrame(columns=SCHEMA.names),
        "polars": pl.from_arrow(nothing),
        "lists": {name: [] for name in SCHEMA.names},
    }


def release(data: Any) -> SynthesisFinding:  # noqa: ANN401 - whatever can be read
    """Release a table of sex, age and death, with repeatable noise."""
    declared = Declarations(ranges={"age": "0..90"}, values={"sex": ("F", "M")})
    request = settings_of(1, "died", ("n", "y"), "auto", "max", "leave-out")
    return synthesized(data, request, declared, SeededMechanisms(1))


def test_a_table_without_records_is_released_like_any_other(tmp_path: Path) -> None:
    """A refusal would reveal the first record; other commands still refuse."""
    for name, data in empties(tmp_path).items():
        found = release(data)
        assert found.private.records == 0, name
        assert sum(found.to_dict()["records_by_class"].values()) == found.facts.records
        assert found.to_dict()["source"]
        with pytest.raises(SourceError, match="there are no records"):
            read(data)


def test_a_release_of_no_records_is_whole(tmp_path: Path) -> None:
    """Written and verified, with noise where groups would be."""
    found = release(empties(tmp_path)["line.csv"])
    assert found.write(tmp_path / "out").passed
    assert rs.verify(tmp_path / "out").passed


@pytest.mark.parametrize("order", [None, "at"])
def test_a_second_table_may_be_without_rows(tmp_path: Path, order: str | None) -> None:
    """Then all sets are empty, as they are for records that have no rows."""
    (tmp_path / "codes.csv").write_text("who,code,at", encoding="utf-8")
    spec: dict[str, Any] = {"file": tmp_path / "codes.csv", "key": "who", "code": "code"}
    if order is not None:
        spec |= {"order": order, "longest": 2}
    people = ["who,sex,died", "1,F,y", "2,M,y", ""]
    for rows in (people, people[:1]):
        (tmp_path / "people.csv").write_text("\n".join(rows), encoding="utf-8")
        found = placed(tmp_path / "people.csv", {"dx": spec})
        assert found == Counter({(at, (), 0): 1 for at in range(len(rows) - 2)})


@pytest.mark.parametrize("frame", [partial(pd.DataFrame, dtype=object), dict])
def test_a_set_column_may_be_without_values(frame: Callable[..., Any]) -> None:
    """Arrow knows no type of it then, and no record less may be an error."""
    for rows in ([], [None], [["a"]]):
        table = {"sex": ["F"] * len(rows), "dx": rows, "died": ["y"] * len(rows)}
        found = placed(frame(table), {"dx": {"column": "dx"}})
        assert found == Counter([(0, (2,) if one else (), 0) for one in rows])


EXACT = 2**53
BIG: dict[str, Callable[[Sequence[int | None]], Any]] = {
    "arrow": lambda order: pa.array(order, pa.int64()),
    "pandas, whole numbers that may be missing": lambda order: pd.array(order, dtype="Int64"),
    "pandas, objects": lambda order: pd.Series(order, dtype=object),
    "a list": list,
}


@pytest.mark.parametrize("made", BIG.values(), ids=BIG)
def test_a_missing_order_does_not_merge_the_ranks_of_others(
    made: Callable[[Sequence[int | None]], Any],
) -> None:
    """Whole numbers that are equal as floats stay different next to a missing one."""
    for last in (5, None):
        order = made([EXACT, EXACT + 1, last])
        table = {"who": ["1", "1", "2"], "code": ["a", "b", "a"], "at": order}
        rows: Any = table
        if not isinstance(order, list):
            rows = pa.table(table) if isinstance(order, pa.Array) else pd.DataFrame(table)
        spec = {"file": rows, "key": "who", "code": "code", "order": "at", "longest": 2}
        with (
            read_privately({"who": ["1", "2"]}) as source,
            opened_sets(item_sets({"dx": spec}), source) as sets,
        ):
            found = with_item_sets(source, sets).table.to_pyarrow()["dx"].to_pylist()
        assert sorted(found) == ["{1:a|2:b}", "{1:a}"]
