"""A format of another package reads if it is requested by name, and a release needs no package."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pytest
from commands import run

import roadstead as rs
from roadstead import registry
from roadstead.errors import RoadsteadError
from roadstead.tables.formats.codebook import Codebook
from roadstead.tables.formats.format import Batches


class Colons:
    """Records in lines, with cells between colons."""

    label = "Colons"
    extra = None
    modules = ()
    options = ("skip",)
    written_as: str | None = None

    def read(self, path: Path, options: Mapping[str, str]) -> Batches:
        """Read texts."""
        lines = path.read_text("utf-8").splitlines()[int(options.get("skip", 0)) :]
        header, *rows = [line.split(":") for line in lines]
        table = pa.table(dict(zip(header, map(list, zip(*rows, strict=True)), strict=True)))
        return Batches(table.schema, iter(table.to_batches()), Codebook())


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of the format, in a machine that has the package."""
    module = ModuleType("colons")
    module.COLONS = Colons()  # type: ignore[attr-defined] # a made-up module
    monkeypatch.setitem(sys.modules, "colons", module)
    offer = EntryPoint("colons", "colons:COLONS", "roadstead.file_formats")
    usual = registry.entry_points_of
    monkeypatch.setattr(
        registry,
        "entry_points_of",
        lambda group: (offer,) if group == offer.group else usual(group),
    )
    path = tmp_path / "t.colons"
    rows = [f"{'fm'[at % 2]}:{20 + at % 3}" for at in range(60)]
    path.write_text("\n".join(["a title", "sex:age", *rows, ""]), "utf-8")
    return path


@pytest.mark.parametrize(("kind", "file"), [(None, "t.parquet"), ("excel", "t.xlsx")])
def test_a_release_has_a_format_that_its_recipient_can_check(
    kind: str | None, file: str, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parquet, or the format of Roadstead that the other format names."""
    monkeypatch.setattr(Colons, "written_as", kind)
    found = rs.anonymize(f"{table}?format=colons&skip=1", quasi=["sex", "age"], k=5)
    found.write(table.parent / "out")
    assert (table.parent / "out" / file).is_file()
    monkeypatch.undo()  # the recipient does not have the package
    assert rs.verify(table.parent / "out").passed


def test_the_format_is_never_used_unless_it_is_requested(table: Path) -> None:
    """By its name, which gets a suggestion, and with its own options."""
    assert "Colons" not in run("risk", str(table), "--quasi", "sex", "--header").err
    with pytest.raises(RoadsteadError, match="there is no file format 'colon'; did you mean"):
        rs.read(f"{table}?format=colon")
    with pytest.raises(RoadsteadError, match="Colons files have no option 'skips'"):
        rs.read(f"{table}?format=colons&skips=1")
