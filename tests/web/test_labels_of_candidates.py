"""The charts of candidates show codes with their labels."""

from __future__ import annotations

from pathlib import Path

from roadstead.jobs import SILENT
from roadstead.web.work.trials.pairs import pairs
from roadstead.web.work.trials.trial import trial

BOOK = "name,label,values\nsmokes,Smoking,1=never; 2=before; 3=daily\n"
PROJECT = """data = "t.csv"
[reading]
codebook = "book.csv"
[roles]
quasi = ["smokes", "age"]
"""


def written(folder: Path) -> Path:
    """Write a table of codes, its codebook, and a project file."""
    rows = [f"{1 + at % 3},{20 + at % 4}" for at in range(240)]
    (folder / "t.csv").write_text("\n".join(["smokes,age", *rows]), "utf-8")
    (folder / "book.csv").write_text(BOOK, "utf-8")
    (folder / "t.toml").write_text(PROJECT, "utf-8")
    return folder / "t.toml"


def test_bands_values_and_pairs_have_labels(tmp_path: Path) -> None:
    """Fault class: the charts of a candidate showed 1, 2, and 3, and no one knew who smokes."""
    project, out = str(written(tmp_path)), tmp_path / "made" / "first"
    given = {
        "verb": "anonymize",
        "project": project,
        "given": {"k": 5, "out": str(out)},
        "known": ["smokes", "age"],
        "covered": [],
    }
    found = trial(given, SILENT)
    smokes, age = found["attributes"]
    labels = {"1 = never", "2 = before", "3 = daily"}
    assert {*smokes["labels"]} == {one["label"] for one in smokes["bands"]} == labels
    assert {*age["labels"]} == {"20", "21", "22", "23"}
    asked = {"project": project, "folders": [str(out)], "columns": ["smokes", "age"], "covered": []}
    assert {*pairs(asked, SILENT)["labels"][0]} == labels
