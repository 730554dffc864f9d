"""The command `attack`: its output and files, its certificates, and its refusals."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from attacked_releases import TABLE, people, promising, write_release
from commands import run
from private_releases import by_hand
from small_tables import write_csv

import roadstead as rs
from roadstead.release.documents import json_text
from roadstead.release.private.publish import publish_private

QUICK = "scan,linkage,attribute-inference"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table and its release."""
    folder = tmp_path_factory.mktemp("made")
    write_release(folder, people(200, 1))
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy, to be changed."""
    return Path(shutil.copytree(made, tmp_path / "copy"))


def files_of(release: Path) -> dict[str, bytes]:
    """Read all files of a folder."""
    return {file.name: file.read_bytes() for file in release.iterdir()}


def test_what_was_found_is_said_and_nothing_is_written(folder: Path) -> None:
    """Sentences with a gist first; the release stays unchanged."""
    before = files_of(folder / "release")
    ran = run("attack", folder / "release", "--original", folder / TABLE, "--attacks", QUICK)
    assert ran.code == 0, ran.err
    assert " were run. None " in ran.out.splitlines()[0]
    assert "(not recorded)" not in ran.out
    assert "An attacker who knows a person's age, sex and zip picks the right record" in ran.out
    assert files_of(folder / "release") == before


def test_a_weak_release_ends_with_a_code_of_its_own(folder: Path) -> None:
    """So a pipeline stops there."""
    promising(folder / "release", 50)
    ran = run("attack", folder / "release", "--attacks", "scan")
    assert ran.code == 1
    assert ran.out.startswith("ATTACKS SUCCEED: 1 of 2 attack variants")


def test_json_has_every_figure_and_its_sentence(folder: Path) -> None:
    """The same in Python, as a table."""
    ran = run(
        *("attack", folder / "release", "--original", folder / TABLE),
        *("--attacks", QUICK, "--json", "--attempts", "50", "--seed", "3"),
    )
    document = ran.json
    assert document["seed"] == 3
    assert {one["attack"] for one in document["attacks"]} == set(QUICK.split(","))
    assert all(one["sentence"].endswith(".") for one in document["attacks"])
    found = rs.attack(
        folder / "release", original=folder / TABLE, attacks=QUICK.split(","), attempts=50, seed=3
    )
    assert found.to_dict()["attacks"] == document["attacks"]
    assert found.to_arrow().num_rows == len(document["attacks"])
    assert "no attack succeeds" in repr(found)


def test_attacks_are_certified_with_their_page_and_verify_holds(folder: Path) -> None:
    """No value of the table is in either; verify says what it cannot check."""
    release = folder / "release"
    ran = run(
        *("attack", release, "--original", folder / TABLE, "--attacks", QUICK, "--certify"),
    )
    assert ran.code == 0, ran.err
    certificate = json.loads((release / "certificate.json").read_text("utf-8"))
    assert {one["attack"] for one in certificate["attacks"]} == set(QUICK.split(","))
    assert "attacks.html" in [one["name"] for one in certificate["files"]]
    page = (release / "attacks.html").read_text("utf-8")
    texts = page + json.dumps(certificate["attacks"])
    assert not [tag for *_, tag in people(200, 1) if tag in texts]
    verification = rs.verify(release)
    assert verification.passed
    assert any("attacks.html" in one for one in verification.unchecked)
    again = run(
        *("attack", release, "--original", folder / TABLE, "--attacks", "scan", "--certify")
    )
    assert again.code == 0
    anew = json.loads((release / "certificate.json").read_text("utf-8"))
    assert len(anew["attacks"]) == len(certificate["attacks"])
    assert rs.verify(release).passed


def test_a_release_without_attacks_has_no_word_of_them(folder: Path) -> None:
    """Certificates therefore stay unchanged."""
    assert "attacks" not in json.loads((folder / "release/certificate.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"successes": 10_000_000.0}, "more successes than attempts"),
        ({"convicted": True}, "the verdict does not follow"),
        ({"high": -0.5}, "not within its interval"),
    ],
)
def test_figures_that_contradict_each_other_fail(
    folder: Path, change: dict[str, object], said: str
) -> None:
    """A forger of a certificate has to change all of them."""
    release = folder / "release"
    run("attack", release, "--original", folder / TABLE, "--attacks", "linkage", "--certify")
    file = release / "certificate.json"
    document = json.loads(file.read_text("utf-8"))
    document["attacks"][0] |= change
    file.write_text(json_text(document), encoding="utf-8")
    failed = [one for one in rs.verify(release).checks if not one.passed]
    assert [one.check for one in failed] == ["the results of the attacks are consistent"]
    assert said in failed[0].detail


def test_a_page_of_attacks_that_nobody_certified_fails(folder: Path) -> None:
    """The page may be added, changed, or removed."""
    release = folder / "release"
    (release / "attacks.html").write_text("all is well", encoding="utf-8")
    assert not rs.verify(release).passed
    (release / "attacks.html").unlink()
    run("attack", release, "--original", folder / TABLE, "--attacks", "scan", "--certify")
    assert rs.verify(release).passed
    (release / "attacks.html").write_text("all is well", encoding="utf-8")
    assert not rs.verify(release).passed
    (release / "attacks.html").unlink()
    assert not rs.verify(release).passed


def test_a_signature_is_taken_off_and_that_is_said(folder: Path) -> None:
    """It was of the certificate before."""
    release = folder / "release"
    assert run("key", folder / "k", "--purpose", "signing").code == 0
    assert run("sign", release, "--key", folder / "k", "--name", "Ana").code == 0
    ran = run("attack", release, "--original", folder / TABLE, "--attacks", "scan", "--certify")
    assert "The certificate changed, so its signature was removed" in ran.out
    assert not (release / "signature.json").exists()
    assert rs.verify(release).passed


def test_a_release_that_fails_its_check_is_not_touched(folder: Path) -> None:
    """A new certificate would make it look intact."""
    release = promising(folder / "release", 50)
    before = files_of(release)
    ran = run("attack", release, "--original", folder / TABLE, "--attacks", "scan", "--certify")
    assert ran.code != 0
    assert files_of(release) == before


def test_figures_are_written_and_replaced_on_demand(folder: Path) -> None:
    """A folder with anything else in it never."""
    out = folder / "figures"
    asked = ("attack", folder / "release", "--attacks", "scan", "--out", out)
    assert run(*asked).code == 0
    assert {file.name for file in out.iterdir()} == {"attacks.json", "attacks.html"}
    assert "already exists" in run(*asked).error
    assert run(*asked, "--force").code == 0
    (out / "mine.txt").write_text("mine", encoding="utf-8")
    assert "mine.txt" in run(*asked, "--force").error


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--attacks", "luck"), "there is no attack 'luck'"),
        (("--certify",), "no original table is given"),
        (("--known", "shoe"), "the release has no column 'shoe'"),
        (("--attempts", "0"), "use 1 to"),
        (("--overlap", "2"), "overlap"),
    ],
)
def test_what_cannot_be_asked_is_refused(folder: Path, asked: tuple[str, ...], said: str) -> None:
    """In a line that says what to do."""
    assert said in run("attack", folder / "release", *asked).error


def test_another_table_than_the_original_is_refused(folder: Path) -> None:
    """The attacks could not be checked against it."""
    header = ("age", "sex", "zip", "diagnosis", "tag")
    write_csv(folder / "fewer.csv", header, people(199, 1))
    write_csv(folder / "other.csv", header, [("19", *row[1:]) for row in people(200, 2)])
    for name, said in (("fewer.csv", "200 records"), ("other.csv", "any record of the original")):
        ran = run("attack", folder / "release", "--original", folder / name)
        assert said in ran.err


def test_a_private_release_certifies_nothing_that_was_counted_from_records(tmp_path: Path) -> None:
    """Epsilon is for all that is released."""
    publish_private(by_hand(), tmp_path / "private", force=False)
    before = files_of(tmp_path / "private")
    ran = run("attack", tmp_path / "private", "--attacks", "scan", "--certify")
    assert "without noise" in ran.error
    assert files_of(tmp_path / "private") == before


def test_a_register_finds_those_who_are_in_it(folder: Path) -> None:
    """Half of its people are not in the release, and cannot be found."""
    everybody = people(200, 1)
    register = [row[:3] for row in everybody[:100]] + [("19", "F", "02100")] * 100
    write_csv(folder / "register.csv", ("age", "sex", "zip"), register)
    asked: dict[str, Any] = {"original": folder / TABLE, "attacks": ["linkage"]}
    linked = rs.attack(folder / "release", register=folder / "register.csv", **asked)
    own = linked.facts.found[0]
    assert own.needs == ("register", "original")
    assert own.attempts == 200
    alone = rs.attack(folder / "release", register=folder / "register.csv", attacks=["linkage"])
    assert alone.facts.found[0].needs == ("register",)
    assert 0 < own.success <= alone.facts.found[0].success + 1e-9
    half = rs.attack(folder / "release", overlap=0.5, **asked).facts.found[0]
    assert half.knowledge["overlap"] == 0.5
    whole = rs.attack(folder / "release", **asked).facts.found[0]
    assert half.success < whole.success


def test_python_certifies_as_the_command_does(folder: Path) -> None:
    """Also where no folder for the figures is named."""
    release = folder / "release"
    found = rs.attack(release, original=folder / TABLE, attacks=["scan"], certify=True)
    certificate = json.loads((release / "certificate.json").read_text(encoding="utf-8"))
    assert len(certificate["attacks"]) == len(found.facts.found) > 0
    assert (release / "attacks.html").is_file()


def test_what_was_certified_before_is_kept_by_other_attacks(folder: Path) -> None:
    """Otherwise, a sender could replace a successful attack with a harmless one."""
    release = folder / "release"
    original = ("--original", folder / TABLE, "--certify")
    assert run("attack", release, *original, "--attacks", "linkage").code == 0
    ran = run("attack", release, *original, "--attacks", "scan")
    assert "were kept from an earlier run" in ran.out
    assert "linkage with a register" in ran.out
    document = json.loads((release / "certificate.json").read_text(encoding="utf-8"))
    assert {one["attack"] for one in document["attacks"]} == {"scan", "linkage"}
    page = (release / "attacks.html").read_text(encoding="utf-8")
    assert 'id="scan"' in page
    assert 'id="linkage"' in page
    again = run("attack", release, *original, "--attacks", "linkage,scan")
    assert "were kept from an earlier run" not in again.out


def test_a_folder_that_nobody_may_open_stays_so(folder: Path) -> None:
    """The new folder takes the place of the former one, and its permissions."""
    release = folder / "release"
    release.chmod(0o700)
    run("attack", release, "--original", folder / TABLE, "--attacks", "scan", "--certify")
    assert (release / "attacks.html").is_file()
    assert release.stat().st_mode & 0o777 == 0o700


def test_figures_are_not_written_into_a_release(folder: Path) -> None:
    """It would fail its check from then on."""
    inside = folder / "release" / "figures"
    ran = run("attack", folder / "release", "--attacks", "scan", "--out", inside)
    assert "the folder of a release" in ran.error
    assert not inside.exists()
    found = rs.attack(folder / "release", attacks=["scan"])
    with pytest.raises(rs.RoadsteadError, match="the folder of a release"):
        found.write(inside)


def test_strangers_make_the_promise_no_laxer(folder: Path) -> None:
    """Of half the people nothing can be right, so half as much is allowed of all."""
    asked: dict[str, Any] = {"original": folder / TABLE, "attacks": ["linkage"], "errors": 0.0}
    whole = rs.attack(folder / "release", **asked).facts.found[0]
    half = rs.attack(folder / "release", overlap=0.5, **asked).facts.found[0]
    assert whole.allowed == pytest.approx(0.2)
    assert half.allowed == pytest.approx(0.1)
    assert half.tolerance == pytest.approx(whole.tolerance / 2)


@pytest.mark.parametrize("overlap", ["0", "2"])
def test_a_share_of_people_who_are_there_is_above_zero(folder: Path, overlap: str) -> None:
    """A share of zero would make the absence of finds meaningless."""
    ran = run("attack", folder / "release", "--overlap", overlap)
    assert "write a share" in ran.error
    assert "risk" not in ran.error


def test_held_out_records_that_are_in_the_release_are_refused(folder: Path) -> None:
    """Otherwise, the baseline would come from the release itself; other records are accepted."""
    header = ("age", "sex", "zip", "diagnosis", "tag")
    write_csv(folder / "others.csv", header, people(200, 5))
    write_csv(folder / "mixed.csv", header, [*people(200, 5)[:120], *people(200, 1)[:80]])
    asked = ("attack", folder / "release", "--original", folder / TABLE, "--attacks", "inference")
    assert run(*asked, "--held-out", folder / "others.csv").code == 0
    for name in (TABLE, "mixed.csv"):
        ran = run(*asked, "--held-out", folder / name)
        assert "probably in the release" in ran.error


def test_a_folder_around_a_release_is_no_release(folder: Path) -> None:
    """The exit code is 2, because 1 would mean a successful attack; the error names the release."""
    ran = run("attack", folder)
    assert ran.code == 2
    assert f"did you mean {folder / 'release'}?" in ran.error


@pytest.mark.nightly
def test_what_a_later_run_replaces_is_said(folder: Path) -> None:
    """Fault class: a narrow attack silently replaces an attack that succeeded."""
    release = folder / "release"
    asked = ("--original", folder / TABLE, "--attacks", "linkage", "--certify")
    assert "earlier run" not in run("attack", release, *asked).out
    ran = run("attack", release, *asked, "--known", "sex")
    assert re.search(r"These figures replace \d+ figures of an earlier run\.", ran.out)


def test_a_release_that_was_changed_is_not_attacked_for_its_certificate(folder: Path) -> None:
    """It is refused before any work."""
    report = folder / "release" / "report.html"
    report.write_text(report.read_text("utf-8") + " ", encoding="utf-8")
    ran = run("attack", folder / "release", "--original", folder / TABLE, "--certify")
    assert ran.code == 1
    assert "a check failed: report.html" in ran.err
    assert "trying" not in ran.err
