"""A run killed at any step leaves the former or the new release, and the next run cleans up.

Fault class: a kill between two steps. The steps are the changes of names on the disk. A child
process ends at once before or after a step, like a killed process.
"""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from commands import listing

from roadstead.errors import OutputError
from roadstead.regular_files import locked
from roadstead.release import leftovers, staging
from roadstead.release.staging import check_output, staged

MARK = "0123456789ab"
KILLED = 9
STEPS = 20
"""More than a run has; a run that ends before the step is not killed."""


def owns(_folder: Path) -> frozenset[str]:
    """Say that two names are part of an earlier output."""
    return frozenset(("a", "b"))


def write(out: Path, content: str, *, force: bool = True) -> None:
    """Write a folder of two files."""
    with staged(out, force=force, own=owns) as folder:
        (folder / "a").write_text(content)
        (folder / "b").write_text(content)


def killed_at(step: int, work: Callable[[], None], *, after: bool, one_step: bool) -> bool:
    """Do some work in a child that ends at a step; return whether it came so far."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED
    try:
        _die_at(step, after=after, one_step=one_step)
        work()
    finally:
        os._exit(0)


def _die_at(step: int, *, after: bool, one_step: bool) -> None:
    """Count what changes names on the disk, and end this process at one."""
    count = 0

    def counted(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **how: Any) -> Any:  # noqa: ANN401 - as it is
            nonlocal count
            count += 1
            if count == step and not after:
                os._exit(KILLED)
            result = original(*arguments, **how)
            if count == step and after:
                os._exit(KILLED)
            return result

        return call

    for owner, name in (
        (Path, "rename"),
        (Path, "mkdir"),
        (Path, "unlink"),
        (os, "unlink"),
        (os, "rmdir"),
    ):
        setattr(owner, name, counted(getattr(owner, name)))
    vars(staging)["exchange"] = counted(staging.exchange) if one_step else lambda *_: False


@pytest.mark.quick(1)
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("one_step", [True, False], ids=["exchange", "two renames"])
@pytest.mark.parametrize("former", [True, False], ids=["replaced", "new"])
def test_a_kill_at_any_step_loses_nothing(
    tmp_path: Path,
    *,
    after: bool,
    one_step: bool,
    former: bool,
) -> None:
    """The next run finds the former or the new folder whole, and nothing next to it."""
    kills = 0
    for step in range(1, STEPS):
        place = tmp_path / str(step)
        place.mkdir()
        out = place / "out"
        if former:
            write(out, "old")
        kills += killed_at(step, partial(write, out, "new"), after=after, one_step=one_step)
        if former and one_step:
            assert listing(out) in ({"a": b"old", "b": b"old"}, {"a": b"new", "b": b"new"})
        check_output(out, force=True, own=owns)
        wholes = [{"out": None, "out/a": text, "out/b": text} for text in (b"old", b"new")]
        assert listing(place) in (wholes if former else [{}, wholes[1]])
        write(out, "newer")
        assert listing(place) == {"out": None, "out/a": b"newer", "out/b": b"newer"}
    assert 3 <= kills < STEPS - 1, "steps are counted, and the last is beyond the end"


def test_a_former_release_is_told_to_be_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A line names it; without force it is not replaced."""
    former = tmp_path / f".out.{MARK}.old"
    former.mkdir()
    (former / "a").write_text("old")
    (tmp_path / f".out.{MARK}.lock").touch()
    with (
        caplog.at_level(logging.WARNING, "roadstead"),
        pytest.raises(OutputError, match="already exists"),
    ):
        write(tmp_path / "out", "new", force=False)
    assert listing(tmp_path) == {"out": None, "out/a": b"old"}
    assert "its old name is restored" in caplog.text


@pytest.mark.parametrize("ending", ["old", "next"])
def test_what_is_not_ours_is_never_removed(
    tmp_path: Path, ending: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A folder with another file stays next to the release, and is named each time."""
    write(tmp_path / "out", "new")
    aside = tmp_path / f".out.{MARK}.{ending}"
    aside.mkdir()
    (aside / "notes.txt").write_text("mine")
    (tmp_path / f".out.{MARK}.lock").touch()
    for _ in range(2):
        caplog.clear()
        check_output(tmp_path / "out", force=True, own=owns)
        assert (aside / "notes.txt").read_text() == "mine"
        assert aside.name in caplog.text


def test_names_that_only_look_alike_are_left_alone(tmp_path: Path) -> None:
    """Other endings, other marks, links, files, and what belongs to another output."""
    (tmp_path / "far").mkdir()
    (tmp_path / f".out.{MARK}.old").symlink_to("far")
    (tmp_path / f".out.{MARK}.lock").touch()
    for name in (".out.xyz.part", f".out2.{MARK}.part", f".out.{MARK}.keep", ".out.part"):
        (tmp_path / name).mkdir()
    (tmp_path / f".out.{MARK[::-1]}.part").write_text("a file")
    before = listing(tmp_path)
    check_output(tmp_path / "out", force=True, own=owns)
    assert listing(tmp_path) == before


def test_a_folder_of_a_version_without_locks_is_restored_and_not_removed(tmp_path: Path) -> None:
    """Such a run may still be working."""
    for ending in ("old", "part"):
        (tmp_path / f".out.{MARK}.{ending}").mkdir()
        (tmp_path / f".out.{MARK}.{ending}" / "a").write_text(ending)
    check_output(tmp_path / "out", force=True, own=owns)
    assert listing(tmp_path) == {
        f".out.{MARK}.part": None,
        f".out.{MARK}.part/a": b"part",
        "out": None,
        "out/a": b"old",
    }


@pytest.fixture
def halfway(tmp_path: Path) -> Iterator[Path]:
    """Make what a run in another process shows between its two renames; it is still at work."""
    for ending, content in (("old", "old"), ("next", "new")):
        (tmp_path / f".out.{MARK}.{ending}").mkdir()
        (tmp_path / f".out.{MARK}.{ending}" / "a").write_text(content)
    with (tmp_path / f".out.{MARK}.lock").open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield tmp_path


def test_what_another_run_is_at_work_on_is_left_alone(halfway: Path) -> None:
    """Its lock is held, so nothing is restored or removed."""
    before = listing(halfway)
    check_output(halfway / "out", force=True, own=owns)
    assert listing(halfway) == before


def test_two_runs_at_once_do_not_take_each_others_work(tmp_path: Path) -> None:
    """The quick one ends while the slow one writes; both do what was asked."""
    out = tmp_path / "out"
    with staged(out, force=True, own=owns) as slow:
        (slow / "a").write_text("slow")
        write(out, "quick")
        assert (slow / "a").read_text() == "slow"
    assert listing(tmp_path) == {"out": None, "out/a": b"slow"}


def test_folders_change_places_in_one_step(tmp_path: Path) -> None:
    """Each has what the other had, and no third name is used."""
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    if not staging.exchange(tmp_path / "one", tmp_path / "other"):
        pytest.skip("this file system cannot")
    assert listing(tmp_path) == {"one": None, "one/other": b"", "other": None, "other/one": b""}
    shutil.rmtree(tmp_path / "one")
    with pytest.raises(FileNotFoundError):
        staging.exchange(tmp_path / "one", tmp_path / "other")


def test_a_lock_is_held_as_long_as_a_run_lasts(tmp_path: Path) -> None:
    """And its file is gone afterwards."""
    with leftovers.at_work(tmp_path / "out") as aside, aside.lock.open("ab") as other:
        assert not locked(other)
    assert listing(tmp_path) == {}
