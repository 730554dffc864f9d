"""A wrong argument in Python is answered with an error of the package, and never with a raw one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import roadstead as rs
from roadstead.errors import InputError, RoadsteadError
from roadstead.requests.fields import checked, options_of
from roadstead.verbs.anonymize.request import AnonymizeRequest
from roadstead.verbs.catalog import REQUESTS

WRONG: tuple[Any, ...] = (object(), 3, "x", 1.5, None, [1], {"a": 1}, {"sex": 1}, True)
TABLE = pd.DataFrame(
    {"sex": ["F", "M"] * 30, "age": [20, 30, 40] * 20, "dx": ["a", "b", "c", "d", "e"] * 12}
)
RELEASE = {"release": "release"}
USUAL: dict[str, dict[str, Any]] = {
    "anonymize": {"data": TABLE, "quasi": ["sex"]},
    "apply": {"policy": "release/policy.json", "data": TABLE},
    "attack": {**RELEASE, "original": TABLE, "attempts": 5, "attacks": ["linkage"]},
    "determine": RELEASE,
    "evaluate": {"data": "release", "original": TABLE},
    "frontier": {"data": TABLE, "quasi": ["sex"], "evaluations": 20},
    "gate": RELEASE,
    "key": {"file": "new.key"},
    "repeat": {**RELEASE, "original": TABLE},
    "risk": {"data": TABLE, "quasi": ["sex"]},
    "scan": {"data": TABLE},
    "sign": RELEASE,
    "synthesize": {
        "data": TABLE,
        "epsilon": 1,
        "purpose": "everything",
        "values": {"sex": ["F", "M"], "dx": ["a", "b", "c", "d", "e"]},
    },
    "verify": RELEASE,
}
FILES = ("out", "new", "proof", "file", "force")
"""Arguments that would leave files behind."""


def test_every_function_is_here() -> None:
    """A new function is tested too."""
    assert {*USUAL} == {one.verb for one in REQUESTS if one.verb in rs.__all__}


@pytest.mark.parametrize("verb", REQUESTS, ids=lambda one: one.verb)
def test_each_field_accepts_or_refuses_each_value(verb: Any) -> None:  # noqa: ANN401 - a request
    """Before any work starts."""
    usual = USUAL.get(verb.verb, {})
    for key in options_of(verb):
        for value in WRONG:
            try:
                checked(verb(**{**usual, key: value}))
            except RoadsteadError as error:
                assert key in str(error).replace("-", "_"), (key, value)  # noqa: PT017


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", USUAL)
def test_each_argument_works_or_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also arguments that may have any type, which the work itself reads."""
    monkeypatch.chdir(tmp_path)
    rs.anonymize(TABLE, quasi=["sex"], sensitive=["dx"], out=Path("release"))
    called: Callable[..., object] = getattr(rs, name)
    for key in inspect.signature(called).parameters:
        for value in () if key in FILES else WRONG:
            try:
                called(**{**USUAL[name], key: value})
            except RoadsteadError:
                continue
            except Exception as error:  # noqa: BLE001 - what must not happen
                pytest.fail(f"{key}={value!r} raises {error!r}")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"max_level": 3}, 'write max_level={"age": 2}'),
        ({"max_level": {"age": "2"}}, "its value for 'age' is '2', which is not a whole number"),
        ({"max_level": {"age": 99}}, "write levels from 0 to"),
        ({"weights": [1, 2]}, 'write weights={"age": 0.5}'),
        ({"gs_factor": "x"}, "'x' is not a number"),
        ({"aggregate": None}, "leave this setting out to use the default"),
        ({"target": ["dx"], "quality": "classification"}, "is not text"),
        ({"hierarchies": [1]}, "not a path or a mapping"),
        ({"hierarchies": {"age": 5}}, 'settings such as {"kind": "flat"}'),
        ({"population": TABLE, "population_counts": 3}, "population_counts: '3' is not text"),
        ({"quasi": "age,sex"}, 'write quasi=["age", "sex"]'),
        ({"recoding": None}, "recoding: None is not known"),
    ],
)
def test_the_error_names_the_argument_and_what_to_write(more: dict[str, Any], said: str) -> None:
    """In the notation of Python."""
    with pytest.raises(InputError) as caught:
        rs.anonymize(TABLE, **{"quasi": ["age"], **more})
    assert said in str(caught.value)


def test_none_is_no_column() -> None:
    """As the pages say: columns are none by default."""
    columns: dict[str, Any] = {"sensitive": None, "unchanged": None, "identifiers": None}
    found = rs.anonymize(TABLE, quasi=["sex"], missing=None, **columns)
    assert found.policy == rs.anonymize(TABLE, quasi=["sex"]).policy


def test_an_iterator_is_not_emptied_by_its_check() -> None:
    """Fault class: models in a generator were checked, and then the release had none of them."""
    models: list[dict[str, Any]] = [{"kind": "distinct-l-diversity", "column": "dx", "l": 2}]
    found = [
        rs.anonymize(TABLE, quasi=iter(["sex"]), sensitive=["dx"], privacy=given)  # type: ignore[arg-type]
        for given in (models, iter(models))
    ]
    assert found[0].policy.privacy == found[1].policy.privacy
    assert len(found[0].policy.privacy) == 2


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    """Also within a mapping, and in the policy that is written."""
    numbers: dict[str, Any] = {"k": np.int64(2), "min_level": {"sex": np.int64(0)}}
    found = rs.anonymize(TABLE, quasi=["sex"], **numbers)
    assert found.write(tmp_path / "release").passed


