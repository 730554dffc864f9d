"""Data sets come from the named folder, or are downloaded and checked; here from a stand-in."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pooch
import pytest

from roadstead.errors import SourceError
from roadstead_reproductions import datasets


def test_the_folder_named_goes_before_fetching(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "adult").mkdir()
    monkeypatch.setenv("ROADSTEAD_DATA", str(tmp_path))
    assert datasets.data_set("adult") == tmp_path / "adult"


def test_an_unknown_set_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROADSTEAD_DATA", raising=False)
    with pytest.raises(
        SourceError, match="'atlantis' is not a known data set; use one of adult, cup"
    ):
        datasets.data_set("atlantis")


def _stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    """Make the registry one file that is fetched from a local path."""
    there = tmp_path / "there.csv"
    there.write_bytes(b"a;b\n1;2\n")

    monkeypatch.delenv("ROADSTEAD_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    entry = (hashlib.sha256(content).hexdigest(), there.as_uri())
    monkeypatch.setattr(datasets, "FILES", {"adult/adult.csv": entry})


def test_a_file_is_fetched_once_and_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _stand_in(tmp_path, monkeypatch, b"a;b\n1;2\n")
    fetched = []

    def copy(url: str, output_file: str, _pooch: object) -> None:
        fetched.append(url)
        Path(output_file).write_bytes((tmp_path / "there.csv").read_bytes())

    monkeypatch.setattr(pooch.core, "choose_downloader", lambda *_a, **_k: copy)
    folder = datasets.data_set("adult")
    assert (folder / "adult.csv").read_bytes() == b"a;b\n1;2\n"
    assert datasets.data_set("adult") == folder
    assert len(fetched) == 1


def test_a_file_that_is_not_the_one_expected_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _stand_in(tmp_path, monkeypatch, b"something else")

    def copy(_url: str, output_file: str, _pooch: object) -> None:
        Path(output_file).write_bytes((tmp_path / "there.csv").read_bytes())

    monkeypatch.setattr(pooch.core, "choose_downloader", lambda *_a, **_k: copy)
    with pytest.raises(SourceError, match=r"adult/adult.csv: it cannot be fetched"):
        datasets.data_set("adult")


def test_the_checksums_are_those_of_the_real_files(data_dir: Path) -> None:
    for path, (sha256, _) in datasets.FILES.items():
        plain, zipped = data_dir / path, data_dir / f"{path}.gz"
        content = plain.read_bytes() if plain.exists() else gzip.decompress(zipped.read_bytes())
        assert hashlib.sha256(content).hexdigest() == sha256, path
