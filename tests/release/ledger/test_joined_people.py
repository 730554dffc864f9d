"""Two releases with the same pseudonyms, joined person by person."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from commands import run
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from person_tables import write_visits

import roadstead as rs
from roadstead.errors import Refusal
from roadstead.release.ledger.classes import CellsOfClasses, ReleasedClasses
from roadstead.release.ledger.joined import joined_people
from roadstead.release.persons.pseudonyms import write_key

K = 3
Classes = dict[str, set[int]]
"""The classes in which each person has records."""


def classes_of(people: Classes, column: str) -> ReleasedClasses:
    """Give four classes and the fingerprints of the pseudonyms in each."""
    names = sorted(people)
    cells = [(at, names.index(name)) for name in names for at in sorted(people[name])]
    cells.sort()
    pseudonyms = CellsOfClasses(
        (column,),
        ("",),
        (tuple(names),),
        (tuple(number for _, number in cells),),
        tuple(at for at, _ in cells),
        (1,) * len(cells),
    )
    labels, each = tuple(map(str, range(4))), (0, 1, 2, 3)
    rows = CellsOfClasses((), (), (), (), each, (9,) * 4)
    return ReleasedClasses(("q",), (labels,), (each,), (9,) * 4, rows, pseudonyms=pseudonyms)


people_with_classes = st.dictionaries(
    st.sampled_from("abcdefgh"), st.sets(st.integers(0, 3), min_size=1), min_size=1
)


@examples(100)
@given(people_with_classes, people_with_classes, st.sampled_from(["person", "patient"]))
def test_pairs_of_classes_are_those_of_a_simple_count(
    before: Classes, after: Classes, column: str
) -> None:
    """All pairs of a person are listed, also if the person is in one release only."""
    pairs: Counter[tuple[object, object]] = Counter()
    for name in {*before, *after}:
        pairs.update(product(before.get(name, {"none"}), after.get(name, {"none"})))
    few = [number for number in pairs.values() if number < K]
    found = joined_people(classes_of(before, "person"), classes_of(after, column), k=K, name="x")
    common = {*before} & {*after}
    if not common:
        assert found is None
        return
    assert found is not None
    assert (found.people, found.cut_short) == (len(common), False)
    assert [(one.classes, one.smallest) for one in found.findings] == (
        [(len(few), min(few))] if few else []
    )


def test_too_many_pairs_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is claimed about pairs that were not counted."""
    monkeypatch.setattr("roadstead.release.ledger.joined.MOST_PAIRS", 3)
    one = classes_of({"a": {0, 1}}, "person")
    found = joined_people(one, one, k=K, name="x")
    assert found is not None
    assert (found.findings, found.cut_short) == ((), True)