def test_no_error_shows_the_cells_of_a_table() -> None:
    """Fault class: the error about a wrong argument shows the argument, which is a table."""
    for key in set(options_of(AnonymizeRequest)) - {"data"}:
        try:
            rs.anonymize(TABLE, **{"quasi": ["age"], key: pd.DataFrame({"name": ["Zoltan"]})})
        except InputError as error:
            assert "Zoltan" not in str(error)  # noqa: PT017


def test_lists_are_written_as_lists(tmp_path: Path) -> None:
    """A string is a list of letters for Python, and not for a reader."""
    rs.anonymize(TABLE, quasi=["sex"], out=tmp_path / "release")
    with pytest.raises(InputError, match=r'attacks: .* write attacks=\["linkage"\]'):
        rs.attack(tmp_path / "release", original=TABLE, attacks="linkage")
    with pytest.raises(InputError, match=r'others: .* write others=\["x"\]'):
        rs.evaluate(tmp_path / "release", original=TABLE, others="x")


def test_methods_of_results_refuse_wrong_arguments(tmp_path: Path) -> None:
    """Each with an error of the package."""
    found: Any = rs.anonymize(TABLE, quasi=["sex"])
    frontier: Any = rs.frontier(TABLE, quasi=["sex"], evaluations=20)
    read_policy: Any = rs.read_policy
    risk: Any = rs.risk(TABLE, quasi=["sex"], policy=found)  # a result has a policy
    assert repr(rs.apply(found, TABLE)).startswith("<Application")
    proposal = rs.scan(TABLE)
    wrong: list[Callable[[], object]] = [
        lambda: found.write(5),
        lambda: found.write(None),
        lambda: found.write(tmp_path / "x", ledger=5),
        lambda: read_policy(5),
        lambda: rs.apply(found),
        *(lambda at=at: frontier.choose(at) for at in ("3", 3.0, None, True)),
        lambda: frontier.within("x"),
        lambda: frontier.choose(0, reason=5),
        *(lambda it=it: it.write(3) for it in (frontier, risk, proposal)),
        *(
            lambda said=said: risk.advise(
                whole_population=said, membership_known=False, self_revealing=False
            )
            for said in ("no", 0, 1)
        ),
        *(
            lambda roles=roles: proposal.deciding(roles)
            for roles in (None, ["sex"], {"sexx": "quasi"}, {"sex": "quasi-identifier"}, {5: "x"})
        ),
        lambda: rs.scan(TABLE.style),
        lambda: rs.verify(None),
    ]
    for call in wrong:
        with pytest.raises(InputError):
            call()
    with pytest.raises(InputError, match="did you mean 'sex'"):
        proposal.deciding({"sexx": "quasi"})
    with pytest.raises(InputError, match="use one of identifiers, person, quasi"):
        proposal.deciding({"sex": "quasi-identifier"})
    assert 'deciding({"COLUMN": "unchanged"})' in str(rs.scan({"aa": [1] * 20 + [*range(20)]}))


def test_names_of_columns_that_are_not_text_are_names() -> None:
    """A data frame may have numbers and tuples as the names of its columns."""
    anonymize: Any = rs.anonymize
    numbers = pd.DataFrame({0: [1, 2] * 30, 1: ["a", "b"] * 30})
    assert anonymize(numbers, quasi=[0]).policy.quasi == ("0",)
    pairs = pd.DataFrame({("p", "age"): [1, 2] * 30, ("p", "sex"): ["a", "b"] * 30})
    assert anonymize(pairs, quasi=[("p", "age")]).policy.quasi == ("('p', 'age')",)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"a": [1, "x"], "b": [1, 2]}, "column 'a': the list mixes values"),
        ({"a": [1, 2], "b": [1]}, "a has 2, b has 1"),
        ({"a": 5}, "column 'a': '5' is not a list"),
        (pd.DataFrame({"a": [1j, 2]}), "column 'a': the column has the type complex128"),
        (pd.DataFrame({"a": pd.arrays.SparseArray([1, 2])}), "the type Sparse[int64, 0]"),
    ],
)
def test_the_column_that_cannot_be_read_is_named(table: object, said: str) -> None:
    """Not only the type of the whole table."""
    with pytest.raises(InputError) as caught:
        rs.read(table)
    assert said in str(caught.value)


def test_missing_values_of_pandas_in_a_list_are_missing() -> None:
    """As in a data frame."""
    with rs.read({"a": [1, pd.NA, 2], "b": np.array([1, 2, 3])}) as source:
        assert source.table.to_pyarrow()["a"].null_count == 1


@pytest.mark.parametrize(
    "more", [{"skip_rows": "1"}, {"encoding": "utf-8"}, {"header": True}, {"delimiter": ";"}]
)
def test_settings_of_text_files_are_refused_for_data_frames(more: dict[str, Any]) -> None:
    """They would have no effect."""
    with pytest.raises(InputError, match=f"{next(iter(more))}: this setting is for text files"):
        rs.scan(TABLE, **more)


def test_an_original_without_the_quasi_identifiers_is_refused(tmp_path: Path) -> None:
    """An attack with few columns would certify too little."""
    rs.anonymize(TABLE, quasi=["sex", "age"], suppression=1, out=tmp_path / "release")
    asked: dict[str, Any] = {"attacks": ["linkage"], "attempts": 5, "certify": True}
    with pytest.raises(InputError, match="does not have the quasi-identifier sex"):
        rs.attack(tmp_path / "release", original=TABLE[["age"]], **asked)


@pytest.mark.parametrize("name", USUAL)
def test_the_help_of_a_function_is_about_python(name: str) -> None:
    """Mappings are written as in Python, and no argument is repeated."""
    text = getattr(rs, name).__doc__
    assert "Repeatable" not in text
    assert "{{" not in text
