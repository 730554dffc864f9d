"""Sixteen quasi-identifiers of 70,000 people, 85,030,560 policies: the optimum and its proof.

    python benchmarks/survey.py [--questions 4 6 8 10] [--time-limit 600] [--json FILE]

The survey is made up (`roadstead_reproductions.survey`), so no data are needed. Each search runs in
its own process, whose largest memory is printed. The last search is stopped after ten seconds.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import measuring
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import full_domain
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.quality.models.loss import Loss
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control
from roadstead_reproductions.survey import demographics_and, survey

_SHORT = 10.0


COLUMNS: measuring.Columns = {
    "QIs": "{quasi_identifiers}",
    "distinct rows": "{rows:,}",
    "policies": "{policies:,}",
    "evaluated (best met)": "{evaluated:,} ({first_met:,})",
    "seconds": "{seconds:.1f}",
    "processor, s": "{cpu_s:.1f}",
    "loss": "{loss:.6f}",
    "gap": lambda row: "proven" if row["ending"] == "complete" else f"{row['gap']:.1%}",
    "peak, MB": "{peak_mb:.0f}",
}


def problem_with(questions: int) -> FullDomainProblem:
    """Make the problem: k = 5, 5%, Iyengar's loss, geometric mean."""
    made = survey().of(demographics_and(questions))
    encoding = encode(made.table, made.hierarchies)
    return FullDomainProblem(
        encoding=encoding,
        space=full_domain(encoding.hierarchies),
        privacy=KAnonymity(5),
        quality=Loss().bind(encoding),
        limit=encoding.records // 20,
    )


def measure(questions: int, time_limit: float) -> dict[str, Any]:
    """Search once, in this process."""
    Exact().run(problem_with(1), Control())  # to load compiled code
    problem = problem_with(questions)
    before = time.process_time()
    outcome = Exact().run(problem, Control(time_limit))
    return {
        "quasi_identifiers": len(problem.space.attributes),
        "rows": problem.encoding.counts.size,
        "policies": problem.space.size,
        "limit_s": time_limit,
        "evaluated": outcome.evaluated,
        "first_met": outcome.first_met,
        "seconds": outcome.seconds,
        "cpu_s": time.process_time() - before,
        "peak_mb": measuring.peak_so_far() / 1e6,
        "loss": 1.0 if outcome.best is None else outcome.best.loss,
        "gap": outcome.gap,
        "ending": outcome.ending,
    }


def main() -> None:
    """Measure more and more questions, then one search that is stopped."""
    parser = measuring.parser(__doc__)
    parser.add_argument("--questions", type=int, nargs="+", default=[4, 6, 8, 10])
    parser.add_argument("--time-limit", type=float, default=600.0, help="seconds for each search")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one is not None:
        print(json.dumps(measure(given.one, given.time_limit)))
        return
    measuring.show_machine()
    runs = [(number, given.time_limit) for number in given.questions]
    rows = measuring.collect(
        measuring.in_own_process(__file__, "--one", str(number), "--time-limit", str(limit))
        for number, limit in [*runs, (max(given.questions), _SHORT)]
    )
    measuring.report(rows, given.json, COLUMNS)


if __name__ == "__main__":
    main()
