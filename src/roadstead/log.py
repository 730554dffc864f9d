"""Define the logger ``roadstead``, which writes the progress of each command to Python's `logging`.

The log contains steps, counts, times, and names of tables and columns, but never values from a
table. An error message can contain a value, so only the type of an error is logged.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

R = TypeVar("R")

LOG = logging.getLogger("roadstead")
LOG.addHandler(logging.NullHandler())


_at_work: ContextVar[str] = ContextVar("at_work", default="")
"""The name of the running command."""


def logged(verb: str, work: Callable[..., R]) -> Callable[..., R]:
    """Wrap the function of a command so that its start and end are logged."""

    @wraps(work)
    def run(*arguments: Any, **keywords: Any) -> R:  # noqa: ANN401 - those of the work
        if _at_work.get() == verb:
            return work(*arguments, **keywords)
        former, began = _at_work.set(verb), time.perf_counter()
        LOG.info("%s: begins", verb)
        try:
            found = work(*arguments, **keywords)
        except BaseException as error:
            LOG.info("%s: ended by %s", verb, type(error).__name__)
            raise
        finally:
            _at_work.reset(former)
        LOG.info("%s: done in %.2f s", verb, time.perf_counter() - began)
        return found

    return run
