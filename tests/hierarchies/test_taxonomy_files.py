"""Taxonomies that a custodian has in a file."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from roadstead.errors import HierarchyError, SettingError
from roadstead.hierarchies.taxonomy import NOT_LISTED, by_longest_prefix
from roadstead.hierarchies.taxonomy_files import read_taxonomy

TABLE = """\
code,note,chapter,block
401,x,heart,pressure
402,,heart,pressure
428,,heart,failure
820,,injury,bone
"""
ARX = "401;pressure;heart;*\n402;pressure;heart;*\n428;failure;heart;*\n820;bone;injury;*\n"
BLOCKS = ["chapter", "block"]


@pytest.mark.parametrize(
    "content",
    [
        TABLE.encode(),
        TABLE.encode("utf-8-sig"),
        TABLE.replace(",", ";").encode(),
        TABLE.replace("\n", "\r\n\r\n").encode(),
        TABLE.replace(",", " , ").encode(),
        TABLE.replace("401", '"401"').encode(),
        gzip.compress(TABLE.encode(), mtime=0),
    ],
)
def test_a_table_of_codes_becomes_a_tree(tmp_path: Path, content: bytes) -> None:
    """From the groups' columns; delimiter, line ends, byte order mark and gzip do not matter."""
    path = tmp_path / "codes.csv"
    path.write_bytes(content)
    taxonomy = read_taxonomy(path, "dx", code="code", groups=BLOCKS)
    assert taxonomy.labels == ("*", "heart", "pressure", "401", "402", "428", "820")
    assert taxonomy.origin == str(path)
    assert taxonomy.attribute == "dx"


def test_a_file_of_arx_becomes_the_same_tree(tmp_path: Path) -> None:
    """It has no header; the name of its top is kept unless another is given."""
    path = tmp_path / "dx.csv"
    path.write_text(ARX)
    taxonomy = read_taxonomy(path, "dx")
    assert taxonomy.labels == ("*", "heart", "pressure", "401", "402", "428", "820")
    assert read_taxonomy(path, "dx", root="any").labels[0] == "any"
    assert taxonomy.locate(["401.9"]).tolist() == [NOT_LISTED]
    found = read_taxonomy(path, "dx", find=by_longest_prefix)
    assert found.locate(["401.9", "820"]).tolist() == [0, 3]


def test_how_values_are_found_can_be_said(tmp_path: Path) -> None:
    """As they are written, or by what they begin with."""
    path = tmp_path / "codes.csv"
    path.write_text(TABLE)
    taxonomy = read_taxonomy(path, "dx", code="code", groups=BLOCKS, find=by_longest_prefix)
    assert taxonomy.locate(["428.0", "402", "999"]).tolist() == [2, 1, NOT_LISTED]


@pytest.mark.parametrize(
    ("content", "where", "said"),
    [
        ("", "", "the file is empty"),
        ("code,chapter,block\n", "", "has no values"),
        ("code,chapter,block\na,A,B\nb,A,C\na,A,B\n", ", row 4", "'a' of 'dx' is also in row 2"),
        ("code,chapter,block\na,A,B\n ,A,B\n", ", row 3", "column 'code' is empty"),
        ("code,chapter,block\na,,B\n", ", row 2", "column 'chapter' is empty for value 'a'"),
        ("code,chapter,block\n\na,A, \n", ", row 3", "column 'block' is empty for value 'a'"),
        ("code,chapter,block\na,A\n", ", row 2", "the row has 2 columns, but the header has 3"),
        ("code,Chapter,block\na,A,B\n", "", "no column 'chapter'; did you mean 'Chapter'"),
        ("x,y\na,A\n", "", "no column 'chapter'; use a column name from the first row"),
        ("code,block,chapter,block\na,A,B,C\n", "", "two columns are named 'block'"),
        ('code,chapter,block\n"a,A,B\n', ", row 2", "the row cannot be split"),
    ],
)
def test_bad_tables_are_refused_in_one_line(
    tmp_path: Path, content: str, where: str, said: str
) -> None:
    """The message names the file, the row, the value and the fix."""
    path = tmp_path / "codes.csv"
    path.write_text(content)
    with pytest.raises(HierarchyError) as caught:
        read_taxonomy(path, "dx", code="code", groups=BLOCKS)
    assert said in caught.value.message
    assert caught.value.message.startswith(f"{path}{where}: ")
    assert caught.value.fix
    assert "\n" not in caught.value.message


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """In either form."""
    with pytest.raises(HierarchyError, match="there is no such file"):
        read_taxonomy(tmp_path / "none.csv", "dx", code="code", groups=["chapter"])
    with pytest.raises(HierarchyError, match="there is no such file"):
        read_taxonomy(tmp_path / "none.csv", "dx")


def test_codes_and_groups_go_together(tmp_path: Path) -> None:
    """One without the other says neither form."""
    with pytest.raises(SettingError, match="requires both"):
        read_taxonomy(tmp_path / "x.csv", "dx", code="code")
    with pytest.raises(SettingError, match="requires both"):
        read_taxonomy(tmp_path / "x.csv", "dx", groups=["chapter"])


def test_a_real_code_book_is_read(data_dir: Path) -> None:
    """Every code of ICD-9-CM, below its chapter, sub-chapter and category."""
    taxonomy = read_taxonomy(
        data_dir / "icd" / "icd9cm_hierarchy.csv.gz",
        "dx",
        code="code",
        groups=["chapter", "sub_chapter", "three_digit"],
    )
    assert taxonomy.size == 17_561
    assert len(taxonomy.children[0]) == 19
    assert taxonomy.under(taxonomy.labels.index("Tuberculosis"))[0] == "010"
