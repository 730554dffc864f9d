"""What is known of a frontier beside its policies: what was measured, and how it was searched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Axis:
    """What is measured along an axis.

    Attributes
    ----------
    name, meaning
        The measure's name on the command line, and what it measures.
    settings
        Its parameters.
    greatest
        What a share of 1 stands for.
    """

    name: str
    meaning: str
    settings: Mapping[str, Any]
    greatest: float


@dataclass(frozen=True)
class Searched:
    """How the frontier was found.

    Attributes
    ----------
    name, guarantee
        The search, and what it promises.
    evaluated, beside
        Policies whose classes were counted, and further ones told from these classes.
    seconds, ending
        Time it took, and why it ended.
    seed, time_limit
        As asked for.
    gap
        Area by which a better frontier could at most be below this one, where that is proven.
    """

    name: str
    guarantee: str
    evaluated: int
    beside: int
    seconds: float
    ending: str
    seed: int
    time_limit: float | None
    gap: float | None = None
