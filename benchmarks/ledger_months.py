"""Monthly extracts of a growing table, each compared with all earlier ones by the ledger.

    python benchmarks/ledger_months.py [--months 24] [--records 1000000] [--json FILE]

The patients of the demonstration's cohort are drawn repeatedly until the last month has this many
records. Sex, race, year of birth, and ZIP code may be known; diagnosis and outcome are released
unchanged. Every month, people arrive in groups of identical people, so that no class grows by fewer
than k. Each extract is released with the policy of the first. In some months another extract is
tested before it, with a planted change: one person arrives alone, one leaves, two arrive where two
left, or another policy is used on the same records. The script prints which extracts were refused,
and how long each month's release took with all comparisons.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

import roadstead as rs
from roadstead.cohort import write_csv
from roadstead.errors import Refusal

QUASI = ("sex", "race", "birth_year", "zip")
SENSITIVE = ("diagnosis", "outcome")
K = 5
GROUP = 15
"""Identical people who arrive together."""
GROWTH = 0.01
PLANTED = ("one who came", "one who left", "two for two", "another policy")
EVERY = 3
"""In one of this many months, a change is planted."""


@dataclass(frozen=True)
class Patients:
    """Records of the cohort from which others are drawn, and the people in the table so far."""

    columns: dict[str, NDArray[Any]]
    known: NDArray[np.int64]  # for each record, the source of its quasi-identifiers,
    told: NDArray[np.int64]  # and the source of its sensitive values

    def table(self) -> pa.Table:
        """Return the records."""
        return pa.table(
            {
                **{name: self.columns[name][self.known] for name in QUASI},
                **{name: self.columns[name][self.told] for name in SENSITIVE},
            }
        )

    def grown(self, chance: np.random.Generator, groups: int) -> Patients:
        """Add groups of people who are identical in what may be known about them."""
        number = self.columns["sex"].size
        come = np.repeat(chance.integers(0, number, groups), GROUP)
        told = chance.integers(0, number, come.size)
        return self._with(np.append(self.known, come), np.append(self.told, told))

    def planted(self, what: str) -> Patients:
        """Add or remove a single person."""
        one = np.array([self.known[0]])
        if what == "one who left":
            return self._with(self.known[1:], self.told[1:])
        if what == "one who came":
            return self._with(np.append(self.known, one), np.append(self.told, self.told[:1]))
        alike = np.flatnonzero(self.known == self.known[0])[:2]
        told = self.told.copy()
        told[alike] = (told[alike] + 1) % self.columns["sex"].size
        return self._with(self.known, told)

    def _with(self, known: NDArray[np.int64], told: NDArray[np.int64]) -> Patients:
        return Patients(self.columns, known, told)


def first_month(folder: Path, records: int, months: int, chance: np.random.Generator) -> Patients:
    """Draw the first month, small enough that the last one has the requested number of records."""
    write_csv(folder / "cohort.csv", patients=200_000, seed=3)
    with (folder / "cohort.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    columns = {name: np.array([row.get(name, "") for row in rows]) for name in (*QUASI, *SENSITIVE)}
    columns["birth_year"] = np.array([row["birth_date"][:4] for row in rows])
    size = int(records / (1 + GROWTH) ** (months - 1))
    known = chance.integers(0, len(rows), size)
    return Patients(columns, known, known.copy())


def tried(data: Path, policy: Path, folder: Path, ledger: Path, what: str) -> bool:
    """Return whether a planted extract is refused, as it should be."""
    out = folder / "planted"
    try:
        if what == "another policy":
            rs.anonymize(
                data,
                quasi=["race", "birth_year", "zip"],
                sensitive=list(SENSITIVE),
                identifiers=["sex"],
                k=K,
                out=out,
                ledger=ledger,
            )
        else:
            rs.apply(policy, data, out=out, ledger=ledger)
    except Refusal as refusal:
        print(f"    {what}: refused: {refusal.what[:150]}")
        return True
    print(f"    {what}: NOT refused")
    return False


def main(arguments: Sequence[str]) -> int:
    """Release month after month."""
    parser = argparse.ArgumentParser(description="Monthly extracts, laid over each other.")
    parser.add_argument("--months", type=int, default=24)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    chance = np.random.default_rng(5)
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ledger, policy = folder / "ledger", folder / "release-0" / "policy.json"
        ledger.mkdir()
        patients = first_month(folder, given.records, given.months, chance)
        for month in range(given.months):
            data = folder / "extract.parquet"
            if month and month % EVERY == 0:
                what = PLANTED[(month // EVERY - 1) % len(PLANTED)]
                pq.write_table(patients.planted(what).table(), data)
                found.append(
                    {"planted": what, "refused": tried(data, policy, folder, ledger, what)}
                )
            if month:
                groups = int(GROWTH * patients.known.size / GROUP)
                patients = patients.grown(chance, groups)
            pq.write_table(patients.table(), data)
            out, began = folder / f"release-{month}", time.perf_counter()
            used = time.process_time()
            if month:
                rs.apply(policy, data, out=out, ledger=ledger)
            else:
                rs.anonymize(
                    data, quasi=list(QUASI), sensitive=list(SENSITIVE), k=K, out=out, ledger=ledger
                )
            seconds, used = time.perf_counter() - began, time.process_time() - used
            size = sum(path.stat().st_size for path in ledger.glob("*.json")) / (month + 1)
            told = {
                "month": month,
                "records": int(patients.known.size),
                "seconds": seconds,
                "cpu": used,
            }
            found.append({**told, "seconds": seconds, "bytes_an_entry": size})
            print(
                f"month {month:2}: {patients.known.size:9,} records, {seconds:5.1f} s, "
                f"{used:5.1f} s cpu, "
                f"{size / 1e6:.2f} MB an entry",
                flush=True,
            )
    planted = [one["refused"] for one in found if "planted" in one]
    print(f"planted: {len(planted)}, refused: {sum(planted)}; unplanted refused: 0")
    if given.json is not None:
        given.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    return 0 if all(planted) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
