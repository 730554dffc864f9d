"""Outputs appear whole or not at all, and only a former release is replaced."""

from __future__ import annotations

import errno
import os
import resource
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from commands import listing, run, run_apart, without_charts
from small_tables import PATIENTS, QUASI, patients, write_csv

from roadstead.errors import OutputError
from roadstead.release import publish, staging
from roadstead.release.apply import released_batches
from roadstead.release.leftovers import at_work
from roadstead.release.staging import check_output, staged

ROLES = ("--quasi", QUASI, "--identifiers", "name,record", "--unchanged", "diagnosis")


def owns(*names: str) -> Any:  # noqa: ANN401 - a function
    """Say that these names are part of an earlier output."""
    return lambda _folder: frozenset(names)


def write(out: Path, content: str = "new", *, force: bool = False, own: Any = owns("a")) -> None:  # noqa: ANN401, B008 - a function
    """Write a folder of one file, ``a``."""
    with staged(out, force=force, own=own) as folder:
        (folder / "a").write_text(content)


def test_a_folder_appears_when_all_is_written(tmp_path: Path) -> None:
    """With parents made for it, readable as any folder is, and no trace of the work."""
    write(tmp_path / "b" / "c" / "out")
    assert listing(tmp_path) == {"b": None, "b/c": None, "b/c/out": None, "b/c/out/a": b"new"}
    mask = os.umask(0)
    os.umask(mask)
    assert (tmp_path / "b" / "c" / "out").stat().st_mode & 0o777 == 0o777 & ~mask


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_nothing_is_left_when_the_work_fails(tmp_path: Path, error: type[BaseException]) -> None:
    """Not even the parents that were made for it; a former folder stays."""

    def fail(out: Path) -> None:
        with staged(out, force=True, own=owns("a")) as folder:
            (folder / "a").write_text("new")
            raise error

    write(tmp_path / "former", "old")
    before = listing(tmp_path)
    for out in (tmp_path / "b" / "c" / "out", tmp_path / "former"):
        with pytest.raises(error):
            fail(out)
        assert listing(tmp_path) == before


def test_a_former_folder_is_replaced_by_force_only(tmp_path: Path) -> None:
    """And whole: what the new one has not is gone."""
    out = tmp_path / "out"
    write(out, "old")
    with pytest.raises(
        OutputError, match="already exists; choose another name, or give force=True"
    ):
        write(out)
    (out / "b").write_text("old")
    write(out, force=True, own=owns("a", "b"))
    assert listing(tmp_path) == {"out": None, "out/a": b"new"}


@pytest.mark.parametrize("force", [True, False])
def test_a_folder_with_anything_else_is_never_replaced(tmp_path: Path, *, force: bool) -> None:
    """The error names the first such file."""
    out = tmp_path / "out"
    write(out, "old")
    (out / "notes.txt").write_text("mine")
    with pytest.raises(
        OutputError, match=r"contains 'notes\.txt', which is not part of an earlier"
    ):
        write(out, force=force)
    assert listing(out) == {"a": b"old", "notes.txt": b"mine"}


def test_an_empty_folder_makes_way(tmp_path: Path) -> None:
    """Without force."""
    (tmp_path / "out").mkdir()
    write(tmp_path / "out")
    assert listing(tmp_path) == {"out": None, "out/a": b"new"}


def test_a_folder_reached_by_a_link_is_written_where_it_lies(tmp_path: Path) -> None:
    """The link stays a link."""
    (tmp_path / "far").mkdir()
    (tmp_path / "link").symlink_to("far")
    (tmp_path / "dangling").symlink_to("made")
    for link, real in (("link", "far"), ("dangling", "made")):
        write(tmp_path / link)
        assert (tmp_path / link).is_symlink()
        assert listing(tmp_path / real) == {"a": b"new"}
    write(tmp_path / "link", "newer", force=True)
    assert listing(tmp_path / "far") == {"a": b"newer"}


