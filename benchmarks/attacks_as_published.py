"""Downcoding and refinement on tables and recodings like those of the papers, and on Roadstead's.

    [ROADSTEAD_DATA=folder] python benchmarks/attacks_as_published.py [--data clusters Adult]

*clusters*: made-up people in dense clusters far apart. Each cluster has outliers in its own
dimension that are near the center in the hierarchy. It follows the construction with which Cohen
(USENIX Security 2022) proves that every minimal hierarchical method can be downcoded; the numbers
are our own. *Adult*: real, with hierarchies. Each table is recoded by one vector of levels, by
repeated exact searches on the suppressed records, as in ARX (Chhillar and others 2025 attack this),
and by Roadstead's searches.

A record is undone if all its generalized cells are guessed correctly, by the order of the classes
and by guessing. For refinement, bounds are computed for up to `--classes` classes. Among the
classes that show nodes of hierarchies, the script counts those that can be composed in one way, or
in up to five ways. For *iterated* the attacker also knows the levels of the cheaper rounds: at
these levels, no k of the remaining records can have been identical.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

import measuring
from problems import ADULT, data_folder, recoding_problem_of, summary
from recoding_attacks import global_recoding
from roadstead.attacks.kinds.downcoding import single_out
from roadstead.attacks.recodings.bounds import bounds_of_values
from roadstead.attacks.recodings.downcoding import ORDER, RECORDS, downcode
from roadstead.attacks.recodings.refinement import MOST_CELLS, refine_values, solve_classes
from roadstead.attacks.recodings.regions import box_of, grid
from roadstead.attacks.recodings.view import truth_of, view_of
from roadstead.hierarchies.hierarchy import from_rules
from roadstead.hierarchies.rules import Everything, Groups, Identity
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import full_domain
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.quality.aggregates import GeometricMean
from roadstead.quality.models.loss import Loss
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control
from roadstead.search.recoding.protocol import Recoded, RecodingProblem, recoding_problem
from roadstead.search.recoding.registry import RECODINGS
from roadstead.tables.frequency import FrequencyTable
from roadstead_reproductions.searches.iterated import Iterated

COLUMNS = (
    "data",
    "recoding",
    "loss",
    "records made coarser",
    "undone",
    "by guessing",
    "difference",
    "singled out",
    "by guessing",
    "values ruled out",
    "wrong",
    "one way",
    "rightly",
    "2 to 5 ways",
)
_VALUES, _SIDE = 9, 3
_DIMENSIONS = 4
_CLUSTERS = 60
_DENSE, _STRAYS = 8, 6
_SECONDS = 60.0


def clusters() -> FrequencyTable:
    """Draw clusters: most people at the center, the others off it in a dimension of the cluster."""
    chance = np.random.default_rng(2022)
    rows: Counter[tuple[int, ...]] = Counter()
    nodes = _VALUES // _SIDE
    for place in chance.choice(nodes**_DIMENSIONS, size=_CLUSTERS, replace=False).tolist():
        node = np.array([place // nodes**at % nodes for at in range(_DIMENSIONS)])
        center = node * _SIDE + chance.integers(0, _SIDE, size=_DIMENSIONS)
        rows[tuple(center.tolist())] += _DENSE
        at = int(chance.integers(_DIMENSIONS))  # where this one is wide
        for step in range(1, _SIDE):
            stray = center.copy()
            stray[at] = node[at] * _SIDE + (center[at] + step) % _SIDE
            rows[tuple(stray.tolist())] += _STRAYS // (_SIDE - 1)
    combinations = sorted(rows)
    codes = np.array(combinations, dtype=np.int32).T
    return FrequencyTable(
        attributes=tuple(f"x{at}" for at in range(_DIMENSIONS)),
        domains=(tuple(map(str, range(_VALUES))),) * _DIMENSIONS,
        codes=tuple(np.ascontiguousarray(own) for own in codes),
        counts=np.array([rows[one] for one in combinations], dtype=np.int64),
    )


def problem_of_clusters(k: int, *, intervals: bool) -> RecodingProblem:
    """Make the problem of the clusters, with two levels above their values."""
    table = clusters()
    values = list(map(str, range(_VALUES)))
    groups = [values[at : at + _SIDE] for at in range(0, _VALUES, _SIDE)]
    named = Groups(tuple(("-".join((own[0], own[-1])), tuple(own)) for own in groups))
    hierarchies = [
        from_rules(name, domain, [Identity(), named, Everything()], origin="made up")
        for name, domain in zip(table.attributes, table.domains, strict=True)
    ]
    encoding = encode(table, hierarchies)
    limit = table.records // 20
    space = full_domain(encoding.hierarchies)
    return recoding_problem(encoding, space, KAnonymity(k), k=k, limit=limit, intervals=intervals)


def problem_of(data: str, k: int, *, intervals: bool) -> RecodingProblem:
    """Make the problem of a table."""
    if data == "clusters":
        return problem_of_clusters(k, intervals=intervals)
    table = summary(data_folder() / ADULT.file, ADULT.quasi(5))
    return recoding_problem_of(table, ADULT.hierarchy_folder, k, 0.05, intervals=intervals)


def recoded(
    data: str, k: int, names: Sequence[str]
) -> Iterator[tuple[str, RecodingProblem, Recoded]]:
    """Recode a table in every way."""
    problem = problem_of(data, k, intervals=False)
    exact = Exact().run(
        FullDomainProblem(
            encoding=problem.encoding,
            space=problem.space,
            privacy=problem.privacy,
            quality=Loss(GeometricMean()).bind(problem.encoding),
            limit=problem.limit,
        ),
        Control(),
    )
    if exact.best is not None:
        yield "global, optimum", problem, global_recoding(problem, exact.best.policy)
    for kind, searches in RECODINGS.items():
        own = problem_of(data, k, intervals=True) if kind == "intervals" else problem
        for name, make in searches.items():
            if names and name not in names:
                continue
            found = make().run(own, Control(time_limit=_SECONDS)).best
            if found is not None:
                called = "as ARX does" if name == Iterated.name else name
                yield f"{kind}, {called}", own, found


def measured(
    data: str, recoding: str, problem: RecodingProblem, found: Recoded, classes: int
) -> tuple[str, ...]:
    """Attack a recoding."""
    view, truth = view_of(problem, found), truth_of(problem, found)
    told = downcode(view, truth, most_classes=2_000)
    undone = next(one for one in told.gains if (one.knowledge, one.target) == (ORDER, RECORDS))
    alone = single_out(view, truth, most_classes=2_000)
    if "ARX" in recoding:
        ruled, wrong = refined_by_rounds(problem, found, classes)
    else:
        bounds = refine_values(view, truth, most_classes=classes)
        ruled, wrong = bounds.share(bounds.ruled_out), bounds.share(bounds.wrong)
    solved = solve_classes(view, truth, most_classes=classes)
    low, high = 100 * undone.low, 100 * undone.high
    return (
        data,
        recoding,
        f"{found.loss(problem):.4f}",
        f"{undone.guesses / problem.records:.1%}",
        f"{undone.success:.1%}",
        f"{undone.guessing:.1%}",
        f"{100 * undone.gain:+.1f} ({low:+.1f} to {high:+.1f})",
        f"{alone.success:.1%}",
        f"{alone.guessing:.1%}",
        f"{ruled:.1%}",
        f"{wrong:.1%}",
        f"{solved.exact} of {solved.classes}",
        f"{solved.right}",
        f"{solved.few}",
    )


def refined_by_rounds(problem: RecodingProblem, found: Recoded, most: int) -> tuple[float, float]:
    """Bound the values of classes; the levels of cheaper classes leave fewer than k records."""
    view, truth = view_of(problem, found), truth_of(problem, found)
    cells = np.prod(view.widths.astype(np.float64), axis=1)
    candidates = np.flatnonzero((cells > 1) & (cells <= MOST_CELLS))
    chance = np.random.default_rng(candidates.size)
    chosen = chance.choice(candidates, size=min(most, candidates.size), replace=False)
    rounds = list(dict.fromkeys(tuple(one) for one in found.parts[:, :, 0].tolist()))
    bounded = ruled = wrong = 0
    for number in chosen.tolist():
        codes = grid(box_of(view, number))
        left = codes[:, view.place(codes) == number]
        if not left.size:
            continue
        own = tuple(found.parts[number, :, 0].tolist())
        groups = []
        for levels in rounds[: rounds.index(own)]:
            labels = [
                lookups[level][code]
                for lookups, level, code in zip(problem.encoding.lookups, levels, left, strict=True)
            ]
            _, joint = np.unique(np.stack(labels), axis=1, return_inverse=True)
            groups.append(joint.reshape(-1).astype(np.int64))
        rows = np.flatnonzero(truth.rows == number)
        for at in np.flatnonzero(view.widths[number] > 1).tolist():
            bounds = bounds_of_values(
                left, at, groups, int(view.sizes[number]), view.k, intervals=False
            )
            if bounds is None:
                break
            values = np.unique(left[at])
            has = np.bincount(
                truth.codes[at, rows], truth.counts[rows], minlength=view.margins[at].size
            )
            missing = np.setdiff1d(view.values(number, at), values)
            bounded += values.size + missing.size
            ruled += int(np.count_nonzero(bounds.high == 0)) + missing.size
            outside = (has[values] < bounds.low) | (has[values] > bounds.high)
            wrong += int(np.count_nonzero(outside)) + int(np.count_nonzero(has[missing]))
    return ruled / max(bounded, 1), wrong / max(bounded, 1)


def main() -> None:
    """Run all attacks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="+", default=["clusters", "Adult"])
    parser.add_argument("--search", nargs="+", default=[], help="names of searches, default all")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--classes", type=int, default=100, help="most classes with bounds")
    parser.add_argument("--json", type=Path, help="write the lines here too")
    given = parser.parse_args()
    measuring.show_machine()
    lines = []
    for data in given.data:
        for recoding, problem, found in recoded(data, given.k, given.search):
            begun = time.process_time()
            lines.append(measured(data, recoding, problem, found, given.classes))
            spent = time.process_time() - begun
            print(*lines[-1], f"{spent:.0f} s", sep=" | ", file=sys.stderr, flush=True)
    measuring.show_table(COLUMNS, lines)
    measuring.save(given.json, [dict(zip(COLUMNS, one, strict=True)) for one in lines])


if __name__ == "__main__":
    main()
