"""What a project file declares for a private release: domains of columns, and sets."""

from __future__ import annotations

from decimal import Decimal

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from roadstead.errors import SettingError
from roadstead.hierarchies.declare import Exact, Whole

_STRICT = ConfigDict(extra="forbid")
_TEXTS = ConfigDict(extra="forbid", coerce_numbers_to_str=True)
"""Values that a table holds may look like numbers: ``classes = [0, 1]``."""


@dataclass(frozen=True, config=_TEXTS)
class DomainDeclaration:
    """What a column, or the items of a set, can hold, whatever the table has.

    A range with both ends included and the least difference between two numbers; a list; or a tree,
    by name or as a file, with the most children that a node of it may have.
    """

    low: Exact | None = None
    high: Exact | None = None
    step: Exact | None = None
    values: tuple[str, ...] | None = None
    taxonomy: str | None = None
    fanout: Whole | None = None

    def ends(self, where: str) -> tuple[Decimal, ...]:
        """Give low, high and step."""
        if self.low is None or self.high is None:
            raise SettingError(
                "a range requires both ends", where=where, fix="write low = 15 and high = 95"
            )
        return self.low, self.high, Decimal(1) if self.step is None else self.step


@dataclass(frozen=True, config=_STRICT)
class SetDeclaration:
    """Where the items of a set-valued attribute are.

    One column of lists, or of texts with a delimiter; several columns, one item in each; or a
    second table: whose row it is, the first table's column of the same, the item, and what ranks
    the rows. `missing` are texts that are no items; `longest` is how many positions count, for
    items with their order.
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
