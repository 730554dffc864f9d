"""Hierarchies as files in ARX's form."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import roadstead as rs
from roadstead.errors import HierarchyError, OutputError
from roadstead.hierarchies.arx_csv import (
    find_hierarchies,
    read_hierarchy,
    require_known_names,
    write_hierarchy,
)
from roadstead.hierarchies.dates import dates
from roadstead.hierarchies.declare import build_declared
from roadstead.hierarchies.hierarchy import from_columns
from roadstead.hierarchies.numbers import intervals

ROWS = "a;ab;*\nb;ab;*\nc;c;*\n"


@pytest.mark.parametrize(
    "content",
    [
        ROWS.encode(),
        ROWS.encode("utf-8-sig"),
        ROWS.replace("\n", "\r\n").encode(),
        ROWS.rstrip().encode(),
        f"\n{ROWS}\n\n".encode(),
        ROWS.replace(";", ",").encode(),
        ROWS.replace(";", "\t").encode(),
        ROWS.replace("ab", '"ab"').encode(),
        gzip.compress(ROWS.encode(), mtime=0),
    ],
)
def test_forms_of_one_file_give_one_hierarchy(tmp_path: Path, content: bytes) -> None:
    """Line ends, byte order marks, delimiters, quotes and gzip do not matter."""
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    hierarchy = read_hierarchy(path, "x")
    assert hierarchy.values == ("a", "b", "c")
    assert [level.labels for level in hierarchy.levels] == [("a", "b", "c"), ("ab", "c"), ("*",)]
    assert hierarchy.origin == str(path)


def test_intervals_with_commas_do_not_mislead_the_delimiter(tmp_path: Path) -> None:
    """A semicolon in the first row wins; a delimiter that is given wins over all."""
    path = tmp_path / "x.csv"
    path.write_text("1;[0, 5);*\n7;[5, 10);*\n")
    assert read_hierarchy(path, "x").levels[1].labels == ("[0, 5)", "[5, 10)")
    path.write_text("1|a;b|*\n")
    assert read_hierarchy(path, "x", delimiter="|").levels[1].labels == ("a;b",)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"\n\n", "the file is empty"),
        (b"a;*\nb\n", "row 2: the row has 1 columns, but the first row has 2"),
        (b"a;*\n\nb;*;*\n", "row 3: the row has 3 columns, but the first row has 2"),
        (b"a;*\nb\xe9;*\n", "line 2: byte 0xE9 is not UTF-8"),
        (b'a;*\n"b;*\n', "the row cannot be split"),
        (gzip.compress(ROWS.encode(), mtime=0)[:-9], "damaged or incomplete"),
        (b"a;g;1\nb;g;2\n", "are not nested"),
        (b"a;1\nb;2\n", "must have a single label"),
        (b"a;*\na;*\n", "is in two rows"),
        (b"a;;*\nb;g;*\n", "has an empty label at level 1"),
    ],
)
def test_bad_files_are_refused_in_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    """The message names the file, says what is wrong and what to do."""
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with pytest.raises(HierarchyError) as caught:
        read_hierarchy(path, "x")
    assert said in caught.value.message
    assert str(path) in caught.value.message
    assert caught.value.fix
    assert "\n" not in caught.value.message


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    """A missing file and a folder have different messages."""
    with pytest.raises(HierarchyError, match="there is no such file"):
        read_hierarchy(tmp_path / "none.csv", "x")
    with pytest.raises(HierarchyError, match="cannot be read"):
        read_hierarchy(tmp_path, "x")


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz"])
def test_what_was_written_is_read_back(tmp_path: Path, name: str) -> None:
    """Labels survive, with delimiters, quotes and line breaks in them, and a missing value."""
    values = ("a;b", 'say "b"', "c\nd", "é, è", "")
    table = (values, ("g", "g", "h", "h", ""), ("*",) * 5)
    hierarchy = from_columns("x", table, origin="memory")
    write_hierarchy(hierarchy, tmp_path / name)
    back = read_hierarchy(tmp_path / name, "x")
    assert back.values == values
    assert [level.labels for level in back.levels] == [level.labels for level in hierarchy.levels]
    assert (tmp_path / name).read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_values_stand_first_even_where_level_zero_rewrites_them(tmp_path: Path) -> None:
    """Dates of another form keep a column of their own, so the file covers the same values."""
    hierarchy = dates("born", ["05.03.1980"], ("day", "year"), form="%d.%m.%Y")
    write_hierarchy(hierarchy, tmp_path / "born.csv")
    assert (tmp_path / "born.csv").read_text() == "05.03.1980;1980-03-05;1980;*\n"


def test_the_same_hierarchy_gives_the_same_bytes(tmp_path: Path) -> None:
    """No time stamp is in a gzipped file."""
    hierarchy = intervals("age", ["1", "2"], [5])
    for name in ("one.csv.gz", "two.csv.gz"):
        write_hierarchy(hierarchy, tmp_path / name)
    assert (tmp_path / "one.csv.gz").read_bytes() == (tmp_path / "two.csv.gz").read_bytes()


def test_an_existing_file_is_replaced_only_when_forced(tmp_path: Path) -> None:
    """Without force nothing is touched."""
    path = tmp_path / "x.csv"
    path.write_text("precious")
    hierarchy = intervals("age", ["1", "2"], [5])
    with pytest.raises(OutputError, match="already exists"):
        write_hierarchy(hierarchy, path)
    assert path.read_text() == "precious"
    write_hierarchy(hierarchy, path, force=True)
    assert path.read_text() == "1;0-4;*\n2;0-4;*\n"


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the file nor the temporary file is left, and the error gives the reason."""

    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OutputError, match="cannot be written"):
        write_hierarchy(intervals("age", ["1"], [5]), tmp_path / "x.csv")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OutputError, match="cannot be written"):
        write_hierarchy(intervals("age", ["1"], [5]), tmp_path / "none" / "x.csv")


