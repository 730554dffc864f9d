"""The pictures of the workbench in docs/ are the script's own, and small."""

from __future__ import annotations

import importlib.util
import struct
from pathlib import Path
from types import ModuleType

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
