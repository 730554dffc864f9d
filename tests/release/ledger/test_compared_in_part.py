"""Releases whose columns, treatments, or units differ are compared in what they have in common."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from commands import run
from hypothesis import given
from hypothesis import strategies as st
from monthly_extracts import COLUMNS, policy_of
from second_opinion import verdict

import roadstead as rs
from roadstead.errors import Refusal
from roadstead.policies.document import Policy
from roadstead.policies.person_rules import DateRule, PersonRules, ShiftRule
from roadstead.release.ledger.classes import CellsOfClasses, counted_classes, in_common, numbered
from roadstead.tables.frequency import summarize

HEADER: Final = ("pid", "sex", "area", "dx", "site", "lab")
_DX: Final = ("flu", "cold", "none")
JANUARY: Final = [
    [f"P{at}", "FM"[at % 2], "NS"[at // 2 % 2], _DX[at % 3], "ab"[at // 4 % 2], str(at * at % 67)]
    for at in range(120)
]
SWAPPED: Final = [["P999", *JANUARY[0][1:3], "cold", *JANUARY[0][4:]], *JANUARY[1:]]
"""The next month: one person left, and a person with another diagnosis joined the same group."""
MADE: Final[dict[str, Any]] = {"person": "pid", "quasi": ["sex", "area"], "k": 5}
ROUNDED: Final = [{"kind": "rounding", "column": "lab", "base": "30"}]
COARSER: Final = [{"kind": "rounding", "column": "lab", "base": "60"}]


def _table(path: Path, rows: list[list[str]], header: tuple[str, ...] = HEADER) -> Path:
    """Write a table with the columns of a header; `diagnosis` is another name of dx."""
    at = [HEADER.index("dx" if name == "diagnosis" else name) for name in header]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *([row[one] for one in at] for row in rows)])
    return path


class _Ledger:
    """A ledger, and the releases of two months in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "ledger").mkdir(mode=0o700)

    def release(
        self, name: str, rows: list[list[str]], header: tuple[str, ...], **settings: object
    ) -> dict[str, Any]:
        """Release a table, and return what the certificate says about earlier releases."""
        out = self.folder / name
        asked = {**MADE, **settings}
        asked = {key: value for key, value in asked.items() if value is not None}
        table = _table(self.folder / f"{name}.csv", rows, header)
        rs.anonymize(table, out=out, ledger=self.folder / "ledger", **asked)
        found: dict[str, Any] = json.loads((out / "certificate.json").read_bytes())
        return dict(found["earlier_releases"])


@pytest.fixture
def ledger(tmp_path: Path) -> _Ledger:
    """Return an empty ledger."""
    return _Ledger(tmp_path)


ALL = HEADER
NO_SITE = ("pid", "sex", "area", "dx", "lab")
NO_LAB = ("pid", "sex", "area", "dx")
WITH_LAB: Final = {"sensitive": ["dx"], "unchanged": ["lab"]}


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("before", "first", "after", "second"),
    [
        (NO_LAB, {"sensitive": ["dx"]}, (*NO_LAB, "site"), {"sensitive": ["dx", "site"]}),
        (NO_SITE, WITH_LAB, NO_SITE, {"sensitive": ["dx"], "identifiers": ["lab"]}),
        (NO_SITE, WITH_LAB, NO_SITE, {"sensitive": ["dx"], "treat": ROUNDED}),
        (NO_SITE, WITH_LAB, ("pid", "lab", "dx", "sex", "area"), WITH_LAB),
    ],
    ids=["a new column", "a withheld column", "a rounded column", "another order"],
)
def test_the_columns_that_both_releases_have_are_compared(
    ledger: _Ledger,
    before: tuple[str, ...],
    first: dict[str, Any],
    after: tuple[str, ...],
    second: dict[str, Any],
) -> None:
    """Fault class: with other columns, no cell was compared, and the full promise was printed."""
    ledger.release("january", JANUARY, before, **first)
    with pytest.raises(Refusal, match="added records that may belong to fewer than 5 people"):
        ledger.release("february", SWAPPED, after, **second)


