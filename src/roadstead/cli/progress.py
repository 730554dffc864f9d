"""Progress of the commands that have not moved to requests yet."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from roadstead.cli.observing import reporting, stoppable

__all__ = ["stoppable", "telling"]


def telling(
    describe: Callable[[Any], str],
) -> AbstractContextManager[Callable[[Any], None]]:
    """Report how far a search is."""
    return reporting(describe, "  (Ctrl-C keeps the best)")
