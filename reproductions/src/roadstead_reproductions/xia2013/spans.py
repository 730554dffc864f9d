"""The results for sublattices with a fixed number of levels, compared with both figures.

For each number of levels, the table gives the correlation of H and E (figure 6), with one and with
many random chains as the frontier. The table also gives the difference between the mean areas of
SHS and RCS after 100 policies (figure 5), for each threshold and initial frontier. A number that
gives both published figures would show how the paper draws sublattices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead_reproductions.parallel import spread, tenths
from roadstead_reproductions.tables import Column, ResultTable, Row, Tell
from roadstead_reproductions.xia2013.courses import Asked, follow, mean_areas
from roadstead_reproductions.xia2013.heuristic import Lot, correlated, try_sublattices
from roadstead_reproductions.xia2013.published import CORRELATION, IMPROVEMENT_AT_100, STEP
from roadstead_reproductions.xia2013.readings import APART, INITIAL, THRESHOLDS, Reading

_CHAINS = 10
"""The number of frontiers to try in figure 6."""
_NEAR_R = 0.02
_NEAR_SHARE = 0.05
"""The largest difference from the published figure that counts as equal."""

COLUMNS = (
    Column("sampler", "ends of a sublattice, levels", "text"),
    Column("r_one", "Pearson's r, one chain", "quality", "r_published"),
    Column("r_many", f"{_CHAINS} chains", "quality"),
    Column("initial", "initial frontier", "text"),
    *(Column(f"shs_{th:g}", f"SHS below, TH {th:g}", "share") for th in THRESHOLDS),
    Column("near", "about as published", "text"),
)


@dataclass(frozen=True)
class SpansExtent:
    """The number of sublattices per span for figure 6, and of runs per search for figure 5."""

    sublattices: int
    runs: int


def spans(problem: FrontierProblem, extent: SpansExtent, workers: int, tell: Tell) -> ResultTable:
    """Compute both figures for each span."""
    r_one, r_many = _correlations(problem, extent.sublattices, workers, tell)
    below = _improvements(problem, extent.runs, workers, tell)
    rows = [
        _row(name, initial, r_one[name], r_many[name], below)
        for name in APART
        for initial in INITIAL
    ]
    return ResultTable(
        "spans",
        "In addition to figures 5 and 6: sublattices by the number of levels between their ends",
        COLUMNS,
        tuple(rows),
        (
            f"Published: r {CORRELATION:.3f}, and SHS {IMPROVEMENT_AT_100:.0%} below RCS after "
            f"{STEP} policies. r is from {extent.sublattices:,} sublattices, areas are means of "
            f"{extent.runs} runs.",
            f"Both about as published: {fitting_both(rows)}.",
        ),
    )


def fitting_both(rows: Sequence[Row]) -> str:
    """Name the spans that give approximately both figures."""
    found = [f"{row['sampler']}, {row['initial']}" for row in rows if row["near"] == "both"]
    return "; ".join(found) or "no span"


def _correlations(
    problem: FrontierProblem, number: int, workers: int, tell: Tell
) -> tuple[dict[str, float | None], dict[str, float | None]]:
    """Correlate H and E over one chain, and over many chains."""
    share = max(1, number // _CHAINS)
    lots = [Lot(name, share, 1, seed) for name in APART for seed in range(_CHAINS)]
    lots += [Lot(name, share, seed) for name in APART for seed in range(_CHAINS)]
    found = spread(
        problem, try_sublattices, lots, workers, tenths(tell, "spans: groups", len(lots))
    )
    r: list[float | None] = []
    for begin in range(0, len(lots), _CHAINS):
        own = correlated(np.concatenate(found[begin : begin + _CHAINS]))["r"]
        r.append(None if own is None else float(str(own)))
    many, one = r[: len(APART)], r[len(APART) :]
    return dict(zip(APART, one, strict=True)), dict(zip(APART, many, strict=True))


def _improvements(
    problem: FrontierProblem, runs: int, workers: int, tell: Tell
) -> dict[tuple[str, str, float], float]:
    """Return the improvements of SHS over RCS, by sampler, initial frontier, and threshold."""
    searches = [(Reading(initial=initial), True) for initial in INITIAL]
    searches += [
        (Reading(threshold, name, initial), False)
        for name in APART
        for initial in INITIAL
        for threshold in THRESHOLDS
    ]
    asked = [
        Asked(
            one.chains(seed) if chains else one.sublattices(seed), (STEP,), one.uncounted(problem)
        )
        for one, chains in searches
        for seed in range(runs)
    ]
    every = spread(problem, follow, asked, workers, tenths(tell, "spans: runs", len(asked)))
    means = [mean_areas(every[begin : begin + runs])[0] for begin in range(0, len(every), runs)]
    base = dict(zip(INITIAL, means[: len(INITIAL)], strict=True))
    return {
        (one.sampler, one.initial, one.threshold): 1.0 - mean / base[one.initial]
        for (one, _), mean in zip(searches[len(INITIAL) :], means[len(INITIAL) :], strict=True)
    }


def _row(
    name: str,
    initial: str,
    r_one: float | None,
    r_many: float | None,
    below: dict[tuple[str, str, float], float],
) -> Row:
    shares = {th: below[name, initial, th] for th in THRESHOLDS}
    as_r = any(r is not None and abs(r - CORRELATION) <= _NEAR_R for r in (r_one, r_many))
    as_share = any(abs(share - IMPROVEMENT_AT_100) <= _NEAR_SHARE for share in shares.values())
    return {
        "sampler": name,
        "r_one": r_one,
        "r_published": CORRELATION,
        "r_many": r_many,
        "initial": initial,
        **{f"shs_{th:g}": share for th, share in shares.items()},
        "near": {
            (True, True): "both",
            (True, False): "r",
            (False, True): "area",
            (False, False): "none",
        }[as_r, as_share],
    }
