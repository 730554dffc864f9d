"""The logger ``roadstead``: what each verb is at, for whoever asks Python's `logging` for it.

Steps, counts, times and names of tables and columns are logged, and never a value of a table. So an
error is logged as its kind alone: its message may show the one cell that it is about.
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
"""The verb at work, which may call itself under another name."""


def logged(verb: str, work: Callable[..., R]) -> Callable[..., R]:
    """Log when the work of a verb begins and ends."""

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
