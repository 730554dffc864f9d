"""Provide checks of file formats for the tests of packages that add a file format.

Each check takes a `FormatSample`, which describes a file that another program wrote and the cells
of the file. A failed check raises an AssertionError that names the violated requirement. With
pytest::

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_the_format_keeps(check):
        check(FormatSample("colons", Path("people.colons"), {"sex": ["f", "m", None]}))

The checks do not change the file. They write only to temporary folders.
"""

from __future__ import annotations

import contextlib
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from roadstead.errors import RoadsteadError
from roadstead.tables.failures import engine_errors
from roadstead.tables.formats.options import with_options
from roadstead.tables.formats.registry import FORMATS, format_named
from roadstead.tables.reading import read
from roadstead.tables.source import ProgramFile

if TYPE_CHECKING:
    import pyarrow as pa

_SHORTEST = 6
"""The minimum length of a cell that the checks search for in messages."""
_TIMES = 8


@dataclass(frozen=True)
class FormatSample:
    """A sample file of a format, and the content that a reader must return.

    Attributes
    ----------
    name
        The name of the format's entry point in the group ``roadstead.file_formats``.
    path
        The file, preferably written by another program.
    columns
        The cells of each column, in order. A code is represented by its label, and a missing value
        by None. Include cells of six or more characters, because the checks test that error
        messages do not repeat these cells.
    """

    name: str
    path: Path
    columns: Mapping[str, Sequence[Any]]

    def address(self, path: Path, options: Mapping[str, str] | None = None) -> str:
        """Return the address of a file in this format."""
        named = self.name in FORMATS and self.name not in FORMATS.own
        own = {"format": self.name} if named else {}
        return with_options(path, {**own, **(options or {})})


Check: TypeAlias = Callable[[FormatSample], None]


def cells_are_read(sample: FormatSample) -> None:
    """Check that the table has the columns of the file and exactly the same cells."""
    _require_cells(sample, sample.address(sample.path), "the cells are the same as in the file")


def content_decides(sample: FormatSample) -> None:
    """Check that a file is read correctly even if its name has the extension of another format."""
    with _private_folder() as folder:
        copy = Path(shutil.copy(sample.path, folder / "people.csv"))
        _require_cells(sample, sample.address(copy), "the name of the file has no effect")


def options_are_checked(sample: FormatSample) -> None:
    """Check that unknown options and invalid values of known options are rejected."""
    form = format_named(sample.name)
    for option in ("no_such_option", *form.options):
        said = _error_of(sample.address(sample.path, {option: "no such thing"}))
        _require(said is not None, f"{option}='no such thing' is refused")
        _require_line(sample, str(said))


def damage_is_one_line(sample: FormatSample, times: int = _TIMES) -> None:
    """Check that a damaged file is read, or is rejected with a one-line message.

    The message must not contain any cell, and no files of the reader may remain.
    """
    content = sample.path.read_bytes()
    with _private_folder() as folder:
        for seed in range(times):
            path = folder / f"damaged{sample.path.suffix}"
            path.write_bytes(_damaged(content, random.Random(seed)))  # noqa: S311 - no secret
            _require_line(
                sample, _error_of(sample.address(path)) or "", f", damaged with seed {seed}"
            )
            path.unlink()
            _require(
                not [*folder.iterdir()],
                f"no file is left after reading the file damaged with seed {seed}",
            )


def a_release_is_read_back(sample: FormatSample) -> None:
    """Check that a written file has the same cells when read, and always the same bytes."""
    form = format_named(sample.name)
    if getattr(form, "written_as", None) != sample.name:
        return
    with _private_folder() as folder, read(sample.address(sample.path)) as source:
        out = folder / "release"
        out.mkdir()
        made = [out / f"{name}{form.endings[0]}" for name in ("one", "two")]
        rows, read_form = source.table.to_pyarrow(), source.format
        assert isinstance(read_form, ProgramFile)
        for path in made:
            form.write(rows.to_reader(), path, read_form.codebook)
        _require({*out.iterdir()} == {*made}, "writing creates only the files of the release")
        _require(made[0].read_bytes() == made[1].read_bytes(), "the same rows give the same bytes")
        _require_cells(
            sample, sample.address(made[0]), "the cells of a release are the same as in its source"
        )


CHECKS: tuple[Check, ...] = (
    cells_are_read,
    content_decides,
    options_are_checked,
    damage_is_one_line,
    a_release_is_read_back,
)
"""All checks for file formats."""


def _require_cells(sample: FormatSample, address: str, what: str) -> None:
    with read(address) as source:
        rows: pa.Table = source.table.to_pyarrow()
    expected = {name: [*cells] for name, cells in sample.columns.items()}
    _require(rows.column_names == [*expected], f"{what}: the column names")
    for name, cells in expected.items():
        _require(rows[name].to_pylist() == cells, f"{what}: column {name}")


def _error_of(address: str) -> str | None:
    """Read a whole file, and return the error message, if any."""
    try:
        with read(address) as source, engine_errors(source.name):
            source.table.to_pyarrow()
    except RoadsteadError as error:
        return str(error)
    return None


def _require_line(sample: FormatSample, said: str, where: str = "") -> None:
    _require("\n" not in said, f"an error is one line{where}")
    cells = (cell for cells in sample.columns.values() for cell in cells)
    texts = {cell for cell in cells if isinstance(cell, str) and len(cell) >= _SHORTEST}
    _require(not any(text in said for text in texts), f"an error does not repeat a cell{where}")


def _damaged(content: bytes, chance: random.Random) -> bytes:
    """Truncate a file, or overwrite or repeat a part of the file."""
    at = chance.randrange(len(content))
    size = chance.choice([1, 4, 64, 1024])
    match chance.randrange(4):
        case 0:
            return content[:at]
        case 1:
            return content[:at] + chance.randbytes(size) + content[at + size :]
        case 2:
            return content[:at] + content[at : at + size] + content[at:]
        case _:
            return content[:at] + b"\0" * size + content[at + size :]


@contextlib.contextmanager
def _private_folder() -> Iterator[Path]:
    """Create a folder for all temporary files, so that leftover files can be detected."""
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder
        try:
            yield Path(folder)
        finally:
            tempfile.tempdir = before


def _require(kept: object, what: str) -> None:
    if not kept:
        raise AssertionError(f"not kept: {what}")
