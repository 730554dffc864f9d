"""Sets in any form are the same sets, and their release names the protected unit."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from seeded_mechanisms import SeededMechanisms
from small_tables import write_csv

import roadstead as rs
from roadstead.errors import InputError, SettingError
from roadstead.tables.item_sets import ItemColumn
from roadstead.verbs.synthesize.domains import Declarations
from roadstead.verbs.synthesize.result import SynthesisFinding
from roadstead.verbs.synthesize.sets import SetDescription, item_sets
from roadstead.verbs.synthesize.settings import settings_of
from roadstead.verbs.synthesize.synthesis import synthesized

CODES = ("a", "b", "c")
PEOPLE = [
    (f"p{at}", ("a", "b")[: at % 3] if at % 5 else ("c",), "yes" if at % 3 else "no")
    for at in range(300)
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with people, their codes in three forms, and a second table of codes."""
    rows = [(who, "|".join(codes), *(*codes, "", "")[:2], died) for who, codes, died in PEOPLE]
    write_csv(tmp_path / "people.csv", ("who", "codes", "dx1", "dx2", "died"), rows)
    visits = [(who, code, str(at)) for who, codes, _ in PEOPLE for at, code in enumerate(codes)]
    write_csv(tmp_path / "codes.csv", ("who", "code", "at"), [*visits, ("nobody", "a", "1")])
    return tmp_path


def release(place: Path, sets: dict[str, SetDescription], **more: Any) -> SynthesisFinding:  # noqa: ANN401 - whatever is given
    """Release the sets of the people, without noise to speak of."""
    request = settings_of(10**6, "died", ("no", "yes"), 2, "max-gain", "leave-out")
    with rs.read(place / more.pop("data", "people.csv")) as source:
        return synthesized(
            source,
            request,
            Declarations(values={"dx": CODES}, sets=item_sets(sets), **more),
            SeededMechanisms(1),
        )


FORMS: dict[str, dict[str, Any]] = {
    "a text with delimiters": {"column": "codes", "delimiter": "|"},
    "several columns": {"columns": ["dx1", "dx2"]},
    "a second table": {"file": "codes.csv", "key": "who", "code": "code"},
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_each_form_of_sets_gives_the_same_release(place: Path, form: dict[str, Any]) -> None:
    """Which codes each person has, counted in plain Python."""
    spec = {**form, "file": place / form["file"]} if "file" in form else form
    found = release(place, {"dx": spec})
    shown = Counter(zip(*found.to_arrow().to_pydict().values(), strict=True))
    assert found.to_dict()["cut"] == {"dx": list(CODES)}
    assert shown == Counter(("; ".join(codes) or "(none)", died) for _, codes, died in PEOPLE)


def test_a_list_column_may_take_its_own_name() -> None:
    """A set is called like its column unless said otherwise."""
    (made,) = item_sets({"dx": {}})
    assert made == ItemColumn("dx", "dx")
    data = {"dx": [["a"], ["a", "b"], []] * 50, "died": ["yes", "no", "no"] * 50}
    request = settings_of(10**6, "died", ("no", "yes"), 1, "max", "leave-out")
    found = synthesized(
        data,
        request,
        Declarations(values={"dx": CODES}, sets=(made,)),
        SeededMechanisms(1),
    )
    shown = Counter(zip(*found.to_arrow().to_pydict().values(), strict=True))
    assert shown == {("a", "yes"): 50, ("a; b", "no"): 50, ("(none)", "no"): 50}


def test_the_unit_of_privacy_names_the_second_table(place: Path) -> None:
    """The name is its file's; only the custodian learns about keys without a record."""
    found = release(place, {"dx": {**FORMS["a second table"], "file": str(place / "codes.csv")}})
    assert found.facts.unit.words == (
        "one record of the table and the rows of codes.csv that do not belong to another record"
    )
    assert found.facts.unit.words in found.facts.guarantee
    assert str(place) not in str(found.to_dict())
    assert found.private.lines == [
        "for your eyes only: the table of dx has 1 key without a matching record"
    ]
    assert (
        release(place, {"dx": FORMS["several columns"]}).facts.unit.words
        == "one record of the table"
    )


def test_records_of_one_key_are_told_to_the_custodian(place: Path) -> None:
    """The guarantee is for each of them, not for the person."""
    rows = [("p1", "no"), ("p1", "yes"), ("p2", "no"), ("", "no"), ("", "no")]
    write_csv(place / "twice.csv", ("who", "died"), rows)
    spec = {**FORMS["a second table"], "file": place / "codes.csv"}
    found = release(place, {"dx": spec}, data="twice.csv")
    assert any("2 records have the key of another record" in one for one in found.private.lines)


def test_sequences_pair_items_with_their_positions(place: Path) -> None:
    """As many as are said to count."""
    spec = {**FORMS["a second table"], "file": place / "codes.csv", "order": "at", "longest": 1}
    found = release(place, {"dx": spec})
    shown = Counter(zip(*found.to_arrow().to_pydict().values(), strict=True))
    first = Counter((f"1:{codes[0]}" if codes else "(none)", died) for _, codes, died in PEOPLE)
    assert shown == first


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ({"colum": "codes"}, "'colum' cannot be combined with 'column'"),
        ({"columns": ["dx1"], "delimiter": "|"}, "'delimiter' cannot be combined with 'columns'"),
        ({"column": "codes", "columns": ["dx1"]}, "'column' cannot be combined with 'columns'"),
        ({"file": "codes.csv", "code": "code"}, "no key is named"),
        ({"file": "codes.csv", "key": "who"}, "no code is named"),
        (
            {"file": "codes.csv", "key": "who", "code": "c", "delimiter": "|"},
            "cannot be combined with",
        ),
    ],
)
def test_a_set_described_wrongly_is_refused(spec: dict[str, Any], says: str) -> None:
    """With what it could be."""
    with pytest.raises(SettingError) as caught:
        item_sets({"dx": spec})
    assert says in caught.value.message
    assert caught.value.where == "set 'dx'"


def test_a_second_table_that_is_not_there_is_named(place: Path) -> None:
    """Before anything is spent."""
    with pytest.raises(InputError, match=r"nowhere\.csv"):
        release(place, {"dx": {"file": place / "nowhere.csv", "key": "who", "code": "code"}})
