"""A release made by joins in the engine that holds the data, against a release made by hand."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path

import duckdb
import ibis
import numpy as np
import pyarrow as pa
import pytest
from effort import examples, unhurried
from hypothesis import given
from hypothesis import strategies as st
from releases_in_engines import TWINS, Drawn, bag, check, drawn, in_memory, one_of_all

from roadstead import anonymize, apply, read
from roadstead.errors import VerificationError
from roadstead.release.apply import released_batches, released_rows
from roadstead.release.joined_tables import _LARGEST_KEY, Numbering
from roadstead.tables.stores.access import workbench


@examples(10)
@given(drawn())
def test_a_release_made_in_duckdb_is_what_the_policy_makes_by_hand(case: Drawn) -> None:
    """Whatever its columns are called and of whatever types they are."""
    check(case, in_memory)


@examples(8)
@given(drawn())
def test_a_class_of_many_labels_is_found_by_several_numbers(case: Drawn) -> None:
    """As where the combinations of all labels are more than one integer can count."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("roadstead.release.joined_tables._LARGEST_KEY", 3)
        check(case, in_memory)


@unhurried
@given(st.lists(st.integers(1, 2**40), min_size=1, max_size=6))
def test_numbers_of_combinations_never_overflow_nor_coincide(sizes: list[int]) -> None:
    """The largest codes of each integer add up to what 64 bits hold; smaller ones differ."""
    numbering = Numbering.of(sizes)
    assert [at for part in numbering.attributes for at in part] == list(range(len(sizes)))
    for part in numbering.attributes:
        largest = sum((sizes[at] - 1) * numbering.weights[at] for at in part)
        assert largest <= _LARGEST_KEY
        few = [range(min(sizes[at], 3)) for at in part]
        found = {
            sum(code * numbering.weights[at] for code, at in zip(codes, part, strict=True))
            for codes in product(*few)
        }
        assert len(found) == np.prod([len(one) for one in few])


def test_names_of_all_kinds_stay_apart() -> None:
    """Those of a release's own columns, of SQL, and with all that needs quoting."""
    check(one_of_all(), in_memory)


def test_texts_that_look_alike_keep_their_own_labels() -> None:
    """Neither case nor blanks nor accents are folded, and composed letters stay what they are."""
    twins = [text for text in TWINS if text != "*"]
    table = pa.table({"x": [text for text in twins for _ in range(2)]})
    with read(table) as source:
        result = anonymize(source, quasi=["x"], k=2, max_level={"x": 0})
        assert result.levels == {"x": 0}
        assert result.generalized.merged.distinct == len(twins)
        assert bag(result.to_arrow()) == Counter({(text,): 2 for text in twins})
        assert bag(result.table().to_pyarrow()) == Counter({(text,): 2 for text in twins})


@pytest.mark.parametrize("suppressed", ["mask", "drop"])
def test_values_that_the_policy_does_not_cover_are_suppressed(suppressed: str) -> None:
    """The same is true for values equal to the program's internal text for them."""
    known = pa.table({"code": ["02138", "02139", "10001"] * 2, "note": list("abcdef")})
    policy = anonymize(
        known,
        quasi=["code"],
        k=2,
        sensitive=["note"],
        max_level={"code": 1},
        min_level={"code": 1},
        suppression=1.0,
        suppressed=suppressed,  # type: ignore[arg-type] # one of the two
    ).policy
    new = pa.table({"code": ["02137"] * 3 + ["99", "", "\x00unseen"], "note": list("ghijkl")})
    with read(new) as source:
        result = apply(policy, source, unseen="suppress")
        draft = result.draft
        released = released_batches(source, policy, result.generalized, mask=draft.masks).read_all()
    masked = {("*", note): 1 for note in "jkl"} if suppressed == "mask" else {}
    plain = released.cast(pa.schema([("code", pa.string()), ("note", pa.string())]))
    assert bag(plain) == Counter({**{("0213*", note): 1 for note in "ghi"}, **masked})


def test_a_record_that_nobody_thought_of_is_suppressed() -> None:
    """One that came after the table was counted, with a value of its own or a class of its own."""
    with read(pa.table({"x": ["a"] * 3 + ["b"] * 3, "y": ["c"] * 3 + ["d"] * 3})) as source:
        result = anonymize(source, quasi=["x", "y"], k=3, suppression=0.0)
    later = pa.table({"x": ["a", "a", "b", None, "a"], "y": ["c", "d", "d", "d", "e"]})
    with read(later) as source:
        late = replace(result, source=source)
        with pytest.raises(VerificationError, match="3-anonymity"):  # two classes have one record
            late.to_arrow()
        with workbench(source) as bench:
            table = released_rows(
                bench.table, bench.small, result.policy, result.generalized, mask=True
            ).to_pyarrow()
    assert result.levels == {"x": 0, "y": 0}
    assert bag(table) == Counter({("a", "c"): 1, ("b", "d"): 1, ("*", "*"): 3})


def test_a_users_own_database_is_left_as_it_was(tmp_path: Path) -> None:
    """No table, view or registered object of ours stays there."""
    path = tmp_path / "own.duckdb"
    with duckdb.connect(path) as made:
        made.execute("CREATE TABLE visits AS SELECT i % 3 AS x, i % 2 AS y FROM range(60) t(i)")
    own = ibis.duckdb.connect(path)
    there = "SELECT view_name FROM duckdb_views() UNION ALL SELECT table_name FROM duckdb_tables()"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of Ibis, for DuckDB
        visits = own.table("visits")
    before = sorted(own.con.execute(there).fetchall())
    result = anonymize(visits, quasi=["x"], k=5, sensitive=["y"])
    assert result.to_arrow().num_rows == 60
    assert result.write(tmp_path / "release").passed
    assert sorted(own.con.execute(there).fetchall()) == before
    own.disconnect()
