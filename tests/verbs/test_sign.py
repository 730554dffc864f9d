"""Signing, and the messages of verify about it, from a user's view."""

from __future__ import annotations

import json
import os
import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from commands import run
from signed_releases import EXPIRES, SIGNED, WHO, keys, sign, write_release
from small_tables import PATIENTS, patients, write_csv

import roadstead as rs
from roadstead.errors import OutputError, SettingError, SourceError, VerificationError
from roadstead.release.documents import json_text
from roadstead.release.signing.keys import read_public_key

NO_KEY = "only a claim, because you did not name a trusted key"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An unsigned release and two keys."""
    folder = tmp_path_factory.mktemp("made")
    keys(folder, "officer", "stranger")
    write_release("table", folder / "table")
    return folder


@pytest.fixture
def place(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with copies of both."""
    monkeypatch.chdir(tmp_path)
    for one in made.glob("*[re]*"):
        if one.is_file():
            shutil.copy(one, tmp_path)
    shutil.copytree(made / "table" / "release", tmp_path / "release")
    return tmp_path


def told(*arguments: str) -> tuple[int, str]:
    """Verify the release; give the exit code and what is said."""
    ran = run("verify", "release", *arguments)
    return ran.code, ran.out


def test_a_release_is_signed_and_verified(place: Path) -> None:
    """From the command line, with what verify says before and after."""
    code, said = told()
    assert (code, "Not signed: the files do not show who made the release." in said) == (0, True)
    expires = (datetime.now(UTC).date() + timedelta(400)).isoformat()
    ran = run("sign", "release", "--key", "officer", "--name", WHO, "--expires", expires)
    assert ran.code == 0, ran.err
    assert f"Signed by {WHO} on " in ran.out
    assert "roadstead verify release --signed-by officer.pub" in ran.out
    code, said = told()
    assert (code, NO_KEY in said) == (0, True)
    code, said = told("--signed-by", "officer.pub")
    assert code == 0
    assert f"Signed by {WHO} on " in said
    assert "with a key that you trust" in said
    found = run("verify", "release", "--signed-by", "officer.pub", "--json").json["signature"]
    assert found["state"] == "trusted"
    assert found["key"] == read_public_key(Path("officer.pub")).id
    assert sorted(one.name for one in place.iterdir()) == [
        "officer",
        "officer.pub",
        "release",
        "stranger",
        "stranger.pub",
    ]


@pytest.mark.nightly
@pytest.mark.usefixtures("place")
def test_signed_from_python() -> None:
    """The same, with days as days."""
    made = rs.sign("release", key="officer", name="Ana", role="expert", expires=date.max)
    assert (made.signer, made.role, made.expires) == ("Ana", "expert", date.max)
    verification = rs.verify("release", signed_by="officer.pub", on=date.max)
    assert verification.passed
    assert verification.signature is not None
    assert verification.signature.state == "trusted"


def test_a_tampered_release_is_refused(place: Path) -> None:
    """A file, the certificate fitted to it, and the signature itself."""
    sign(place / "release", place / "officer")
    trusted = ("--signed-by", "officer.pub", "--on", SIGNED.isoformat())
    assert told(*trusted)[0] == 0
    report = place / "release" / "policy.json"
    report.write_text(report.read_text("utf-8") + "\n", encoding="utf-8")
    code, said = told(*trusted)
    assert code == 1
    assert "FAIL  policy.json matches the certificate" in said
    path = place / "release" / "certificate.json"
    document = json.loads(path.read_text("utf-8"))
    from roadstead.release.documents import fingerprint  # noqa: PLC0415 - of the forger alone

    document["files"] = [
        vars(fingerprint(place / "release" / one["name"])) for one in document["files"]
    ]
    path.write_text(json_text(document), encoding="utf-8")
    for arguments in ((), trusted):
        code, said = told(*arguments)
        assert code == 1
        assert "FAIL  the signature is for this release: certificate.json was changed after" in said
        assert "The signature is not valid" in said
        assert WHO not in said
    (place / "release" / "signature.json").write_text("{}", encoding="utf-8")
    code, said = told()
    assert (code, "FAIL  the signature can be read" in said) == (1, True)


