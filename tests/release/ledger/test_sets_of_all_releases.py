"""The sets of values of a group in all releases under one policy, not only in pairs."""

from __future__ import annotations

import csv
from itertools import combinations
from pathlib import Path
from typing import Final

import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

import roadstead as rs
from roadstead.errors import Refusal
from roadstead.release.ledger.value_sets import _smallest

OTHERS: Final = [
    [sex, area, value]
    for sex, area in (("M", "03060"), ("M", "04064"), ("F", "04064"))
    for value in ("flu", "asthma", "sepsis", "HIV") * 5
]
FIRST, SECOND, THIRD = "flu asthma sepsis", "stroke reflux sciatica", "psoriasis cystitis migraine"


def _month(folder: Path, at: int, values: str) -> Path:
    """Write the extract of a month: a victim with HIV, and five people with each other value."""
    path = folder / f"month{at}.csv"
    own = [["F", "03060", value] for value in values.split() for _ in range(5)]
    with path.open("w", newline="") as file:
        rows = [["sex", "zip", "diagnosis"], *OTHERS, ["F", "03060", "HIV"], *own]
        csv.writer(file).writerows(rows)
    return path


@pytest.mark.quick(1)
@pytest.mark.parametrize("least", [None, 3])
def test_three_releases_that_leave_one_value_are_refused(tmp_path: Path, least: int | None) -> None:
    """Fault class: each pair has four values in common, but all three have only the victim's."""
    (tmp_path / "ledger").mkdir(mode=0o700)
    months = [f"{FIRST} {SECOND}", f"{FIRST} {THIRD}", f"{SECOND} {THIRD}"]
    model = [{"kind": "distinct-l-diversity", "column": "diagnosis", "l": least}] if least else []
    ledger = tmp_path / "ledger"
    rs.anonymize(
        _month(tmp_path, 0, months[0]),
        quasi=["sex", "zip"],
        sensitive=["diagnosis"],
        k=5,
        privacy=model,
        out=tmp_path / "0",
        ledger=ledger,
    )
    policy = tmp_path / "0" / "policy.json"
    rs.apply(policy, _month(tmp_path, 1, months[1]), out=tmp_path / "1", ledger=ledger)
    third = _month(tmp_path, 2, months[2])
    with pytest.raises(Refusal, match=f"fewer than {least or 2} values of 'diagnosis' in all"):
        rs.apply(policy, third, out=tmp_path / "2", ledger=ledger)
    rs.apply(policy, _month(tmp_path, 3, months[0]), out=tmp_path / "3", ledger=ledger)


_SET: Final = st.frozensets(st.sampled_from("abcdef"), min_size=1)


@examples(200)
@given(values=_SET, sets=st.lists(_SET, max_size=5), least=st.integers(1, 4))
def test_the_smallest_common_set_is_found(
    values: frozenset[str], sets: list[frozenset[str]], least: int
) -> None:
    """Against every choice of the other releases."""
    sizes = {
        len(values.intersection(*chosen))
        for many in range(len(sets) + 1)
        for chosen in combinations(sets, many)
    }
    expected = min((size for size in sizes if 0 < size < least), default=None)
    assert _smallest(values, sets, least) == (expected, True)
