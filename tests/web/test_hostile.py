"""Names and values from strangers are text on every page, and nothing else."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterator

import pytest
from crawling import crawled, named_in
from workbench import Bench, served

HOSTILE = (
    "<zqtag zqattr=1>",
    '" zqattr="1" autofocus onfocus="zqrun()',
    "' zqattr='1' onfocus='zqrun()",
    "</script></style></textarea></title><zqtag>",
    "{{ 'zq' ~ 'sum' }}{% set x %}",
    "a\nb\r\nzqline",
    "\u202egnp\u2066\u200b",
    "&lt;zqtag&gt;&#60;zqtag&#62;",
    "<!-- ]]> <![CDATA[ zq",
    "javascript:zqrun()",
    "__proto__",
    "%0d%0aSet-Cookie: zq=1",
)
FILE = "<zqtag>&amp;' zqattr='1' {{ 'zq' ~ 'sum' }}.csv"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A workbench that may read a table of such names."""
    folder = tmp_path_factory.mktemp("hostile")
    with (folder / FILE).open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(HOSTILE)
        for i in range(80):
            writer.writerow([f"{HOSTILE[(i + at) % 4]}" for at, _ in enumerate(HOSTILE)])
    with served(folder / "state", [folder]) as started:
        yield started


def test_nothing_from_outside_becomes_markup(bench: Bench) -> None:
    """On any page, before and after the risk was worked out."""
    piece = bench.begin()
    bench.open(piece, FILE)
    scanned = tomllib.loads((bench.folder(piece) / "project.toml").read_text("utf-8"))
    names = [name for part in scanned["roles"].values() if isinstance(part, list) for name in part]
    for number in range(1, len(names) + 1):
        role = "quasi" if number <= 4 else "unchanged"
        bench.post(f"{piece}/columns/{number}/role", role=role)
    bench.post(f"{piece}/risk", threshold="0.2")
    assert bench.wait(piece, "risk")["state"] == "done"
    found = 0
    for address, answer in crawled(bench, piece):
        assert answer.status < 500, address
        assert "zqsum" not in answer.text, address
        assert answer.headers["set-cookie"] is None
        kind = answer.headers["content-type"] or ""
        found += "zqattr" in answer.text
        if "html" not in kind:
            continue
        page = named_in(answer.text)
        assert not {one for one in page.words if "zq" in one}, address
        assert not page.inline, (address, page.inline)
        assert not page.scripts, address
        assert not [one for one in page.addresses if one.lower().startswith("javascript")], address
        assert "\u202e" not in answer.text, address
    assert found >= 6
    assert "no-store" in bench.get(piece).headers["cache-control"]
