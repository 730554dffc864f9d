"""Out of the many ways up in a vocabulary, each condition gets one, by a rule that is stated."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path

import pytest
from effort import sparing
from health_tables import cdm, written_cdm
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import HierarchyError, OutputError, SourceError
from roadstead.hierarchies.taxonomy_files import read_taxonomy
from roadstead.tables.health.condition_groups import (
    Vocabulary,
    condition_paths,
    hierarchy_rows,
    read_vocabulary,
    write_condition_hierarchy,
)

Up = Mapping[str, frozenset[str]]


@st.composite
def graphs(draw: st.DrawFn) -> Up:
    """Draw concepts, each with those right above it, all of which have a smaller number."""
    size = draw(st.integers(2, 9))
    return {
        str(at): draw(st.frozensets(st.sampled_from([str(n) for n in range(1, at)]), max_size=3))
        if at > 1
        else frozenset()
        for at in range(1, size + 1)
    }


def steps_up(up: Up, concept: str) -> dict[str, int]:
    """Count the fewest steps to each ancestor, by walking up one step at a time."""
    found: dict[str, int] = {}
    edge = {concept}
    for step in itertools.count(1):
        edge = {above for one in edge for above in up[one]}
        if not edge:
            return found
        for one in edge:
            found.setdefault(one, step)
    return found


@sparing
@given(graphs())
def test_each_concept_stands_under_its_nearest_ancestor(up: Up) -> None:
    """Of several, under the one that covers fewest; of these, under the smallest number."""
    ancestors = {concept: steps_up(up, concept) for concept in up}
    paths = condition_paths(Vocabulary({}, list(up), ancestors), where="vocabulary")
    assert set(paths) == set(up)
    for concept, path in paths.items():
        if not path:
            assert not ancestors[concept]
            continue
        best = min(
            ancestors[concept],
            key=lambda a: (ancestors[concept][a], sum(a in s for s in ancestors.values()), int(a)),
        )
        assert path == (best, *paths[best])


@sparing
@given(graphs())
def test_the_rows_are_a_hierarchy_with_every_condition(up: Up) -> None:
    ancestors = {concept: steps_up(up, concept) for concept in up}
    vocabulary = Vocabulary({"1": "a name; with a mark"}, list(up), ancestors)
    rows = list(hierarchy_rows(vocabulary, where="vocabulary"))
    assert [row[0] for row in rows] == sorted(up, key=int)
    assert {len(row) for row in rows} == {len(rows[0])}
    assert {row[-1] for row in rows} == {"*"}
    for low, high in itertools.pairwise(range(len(rows[0]))):
        above: dict[str, str] = {}
        for row in rows:
            assert above.setdefault(row[low], row[high]) == row[high]


def test_groups_of_an_excerpt_stand_under_the_group_that_covers_them() -> None:
    """The ancestors of 1 to 4 are listed: 20 covers 1 and 2; 30 covers 3 too; 40 covers all."""
    ancestors = {
        "1": {"20": 1, "30": 2, "40": 3},
        "2": {"20": 1, "30": 1, "40": 2},
        "3": {"30": 1, "40": 2},
        "4": {"40": 5},
    }
    paths = condition_paths(Vocabulary({}, list(ancestors), ancestors), where="vocabulary")
    assert paths == {
        "1": ("20", "30", "40"),
        "2": ("20", "30", "40"),
        "3": ("30", "40"),
        "4": ("40",),
    }


def test_a_concept_above_itself_is_refused() -> None:
    ancestors = {"1": {"2": 1}, "2": {"1": 1}}
    with pytest.raises(HierarchyError, match="is its own ancestor"):
        condition_paths(Vocabulary({}, ["1", "2"], ancestors), where="vocabulary")


def test_the_file_is_a_taxonomy_of_the_standard_conditions(tmp_path: Path) -> None:
    """Concept 60 only classifies, and is not a group; 50 is a condition and a group of others."""
    folder = written_cdm(tmp_path / "cdm", cdm())
    file = tmp_path / "conditions.csv"
    assert write_condition_hierarchy(folder, file) == 8
    taxonomy = read_taxonomy(file, "conditions")
    assert sorted(taxonomy.leaf_labels, key=int) == ["1", "2", "3", "4", "5", "6", "7", "50"]
    group = taxonomy.labels.index("diseases of the west (50)")
    assert sorted(taxonomy.under(group), key=int) == ["1", "2", "3", "50"]
    assert len(taxonomy.children[0]) == 5
    with pytest.raises(OutputError, match="already exists"):
        write_condition_hierarchy(folder, file)
    assert write_condition_hierarchy(folder, file, force=True) == 8


@pytest.mark.parametrize(
    ("table", "message"),
    [("CONCEPT", "no table CONCEPT"), ("CONCEPT_ANCESTOR", "no table CONCEPT_ANCESTOR")],
)
def test_a_cdm_without_its_vocabulary_is_refused(tmp_path: Path, table: str, message: str) -> None:
    tables = cdm()
    del tables[table]
    with pytest.raises(SourceError, match=message):
        write_condition_hierarchy(written_cdm(tmp_path / "cdm", tables), tmp_path / "c.csv")
    assert not (tmp_path / "c.csv").exists()


def test_a_vocabulary_without_conditions_or_with_wrong_steps_is_refused(tmp_path: Path) -> None:
    tables = cdm()
    tables["CONCEPT_ANCESTOR"][-1]["MIN_LEVELS_OF_SEPARATION"] = "two"
    tables["CONCEPT"][-1]["STANDARD_CONCEPT"] = "S"
    with pytest.raises(SourceError, match="of concept 7 is not a whole number"):
        write_condition_hierarchy(written_cdm(tmp_path / "a", tables), tmp_path / "c.csv")
    tables = cdm()
    for concept in tables["CONCEPT"]:
        concept["DOMAIN_ID"] = "Drug"
    with pytest.raises(HierarchyError, match="0 standard concepts of the domain Condition"):
        write_condition_hierarchy(written_cdm(tmp_path / "b", tables), tmp_path / "c.csv")


def test_the_conditions_of_gibleed_form_a_tree_below_their_groups(data_dir: Path) -> None:
    vocabulary = read_vocabulary(data_dir / "eunomia_gibleed")
    paths = condition_paths(vocabulary, where="vocabulary")
    assert len(paths) == 84
    for concept, path in paths.items():
        assert set(path) <= set(vocabulary.ancestors[concept])


def test_of_a_vocabulary_only_conditions_and_what_they_stand_under_come_over(
    tmp_path: Path,
) -> None:
    """Most of one is of drugs; a group of another domain, and the groups of groups, are needed."""
    tables = cdm()
    concept = ("CONCEPT_ID", "CONCEPT_NAME", "DOMAIN_ID", "STANDARD_CONCEPT")
    steps = ("ANCESTOR_CONCEPT_ID", "DESCENDANT_CONCEPT_ID", "MIN_LEVELS_OF_SEPARATION")
    for one in (
        ("900", "aspirin", "Drug", "S"),
        ("901", "analgesics", "Drug", "S"),
        ("70", "finding", "Observation", "S"),
    ):
        tables["CONCEPT"].append(dict(zip(concept, one, strict=True)))
    for row in (("901", "900", "1"), ("70", "50", "1"), ("71", "70", "1"), ("70", "70", "0")):
        tables["CONCEPT_ANCESTOR"].append(dict(zip(steps, row, strict=True)))
    found = read_vocabulary(written_cdm(tmp_path / "cdm", tables))
    assert list(found.conditions) == [*"1234567", "50"]
    assert set(found.names) == {*found.conditions, "70"}
    assert set(found.ancestors) == {*found.conditions, "70"}
    assert found.ancestors["70"] == {"71": 1}
    assert found.ancestors["50"] == {"70": 1}
    assert found.ancestors["1"] == {"50": 1}
