"""Requests for models: errors are complete, and additions are reported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commands import run, without_charts
from small_tables import PATIENTS, patients, write_csv

import roadstead as rs
from roadstead.errors import SettingError
from roadstead.hierarchies.arx_csv import read_hierarchy
from roadstead.reports.release.anonymization import content_of

ROWS = dict(zip(PATIENTS, map(list, zip(*patients(300), strict=True)), strict=True))
ASKED: dict[str, Any] = {
    "quasi": ["sex", "age"],
    "sensitive": ["diagnosis"],
    "identifiers": ["name", "record", "zip"],
    "suppression": 0.3,
}
DIVERSE = {"kind": "distinct-l-diversity", "l": 2}
ADDED = "5-anonymity was added because no k was given; "
NO_K = (
    "These requirements do not include k-anonymity, so a record may be alone in its group; "
    "to add k-anonymity, use k=5."
)


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (
            {"kind": "t-closeness", "t": "abc"},
            "parameter 't' of t-closeness is 'abc', but must be a number",
        ),
        ({"kind": "t-closeness"}, "parameter 't' of t-closeness is missing"),
        (
            {"kind": "t-closeness", "t": 0.2, "tt": 1},
            "t-closeness has no parameter 'tt'; did you mean t",
        ),
        (
            {"kind": "k-map", "k": 10**20},
            "parameter 'k' of k-map is above 1,000,000,000,000,000; give a smaller number",
        ),
        (
            {"kind": "recursive-cl-diversity", "c": 3, "l": "9" * 5000},
            "parameter 'l' of recursive-cl-diversity is above",
        ),
        ({"kind": "k-map", "k": 2.5}, "'k' of k-map is '2.5', but must be a whole number"),
        (
            {"kind": "t-closeness", "t": 0.2, "distance": "far"},
            "'distance' of t-closeness is 'far', but must be equal, ordered or hierarchical",
        ),
        (
            {"kind": "t-closeness", "t": 0.2, "column": "Diagnosis"},
            "'Diagnosis' is not listed as sensitive, .*; did you mean 'diagnosis'",
        ),
        (
            {"kind": "t-closeness", "t": 0.2, "column": "age"},
            """'age' is not listed as sensitive, .*; add sensitive=""",
        ),
        (
            {"kind": "t-closeness", "t": [1]},
            "'t' of t-closeness is of a different type, .* a number",
        ),
        ("t-closeness", "'t-closeness' is not a privacy model; write its settings"),
    ],
)
def test_a_wrong_parameter_is_named_with_what_was_given_and_what_is_right(
    model: Any,  # noqa: ANN401 - whatever a user gives
    says: str,
) -> None:
    """Not three possible faults in one message.

    Fault class: a message that leaves open what is wrong.
    """
    with pytest.raises(SettingError, match=says):
        rs.anonymize(ROWS, **ASKED, privacy=[model])


def test_one_model_is_no_list_of_models() -> None:
    """A single text is also not a list of names."""
    with pytest.raises(SettingError, match=r"is not a list; write it in brackets"):
        rs.anonymize(ROWS, **ASKED, privacy=DIVERSE)  # type: ignore[arg-type] # on purpose


@pytest.mark.parametrize("k", [0.5, "5", True, float("nan"), float("inf"), [5]])
def test_a_k_that_is_no_whole_number_is_refused(k: Any) -> None:  # noqa: ANN401 - whatever is given
    """By the package and not by Python."""
    with pytest.raises(SettingError, match=r"k: .* is not a whole number; write a whole"):
        rs.anonymize(ROWS, **ASKED, k=k)


@pytest.mark.parametrize("typed", [("--k", "0.5"), ("--k=0.5",)])
def test_the_command_line_says_it_in_its_own_words(typed: tuple[str, ...]) -> None:
    """With what was typed.

    Fault class: the words of a library instead of ours.
    """
    ran = run("anonymize", "patients.csv", "--quasi", "age", *typed)
    assert ran.code == 2
    assert ran.error.startswith("--k: '0.5' is not a whole number, such as 5")


def test_what_is_added_is_told_and_left_out_by_a_k_of_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the summary, the report, JSON, and on the command line.

    Fault class: a silent addition to the request.
    """
    found = rs.anonymize(ROWS, **ASKED, privacy=[DIVERSE])
    assert f"{ADDED}to leave it out, use k=1." in str(found)
    assert f"{ADDED}to leave it out, use k=1." in content_of(found).notes
    assert found.to_dict()["added_model"] == f"{ADDED}to leave it out, use k=1"
    alone = rs.anonymize(ROWS, **ASKED, privacy=[DIVERSE], k=1)
    assert [model.name for model in alone.models] == ["distinct 2-diversity of diagnosis"]
    assert alone.to_dict()["added_model"] is None
    assert NO_K in str(alone)
    assert NO_K in content_of(alone).notes
    assert found.draft.settings["added"] == {"kind": "k-anonymity", "k": 5}
    assert "added" not in alone.draft.settings
    for asked in (
        rs.anonymize(ROWS, **ASKED),
        rs.anonymize(ROWS, **ASKED, privacy=[DIVERSE], k=5),
    ):
        assert "added" not in str(asked)
        assert NO_K not in str(asked)

    without_charts(monkeypatch)
    data = write_csv(tmp_path / "patients.csv", PATIENTS, patients(300))
    typed: tuple[str | Path, ...] = (
        "anonymize",
        data,
        "--quasi",
        "sex,age",
        "--sensitive",
        "diagnosis",
    )
    typed += ("--privacy", "distinct-l-diversity:l=2", "--suppression", "0.3")
    typed += ("--identifiers", "name,record,zip")
    assert f"{ADDED}to leave it out, use --k 1." in run(*typed).out
    left_out = run(*typed, "--k", "1", "--out", tmp_path / "release")
    assert left_out.code == 0, left_out
    assert run("verify", tmp_path / "release").code == 0


