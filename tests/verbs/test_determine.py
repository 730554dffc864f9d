"""The command `determine`: its files, its refusals, and the places where names never appear."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commands import run
from determinations import all_answered, certificate_of, small_release
from small_tables import PATIENTS, patients, write_csv

import roadstead as rs
from roadstead.determination.figures import measured
from roadstead.errors import OutputError, SettingError, VerificationError
from roadstead.release.documents import fingerprint, json_text

PERSON = "Dr. Ada Secretname"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small release."""
    return small_release(tmp_path_factory.mktemp("determine"))


@pytest.fixture
def release(original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, in the folder to work in."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(original, tmp_path / "release"))


@pytest.fixture
def answers(release: Path) -> Path:
    """Answers to all questions."""
    path = release.parent / "determination.toml"
    path.write_text(all_answered(certificate_of(release), PERSON), encoding="utf-8")
    return path


def fingerprints(folder: Path) -> dict[str, str]:
    """Give the SHA-256 of each file of a folder."""
    return {path.name: fingerprint(path).sha256 for path in folder.iterdir()}


def test_documents_are_written_next_to_the_release_and_nothing_into_it(
    release: Path, answers: Path, tmp_path: Path
) -> None:
    """A page for each dialect and one document; the release is unchanged, and still verified."""
    before = fingerprints(release)
    ran = run("determine", release, "--answers", answers, "--out", "det")
    assert ran.code == 0, ran.err
    out = tmp_path / "det"
    pages = {"hipaa.html", "ema.html", "iso27559.html", "ipc.html", "ehds.html"}
    assert {path.name for path in out.iterdir()} == pages | {"determination.json"}
    assert all(PERSON in (out / page).read_text("utf-8") for page in pages)
    assert fingerprints(release) == before
    assert rs.verify(release).passed
    document = json.loads((out / "determination.json").read_text("utf-8"))
    assert {one["name"]: one["sha256"] for one in document["files"]} == {
        name: digest for name, digest in fingerprints(out).items() if name in pages
    }
    assert document["certificate"] == certificate_of(release)
    assert document["expert"]["name"] == PERSON


def test_what_is_printed_counts_every_point(release: Path, answers: Path) -> None:
    """And is the same as JSON; nothing is written without a folder."""
    told = run("determine", release, "--dialect", "hipaa", "--json").json
    (one,) = told["dialects"]
    shown = run("determine", release, "--dialect", "hipaa")
    by = [point["answered"] for point in one["points"]]
    assert f"17 points: {by.count('tool')} tool, 0 people, 0 both" in shown.out
    assert "No determination is made" in shown.out
    assert "Nothing was written" in shown.err
    lines = [line.split()[0] for line in shown.out.splitlines() if line.startswith("  ")]
    assert [line for line in lines if line in {"tool", "people", "both", "part", "nobody"}] == by
    answered = run("determine", release, "--answers", answers)
    assert "No determination is made" not in answered.out
    assert PERSON not in answered.out


@pytest.mark.parametrize("place", ["release", "release/det", "release/../release/deep/er"])
def test_nothing_is_written_into_a_release(release: Path, answers: Path, place: str) -> None:
    """Fault class: the recipient reads who judged the release, and how it might be attacked."""
    before = fingerprints(release)
    ran = run("determine", release, "--answers", answers, "--out", place)
    assert (ran.code, "this is the folder of a release" in ran.error) == (2, True)
    ran = run("determine", release, "--new", f"{place}/questions.toml")
    assert (ran.code, "this is the folder of a release" in ran.error) == (2, True)
    assert fingerprints(release) == before


def test_a_link_into_a_release_is_seen(release: Path, tmp_path: Path) -> None:
    """By where it leads."""
    (tmp_path / "elsewhere").symlink_to(release)
    with pytest.raises(SettingError, match="this is the folder of a release"):
        rs.determine(release, out=tmp_path / "elsewhere" / "det")


@pytest.mark.parametrize("wrong", ["table", "certificate", "stranger", "none"])
def test_a_release_that_fails_gets_no_document(release: Path, wrong: str, tmp_path: Path) -> None:
    """Whatever fails, nothing is there afterwards."""
    if wrong == "table":
        with (release / "patients.csv").open("a", encoding="utf-8") as stream:
            stream.write("[20-30),F,0213*,flu\n")
    elif wrong == "certificate":
        path = release / "certificate.json"
        path.write_text(path.read_text("utf-8").replace('"maximum": 0', '"maximum": 0.0'), "utf-8")
    elif wrong == "stranger":
        (release / "original.csv").write_text("name\n", encoding="utf-8")
    else:
        (release / "certificate.json").unlink()
    ran = run("determine", release, "--out", "det")
    assert ran.code == 1
    assert not (tmp_path / "det").exists()
    ran = run("determine", release, "--new", "new.toml")
    assert ran.code == 1
    assert not (tmp_path / "new.toml").exists()


def test_a_table_or_nothing_is_no_release(tmp_path: Path) -> None:
    """The message says what to name."""
    write_csv(tmp_path / "patients.csv", PATIENTS, patients(10))
    for name in ("patients.csv", "nothing", "."):
        with pytest.raises(VerificationError, match="give the folder of a release"):
            rs.determine(tmp_path / name)


def test_answers_do_not_follow_a_release_that_was_made_again(answers: Path, tmp_path: Path) -> None:
    """Fault class: a conclusion on one release that is shown of another."""
    (tmp_path / "again").mkdir()
    other = small_release(tmp_path / "again", k=20)
    with pytest.raises(SettingError, match="is not about this release") as caught:
        rs.determine(other, answers=answers)
    assert "if you run attack with certify=True" in caught.value.what
    assert "then change the SHA-256 in the file" in str(caught.value.fix)


def test_new_questions_are_about_the_release_and_never_replace_answers(
    release: Path, tmp_path: Path
) -> None:
    """The file can be used unchanged, and then has no answers."""
    ran = run("determine", release, "--new", "questions.toml")
    assert ran.code == 0
    assert ran.out.splitlines()[-1] == f"  roadstead determine {release} --answers questions.toml"
    last = run("determine", release, "--dialect", "ema", "--new", "ema.toml").out.splitlines()[-1]
    assert last == f"  roadstead determine {release} --answers ema.toml --dialect ema"
    before = (tmp_path / "questions.toml").read_bytes()
    again = run("determine", release, "--new", "questions.toml")
    assert (again.code, "already exists" in again.error) == (2, True)
    assert (tmp_path / "questions.toml").read_bytes() == before
    asked = rs.determine(release, answers=tmp_path / "questions.toml").determination
    bare = rs.determine(release).determination
    assert asked.release == "release"
    for one, other in zip(asked.dialects, bare.dialects, strict=True):
        assert one == other
    for option in (["--out", "det"], ["--pdf"], ["--answers", "questions.toml"]):
        assert run("determine", release, "--new", "other.toml", *option).code == 2
    assert not (tmp_path / "other.toml").exists()


@pytest.mark.nightly
def test_python_writes_the_questions_as_the_command_does(release: Path, tmp_path: Path) -> None:
    """Though no folder for documents is named."""
    assert run("determine", release, "--new", "command.toml").code == 0
    rs.determine(release, new=tmp_path / "python.toml")
    assert (tmp_path / "python.toml").read_bytes() == (tmp_path / "command.toml").read_bytes()


def test_a_former_determination_is_replaced_only_when_that_is_said(
    release: Path, answers: Path, tmp_path: Path
) -> None:
    """And not if a page was changed, or something else lies there."""
    rs.determine(release, dialect="ema", out=tmp_path / "det")
    with pytest.raises(OutputError, match="already exists"):
        rs.determine(release, dialect="ipc", out=tmp_path / "det")
    rs.determine(release, dialect="ipc", answers=answers, out=tmp_path / "det", force=True)
    assert {path.name for path in (tmp_path / "det").iterdir()} == {
        "ipc.html",
        "determination.json",
    }
    (tmp_path / "det" / "ipc.html").write_text("signed and scanned", encoding="utf-8")
    with pytest.raises(OutputError, match="not part of an earlier"):
        rs.determine(release, dialect="ema", out=tmp_path / "det", force=True)


def test_an_expired_determination_says_so(release: Path, tmp_path: Path) -> None:
    """At the top of the terminal's alarms and of each page."""
    path = tmp_path / "old.toml"
    path.write_text(
        all_answered(certificate_of(release), expert_expires="2026-03-02"), encoding="utf-8"
    )
    ran = run("determine", release, "--answers", path, "--dialect", "hipaa", "--out", "det")
    assert "! This determination has expired. It was valid until 2026-03-02." in ran.out
    page = (tmp_path / "det" / "hipaa.html").read_text("utf-8")
    assert page.index("has expired") < page.index("Overview of the answers</h2>")


def test_a_pdf_needs_a_folder(release: Path, tmp_path: Path) -> None:
    """And is written with the page where there is one."""
    assert run("determine", release, "--pdf").code == 2
    pytest.importorskip("typst")
    assert run("determine", release, "--dialect", "ipc", "--pdf", "--out", "det").code == 0
    assert (tmp_path / "det" / "ipc.pdf").read_bytes().startswith(b"%PDF-")


@pytest.mark.nightly
def test_a_private_release_is_not_measured_as_another_is(tmp_path: Path) -> None:
    """No risk is made up for it: what is asked of one is not assessed."""
    pytest.importorskip("opendp")
    write_csv(tmp_path / "patients.csv", PATIENTS, patients(300))
    rs.synthesize(
        tmp_path / "patients.csv",
        epsilon=1,
        quasi=["age"],
        target="diagnosis",
        classes=["flu", "cold", "asthma"],
        ranges={"age": "20..59"},
        specializations=2,
        out=tmp_path / "private",
    )
    found = rs.determine(tmp_path / "private", dialect="ema").determination
    assert found.kind == "private"
    points = {point.id: point for point in found.dialects[0].points}
    for name in ("initial", "maximum", "average"):
        assert points[name].answered == "nobody"
    assert "epsilon" in points["maximum"].figures
    assert not {"risk-maximum", "threshold-maximum"} & set(found.dialects[0].figures)


@pytest.mark.nightly
def test_persons_are_counted_where_the_release_counts_them(tmp_path: Path) -> None:
    """In the sentences, too."""
    rows = [(f"P{at // 2}", *row[2:]) for at, row in enumerate(patients(400))]
    write_csv(tmp_path / "visits.csv", ("who", *PATIENTS[2:]), rows)
    rs.anonymize(
        tmp_path / "visits.csv",
        quasi=["sex", "age"],
        unchanged=["diagnosis"],
        person="who",
        k=3,
        suppression=0.2,
        undecided="withhold",
    ).write(tmp_path / "release")
    found = rs.determine(tmp_path / "release", dialect="hipaa").determination
    assert found.unit == "person"
    figures = found.dialects[0].figures
    assert figures["persons"].value["persons"] == 200
    assert not figures["risk-maximum"].checked
    assert not figures["promise"].checked


def test_what_a_certificate_does_not_list_is_not_said_to_be_absent(
    release: Path, tmp_path: Path
) -> None:
    """No list of columns that look like an identifier is not an empty one, and is refused."""
    assert "look-alikes" in measured(release, rs.verify(release)).figures
    path = release / "certificate.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document.pop("identifiers") == []
    path.write_text(json_text(document), encoding="utf-8")
    assert "look-alikes" not in measured(release, rs.verify(release)).figures
    rules = tmp_path / "gate.toml"
    rules.write_text('[columns]\nidentifiers = "none"\n', encoding="utf-8")
    ran = run("gate", release, "--rules", rules)
    assert (ran.code, "identifiers is missing" in ran.out) == (1, True)