def test_apply_compares_the_columns_of_both_releases(tmp_path: Path) -> None:
    """As in `anonymize`, if the new table has a column more."""
    (tmp_path / "ledger").mkdir(mode=0o700)
    policy = tmp_path / "january" / "policy.json"
    table = _table(tmp_path / "january.csv", JANUARY, NO_LAB)
    more: dict[str, Any] = {"ledger": tmp_path / "ledger"}
    rs.anonymize(table, **MADE, sensitive=["dx"], out=policy.parent, **more)
    new = _table(tmp_path / "february.csv", SWAPPED, (*NO_LAB, "site"))
    with pytest.raises(Refusal, match="1 group shows"):
        rs.apply(policy, new, unchanged=["site"], out=tmp_path / "february", **more)


def test_a_renamed_column_is_reported(ledger: _Ledger, tmp_path: Path) -> None:
    """Nothing promises that its cells were compared, and a gate refuses the release."""
    ledger.release("january", JANUARY, NO_LAB, sensitive=["dx"])
    renamed = ("pid", "sex", "area", "diagnosis")
    found = ledger.release("february", SWAPPED, renamed, sensitive=["diagnosis"])
    ((partly),) = found["partly"]
    assert (partly["why"], partly["columns"]) == ("columns", ["diagnosis"])
    out = tmp_path / "february"
    report = (out / "report.html").read_text("utf-8")
    assert "only in part" in report
    assert "do not reveal a group" not in report
    verified = rs.verify(out)
    assert verified.passed
    assert not verified.reassures
    assert "only in part" in run("verify", str(out)).out
    assert verdict(out, signed=False) != "refused"
    rules = tmp_path / "gate.toml"
    rules.write_text("[promise]\nk = 5\n", "utf-8")
    assert run("gate", str(out), "--rules", rules).code == 1
    document = json.loads((out / "certificate.json").read_bytes())
    document["earlier_releases"]["partly"][0]["columns"] = ["Jane Doe"]
    (out / "certificate.json").write_text(json.dumps(document, indent=2) + "\n", "utf-8")
    assert not rs.verify(out).passed


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ({"sensitive": ["dx"]}, {"unchanged": ["site"], "identifiers": ["dx"]}, "columns"),
        ({"sensitive": ["dx"]}, {"quasi": ["sex", "area", "dx"]}, "treated"),
        ({"quasi": ["sex", "area", "dx"]}, {"sensitive": ["dx"]}, "treated"),
    ],
    ids=["a derived column", "then a quasi-identifier", "before a quasi-identifier"],
)
def test_a_column_that_an_attacker_can_compare_is_reported(
    ledger: _Ledger, first: dict[str, Any], second: dict[str, Any], why: str
) -> None:
    """Fault class: a column was withheld, or has another role, and the full promise was printed."""
    header = ("pid", "sex", "area", "dx", "site")
    ledger.release("january", JANUARY, header, **{"identifiers": ["site"], **first})
    ours = {"identifiers": ["site"], **second}
    found = ledger.release("february", SWAPPED, header, ledger_warn=True, **ours)
    assert [one["why"] for one in found["partly"]] == [why]


def test_columns_that_differ_are_not_renamed_if_only_one_release_has_its_own(
    ledger: _Ledger,
) -> None:
    """A column more, or less, is not a gap: an attacker can only compare what both show."""
    ledger.release("january", JANUARY, NO_LAB, sensitive=["dx"])
    found = ledger.release("february", JANUARY, ALL, sensitive=["dx", "site"], unchanged=["lab"])
    assert "partly" not in found


def test_the_same_records_with_another_rounding_are_no_new_people(ledger: _Ledger) -> None:
    """Fault class: rounded cells were compared, and records seemed to be added."""
    ledger.release("january", JANUARY, NO_SITE, sensitive=["dx"], treat=ROUNDED)
    found = ledger.release("again", JANUARY, NO_SITE, sensitive=["dx"], treat=COARSER)
    assert "partly" not in found
    assert not found["findings"]
    more = [*JANUARY, *([f"P{500 + at}", *row[1:]] for at, row in enumerate(JANUARY))]
    found = ledger.release("february", more, NO_SITE, sensitive=["dx"], treat=ROUNDED)
    assert [(one["why"], one["columns"]) for one in found["partly"]] == [("treated", ["lab"])]


