"""Typed domains, sets, and classes are read, and written again unchanged."""

from __future__ import annotations

import pickle
from decimal import Decimal
from pathlib import Path

import pytest

from roadstead.jobs import Observer
from roadstead.requests.joining import joined
from roadstead.requests.origin import Project
from roadstead.requests.writing import arguments
from roadstead.tables.item_sets import ItemColumn, ItemColumns, ItemTable
from roadstead.verbs.evaluate.request import EvaluateRequest
from roadstead.verbs.synthesize.declarations import DomainDeclaration
from roadstead.verbs.synthesize.domains import Declarations, declarations_of
from roadstead.verbs.synthesize.request import SynthesizeRequest
from roadstead.verbs.synthesize.sets import sets_of
from roadstead.verbs.synthesize.texts import CLASSES, FANOUT, RANGES, SETS, TAXONOMIES, VALUES

TYPED = {
    "ranges": (RANGES, ["age=20..59", "dose=10..60/0.1"]),
    "values": (VALUES, ["sex=F,M", 'ward=ab,"c,d"']),
    "taxonomies": (TAXONOMIES, ["dx=icd9", "ward=wards.csv:code:a+b"]),
    "fanout": (FANOUT, ["4", "dx=3"]),
    "sets": (
        SETS,
        ["dx=codes", "ops=op1+op2", "visits=codes.csv:name:code", "labs=l.csv:name:code:day"],
    ),
}


@pytest.mark.parametrize("key", TYPED)
def test_what_is_read_is_written_again(key: str) -> None:
    """The workbench can then show a command with the same request."""
    form, texts = TYPED[key]
    assert form.write(form.read(texts, key)) == texts


def test_a_request_is_written_as_the_command_that_made_it() -> None:
    """Classes stay as typed: only the table shows whether ``a=b`` names the target."""
    given = {key: form.read(texts, key) for key, (form, texts) in TYPED.items()}
    given |= {"data": "people.csv", "epsilon": "1/3", "classes": CLASSES.read(["died=0,1"], "")}
    request = joined(SynthesizeRequest, given, Project())
    typed = arguments(SynthesizeRequest, request.origin)
    assert typed[0] == "people.csv"
    pairs = list(zip(typed[1::2], typed[2::2], strict=True))
    assert ("--classes", "died=0,1") in pairs
    assert ("--epsilon", "1/3") in pairs
    assert [text for flag, text in pairs if flag == "--range"] == TYPED["ranges"][1]
    assert [text for flag, text in pairs if flag == "--sets"] == TYPED["sets"][1]


def test_a_project_file_lies_under_what_was_set_otherwise() -> None:
    """A setting of a column overrides all settings of the file for it, except the fan-out."""
    domains = {
        "age": DomainDeclaration(low=Decimal(1), high=Decimal(2), fanout=7),
        "dx": DomainDeclaration(taxonomy="codes.csv"),
        "op": DomainDeclaration(taxonomy="icd9", fanout=3),
    }
    project = Project({"domains": domains}, Path("study/study.toml"))
    given = {"data": "x.csv", "values": {"age": ("a", "b")}, "fanout": {"op": 2}}
    assert declarations_of(joined(SynthesizeRequest, given, project)) == Declarations(
        values={"age": ("a", "b")},
        taxonomies={"dx": "study/codes.csv", "op": "icd9"},
        fanout={"op": 2, "age": 7},
        base=Path("study"),
    )


def test_delimiters_and_order_are_of_the_sets_they_are_said_of() -> None:
    """A delimiter of those of one column that have none; positions of those that are named."""
    request = SynthesizeRequest(
        data="x.csv",
        sets={
            "dx": {"column": "codes"},
            "own": {"delimiter": ";"},
            "ops": {"columns": ["op1", "op2"]},
            "labs": {"file": "l.csv", "key": "name", "code": "code", "order": "day"},
        },
        delimiter_in_sets="|",
        sequences=("ops", "labs"),
        longest=3,
    )
    assert sets_of(request) == (
        ItemColumn("dx", "codes", "|"),
        ItemColumn("own", "own", ";"),
        ItemColumns("ops", ("op1", "op2"), longest=3),
        ItemTable("labs", "l.csv", "name", "name", "code", "day", longest=3),
    )


def test_an_evaluation_goes_through_a_pickle_and_has_a_chart() -> None:
    """Stopped after its first run it has that."""
    rows = [(20 + at % 40, "yes" if at % 40 > 20 else "no") for at in range(120)]
    request = EvaluateRequest(
        data={"age": [str(age) for age, _ in rows], "died": [died for _, died in rows]},
        epsilon=[1, 2],
        target="died",
        classes=["no", "yes"],
        ranges={"age": (20, 59)},
        specializations=1,
        comparators="none",
        runs=5,
    )
    found = request.run(Observer(stopped=lambda: True))
    assert len(found.to_dict()["by_run"]) == 1
    again = pickle.loads(pickle.dumps(found))  # noqa: S301 - our own
    assert str(again) == str(found)
    assert again.to_arrow().equals(found.to_arrow())
    assert "Bar chart of the accuracies" in found._repr_html_()
    assert "NOT PRIVATE" in found._repr_html_()
