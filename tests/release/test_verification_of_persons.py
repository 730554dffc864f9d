"""Each part of the check of people: at the edge it passes, and next to the edge it fails."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.privacy.models.values_of_persons import ValuesOfPersons
from roadstead.release.certificate import MeasuredRisk
from roadstead.release.verification.persons import (
    LinkedRows,
    check_known,
    check_persons,
    check_risk_of_persons,
    check_rows,
)
from roadstead.release.verification.table import check_promised
from roadstead.tables.frequency import FrequencyTable, summarize
from roadstead.tables.reading import read

K = 3
REFUTED = [
    {"kind": "distinct-l-diversity", "l": 2},
    {"kind": "entropy-l-diversity", "l": 1.5},
    {"kind": "recursive-cl-diversity", "c": 3, "l": 2},
    {"kind": "delta-disclosure", "delta": 20},
]


@pytest.mark.parametrize("settings", REFUTED, ids=lambda one: one["kind"])
def test_rows_that_are_not_linked_can_refute_a_model_of_values(settings: dict[str, Any]) -> None:
    """By the values of a group; only distinct l-diversity does not depend on the people."""
    model = ValuesOfPersons({**settings, "column": "ill"}, "person")

    def checked(ill: str, model: ValuesOfPersons = model) -> list[bool]:
        table = read(pa.table({"ward": list("aaabbb"), "ill": list(ill)}))
        found = summarize(table, ("ward",), ("ill",))
        return [check.passed for check in check_promised(found, None, model)]

    assert checked("uuvuvv") == [True]
    assert checked("uuuuvv") == [False]
    assert model.proven_by_release(linked=False) == (settings["kind"] == "distinct-l-diversity")
    # If all rows of a person are known, the values in the other group count, too.
    assert checked("uuuuvv", replace(model, knows="all")) == []
    close = {"kind": "t-closeness", "column": "ill", "t": 0.1}
    assert checked("uuuuvv", replace(model, model=close)) == []


def classes_of(*rows: int) -> FrequencyTable:
    """Make a table with classes of so many rows."""
    values = tuple(f"v{at}" for at in range(len(rows)))
    places = np.arange(len(rows), dtype=np.int32)
    return FrequencyTable(("ward",), (values,), (places,), np.array(rows, dtype=np.int64))


def linked_of(*names: str, wards: str) -> LinkedRows:
    """Link rows, each of a person and a ward."""
    table = pa.table({"person": list(names), "ward": list(wards)})
    return LinkedRows(read(table), "person", ("ward",))


@pytest.mark.parametrize("smallest", [K - 1, K])
def test_a_class_has_k_rows(smallest: int) -> None:
    """Which is all that a table shows that does not link them."""
    found = check_rows(classes_of(smallest, 9), PersonAnonymity(K, "person"))
    assert found.passed == (smallest >= K)


@pytest.mark.parametrize("fewest", [K - 1, K])
def test_what_may_be_known_fits_k_persons(fewest: int) -> None:
    """Rows that one person has twice are one person."""
    names = [f"p{at}" for at in range(fewest)]
    linked = linked_of(*names, *names, wards="a" * 2 * fewest)
    assert check_known(linked, PersonAnonymity(K, "person")).passed == (fewest >= K)


CERTIFIED = MeasuredRisk(
    maximum=1 / 3, average=0.25, classes=2, smallest_class=3, maximum_before=1.0, average_before=1.0
)


@pytest.mark.parametrize(
    ("change", "can"),
    [
        ({}, True),
        ({"smallest_class": 4, "maximum": 1 / 4}, True),
        ({"smallest_class": 5, "maximum": 1 / 5, "average": 0.2}, False),
        ({"smallest_class": 3, "maximum": 1 / 4}, False),
        ({"classes": 3}, False),
        ({"average": 0.34}, False),
        ({"average": 0.0}, False),
        ({"average": 0.07}, False),  # below 1/9, the risk in the largest class
        ({"smallest_class": 2, "maximum": 1 / 2}, False),  # below k
    ],
)
def test_the_risk_of_rows_that_are_not_linked_can_be_that_of_the_classes(
    change: dict[str, Any], *, can: bool
) -> None:
    """The smallest class has no more people than rows; no person need have the average risk."""
    certified = replace(CERTIFIED, **change)
    assert check_risk_of_persons(classes_of(4, 9), None, certified, 1, K).passed == can


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({}, True),
        ({"maximum": 1 / 3}, False),
        ({"average": 0.41}, False),
        ({"classes": 1}, False),
        ({"smallest_class": 3}, False),
    ],
)
def test_the_risk_of_linked_rows_is_counted(change: dict[str, Any], *, same: bool) -> None:
    """Two people in one ward and three in the other: 1/2 at most, 2/5 on average."""
    linked = linked_of("p", "q", "r", "s", "t", "p", wards="aabbba")
    certified = MeasuredRisk(1 / 2, 2 / 5, 2, 2, 1.0, 1.0)
    found = check_risk_of_persons(classes_of(3, 3), linked, replace(certified, **change), 1)
    assert found.passed == same


def told(
    people: dict[str, Any],
    counts: dict[str, int],
    leaves_out: str,
    *,
    link: str = "none",
    named: str = "person",
) -> dict[str, bool]:
    """Check a certificate's figures about people; give whether each check passed."""
    model = PersonAnonymity(K, named, 1, "rows" if leaves_out == "rows" else "persons")
    own = {
        "column": "person",
        "knows": 1,
        "linkage": link,
        "pseudonyms": None if link == "none" else "keyed",
    }
    certificate: Any = SimpleNamespace(
        persons=SimpleNamespace(**own | people), counts=SimpleNamespace(**counts)
    )
    policy: Any = SimpleNamespace(
        persons=SimpleNamespace(column="person", link=link), privacy=(model.settings(),)
    )
    return {one.check: one.passed for one in check_persons(certificate, policy, (model,), None)}


