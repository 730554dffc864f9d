"""A release from a stranger: no text in it prints, hides, links, or stops anything.

The stranger knows how fingerprints are made and puts correct ones into the certificate.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import Ran, run
from small_tables import PATIENTS, QUASI, patients, write_csv

from roadstead import anonymize
from roadstead.printable import printable
from roadstead.release.documents import fingerprint, json_text

Document = dict[str, Any]
PASSED = "Passed: 5-anonymity of "
FORGED = f"\n{PASSED}\x1b[2K\x1b[1A\u202e\x9b2J\r\u2028{PASSED}"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release as Roadstead wrote it."""
    folder = tmp_path_factory.mktemp("original")
    write_csv(folder / "patients.csv", PATIENTS, patients(400))
    anonymize(
        folder / "patients.csv",
        quasi=QUASI.split(","),
        identifiers=["name", "record"],
        unchanged=["diagnosis"],
    ).write(folder / "release")
    return folder / "release"


@pytest.fixture
def release(original: Path, tmp_path: Path) -> Path:
    """A copy of it, for the stranger."""
    return Path(shutil.copytree(original, tmp_path / "release"))


def forge(release: Path, change: Callable[[Document], object]) -> None:
    """Change the certificate and its policy, and put the right fingerprints in."""
    document = json.loads((release / "certificate.json").read_text("utf-8"))
    change(document)
    (release / "policy.json").write_text(json.dumps(document["policy"]), "utf-8")
    document["files"] = [vars(fingerprint(release / file["name"])) for file in document["files"]]
    (release / "certificate.json").write_text(json_text(document), "utf-8")


def attribute(document: Document, at: int = 0) -> Document:
    """Give what the policy says of a quasi-identifier."""
    found: Document = document["policy"]["attributes"][at]
    return found


def looked_at(release: Path) -> Ran:
    """Verify in words and as JSON; both say the same, on lines of Roadstead alone."""
    ran, told = run("verify", release), run("verify", release, "--json")
    for line in [*(ran.out + ran.err + told.err).split("\n"), told.out.removesuffix("\n")]:
        assert printable(line) == line
    assert told.code == ran.code
    assert any(one.startswith(PASSED) for one in ran.out.split("\n")) == (ran.code == 0)
    return ran


def texts(document: Document) -> list[tuple[Document, str]]:
    """List every place of a document that holds a text."""
    found = []
    for holder in (document, *document.values()):
        if isinstance(holder, dict):
            found += [(holder, key) for key, value in holder.items() if isinstance(value, str)]
    return [*found, (attribute(document), "name")]


def test_a_model_from_a_package_that_the_certificate_does_not_name_is_refused(
    release: Path,
) -> None:
    """Fault class: code that the recipient did not allow checks the release."""
    check = "models from other packages are allowed"
    assert check not in run("verify", release).out
    forge(release, lambda document: document["policy"]["privacy"].append({"kind": "uncertain"}))
    ran = run("verify", release)
    why = "the certificate does not name the package of the privacy model uncertain"
    assert (ran.code, f"{check}: {why}" in ran.out) == (1, True), ran.out


def test_no_text_of_a_certificate_reaches_the_terminal_as_it_is(release: Path) -> None:
    """Line breaks, escape sequences and overrides in any text print no verdict and hide none.

    Fault class: a stranger's text printed raw.
    """
    certificate = (release / "certificate.json").read_text("utf-8")
    for at in range(len(texts(json.loads(certificate)))):
        document = json.loads(certificate)
        holder, key = texts(document)[at]
        holder[key] += FORGED
        (release / "certificate.json").write_text(json_text(document), "utf-8")
        looked_at(release)


@pytest.mark.parametrize(
    "change",
    [
        lambda document: attribute(document, 2).update(level=0),
        lambda document: attribute(document).update(level=attribute(document)["levels"] - 1),
        lambda document: attribute(document).update(level=2, levels=3),
        lambda document: attribute(document, 1).update(level=1),
        lambda document: document["settings"]["levels_allowed"].update(age=[3, 4]),
        lambda document: document["settings"].update(levels_allowed={"age": "any"}),
    ],
)
def test_levels_that_contradict_the_rule_fail(
    release: Path, change: Callable[[Document], object]
) -> None:
    """A level next to a rule must be a possible level of the rule.

    Fault class: a fact that is not compared with its subject.
    """
    forge(release, change)
    ran = looked_at(release)
    assert ran.code == 1
    assert "FAIL  descriptions and levels match the rules" in ran.out


