"""A key is made once, for its owner alone, and is not in any release."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from commands import run, without_charts
from small_tables import PATIENTS, patients, write_csv

import roadstead as rs
from roadstead.errors import OutputError, SettingError
from roadstead.front_end import naming
from roadstead.release.persons.pseudonyms import read_key
from roadstead.release.signing.keys import read_public_key, read_signing_key
from roadstead.requests.writing import CommandNaming, names_of_options
from roadstead.verbs.catalog import REQUESTS


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in."""
    without_charts(monkeypatch)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_key_is_made_and_its_use_is_said(place: Path) -> None:
    """Readable by its owner alone; what is said and what JSON has show nothing of it."""
    ran = run("key", "custodian.key")
    assert ran.code == 0
    secret = read_key(place / "custodian.key").hex()
    assert stat.S_IMODE((place / "custodian.key").stat().st_mode) == stat.S_IRUSR | stat.S_IWUSR
    for word in ("--key custodian.key", "Keep the key", "Do not share it"):
        assert word in ran.out
    told = run("key", "other.key", "--json")
    assert told.json == {"key": "other.key"}
    assert secret not in ran.out + ran.err
    assert read_key(place / "other.key").hex() != secret


def test_a_key_in_use_is_never_replaced(place: Path) -> None:
    """There is no option for it: releases could not be made again.

    Fault class: a file that cannot be made again is lost.
    """
    rs.key("custodian.key")
    before = (place / "custodian.key").read_bytes()
    ran = run("key", "custodian.key")
    assert ran.code != 0
    assert "may be the key of earlier releases" in ran.error
    with pytest.raises(OutputError):
        rs.key(place / "custodian.key")
    assert run("key", "custodian.key", "--force").code != 0
    assert (place / "custodian.key").read_bytes() == before


def test_no_key_is_made_in_a_release(place: Path) -> None:
    """Nor in a folder within one, nor through a link to it."""
    write_csv(place / "patients.csv", PATIENTS, patients())
    rs.anonymize("patients.csv", quasi=["age", "sex"], k=2).write("release")
    (place / "elsewhere").symlink_to(place / "release")
    for file in ("release/key", "elsewhere/key"):
        with pytest.raises(SettingError, match="in the folder of a release"):
            rs.key(file)
    assert not list((place / "release").glob("key*"))


def test_a_folder_that_is_not_there_is_said() -> None:
    """Nothing is made on the way."""
    assert "the folder nowhere does not exist; make" in run("key", "nowhere/custodian.key").error


def test_a_key_for_signing_is_two_files(place: Path) -> None:
    """The secret one and the public one; what is said names both, and shows the public one's ID."""
    ran = run("key", "officer.key", "--purpose", "signing")
    assert ran.code == 0
    public = read_public_key(place / "officer.key.pub")
    assert public.id in ran.out
    assert run("key", "other", "--purpose", "signing", "--json").json == {
        "key": "other",
        "public_key": "other.pub",
        "id": read_public_key(place / "other.pub").id,
    }
    ran = run("key", "officer.key", "--purpose", "signing")
    assert (ran.code, "used to sign releases" in ran.error) == (2, True)
    assert "'secrets' is not known" in run("key", "x", "--purpose", "secrets").error


def test_a_key_of_one_purpose_is_none_of_the_other(place: Path) -> None:
    """Pseudonyms are not made with a key for signing, nor is anything signed with the other."""
    rs.key("signing", purpose="signing")
    rs.key("pseudonyms")
    with pytest.raises(SettingError, match="not a key that Roadstead wrote"):
        read_key(place / "signing")
    with pytest.raises(SettingError, match="this key is not for signing"):
        read_signing_key(place / "pseudonyms")


def test_a_key_that_is_not_there_is_told_with_how_to_make_one(tmp_path: Path) -> None:
    """For both purposes; a folder is refused too, whatever its permissions."""
    nowhere = tmp_path / "nowhere"
    with pytest.raises(
        SettingError, match=r"No such file .*, or make a key: roadstead\.key\(FILE\)$"
    ):
        read_key(nowhere)
    with pytest.raises(SettingError, match=r"or make a key: .*FILE, purpose=\"signing\"\)$"):
        read_signing_key(nowhere)
    typed = CommandNaming(names_of_options(REQUESTS))
    with naming(typed), pytest.raises(SettingError, match=r"key FILE --purpose signing$"):
        read_signing_key(nowhere)
    tmp_path.chmod(0o755)
    with pytest.raises(SettingError, match="it is a folder; give the file of the key"):
        read_key(tmp_path)


def test_a_folder_is_not_said_to_be_a_key_in_use(tmp_path: Path) -> None:
    """It is said to be a folder."""
    ran = run("key", tmp_path)
    assert ran.code == 2
    assert "is a folder; give the name of a new file in this folder" in ran.error