def test_a_path_through_a_folder_that_is_not_there_makes_none(tmp_path: Path) -> None:
    """``x/../out`` is ``out``."""
    write(tmp_path / "x" / ".." / "out")
    assert listing(tmp_path) == {"out": None, "out/a": b"new"}


def test_a_file_in_the_place_or_on_the_way_is_refused(tmp_path: Path) -> None:
    """Before any work is done."""
    (tmp_path / "file").write_text("mine")
    for out in (tmp_path / "file", tmp_path / "file" / "out", tmp_path / "file" / "b" / "out"):
        with pytest.raises(OutputError, match="not a folder"):
            check_output(out, force=True, own=owns())


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unwritable to the superuser")
def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    """Before any work is done."""
    (tmp_path / "locked").mkdir(mode=0o500)
    with pytest.raises(OutputError, match="cannot write to"):
        check_output(tmp_path / "locked" / "out", force=False, own=owns())


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (errno.ENOSPC, "the disk is full; free some"),
        (errno.EDQUOT, "the disk is full; free some"),
        (errno.EROFS, r"cannot be written \(Read-only file system\); choose another place"),
    ],
)
@pytest.mark.parametrize("call", ["mkdir", "fsync", "rename"])
def test_what_the_system_refuses_is_told_in_our_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, says: str, call: str
) -> None:
    """Wherever it does, the final folder is named and nothing is left."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr(*((os, "fsync", refuse) if call == "fsync" else (Path, call, refuse)))
        with pytest.raises(OutputError, match=says) as caught:
            write(out)
    assert str(out) in str(caught.value)
    assert listing(tmp_path) == {}


def test_an_error_of_the_writer_names_the_final_folder(tmp_path: Path) -> None:
    """It does not name the hidden folder, which users do not know."""
    with (
        pytest.raises(OutputError, match=r"out/a: is full") as caught,
        staged(tmp_path / "out", force=False, own=owns()) as folder,
    ):
        raise OutputError("is full", where=str(folder / "a"))
    assert ".part" not in str(caught.value)


def test_a_former_folder_comes_back_when_the_last_step_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between moving it aside and putting the new one there, where that takes two steps."""
    out = tmp_path / "out"
    write(out, "old")
    rename = Path.rename

    def fail(self: Path, target: Path) -> Path:
        if self.suffix == ".next":
            monkeypatch.setattr(Path, "rename", rename)
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return rename(self, target)

    monkeypatch.setattr(staging, "exchange", lambda *_: False)
    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(OutputError, match="cannot be written"):
        write(out, force=True)
    assert listing(tmp_path) == {"out": None, "out/a": b"old"}


def test_two_writers_do_not_disturb_each_other(tmp_path: Path) -> None:
    """The second to finish is refused, because the first is there by then."""
    out = tmp_path / "out"

    def be_slow() -> None:
        with staged(out, force=False, own=owns("a")) as slow:
            (slow / "a").write_text("slow")
            write(out, "quick")

    with pytest.raises(OutputError, match="already exists"):
        be_slow()
    assert listing(tmp_path) == {"out": None, "out/a": b"quick"}


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table of patients and its release."""
    folder = tmp_path_factory.mktemp("released")
    data = write_csv(folder / "patients.csv", PATIENTS, patients(3000))
    with pytest.MonkeyPatch.context() as patch:
        without_charts(patch)
        assert run("anonymize", data, *ROLES, "--out", folder / "release").code == 0
    return folder


@pytest.fixture
def place(tmp_path: Path, released: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the table."""
    without_charts(monkeypatch)
    monkeypatch.chdir(tmp_path)
    shutil.copy(released / "patients.csv", tmp_path)
    return tmp_path


@pytest.fixture
def release(place: Path, released: Path) -> Path:
    """The release next to it."""
    return Path(shutil.copytree(released / "release", place / "release"))


