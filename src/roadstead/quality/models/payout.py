"""Publisher's payout: the benefit of a release, minus the expected cost of attacks on it.

An attacker who targets a class of f records finds the right record with probability p = 1/f. So for
a record in the class, the publisher earns

    benefit (1 - bits) - loss p   if gain p > cost, and otherwise   benefit (1 - bits)

where `bits` is the share of hidden bits (Wan et al. 2015; ARX's publisher payout against a
prosecutor). A journalist is an attacker who does not know who is in the table. For a journalist, p
= 1/F, where F is the number of matching people in the population. The publisher earns nothing for a
suppressed record. The loss is the share of the largest possible payout that the publisher does not
earn.

The bound for the sublattice from policy a to policy b follows from two facts. The publisher never
earns more for a record than with the labels of policy a. Under every policy in between, a record's
class never has more records or people than under b. So an attack that is profitable under b is
profitable under every policy in between, and costs the publisher at least as much.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, isfinite, log2
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities, Feature
from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.policies.classes import Classes
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels
from roadstead.quality.class_suppression import CountsMissing, Missing
from roadstead.quality.combination_widths import CombinationWidths, Reals
from roadstead.quality.loss_capabilities import ANY_LOSS
from roadstead.quality.words import QualityWords, own_words

_DECIMALS = 10
"""Losses are rounded to this many decimals, to remove differences from rounding errors."""
_DOUBT = 1e-12
"""A tolerance that exceeds the rounding error of a mean of shares."""

PROSECUTOR, JOURNALIST = ("prosecutor", "journalist")


@dataclass(frozen=True)
class Payout:
    """The missing share of the largest payout. All amounts are in the same unit."""

    benefit: float = 1200.0
    loss: float = 300.0
    gain: float = 300.0
    cost: float = 4.0
    attacker: str = PROSECUTOR
    name: ClassVar[str] = "payout"
    columns: ClassVar[tuple[str, ...]] = ()
    words: ClassVar[QualityWords] = own_words("payout")
    capabilities: ClassVar[Capabilities] = ANY_LOSS.adding(Feature.STAKES)

    def __post_init__(self) -> None:
        for key in ("benefit", "loss", "gain", "cost"):
            amount = getattr(self, key)
            least = key == "benefit"
            if not isfinite(amount) or amount < 0.0 or (least and not amount):
                raise SettingError(
                    f"the {key} is {amount}, but must be {'above 0' if least else '0 or more'}",
                    where=option("stakes"),
                    fix=f"write, for example, {key}={getattr(type(self), key):g}",
                )

    def bind(self, encoding: Encoding) -> BoundPayout:
        """Bind the model to the label widths. An attack by a journalist requires a population."""
        if self.attacker == JOURNALIST and encoding.table.population is None:
            raise ValueError('the attacker "journalist" requires a population')
        return BoundPayout(encoding, self)

    def settings(self) -> dict[str, Any]:
        """Return the parameters for the certificate."""
        stakes = {key: getattr(self, key) for key in ("benefit", "loss", "gain", "cost")}
        own = {} if self.attacker == PROSECUTOR else {"attacker": self.attacker}
        return {"kind": self.name, "stakes": stakes, **own}


class BoundPayout(CountsMissing):
    """The payout, bound to one table. The tally is the number of suppressed records."""

    def __init__(self, encoding: Encoding, game: Payout) -> None:
        self._widths = CombinationWidths(encoding)
        self._records = encoding.records
        self._game = game
        self._people = None if game.attacker == PROSECUTOR else encoding.table.population
        self._bits = sum(log2(one) for one in self._widths.everything)

    def loss(self, levels: Levels, tally: Missing, classes: Classes) -> float:
        """Return the share of the largest payout that is missing."""
        missing = self._open(self._widths.of_classes(classes, levels)) + self._attacked(classes)
        return self._share(fsum((classes.sizes * missing).tolist()), tally)

    def loss_by_attribute(self, levels: Levels, tally: Missing, classes: Classes) -> None:  # noqa: ARG002 - as the protocol has it
        """Return None, because the cost of an attack does not belong to a single attribute."""
        return

    def lower_bound(self, lower: Levels, upper: Levels, tally: Missing, classes: Classes) -> float:  # noqa: ARG002 - as the protocol has it
        """Return the loss with the labels of `lower` but the class sizes of `upper`."""
        each = self._least(lower, classes)
        return self._below(float(each.sum()) + self._besides(each, tally, classes), tally)

    def raised_bounds(
        self, lower: Levels, upper: Levels, tally: Missing, classes: Classes
    ) -> list[list[float]]:
        """Return the bounds after one component of `lower` is raised."""
        rows = classes.rows
        counts = self._widths.counts[rows]
        attacked = self._attacked(classes)[classes.ids]
        least = self._least(lower, classes)
        base = float(least.sum())
        known = self._below(base + self._besides(least, tally, classes), tally)
        # If suppression may be cheaper for a record, the cost of another level is not added.
        sure = np.where(attacked > 0.0, 0.0, counts.astype(np.float64))
        bounds = []
        for i, (low, high) in enumerate(zip(lower, upper, strict=True)):
            weights = self._widths.by_value(i, rows, sure)
            bits = [self._open([own]) for own in self._widths.leaves[i]]
            added = [float(weights @ (bits[one] - bits[low])) for one in range(low + 1, high + 1)]
            grown = [max(known, self._below(base + one, tally)) for one in added]
            bounds.append([float(one) for one in np.maximum.accumulate(grown)])
        return bounds

    def _least(self, levels: Levels, classes: Classes) -> Reals:
        """For each row, return the smallest part of the payout that the publisher can lose."""
        rows = classes.rows
        found = (
            self._open(self._widths.of_rows(rows, levels)) + self._attacked(classes)[classes.ids]
        )
        counts = self._widths.counts[rows].astype(np.float64)
        least: Reals = counts * np.minimum(1.0, found)
        return least

    def _open(self, widths: list[NDArray[np.int64]]) -> Reals:
        """Return the share of a record's bits that labels of these widths hide."""
        total = np.zeros(widths[0].shape)
        for own in widths:
            total += np.log2(own)
        share: Reals = total / self._bits if self._bits else total
        return share

    def _attacked(self, classes: Classes) -> Reals:
        """Return the expected cost of attacks per record in each class, as a share of `benefit`."""
        alike = classes.sizes if self._people is None else classes.totals(self._people)
        chance = 1.0 / np.maximum(alike, 1)
        pays = self._game.gain * chance > self._game.cost
        return np.where(pays, self._game.loss * chance / self._game.benefit, 0.0)

    def _besides(self, each: Reals, tally: Missing, classes: Classes) -> float:
        """Return the extra loss from the lost records."""
        if tally.left is None:
            return 0.0
        counts = self._widths.counts
        costs = np.zeros(counts.size)
        costs[classes.rows] = each / np.maximum(counts[classes.rows], 1)
        return tally.besides(counts, costs, 1.0)

    def _share(self, missing: float, tally: Missing, doubt: float = 0.0) -> float:
        share = (missing + tally.records) / self._records
        return min(1.0, max(0.0, round(share - doubt, _DECIMALS)))

    def _below(self, missing: float, tally: Missing) -> float:
        return self._share(missing, tally, _DOUBT)