Rows = list[tuple[str, ...]]
WARDS: Rows = [(f"P{at:02}", "AB"[at % 2]) for at in range(24)]
SEXES: Rows = [(f"P{at:02}", "FM"[at // 2 % 2]) for at in range(24)]


class Ledger:
    """A folder of tables, keys, and a ledger."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "ledger").mkdir()
        for name in ("key", "other"):
            write_key(folder / name)

    def released(
        self,
        name: str,
        rows: Rows,
        header: tuple[str, str],
        **more: Any,  # noqa: ANN401 - fields
    ) -> Path:
        """Release a table of people with one quasi-identifier; give the folder."""
        out = self.folder / name
        asked: dict[str, Any] = {"key": self.folder / "key"} | more
        rs.anonymize(
            write_visits(self.folder / f"{name}.csv", rows, header),
            quasi=[header[1]],
            person=header[0],
            link="pseudonym",
            k=K,
            suppression=0,
            out=out,
            ledger=self.folder / "ledger",
            **asked,
        )
        return out


@pytest.fixture(name="ledger")
def ledger_of(tmp_path: Path) -> Ledger:
    """Give a ledger with one release of the wards of 24 people."""
    made = Ledger(tmp_path)
    made.released("wards", WARDS, ("patient", "ward"))
    return made


LARGE_PAIRS: Rows = [*SEXES[:-1], ("P23", "F")]
"""With these sexes, each pair of ward and sex has five people or more."""
SMALL_PAIR: Rows = [
    (name, "F" if name in ("P00", "P02") or int(name[1:]) % 2 else "M") for name, _ in SEXES
]
"""With these sexes, two people are in ward A and of sex F."""


@pytest.mark.quick(1)
@pytest.mark.parametrize("column", ["patient", "mrn"])
@pytest.mark.parametrize("people", [None, "others"])
def test_tables_with_other_columns_are_compared_by_pseudonyms(
    ledger: Ledger, column: str, people: str | None
) -> None:
    """Neither another name of the ID column nor another name of the people hides the pair."""
    with pytest.raises(Refusal, match="same pseudonyms, 1 group of fewer than 3 people") as caught:
        ledger.released("sexes", SMALL_PAIR, (column, "sex"), ledger_people=people)
    assert "the smallest has 2" in caught.value.message
    assert "key" in str(caught.value.fix)
    assert caught.value.earlier_releases.to_dict()["joined"].popitem()[1] == 24


@pytest.mark.quick(1)
@pytest.mark.parametrize("key", ["key", None])
def test_a_key_is_a_reason_for_a_note_without_a_ledger(ledger: Ledger, key: str | None) -> None:
    """The report and the terminal name the other releases with this key, if there is a key."""
    named: dict[str, Any] = {} if key is None else {"key": ledger.folder / key}
    out, note = ledger.folder / "alone", "Anyone who has two releases made with this key"
    data = ledger.folder / "wards.csv"
    release = rs.anonymize(
        data, quasi=["ward"], person="patient", link="pseudonym", k=K, out=out, **named
    )
    text = " ".join((out / "report.html").read_text("utf-8").split())
    assert (note in text) == (note in str(release)) == (key is not None)


@pytest.mark.nightly
def test_large_groups_are_released_with_a_note(ledger: Ledger) -> None:
    """The report says that the releases can be joined, and who is not covered."""
    out = ledger.released("sexes", LARGE_PAIRS, ("patient", "sex"))
    text = " ".join((out / "report.html").read_text("utf-8").split())
    assert "have the same pseudonyms for 24 people" in text
    assert (
        "This does not cover an attacker who knows more records, or compares more releases." in text
    )
    assert rs.verify(out).passed


@pytest.mark.quick(1)
@pytest.mark.parametrize("key", ["other", None])
def test_other_pseudonyms_cannot_be_joined(ledger: Ledger, key: str | None) -> None:
    """With another key, or none, the releases have no pseudonym in common."""
    named = None if key is None else ledger.folder / key
    out = ledger.released("sexes", SMALL_PAIR, ("patient", "sex"), key=named)
    said = (out / "report.html").read_text("utf-8")
    assert "have the same pseudonyms for" not in said
    assert ("1 earlier release of these people has pseudonyms, but none" in said) == bool(key)


def test_people_who_move_between_extracts_are_followed(ledger: Ledger) -> None:
    """In March, two people of ward A are in ward B, as many as go the other way."""
    moved: Rows = [
        (name, "B" if name in ("P00", "P02") else "A" if name in ("P01", "P03") else ward)
        for name, ward in WARDS
    ]
    data = write_visits(ledger.folder / "march.csv", moved, ("patient", "ward"))
    asked: dict[str, Any] = {
        "out": ledger.folder / "march",
        "ledger": ledger.folder / "ledger",
        "key": ledger.folder / "key",
    }
    policy = ledger.folder / "wards" / "policy.json"
    with pytest.raises(Refusal) as caught:
        rs.apply(policy, data, **asked)
    findings = caught.value.earlier_releases.to_dict()["findings"]
    joined = next(one for one in findings if one["kind"] == "joined")
    assert (joined["classes"], joined["smallest"]) == (2, 2)
    # Names for the periods alone do not help, because pseudonyms are compared across names.
    fix = caught.value.fix or ""
    assert fix.count("use a different key or none") == 1 + ("ledger_people" in fix)
    rs.apply(policy, data, **asked, ledger_warn=True)
    assert "records of these people" in (ledger.folder / "march" / "report.html").read_text("utf-8")


def test_a_release_compared_by_pseudonyms_alone_says_so(ledger: Ledger) -> None:
    """Fault class: "nothing was compared" above a warning about a comparison."""
    policy, data = ledger.folder / "wards" / "policy.json", ledger.folder / "wards.csv"
    (ledger.folder / "named").mkdir()
    book = ("--ledger", ledger.folder / "named", "--ledger-warn", "--ledger-people")
    said = []
    for name, used in (("first", "key"), ("second", "key"), ("third", "other")):
        key, out = ledger.folder / used, ledger.folder / name
        said.append(run("apply", policy, data, "--key", key, "--out", out, *book, name).out)
    assert "No earlier release was compared, except for its pseudonyms: the ledger" in said[1]
    assert "No earlier release was compared:" not in said[1]
    assert "No earlier release was compared: the ledger" in said[2]
