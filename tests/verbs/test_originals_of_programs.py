"""A release from Excel or SPSS is compared with its original, which has the same format."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

import roadstead as rs
from roadstead.errors import SourceError
from roadstead.release.added_risk import AddedRisk, GroupCounts
from roadstead.reports.terminal.release import added


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", [".xlsx", ".sav"])
def test_a_release_is_attacked_and_evaluated_with_its_original(tmp_path: Path, kind: str) -> None:
    """Fault class: a command that knows only text files."""
    frame = pd.DataFrame(
        {
            "age": [float(20 + at % 40) for at in range(400)],
            "sex": ["fm"[at % 2] for at in range(400)],
            "score": [float(at % 7) for at in range(400)],
        }
    )
    original, out = tmp_path / f"people{kind}", tmp_path / "out"
    if kind == ".sav":
        pyreadstat.write_sav(frame, str(original))
    else:
        frame.to_excel(original, index=False)
    rs.anonymize(original, quasi=["age", "sex"], unchanged=["score"], k=5, out=out)
    attacked = rs.attack(out, original=original).to_dict()
    assert {one["attack"] for one in attacked["attacks"]} >= {"linkage"}
    assert "age" in str(rs.evaluate(out, original=original))
    with pytest.raises(SourceError, match="do not accept such a file"):
        rs.synthesize(original, target="sex", classes=["f", "m"], epsilon=1.0)


def test_columns_that_add_risk_only_together_are_not_ranked() -> None:
    """Fault class: the first column of a tie, called the worst."""
    none, some = GroupCounts(0, 0), GroupCounts(7, 9)
    lines = added(AddedRisk(5, 100, none, some, {"visit": none, "weight": none}))
    assert lines[-1].startswith("  these columns add risk only together: add some of them to")
    (worst,) = added(AddedRisk(5, 100, none, some, {"visit": some}))[-1:]
    assert worst.startswith("  visit adds most: add it to")
