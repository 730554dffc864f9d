"""Policy documents: written and read back the same, refused when they contradict themselves."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import PolicyError
from roadstead.hierarchies.defaults import default_hierarchy
from roadstead.hierarchies.hierarchy import from_columns
from roadstead.hierarchies.rules import (
    Bands,
    Calendar,
    Cuts,
    Everything,
    Groups,
    Identity,
    Prefix,
    Rule,
)
from roadstead.policies.attribute_policy import AttributePolicy, attribute_policies
from roadstead.policies.document import (
    Policy,
    PolicyColumns,
    Suppression,
    from_json,
    read_policy,
    to_json,
)

texts = st.text(max_size=8)
numbers = st.decimals(-1000, 1000, places=3)
rules: st.SearchStrategy[Rule] = st.one_of(
    st.builds(Identity, st.none() | st.lists(texts).map(tuple)),
    st.builds(Prefix, st.integers(1, 9), st.none() | st.integers(1, 9), st.sampled_from(["*", ""])),
    st.builds(
        Bands,
        st.decimals("0.001", 1000, places=3),
        numbers,
        st.booleans(),
        st.none() | st.decimals(-1000, -1, places=2),
        st.none() | st.decimals(0, 1000, places=2),
    ),
    st.builds(Cuts, st.lists(numbers).map(tuple), st.booleans()),
    st.builds(
        Calendar,
        st.sampled_from(["day", "week", "month", "quarter", "year", "decade"]),
        st.none() | st.just("%d.%m.%Y"),
    ),
    st.builds(Groups, st.lists(st.tuples(texts, st.lists(texts).map(tuple))).map(tuple)),
    st.builds(Everything, texts),
)


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    """Policies of every kind of rule, with columns of any name, each once."""
    names = draw(st.lists(texts, min_size=1, max_size=6, unique=True))
    quasi = names[: draw(st.integers(1, len(names)))]
    others = names[len(quasi) :]
    return Policy(
        attributes=tuple(
            AttributePolicy(name, level := draw(st.integers(0, 4)), level + 1, draw(rules))
            for name in quasi
        ),
        privacy=({"kind": "k-anonymity", "k": draw(st.integers(2, 100))},),
        suppression=Suppression(draw(st.floats(0, 1)), draw(st.sampled_from(["mask", "drop"]))),
        columns=PolicyColumns(
            tuple(others[0::3]), tuple(others[1::3]), tuple(others[2::3]), undecided=()
        ),
    )


@given(policies())
def test_a_policy_is_read_as_it_was_written(policy: Policy) -> None:
    """Every rule does the same to a value afterwards."""
    text = json.dumps(to_json(policy))
    again = from_json(json.loads(text), where="policy.json")
    assert again == policy
    assert json.dumps(to_json(again)) == text
    for mine, yours in zip(policy.attributes, again.attributes, strict=True):
        for value in ("", "47", "02139", "2024-02-29", "29.02.2024", "x"):
            assert mine.rule.label(value) == yours.rule.label(value)


@given(policies())
def test_a_policy_says_what_is_released(policy: Policy) -> None:
    """The quasi-identifiers and the columns that are left alone; nothing that is removed."""
    assert policy.quasi == tuple(attribute.name for attribute in policy.attributes)
    assert list(policy.levels) == list(policy.quasi)
    assert not set(policy.released) & set(policy.columns.removed)
    assert set(policy.released) == {
        *policy.quasi,
        *policy.columns.sensitive,
        *policy.columns.unchanged,
    }


@pytest.fixture
def document() -> dict[str, Any]:
    """A good document, to be spoiled."""
    rule = Bands(Decimal(10))
    policy = Policy(
        attributes=(AttributePolicy("age", 1, 3, rule),),
        privacy=({"kind": "k-anonymity", "k": 5},),
        suppression=Suppression(0.05),
        columns=PolicyColumns(("illness",), ("ward",), ("name",), undecided=()),
    )
    found: dict[str, Any] = json.loads(json.dumps(to_json(policy)))
    return found


@pytest.mark.parametrize("key", ["attributes", "privacy", "suppression", "columns"])
def test_an_entry_that_is_missing_is_named(document: dict[str, Any], key: str) -> None:
    """The error gives its place."""
    del document[key]
    with pytest.raises(PolicyError, match=rf"^policy\.json: {key}: "):
        from_json(document, where="policy.json")


@pytest.mark.parametrize("role", ["sensitive", "unchanged", "removed"])
@pytest.mark.parametrize("column", ["age", "illness", "ward", "name"])
def test_a_column_stands_in_one_place_only(
    document: dict[str, Any], role: str, column: str
) -> None:
    """Else it could be released and removed."""
    document["columns"][role].append(column)
    with pytest.raises(PolicyError, match=rf"^policy\.json: column '{column}' is named twice"):
        from_json(document, where="policy.json")


@pytest.mark.parametrize("limit", [-0.001, 1.001, 15, float("nan"), float("inf"), "x", None])
def test_a_limit_is_a_share(document: dict[str, Any], limit: object) -> None:
    """Between none and all."""
    document["suppression"]["limit"] = limit
    with pytest.raises(PolicyError, match=r"^policy\.json: suppression\.limit: "):
        from_json(document, where="policy.json")


@pytest.mark.parametrize("level", [3, 99, -1, 0.5, "one"])
def test_a_level_is_one_of_its_hierarchy(document: dict[str, Any], level: object) -> None:
    """From 0 to one below their number."""
    document["attributes"][0]["level"] = level
    with pytest.raises(PolicyError, match=r"^policy\.json: .*level"):
        from_json(document, where="policy.json")


def test_what_a_rule_refuses_is_told_of_the_document(document: dict[str, Any]) -> None:
    """In one line that names it."""
    document["attributes"][0]["rule"]["width"] = "0"
    with pytest.raises(PolicyError, match=r"^policy\.json: bands of width 0 cannot be used; use a"):
        from_json(document, where="policy.json")


def test_a_document_is_read_from_a_file(tmp_path: Path, document: dict[str, Any]) -> None:
    """Whatever characters it has."""
    document["attributes"][0]["name"] = "größe ☃"
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    assert read_policy(path).quasi == ("größe ☃",)


VALUES = {
    "age": [str(n) for n in range(21, 58)],
    "zip": ["37212", "37213", "02139", "90210", "10001"],
    "born": ["1951-03-04", "1987-11-30", "2001-07-09"],
    "city": ["Nashville", "Boston", "Beverly Hills"],
    "weight": ["61.5", "72.25", "80.125"],
    "diagnosis": ["I21.4", "E11.9", "J45.0"],
}


@pytest.mark.parametrize("name", VALUES)
def test_a_default_hierarchy_puts_no_value_of_the_data_into_a_policy(name: str) -> None:
    """At no level."""
    hierarchy = default_hierarchy(name, VALUES[name])
    for level in range(hierarchy.height):
        (attribute,) = attribute_policies([hierarchy], (level,))
        rule = to_json(
            Policy(
                (attribute,),
                ({"kind": "k-anonymity", "k": 5},),
                Suppression(0.0),
                PolicyColumns(undecided=()),
            )
        )["attributes"][0]["rule"]
        assert not set(VALUES[name]) & set(map(str, rule.values()))
        assert "values" not in rule or rule["values"] is None


def test_a_hierarchy_from_a_file_states_its_domain() -> None:
    """So that a value it has no row for is not released; the domain is the file's."""
    columns = [["M", "F"], ["*", "*"]]
    hierarchy = from_columns("sex", columns, origin="sex.csv")
    (attribute,) = attribute_policies([hierarchy], (0,))
    assert attribute.rule == Identity(("M", "F"))
    assert attribute.rule.label("X") is None
