"""Define how a project file declares the domains and sets of a private release."""

from __future__ import annotations

from decimal import Decimal

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from roadstead.errors import SettingError
from roadstead.hierarchies.declare import Exact, Whole

_STRICT = ConfigDict(extra="forbid")
_TEXTS = ConfigDict(extra="forbid", coerce_numbers_to_str=True)
"""Values, which may look like numbers, as in ``classes = [0, 1]``."""


@dataclass(frozen=True, config=_TEXTS)
class DomainDeclaration:
    """The possible values of a column or of the items in a set, independent of the table.

    A declaration is a range, a list, or a tree. A range includes both ends and has a step, which is
    the smallest difference between two numbers. A tree is given by name or as a file, with the
    maximum number of children per node.
    """

    low: Exact | None = None
    high: Exact | None = None
    step: Exact | None = None
    values: tuple[str, ...] | None = None
    taxonomy: str | None = None
    fanout: Whole | None = None

    def ends(self, where: str) -> tuple[Decimal, ...]:
        """Return low, high, and step."""
        if self.low is None or self.high is None:
            raise SettingError(
                "a range requires both ends", where=where, fix="write low = 15 and high = 95"
            )
        return self.low, self.high, Decimal(1) if self.step is None else self.step


@dataclass(frozen=True, config=_STRICT)
class SetDeclaration:
    """A declaration of where the items of a set-valued attribute are stored.

    The items can be in one column of lists or delimited strings, in several columns with one item
    each, or in a second table. For a second table, the declaration names its key column, the
    matching column in the first table, the column of items, and optionally the column that orders
    the rows. `missing` lists strings that are not items. For ordered items, `longest` is the number
    of positions that are used.
    """

    column: str | None = None
    delimiter: str | None = None
    columns: tuple[str, ...] | None = None
    file: str | None = None
    key: str | None = None
    own_key: str | None = None
    code: str | None = None
    order: str | None = None
    missing: tuple[str, ...] | None = None
    longest: Whole | None = None
