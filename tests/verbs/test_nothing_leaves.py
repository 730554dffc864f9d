"""Protection against accidents: random tables with planted identifiers, through every way out.

A planted column has no role, is named for release, is treated, or has a proposed role that an
analyst accepts unread. No identifying text may be in a file of the output folder, on the terminal,
or in JSON.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from commands import Ran, run, undrawn
from effort import examples
from hidden_identifiers import Hidden, kinds, plant
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from revealing_tables import QUASI, Row, clinic
from stores import Duckdb

import roadstead as rs

HONEST = ("outcome", "potassium")
RECORDS = 1_200
SUPPRESSION = ("--suppression", "0.05")


@dataclass(frozen=True)
class Planted:
    """A table with planted columns, and where it is."""

    rows: list[Row]
    hidden: tuple[Hidden, ...]
    address: str

    @property
    def columns(self) -> list[str]:
        """Name the planted columns."""
        return [name for one in self.hidden for name in one.columns]

    @property
    def texts(self) -> set[str]:
        """Give all that must not leave."""
        return {text for one in self.hidden for text in one.texts}


def table(rows: Sequence[Row]) -> pa.Table:
    """Put records into a table in memory."""
    return pa.table({name: [row[name] for row in rows] for name in rows[0]})


def made(place: Path, form: str, chosen: Sequence[str], seed: int, name: str) -> Planted:
    """Plant columns among honest ones, and write the table."""
    rows = [{one: row[one] for one in (*QUASI, *HONEST)} for row in clinic(RECORDS, seed)]
    hidden = tuple(plant(kind, rows, f"x{at}", seed) for at, kind in enumerate(chosen))
    return Planted(rows, hidden, stored(place, form, rows, name))


def stored(place: Path, form: str, rows: Sequence[Row], name: str) -> str:
    """Write a table in one form, and return what names it."""
    if form == "parquet":
        parquet.write_table(table(rows), place / f"{name}.parquet")
        return str(place / f"{name}.parquet")
    cells = [[str(cell) for cell in row.values()] for row in rows]
    if form == "duckdb":
        return Duckdb(place / f"{name}.duckdb").load("visits", list(rows[0]), cells)
    pd.DataFrame(cells, columns=list(rows[0])).to_csv(place / f"{name}.csv", index=False)
    return str(place / f"{name}.csv")


def shown(text: str, texts: set[str]) -> set[str]:
    """Return the texts that occur, as words of their own: digits of a measure are not a value."""
    return {
        one
        for one in texts
        if one in text and re.search(rf"(?<![\w.]){re.escape(one)}(?![\w.]*\w)", text)
    }


def read_all(folder: Path) -> str:
    """Read all files of a folder as text; tables of Parquet also by their cells."""
    found = []
    for path in sorted(folder.rglob("*")):
        found.append(path.name)
        if path.is_file():
            found.append(path.read_bytes().decode("utf-8", "replace"))
        if path.suffix == ".parquet":
            found.append(parquet.read_table(path).to_pandas().to_csv())
    return "\n".join(found)


def header(folder: Path) -> list[str]:
    """Name the columns of the released table."""
    certificate = json.loads((folder / "certificate.json").read_text("utf-8"))
    path = folder / certificate["table"]["name"]
    if path.suffix == ".parquet":
        return list(parquet.read_schema(path).names)
    return list(pd.read_csv(path, dtype=str, nrows=1).columns)


def require_nothing_left(planted: Planted, ran: Sequence[Ran], out: Path) -> None:
    """Check folder, terminal, and JSON."""
    assert not shown("\n".join(one.out + one.err for one in ran), planted.texts)
    if out.exists():
        assert not shown(read_all(out), planted.texts)
        assert not set(planted.columns) & set(header(out))


def undeclared(planted: Planted, out: Path) -> None:
    """The analyst names the honest columns; the others stay."""
    request = ["anonymize", planted.address, "--quasi", ",".join(QUASI)]
    request += ["--sensitive", ",".join(HONEST), *SUPPRESSION]
    ran = run(*request, "--out", out)
    assert ran.code == 0, ran
    require_nothing_left(planted, [ran, run(*request, "--json"), run("verify", out)], out)


def named(role: str) -> Callable[[Planted, Path], None]:
    """Return the way of an analyst who names all columns for release, the planted ones too."""

    def way(planted: Planted, out: Path) -> None:
        for one in planted.hidden:
            columns = ",".join((*HONEST, *one.columns))
            request = ("anonymize", planted.address, "--quasi", ",".join(QUASI))
            ran = run(*request, f"--{role}", columns, "--out", out)
            assert ran.code == 2, (ran, one.columns)
            assert not out.exists()
            require_nothing_left(planted, [ran], out)

    return way


def treated(planted: Planted, out: Path) -> None:
    """The analyst rounds the planted columns to multiples of one."""
    treatments = [f"rounding:column={name},base=1" for name in planted.columns]
    request = ["anonymize", planted.address, "--quasi", ",".join(QUASI)]
    for one in treatments:
        request += ["--treat", one]
    ran = run(*request, "--out", out)
    assert ran.code == 2, ran
    assert not out.exists()
    require_nothing_left(planted, [ran], out)


def accepted(planted: Planted, out: Path) -> None:
    """The analyst accepts what scan proposes without reading it."""
    project = out.with_suffix(".toml")
    scanned = run("scan", planted.address, "--out", project, "--force")
    assert scanned.code == 0, scanned
    assert not shown(project.read_text("utf-8") + scanned.out, planted.texts)
    ran = run("anonymize", "--project", project, "--out", out)
    if ran.code != 0:
        assert not out.exists(), ran
        require_nothing_left(planted, [ran], out)
        return
    roles = json.loads((out / "policy.json").read_text("utf-8"))["columns"]
    released = {*roles["sensitive"], *roles["unchanged"]}
    assert not released & set(planted.columns)
    generalized = {one for one in planted.columns if one in header(out)}
    unseen = [one for one in planted.hidden if not generalized & set(one.columns)]
    gone = Planted(planted.rows, tuple(unseen), planted.address)
    require_nothing_left(gone, [ran], out)


def chosen(planted: Planted, out: Path) -> None:
    """The analyst chooses a policy of a frontier."""
    request = ("frontier", planted.address, "--quasi", ",".join(QUASI), "--choose", "0")
    forced = ("--choose-reason", "a trial", "--undecided")
    ran = run(*request, *forced, "withhold", "--out", out)
    assert ran.code == 0, ran
    require_nothing_left(planted, [ran], out / "release")
    assert not shown(read_all(out), planted.texts)
    shutil.rmtree(out)
    ran = run(*request, *forced, "withhold", "--sensitive", ",".join(planted.columns), "--out", out)
    assert ran.code == 2, ran
    require_nothing_left(planted, [ran], out)


def applied(planted: Planted, out: Path) -> None:
    """A policy that was made when the columns were harmless meets what they hold now."""
    harmless = [
        {name: row[name] if name in (*QUASI, *HONEST) else "abc"[at % 3] for name in row}
        for at, row in enumerate(planted.rows)
    ]
    before = stored(out.parent, "csv", harmless, "before")
    for unchanged in (True, False):
        folder = out.parent / f"policy{unchanged}"
        request = ["anonymize", before, "--quasi", ",".join(QUASI), "--out", str(folder)]
        ran = run(*request, *(["--unchanged", ",".join(planted.columns)] * unchanged))
        assert ran.code == 0, ran
        policy = folder / "policy.json"
        ran = run("apply", policy, planted.address, "--suppression", "1", "--out", out)
        assert ran.code == (2 if unchanged else 0), ran
        require_nothing_left(planted, [ran], out)


def in_python(planted: Planted, out: Path) -> None:
    """A frame of pandas: withheld, or refused where it is named."""
    frame = table(planted.rows).to_pandas()
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        result = rs.anonymize(frame, quasi=QUASI, sensitive=HONEST, suppression=0.05, out=out)
        said.write(f"{result!r}{json.dumps(result.to_dict(), default=str)}{result._repr_html_()}")
        assert not set(planted.columns) & set(result.to_pandas().columns)
        with pytest.raises(rs.RoadsteadError) as refused:
            rs.anonymize(frame, quasi=QUASI, unchanged=planted.columns)
    told = Ran(0, said.getvalue(), str(refused.value))
    require_nothing_left(planted, [told], out)


WAYS: dict[str, Callable[[Planted, Path], None]] = {
    "undeclared": undeclared,
    "sensitive": named("sensitive"),
    "unchanged": named("unchanged"),
    "treated": treated,
    "accepted": accepted,
    "chosen": chosen,
    "applied": applied,
    "in Python": in_python,
}
FORMS = ("csv", "parquet", "duckdb")


@pytest.fixture(scope="module", autouse=True)
def _undrawn() -> object:
    """Let charts be left out: they take longer to draw than all else together."""
    with pytest.MonkeyPatch.context() as patch:
        undrawn(patch)
        yield


@pytest.mark.quick(4)
@pytest.mark.parametrize("way", WAYS)
def test_nothing_leaves_by(way: str, tmp_path: Path) -> None:
    """One table per way, with a column that identifies, one that undoes, and one rare value."""
    kinds_of = ("names in a diagnosis", "undoing: months", "rare: SSN")
    planted = made(tmp_path, FORMS[len(way) % 3], kinds_of, 5, "visits")
    WAYS[way](planted, tmp_path / "out")


@given(
    way=st.sampled_from(sorted(WAYS)),
    form=st.sampled_from(FORMS),
    planted=st.lists(st.sampled_from(kinds()), min_size=1, max_size=4, unique=True),
    seed=st.integers(0, 10_000),
)
@settings(examples(8), suppress_health_check=list(HealthCheck))
def test_nothing_leaves(
    way: str, form: str, planted: list[str], seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever is planted, in whichever form of a table, and by whichever way out."""
    place = tmp_path_factory.mktemp("table")
    WAYS[way](made(place, form, planted, seed, "visits"), place / "out")
    shutil.rmtree(place)