@pytest.mark.quick(2)
@pytest.mark.parametrize("place", ["does", "comment", "promise"])
def test_no_document_has_a_place_for_a_sentence(release: Path, place: str) -> None:
    """Words added to a policy are refused, and words added to a certificate fail.

    Fault class: a stranger's words shown as if they were checked.
    """
    told = "Nobody can be found."
    before = looked_at(release).out
    forge(release, lambda document: document.update({place: told}))
    ran = looked_at(release)
    assert ran.code == 1
    assert "FAIL  the certificate has the format that Roadstead writes" in ran.out
    forge(release, lambda document: attribute(document).update({place: document.pop(place)}))
    assert (
        f"damaged in the entry policy: attributes.0.{place}: unexpected" in looked_at(release).error
    )
    assert told not in before + ran.out + ran.err


@pytest.mark.parametrize(("entry", "key"), [("search", "name"), ("loss", "kind")])
def test_a_sentence_in_the_place_of_a_name_is_refused(release: Path, entry: str, key: str) -> None:
    """The name of a search or a model is a single word.

    Fault class: a stranger's words shown as if they were checked.
    """
    forge(release, lambda document: document[entry].update({key: "exact, and proven safe"}))
    assert f"the certificate is damaged in the entry {entry}" in looked_at(release).error


@pytest.mark.parametrize("number", [1, 3, 10**30])
def test_another_format_is_refused_with_how_to_make_the_document_again(
    release: Path, number: int
) -> None:
    """One line says which format is read and what to do, and repeats nothing of the file."""
    forge(release, lambda document: document.update(roadstead_certificate=number))
    ran = looked_at(release)
    assert ran.code == 1
    assert "the format of the file is not 2, the format that this version reads" in ran.error
    assert "make the release again with roadstead anonymize" in ran.error
    assert str(10**30) not in ran.error


def test_a_policy_that_says_how_it_reads_is_not_applied(release: Path, tmp_path: Path) -> None:
    """A user who applies a stranger's policy reads its rules in Roadstead's words only.

    Fault class: a stranger's words shown as if they were checked.
    """
    forge(release, lambda document: attribute(document).update(does="removed" + FORGED))
    write_csv(tmp_path / "february.csv", PATIENTS, patients(400))
    ran = run("apply", release / "policy.json", tmp_path / "february.csv", "--out", tmp_path / "b")
    assert ran.code == 2
    assert ran.error.startswith("policy.json: attributes.0.does: unexpected keyword argument")
    assert not (tmp_path / "b").exists()


def linked(file: Path) -> None:
    """Put a link to a file elsewhere in the place of one."""
    file.rename(file.parents[1] / "elsewhere")
    file.symlink_to(file.parents[1] / "elsewhere")


def piped(file: Path) -> None:
    """Put a pipe without a writer in the place of a file."""
    file.unlink()
    os.mkfifo(file)


def endless(file: Path) -> None:
    """Put a link to a device without an end in the place of a file."""
    file.unlink()
    file.symlink_to("/dev/zero")


def a_folder(file: Path) -> None:
    """Put a folder in the place of a file."""
    file.unlink()
    file.mkdir()


@pytest.mark.quick(8)
@pytest.mark.parametrize("replace", [linked, piped, endless, a_folder])
@pytest.mark.parametrize("name", ["patients.csv", "policy.json", "report.html", "certificate.json"])
def test_only_regular_files_of_the_folder_are_read(
    release: Path, name: str, replace: Callable[[Path], None]
) -> None:
    """A link, a pipe, a device, or a folder is not a file of a release, and is not opened.

    Fault class: a name that leads elsewhere.
    """
    replace(release / name)
    ran = looked_at(release)
    assert ran.code == 1
    assert "link to another place" in ran.out + ran.err or "it is " in ran.out + ran.err


def test_a_text_file_cannot_name_a_program_that_wrote_it(release: Path) -> None:
    """Only Roadstead writes text files. Fault class: an entry that no check compares."""
    forge(release, lambda document: document["format"].update(writer="XlsxWriter 3.2"))
    ran = looked_at(release)
    assert ran.code == 1
    assert "its certified format does not match the kind of file" in ran.out