@pytest.mark.parametrize("forgotten", ["person", "sensitive"])
def test_a_later_release_cannot_forget_what_an_earlier_release_knew(
    ledger: _Ledger, forgotten: str
) -> None:
    """Fault class: without the person ID column, six records of one person were six people."""
    ledger.release("january", JANUARY, NO_LAB, sensitive=["dx"])
    if forgotten == "person":
        rows = [*JANUARY, *([["P999", "F", "N", "HIV", "a", "1"]] * 6)]
        table, settings = NO_LAB[1:], {"person": None, "sensitive": ["dx"]}
        with pytest.raises(Refusal, match="a person can have several records") as caught:
            ledger.release("february", rows, table, **settings)
        assert "person" in str(caught.value.fix)
        assert "ledger_warn" in str(caught.value.fix)
        found = ledger.release("warned", rows, table, **settings, ledger_warn=True)
        assert [one["why"] for one in found["partly"]] == ["people"]
        return
    more = [[f"P{500 + at}", *row[1:3], "HIV", *row[4:]] for at, row in enumerate(JANUARY)]
    found = ledger.release("february", [*JANUARY, *more], NO_LAB, unchanged=["dx"])
    assert found["changed_sets"] == {"dx": 4}


@pytest.mark.parametrize("keyed", [False, True])
def test_dates_that_are_shifted_at_random_are_not_compared(tmp_path: Path, *, keyed: bool) -> None:
    """Fault class: nearly all cells differed, which hid that a group had one record more."""
    path = _table(tmp_path / "t.csv", JANUARY, NO_LAB)
    policy = rs.anonymize(path, quasi=["sex", "area"], unchanged=["dx"], identifiers=["pid"]).policy
    rules = PersonRules("pid", dates=(DateRule("dx", "shift"),), shift=ShiftRule(30, keyed=keyed))
    with rs.read(path) as source:
        table = summarize(source, ("sex", "area", "dx"))
    compared = counted_classes(table, replace(policy, persons=rules)).rows.columns
    assert compared == (("dx",) if keyed else ())


def test_visit_ids_are_not_people(ledger: _Ledger) -> None:
    """Fault class: with an ID per visit, each record was a person, and the ledger was silent."""
    visits = [row for row in JANUARY for _ in range(2)]
    ledger.release("january", visits, NO_LAB, sensitive=["dx"])
    apart = [[f"V{at:03}", *row[1:]] for at, row in enumerate([*visits, *visits])]
    with pytest.raises(Refusal, match="a person can have several records"):
        ledger.release("february", apart, NO_LAB, sensitive=["dx"])


def test_a_requirement_of_the_earlier_release_also_applies() -> None:
    """The newcomers need as many values as either policy requires."""
    promised = [policy_of(0, 0, diversity=number) for number in (2, 3)]
    assert _promised(*promised) == _promised(*reversed(promised)) == {"diagnosis": 3}
    assert _promised(policy_of(0, 0)) == {}


def _promised(*policies: Policy) -> dict[str, int]:
    from roadstead.release.ledger.overlay import promised_values  # noqa: PLC0415 - heavy

    return promised_values(*policies)


_ROWS = st.lists(st.tuples(*[st.sampled_from("xyz")] * len(COLUMNS)), max_size=12)


def _cells(rows: list[tuple[str, ...]], columns: tuple[str, ...], form: str) -> CellsOfClasses:
    """Write rows as cells of one class, with the letters themselves as fingerprints."""
    values = [tuple(sorted({row[at] for row in rows})) for at in range(len(columns))]
    codes = tuple(tuple(own.index(row[at]) for row in rows) for at, own in enumerate(values))
    forms = tuple(form if name == "code" else "" for name in columns)
    each = (0,) * len(rows), (1,) * len(rows)
    return CellsOfClasses(columns, forms, tuple(values), codes, *each)


@given(_ROWS, _ROWS, st.permutations(COLUMNS), st.sampled_from(["", "rounded"]))
def test_cells_have_one_number_if_they_agree_in_the_columns_of_both(
    one: list[tuple[str, ...]], other: list[tuple[str, ...]], order: list[str], form: str
) -> None:
    """In any order of the columns, and without a column in another form."""
    turned = [tuple(row[COLUMNS.index(name)] for name in order) for row in other]
    cells = in_common([_cells(one, COLUMNS, ""), _cells(turned, tuple(order), form)])
    compared = [at for at, name in enumerate(COLUMNS) if not (form and name == "code")]
    (first, second), number = numbered(cells)
    texts = [tuple(row[at] for at in compared) for row in (*one, *other)]
    codes = [*first.tolist(), *second.tolist()]
    assert len({*zip(texts, codes, strict=True)}) == len({*texts}) == len({*codes})
    assert all(0 <= code < number for code in codes)
