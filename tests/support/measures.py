"""The quality models computed from their definitions, slowly.

They share no code with the package: a policy evaluated by `definition` arrives as the rows of its
classes. Every measure is counted from these rows and from the labels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log, prod
from typing import Any

import numpy as np
import pytest
from definition import UNIT, Judged, covered, label
from lattices import AGGREGATES, Case
from toy_models import Histogram

from roadstead.privacy.protocol import BoundPrivacy
from roadstead.quality.aggregates import Aggregate, Maximum, Ranked
from roadstead.quality.models.ambiguity import Ambiguity
from roadstead.quality.models.bits import Bits
from roadstead.quality.models.class_size import AverageClassSize
from roadstead.quality.models.classification import Classification
from roadstead.quality.models.discernibility import Discernibility
from roadstead.quality.models.divergence import Divergence
from roadstead.quality.models.entropy import Entropy
from roadstead.quality.models.loss import Loss
from roadstead.quality.models.payout import Payout
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
    """Make the engine's problem of a case, with a target column and a model of `MEASURES`."""
    plain = case.problem(privacy)
    row, code = np.nonzero(histogram)
    domain = ("x", "y", "", "z")[: histogram.shape[1]]  # one of three is a blank
    entries = row.astype(np.int64), code.astype(np.int32), histogram[row, code]
    target = histograms.histogram("target", domain, entries, len(case.rows))
    encoding = replace(plain.encoding, table=replace(plain.encoding.table, alongside=(target,)))
    return replace(plain, encoding=encoding, quality=MEASURES[name].model(case).bind(encoding))


def _aggregate(case: Case) -> Aggregate:
    return AGGREGATES[case.aggregate](_weights(case))


def _weights(case: Case) -> tuple[float, ...] | None:
    return None if case.weights is None else tuple(float(w) for w in case.weights)


def _factored(case: Case, judged: Judged) -> list[float]:
    """Iyengar's losses of the attributes, times their weights over the largest."""
    weights = case.weights or (1,) * len(judged.losses)
    factors = [w / max(weights) for w in weights]
    return [w * loss / UNIT for w, loss in zip(factors, judged.losses, strict=True)]


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
    return _entropy_of(case, judged, 1.0, 1.0)


def _entropy_of(case: Case, judged: Judged, kept_counts: float, lost_counts: float) -> float:
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
            surprise = count * log(labels[names[number]] / values[row[i]])
            removed += count * log(case.records / values[row[i]])
            if number in kept:
                cost += kept_counts * surprise
            else:
                surprise += count * log(judged.suppressed / lost[names[number]])
                cost += lost_counts * surprise
        losses.append(cost / removed if len(values) > 1 else 0.0)
    return _mean(case, losses)


def _tipped_entropy(factor: float) -> Measure:
    prices = min(1.0, 2 - 2 * factor), min(1.0, 2 * factor)
    return Measure(
        lambda case: Entropy(_aggregate(case), gs_factor=factor),
        lambda case, judged, _: _entropy_of(case, judged, *prices),
        2e-10,
    )


def _discernibility(case: Case, judged: Judged, _: Histogram) -> float:
    squares = sum(size**2 for size in _sizes(case, judged))
    return (squares + case.records * judged.suppressed) / case.records**2


def _all_squares(case: Case, judged: Judged, _: Histogram) -> float:
    """Sizes of all classes, also those suppressed."""
    sizes = Counter[tuple[str, ...]]()
    for row, count in zip(case.rows, case.counts, strict=True):
        sizes[tuple(map(label, case.attributes, judged.levels, row))] += count
    return sum(size**2 for size in sizes.values()) / case.records**2