def test_force_replaces_a_former_release(place: Path) -> None:
    """Though its table had another name."""
    shutil.copy(place / "patients.csv", place / "others.csv")
    assert run("anonymize", "others.csv", *ROLES, "--out", "release").code == 0
    assert run("anonymize", "patients.csv", *ROLES, "--out", "release", "--force").code == 0
    assert run("verify", "release").code == 0
    assert not (place / "release" / "others.csv").exists()


@pytest.mark.parametrize("command", ["anonymize", "apply"])
@pytest.mark.parametrize(
    "foreign",
    ["hierarchies", "the original table", "a release with notes", "a release with a table more"],
)
def test_force_never_removes_what_no_certificate_names(
    place: Path, release: Path, command: str, foreign: str
) -> None:
    """Least of all the original, alone in its folder under a name a release could have."""
    out = place / "target"
    if foreign.startswith("a release"):
        shutil.copytree(release, out)
        (out / ("notes.txt" if foreign.endswith("notes") else "more.csv")).write_text("mine")
    else:
        out.mkdir()
        name = "patients.csv" if foreign == "the original table" else "sex.csv"
        shutil.copy(place / "patients.csv", out / name)
    before = listing(place)
    table = "target/patients.csv" if foreign == "the original table" else "patients.csv"
    arguments = [table, *ROLES] if command == "anonymize" else ["release/policy.json", table]
    ran = run(command, *arguments, "--out", "target", "--force")
    assert (ran.code, ran.out) == (2, "")
    assert "not part of an earlier release" in ran.error
    assert listing(place) == before


@pytest.mark.usefixtures("release")
def test_a_former_release_survives_a_run_that_fails(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the very end, when the new one does not pass its check."""
    before = listing(place)

    def spoiled(*arguments: Any, **how: Any) -> Any:  # noqa: ANN401 - as it is
        reader = released_batches(*arguments, **how)
        return pa.RecordBatchReader.from_batches(
            reader.schema, [batch.slice(0, 100) for batch in reader][:1]
        )

    monkeypatch.setattr(publish, "released_batches", spoiled)
    ran = run("anonymize", "patients.csv", *ROLES, "--out", "release", "--force")
    assert (ran.code, ran.out) == (1, "")
    assert "the release was not published, because it failed verification" in ran.error
    assert listing(place) == before


@pytest.mark.quick(1)
@pytest.mark.parametrize(("size", "apart"), [(1_000, False), (40_000, True)])
def test_a_disk_that_fills_up_leaves_nothing(
    place: Path,
    size: int,
    apart: bool,  # noqa: FBT001 - a table of cases
) -> None:
    """No file may be larger than so many bytes; in the real command too."""
    before = listing(place)
    former = resource.getrlimit(resource.RLIMIT_FSIZE)

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, former[1]))

    request = ("anonymize", "patients.csv", *ROLES, "--out", "b/release")
    if apart:
        ran = run_apart(*request, folder=place, before=little_room)
    else:
        little_room()
        try:
            ran = run(*request)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, former)
    assert (ran.code, ran.out) == (2, ""), ran
    assert "b/release" in ran.error
    assert "--out" in ran.error
    assert listing(place) == before


def test_a_disk_without_space_is_named(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the certificate no longer fits, for one."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(publish, "rendered", full)
    before = listing(place)
    ran = run("anonymize", "patients.csv", *ROLES, "--out", "release")
    assert (ran.code, ran.out) == (2, "")
    assert ran.error.startswith("release: the disk is full")
    assert listing(place) == before


def test_hidden_folders_of_two_runs_have_different_names(tmp_path: Path) -> None:
    """So that they can be at work at once."""
    names = set()
    for _ in range(100):
        with at_work(tmp_path / "out") as aside:
            names.add(aside.part.name)
    assert len(names) == 100
    assert all(name.startswith(".out.") and name.endswith(".part") for name in names)
