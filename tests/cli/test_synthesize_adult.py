"""The command ``synthesize`` on real data: 30,162 records of the census."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from commands import run
from small_tables import read_csv

RECORDS = 30_162


def test_a_private_release_of_real_data_keeps_its_marginals(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The guarantee holds, and counts are as near as noise of this size allows."""
    monkeypatch.chdir(tmp_path)
    table = data_dir / "adult" / "adult.csv"
    ran = run(
        *("synthesize", table, "--epsilon", "1", "--target", "salary-class"),
        *("--classes", "<=50K,>50K", "--range", "age=15..94", "--out", "release", "--json"),
        *("--hierarchies", data_dir / "adult" / "hierarchies"),
    )
    assert ran.code == 0, ran
    assert ran.err.count("\n") == 1, ran.err
    assert run("verify", "release").code == 0
    assert sum(one["epsilon"] for one in ran.json["ledger"]) == pytest.approx(1)
    assert {"marital-status", "education"} & set(ran.json["told"])
    assert ran.json["records"] == pytest.approx(RECORDS, rel=0.02)
    place = read_csv(table, delimiter=";")[0].index("salary-class")
    true = Counter(row[place] for row in read_csv(table, delimiter=";")[1:])
    for label, records in ran.json["records_by_class"].items():
        assert records == pytest.approx(true[label], rel=0.04)
