"""Average class size: the mean number of records in the groups that a release distinguishes.

The groups are the c kept classes, and one further group if records are suppressed. A group has N /
groups records on average. The loss is this number divided by N: 1 / groups (LeFevre, DeWitt, and
Ramakrishnan 2006, section 2, without the division by k). The loss is 1 if all records are in one
group, and at least 1 / N.

The bound for the sublattice from policy a to policy b is computed as follows. Let S be the rows
that b suppresses, and let every kept class have at least k records (for k = 1, this is always
true). Each class of policy a outside S gets min(f, k) points, where f is its number of records. Let
P be the sum of the points. Let y be a policy between a and b. Each kept class of y consists of
complete classes of policy a outside S, which together have at least k points. So if S has rows, y
has at most P // k classes, and one further group. If S is empty, there are two cases. In the first
case, y suppresses nothing and has at most P // k groups. In the second case, y suppresses a class
of policy a with at least one point and has at most (P - 1) // k + 1 groups, which is P / k rounded
up. If a and b are the same policy, P / k is the number of its classes, and the bound equals the
loss.

If people are suppressed with all their rows, a class may lose some of its records without losing
points. So there may be one more group than P // k.

Suppose that m unknown records are lost from classes of policy a with at most L records each. A lost
class of f records loses min(f, k) points, which is at least f min(1, k / L). So P falls by at least
m min(1, k / L). If a release has at most c classes, there are at most c + 1 groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from roadstead.capabilities import Capabilities
from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.policies.cells import Cells
from roadstead.policies.classes import Classes
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels
from roadstead.quality.by_class import BoundByClass, ClassModel, RecordMeasure
from roadstead.quality.class_suppression import Missing
from roadstead.quality.loss_capabilities import ANY_LOSS
from roadstead.quality.partition_losses import Terms, terms_for
from roadstead.quality.protocol import SurelyLost
from roadstead.quality.words import QualityWords, own_words
from roadstead.tables.persons.profiles import PersonTable


@dataclass(frozen=True)
class AverageClassSize(ClassModel):
    """One divided by the number of groups.

    The `smallest` size of a kept class does not affect the loss, but improves the bounds.
    """

    smallest: int = 1
    name: ClassVar[str] = "class-size"
    words: ClassVar[QualityWords] = own_words("class-size")
    capabilities: ClassVar[Capabilities] = ANY_LOSS

    def __post_init__(self) -> None:
        if self.smallest < 1:
            raise SettingError(
                f"the smallest group cannot have {self.smallest} records",
                where=f"{option('quality')} class-size",
                fix="give the k of k-anonymity, or 1",
            )

    def bind(self, encoding: Encoding) -> BoundByClass[int]:
        """Bind the model to a table."""
        return BoundByClass(encoding, _Groups(encoding, self.smallest))

    def terms(self, cells: Cells) -> Terms:
        """Return -1 for each remaining class, so that the sum rises by 1 with each merge."""
        one = np.full(cells.total + 1, -1.0)
        one[0] = 0.0
        return terms_for(cells, by_class=one, constant=float((cells.records > 0).sum()))


class _Groups(RecordMeasure):
    """A measure of partitions that counts groups."""

    prices_lost = True
    counts_classes = True

    def __init__(self, encoding: Encoding, smallest: int) -> None:
        super().__init__(encoding)
        self._smallest = smallest
        self._in_part = isinstance(encoding.table, PersonTable)

    def price(self, classes: Classes) -> int:
        return int(np.add.reduce(np.minimum(classes.sizes, self._smallest)))

    def loss(self, levels: Levels, suppressed: int, price: float) -> float:  # noqa: ARG002 - as the protocol has it
        most = price // self._smallest + 1 if suppressed else -(-price // self._smallest)
        return 1.0 / most

    def bound(self, levels: Levels, suppressed: int, price: float) -> float:
        return self.loss(levels, suppressed or self._in_part, price)

    def bound_with_lost(
        self, levels: Levels, suppressed: int, price: float, lost: SurelyLost, largest: int
    ) -> float:
        points = -(-lost.records * min(largest, self._smallest) // largest) if largest else 0
        loss = self.bound(levels, suppressed + lost.records, price - points)
        return loss if lost.classes is None else max(loss, 1.0 / (lost.classes + 1))

    def bound_in_classes(
        self, levels: Levels, suppressed: int, missing: Missing, classes: Classes
    ) -> float:
        """Return a bound. Classes with a row that no policy releases do not get points."""
        never = np.zeros(self._counts.size, dtype=np.bool_)
        never[missing.rows] = True
        out = np.zeros(classes.sizes.size, dtype=np.bool_)
        out[classes.ids[never[classes.rows]]] = True
        points = int(np.add.reduce(np.minimum(classes.sizes[~out], self._smallest)))
        return self.bound(levels, suppressed + missing.rows.size, points)