def _tipped(factor: float) -> Callable[[Case, Judged, Histogram], float]:
    """Iyengar's loss, generalization and suppression weighed."""
    kept_counts, lost_counts = min(1.0, 2 - 2 * factor), min(1.0, 2 * factor)

    def loss(case: Case, judged: Judged, _: Histogram) -> float:
        kept = _kept(judged)
        losses = []
        for i, (attribute, level) in enumerate(zip(case.attributes, judged.levels, strict=True)):
            most = covered(case, i, attribute.height - 1, attribute.values[0]) - 1
            total = 0.0
            for number, (row, count) in enumerate(zip(case.rows, case.counts, strict=True)):
                own = kept_counts * (covered(case, i, level, row[i]) - 1)
                total += count * (own if number in kept else lost_counts * most)
            losses.append(total / (case.records * most) if most else 0.0)
        return _mean(case, losses)

    return loss


def _arx_tipped(factor: float) -> Callable[[Case, Judged, Histogram], float]:
    """Iyengar's loss where a suppressed record loses on top of what it loses as generalized.

    From the factor 1/2 on the formulas are one: suppression counts in full.
    """
    if factor >= 0.5:
        return _tipped(factor)

    def loss(case: Case, judged: Judged, _: Histogram) -> float:
        kept = _kept(judged)
        losses = []
        for i, (attribute, level) in enumerate(zip(case.attributes, judged.levels, strict=True)):
            most = covered(case, i, attribute.height - 1, attribute.values[0]) - 1
            total = 0.0
            for number, (row, count) in enumerate(zip(case.rows, case.counts, strict=True)):
                share = (covered(case, i, level, row[i]) - 1) / most if most else 0.0
                total += count * (share if number in kept else share + 2 * factor * (1 - share))
            losses.append(total / case.records if most else 0.0)
        return _mean(case, losses)

    return loss


def _arx_tipped_loss(factor: float) -> Measure:
    return Measure(
        lambda case: Loss(_aggregate(case), gs_factor=factor, gs_formula="arx"),
        _arx_tipped(factor),
        2e-10,
    )


def _tipped_loss(factor: float) -> Measure:
    return Measure(lambda case: Loss(_aggregate(case), gs_factor=factor), _tipped(factor), 2e-10)


def _as_generalized(case: Case, judged: Judged, _: Histogram) -> float:
    """Precision with nothing suppressed."""
    return _mean(
        case,
        [
            level / (attribute.height - 1) if attribute.height > 1 else 0.0
            for attribute, level in zip(case.attributes, judged.levels, strict=True)
        ],
    )


def _everything(case: Case) -> list[int]:
    tops = [attribute.height - 1 for attribute in case.attributes]
    return [covered(case, i, top, case.rows[0][i]) for i, top in enumerate(tops)]


def _ambiguity(case: Case, judged: Judged, _: Histogram) -> float:
    """Combinations that each record could be."""
    whole = prod(_everything(case))
    sizes = zip(judged.classes, _sizes(case, judged), strict=True)
    total = sum(size * _volume(case, judged, rows[0]) for rows, size in sizes)
    total += judged.suppressed * whole
    return log(total / case.records) / log(whole) if whole > 1 else 0.0


def _bits_of(case: Case, judged: Judged, kept: float, suppressed: float) -> float:
    whole = log(prod(_everything(case)))
    total = suppressed * judged.suppressed * whole
    for rows, size in zip(judged.classes, _sizes(case, judged), strict=True):
        total += kept * size * log(_volume(case, judged, rows[0]))
    return total / whole / case.records if whole else 0.0


def _bits(case: Case, judged: Judged, _: Histogram) -> float:
    return _bits_of(case, judged, 1.0, 1.0)


def _bits_tipped(case: Case, judged: Judged, _: Histogram) -> float:
    return _bits_of(case, judged, 1.0, 0.4)


