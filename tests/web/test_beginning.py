"""The first page tells pieces of work apart, and asks before it removes one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import pytest
from workbench import Bench, served


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A workbench with a small table."""
    folder = tmp_path_factory.mktemp("beginning")
    lines = [f"{20 + i % 5},{'fm'[i % 2]}" for i in range(200)]
    (folder / "patients.csv").write_text("\n".join(["age,sex", *lines, ""]))
    with served(folder / "state", [folder], folder=folder) as bench:
        yield bench


def _row(page: str, piece: str) -> str:
    return next(one for one in page.split("<tr") if f'href="{piece}/' in one)


def test_work_on_one_table_is_told_apart_by_what_was_done(bench: Bench) -> None:
    """The list names the written folder and the candidates, and opens the step in question."""
    written, begun = bench.begin(), bench.begin()
    for piece in (written, begun):
        bench.open(piece, "patients.csv")
    out = bench.state.parent / "release"
    bench.post(f"{written}/release/prepare")
    assert bench.wait(written, "prepare")["state"] == "done"
    bench.post(f"{written}/release/write", out=str(out))
    assert bench.wait(written, "write")["state"] == "done"
    bench.post(f"{begun}/explore/try", kind="global", k="5")
    assert bench.wait(begun, "trial")["state"] == "done"
    page = bench.get("/").text
    assert f'href="{written}/release"' in page
    assert str(out) in _row(page, written)
    assert f'href="{begun}/explore"' in page
    assert "1 candidate<" in _row(page, begun)
    assert page.index(f'href="{begun}/') < page.index(f'href="{written}/')
    # The time of the last change is that of any choice or result, such as a role.
    for file in (*bench.folder(written).rglob("*"), *bench.folder(begun).rglob("*")):
        os.utime(file, (1_000_000_000, 1_000_000_000))
    os.utime(bench.folder(written) / "project.toml", (1_100_000_000, 1_100_000_000))
    page = bench.get("/").text
    assert "2004-11-09 11:33:20 UTC" in _row(page, written)
    assert page.index(f'href="{written}/') < page.index(f'href="{begun}/')
    asked = re.search(rf'action="{written}/remove" hx-confirm="([^"]+)"', page)
    assert asked is not None
    assert asked[1].startswith("Remove this work?")
