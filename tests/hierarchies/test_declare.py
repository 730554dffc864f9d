"""Declarations of hierarchies in a project file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomlkit

from roadstead.errors import HierarchyError, RoadsteadError, SettingError
from roadstead.hierarchies.declare import build_declared

PROJECT = """
[hierarchies]
age = {kind = "intervals", widths = [5, 10, 20], top = 90, lowest = 0, highest = 120}
dose = {kind = "intervals", widths = [0.1, 0.5], origin = 0.05}
income = {kind = "cuts", cuts = [[18, 45, 65], [65]]}
admitted = {kind = "dates", units = ["day", "month", "year"]}
born = {kind = "dates", form = "%d.%m.%Y"}
zip = {kind = "prefix", keep = [5, 3, 1]}
icd = {kind = "prefix", keep = [3, 1], mask = ""}
stage = {kind = "ordered", order = [1, 2, 3, 4], groups = [2]}
sex = {kind = "flat"}
country = {kind = "file", path = "country.csv"}

[hierarchies.race]
kind = "mapping"
levels = {A1 = ["A"], A2 = ["A"], B1 = ["B"]}

[hierarchies.unit]
kind = "mapping"
groups = {Medicine = {Inner = ["m1", "m2"]}, Surgery = ["s1"]}
"""

EXAMPLES: dict[str, tuple[list[str], list[str]]] = {
    "age": (["47", "93"], ["47", "45-49", "40-49", "40-59", "*"]),
    "dose": (["0.26", "0.30"], ["0.26", "[0.25, 0.35)", "[0.05, 0.55)", "*"]),
    "income": (["47", "3"], ["47", "45-64", "<65", "*"]),
    "admitted": (["2024-03-05"], ["2024-03-05", "2024-03", "2024", "*"]),
    "born": (["05.03.1980"], ["1980-03-05", "1980-03", "1980-Q1", "1980", "1980s", "*"]),
    "zip": (["37212", "02139"], ["37212", "372**", "3****", "*"]),
    "icd": (["I50.9", "I50"], ["I50.9", "I50", "I", "*"]),
    "stage": (["3", "1"], ["3", "3 .. 4", "*"]),
    "sex": (["F", "M"], ["F", "*"]),
    "country": (["Chad"], ["Chad", "Africa", "*"]),
    "race": (["A1"], ["A1", "A", "*"]),
    "unit": (["m1", "s1"], ["m1", "Inner", "Medicine", "*"]),
}


@pytest.mark.parametrize("load", [tomllib.loads, tomlkit.parse])
@pytest.mark.parametrize("attribute", list(EXAMPLES))
def test_each_kind_is_built_from_a_project_file(attribute: str, load: Any, tmp_path: Path) -> None:  # noqa: ANN401 - two parsers
    """The first value goes through the labels that its declaration says, with either parser."""
    (tmp_path / "country.csv").write_text("Chad;Africa;*\nPeru;America;*\n")
    spec = load(PROJECT)["hierarchies"][attribute]
    values, labels = EXAMPLES[attribute]
    hierarchy = build_declared(attribute, spec, ["", *values], folder=tmp_path)
    row = hierarchy.values.index(values[0])
    assert [level.labels[level.codes[row]] for level in hierarchy.levels] == labels
    assert "" in hierarchy.values


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("flat", "the declaration is not a table"),
        ({}, "no kind is given; use one of intervals, cuts"),
        ({"kind": "interval"}, "there is no kind 'interval'; did you mean 'intervals'?"),
        ({"kind": 3}, "there is no kind 3"),
        (
            {"kind": "intervals", "widths": [5], "width": 5},
            "kind 'intervals' has no key 'width'; did you mean 'widths'?",
        ),
        ({"kind": "flat", "top": 3}, "kind 'flat' has no key 'top'"),
        (
            {"kind": "intervals"},
            "key 'widths' is missing; kind 'intervals' has these keys: widths, top",
        ),
        ({"kind": "intervals", "widths": 5}, "key 'widths' is not a list"),
        ({"kind": "intervals", "widths": [5, "x"]}, "key 'widths' item 2 is not a number"),
        ({"kind": "intervals", "widths": [float("inf")]}, "key 'widths' item 1 is not a finite"),
        ({"kind": "cuts", "cuts": [[1], 2]}, "key 'cuts' item 2 is not a list"),
        ({"kind": "dates", "units": ["days"]}, "key 'units' item 1 should be 'day'"),
        ({"kind": "prefix", "keep": [2.5]}, "key 'keep' item 1 is not a whole number"),
        ({"kind": "file", "path": 3}, "key 'path' is not a path"),
        ({"kind": "mapping"}, "requires either levels or groups"),
        ({"kind": "mapping", "levels": {}, "groups": {}}, "requires either levels or groups"),
        ({"kind": "mapping", "levels": {"a": "b"}}, "key 'levels' is not a list"),
        ({"kind": "mapping", "groups": {"A": "b"}}, "group 'A' is not a list of values"),
    ],
)
def test_declarations_that_cannot_be_understood_are_refused(spec: object, said: str) -> None:
    """One line names the attribute, the key and the fix."""
    with pytest.raises(SettingError) as caught:
        build_declared("age", spec, ["1"])
    assert said in caught.value.message
    assert "'age'" in caught.value.message
    assert caught.value.fix


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        ({"kind": "mapping", "levels": {"a": ["*"]}}, "b"),
        ({"kind": "ordered", "order": ["a"], "groups": []}, "b"),
        ({"kind": "intervals", "widths": [5]}, "b"),
        ({"kind": "dates"}, "b"),
    ],
)
def test_values_outside_a_declaration_are_named(spec: dict[str, object], value: str) -> None:
    """A value of the table that the declared hierarchy does not cover stops the run."""
    with pytest.raises(HierarchyError, match=f"value '{value}' of 'x'"):
        build_declared("x", spec, [value])


def test_every_refusal_is_one_of_ours() -> None:
    """Absurd but well-typed declarations end in an error of this package, not in a crash."""
    absurd: list[dict[str, object]] = [
        {"kind": "intervals", "widths": [-1]},
        {"kind": "intervals", "widths": ["1e40"]},
        {"kind": "cuts", "cuts": []},
        {"kind": "prefix", "keep": [-3]},
        {"kind": "ordered", "order": [], "groups": [0]},
        {"kind": "mapping", "levels": {}},
        {"kind": "mapping", "groups": {"A": {}}},
        {"kind": "file", "path": ""},
    ]
    for spec in absurd:
        with pytest.raises(RoadsteadError):
            build_declared("x", spec, ["1"])
