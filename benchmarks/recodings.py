"""Every recoding on every data set: its loss, its time, and its distance from the best.

    ROADSTEAD_DATA=folder python benchmarks/recodings.py [--data "Adult 9" survey] [--k 2 5 10 20]
        [--recoding global cells local] [--million] [--json FILE]

Loss is Iyengar's, as the arithmetic and the (shifted) geometric mean over attributes; at most 5% of
the records are suppressed. The bound is on the arithmetic mean, which all recodings but `global`
minimize; `global` minimizes the geometric mean, and its bound is on this mean. The seconds are
those of search and bound together. Each search runs in its own process, with its kernels loaded
before.

``--million`` draws a million records from Adult. Each record copies one of its rows, but takes the
values of two columns, drawn again for each record, from another row. So there are many more
distinct rows.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import measuring
from problems import ADULT, CUP, DIABETES, FARS, DataSet, summary
from roadstead.policies.encoding import Encoding, encode
from roadstead.policies.full_domain import full_domain
from roadstead.policies.recodings.document import RecodingKind
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.quality.aggregates import GeometricMean
from roadstead.quality.models.loss import Loss
from roadstead.search.evaluation import FullDomainProblem, loss_by_attribute
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control
from roadstead.search.recoding.protocol import recoding_problem
from roadstead.search.recoding.registry import RECODINGS
from roadstead.search.recoding.solve import solve
from roadstead.tables.frequency import FrequencyTable, canonical
from roadstead.verbs.hierarchies import choose_hierarchies
from roadstead_reproductions.survey import demographics_and, survey

if TYPE_CHECKING:
    from collections.abc import Mapping

GLOBAL = "global"
SUPPRESSION = 20
"""One in so many records may be suppressed."""
ENCOUNTER = ("age", "race", "gender", "time_in_hospital", "num_procedures", "number_diagnoses")
"""Columns of the diabetes data set that an attacker might know about a patient."""
MILLION = "million"


COLUMNS: measuring.Columns = {
    "data": "{data}",
    "distinct rows": "{rows:,}",
    "k": "{k}",
    "recoding": "{recoding}",
    "search": "{search}",
    "arithmetic": "{arithmetic:.4f}",
    "geometric": "{geometric:.4f}",
    "suppressed": "{suppressed:.2%}",
    "classes": "{classes:,}",
    "bound": "{bound:.4f}",
    "gap": "{gap:.1%}",
    "seconds": "{seconds:.1f}",
    "processor, s": "{cpu_s:.1f}",
}


def from_file(data: DataSet, quasi: tuple[str, ...]) -> Encoding:
    """Encode columns of a file."""
    return with_hierarchies(summary(data.path, quasi), data.hierarchy_folder)


def with_hierarchies(table: FrequencyTable, folder: Path | None) -> Encoding:
    """Encode a table."""
    return encode(table, choose_hierarchies(table, folder)[0])


def made_up() -> Encoding:
    """Encode the survey of sixteen attributes."""
    made = survey().of(demographics_and(10))
    return encode(made.table, made.hierarchies)


def a_million() -> Encoding:
    """Encode a million records like those of Adult."""
    adult = summary(ADULT.path, ADULT.columns)
    chance = np.random.default_rng(7)
    number, records = len(adult.attributes), 1_000_000
    rows = np.repeat(np.arange(adult.distinct), adult.counts)
    drawn = np.stack(adult.codes)[:, chance.choice(rows, records)]
    for _ in range(2):
        column = chance.integers(0, number, records)
        other = chance.choice(rows, records)
        drawn[column, np.arange(records)] = np.stack(adult.codes)[column, other]
    counts = np.ones(records, dtype=np.int64)
    table, _ = canonical(adult.attributes, adult.domains, list(drawn), counts)
    return with_hierarchies(table, ADULT.hierarchy_folder)


def data_sets() -> Mapping[str, Callable[[], Encoding]]:
    """Name the tables that are measured; the last one on request only."""
    return {
        **{f"Adult {n}": partial(from_file, ADULT, ADULT.quasi(n)) for n in range(3, 10)},
        "Cup 8": partial(from_file, CUP, CUP.columns),
        "Fars 8": partial(from_file, FARS, FARS.columns),
        "survey": made_up,
        "diabetes": partial(from_file, DIABETES, ENCOUNTER),
        MILLION: a_million,
    }


def searches() -> dict[str, tuple[RecodingKind | None, str]]:
    """Give what can be searched by name: kind, None for one vector of levels, and search."""
    found: dict[str, tuple[RecodingKind | None, str]] = {GLOBAL: (None, Exact().name)}
    for kind, known in RECODINGS.items():
        for at, name in enumerate(known):
            found[name if at else kind] = (kind, name)
    return found


def measure(data: str, k: int, what: str) -> dict[str, Any]:
    """Search once, in this process."""
    kind, name = searches()[what]
    run = _global if kind is None else partial(_recoded, kind, name)
    run(from_file(ADULT, ADULT.quasi(3)), k)  # to load compiled code
    encoding = data_sets()[data]()
    began, used = time.perf_counter(), time.process_time()
    losses, suppressed, classes, bound, loss = run(encoding, k)
    seconds, cpu = time.perf_counter() - began, time.process_time() - used
    return {
        "data": data,
        "k": k,
        "recoding": kind or GLOBAL,
        "search": name,
        "records": encoding.records,
        "rows": encoding.counts.size,
        "arithmetic": float(np.mean(losses)),
        "geometric": GeometricMean()(losses),
        "suppressed": suppressed / encoding.records,
        "classes": classes,
        "bound": bound,
        "gap": (loss - bound) / loss if loss else 0.0,
        "seconds": seconds,
        "cpu_s": cpu,
    }


def _global(encoding: Encoding, k: int) -> tuple[list[float], int, int, float, float]:
    """Losses by attribute, records suppressed, classes, bound, and the loss that is bounded."""
    problem = FullDomainProblem(
        encoding=encoding,
        space=full_domain(encoding.hierarchies),
        privacy=KAnonymity(k),
        quality=Loss(GeometricMean()).bind(encoding),
        limit=encoding.records // SUPPRESSION,
    )
    found = Exact().run(problem, Control())
    if found.best is None:
        return [1.0] * len(encoding.attributes), encoding.records, 0, found.lower_bound, 1.0
    classes = problem.evaluate(found.best.policy, problem.start(), found.best.policy).kept
    losses = loss_by_attribute(problem, found.best.policy)
    return (
        losses or [],
        found.best.suppressed,
        classes.sizes.size,
        found.lower_bound,
        found.best.loss,
    )


def _recoded(
    kind: RecodingKind, name: str, encoding: Encoding, k: int
) -> tuple[list[float], int, int, float, float]:
    """Find the same of a recoding."""
    problem = recoding_problem(
        encoding,
        full_domain(encoding.hierarchies),
        KAnonymity(k),
        k=k,
        limit=encoding.records // SUPPRESSION,
        intervals=kind == "intervals",
    )
    search = RECODINGS[kind][name]()
    found = solve(problem, search, Control())
    if found.best is None:
        return [1.0] * len(encoding.attributes), encoding.records, 0, found.lower_bound, 1.0
    return (
        found.best.loss_by_attribute(problem).tolist(),
        found.best.suppressed(problem),
        found.best.parts.shape[0],
        found.lower_bound,
        found.loss,
    )


def main() -> None:
    """Measure each search in a process of its own."""
    parser = measuring.parser(__doc__)
    usual = [name for name in data_sets() if name != MILLION]
    parser.add_argument("--data", nargs="+", choices=list(data_sets()), default=usual)
    parser.add_argument("--k", type=int, nargs="+", default=[2, 5, 10, 20])
    parser.add_argument("--recoding", nargs="+", choices=list(searches()), default=[*searches()])
    parser.add_argument("--million", action="store_true", help="a million records, and no others")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    data = [MILLION] if given.million else given.data
    if given.one:
        print(json.dumps(measure(data[0], given.k[0], given.recoding[0])))
        return
    measuring.show_machine()
    rows = measuring.collect(
        measuring.in_own_process(
            __file__, "--one", "--data", one, "--k", str(k), "--recoding", what
        )
        for one in data
        for k in given.k
        for what in given.recoding
    )
    measuring.report(rows, given.json, COLUMNS)


if __name__ == "__main__":
    main()
