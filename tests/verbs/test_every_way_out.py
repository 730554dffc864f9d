"""A release that `write` refuses cannot leave as a data frame or as a table either."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import roadstead as rs

ROWS = (
    *(("b", "y", "cold"), ("b", "y", "cold"), ("b", "x", "cold"), ("a", "y", "flu")),
    *(("b", "y", "cold"), ("a", "x", "cold"), ("b", "z", "cold"), ("a", "z", "cold")),
    *(("b", "x", "cold"), ("b", "y", "hiv"), ("a", "x", "cold"), ("b", "z", "hiv")),
    *(("a", "y", "flu"), ("a", "y", "flu"), ("b", "y", "cold")),
)
"""With four records dropped, the released classes are farther from the release than from these."""
WAYS: dict[str, Callable[[Any], object]] = {
    "to_arrow": lambda result: result.to_arrow(),
    "to_pandas": lambda result: result.to_pandas(),
    "to_polars": lambda result: result.to_polars(),
    "table": lambda result: result.table(),
}


def refused(**privacy: object) -> rs.Anonymization:
    """Find a policy that is true of the source, and whose release cannot be checked."""
    columns = zip(("sex", "ward", "diagnosis"), zip(*ROWS, strict=True), strict=True)
    return rs.anonymize(
        pa.table({name: pa.array(cells) for name, cells in columns}),
        quasi=["sex", "ward"],
        sensitive=["diagnosis"],
        k=2,
        suppression=0.5,
        suppressed="drop",
        privacy=[{"kind": "t-closeness", **privacy}],
    )


@pytest.mark.quick(2)
@pytest.mark.parametrize("way", WAYS)
def test_what_cannot_be_checked_leaves_in_no_way(tmp_path: Path, way: str) -> None:
    """The promise holds of the source, and a recipient has the release alone."""
    result = refused(t=0.25)
    with pytest.raises(rs.Refusal, match=r"do not meet 0\.25-closeness") as written:
        result.write(tmp_path / "release")
    with pytest.raises(rs.Refusal) as left:
        WAYS[way](result)
    assert left.value.message == written.value.message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.quick(2)
@pytest.mark.parametrize("way", WAYS)
def test_a_policy_applied_again_leaves_in_no_other_way(tmp_path: Path, way: str) -> None:
    """Applied to the same table, the same policy makes the same release."""
    result = rs.apply(refused(t=0.25).policy, refused(t=0.25).source)
    with pytest.raises(rs.Refusal, match=r"do not meet 0\.25-closeness"):
        result.write(tmp_path / "release")
    with pytest.raises(rs.Refusal, match=r"do not meet 0\.25-closeness"):
        WAYS[way](result)


@pytest.mark.quick(2)
@pytest.mark.parametrize("way", WAYS)
def test_the_rows_that_leave_are_checked_and_not_the_plan(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A value that no rule produces would be released by a defect; every way out notices."""
    ages = pa.table({"age": [20, 21, 22, 23, 54, 55, 56, 57]})

    def released() -> rs.Anonymization:
        return rs.anonymize(ages, quasi=["age"], k=2, min_level={"age": 1}, suppression=0.5)

    monkeypatch.setattr("roadstead.release.joined_tables._cell", lambda label: f"{label}, room 12")
    with pytest.raises(rs.VerificationError, match="failed verification"):
        released().write(tmp_path / "release")
    with pytest.raises(rs.VerificationError, match="failed verification"):
        WAYS[way](released())
    monkeypatch.undo()
    assert WAYS[way](released()) is not None
