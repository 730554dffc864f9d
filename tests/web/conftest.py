"""Workbenches of many tests start fast, but not where the test is about their processes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from warm_start import warmed

_ABOUT_PROCESSES = ("test_command", "test_desk", "test_explore")
"""Files whose workbenches start Python itself, as users do."""


@pytest.fixture(scope="session")
def fast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A program that is started instead of Python."""
    if not hasattr(os, "pidfd_open"):  # not on Linux
        yield sys.executable
        return
    with warmed(tmp_path_factory.mktemp("warm")) as program:
        yield str(program)


@pytest.fixture(scope="module", autouse=True)
def started_fast(request: pytest.FixtureRequest) -> Iterator[None]:
    """Start each workbench of a file, and the processes that work for it, by that program."""
    if request.path.stem in _ABOUT_PROCESSES:
        yield
        return
    program = request.getfixturevalue("fast")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("workbench.PYTHON", program)
        patch.setattr("roadstead.web.work.process.sys", SimpleNamespace(executable=program))
        yield
