"""``--search k-optimize`` and its relatives on the command line, from a table to a release."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import run, without_charts
from small_tables import PATIENTS, patients, read_csv, write_csv

ADULT = ("--quality", "discernibility", "--suppression", "1", "--k", "5")
SEARCHES = ("k-optimize", "partition-greedy", "partition-genetic")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a table of made-up patients."""
    monkeypatch.chdir(tmp_path)
    without_charts(monkeypatch)
    write_csv(tmp_path / "patients.csv", PATIENTS, patients(400))
    return tmp_path


@pytest.mark.quick(1)
@pytest.mark.parametrize("search", SEARCHES)
def test_release_verify_and_apply(folder: Path, search: str) -> None:
    """The release keeps its promises, and its policy makes the same of the same table."""
    roles = ("--quasi", "age,sex", "--identifiers", "name,record,zip", "--sensitive", "diagnosis")
    asked = ("--quality", "classification", "--target", "diagnosis", "--search", search)
    ran = run("anonymize", "patients.csv", *roles, *asked, "--out", "release", "--json")
    assert ran.code == 0, ran
    document = ran.json
    assert document["verified"] is True
    assert document["search"] == search
    assert document["quality"] == {"kind": "classification", "target": "diagnosis"}
    assert document["lattice_size"] == 2**40
    assert document["levels"].keys() == {"age", "sex"}
    assert 0 < document["loss"] < 1
    assert run("verify", "release").code == 0
    assert run("apply", "release/policy.json", "patients.csv", "--out", "again").code == 0
    assert read_csv(folder / "again/patients.csv") == read_csv(folder / "release/patients.csv")


def test_what_was_done_is_told_in_words(folder: Path) -> None:
    """With intervals and levels, and what is proven."""
    roles = ("--quasi", "age,sex", "--identifiers", "name,record,zip", "--sensitive", "diagnosis")
    ran = run("anonymize", "patients.csv", *roles, *ADULT[:4], "--k", "9", "--search", "k-optimize")
    assert ran.code == 0, ran
    assert "age  cut at " in ran.out
    assert "of 0-39, " in ran.out
    assert "Proven optimal: no allowed policy with these orders" in ran.out
    assert folder.joinpath("release").exists() is False


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "--quality: k-optimize minimizes discernibility or the classification metric"),
        (("--quality", "entropy"), ", not entropy; use --quality discernibility"),
        (("--quality", "classification"), "name it with --target"),
        (("--quality", "discernibility", "--max-level", "age=1"), "--min-level, --max-level: "),
        (
            ("--quality", "discernibility", "--privacy", "distinct-l-diversity:l=2"),
            "--privacy: k-optimize judges groups only by their size",
        ),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_it_cannot_do_is_refused_in_one_line(options: tuple[str, ...], message: str) -> None:
    """With the fix, and nothing is written."""
    roles = ("--quasi", "age,sex", "--sensitive", "diagnosis", "--search", "k-optimize")
    ran = run("anonymize", "patients.csv", *roles, *options, "--out", "release")
    assert ran.code == 2
    assert message in ran.error
    assert not Path("release").exists()


@pytest.mark.usefixtures("folder")
def test_an_unknown_search_is_told_the_nearest_name_or_all_names() -> None:
    """Names of searches of both kinds."""
    ran = run("anonymize", "patients.csv", "--quasi", "age", "--search", "koptimize")
    assert ran.code == 2
    assert "did you mean k-optimize?" in ran.error
    ran = run("anonymize", "patients.csv", "--quasi", "age", "--search", "luck")
    assert ran.code == 2
    assert all(f" {name}" in ran.error for name in ("exact", "flash", *SEARCHES))


@pytest.fixture
def adult(data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The table of the census; the working directory is another."""
    monkeypatch.chdir(tmp_path)
    without_charts(monkeypatch)
    return data_dir / "adult" / "adult.csv"


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("quasi", "cost"),
    [("age,sex,race", 8_822_806), ("age,sex,race,marital-status", 6_858_007)],
)
def test_the_proven_optimum_of_the_census(adult: Path, quasi: str, cost: int) -> None:
    """The cost that the search proves is that of the released file, group by group."""
    asked = ("--search", "k-optimize", "--out", "release", "--json")
    ran = run("anonymize", adult, "--quasi", quasi, *ADULT, *asked)
    assert ran.code == 0, ran
    assert ran.json["optimal"] is True
    assert ran.json["loss"] == ran.json["lower_bound"] == cost / 30_162**2
    assert ran.json["lattice_size"] == 2 ** (76 if quasi.endswith("race") else 82)
    head, *rows = read_csv(Path("release/adult.csv"), delimiter=";")
    places = [head.index(name) for name in quasi.split(",")]
    sizes: dict[tuple[str, ...], int] = {}
    for row in rows:
        labels = tuple(row[at] for at in places)
        sizes[labels] = sizes.get(labels, 0) + 1
    masked = sizes.pop(("*",) * len(places), 0)
    gone = masked + 30_162 - len(rows)
    assert gone == ran.json["suppressed"]
    assert sum(size**2 for size in sizes.values()) + gone * 30_162 == cost
    assert run("verify", "release").code == 0
    assert run("apply", "release/policy.json", adult, "--out", "again").code == 0
    assert Path("again/adult.csv").read_bytes() == Path("release/adult.csv").read_bytes()


def test_a_heuristic_does_no_better_on_the_census(adult: Path) -> None:
    """Merging alone, as the table of the method's page has it."""
    asked = ("--search", "partition-greedy", "--json")
    ran = run("anonymize", adult, "--quasi", "age,sex,race", *ADULT, *asked)
    assert ran.json["loss"] == 8_843_014 / 30_162**2
    assert (ran.json["optimal"], ran.json["lower_bound"], ran.json["gap"]) == (False, 0.0, 1.0)


def test_the_order_of_a_file_counts(adult: Path) -> None:
    """Countries in the order of their file can be cut, though one of them is rare."""
    levels = adult.parent / "hierarchies"
    asked = ("--quasi", "age,native-country", "--search", "partition-greedy", *ADULT)
    ran = run("anonymize", adult, *asked, "--hierarchies", levels, "--json")
    assert ran.code == 0, ran
    assert ran.json["hierarchies"]["native-country"].startswith("as listed in ")
    refused = run("anonymize", adult, *asked, "--json")
    assert refused.code == 2
    assert "would list values of 'native-country' that fewer than 5 records have" in refused.error