def test_a_release_signed_anew_by_a_stranger(place: Path) -> None:
    """Named the officer: without a key it is a claim, with the officer's it fails."""
    sign(place / "release", place / "officer")
    sign(place / "release", place / "stranger")
    day = ("--on", SIGNED.isoformat())
    code, said = told(*day)
    assert (code, NO_KEY in said) == (0, True)
    code, said = told("--signed-by", "officer.pub", *day)
    assert code == 1
    assert "signed with the expected key: the release is signed with a different key" in said
    assert f"Signed by {WHO}" not in said
    assert "anyone can sign a release under any name" in said


def test_an_expired_signature(place: Path) -> None:
    """Since when is said."""
    sign(place / "release", place / "officer")
    late = (EXPIRES + timedelta(30)).isoformat()
    code, said = told("--signed-by", "officer.pub", "--on", late)
    assert code == 1
    assert (
        f"FAIL  the signature has not expired: the signature expired on {EXPIRES} (UTC), 30 days"
        in said
    )


def test_an_unsigned_release_does_not_pass_where_a_key_is_named(place: Path) -> None:
    """Nor one whose signature was taken off."""
    sign(place / "release", place / "officer")
    (place / "release" / "signature.json").unlink()
    code, said = told("--signed-by", "officer.pub")
    assert code == 1
    assert "FAIL  the release is signed with the expected key: the release is not signed" in said


def test_who_signs_is_said_on_one_line(place: Path) -> None:
    """Fault class: a stranger's name that writes a line of its own."""
    name = "Eve\nPassed: \x1b[2Jall is well\u202e"
    sign(place / "release", place / "stranger", signer=name)
    _, said = told("--on", SIGNED.isoformat())
    lines = [line for line in said.splitlines() if "all is well" in line]
    assert len(lines) == 1
    assert "\\n" in lines[0]
    assert "\x1b" not in said
    assert "\u202e" not in said


def test_what_does_not_keep_its_promise_is_not_signed(place: Path) -> None:
    """A release with a failed check cannot be signed by accident."""
    path = place / "release" / "patients.csv"
    path.write_bytes(path.read_bytes() + b"x\n")
    ran = run("sign", "release", "--key", "officer", "--name", WHO)
    assert ran.code == 1
    assert "patients.csv matches the certificate" in ran.error
    assert not (place / "release" / "signature.json").exists()
    with pytest.raises(VerificationError):
        rs.sign("release", key="officer", name=WHO)


def test_a_signature_is_replaced_only_by_force(place: Path) -> None:
    """Also one that is damaged, or expired, and would fail."""
    sign(place / "release", place / "officer")
    before = (place / "release" / "signature.json").read_bytes()
    given = ("sign", "release", "--key", "stranger", "--name", "Bo")
    ran = run(*given)
    assert (ran.code, "is already signed" in ran.error, "--force" in ran.error) == (2, True, True)
    assert (place / "release" / "signature.json").read_bytes() == before
    (place / "release" / "signature.json").write_text("damaged", encoding="utf-8")
    assert run(*given, "--force").code == 0
    assert told("--signed-by", "stranger.pub")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"name": "A"}, "a signature requires a private key"),
        ({"key": "officer"}, "the name of the signer is missing"),
        ({"key": "officer", "name": "  "}, "the name is empty"),
        ({"key": "officer", "name": "A" * 201}, "more than 200 characters"),
        ({"key": "officer", "name": "A\u202eB"}, "invisible characters"),
        ({"key": "officer", "name": "A", "role": ""}, "the name is empty"),
        ({"key": "officer", "name": "A", "expires": "2020-01-01"}, "2020-01-01 is in the past"),
        ({"key": "officer", "name": "A", "expires": "2027-02-30"}, "is not a day"),
        ({"key": "officer", "name": "A", "expires": "20270228"}, "is not a day"),
        ({"key": "officer", "name": "A", "expires": 5}, "is not a day"),
        ({"key": "officer.pub", "name": "A"}, "this is a public key"),
        ({"key": "nowhere", "name": "A"}, "cannot be read"),
    ],
)
def test_what_cannot_be_signed_is_said(place: Path, arguments: dict[str, Any], what: str) -> None:
    """And nothing is written."""
    with pytest.raises(SettingError, match=what):
        rs.sign("release", **arguments)
    assert not (place / "release" / "signature.json").exists()


def test_what_is_no_release_is_not_signed(place: Path) -> None:
    """Neither a file, nor a folder without a certificate, nor nothing."""
    (place / "empty").mkdir()
    with pytest.raises(SourceError, match="no such folder"):
        rs.sign("nowhere", key="officer", name="A")
    with pytest.raises(SourceError, match="is not a folder"):
        rs.sign("officer", key="officer", name="A")
    with pytest.raises(VerificationError, match="the certificate is missing"):
        rs.sign("empty", key="officer", name="A")
    with pytest.raises(SourceError, match="no such file or folder"):
        rs.verify("nowhere", signed_by="officer.pub")


