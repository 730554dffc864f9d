"""Python functions accept the documented arguments, and refuse others by name."""

from __future__ import annotations

import inspect
from dataclasses import MISSING
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from small_tables import PATIENTS, QUASI, patients, write_csv

import roadstead as rs
from roadstead.release.persons.pseudonyms import write_key
from roadstead.requests.fields import checked, options_of
from roadstead.requests.forms import PATH_OR_OBJECT
from roadstead.verbs.catalog import REQUESTS

VERBS = ("anonymize", "apply", "evaluate", "frontier", "risk", "scan", "synthesize", "verify")
ASKED: dict[str, dict[str, Any]] = {
    "risk": {"quasi": ["sex"]},
    "scan": {},
    "synthesize": {
        "epsilon": 1,
        "target": "sex",
        "classes": ["f", "m"],
        "values": {"sex": ["f", "m"]},
    },
}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "patients.csv", PATIENTS, patients(200))


@pytest.mark.parametrize("verb", VERBS)
def test_a_wrong_keyword_is_refused_as_python_does(verb: str) -> None:
    with pytest.raises(TypeError, match=rf"^{verb}\(\) got an unexpected keyword argument 'kk'"):
        getattr(rs, verb)("patients.csv", kk=3)
    with pytest.raises(TypeError, match=rf"^{verb}\(\) missing a required argument"):
        getattr(rs, verb)()


def test_parameters_stand_in_the_order_of_their_documentation() -> None:
    for verb in VERBS:
        function = getattr(rs, verb)
        lines = function.__doc__.splitlines()
        keys = [key for key in inspect.signature(function).parameters if key in lines]
        assert keys == list(inspect.signature(function).parameters)
        assert [lines.index(key) for key in keys] == sorted(map(lines.index, keys))
        assert lines.index("Parameters") < lines.index("Raises")


@pytest.mark.parametrize("verb", ["risk", "scan"])
def test_a_folder_may_be_given_as_text(verb: str, table: Path, tmp_path: Path) -> None:
    getattr(rs, verb)(table, out=str(tmp_path / "out"), **ASKED[verb])
    assert (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", REQUESTS)
def test_text_that_names_a_file_or_folder_becomes_a_path(kind: type) -> None:
    """Fault class: text reaches code that calls a method of a path."""
    options = options_of(kind)
    paths = {
        key: "some"
        for key, one in options.items()
        if one.form.typed == "path" and one.form != PATH_OR_OBJECT
    }
    required = {key: "x" for key, one in options.items() if one.default is MISSING}
    made = checked(kind(**{**required, **paths}))
    assert paths
    assert {key: getattr(made, key) for key in paths} == dict.fromkeys(paths, Path("some"))


def test_a_key_may_be_given_as_text(table: Path, tmp_path: Path) -> None:
    key = tmp_path / "pseudonyms.key"
    write_key(key)
    asked: Any = {"quasi": ["sex"], "person": "record", "link": "pseudonym", "key": str(key)}
    found = rs.anonymize(table, identifiers=["name"], **asked, suppression=1.0)
    text: Any = str(key)
    again = rs.apply(found.policy, table, key=text, suppression=1.0)
    assert str(again)


@pytest.mark.parametrize("verb", list(ASKED))
def test_what_is_no_path_is_refused_before_the_table_is_read(verb: str) -> None:
    with pytest.raises(rs.SettingError, match=r"^out: '3' is not a path"):
        getattr(rs, verb)("nowhere.csv", out=3, **ASKED[verb])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("delimiter", 3),
        ("encoding", 3),
        ("header", "no"),
        ("force", "no"),
        ("into", 3),
        ("risk", "x"),
        ("choose", "x"),
        ("choose", True),
    ],
)
def test_a_wrong_kind_of_value_is_refused_by_its_field(key: str, value: object) -> None:
    wrong: dict[str, Any] = {key: value}
    with pytest.raises(rs.SettingError, match=rf"^{key}: "):
        rs.frontier("nowhere.csv", quasi=["sex"], **wrong)


def test_a_policy_is_applied_to_a_data_frame(table: Path) -> None:
    quasi = QUASI.split(",")
    found = rs.anonymize(table, quasi=quasi, identifiers=["name", "record"], suppression=1.0)
    frame = pd.read_csv(table, dtype=str)
    assert f"{len(frame)} records of" in str(rs.apply(found.policy, frame, suppression=1.0))


def test_a_table_in_a_database_is_verified_by_its_address(tmp_path: Path) -> None:
    """Fault class: an address treated as the path of a missing folder."""
    file = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(file)) as database:
        database.execute("CREATE TABLE alike AS SELECT 'f' AS sex FROM range(5)")
    address = f"duckdb://{file}?table=alike"
    assert rs.verify(address, quasi=["sex"], k=5).passed
    assert not rs.verify(address, quasi=["sex"], k=6).passed


def test_the_index_of_a_data_frame_is_not_an_unknown_column(table: Path) -> None:
    """Fault class: the person ID is in the index, and the message lists the other columns."""
    frame = pd.read_csv(table, dtype=str).set_index("record")
    asked: Any = {"quasi": ["sex"], "person": "record", "identifiers": ["name"], "suppression": 1.0}
    with pytest.raises(rs.RoleError, match=r"'record': .*the index of the data frame.*reset_index"):
        rs.anonymize(frame, **asked)
    assert str(rs.anonymize(frame.reset_index(), **asked))
    with pytest.raises(rs.RoleError, match="its columns are"):
        rs.risk(frame, quasi=["nothing_like_it"])


def test_a_column_may_be_called_index(table: Path) -> None:
    """A property of a library is not taken for an index with names."""
    frame = pd.read_csv(table, dtype=str).rename(columns={"sex": "index"})
    with pytest.raises(rs.RoleError, match="its columns are"):
        rs.risk(frame, quasi=["nothing_like_it"])
