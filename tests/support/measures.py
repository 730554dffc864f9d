"""The quality models worked out from their definitions, slowly.

They share no code with the package: a policy judged by `definition` comes as the rows of its
classes, and every measure is counted from these and from the labels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log, prod

import numpy as np
from definition import Judged, covered, label
from lattices import AGGREGATES, Case
from toy_models import Histogram

from roadstead.privacy.protocol import BoundPrivacy
from roadstead.quality.aggregates import Aggregate
from roadstead.quality.models.class_size import AverageClassSize
from roadstead.quality.models.classification import Classification
from roadstead.quality.models.discernibility import Discernibility
from roadstead.quality.models.divergence import Divergence
from roadstead.quality.models.entropy import Entropy
from roadstead.quality.models.precision import Precision
from roadstead.quality.protocol import QualityModel
from roadstead.search.evaluation import FullDomainProblem
from roadstead.tables import histograms


@dataclass(frozen=True)
class Measure:
    """A quality model and its definition.

    Attributes
    ----------
    model
        The model for a case, made with the case's mean.
    loss
        What the definition says of a policy.
    off
        By how much losses and bounds may be off: one unit where they are rounded.
    """

    model: Callable[[Case], QualityModel]
    loss: Callable[[Case, Judged, Histogram], float]
    off: float = 1e-15


def problem(
    case: Case, name: str, histogram: Histogram, privacy: BoundPrivacy | None = None
) -> FullDomainProblem:
    """Make the engine's problem of a case, with a target alongside and a model of `MEASURES`."""
    plain = case.problem(privacy)
    row, code = np.nonzero(histogram)
    domain = tuple("xyz"[: histogram.shape[1]])
    entries = row.astype(np.int64), code.astype(np.int32), histogram[row, code]
    target = histograms.histogram("target", domain, entries, len(case.rows))
    encoding = replace(plain.encoding, table=replace(plain.encoding.table, alongside=(target,)))
    return replace(plain, encoding=encoding, quality=MEASURES[name].model(case).bind(encoding))


def _aggregate(case: Case) -> Aggregate:
    weights = None if case.weights is None else tuple(float(w) for w in case.weights)
    return AGGREGATES[case.aggregate](weights)


def _mean(case: Case, losses: Sequence[float]) -> float:
    weights = case.weights or (1,) * len(losses)
    if case.aggregate == "arithmetic":
        return sum(w * loss for w, loss in zip(weights, losses, strict=True)) / sum(weights)
    product = prod((1 + loss) ** w for w, loss in zip(weights, losses, strict=True))
    return float(product ** (1 / sum(weights)) - 1)


def _sizes(case: Case, judged: Judged) -> list[int]:
    return [sum(case.counts[row] for row in rows) for rows in judged.classes]


def _kept(judged: Judged) -> set[int]:
    return {row for rows in judged.classes for row in rows}


def _precision(case: Case, judged: Judged, _: Histogram) -> float:
    kept = case.records - judged.suppressed
    losses = []
    for attribute, level in zip(case.attributes, judged.levels, strict=True):
        share = level / (attribute.height - 1) if attribute.height > 1 else 0.0
        losses.append((judged.suppressed + kept * share) / case.records)
    return _mean(case, losses)


def _entropy(case: Case, judged: Judged, _: Histogram) -> float:
    """Record by record: the surprise at a value under its label, and at a label among the lost."""
    kept = _kept(judged)
    losses = []
    for i, (attribute, level) in enumerate(zip(case.attributes, judged.levels, strict=True)):
        values, labels, lost = Counter[str](), Counter[str](), Counter[str]()
        names = [label(attribute, level, row[i]) for row in case.rows]
        for number, (row, count) in enumerate(zip(case.rows, case.counts, strict=True)):
            values[row[i]] += count
            labels[names[number]] += count
            if number not in kept:
                lost[names[number]] += count
        cost = removed = 0.0
        for number, (row, count) in enumerate(zip(case.rows, case.counts, strict=True)):
            cost += count * log(labels[names[number]] / values[row[i]])
            removed += count * log(case.records / values[row[i]])
            if number not in kept:
                cost += count * log(judged.suppressed / lost[names[number]])
        losses.append(cost / removed if len(values) > 1 else 0.0)
    return _mean(case, losses)


def _discernibility(case: Case, judged: Judged, _: Histogram) -> float:
    squares = sum(size**2 for size in _sizes(case, judged))
    return (squares + case.records * judged.suppressed) / case.records**2


def _class_size(case: Case, judged: Judged, _: Histogram) -> float:
    groups = len(judged.classes) + (judged.suppressed > 0)
    return case.records / groups / case.records


def _classification(case: Case, judged: Judged, histogram: Histogram) -> float:
    listed = histogram.tolist()
    minority = judged.suppressed
    for rows in judged.classes:
        totals = [sum(listed[row][value] for row in rows) for value in range(histogram.shape[1])]
        minority += sum(totals) - max(totals)
    return minority / case.records


def _divergence(case: Case, judged: Judged, _: Histogram) -> float:
    """Cell by cell: P ln(P / Q), as a share of the same with one group of all."""
    tops = [attribute.height - 1 for attribute in case.attributes]
    everything = prod(covered(case, i, top, case.rows[0][i]) for i, top in enumerate(tops))
    lost = [number for number in range(len(case.rows)) if number not in _kept(judged)]
    groups = [(list(rows), _volume(case, judged, rows[0])) for rows in judged.classes]
    if lost:
        groups.append((lost, everything))
    found = sum(_from_even(case, rows, volume) for rows, volume in groups)
    whole = _from_even(case, list(range(len(case.rows))), everything)
    even = len(set(case.counts)) == 1 and len(case.rows) == everything
    return 0.0 if even else min(1.0, found / whole)


def _volume(case: Case, judged: Judged, row: int) -> int:
    return prod(covered(case, i, level, case.rows[row][i]) for i, level in enumerate(judged.levels))


def _from_even(case: Case, rows: list[int], volume: int) -> float:
    records = sum(case.counts[row] for row in rows)
    each = records / volume / case.records
    shares = [case.counts[row] / case.records for row in rows]
    return sum(share * log(share / each) for share in shares)


MEASURES = {
    "precision": Measure(lambda case: Precision(_aggregate(case)), _precision, 1e-14),
    "entropy": Measure(lambda case: Entropy(_aggregate(case)), _entropy, 2e-10),
    "discernibility": Measure(lambda _: Discernibility(), _discernibility),
    "class-size": Measure(lambda _: AverageClassSize(), _class_size),
    "class-size of k": Measure(lambda case: AverageClassSize(case.k), _class_size),
    "divergence": Measure(lambda _: Divergence(), _divergence, 2e-10),
    "classification": Measure(lambda _: Classification("target"), _classification),
}
OF_CLASSES = ("discernibility", "class-size", "class-size of k", "divergence", "classification")
