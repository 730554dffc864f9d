"""Every recoding of Adult in use: a classifier for salary, marginals, and a regression.

    ROADSTEAD_DATA=folder python benchmarks/recodings_in_use.py [--k 5 20 50] [--out DIR]

Releases are made and compared by the command line, as a user does it: one of each recoding and k,
with eight quasi-identifiers, the salary released unchanged, and at most 5% of the records
suppressed. There is also a release under estimated k-map, and one of noisy counts (DiffGen, epsilon
= 1). If a recoding cannot be made, the script says so and omits it. The folder keeps the releases
and the page with the map.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from problems import ADULT

QUASI = tuple(name for name in ADULT.columns if name != "salary-class")
TARGET = "salary-class"
FORMULA = f"{TARGET} ~ age + sex + marital-status + race"
RECODINGS = ("global", "cells", "local", "intervals")
SUPPRESSION = "0.05"


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run roadstead in a process of its own."""
    line = [sys.executable, "-m", "roadstead", *arguments]
    return subprocess.run(line, capture_output=True, text=True, check=False)


def made(folder: Path, name: str, data: Path, *arguments: str) -> list[str]:
    """Make a release; nothing where it cannot be made, which is said."""
    out = folder / name
    if out.exists():
        return [str(out)]
    done = command(*arguments[:1], str(data), *arguments[1:], "--out", str(out))
    if done.returncode:
        print(f"{name}: not made; {done.stderr.splitlines()[-1] if done.stderr else ''}")
        return []
    return [str(out)]


def releases(folder: Path, data: Path, sizes: Sequence[int]) -> list[str]:
    """Make all releases."""
    roles = ("--quasi", ",".join(QUASI), "--unchanged", TARGET)
    hierarchies = ("--hierarchies", str(data.parents[1] / str(ADULT.hierarchies)))
    usual = (*roles, *hierarchies, "--suppression", SUPPRESSION)
    found = []
    for k in sizes:
        for recoding in RECODINGS:
            found += made(
                *(folder, f"{recoding}-{k}", data, "anonymize"),
                *(*usual, "--k", str(k), "--recoding", recoding),
            )
    population = ("--privacy", f"estimated-k-map:k={sizes[0]},fraction=0.01")
    found += made(folder, "k-map", data, "anonymize", *usual, *population)
    found += made(
        *(folder, "noisy", data, "synthesize"),
        *("--epsilon", "1", "--target", TARGET, "--classes", "<=50K,>50K"),
        *("--range", "age=17..90", *hierarchies, "--quasi", ",".join(QUASI)),
    )
    return found


def figure(value: dict[str, Any] | None) -> str:
    """Write a mean of folds and its margin, in percent."""
    if value is None:
        return ""
    return f"{100 * value['mean']:.1f} ± {100 * value['margin']:.1f}"


def table(document: dict[str, Any]) -> list[str]:
    """Write the figures as a table of Markdown."""
    heads = ("release", "largest risk", "mean risk", "loss", "one-way", "two-way", "as they are")
    risk, best = document["risk"], figure(document["baseline"]["boosted"])
    risks = f"{risk['largest']:.3f} | {risk['mean']:.3f}"
    lines = [
        f"| {' | '.join((*heads, 'alike', 'overlap'))} |",
        "|---" * 9 + "|",
        f"| original | {risks} | 0 | 0 | 0 | {best} | | 1 |",
    ]
    for one in document["releases"]:
        own = (one["accuracy"] or {}).get("boosted", {})
        overlap = "" if one["mean_overlap"] is None else f"{one['mean_overlap']:.2f}"
        cells = [
            *(one["release"], f"{one['risk']['largest']:.3f}", f"{one['risk']['mean']:.3f}"),
            *(f"{one[key]:.3f}" for key in ("loss", "one_way", "two_way")),
            *(figure(own.get("ca")), figure(own.get("ca_alike")), overlap),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines.append(f"| most frequent class | | | | | | {figure(document['lower_bound'])} | | |")
    return lines


def main() -> None:
    """Make the releases, compare them, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--k", type=int, nargs="+", default=[5, 20, 50])
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    data = Path(os.environ["ROADSTEAD_DATA"]) / ADULT.file
    folder = given.out or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    names = releases(folder, data, given.k)
    done = command(
        *("evaluate", *names, "--original", str(data), "--target", TARGET, "--formula", FORMULA),
        *("--runs", str(given.runs), "--out", str(folder / "compared"), "--force", "--json"),
    )
    if done.returncode:
        sys.exit(done.stderr)
    document = json.loads(done.stdout)
    print("\n".join(table(document)))
    print(f"\nThe page with the map: {folder / 'compared' / 'evaluation.html'}")
    if given.json is not None:
        given.json.write_text(json.dumps(document, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
