"""The charts of candidates show codes with their labels."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from roadstead import registry
from roadstead.errors import MissingExtraError, SettingError
from roadstead.front_end import naming
from roadstead.jobs import SILENT
from roadstead.reports.noticed.numbers import change_of_levels
from roadstead.rooms import NOT_INSTALLED
from roadstead.web.steps.explore.compared import attributes
from roadstead.web.words import PageNaming
from roadstead.web.work.child import TASKS
from roadstead.web.work.trials.frontier import frontier
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


def test_a_removed_column_has_neither_bars_nor_an_error(tmp_path: Path) -> None:
    """Equal shares of all values would look closer to the table than a column that was kept."""
    project = written(tmp_path)
    own = '[hierarchies]\nage = {kind = "flat"}\n[levels]\nmin = {age = 1}\n'
    project.write_text(PROJECT + own, "utf-8")
    given = {
        "verb": "anonymize",
        "project": str(project),
        "given": {"k": 5, "out": str(tmp_path / "made" / "first")},
        "known": ["smokes", "age"],
        "covered": [],
    }
    facts = trial(given, SILENT)
    pinned: Any = [SimpleNamespace(facts=facts, number=1, kind="global", pinned=True)]
    kept, removed = (one["figures"][0] for one in attributes(pinned))
    assert removed["removed"]
    assert removed["says"] == "removed"
    assert not {"drawing", "distance"} & {*removed}
    assert {"drawing", "distance"} <= {*kept}
    assert not kept["removed"], "the template asks for it"


def test_a_candidate_is_made_without_the_room_that_compares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page shows the certified figures, and names the missing room."""
    monkeypatch.setattr(registry, "has", lambda room: room != "evaluation")
    given = {
        "verb": "anonymize",
        "project": str(written(tmp_path)),
        "given": {"k": 5, "out": str(tmp_path / "made" / "first")},
        "known": ["smokes", "age"],
        "covered": [],
    }
    found = trial(given, SILENT)
    assert found["refused"] == f"{NOT_INSTALLED}: evaluation"
    assert found["recoding"] == "global"
    assert found["largest"] <= 1 / 5
    with pytest.raises(MissingExtraError, match="evaluation"):
        TASKS["pairs"]({}, SILENT)


def test_the_step_release_can_show_what_was_noticed(tmp_path: Path) -> None:
    """Also if a candidate is chosen without another preparation; columns withheld as well."""
    rows = [f"{90 + at % 3},x{at % 2}" for at in range(240)]
    (tmp_path / "t.csv").write_text("\n".join(["age,note", *rows]), "utf-8")
    project = tmp_path / "t.toml"
    project.write_text('data = "t.csv"\n[roles]\nquasi = ["age"]\n', "utf-8")
    for verb, more in (("anonymize", {}), ("frontier", {"choose": 0})):
        given = {
            "verb": verb,
            "project": str(project),
            "given": {"out": str(tmp_path / "made" / verb), **more},
            "known": ["age"],
            "covered": [],
        }
        document = trial(given, SILENT)["document"]
        assert document["columns_withheld"]["because"]
        assert "noticed" in document
        if verb == "anonymize":
            assert any("over 89" in one for one in document["noticed"])


def test_a_covered_column_names_values_that_enough_people_have(tmp_path: Path) -> None:
    """Fault class: 8 records of one person named the birth date of this person."""
    shared = [f"p{at},{1950 + at % 3},m" for at in range(60)]
    own = [f"one,1931,{'fm'[at % 2]}" for at in range(8)]
    (tmp_path / "t.csv").write_text("\n".join(["id,born,sex", *shared, *own]), "utf-8")
    project = tmp_path / "t.toml"
    project.write_text('data = "t.csv"\n[roles]\nperson = "id"\nquasi = ["born", "sex"]\n')
    given: dict[str, Any] = {
        "verb": "anonymize",
        "project": str(project),
        "given": {"k": 2, "suppression": 0.5, "out": str(tmp_path / "made" / "first")},
        "known": ["born", "sex"],
        "covered": ["born"],
    }
    found = trial(given, SILENT)
    born = found["attributes"][0]
    assert not any("per record" in one for one in found["notes"])
    assert born["labels"] == ["1950", "1951", "1952", "all others"]
    assert "1931" not in str(born)
    asked = {
        "project": str(project),
        "folders": [given["given"]["out"]],
        "columns": ["born", "sex"],
        "covered": ["born"],
    }
    assert pairs(asked, SILENT)["labels"][0] == ["1950", "1951", "1952", "all others"]


