"""The command that runs a paper's experiments, here on few synthetic people."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from commands import listing, run
from patience import PATIENCE

from roadstead.cli.reproduce import PAPERS
from roadstead_reproductions import reproduction
from roadstead_reproductions.prasser2016 import experiments
from roadstead_reproductions.prasser2016.cases import Case, made_up
from roadstead_reproductions.prasser2016.experiments import Extent
from roadstead_reproductions.survey import survey
from roadstead_reproductions.tables import Picture

TINY = Extent(
    name="tiny",
    attributes=3,
    subset_attributes=3,
    sample=1,
    survey_records=300,
    survey_attributes=4,
    survey_seconds=PATIENCE,
    operations=200,
    memory_attributes=(3,),
    memory_seconds=PATIENCE,
    explicit_policies=1_000,
    expected=3.0,
)


def undrawn(picture: Picture, folder: Path) -> None:
    """Write a picture in a word: to draw one takes longer than all else."""
    for form in ("svg", "png"):
        (folder / f"{picture.name}.{form}").write_text(picture.title)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, and data sets that need nothing."""

    def had(name: str) -> Case:
        return made_up(survey(300).of(("sex", "region", "income")), name)

    monkeypatch.setattr(experiments, "load", had)
    monkeypatch.setattr(experiments, "QUICK", TINY)
    monkeypatch.setattr(reproduction, "_write_picture", undrawn)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_tables_are_printed_and_files_written(place: Path) -> None:
    """Results on standard output, what is being done on standard error, the rest in the folder."""
    ran = run("reproduce", "prasser2016", "--quick", "--out", "found")
    assert ran.code == 0, ran
    for title in ("Table 1", "Table 2", "Figure 5", "Figure 7a", "Table 5"):
        assert title in ran.out
    assert "published" in ran.out
    said = ran.err.splitlines()
    assert said[0] == "prasser2016: about 3 seconds on two cores"
    assert said[-1] == "Tables, pictures, and figures are in found"
    assert any("reading Adult" in line for line in said)
    names = {path.name for path in (place / "found").iterdir()}
    assert {"README.md", "results.json", "table-5-improvement.csv"} <= names
    pictures = {name.rpartition(".")[0] for name in names if name.endswith(".png")}
    assert pictures == {name.rpartition(".")[0] for name in names if name.endswith(".svg")}
    assert len(pictures) == 7


def test_one_json_object_holds_what_the_file_holds(place: Path) -> None:
    """And nothing else is on standard output."""
    ran = run("reproduce", "prasser2016", "--quick", "--out", "found", "--json")
    assert ran.code == 0, ran
    document = ran.json
    assert document["out"] == "found"
    written = json.loads((place / "found" / "results.json").read_text("utf-8"))
    assert document["tables"] == written["tables"]
    assert document["settings"]["extent"] == "tiny"
    for table in document["tables"].values():
        assert set(table) == {"title", "rows", "notes"}


def test_without_a_folder_nothing_is_written(place: Path) -> None:
    """The tables are printed nevertheless."""
    ran = run("reproduce", "prasser2016", "--quick")
    assert (ran.code, listing(place)) == (0, {})
    assert "Table 5" in ran.out


def test_an_unknown_paper_is_refused_with_those_that_are_known(place: Path) -> None:
    """Before anything is done."""
    ran = run("reproduce", "prasser2061", "--out", "found")
    assert (ran.code, ran.out) == (2, "")
    known = ", ".join(sorted(PAPERS))
    assert ran.error == f"there are no experiments for a paper named 'prasser2061'; use {known}"
    assert {"benitez2010", "prasser2016", "xia2013"} <= set(PAPERS)
    assert listing(place) == {}


def test_without_the_experiments_the_command_says_what_to_install(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are a distribution of their own."""
    monkeypatch.setattr("roadstead.registry.entry_points_of", lambda _: ())
    ran = run("reproduce", "prasser2016", "--quick")
    assert (ran.code, ran.out, listing(place)) == (2, "", {})
    assert ran.error == (
        "the papers' experiments are not installed; pip install roadstead-reproductions, or in a "
        "checkout of Roadstead: pip install ./reproductions"
    )


@pytest.mark.nightly
def test_a_former_reproduction_is_replaced_by_force_and_nothing_else_is(place: Path) -> None:
    """A folder with anything else in it stays, and is refused before the work begins."""
    command = ("reproduce", "prasser2016", "--quick", "--out", "found")
    assert run(*command).code == 0
    refused = run(*command)
    assert refused.code == 2
    assert refused.error == "found: already exists; choose another name, or give --force"
    assert run(*command, "--force").code == 0
    (place / "found" / "notes.txt").write_text("mine")
    before = listing(place)
    refused = run(*command, "--force")
    assert refused.code == 2
    assert "'notes.txt', which is not part of an earlier" in refused.error
    assert listing(place) == before


@pytest.mark.parametrize("moment", ["_write_picture", "_readme"])
def test_an_interrupt_leaves_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """Even in the middle of writing."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"roadstead_reproductions.reproduction.{moment}", interrupted)
    ran = run("reproduce", "prasser2016", "--quick", "--out", "found")
    assert (ran.code, ran.out) == (130, "")
    assert "interrupted; no unfinished files remain" in ran.err
    assert listing(place) == {}


def test_data_that_cannot_be_fetched_are_one_line(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the command that installs what fetches them."""
    monkeypatch.undo()
    monkeypatch.delenv("ROADSTEAD_DATA", raising=False)
    monkeypatch.setitem(sys.modules, "pooch", None)
    monkeypatch.chdir(place)
    ran = run("reproduce", "prasser2016", "--quick", "--out", "found")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[-1] == (
        "roadstead: pooch is required to fetch data sets; pip install pooch"
    )
    assert listing(place) == {}