def _payout(case: Case, judged: Judged, _: Histogram) -> float:
    """Benefit 5, loss 4, gain 7, cost 1.5: an attack pays on classes of four records or fewer."""
    whole = log(prod(_everything(case)))
    total = 0.0
    for rows, size in zip(judged.classes, _sizes(case, judged), strict=True):
        left_open = log(_volume(case, judged, rows[0])) / whole if whole else 0.0
        total += size * (5.0 * (1.0 - left_open) - (4.0 / size if size <= 4 else 0.0))
    return min(1.0, max(0.0, 1.0 - total / (5.0 * case.records)))


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
    "loss, maximum": Measure(
        lambda case: Loss(Maximum(_weights(case))),
        lambda case, one, _: max(_factored(case, one)),
        2e-10,
    ),
    "loss, rank": Measure(
        lambda case: Loss(Ranked(_weights(case))),
        lambda case, one, _: max(_factored(case, one)),
        2e-10,
    ),
    "precision": Measure(lambda case: Precision(_aggregate(case)), _precision, 1e-14),
    "precision, monotone": Measure(
        lambda case: Precision(_aggregate(case), monotone=True), _as_generalized, 1e-14
    ),
    "discernibility, monotone": Measure(lambda _: Discernibility(monotone=True), _all_squares),
    **{f"loss, factor {factor}": _tipped_loss(factor) for factor in (0.0, 0.2, 0.9)},
    **{f"loss, ARX's factor {factor}": _arx_tipped_loss(factor) for factor in (0.0, 0.2, 0.9)},
    "entropy": Measure(lambda case: Entropy(_aggregate(case)), _entropy, 2e-10),
    **{f"entropy, factor {factor}": _tipped_entropy(factor) for factor in (0.2, 0.9)},
    "discernibility": Measure(lambda _: Discernibility(), _discernibility),
    "class-size": Measure(lambda _: AverageClassSize(), _class_size),
    "class-size of k": Measure(lambda case: AverageClassSize(case.k), _class_size),
    "ambiguity": Measure(lambda _: Ambiguity(), _ambiguity, 1e-12),
    "bits": Measure(lambda _: Bits(), _bits, 1e-9),
    "bits, factor 0.2": Measure(lambda _: Bits(gs_factor=0.2), _bits_tipped, 1e-9),
    "payout": Measure(lambda _: Payout(5.0, 4.0, 7.0, 1.5), _payout, 2e-10),
    "divergence": Measure(lambda _: Divergence(), _divergence, 2e-10),
    "classification": Measure(lambda _: Classification("target"), _classification),
}
OF_CLASSES = ("discernibility", "class-size", "class-size of k", "divergence", "classification")

LOOSE = (
    "divergence",
    "loss, factor 0.0",
    "loss, factor 0.2",
    "entropy, factor 0.2",
    "bits, factor 0.2",
    "payout",
)
"""Whose bound at a policy itself may be below its loss."""

OF_PART = (
    "precision, monotone",
    "discernibility, monotone",
    *(name for name in MEASURES if name.startswith(("loss", "bits", "ambiguity", "entropy, "))),
)
"""For which a table suppressed whole may not have lost everything: a domain of one has nothing."""

_QUICK: tuple[str, ...] = (
    "precision",
    "entropy",
    "discernibility",
    "class-size",
    "class-size of k",
    "divergence",
    "loss, ARX's factor 0.2",
)
_QUICK += ("classification", "ambiguity", "payout", "loss, rank", "loss, factor 0.2")
_ALIKE = _QUICK[-4:]


def tried(*without: str) -> list[Any]:
    """Name the measures, as parameters of a test; variants of others are tried at night."""
    nightly = pytest.mark.nightly
    return [
        name if name in _QUICK else pytest.param(name, marks=nightly)
        for name in MEASURES
        if name not in without
    ]


def tried_with_all(*without: str) -> list[Any]:
    """The same for tests of each with each of others: of those of whole records, at night too."""
    nightly = pytest.mark.nightly
    return [
        name if name in _QUICK and name not in _ALIKE else pytest.param(name, marks=nightly)
        for name in MEASURES
        if name not in without
    ]
