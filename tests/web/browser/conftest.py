"""One workbench for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import Visit, visiting
from workbench import Bench, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="package")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder whose files the page may use."""
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="package")
def bench(tables: Path, tmp_path_factory: pytest.TempPathFactory, fast: str) -> Iterator[Bench]:
    """A workbench that starts fast.

    The program is set only for the start: this workbench stays while tests of other folders run.
    """
    state = tmp_path_factory.mktemp("state") / "own"
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("workbench.PYTHON", fast)
            started = stack.enter_context(served(state, [tables], folder=tables))
        yield started


@pytest.fixture
def visit(browser: Browser, bench: Bench) -> Iterator[Visit]:
    """A page of the workbench in a profile of its own."""
    with visiting(browser, bench) as begun:
        yield begun
