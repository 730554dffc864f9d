"""A lattice of 32 policies, small enough for plain Python: age, sex, and ZIP code."""

from __future__ import annotations

from pathlib import Path

NAMES = ("age", "sex", "zip")
AGES = [str(age) for age in range(40, 48)]
ZIPS = ["02139", "02140", "02141", "02210"]
LEVELS: dict[str, dict[str, tuple[str, ...]]] = {
    "age": {a: (a, f"pair {int(a) // 2}", f"four {int(a) // 4}", "*") for a in AGES},
    "sex": {"F": ("F", "*"), "M": ("M", "*")},
    "zip": {z: (z, z[:4] + "*", z[:3] + "**", "*") for z in ZIPS},
}
"""The label of each value at each level."""


def write_levels(folder: Path) -> Path:
    """Write a hierarchy file for each attribute into a new folder."""
    folder.mkdir()
    for name, levels in LEVELS.items():
        text = "".join(";".join(row) + "\n" for row in levels.values())
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return folder
