"""Texts are the same whether DuckDB is asked in its own words or through Ibis."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from roadstead.tables import file_tables
from roadstead.tables import texts as texts_module
from roadstead.tables.reading import read
from roadstead.tables.texts import Texts, texts_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COLUMNS = ('a"b', "it's", "plain")
ROWS = """a"b,it's,plain
 Unknown ,x@y.org,1
é'e,,2
,555-123-4567,
"?
",a@b.cd,2
é'e,,2
"""


@pytest.mark.quick(13)
@pytest.mark.parametrize("in_memory", [0, 1 << 20])
@pytest.mark.parametrize(
    "ask",
    [
        lambda texts: texts.totals(),
        lambda texts: texts.first(2),
        lambda texts: texts.unseen({"value_0": ["é'e"], "value_2": ["", "2"]}, 3),
        lambda texts: texts.forms(["value_0", "value_1"], ["[a-z]@[a-z]", "^é'e$"]),
        lambda texts: texts.marked(["?", "é'e", "unknown"]),
        lambda texts: sorted(texts.distinct()),
        lambda texts: sorted(texts.within_first().items()),
        lambda texts: texts.unlike_within_first(1, 1, 1.0),
        lambda texts: texts.alike(),
        lambda texts: texts.present(),
        lambda texts: texts.sizes(),
        lambda texts: sorted(map(str, texts.counted(None).read_all().to_pylist())),
        lambda texts: sorted(map(str, texts.counted(9).read_all().to_pylist())),
    ],
)
def test_both_ways_give_the_same(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ask: Callable[[Texts], Any],
    in_memory: int,
) -> None:
    monkeypatch.setattr(file_tables, "_IN_MEMORY", in_memory)
    path = tmp_path / "t.csv"
    path.write_text(ROWS, encoding="utf-8")
    with read(path) as source:
        assert source.texts is not None
        assert ask(texts_of(source, COLUMNS)) == ask(Texts(source.table, COLUMNS))


def test_a_small_table_of_another_kind_is_converted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The order of the columns in a source may differ from the order in its table."""
    frame = pd.DataFrame(
        {"n": [1.0, 2.5, None, 1.0], "text": ["b", "", None, "é"], "x": [1, 2, 3, 4]}
    )
    with read(frame) as source:
        assert type(texts_of(source, ("n",))) is Texts
        for columns in (("x", "n"), ("text",), ("n", "text", "x")):
            other = replace(source, columns=columns)
            once, ibis = texts_of(other, columns), Texts(other.table, columns)
            assert type(once) is not Texts
            assert once.drawn(1.0).to_pydict() == ibis.drawn(1.0).to_pydict()
            assert once.totals() == ibis.totals()
    monkeypatch.setattr(texts_module, "_MOST_CELLS", frame.size - 1)
    with read(frame) as source:
        assert type(texts_of(source, tuple(frame.columns))) is Texts


def test_a_converted_table_is_forgotten_with_its_engine() -> None:
    """Otherwise, copies of raw values stay in memory and on the disk until the process ends."""
    source = read(pd.DataFrame({"n": [1.0, 2.5], "x": [1, 2]}))
    assert type(texts_of(source, ("n", "x"))) is not Texts
    assert source.private is not None
    connection = weakref.ref(source.private.con)
    source.close()
    del source
    gc.collect()
    assert connection() is None


def test_blanks_are_the_same_in_both_ways(tmp_path: Path) -> None:
    """A text with spaces, tabs, or line breaks around a word for "missing" is blank."""
    path = tmp_path / "t.csv"
    rows = ['a,"\tn/a"', 'a,"n/a\n"', "a,x", "a,x", "\t-,x", "b,y", "b, y"]
    path.write_text("\n".join(["one,two", *rows, ""]), encoding="utf-8")
    with read(path) as source:
        sql, ibis = texts_of(source, ("one", "two")), Texts(source.table, ("one", "two"))
        assert sql.agreement() == ibis.agreement()
        assert sql.agreement()["records"] == 4
        assert sql.present() == ibis.present() == [6, 5]
