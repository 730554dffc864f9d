"""Take one job apart: seconds of each stage, and the peak memory by its end, as JSON.

    python benchmarks/stages.py DATA --quasi a,b,c --k 5 --out DIR [--hierarchies DIR]

Run in a process of its own by `scaling.py`. The peak can only grow from stage to stage: a stage
that needs less than one before it shows the same figure.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from problems import problem_of

import roadstead
from roadstead.policies.document import Columns, Policy, Suppression, attribute_policies
from roadstead.release.apply import released_table
from roadstead.release.generalized import generalize
from roadstead.release.publish import file_format, masks_safely, table_name
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control
from roadstead.tables import read, summarize, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass
class Stages:
    """Stages as they are done."""

    seconds: dict[str, float] = field(default_factory=dict)
    peak: dict[str, int] = field(default_factory=dict)

    def do(self, name: str, work: Callable[[], T]) -> T:
        """Do a stage and note what it took."""
        began = time.perf_counter()
        result = work()
        self.seconds[name] = time.perf_counter() - began
        self.peak[name] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT
        return result
