"""The pictures of the workbench in docs/ are those that the script takes, and small."""

from __future__ import annotations

import importlib.util
import struct
import zlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from roadstead.web.pages import STEPS

DOCS = Path(__file__).parents[2] / "docs"
MOST = 150 * 1024


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The script that takes them."""
    spec = importlib.util.spec_from_file_location("make_screenshots", DOCS / "make_screenshots.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_step_has_its_picture(script: ModuleType) -> None:
    """At 1280 x 800, small enough for a page of documentation; none is left over."""
    assert tuple(one.name for one in STEPS) == script.STEPS
    found = {one.name: one.read_bytes() for one in script.FOLDER.iterdir()}
    assert set(found) == {f"{step}.png" for step in script.STEPS}
    for name, content in found.items():
        assert struct.unpack(">II", content[16:24]) == (1280, 800), name
        assert len(content) < MOST, name


def test_a_palette_keeps_what_is_drawn(script: ModuleType) -> None:
    """Of a picture with few colors it keeps each."""
    places = np.random.default_rng(5).integers(0, 3, (40, 30)).astype(np.uint8)
    palette = np.array([[0, 0, 0], [255, 255, 255], [200, 30, 90]], np.uint8)
    rows = np.concatenate([np.zeros((40, 1), np.uint8), palette[places].reshape(40, -1)], axis=1)
    header = struct.pack(">IIBBBBB", 30, 40, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b""))
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(one)) + kind + one + bytes(4) for kind, one in parts
    )
    small = script.with_palette(png)
    start = small.index(b"PLTE") + 4
    kept = {tuple(small[at : at + 3]) for at in range(start, start + 9, 3)}
    assert kept == {tuple(int(x) for x in one) for one in palette}
