"""cut.json: a cut read back places every value as the written cut did."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from effort import sparing
from hypothesis import given
from hypothesis import strategies as st
from private_releases import CODES, WARDS, taxonomies

from roadstead.differential.domains import (
    AttributeCut,
    CategoricalCut,
    CategoricalDomain,
    NumericCut,
    NumericDomain,
    SetCut,
    SetDomain,
)
from roadstead.errors import SettingError, VerificationError
from roadstead.hierarchies.icd import by_prefix, icd9cm, icd10cm
from roadstead.hierarchies.taxonomy import Taxonomy, from_branches, ordered, with_fanout
from roadstead.release.private.cut import cut_of, document_of, read_cut, write_cut

AGE = NumericCut(NumericDomain("age", Decimal(15), Decimal("94.5"), Decimal("0.5")), (0, 30, 160))


def written(folder: Path, *cuts: AttributeCut) -> Path:
    """Write cuts; return the document's path."""
    write_cut(document_of(cuts, "died", ("no", "yes")), folder / "cut.json")
    return folder / "cut.json"


def back(folder: Path, cut: AttributeCut) -> AttributeCut:
    """Write a cut and read it back."""
    (entry,) = read_cut(written(folder, cut)).attributes
    return cut_of(entry)


def same_tree(one: Taxonomy, other: Taxonomy) -> bool:
    """Whether two taxonomies are equal, whatever their classes."""
    arrays = ("parents", "first", "last")
    return (
        all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)
        and (one.labels, one.children, dict(one.leaves), one.find)
        == (other.labels, other.children, dict(other.leaves), other.find)
        and list(one.leaves) == list(other.leaves)
    )


