"""Taxonomies of diagnosis codes, against code books where they are at hand."""

from __future__ import annotations

import csv
import gzip
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb
import pytest

from roadstead.errors import HierarchyError
from roadstead.hierarchies.codes import codes
from roadstead.hierarchies.icd import by_prefix, icd9cm, icd10cm, icd10who
from roadstead.hierarchies.taxonomy import NOT_LISTED, Taxonomy
from roadstead.release.sql.rules import rule_sql

ICD9, ICD10, WHO = icd9cm("dx"), icd10cm("dx"), icd10who("dx")


def way_down(taxonomy: Taxonomy, code: str) -> list[str]:
    """Labels from the chapter to the category of a code."""
    leaf = int(taxonomy.locate([code])[0])
    assert leaf != NOT_LISTED, code
    node = taxonomy.labels.index(taxonomy.leaf_labels[leaf])
    way = [node]
    while (node := int(taxonomy.parents[node])) > 0:
        way.insert(0, node)
    return [taxonomy.labels[node] for node in way]


@pytest.mark.parametrize(
    ("taxonomy", "code", "expected"),
    [
        (ICD9, "250.83", ["240 to 279", "249 to 259", "250"]),
        (ICD9, "25083", ["240 to 279", "249 to 259", "250"]),
        (ICD9, "42731", ["390 to 459", "420 to 429", "427"]),
        (ICD9, "042", ["001 to 139", "042"]),
        (ICD9, "V27.0", ["V01 to V91", "V20 to V29", "V27"]),
        (ICD9, "E932", ["E000 to E999", "E930 to E949", "E932"]),
        (ICD9, "E9320", ["E000 to E999", "E930 to E949", "E932"]),
        (ICD9, "285", ["280 to 289", "285"]),
        (ICD10, "E11.65", ["E00 to E89", "E08 to E13", "E11"]),
        (ICD10, "I21.4", ["I00 to I99", "I20 to I25", "I21"]),
        (ICD10, "C4A.9", ["C00 to D49", "C43 to C44", "C4A"]),
        (ICD10, "c7a00", ["C00 to D49", "C7A"]),
        (ICD10, "Z3A.20", ["Z00 to Z99", "Z30 to Z3A", "Z3A"]),
        (ICD10, "Y09", ["V00 to Y99", "X92 to Y09", "Y09"]),
        (ICD10, "U07.1", ["U07 to U09", "U07"]),
        (WHO, "E11.90", ["E00 to E90", "E10 to E14", "E11"]),
        (WHO, "A162", ["A00 to B99", "A15 to A19", "A16"]),
        (WHO, "C18", ["C00 to D48", "C15 to C26", "C18"]),
        (WHO, "Z99.9", ["Z00 to Z99", "Z80 to Z99", "Z99"]),
    ],
)
def test_codes_stand_in_their_chapter_and_block(
    taxonomy: Taxonomy, code: str, expected: list[str]
) -> None:
    """With and without a dot; labels begin with the range, or are the category itself."""
    found = way_down(taxonomy, code)
    assert len(found) == len(expected)
    assert all(one == begin or one.startswith(f"{begin} ") for one, begin in zip(found, expected))  # noqa: B905 - just compared
    assert found[-1] == expected[-1]


@pytest.mark.parametrize(("written", "whole"), [("8", "008"), ("38.4", "038.4"), (" 41 ", "041")])
def test_zeros_that_a_spreadsheet_took_are_put_back(written: str, whole: str) -> None:
    """No code has fewer than three digits before its dot, so it is certain which one was meant."""
    assert way_down(ICD9, written) == way_down(ICD9, whole)


@pytest.mark.parametrize("code", ["", "?", "0", "000", "43", "E8", "V", "W19", "XYZ"])
def test_codes_of_no_category_are_not_listed(code: str) -> None:
    """Local codes, other classifications, and markers; 43 is 043, which is not a category."""
    assert ICD9.locate([code]).tolist() == [NOT_LISTED]


def test_icd10_codes_need_their_category() -> None:
    """A letter alone, or a category that does not exist."""
    assert (ICD10.locate(["I", "I2", "A16", "E12.1", "250.0"]) == NOT_LISTED).all()


def test_there_are_as_many_chapters_and_categories_as_the_books_have() -> None:
    """Nineteen with the two supplements; twenty-two with that for special purposes."""
    assert (len(ICD9.children[0]), ICD9.size) == (19, 1_234)
    assert (len(ICD10.children[0]), ICD10.size) == (22, 1_914)
    for taxonomy in (ICD9, ICD10):
        assert len(set(taxonomy.labels)) == taxonomy.nodes


def rows_of(path: Path) -> Iterator[dict[str, str]]:
    """Rows of a gzipped table."""
    with gzip.open(path, "rt", encoding="utf-8-sig") as stream:
        yield from csv.DictReader(stream)