def test_files_of_a_folder_are_found_by_their_names(tmp_path: Path) -> None:
    """Both forms of names, plain and gzipped; attributes without a file are absent."""
    for name in ("adult_hierarchy_age.csv", "sex.csv", "d_hierarchy_zip.csv.gz", "race.txt"):
        (tmp_path / name).write_text("a;*\n")
    found = find_hierarchies(tmp_path, ["age", "sex", "zip", "race", "diet", "ag*"])
    assert {a: p.name for a, p in found.items()} == {
        "age": "adult_hierarchy_age.csv",
        "sex": "sex.csv",
        "zip": "d_hierarchy_zip.csv.gz",
    }


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (Path.mkdir, "it is a folder"),
        (os.mkfifo, "it is not a regular file"),
        (lambda path: path.symlink_to("/dev/zero"), "it is not a regular file"),
        (lambda path: path.symlink_to("nowhere"), "No such file"),
    ],
)
def test_what_is_called_like_a_hierarchy_and_is_no_file_is_not_passed_over(
    tmp_path: Path, make: Callable[[Path], None], what: str
) -> None:
    """It is refused by its name, and not opened; for an unrequested column it may be there.

    Fault class: input silently passed over.
    """
    make(tmp_path / "d_hierarchy_diet.csv")
    assert find_hierarchies(tmp_path, ["age"]) == {}
    with pytest.raises(HierarchyError, match=what) as refused:
        find_hierarchies(tmp_path, ["age", "diet"])
    assert "d_hierarchy_diet.csv" in refused.value.message
    with pytest.raises(HierarchyError, match=what.replace("No such", "there is no such")):
        read_hierarchy(tmp_path / "d_hierarchy_diet.csv", "diet")