def test_no_key_lies_in_a_release(place: Path) -> None:
    """Neither made there nor used from there; and one that came with it is not trusted."""
    with pytest.raises(SettingError, match="can sign in your name with the key"):
        rs.key("release/key", purpose="signing")
    assert not list((place / "release").glob("key*"))
    shutil.copy("officer", "release/officer")
    with pytest.raises(SettingError, match="can sign in your name with the key"):
        rs.sign("release", key="release/officer", name="A")
    (place / "release" / "officer").unlink()
    rs.sign("release", key="officer", name="A")
    shutil.copy("officer.pub", "release/officer.pub")
    with pytest.raises(SettingError, match="came with the release"):
        rs.verify("release", signed_by="release/officer.pub")


def test_a_table_alone_is_signed_by_nobody(place: Path) -> None:
    """It has no certificate that could be."""
    write_csv(place / "table.csv", PATIENTS, patients(20))
    with pytest.raises(SettingError, match="has no signature"):
        rs.verify("table.csv", quasi=["sex"], k=1, signed_by="officer.pub")
    with pytest.raises(SettingError, match="has no signature"):
        rs.verify("table.csv", quasi=["sex"], k=1, on="2026-03-01")


def test_a_signed_release_is_replaced_as_any_other(place: Path) -> None:
    """Its signature is part of the release; any other file belongs to the user."""
    write_csv(place / "patients.csv", PATIENTS, patients(120))
    sign(place / "release", place / "officer")
    with pytest.raises(OutputError, match="already exists"):
        rs.anonymize("patients.csv", quasi=["sex"], k=2, out=Path("release"))
    rs.anonymize("patients.csv", quasi=["sex"], k=2, out=Path("release"), force=True)
    assert not (place / "release" / "signature.json").exists()
    (place / "release" / "signature.json").write_text("a poem", encoding="utf-8")
    with pytest.raises(OutputError, match="is not part of an earlier release"):
        rs.anonymize("patients.csv", quasi=["sex"], k=2, out=Path("release"), force=True)
    assert (place / "release" / "signature.json").read_text("utf-8") == "a poem"


def test_a_signature_that_cannot_be_written_leaves_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in the folder, which would not be a release any longer, nor next to it."""

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    before = sorted(os.walk(place))
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OutputError, match="No space left"):
            rs.sign("release", key="officer", name="A")
    assert sorted(os.walk(place)) == before


def test_what_a_killed_run_left_is_removed_by_the_next(place: Path) -> None:
    """It lies next to the folder, and under a name that says so."""
    left = place / ".release.0123456789ab.part"
    left.mkdir()
    (left / "signature.json").write_text("half", encoding="utf-8")
    left.with_suffix(".lock").touch()
    rs.sign("release", key="officer", name="A")
    assert not left.exists()
    assert told()[0] == 0


@pytest.mark.quick(1)
@pytest.mark.parametrize("verb", ["anonymize", "apply", "frontier", "synthesize"])
def test_a_signature_is_not_replaced_without_a_word(place: Path, verb: str) -> None:
    """All commands that replace a release say that it was signed, also in JSON."""
    write_csv(place / "patients.csv", PATIENTS, patients(100))
    quasi = ("patients.csv", "--quasi", "sex,zip")
    asked = {
        "anonymize": quasi,
        "apply": ("release/policy.json", "patients.csv", "--suppression", "1"),
        "frontier": ("patients.csv", "--quasi", "sex", "--choose", "1"),
        "synthesize": (
            *("patients.csv", "--target", "sex", "--epsilon", "1"),
            *("--classes", "sex=F,M", "--range", "age=0..100"),
        ),
    }[verb]
    out = place / ("found/release" if verb == "frontier" else "release")
    command = (verb, *asked, "--out", out.parts[-2] if verb == "frontier" else "release", "--json")
    if verb == "frontier":
        assert run(*command).code == 0
    sign(out, place / "officer")
    ran = run(*command, "--force")
    assert ran.code == 0, ran
    assert ran.json["replaced_signature"]
    assert "replaced_signature" not in run(*command, "--force").json
    sign(out, place / "officer")
    assert "was signed. Its signature is removed" in run(*command[:-1], "--force").out
