"""Each release and each forgery of these tests is also checked by the program of one file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from second_opinion import compared


@pytest.fixture(autouse=True)
def second_opinion(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Compare its verdict with that of `roadstead verify` whenever a test verifies."""
    with compared(monkeypatch) as differing:
        yield
    assert not differing