@pytest.mark.parametrize(
    ("lines", "row"),
    [
        (["alpha-secret", "beta-secret"], 2),
        (["alpha-secret;*", "", "alpha-secret;*"], 3),
        (["a;secret-1;*", "b;secret-1;*", "a2;secret-1;secret-2"], 3),
        (["a-secret;;*", "b-secret;x;*"], 1),
    ],
)
def test_a_file_that_somebody_else_named_is_told_of_by_row(
    tmp_path: Path, lines: list[str], row: int
) -> None:
    """A project file may name any file; its content is not shown.

    Fault class: a file read for a stranger.
    """
    (tmp_path / "other.txt").write_text("\n".join(lines), "utf-8")
    declared = {"kind": "file", "path": "other.txt"}
    with pytest.raises(HierarchyError) as refused:
        build_declared("sex", declared, ["F"], folder=tmp_path)
    assert f"row {row} " in refused.value.message
    assert "secret" not in refused.value.message
    with pytest.raises(HierarchyError, match="secret"):
        read_hierarchy(tmp_path / "other.txt", "sex")


def test_a_hierarchy_that_unpacks_without_an_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small file may unpack to a large one.

    Fault class: input without an end.
    """
    (tmp_path / "age.csv.gz").write_bytes(gzip.compress(b"a;*\n" * 10_000))
    monkeypatch.setattr("roadstead.hierarchies.arx_csv.MOST_OF_DOCUMENT", 1000)
    with pytest.raises(HierarchyError, match="the unpacked file is larger"):
        read_hierarchy(tmp_path / "age.csv.gz", "age")


def test_two_files_for_one_attribute_are_refused(tmp_path: Path) -> None:
    """Both are named: neither is guessed to be meant."""
    for name in ("age.csv", "age.csv.gz"):
        (tmp_path / name).write_text("a;*\n")
    with pytest.raises(HierarchyError, match=r"age\.csv and age\.csv\.gz"):
        find_hierarchies(tmp_path, ["age"])


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    """A folder that is not there is not an empty folder."""
    with pytest.raises(HierarchyError, match="this folder of hierarchies does not exist"):
        find_hierarchies(tmp_path / "none", ["age"])


def test_a_large_file_is_read_whole(tmp_path: Path) -> None:
    """A file of 100,000 rows and six levels keeps every value."""
    codes = [f"{i:05d}" for i in range(100_000)]
    rows = (";".join([c, *(c[:k] + "*" * (5 - k) for k in (4, 3, 2, 1)), "*"]) for c in codes)
    path = tmp_path / "zip.csv"
    path.write_text("\n".join(rows))
    hierarchy = read_hierarchy(path, "zip")
    assert hierarchy.values == tuple(codes)
    assert [len(level.labels) for level in hierarchy.levels] == [100_000, 10_000, 1_000, 100, 10, 1]


@pytest.mark.parametrize(
    ("file", "meant"),
    [
        ("Topografía.csv", "Topografia"),
        ("x_hierarchy_topografia.csv", "Topografia"),
        ("Topografa.csv", "Topografia"),
        ("Topografia.csv", None),
        ("zip3.csv", None),
        ("admission.csv", None),
        ("topography.txt", None),
    ],
)
def test_a_name_that_is_almost_that_of_a_column_is_not_passed_over(
    tmp_path: Path, file: str, meant: str | None
) -> None:
    """Fault class: a misnamed file is ignored, and a default hierarchy takes its place."""
    (tmp_path / file).write_text("a;*\n")
    columns = ("Topografia", "zip", "admission", "admissions")
    if meant is None:
        require_known_names(tmp_path, columns, columns)
        return
    with pytest.raises(HierarchyError, match=f"did you mean '{meant}'"):
        require_known_names(tmp_path, columns, columns)


def test_a_misnamed_hierarchy_file_is_named_by_the_commands(tmp_path: Path) -> None:
    """All commands that read the folder compare its names with the columns of the table."""
    (tmp_path / "ward_no.csv").write_text("1;*\n")
    asked: Any = {"quasi": ["ward no"], "hierarchies": tmp_path}
    frame = pd.DataFrame({"ward no": ["1", "1", "2", "2"]})
    for verb in (rs.anonymize, rs.frontier):
        with pytest.raises(HierarchyError, match="did you mean 'ward no'"):
            verb(frame, **asked)