MISPLACED = {
    *("C44", "C45", "C46", "C47", "C48", "C49", "C78", "C79", "C7A", "C7B"),
    *("D37", "D38", "D39", "D3A", "M11", "M12", *(f"M{at}" for at in range(15, 20))),
}
"""Categories that the ICD-10-CM file puts in a block other than the classification's own: its
ranges were cut wrongly where one ends in a letter (C4A, C7A, C7B, D3A, M1A)."""


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("file", "taxonomy", "misplaced"),
    [("icd9cm_hierarchy", ICD9, set()), ("icd10cm2019", ICD10, MISPLACED)],
)
def test_every_code_of_a_code_book_is_found_where_the_book_has_it(
    file: str, taxonomy: Taxonomy, misplaced: set[str], data_dir: Path
) -> None:
    """Its category, its chapter and its block; and no group mixes two chapters or blocks."""
    rows = list(rows_of(data_dir / "icd" / f"{file}.csv.gz"))
    leaves = taxonomy.locate([row["code"] for row in rows])
    assert (leaves != NOT_LISTED).all()
    ways = {row["three_digit"]: way_down(taxonomy, row["three_digit"]) for row in rows}
    chapters: dict[str, set[str]] = defaultdict(set)
    blocks: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row, leaf in zip(rows, leaves.tolist(), strict=True):
        category = row["three_digit"]
        assert taxonomy.leaf_labels[leaf] == category
        chapters[row["chapter"]].add(ways[category][0])
        if category not in misplaced and len(ways[category]) > 2:
            blocks[row["chapter"], row["sub_chapter"]].add(ways[category][1])
    for groups in (list(chapters.values()), list(blocks.values())):
        assert all(len(labels) == 1 for labels in groups)
        assert len(set.union(*groups)) == len(groups)


def unlisted(codes: Counter[str]) -> list[str]:
    """Codes that the taxonomy does not have."""
    places = ICD9.locate(list(codes))
    return [code for code, place in zip(codes, places, strict=True) if place == NOT_LISTED]


def cells(rows: Iterator[dict[str, str]], columns: Sequence[str]) -> Counter[str]:
    """Count the values of some columns."""
    return Counter(row[column] for row in rows for column in columns)


@pytest.mark.nightly
def test_every_diagnosis_of_real_records_is_found(data_dir: Path) -> None:
    """Of 101,766 encounters, of intensive care and of Vermont; markers of missing aside."""
    diabetes = rows_of(data_dir / "diabetes130" / "diabetic_data.csv.gz")
    assert unlisted(cells(diabetes, ["diag_1", "diag_2", "diag_3"])) == ["?"]
    with (data_dir / "mimic3_demo" / "DIAGNOSES_ICD.csv").open(encoding="utf-8") as stream:
        assert unlisted(cells(csv.DictReader(stream), ["icd9_code"])) == []
    with (data_dir / "icd" / "vermont_dx.csv").open(encoding="utf-8") as stream:
        columns = [f"DX{at}" for at in range(1, 21)]
        assert unlisted(cells(csv.DictReader(stream), columns)) == [""]


def test_a_taxonomy_of_prefixes_groups_by_what_codes_begin_with() -> None:
    """From general to specific; a group of one code, and one as short as its prefix, is it."""
    taxonomy = by_prefix("atc", ["A10BA02", "A10BB01", "a10.ac", "C07", "C"], [1, 3, 4])
    assert taxonomy.labels == (
        *("any code", "A10", "A10B", "A10BA02", "A10BB01", "A10AC", "C07", "C"),
    )
    assert taxonomy.locate(["A10BA02", "c07.xx", "CX", "D"]).tolist() == [0, 3, 4, NOT_LISTED]


@pytest.mark.parametrize("lengths", [[], [0, 2], [3, 1], [2, 2]])
def test_lengths_of_prefixes_must_rise(lengths: list[int]) -> None:
    """From general to specific."""
    with pytest.raises(HierarchyError, match="not increasing"):
        by_prefix("x", ["abc"], lengths)


def test_codes_of_prefixes_are_checked() -> None:
    """An empty code, one twice, none."""
    with pytest.raises(HierarchyError, match=r"the code '\.' is empty"):
        by_prefix("x", ["abc", "."], [1])
    with pytest.raises(HierarchyError, match="'ABC' of 'x' is listed twice"):
        by_prefix("x", ["abc", "a.bc"], [1])
    with pytest.raises(HierarchyError, match="has no values"):
        by_prefix("x", [], [1])


def levels_of(book: str, code: str) -> list[str]:
    """Say what a code becomes from level to level."""
    made = codes("dx", [code, "", "?"], book)
    return [level.labels[int(level.codes[0])] for level in made.levels]


def test_a_code_is_made_coarser_by_its_book() -> None:
    """With and without its dot; longer beginnings count first, as of E codes."""
    heart = ["I21", "I20 to I25 ischemic heart diseases", "I00 to I99 circulatory system", "*"]
    assert levels_of("icd10", "I21.4") == ["I21.4", *heart]
    assert levels_of("icd10", "I214") == ["I214", *heart]
    assert levels_of("icd9", "E9320")[1] == "E932"
    assert levels_of("icd9", "0389")[1] == "038"


def test_a_code_of_no_category_is_called_so_and_a_missing_one_stays_missing() -> None:
    """Neither stops a release."""
    assert levels_of("icd10", "ZZZ")[1:4] == ["not in the code book"] * 3
    rule = codes("dx", ["I10"], "icd10").rule(2)
    assert rule.label("") == ""
    assert rule.produces("")
    assert rule.produces("not in the code book")
    assert not rule.produces("I10")
    assert rule.describe() == "as ICD-10-CM blocks"


@pytest.mark.quick(1)
@pytest.mark.parametrize("book", ["icd9", "icd10"])
def test_a_code_book_in_sql_labels_as_its_rule_does(book: str) -> None:
    """Whatever the text of a value is."""
    values = ["I21.4", "I214", "E9320", "E932", "E93", "V27.0", "0389", "38", "", "O'x", "i10", "."]
    made = codes("dx", values, book)
    for level in range(made.height):
        rule = made.rule(level)
        label = rule_sql("dx", rule, lambda name: name).label
        with duckdb.connect() as connection:
            asked = f"SELECT {label} FROM (SELECT unnest(?) AS dx)"  # noqa: S608 - the rule's own
            found = [row[0] for row in connection.execute(asked, [values]).fetchall()]
        assert found == [rule.label(value) for value in values]