@sparing
@given(st.data())
def test_cuts_of_any_taxonomy_come_back(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """With the same nodes of the same tree."""
    taxonomy = data.draw(taxonomies("a"))
    nodes = taxonomy.children[0] if data.draw(st.booleans()) else (0,)
    folder = tmp_path_factory.mktemp("cut")
    for cut in (
        SetCut(SetDomain(taxonomy), nodes),
        CategoricalCut(CategoricalDomain(taxonomy), nodes),
    ):
        found = back(folder, cut)
        assert isinstance(found, SetCut | CategoricalCut)
        assert isinstance(found, SetCut) == isinstance(cut, SetCut)
        assert found.nodes == nodes
        assert same_tree(found.domain.taxonomy, taxonomy)


def test_intervals_come_back(tmp_path: Path) -> None:
    """Numbers are text in the document, and so exact."""
    assert back(tmp_path, AGE) == AGE
    assert back(tmp_path, AGE).labels == ("15.0 to 29.5", "30.0 to 94.5") == AGE.labels


VALUES = ("250.83", "25083", "38.4", "V27", "i10", "J44.9", "E11", "999999", "", "1:I10", "2:J44.1")


@pytest.mark.parametrize(
    "taxonomy",
    [
        with_fanout(icd9cm("codes"), 4),
        icd10cm("codes"),
        by_prefix("codes", ["I10", "I50.1", "J44"], [1, 3]),
        ordered(icd10cm("codes"), 2),
        with_fanout(ordered(from_branches("codes", "any", CODES, origin="x"), 3), 2),
        from_branches("codes", "any", CODES, origin="x"),
    ],
    ids=["ICD-9-CM", "ICD-10-CM", "prefixes", "sequence", "small sequence", "values"],
)
def test_values_are_found_as_they_were(tmp_path: Path, taxonomy: Taxonomy) -> None:
    """By prefix, by category, by position: without the files that the taxonomy was made from."""
    found = back(tmp_path, SetCut(SetDomain(taxonomy), taxonomy.children[0]))
    assert isinstance(found, SetCut)
    rebuilt = found.domain.taxonomy
    assert rebuilt.locate(VALUES).tolist() == taxonomy.locate(VALUES).tolist()
    assert rebuilt.leaf_labels == taxonomy.leaf_labels
    assert found.nodes == taxonomy.children[0]


def test_a_rule_that_cannot_be_written_down_is_refused() -> None:
    """For example, a user's own function."""
    taxonomy = from_branches("ward", "*", WARDS, origin="x", find=lambda _leaves, _value: 0)
    cut = CategoricalCut(CategoricalDomain(taxonomy), (0,))
    with pytest.raises(SettingError, match="by a rule that cannot be written to a file"):
        document_of([cut], "died", ("no", "yes"))


def test_the_folder_of_a_taxonomy_is_not_told(tmp_path: Path) -> None:
    """Its name is."""
    for origin in ("/home/somebody/wards.csv", "C:\\secret\\wards.csv"):
        taxonomy = from_branches("ward", "*", WARDS, origin=origin)
        path = written(tmp_path, CategoricalCut(CategoricalDomain(taxonomy), (0,)))
        assert json.loads(path.read_text())["attributes"][0]["taxonomy"]["origin"] == "wards.csv"


def put(*path: str | int, value: object) -> Callable[[Any], None]:
    """Change one entry of a document."""

    def change(document: Any) -> None:  # noqa: ANN401 - JSON
        for part in path[:-1]:
            document = document[part]
        assert document[path[-1]] != value
        document[path[-1]] = value

    return change


# Nodes: 0 *, 1 surgery, 2 heart, 3 bone, 4 other, 5 medicine, 6 inner, 7 lung, 8 kidney,
# 9 nerves, 10 brain, 11 sleep. The cut is surgery, inner, nerves.
FAULTS: dict[str, tuple[Callable[[Any], None], str]] = {
    "a gap at the beginning": (put(0, "bounds", 0, value=1), "do not cover the range exactly once"),
    "a gap at the end": (put(0, "bounds", 2, value=159), "do not cover the range exactly once"),
    "beyond the end": (put(0, "bounds", 2, value=161), "do not cover the range exactly once"),
    "descending": (put(0, "bounds", value=[0, 30, 20, 160]), "do not cover the range exactly once"),
    "an empty interval": (
        put(0, "bounds", value=[0, 30, 30, 160]),
        "do not cover the range exactly once",
    ),
    "no interval": (put(0, "bounds", value=[0]), "do not cover the range exactly once"),
    "no bound": (put(0, "bounds", value=[]), "do not cover the range exactly once"),
    "another bound": (put(0, "bounds", 1, value=31), "the names do not match the places"),
    "another range": (put(0, "low", value="14.5"), "do not cover the range exactly once"),
    "a range of words": (put(0, "low", value="young"), "of the range are not numbers"),
    "an endless range": (put(0, "high", value="Infinity"), "requires finite numbers"),
    "no step": (put(0, "step", value="0"), "the step is not above 0"),
    "another name": (put(0, "names", 0, value="15 to 30"), "the names do not match"),
    "a node less": (put(1, "nodes", value=[1, 6]), "do not cover each value exactly once"),
    "a node twice": (put(1, "nodes", value=[1, 1, 6, 9]), "do not cover each value exactly once"),
    "a node and its child": (
        put(1, "nodes", value=[1, 5, 6, 9]),
        "do not cover each value exactly once",
    ),
    "another order": (put(1, "nodes", value=[6, 1, 9]), "do not cover each value exactly once"),
    "no node": (put(1, "nodes", value=[]), "do not cover each value exactly once"),
    "an unknown node": (put(1, "nodes", value=[1, 6, 99]), "a node is not in the taxonomy"),
    "another cut": (put(1, "nodes", value=[1, 5]), "the names do not match the places"),
    "a name less": (put(1, "names", value=["surgery", "inner"]), "the names do not match"),
    "a tree out of order": (
        put(1, "taxonomy", "parents", 7, value=1),
        "node 7 is not directly below its parent",
    ),
    "a tree with two roots": (
        put(1, "taxonomy", "parents", 5, value=None),
        "node 5 is not directly below its parent",
    ),
    "a parent of its own": (
        put(1, "taxonomy", "parents", 4, value=4),
        "node 4 is not directly below its parent",
    ),
    "a tree without root": (
        put(1, "taxonomy", "parents", 0, value=0),
        "node 0 is not directly below its parent",
    ),
    "a value twice": (
        put(1, "taxonomy", "labels", 7, value="heart"),
        "two values have the same name",
    ),
    "a label less": (
        put(1, "taxonomy", "labels", value=["*"]),
        "a node does not have exactly one parent",
    ),
    "positions": (
        put(1, "taxonomy", "positions", value=7),
        "the positions do not have the same items",
    ),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_document_that_is_no_cut_is_found_out(tmp_path: Path, kind: str) -> None:
    """The error gives the reason."""
    change, message = FAULTS[kind]
    wards = CategoricalDomain(from_branches("ward", "*", WARDS, origin="x"))
    path = written(tmp_path, AGE, CategoricalCut(wards, (1, 6, 9)))
    document = json.loads(path.read_text("utf-8"))
    assert [type(cut_of(entry)) for entry in read_cut(path).attributes] == [
        NumericCut,
        CategoricalCut,
    ]
    change(document["attributes"])
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(VerificationError, match=message):
        [cut_of(entry) for entry in read_cut(path).attributes]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("attributes", []),
        ("classes", "no"),
        ("target", None),
        ("attributes.0", {"kind": "shape"}),
    ],
)
def test_a_document_that_is_damaged_names_the_entry(
    tmp_path: Path, place: str, value: object
) -> None:
    """As it would a certificate."""
    path = written(tmp_path, AGE)
    document = json.loads(path.read_text("utf-8"))
    *way, last = [int(part) if part.isdigit() else part for part in place.split(".")]
    at = document
    for part in way:
        at = at[part]
    at[last] = value
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(VerificationError, match=f"damaged in the entry {place}"):
        read_cut(path)


def test_a_document_that_is_missing_is_told(tmp_path: Path) -> None:
    """In our words."""
    with pytest.raises(VerificationError, match="cannot be read"):
        read_cut(tmp_path / "cut.json")
