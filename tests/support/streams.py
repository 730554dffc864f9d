"""Streams out of engines, watched at every place."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from roadstead.tables import transfer


def watch_streams(monkeypatch: pytest.MonkeyPatch, watching: Callable[..., Any]) -> None:
    """Put a function in the place of `transfer.stream` in every module that calls it."""
    streaming = transfer.stream
    places = [
        module
        for name, module in list(sys.modules.items())
        if name.startswith("roadstead.") and getattr(module, "stream", None) is streaming
    ]
    for module in places:
        monkeypatch.setattr(module, "stream", watching)
