"""The ledger's folder: no release without its entry, no entry without its release."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

import pytest

from roadstead.errors import SettingError, VerificationError
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.documents import fingerprint
from roadstead.release.ledger.entry import EarlierRelease, entry_text
from roadstead.release.ledger.folder import held_ledger, read_entries


def release_in(folder: Path) -> EarlierRelease:
    """Make what the ledger looks at of a release, and its entry."""
    folder.mkdir()
    (folder / CERTIFICATE).write_text('{"a": 1}', encoding="utf-8")
    digest = fingerprint(folder / CERTIFICATE).sha256
    moment = "2026-01-31T08:00:00+00:00"
    return EarlierRelease(digest, "private", moment, "", "t.csv", epsilon="1/2")


@pytest.fixture(autouse=True)
def ledger_folder(tmp_path: Path) -> Path:
    """Make the folder, as a user does to begin a ledger."""
    folder = tmp_path / "ledger"
    folder.mkdir()
    return folder


class KilledError(BaseException):
    """An error that ends a run at once."""


def test_a_release_that_left_has_its_entry(tmp_path: Path) -> None:
    """Prepared, published, entered; and read again the same."""
    out = tmp_path / "release"
    with held_ledger(tmp_path / "ledger") as ledger:
        assert ledger.entries == ()
        entry = release_in(out)
        ledger.prepare(entry, out)
        assert ledger.enter().name == f"{entry.name}.json"
    assert read_entries(tmp_path / "ledger") == (entry,)


def test_releases_of_one_second_with_one_certificate_have_an_entry_each(tmp_path: Path) -> None:
    """As of one table under two names of its people: none is replaced by another."""
    out = tmp_path / "release"
    entry = release_in(out)
    for people in ("north", "south", "south"):
        with held_ledger(tmp_path / "ledger") as ledger:
            ledger.prepare(replace(entry, people=people), out)
            ledger.enter()
    found = read_entries(tmp_path / "ledger")
    assert [one.people for one in found] == ["north", "south", "south"]
    assert len({one.created for one in found}) == 3


def test_releases_of_one_second_keep_their_order(tmp_path: Path) -> None:
    """Whatever their certificates are: the digests in the names must not sort the releases."""
    entry = release_in(tmp_path / "release")
    for first_digit in "f0a":
        with held_ledger(tmp_path / "ledger") as ledger:
            certificate = first_digit + entry.certificate[1:]
            ledger.prepare(replace(entry, certificate=certificate), tmp_path / "release")
            ledger.enter()
    found = read_entries(tmp_path / "ledger")
    assert [one.certificate[0] for one in found] == ["f", "0", "a"]


@pytest.mark.parametrize("published", [True, False])
@pytest.mark.parametrize("killed", [True, False])
def test_a_run_that_was_stopped_is_put_right(
    tmp_path: Path, *, published: bool, killed: bool
) -> None:
    """Stopped between the release and its entry: entered by the next run, or by none."""
    out, folder = tmp_path / "release", tmp_path / "ledger"
    aside = tmp_path / "aside"
    stopped = contextlib.nullcontext() if killed else pytest.raises(KilledError)
    with stopped, held_ledger(folder) as ledger:
        entry = release_in(aside)
        ledger.prepare(entry, out)
        if published:
            aside.rename(out)
        if not killed:  # else nothing of the run comes after it
            raise KilledError
    with held_ledger(folder) as ledger:
        assert ledger.entries == ((entry,) if published else ())
    left = {path.name for path in folder.iterdir()}
    assert left == ({".lock", f"{entry.name}.json"} if published else {".lock"})


def test_another_release_in_the_place_is_not_entered(tmp_path: Path) -> None:
    """A former release stays in its place when the new one did not come."""
    out, folder = tmp_path / "release", tmp_path / "ledger"
    with held_ledger(folder) as ledger:
        ledger.prepare(release_in(tmp_path / "aside"), out)
    out.mkdir()
    (out / CERTIFICATE).write_text("{}", encoding="utf-8")
    with held_ledger(folder) as ledger:
        assert ledger.entries == ()


def test_two_releases_at_once_are_refused(tmp_path: Path) -> None:
    """The second would not be compared with the first."""
    with (
        held_ledger(tmp_path / "ledger"),
        pytest.raises(SettingError, match="another run is writing to the ledger"),
        held_ledger(tmp_path / "ledger"),
    ):
        pass


def test_an_entry_that_was_damaged_or_renamed_is_refused(tmp_path: Path) -> None:
    """It is never passed over."""
    folder = tmp_path / "ledger"
    entry = release_in(tmp_path / "release")
    other = folder / "2026-01-01T000000Z-0000000000000000.json"
    other.write_bytes(entry_text(entry))
    with pytest.raises(VerificationError, match="does not have the name of its release"):
        read_entries(folder)
    other.write_bytes(entry_text(entry)[:-10])
    with pytest.raises(VerificationError, match="damaged"):
        read_entries(folder)


def test_no_folder_and_no_ledger_are_refused_and_nothing_is_made(tmp_path: Path) -> None:
    """A mistyped name must not begin a ledger in which nothing left earlier."""
    with (
        pytest.raises(SettingError, match=r"lefger does not exist.*folder first: mkdir") as missing,
        held_ledger(tmp_path / "lefger"),
    ):
        pass
    assert missing.value.field == "ledger"
    assert not (tmp_path / "lefger").exists()
    other = tmp_path / "data"
    other.mkdir()
    (other / "patients.csv").write_text("a", encoding="utf-8")
    (other / "demo.json").write_text("{}", encoding="utf-8")
    with (
        pytest.raises(SettingError, match="other files and is not a ledger"),
        held_ledger(other),
    ):
        pass
    with pytest.raises(SettingError, match="not a folder"), held_ledger(other / "patients.csv"):
        pass
    assert sorted(path.name for path in other.iterdir()) == ["demo.json", "patients.csv"]
