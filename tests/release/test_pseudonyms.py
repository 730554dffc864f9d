"""Pseudonyms: equal for equal people under one key, unique, and useless without it."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path

import pytest

from roadstead.errors import OutputError, SettingError
from roadstead.release.persons.pseudonyms import Pseudonyms, read_key, write_key

PERSONS = [str(number) for number in range(1000)]


def keyed(path: Path, kind: str = "person") -> Pseudonyms:
    """Make pseudonyms by a key file."""
    return Pseudonyms(read_key(path), keyed=True, kind=kind)


def test_releases_by_one_key_agree_and_by_two_do_not(tmp_path: Path) -> None:
    """The same person is the same in next month's release, with the same key alone."""
    write_key(tmp_path / "a")
    write_key(tmp_path / "b")
    first = keyed(tmp_path / "a").of(PERSONS)
    assert keyed(tmp_path / "a").of(PERSONS) == first
    assert not set(keyed(tmp_path / "b").of(PERSONS)) & set(first)


def test_pseudonyms_that_are_forgotten_agree_with_no_others() -> None:
    """Two releases without a key share no pseudonym."""
    one, other = Pseudonyms.forgotten(), Pseudonyms.forgotten()
    assert one.of(PERSONS) == one.of(PERSONS)
    assert not set(one.of(PERSONS)) & set(other.of(PERSONS))
    assert len(set(one.of(PERSONS))) == len(PERSONS)


def test_a_visit_numbered_like_a_person_has_another_pseudonym(tmp_path: Path) -> None:
    """Numbers of one kind do not reveal equal numbers of another kind."""
    write_key(tmp_path / "key")
    persons, visits = keyed(tmp_path / "key"), keyed(tmp_path / "key", "visit")
    assert not set(persons.of(PERSONS)) & set(visits.of(PERSONS))


def test_no_pseudonym_is_a_hash_of_the_number_or_in_its_order() -> None:
    """An attacker who hashes every number finds none, and their order is not the source's order."""
    made = Pseudonyms.forgotten().of(PERSONS)
    hashes = {
        hashlib.new(name, person.encode()).hexdigest()
        for name in ("md5", "sha1", "sha256")
        for person in PERSONS
    }
    assert not hashes & set(made)
    assert made != sorted(made)


def test_a_key_is_its_owners_alone(tmp_path: Path) -> None:
    """It is written with mode 0600, never over another file, and refused where others can read."""
    path = tmp_path / "key"
    write_key(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    before = path.read_bytes()
    with pytest.raises(OutputError, match="may be the key of earlier releases"):
        write_key(path)
    assert path.read_bytes() == before
    path.chmod(0o640)
    with pytest.raises(SettingError, match="chmod 600"):
        read_key(path)


@pytest.mark.parametrize("content", ["", "roadstead-key-1 12", "zz", "roadstead-key-1 zz"])
def test_what_is_no_key_is_refused_without_its_content(tmp_path: Path, content: str) -> None:
    """A wrong file is not quoted: it may be a user's secret."""
    path = tmp_path / "key"
    path.write_text(content, encoding="utf-8")
    path.chmod(0o600)
    with pytest.raises(SettingError, match="not a key that Roadstead wrote") as caught:
        read_key(path)
    assert "zz" not in str(caught.value)


def test_a_key_is_not_shown() -> None:
    """Not in what Python prints of the pseudonyms."""
    assert repr(Pseudonyms(b"secret" * 6, keyed=True)).count("secret") == 0
