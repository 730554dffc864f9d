"""The exact frontier of full-domain lattices: evaluations and time, compared with enumeration.

    ROADSTEAD_DATA=folder python benchmarks/full_domain_frontier.py [--quick] [--json FILE]

No record is suppressed, and people are the records. The table shows the members of the frontier,
the policies whose classes were computed, and the seconds of the search. It also shows the seconds
to evaluate every policy, each from the more general policy before it. Both must give the same
frontier. The last columns show what was known when the search was stopped after some evaluations:
the area under the frontier so far, and by how much it could still fall.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import measuring
from problems import ADULT, CUP, FARS, DataSet, problem_of, summary
from roadstead.quality.aggregates import ArithmeticMean, GeometricMean
from roadstead.quality.models.discernibility import Discernibility
from roadstead.quality.models.divergence import Divergence
from roadstead.quality.models.entropy import Entropy
from roadstead.quality.models.loss import Loss
from roadstead.quality.models.precision import Precision
from roadstead.risk.measures import PopulationRisk, RecordsAtRisk
from roadstead.search.frontiers.frontier import CLOSE, Frontier
from roadstead.search.frontiers.full_domain import FullDomainFrontier
from roadstead.search.frontiers.full_domain_problem import (
    FullDomainFrontierProblem,
    LookedAt,
    without_gaps,
)
from roadstead.search.protocol import Control

if TYPE_CHECKING:
    from roadstead.policies.full_domain import Levels
    from roadstead.quality.protocol import QualityModel
    from roadstead.risk.measures import SummedRisk
    from roadstead.tables.frequency import FrequencyTable

RISKS: dict[str, SummedRisk] = {
    "1/g": PopulationRisk(),
    "1/g^0.5": PopulationRisk(0.5),
    "1/g^2": PopulationRisk(2.0),
    "fewer than 5": RecordsAtRisk(5),
}
MODELS: dict[str, QualityModel] = {
    "loss, geometric": Loss(GeometricMean()),
    "loss, arithmetic": Loss(ArithmeticMean()),
    "precision": Precision(),
    "entropy": Entropy(),
    "divergence": Divergence(),
    "discernibility": Discernibility(),
}
STOPS = (50, 200, 500)


def _stopped(stop: int, row: measuring.Row) -> str:
    return "{:.4f}, {:.4f}".format(*row["stopped"][stop]) if stop in row["stopped"] else ""


COLUMNS: measuring.Columns = {
    "data": "{data}",
    "QIs": "{quasi_identifiers}",
    "policies": "{policies:,}",
    "risk": "{risk}",
    "loss": "{loss}",
    "members (policies)": "{members} ({tied})",
    "evaluated": "{evaluated:,}",
    "share": lambda row: f"{row['evaluated'] / row['policies']:.0%}",
    "search, s": "{seconds:.2f}",
    "enumeration, s": "{enumeration:.2f}",
    "area": "{area:.4f}",
    **{f"at {stop}: area, gap": partial(_stopped, stop) for stop in STOPS},
}


def enumerated(problem: FullDomainFrontierProblem) -> Frontier[Levels]:
    """Evaluate every policy, each from one that differs in one attribute."""
    found: Frontier[Levels] = Frontier()
    space = problem.space

    def below(general: LookedAt, attribute: int) -> None:
        risk, loss = general.point
        found.insert(risk, loss, general.levels)
        numbered = LookedAt(general.levels, without_gaps(general.classes), general.point)
        for i in range(attribute, len(space.top)):
            for level in range(space.bottom[i], space.top[i]):
                levels = (*general.levels[:i], level, *general.levels[i + 1 :])
                below(problem.look(levels, numbered), i + 1)

    below(problem.look(space.top), 0)
    return found


def measure(
    data: DataSet, table: FrequencyTable, number: int, risk: str, model: str
) -> dict[str, Any]:
    """Search a problem, enumerate it, and compare."""
    plain = problem_of(table.project(data.quasi(number)), data.hierarchy_folder, 2, 0.0)
    quality = MODELS[model].bind(plain.encoding)
    problem = FullDomainFrontierProblem(plain.encoding, plain.space, quality, RISKS[risk])
    outcome = FullDomainFrontier().run(problem, Control())
    began = time.perf_counter()
    expected = enumerated(problem)
    seconds = time.perf_counter() - began
    same = len(expected) == len(outcome.frontier) and all(
        np.allclose(ours, theirs, rtol=0, atol=2 * CLOSE)
        for ours, theirs in (
            (outcome.frontier.risks, expected.risks),
            (outcome.frontier.losses, expected.losses),
        )
    )
    if not same:
        sys.exit(f"{data.name}, {number} attributes: not the frontier of enumeration")
    stopped = {}
    for stop in STOPS:
        if stop < outcome.evaluated:
            early = FullDomainFrontier().run(problem, Control(budget=stop))
            stopped[stop] = (early.frontier.area, early.gap)
    return {
        "data": data.name,
        "quasi_identifiers": number,
        "rows": plain.encoding.counts.size,
        "policies": plain.space.size,
        "risk": risk,
        "loss": model,
        "members": len(outcome.frontier),
        "tied": sum(outcome.tied),
        "evaluated": outcome.evaluated,
        "seconds": outcome.seconds,
        "enumeration": seconds,
        "area": outcome.frontier.area,
        "stopped": stopped,
    }


def main() -> None:
    """Measure with more and more attributes, then other measures."""
    parser = measuring.parser(__doc__)
    parser.add_argument("--quick", action="store_true", help="up to seven attributes")
    given = parser.parse_args()
    most = 7 if given.quick else 9
    usual = ("1/g", "loss, geometric")
    todo = [(ADULT, number, *usual) for number in range(3, most + 1)]
    todo += [(data, number, *usual) for data in (CUP, FARS) for number in (6, 7, 8)]
    others = [("1/g", model) for model in MODELS] + [(risk, usual[1]) for risk in RISKS]
    todo += [(ADULT, most, *both) for both in others if both != usual]
    measuring.show_machine()
    tables = {data: summary(data.path, data.columns) for data in (ADULT, CUP, FARS)}
    measure(ADULT, tables[ADULT], 3, *usual)  # to load compiled code
    rows = measuring.collect(
        measure(data, tables[data], number, risk, model)
        for data, number, risk, model in todo
        if number <= most
    )
    measuring.report(rows, given.json, COLUMNS)


if __name__ == "__main__":
    main()
