"""Fixtures that every room's tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("repeated", derandomize=True)
settings.register_profile("exploring")
settings.load_profile("exploring" if os.environ.get("ROADSTEAD_EXPLORE") else "repeated")
"""Examples are the same in every run, so that a failure is of the change that is tested. New ones
are looked for with ROADSTEAD_EXPLORE=1."""


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of the real data sets; tests that need it skip when it is not there."""
    folder = os.environ.get("ROADSTEAD_DATA")
    if not folder:
        pytest.skip("set ROADSTEAD_DATA to the folder of the real data sets to run this test")
    path = Path(folder)
    if not path.is_dir():
        pytest.skip(f"ROADSTEAD_DATA is not a folder: {folder}")
    return path