def _admissions(folder: Path) -> Path:
    """Write a table in which each time of admission occurs once, and its project file."""
    times = [f"2023-0{1 + at // 28}-{1 + at % 28:02} 1{at % 10}:17" for at in range(90)]
    rows = [f"{time},{'fm'[at % 2]}" for at, time in enumerate(times)]
    (folder / "t.csv").write_text("\n".join(["admitted,sex", *rows]), "utf-8")
    (folder / "t.toml").write_text('data = "t.csv"\n[roles]\nquasi = ["admitted", "sex"]\n')
    return folder / "t.toml"


def test_policies_on_the_map_do_not_name_rare_ends_of_covered_columns(tmp_path: Path) -> None:
    """Fault class: a policy named the minutes at which two patients were admitted."""
    given = {
        "project": str(_admissions(tmp_path)),
        "given": {"quality": "loss", "evaluations": 300},
    }
    named = frontier({**given, "covered": []}, SILENT)["phrases"]
    covered = frontier({**given, "covered": ["admitted"]}, SILENT)["phrases"]
    assert any("groups of" in one and ":17" in one for one in named)
    assert any("groups of" in one for one in covered)
    assert not any(":17" in one for one in covered)


def test_the_map_says_which_policies_list_rare_values(tmp_path: Path) -> None:
    """Fault class: the page offered a policy, and the release of this policy was then refused."""
    project = str(_admissions(tmp_path))
    search = {"quality": "loss", "evaluations": 300}
    found = frontier({"project": project, "given": search, "covered": []}, SILENT)
    because = "it would list values of admitted that fewer than 5 records have"
    points = found["points"]
    assert {one[6] for one in points} == {"", because}
    assert all(one[4] is not bool(one[6]) for one in points)
    for one in points[::7]:
        out = str(tmp_path / "made" / f"policy-{one[0]}")
        given: dict[str, Any] = {
            "verb": "frontier",
            "project": project,
            "known": ["admitted", "sex"],
        }
        given |= {"covered": [], "given": {**search, "choose": one[0], "out": out}}
        if one[6]:
            with naming(PageNaming()), pytest.raises(SettingError, match="search the levels of"):
                trial(given, SILENT)
        else:
            assert "refused" not in trial(given, SILENT)


def test_a_release_that_is_not_compared_says_which_columns_it_removes(tmp_path: Path) -> None:
    """Fault class: releases with dates relative to another date did not say so."""
    rows = [
        f"p{at % 30},2024-0{1 + at % 9}-1{at % 7},{'fm'[at % 2]},{1900 + at}" for at in range(90)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["id,admitted,sex,born", *rows]), "utf-8")
    (tmp_path / "t.toml").write_text(
        'data = "t.csv"\n[roles]\nperson = "id"\nquasi = ["admitted", "sex", "born"]\n'
        '[persons]\nlink = "pseudonym"\ndates = {admitted = "interval:first"}\n'
        '[hierarchies]\nborn = {kind = "flat"}\n'
    )
    out = str(tmp_path / "made" / "first")
    given: dict[str, Any] = {"verb": "anonymize", "project": str(tmp_path / "t.toml")}
    given["covered"] = []
    given |= {"given": {"k": 2, "suppression": 0.6, "out": out}, "known": ["sex", "born"]}
    found = trial(given, SILENT)
    assert found["refused"]
    assert "born" in found["removed"]


def test_a_page_names_the_field_of_a_band() -> None:
    """Fault class: "change `bottom`", although the field on the page has a label."""
    with naming(PageNaming()):
        said = change_of_levels("dates", "bottom", "born")
    assert said == "change “One band for dates before this year” in the levels of born"
    assert change_of_levels("intervals", "top", "age") == "change `top` in the hierarchy of age"
