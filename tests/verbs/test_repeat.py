"""A release is made again from its table, and what differs is named."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commands import run
from signed_releases import write_release
from small_tables import PATIENTS, QUASI, patients, write_csv

import roadstead as rs


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table, and its release."""
    folder = tmp_path_factory.mktemp("repeat")
    write_csv(folder / "patients.csv", PATIENTS, patients(200))
    rs.anonymize(
        folder / "patients.csv",
        quasi=QUASI.split(","),
        identifiers=["name", "record"],
        unchanged=["diagnosis"],
        k=3,
        out=folder / "release",
    )
    return folder


def test_a_release_is_made_again_with_equal_bytes(place: Path) -> None:
    found = rs.repeat(place / "release", original=place / "patients.csv")
    assert found.passed
    assert {"patients.csv", "policy.json", "certificate.json: counts"} <= set(found.same)
    assert not found.different


def test_a_table_with_one_other_value_does_not_give_the_release(
    place: Path, tmp_path: Path
) -> None:
    """Fault class: a comparison of what was certified, not of what the table gives."""
    lines = (place / "patients.csv").read_text("utf-8").splitlines()
    lines[-1] = lines[-1].rpartition(",")[0] + ",measles"
    (tmp_path / "patients.csv").write_text("\n".join(lines) + "\n", "utf-8")
    ended = run("repeat", place / "release", "--original", tmp_path / "patients.csv", "--json")
    assert ended.code == 1
    assert json.loads(ended.out)["different"][0] == "patients.csv"


def test_a_missing_record_changes_the_counts(place: Path, tmp_path: Path) -> None:
    lines = (place / "patients.csv").read_text("utf-8").splitlines()
    (tmp_path / "patients.csv").write_text("\n".join(lines[:-1]) + "\n", "utf-8")
    found = rs.repeat(place / "release", original=tmp_path / "patients.csv")
    assert {"patients.csv", "certificate.json: counts"} <= set(found.different)


@pytest.mark.nightly
def test_the_name_of_the_original_does_not_matter(place: Path, tmp_path: Path) -> None:
    shutil.copy(place / "patients.csv", tmp_path / "copy-of-june.csv")
    assert rs.repeat(place / "release", original=tmp_path / "copy-of-june.csv").passed


@pytest.mark.quick(1)
@pytest.mark.parametrize("persons", [False, True])
@pytest.mark.parametrize("within", ["", ",within=classes", ",function=median"])
def test_a_release_that_shows_values_of_groups_is_made_again(
    tmp_path: Path, within: str, *, persons: bool
) -> None:
    """Such a policy fits no new records, but it fits the records that it was made of."""
    rows = [(f"P{i // 2}", "FM"[i % 2], str(30 + i * 7 % 23), str(i * i % 97)) for i in range(240)]
    write_csv(tmp_path / "t.csv", ("person", "sex", "age", "glucose"), rows)
    treat = f"microaggregation:column=glucose,k=4{within}"
    made = ("anonymize", tmp_path / "t.csv", "--quasi", "sex,age", "--treat", treat)
    who = ("--person", "person") if persons else ("--identifiers", "person")
    kept = ("--unchanged", "glucose", "--suppression", "1", "--out", tmp_path / "release")
    assert run(*made, *who, *kept).code == 0
    assert run("apply", tmp_path / "release" / "policy.json", tmp_path / "t.csv").code == 2
    assert not rs.repeat(tmp_path / "release", original=tmp_path / "t.csv").different


@pytest.mark.quick(1)
@pytest.mark.parametrize("promised", [5000, 2])
def test_a_release_that_was_chosen_from_a_frontier_is_made_again(
    place: Path, tmp_path: Path, promised: int
) -> None:
    """Fault class: what says how the policy was chosen is taken for a difference."""
    frontier = ("frontier", place / "patients.csv", "--quasi", QUASI, "--unchanged", "diagnosis")
    chosen = (
        "--choose",
        "1",
        "--promise-k",
        str(promised),
        "--choose-reason",
        "a look at all choices",
    )
    limits = ("--identifiers", "name,record", "--evaluations", "200")
    assert run(*frontier, *chosen, *limits, "--out", tmp_path / "frontier").code == 0
    (certificate,) = tmp_path.rglob("certificate.json")
    assert ("below_promise" in json.loads(certificate.read_text("utf-8"))) is (promised == 5000)
    assert not rs.repeat(certificate.parent, original=place / "patients.csv").different


def test_pseudonyms_are_the_same_with_the_key_only(tmp_path: Path) -> None:
    rows = [(f"P{i % 60}", "F" if i % 2 else "M", str(40 + i % 3), "flu") for i in range(240)]
    write_csv(tmp_path / "visits.csv", ("person", "sex", "age", "diagnosis"), rows)
    rs.key(tmp_path / "visits.key", purpose="pseudonyms")
    rs.anonymize(
        tmp_path / "visits.csv",
        quasi=["sex", "age"],
        unchanged=["diagnosis"],
        person="person",
        link="pseudonym",
        key=tmp_path / "visits.key",
        k=3,
        out=tmp_path / "release",
    )
    release, original = tmp_path / "release", tmp_path / "visits.csv"
    assert rs.repeat(release, original=original, key=tmp_path / "visits.key").passed
    assert "visits.csv" in rs.repeat(release, original=original).different
    assert "come from a key: give --key" in run("repeat", release, "--original", original).out
    rs.key(tmp_path / "other.key", purpose="pseudonyms")
    wrong = ("--original", original, "--key", tmp_path / "other.key")
    assert "Check the key" in run("repeat", release, *wrong).out


def test_an_auditor_learns_that_no_run_can_make_the_pseudonyms_again(tmp_path: Path) -> None:
    rows = [(f"P{i % 60}", "F" if i % 2 else "M", "flu") for i in range(240)]
    write_csv(tmp_path / "visits.csv", ("person", "sex", "diagnosis"), rows)
    table, release = tmp_path / "visits.csv", tmp_path / "release"
    linked = ("--person", "person", "--link", "pseudonym", "--unchanged", "diagnosis")
    assert run("anonymize", table, "--quasi", "sex", *linked, "--out", release).code == 0
    said = run("repeat", release, "--original", table).out
    assert "1 part differs." in said
    assert "a random key that Roadstead did not keep" in said


def test_a_release_that_fails_verification_is_not_made_again(place: Path, tmp_path: Path) -> None:
    shutil.copytree(place / "release", tmp_path / "release")
    with (tmp_path / "release" / "patients.csv").open("a", encoding="utf-8") as table:
        table.write("x\n")
    ended = run("repeat", tmp_path / "release", "--original", place / "patients.csv")
    assert ended.code == 1
    assert not ended.out


def test_a_private_release_is_refused_with_the_reason(place: Path, tmp_path: Path) -> None:
    """Fault class: the message asked for another release, but did not say why."""
    write_release("private", tmp_path / "private")
    ended = run("repeat", tmp_path / "private" / "release", "--original", place / "patients.csv")
    assert ended.code == 2
    assert "a differentially private release cannot be made again" in ended.error
    assert "noise is random" in ended.error