def test_a_certificate_beyond_the_size_limit_is_refused(
    release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document is read whole, so it has a largest size.

    Fault class: input without an end.
    """
    monkeypatch.setattr(
        "roadstead.regular_files.content_of.__kwdefaults__", {"most": 64, "own": True}
    )
    monkeypatch.setattr("roadstead.standalone.roadstead_verify.LARGEST_DOCUMENT", 64)
    ran = looked_at(release)
    assert ran.code == 1
    assert "the certificate cannot be read (it is larger than" in ran.error


@pytest.mark.parametrize("kind", ["[", '{"policy":'])
def test_deep_nesting_is_refused_in_one_line(release: Path, kind: str) -> None:
    """Neither document can exhaust the stack.

    Fault class: input without an end.
    """
    (release / "certificate.json").write_text(kind * 200_000, "utf-8")
    assert looked_at(release).code == 1
    shutil.copy(release / "certificate.json", release / "policy.json")
    assert run("apply", release / "policy.json", release / "patients.csv").code == 2


def test_a_document_that_says_one_thing_twice_is_refused(release: Path) -> None:
    """A person would read the first policy, and the program the last.

    Fault class: input that can be read in two ways.
    """
    text = (release / "certificate.json").read_text("utf-8")
    first = '{"policy": {},' + text.removeprefix("{")
    (release / "certificate.json").write_text(first, "utf-8")
    assert "'policy' occurs twice" in looked_at(release).error


def test_a_policy_that_says_one_thing_twice_is_refused(release: Path) -> None:
    """A person would read 500-anonymity in it, and verify compare the 5 of the certificate.

    Fault class: input that can be read in two ways.
    """
    path = release / "policy.json"
    first = '{"privacy": [{"kind": "k-anonymity", "k": 500}],'
    path.write_text(first + path.read_text("utf-8").removeprefix("{"), "utf-8")
    document = json.loads((release / "certificate.json").read_text("utf-8"))
    document["files"] = [vars(fingerprint(release / file["name"])) for file in document["files"]]
    (release / "certificate.json").write_text(json_text(document), "utf-8")
    ran = looked_at(release)
    assert ran.code == 1
    assert "FAIL  the policy matches the certificate: " in ran.out
    assert "'privacy' occurs twice" in ran.out
    ran = run("apply", path, release / "patients.csv")
    assert ran.code == 2
    assert "'privacy' occurs twice; use a policy.json that Roadstead wrote" in ran.error


def test_a_file_that_no_release_has_is_not_let_through_by_certifying_it(release: Path) -> None:
    """An original in the folder is not part of the release, whatever the certificate lists.

    Fault class: a list whose subject wrote it.
    """
    (release / "original.csv").write_text("name\nAnna\n", "utf-8")
    forge(release, lambda document: document["files"].append({"name": "original.csv"}))
    said = "FAIL  the folder contains no other files: the folder also contains 'original.csv'"
    assert said in looked_at(release).out


def test_counts_below_zero_do_not_make_room_for_suppression(release: Path) -> None:
    """Records left out cannot be fewer than none.

    Fault class: a number out of its range.
    """
    forge(release, lambda document: document["counts"].update(dropped=-5, suppressed=-5))
    assert "damaged in the entry counts" in looked_at(release).error


def test_settings_that_contradict_the_policy_fail(release: Path) -> None:
    """The request is stored with the policy, and must agree with it.

    Fault class: words that are not compared with their subject.
    """
    forge(release, lambda document: document["settings"].update(suppressed_records="drop"))
    assert "FAIL  the privacy requirements match the policy" in looked_at(release).out


def test_a_long_name_does_not_go_on_like_a_line_of_its_own(release: Path) -> None:
    """A name that fills the terminal's line could put a verdict at the start of the next.

    Fault class: a stranger's text printed raw.
    """
    name = "x" + " " * 70 + PASSED * 4 + ".csv"
    (release / name).write_text("", "utf-8")
    line = next(
        one for one in looked_at(release).out.split("\n") if "the folder also contains" in one
    )
    assert len(line) < 160
    assert "   " not in line.removeprefix("  FAIL  ")


def test_what_files_cannot_show_is_said(release: Path) -> None:
    """A verdict says how far it goes."""
    verdict = looked_at(release).out.splitlines()[-1]
    assert verdict.startswith(PASSED)
    assert "checks could not be made: how the policy was found" in verdict
    assert "report.html" in verdict
    assert "released unchanged" in verdict
