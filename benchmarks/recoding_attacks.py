"""Attacks on recodings: their gain over guessing, for each recoding and each countermeasure.

    ROADSTEAD_DATA=folder python benchmarks/recoding_attacks.py [--data Adult] [--k 5]

Quasi-identifiers: downcoding, from the release and its policy alone, on at most 2,000 classes drawn
at random. Sensitive values: minimality, by an attacker who knows everyone's quasi-identifiers, on
whole tables, with distinct l-diversity. All intervals of one attack together hold with 95%.
Searches run to their end.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import measuring
from problems import ADULT, DIABETES, DataSet, problem_of, recoding_problem_of, summary
from roadstead.attacks.recodings.attempt import Attempt, Requirement, attempt
from roadstead.attacks.recodings.downcoding import CELLS, ORDER, RECORDS, downcode
from roadstead.attacks.recodings.gain import Gain
from roadstead.attacks.recodings.sensitive import column_of, distinct, refused_classes
from roadstead.attacks.recodings.view import truth_of, view_of
from roadstead.policies.classes import classes_at
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import full_domain
from roadstead.privacy.combination import bind_all
from roadstead.privacy.conditions import LeastSize
from roadstead.privacy.models.distinct_l_diversity import DistinctLDiversity
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.reports.recoding_attacks import attacked
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control
from roadstead.search.recoding.protocol import (
    OUT,
    Recoded,
    RecodingProblem,
    RecodingSearch,
    recoding_problem,
    settled,
)
from roadstead.search.recoding.registry import RECODINGS
from roadstead.search.recoding.solve import solve
from roadstead.tables.frequency import FrequencyTable, summarize
from roadstead.tables.reading import read
from roadstead.verbs.hierarchies import choose_hierarchies
from roadstead_reproductions.searches.first_fit import FirstFit
from roadstead_reproductions.sensitive_bounds import refine_sensitive

SENSITIVE = {
    "Adult": (("salary-class", 2), ("marital-status", 2), ("occupation", 3)),
    "Diabetes": (("readmitted", 2), ("readmitted", 3)),
}
ENCOUNTERS = ("age", "gender", "race", "time_in_hospital", "medical_specialty", "insulin", "change")
"""Quasi-identifiers of the diabetes data that a neighbor may know."""
_HALF = 0.5
SLACK = 8
"""The larger k that classes are made with where k is published."""


OF_SENSITIVE = (
    "recoding",
    "column",
    "l",
    "loss",
    "attack",
    "guessed",
    "gain",
    "sure",
    "right",
    "class says",
    "ruled out",
    "wrong",
)


def _points(gain: Gain) -> str:
    """Write a gain and its interval in points; a star marks those above noise."""
    star = "*" if gain.above_noise else ""
    return f"{100 * gain.gain:+.2f}{star} ({100 * gain.low:+.2f} to {100 * gain.high:+.2f})"


COLUMNS: measuring.Columns = {
    "data": "{data}",
    "recoding": "{recoding}",
    "loss": "{loss:.4f}",
    "classes": "{classes:,}",
    "left": "{left:.1%}",
    "narrowed": "{narrowed:.1%}",
    "cells guessed": "{by_order.guessing:.1%}",
    "gain by order": lambda row: _points(row["by_order"]),
    "by the best": lambda row: _points(row["best"]),
    "records guessed": "{record.guessing:.1%}",
    "gain": lambda row: _points(row["record"]),
    "s": "{seconds:.1f}",
}


class RandomCuts:
    """Boxes cut at random, independent of the records, and not shrunk to their records.

    A cut is drawn among all places of all axes. It is made if both sides keep k records, and a box
    is done after forty failed cuts. Boxes are disjoint, so their order reveals nothing.
    """

    name = "random-cuts"
    guarantee = "nothing but that each class keeps the privacy model"
    _TRIES = 40

    def find(self, problem: RecodingProblem) -> Recoded:
        """Cut."""
        chance = np.random.default_rng(11)
        places = np.stack(
            [
                own.places[codes]
                for own, codes in zip(problem.axes, problem.encoding.codes, strict=True)
            ]
        )
        counts = problem.encoding.counts
        whole = np.array([(0, own.size - 1) for own in problem.axes], dtype=np.int32)
        waiting, done = [(whole, np.arange(counts.size))], []
        while waiting:
            box, rows = waiting.pop()
            for _ in range(self._TRIES):
                at = int(chance.integers(len(problem.axes)))
                if box[at, 0] == box[at, 1]:
                    continue
                cut = int(chance.integers(box[at, 0], box[at, 1]))
                low = places[at, rows] <= cut
                if min(counts[rows[low]].sum(), counts[rows[~low]].sum()) >= problem.k:
                    left, right = box.copy(), box.copy()
                    left[at, 1], right[at, 0] = cut, cut + 1
                    waiting += [(left, rows[low]), (right, rows[~low])]
                    break
            else:
                done.append(box)
        return settled(problem, np.stack(done))


def global_recoding(problem: RecodingProblem, levels: tuple[int, ...]) -> Recoded:
    """Make the classes of a policy for all records."""
    encoding = problem.encoding
    classes = classes_at(encoding, levels)
    first = np.unique(classes.ids, return_index=True)[1]
    rows = classes.rows[first[classes.sizes >= problem.k]]
    shown = [
        np.stack([np.full(rows.size, level), lookups[level][codes[rows]]], axis=1)
        for lookups, codes, level in zip(encoding.lookups, encoding.codes, levels, strict=True)
    ]
    return settled(problem, np.stack(shown, axis=1).astype(np.int32))


def scattered(problem: RecodingProblem, recoded: Recoded) -> Recoded:
    """Put each row into a class that shows it, drawn by chance; no policy could do that."""
    view = view_of(problem, recoded)
    chance = np.random.default_rng(5)
    rows = recoded.rows.copy()
    for row, codes in enumerate(problem.encoding.codes.T):
        if rows[row] != OUT:
            fine = np.ones(view.classes, dtype=np.bool_)
            for at, code in enumerate(codes):
                fine &= view.shows[at][code][view.numbers[:, at]]
            rows[row] = chance.choice(np.flatnonzero(fine))
    return Recoded(recoded.parts, rows)


def loosened(problem: RecodingProblem, recoded: Recoded) -> Recoded:
    """Move each end of an interval of several values outwards by one place, half of the time."""
    chance = np.random.default_rng(6)
    parts = recoded.parts.copy()
    wide = parts[:, :, 0] < parts[:, :, 1]
    last = np.array([own.size - 1 for own in problem.axes], dtype=np.int32)
    parts[:, :, 0] -= wide & (parts[:, :, 0] > 0) & (chance.random(wide.shape) < _HALF)
    parts[:, :, 1] += wide & (parts[:, :, 1] < last) & (chance.random(wide.shape) < _HALF)
    return settled(problem, parts)


def searches(names: Sequence[str]) -> list[tuple[str, RecodingSearch]]:
    """Searches of these names that there are, by recoding; all for no names."""
    return [
        (kind, make())
        for kind, known in RECODINGS.items()
        for name, make in known.items()
        if not names or name in names
    ]


def line(
    data: str, recoding: str, problem: RecodingProblem, recoded: Recoded, k: int, most: int
) -> dict[str, Any]:
    """Attack a release."""
    begun = time.process_time()
    view, truth = view_of(problem, recoded, k=k), truth_of(problem, recoded)
    found = downcode(view, truth, most_classes=most)
    by_margins = {(one.knowledge, one.target): one for one in found.gains}
    cells = [one for (_, target), one in by_margins.items() if target == CELLS]
    return {
        "data": data,
        "recoding": recoding,
        "loss": recoded.loss(problem),
        "classes": recoded.parts.shape[0],
        "left": found.left,  # share of a box that the order of classes leaves
        "narrowed": found.narrowed,
        "by_order": by_margins[ORDER, CELLS],
        "best": max(cells, key=lambda one: one.low),
        "record": by_margins[ORDER, RECORDS],
        "sentence": attacked(Attempt(found))[0],
        "seconds": time.process_time() - begun,
    }


def quasi_identifiers(
    data: DataSet, columns: tuple[str, ...], k: int, most: int, names: Sequence[str]
) -> list[dict[str, Any]]:
    """Attack all recodings of a data set, and the ways out."""
    table = summary(data.path, columns)
    folder = data.hierarchy_folder
    lines: list[dict[str, Any]] = []

    def add(recoding: str, problem: RecodingProblem, recoded: Recoded) -> None:
        lines.append(line(data.name, recoding, problem, recoded, k, most))
        print(*measuring.cells(COLUMNS, lines[-1]), sep=", ", file=sys.stderr, flush=True)

    best = Exact().run(problem_of(table, folder, k, 0.05), Control()).best
    nodes = recoding_problem_of(table, folder, k, 0.05, intervals=False)
    if best is not None:
        add("global exact", nodes, global_recoding(nodes, best.policy))
    for kind, search in searches(names):
        for own in (k, SLACK):
            problem = recoding_problem_of(table, folder, own, 0.05, intervals=kind == "intervals")
            found = solve(problem, search, Control()).best
            if found is None:
                continue
            slack = "" if own == k else f", made with k of {own}"
            add(f"{kind} {search.name}{slack}", problem, found)
            if own == k and kind == "intervals":
                add(f"{kind} {search.name}, loosened", problem, loosened(problem, found))
            if own == k and kind == "local" and search.name == FirstFit.name:
                add(f"{kind} {search.name}, scattered", problem, scattered(problem, found))
    boxes = recoding_problem_of(table, folder, k, 0.05, intervals=True)
    add("intervals random-cuts", boxes, RandomCuts().find(boxes))
    return lines


def diverse(
    table: FrequencyTable, folder: Path | None, k: int, column: str, least: int, *, intervals: bool
) -> RecodingProblem:
    """Return the problem of distinct l-diversity; l of 1 requires nothing."""
    chosen, _ = choose_hierarchies(table, folder)
    encoding = encode(table, chosen)
    models = [KAnonymity(k), *([DistinctLDiversity(column, least)] if least > 1 else [])]
    return recoding_problem(
        encoding,
        full_domain(encoding.hierarchies),
        bind_all(models, table),
        k=k,
        limit=int(Fraction("0.05") * table.records),
        intervals=intervals,
    )


def sensitive_values(
    data: DataSet, columns: tuple[str, ...], k: int, names: Sequence[str]
) -> list[tuple[str, ...]]:
    """Attack sensitive columns, of releases made with what is published and with one more."""
    lines: list[tuple[str, ...]] = []
    for column, least in SENSITIVE.get(data.name, ()):
        with read(data.path) as source:
            table = summarize(source, [one for one in columns if one != column], [column])
        values = len(table.histogram(column).domain)
        for kind, search in searches(names):
            for asked in range(least, min(least + 1, values) + 1):
                problem = diverse(
                    table, data.hierarchy_folder, k, column, asked, intervals=kind == "intervals"
                )
                more = f", made with l of {asked}" if asked > least else ""
                # The same steps without a look at the column: what the attacker runs again.
                blind, asking = replace(problem, blind=KAnonymity(k)), LeastSize(k)
                merged = solve(blind, search, Control())
                refusing = search.run(problem, Control()).best
                bolder = search.run(replace(problem, privacy=asking), Control()).best
                if merged.best is not None and merged.proposal is not None:
                    made, own = f"{kind} {search.name}{more}", merged.proposal
                    lines += on_sensitive(made, problem, merged.best, own, (column, least))
                if refusing is not None and bolder is not None:
                    made = f"{kind} {search.name}{more}, asking the model at each step"
                    lines += on_sensitive(made, problem, refusing, bolder, (column, least))
    return lines


def on_sensitive(
    made: str, problem: RecodingProblem, found: Recoded, bolder: Recoded, asked: tuple[str, int]
) -> list[tuple[str, ...]]:
    """Attack the sensitive column of a release; a line for each attack."""
    column, least = asked
    required = Requirement(column, distinct(least), least)
    tried = attempt(problem, found, requirements=[required], bolder=bolder, most_classes=10)
    refused = list(refused_classes(problem, found, bolder))
    bounds = refine_sensitive(
        view_of(problem, found),
        truth_of(problem, found),
        column_of(problem.encoding.table.histogram(column)),
        least,
        refused,
        most_classes=40,
    )
    lines: list[tuple[str, ...]] = []
    for name, (_, one) in zip(("parts", "replay", "merges"), tried.sensitive, strict=True):
        sure = one.when_sure
        star = "*" if sure.above_noise else ""
        lines.append(
            (
                made,
                column,
                str(least),
                f"{found.loss(problem):.4f}",
                name,
                f"{one.gain.guessing:.1%}",
                _points(one.gain),
                f"{one.sure:.2%}",
                f"{sure.success:.1%}{star}",
                f"{sure.guessing:.1%}",
                f"{bounds.share(bounds.ruled_out):.1%}" if name == "replay" else "",
                f"{bounds.share(bounds.wrong):.1%}" if name == "replay" else "",
            )
        )
        print(*lines[-1], sep=", ", file=sys.stderr, flush=True)
    return lines


def main() -> None:
    """Attack all."""
    parser = measuring.parser(__doc__)
    known = {ADULT.name: (ADULT, ADULT.columns), DIABETES.name: (DIABETES, ENCOUNTERS)}
    parser.add_argument("--data", nargs="+", default=list(known), choices=list(known))
    parser.add_argument("--search", nargs="+", default=[], help="names of searches, default all")
    attacks = ["quasi-identifiers", "sensitive"]
    parser.add_argument("--attack", nargs="+", default=attacks, choices=attacks)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--classes", type=int, default=2_000, help="most classes attacked")
    given = parser.parse_args()
    measuring.show_machine()
    lines, of_sensitive = [], []
    for name in given.data:
        data, columns = known[name]
        if "quasi-identifiers" in given.attack:
            lines += quasi_identifiers(data, columns, given.k, given.classes, given.search)
        if "sensitive" in given.attack:
            of_sensitive += sensitive_values(data, columns, given.k, given.search)
    print(file=sys.stderr)
    measuring.show(COLUMNS, lines)
    print()
    for one in lines:
        print("{data}, {recoding}: {sentence}".format_map(one))
    print()
    measuring.show_table(OF_SENSITIVE, of_sensitive)
    gains = ("by_order", "best", "record")
    measuring.save(given.json, [one | {key: asdict(one[key]) for key in gains} for one in lines])


if __name__ == "__main__":
    main()