def test_a_k_of_1_alone_protects_nobody() -> None:
    """Without another model it is refused, as ever."""
    with pytest.raises(SettingError, match="k is 1, but must be at least 2"):
        rs.anonymize(ROWS, **ASKED, k=1)


@pytest.mark.parametrize("way", ["made", "path", "folder"])
def test_the_hierarchy_of_a_sensitive_column_is_taken_however_it_is_given(
    way: str, tmp_path: Path
) -> None:
    """A mapping does what the folder does.

    Fault class: an argument that is ignored.
    """
    values = sorted(set(ROWS["diagnosis"]))
    text = "".join(f"{one};{'a' if at % 2 else 'b'};*\n" for at, one in enumerate(values))
    file = tmp_path / "diagnosis.csv"
    file.write_text(text, encoding="utf-8")
    given: Any = {
        "made": {"diagnosis": read_hierarchy(file, "diagnosis")},
        "path": {"diagnosis": file},
        "folder": tmp_path,
    }[way]
    model = {"kind": "t-closeness", "t": 0.5, "distance": "hierarchical"}
    found = rs.anonymize(ROWS, **ASKED, privacy=[model], hierarchies=given)
    settings = next(one.settings() for one in found.models if "t" in one.settings())
    assert [row[1] for row in settings["hierarchy"]] == [
        "a" if at % 2 else "b" for at in range(len(values))
    ]
    assert found.draft.counts.released


def test_a_hierarchy_of_a_sensitive_column_lists_its_values() -> None:
    """A hierarchy made from the data would put the values into the policy."""
    model = {"kind": "t-closeness", "t": 0.5, "distance": "hierarchical"}
    with pytest.raises(rs.InputError, match="diagnosis"):
        rs.anonymize(ROWS, **ASKED, privacy=[model], hierarchies={"diagnosis": {"kind": "prefix"}})


def test_more_evaluations_than_policies_are_called_evaluations() -> None:
    """Classes are worked out for candidates and again for bounds, so there may be more."""
    found = rs.anonymize(ROWS, **ASKED)
    size = found.space.size
    outcome = replace(found.outcome, evaluated=size + 4)
    assert f"{size} of {size} policies evaluated" in str(
        replace(found, outcome=replace(outcome, evaluated=size))
    )
    assert f"{size + 4} evaluations, of {size} policies" in str(replace(found, outcome=outcome))
