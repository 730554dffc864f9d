"""Fixtures that every room's tests share."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("repeated", derandomize=True)
settings.register_profile("exploring")
settings.load_profile("exploring" if os.environ.get("ROADSTEAD_EXPLORE") else "repeated")
"""Examples are the same in every run, so that a failure is of the change that is tested. New ones
are looked for with ROADSTEAD_EXPLORE=1."""

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # So it is where tests are started in the background, and commands heed that.
    signal.signal(signal.SIGINT, signal.default_int_handler)


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