PEOPLE = {"persons": 10, "released": 8, "left_out": 2, "in_part": 1}
COUNTS = {"records": 30, "released": 25, "suppressed": 5}
ADDS_UP = "the certified numbers of people add up"


@pytest.mark.parametrize(
    ("people", "counts", "leaves_out", "adds_up"),
    [
        ({}, {}, "rows", True),
        ({"persons": 11}, {}, "rows", False),
        ({"in_part": 9}, {"suppressed": 20, "records": 45}, "rows", False),
        ({}, {"released": 7}, "rows", False),  # each person has a record
        ({}, {"suppressed": 2}, "rows", False),  # of three people one is missing
        ({"in_part": 0}, {"suppressed": 2}, "rows", True),
        ({"released": 10, "left_out": 0, "in_part": 0}, {}, "rows", False),  # whose are the 5?
        ({}, {}, "persons", False),  # who is left out is left out whole
        ({"in_part": 0}, {}, "persons", True),
    ],
)
def test_the_numbers_of_persons_add_up(
    people: dict[str, int], counts: dict[str, int], leaves_out: str, *, adds_up: bool
) -> None:
    """With one another, and with those of the records."""
    assert told(PEOPLE | people, COUNTS | counts, leaves_out)[ADDS_UP] == adds_up


WHOSE = "the policy and the certificate agree on the person ID"


@pytest.mark.parametrize(
    ("people", "link", "same"),
    [
        ({}, "none", True),
        ({}, "pseudonym", True),
        ({"pseudonyms": None}, "pseudonym", False),
        ({"pseudonyms": "forgotten"}, "none", False),
        ({"column": "ward"}, "none", False),
        ({"knows": 2}, "none", False),
    ],
)
def test_whose_the_records_are_is_what_the_policy_says(
    people: dict[str, Any], link: str, *, same: bool
) -> None:
    """A pseudonym is made if rows are linked, and only then."""
    assert told(PEOPLE | people, COUNTS, "rows", link=link)[WHOSE] == same


def test_a_model_is_of_the_persons_that_the_policy_names() -> None:
    """One that counts by another column promises something else."""
    assert not told(PEOPLE, COUNTS, "rows", named="ward")[WHOSE]
