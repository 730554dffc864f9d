"""Figure 5: the area under the frontier, by the number of evaluated policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead_reproductions.parallel import spread, tenths
from roadstead_reproductions.tables import Column, ResultTable, Row, Tell
from roadstead_reproductions.xia2013.courses import Asked, Course, checkpoints, follow
from roadstead_reproductions.xia2013.published import CLAIMS, IMPROVEMENT_AT_100, STEP
from roadstead_reproductions.xia2013.readings import CHOSEN

COLUMNS = (
    Column("policies", "policies", "count"),
    Column("rcs", "RCS, mean area", "quality"),
    Column("rcs_sd", "sd", "quality"),
    Column("shs", "SHS, mean area", "quality"),
    Column("shs_sd", "sd", "quality"),
    Column("below", "SHS below RCS", "share", "below_published"),
    Column("wins", "runs in which SHS is below", "text"),
)
_SHOWN = (100, 200, 500, 1_000, 2_000, 5_000, 10_000)


@dataclass(frozen=True)
class EfficiencyExtent:
    """The number of runs of each search, and the number of policies that a run may evaluate."""

    runs: int
    budget: int


def efficiency(
    problem: FrontierProblem, extent: EfficiencyExtent, workers: int, tell: Tell
) -> tuple[ResultTable, ResultTable]:
    """Run both searches, SHS and RCS, with all seeds.

    The function returns a few checkpoints for readers, and all checkpoints for the picture.
    """
    marks = checkpoints(STEP, extent.budget)
    seeds, uncounted = range(extent.runs), CHOSEN.uncounted(problem)
    asked = [Asked(CHOSEN.chains(seed), marks, uncounted) for seed in seeds]
    asked += [Asked(CHOSEN.sublattices(seed), marks, uncounted) for seed in seeds]
    courses = spread(problem, follow, asked, workers, tenths(tell, "figure 5: runs", len(asked)))
    rows = compare(marks, courses[: extent.runs], courses[extent.runs :])
    below = sum(float(str(row["below"])) > 0 for row in rows)
    notes = (
        CLAIMS,
        f"{extent.runs} runs of each. SHS has threshold {CHOSEN.threshold:g}, sublattices by "
        f"{CHOSEN.sampler}, and a {CHOSEN.initial} as the initial frontier, which is not counted. "
        "Both searches begin with the same frontier.",
        "The published difference after 100 policies depends on details that the paper does not "
        "give: see the readings.",
        f"The mean of SHS is below that of RCS at {below} of {len(rows)} checkpoints.",
        "Time of a run: "
        f"RCS {fmean(c.seconds for c in courses[: extent.runs]):.1f} s, "
        f"SHS {fmean(c.seconds for c in courses[extent.runs :]):.1f} s.",
    )
    shown = tuple(row for row in rows if row["policies"] in {*_SHOWN, marks[-1]})
    title = "Figure 5: area under the frontier against policies evaluated"
    return (
        ResultTable("figure-5-areas", title, COLUMNS, shown, notes),
        ResultTable("figure-5-checkpoints", title, COLUMNS, rows, notes, drawn=True),
    )


def compare(
    marks: Sequence[int], chains: Sequence[Course], sublattices: Sequence[Course]
) -> tuple[Row, ...]:
    """Compare runs with the same seeds at each checkpoint."""
    rows: list[Row] = []
    for at, policies in enumerate(marks):
        rcs, shs = ([course.areas[at] for course in runs] for runs in (chains, sublattices))
        wins = sum(own < other for own, other in zip(shs, rcs, strict=True))
        rows.append(
            {
                "policies": policies,
                "rcs": fmean(rcs),
                "rcs_sd": stdev(rcs) if len(rcs) > 1 else None,
                "shs": fmean(shs),
                "shs_sd": stdev(shs) if len(shs) > 1 else None,
                "below": 1.0 - fmean(shs) / fmean(rcs),
                "below_published": IMPROVEMENT_AT_100 if policies == STEP else None,
                "wins": f"{wins} of {len(rcs)}",
            }
        )
    return tuple(rows)
