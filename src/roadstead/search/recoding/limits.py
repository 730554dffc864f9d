"""Recodings that suppress no more records than the limit."""

from __future__ import annotations

import numpy as np

from roadstead.search.recoding.protocol import Parts, Recoded, RecodingProblem, settled


def within_limit(problem: RecodingProblem, parts: Parts) -> Recoded | None:
    """Settle classes; where too many records are suppressed, put them into the most general class.

    That may need more records than there are: then the classes that lose most are given up, twice
    as many each time. None where even one class of all records does not help.
    """
    found = settled(problem, parts)
    if found.suppressed(problem) <= problem.limit:
        return found
    top = problem.space.top
    rows = np.stack(
        [
            np.stack(
                [
                    np.full(codes.size, level, dtype=np.int32),
                    lookups[level][codes].astype(np.int32),
                ],
                axis=1,
            )
            for level, codes, lookups in zip(
                top, problem.encoding.codes, problem.encoding.lookups, strict=True
            )
        ],
        axis=1,
    )
    general = np.unique(rows, axis=0)
    own = found.parts
    given_up = 0
    while True:
        tried = settled(problem, np.concatenate([own[: own.shape[0] - given_up], general]))
        if tried.suppressed(problem) <= problem.limit:
            return tried
        if given_up >= own.shape[0]:
            return None
        given_up = min(max(2 * given_up, 1), own.shape[0])
