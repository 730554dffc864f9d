"""Narrow down sensitive values by asking why a finer class was not released (minimality).

The attack is based on an idea of Wong, Fu, Wang and Pei (Minimality attack in privacy preserving
data publishing, VLDB 2007). The attacker knows the quasi-identifiers of everyone in the table.
Suppose that a group of at least k records could have been a cheaper class, but is not a class. Then
the group must have violated the requirement. If all assignments of values to records are equally
likely at first, the attacker can compute the probability of each value.
docs/methods/attacks-on-recodings.md explains three ways to find such groups:

*parts*: if a part of a class and the rest of the class have at least k records each, one of the two
violated the requirement.

*replay*: the attacker repeats the search with k-anonymity alone. If a class from this search would
reduce the loss of the release, the class must have violated the requirement. For distinct
l-diversity, such a group has fewer than l values. The probability that all values in the group
belong to a set T is a product over the classes. Class c has n_c records, of which N_c(T) have a
value in T and g_c are in the group. The factor for class c is the falling factorial of N_c(T) with
g_c terms, divided by the falling factorial of n_c with g_c terms. The principle of inclusion and
exclusion gives the probability that T is exactly the set of values in the group.

*merges*: the search merges two classes if the model rejects one of the two
(`search.recoding.merging`). So for each merge, one of the two classes violated the requirement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.recodings.gain import Gain, gain_of, likeliest
from roadstead.attacks.recodings.joint import MOST_WAYS, Counts, divisions, share_of_all
from roadstead.attacks.recodings.view import PublishedView, Reals, Truth, truth_of, view_of
from roadstead.search.recoding.merging import NONE, merge_tree
from roadstead.search.recoding.protocol import OUT, Recoded, RecodingProblem
from roadstead.tables.histograms import Histogram

Accepts = Callable[[Counts], NDArray[np.bool_]]
"""A function that returns, for each of several groups, whether the group may be a class."""

PARTS, REPLAY = "a part of the group failed", "a group of the search without the model failed"
MERGES = "one of two merged groups failed"
VALUE = "the sensitive value of a record"
SURELY = "the sensitive value of a record, with certainty"
SURE = 0.9
"""The minimum probability at which an attacker counts as sure of a value."""
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Sensitive:
    """The gain of an attack on the values in a sensitive column.

    Attributes
    ----------
    gain
        The gain over guessing from the frequencies of values in the record's class.
    reached
        The share of the records about which the attack reveals anything.
    sure
        The share of the records about which the attacker is sure only because of the attack.
    when_sure
        The success rate for these records, compared with the probability of the most likely value
        in the class. Even if the attack and the class lead to the same guess, the attacker may
        learn that the guess is more certain.
    """

    gain: Gain
    reached: float
    sure: float
    when_sure: Gain

    @property
    def above_noise(self) -> bool:
        """Return whether one of the intervals shows that the attacker learns something."""
        return self.gain.above_noise or self.when_sure.above_noise


@dataclass(frozen=True)
class Column:
    """A sensitive column, with the number of records in each row that have each value."""

    counts: Counts = field(repr=False)

    def by_class(self, rows: NDArray[np.int32], classes: int) -> Counts:
        """Add up the rows of each class. The release reveals these sums."""
        found = np.zeros((classes, self.counts.shape[1]), dtype=np.int64)
        inside = rows != OUT
        np.add.at(found, rows[inside], self.counts[inside])
        return found


def column_of(histogram: Histogram) -> Column:
    """Convert a histogram into a column."""
    counts = np.zeros((histogram.rows, len(histogram.domain)), dtype=np.int64)
    counts[histogram.row_of_entry, histogram.codes] = histogram.counts
    return Column(counts)


def distinct(least: int) -> Accepts:
    """Return a function that tests distinct l-diversity."""
    return lambda counts: np.asarray((counts > 0).sum(axis=1) >= least)


def attack_by_parts(
    view: PublishedView, truth: Truth, column: Column, accepts: Accepts, *, confidence: float = 0.95
) -> Sensitive:
    """Run the attack with parts of classes that are not classes themselves."""
    divided = (
        (number, rows, part)
        for number, rows in enumerate(truth.members(view.classes))
        for part in parts(view, truth, number, rows)
    )
    return _by_divisions(view, truth, column, accepts, divided, least=view.k).gain(
        PARTS, column, confidence=confidence
    )


def attack_by_merges(
    problem: RecodingProblem,
    recoded: Recoded,
    proposal: Recoded,
    column: Column,
    accepts: Accepts,
    *,
    confidence: float = 0.95,
) -> Sensitive:
    """Attack the two parts of each class that was merged from proposed classes."""
    view, truth = view_of(problem, recoded), truth_of(problem, recoded)
    tree = merge_tree(problem, proposal)
    node_of = {part.tobytes(): node for node, part in enumerate(tree.parts)}

    def divided() -> Iterator[_Division]:
        for number, rows in enumerate(truth.members(view.classes)):
            node = node_of.get(recoded.parts[number].tobytes())
            if node is not None and tree.children[node, 0] != NONE:
                side = tree.leaves(int(tree.children[node, 0]))
                yield number, rows, np.isin(proposal.rows[rows], side)

    return _by_divisions(view, truth, column, accepts, divided(), least=1).gain(
        MERGES, column, confidence=confidence
    )


_Division: TypeAlias = tuple[int, NDArray[np.int64], NDArray[np.bool_]]
"""A class, the rows in the class, and the rows on one of the two sides of a division."""


def _by_divisions(
    view: PublishedView,
    truth: Truth,
    column: Column,
    accepts: Accepts,
    divided: Iterable[_Division],
    *,
    least: int,
) -> _Beliefs:
    """Run the attack with divisions that have at least `least` records on each side."""
    shown = column.by_class(truth.rows, view.classes)
    beliefs = _Beliefs(truth, shown)
    for number, rows, part in divided:
        totals = shown[number]
        size = int(truth.counts[rows[part]].sum())
        rest = int(totals.sum()) - size
        if size < least or rest < least:
            continue
        inside = share_if_one_fails(totals, size, accepts)
        if inside is not None:
            beliefs.learn(rows[part], inside)
            beliefs.learn(rows[~part], (totals - inside * size) / rest)
    return beliefs


def attack_by_replay(
    view: PublishedView,
    truth: Truth,
    column: Column,
    least: int,
    refused: Iterable[NDArray[np.int64]],
    *,
    confidence: float = 0.95,
) -> Sensitive:
    """Run the attack with groups of rows that distinct `least`-diversity must have rejected."""
    shown = column.by_class(truth.rows, view.classes)
    beliefs = _Beliefs(truth, shown)
    groups_refused = list(refused)
    for group in groups_refused:
        own = truth.rows[group]
        classes = np.unique(own)
        sizes = np.array([int(truth.counts[group[own == c]].sum()) for c in classes])
        found = share_of_few(shown[classes], sizes, least)
        if found is None:
            continue
        for c, likely in zip(classes, found, strict=True):
            beliefs.learn(group[own == c], likely)
    for number, groups in _by_class(truth, groups_refused).items():
        rows = np.flatnonzero(truth.rows == number)
        flags = [np.isin(rows, group) for group in groups]
        shares = share_of_all(shown[number], truth.counts[rows], flags, least)
        if shares is not None:
            for row, likely in zip(rows, shares, strict=True):
                beliefs.learn(np.array([row]), likely)
    return beliefs.gain(REPLAY, column, confidence=confidence)


def _by_class(
    truth: Truth, refused: Iterable[NDArray[np.int64]]
) -> dict[int, list[NDArray[np.int64]]]:
    """Return the parts of rejected groups in each class, without duplicates."""
    found: dict[int, dict[bytes, NDArray[np.int64]]] = {}
    for group in refused:
        own = truth.rows[group]
        for number in np.unique(own).tolist():
            part = np.sort(group[own == number])
            found.setdefault(number, {})[part.tobytes()] = part
    return {number: [*parts.values()] for number, parts in found.items()}


def refused_classes(
    problem: RecodingProblem, recoded: Recoded, bolder: Recoded
) -> Iterator[NDArray[np.int64]]:
    """Yield the rows of classes that would have reduced the loss of the release.

    These classes are taken from `bolder`, which is the result without requirements for sensitive
    values. A record would join such a class if the record's own class has a higher loss. If k
    records would join the class, the attacker concludes that the class was rejected. The attacker
    ignores the effect on the classes that these records would leave.
    """
    costs, counts = problem.costs(recoded.parts), problem.encoding.counts
    own = np.append(costs, -1.0)[recoded.rows]  # The values of suppressed records are hidden.
    view = view_of(problem, bolder)
    new = problem.costs(bolder.parts)
    for number in range(view.classes):
        rows = np.flatnonzero(own > new[number] + _ROUNDING)
        for at, codes in enumerate(problem.encoding.codes):
            rows = rows[view.shows[at][codes[rows], view.numbers[number, at]]]
        if counts[rows].sum() >= problem.k:
            yield rows


def parts(
    view: PublishedView, truth: Truth, number: int, rows: NDArray[np.int64]
) -> Iterator[NDArray[np.bool_]]:
    """Yield flags that mark the rows of each part of a class that could be a cheaper class."""
    for at in np.flatnonzero(view.widths[number] > 1):
        groups = view.children[at][view.numbers[number, at], truth.codes[at, rows]]
        labels = np.unique(groups)
        if labels.size == 1:
            continue
        for label in labels[:-1] if view.intervals else labels:
            yield groups <= label if view.intervals else groups == label


def share_if_one_fails(totals: Counts, size: int, accepts: Accepts) -> Reals | None:
    """Return the expected share of each value in a part, if the part or the rest failed.

    `totals` gives the number of records in the class with each value. The function returns None if
    neither the part nor the rest can have violated the requirement.
    """
    ways, weights = divisions(totals, size)
    failed = ~accepts(ways) | ~accepts(totals - ways)
    weight = float(weights[failed].sum())
    if weight <= 0.0:
        return None
    return np.asarray(weights[failed] @ ways[failed] / (weight * size))


def share_of_few(totals: Counts, sizes: Sequence[int] | Counts, least: int) -> Reals | None:
    """Return the expected share of each value in a group that has fewer than `least` values.

    The shares are computed separately for each class. `totals` gives the number of records for each
    class and value. `sizes` gives the number of records that the group has in each class. The
    function returns None if no such group is possible, or if there are too many sets of values.
    """
    values = np.flatnonzero((totals > 0).any(axis=0))
    number = sum(comb(values.size, n) for n in range(1, least))
    if number > MOST_WAYS:
        return None
    logs: dict[tuple[int, ...], float] = {}
    groups = np.asarray(sizes, dtype=np.float64)
    whole = _log_falling(totals.sum(axis=1), groups)
    for n in range(1, least):
        for chosen in combinations(values.tolist(), n):
            log = float((_log_falling(totals[:, chosen].sum(axis=1), groups) - whole).sum())
            if np.isfinite(log):
                logs[chosen] = log
    if not logs:
        return None
    highest = max(logs.values())
    # Each set U represents all its supersets with at most least - 1 values. Their signs alternate.
    weight, total = 0.0, np.zeros(totals.shape)
    for chosen, log in logs.items():
        own = totals[:, chosen]
        spare = values.size - len(chosen)
        sign = sum((-1) ** more * comb(spare, more) for more in range(least - len(chosen)))
        chance = sign * float(np.exp(log - highest))
        weight += chance
        total[:, chosen] += chance * own / own.sum(axis=1, keepdims=True)
    return np.maximum(total, 0.0) / weight if weight > _ROUNDING else None


def _log_falling(numbers: Counts, times: Reals) -> Reals:
    """Return the logarithm of n (n - 1) ... with `times` factors (-inf if a factor is 0)."""
    from scipy.special import gammaln  # noqa: PLC0415 - heavy

    left = np.maximum(numbers - times, 0.0)
    found = gammaln(numbers + 1.0) - gammaln(left + 1.0)
    return np.where(numbers >= times, found, -np.inf)


class _Beliefs:
    """The probabilities of each row's values, from its class or from the attack."""

    def __init__(self, truth: Truth, shown: Counts) -> None:
        self.truth, self.shown = truth, shown
        self.learned: dict[int, Reals] = {}

    def learn(self, rows: NDArray[np.int64], likely: Reals) -> None:
        """For each row, keep the new probabilities if their largest value is higher than before."""
        for row in rows.tolist():
            old = self.learned.get(row)
            if old is None or likely.max() > old.max():
                self.learned[row] = likely

    def gain(self, knowledge: str, column: Column, *, confidence: float) -> Sensitive:
        """Compare the attack with guessing the most frequent value in the class."""
        classes = self.shown.shape[0]
        right, guessed, number = np.zeros(classes), np.zeros(classes), np.zeros(classes)
        sure_right, stated, sure = np.zeros(classes), np.zeros(classes), np.zeros(classes)
        reached = 0.0
        for row in np.flatnonzero(self.truth.rows != OUT).tolist():
            c = int(self.truth.rows[row])
            own = column.counts[row]
            before = self.shown[c] / self.shown[c].sum()
            plain = found = float(own @ likeliest(before))
            if (likely := self.learned.get(row)) is not None:
                found = float(own @ likeliest(likely))
                reached += float(own.sum())
                if likely.max() >= SURE > before.max():
                    sure[c] += own.sum()
                    sure_right[c] += found
                    stated[c] += own.sum() * before.max()
            right[c] += found
            guessed[c] += plain
            number[c] += own.sum()
        half = 1.0 - (1.0 - confidence) / 2
        gain = gain_of(knowledge, VALUE, right, guessed, number, confidence=half)
        when_sure = gain_of(knowledge, SURELY, sure_right, stated, sure, confidence=half)
        total = max(float(number.sum()), 1.0)
        return Sensitive(gain, reached / total, float(sure.sum()) / total, when_sure)
