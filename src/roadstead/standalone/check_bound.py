"""Check a proof that no recoding loses less than a bound: ``roadstead-check-bound TABLE PROOF``.

This file and check_proof.py, which reads tables and hierarchies, form a standalone program. They
import nothing from Roadstead and need only the standard library. No decision uses a floating-point
number. docs/methods/checking-optimality.md describes the format and the reasons.

In a *recoding*, each group of records has its own labels: one label of the hierarchy of each
attribute. A group has at least k records. A kept record loses the weighted arithmetic mean of (n -
1) / (|D| - 1) over its labels, where a label covers n of |D| values. A suppressed record loses 1.

The proof gives each distinct combination of values a *price*. A *cell* has one label of each
attribute, and contains the records that these labels cover. Its *cost* is the loss of a record with
these labels. The prices must meet one condition:

- In each cell with at least k records, the k highest prices add up to at most k times the cost.

A group is part of a cell and has at least k records, so the mean price of its records is at most
their loss. A suppressed record has a price of at most 1 + q after cutting. If at most m records may
be suppressed, their prices add up to at most their loss plus m times q. So the sum of all cut
prices, minus m times q, is at most the loss of every recoding.
"""

from __future__ import annotations

import argparse
import csv
import sys
import zlib
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

if __package__:
    from roadstead.standalone import check_proof as shared
else:  # the two files are in one folder
    import check_proof as shared  # type: ignore[import-not-found,no-redef]

MOST_COLUMNS = 500  # each column is one more call within another
BOUND: dict[str, Any] = {  # the shape of a proof (see `require_shape`)
    "format": ("roadstead-bound",),
    "version": (1,),
    "table": shared.PROOF["table"],
    "attributes": [{"name": str, "values": [str], "levels": [shared.LEVEL]}],
    "allowed": shared.PROOF["allowed"],
    "k": int,
    "suppression": {"share": shared.DECIMAL, "records": int},
    "weights": [int],
    "bound": int,
    "above": int,
    "prices": [Any],
}


class BoundClaim:
    """The claim of a proof, and the cost of each label in units, rounded down."""

    def __init__(self, document: Any) -> None:
        shared.require_shape(document, BOUND, "the proof")
        self.table, self.k, self.prices = map(document.get, ("table", "k", "prices"))
        self.bound, self.above, self.weights = map(document.get, ("bound", "above", "weights"))
        self.attributes = [shared.read_attribute(**one) for one in document["attributes"]]
        self.lowest, self.highest = document["allowed"]["lowest"], document["allowed"]["highest"]
        self.columns = [one.name for one in self.attributes]
        shared.require(set(self.table["missing"]) <= {*self.columns}, "missing values are wrong")
        shared.require(len(self.columns) <= MOST_COLUMNS, "there are too many columns", 2)
        self.limit = document["suppression"]["records"]
        self.share = Fraction(document["suppression"]["share"])
        shared.require(self.k > 0, "k must be 1 or more")
        shared.require(self.bound <= shared.UNIT, "the bound is above 1")
        shared.require(
            all(type(one) is int for one in self.prices), "a price is not a whole number"
        )
        number = len(set(self.columns))
        shared.require(number == len(self.attributes) > 0, "attributes need different names")
        for numbers in (self.lowest, self.highest, self.weights):
            shared.require(len(numbers) == number, f"a list does not have {number} numbers")
        shared.require(any(self.weights), "the weights are all 0")
        for one, low, high in zip(self.attributes, self.lowest, self.highest, strict=True):
            shared.require(low <= high < len(one.levels), f"the levels of {one.name} are wrong")
        self.costs = [
            [
                [
                    weight * (n - 1) * shared.UNIT // (max(one.size - 1, 1) * sum(self.weights))
                    for n in level["covers"]
                ]
                for level in one.levels
            ]
            for one, weight in zip(self.attributes, self.weights, strict=True)
        ]


class CellCheck:
    """The cells of a table that could break the condition, visited attribute by attribute."""

    def __init__(self, claim: BoundClaim, table: shared.Lists) -> None:
        self.claim, self.counts, self.visited = claim, table.counts, 0
        self.labels = [
            [[level["label"][code] for code in codes] for level in one.levels]
            for one, codes in zip(claim.attributes, table.codes, strict=True)
        ]
        # Attributes with few labels come first: they split the table into few large parts.
        self.order = sorted(range(len(self.labels)), key=lambda at: len(claim.costs[at][0]))

    def require_prices(self) -> None:
        """Refuse prices that break the condition in a cell."""
        rows = sorted(range(len(self.counts)), key=self.claim.prices.__getitem__, reverse=True)
        most = self.highest(rows)
        if most is not None and most > 0:
            self.visit(0, rows, 0, most)

    def highest(self, rows: Sequence[int]) -> int | None:
        """Return the sum of the k highest prices of rows in descending order, if there are k."""
        left, total = self.claim.k, 0
        for row in rows:
            many = min(left, self.counts[row])
            total += many * self.claim.prices[row]
            left -= many
            if left == 0:
                return int(total)
        return None

    def visit(self, place: int, rows: list[int], cost: int, most: int) -> None:
        """Visit the cells within rows that have labels for the attributes before a place.

        These labels have a `cost`, and `most` is the sum of the k highest prices. If k times the
        cost is at least this sum, all cells within the rows meet the condition: they do not cost
        less, and their prices are not higher. If all rows of a label have one label below it, the
        lower label has the same rows and does not cost more, so the higher label is skipped.
        """
        claim = self.claim
        self.visited += 1
        shared.require(place < len(self.order), "the highest prices of a cell exceed its cost")
        at = self.order[place]
        finer = None
        for level in range(claim.lowest[at], claim.highest[at] + 1):
            costs, labels = claim.costs[at][level], self.labels[at][level]
            if claim.k * (cost + min(costs)) >= most:
                break  # this is also true at the levels above
            members: defaultdict[int, list[int]] = defaultdict(list)
            for row in rows:
                members[labels[row]].append(row)
            for label, own in members.items():
                if finer is not None and len({finer[row] for row in own}) == 1:
                    continue
                highest = self.highest(own)
                if highest is not None and highest > claim.k * (cost + costs[label]):
                    self.visit(place + 1, own, cost + costs[label], highest)
            finer = labels


def require_bound(claim: BoundClaim, combinations: shared.Combinations) -> int:
    """Refuse a proof that does not prove its bound, and return the number of parts visited."""
    table = shared.Lists(claim, combinations)
    shared.require(table.total > 0, "the table has no records", 2)
    same = claim.share <= 1 and claim.limit == int(claim.share * table.total)
    shared.require(same, "the limit is not this share of the records")
    shared.require(
        len(claim.prices) == len(table.counts), "the numbers of prices and combinations differ"
    )
    cut = (min(price, shared.UNIT + claim.above) for price in claim.prices)
    total = sum(price * number for price, number in zip(cut, table.counts, strict=True))
    enough = total - claim.limit * claim.above >= claim.bound * table.total
    shared.require(enough or claim.bound == 0, "the prices add up to less than the bound")
    cells = CellCheck(claim, table)
    cells.require_prices()
    return cells.visited


def sentences(
    claim: BoundClaim, combinations: shared.Combinations, absent: shared.Combinations
) -> list[str]:
    """Say what was proven and what was taken from the proof. Text from the files is quoted."""
    visited, total = require_bound(claim, combinations), combinations.total()
    delimiter, quote, encoding, header = map(claim.table.get, shared.READ)
    taken = [repr(one.name) for one in claim.attributes if not one.counted]
    widths = f" The proof states how many values the labels of {', '.join(taken)} cover."
    weights = "" if len(set(claim.weights)) == 1 else f", weights {claim.weights}"
    levels = zip(claim.columns, claim.lowest, claim.highest, strict=True)
    return [
        f"The table has {total:,} records, and is the table of the proof.",
        f"It is read with{'' if header else 'out'} a header. Its delimiter is {delimiter!r}, its "
        f"quote {quote!r}, and its encoding {encoding!r}.",
        *(f"Missing in {at!r}: {n:,} with the code {code!r}." for (at, code), n in absent.items()),
        f"In a recoding, each group has {claim.k} or more records, and one label in each of "
        f"{len(claim.columns)} columns. At most {claim.limit:,} records are suppressed. The labels "
        "have these levels:",
        *(f"  {name!r}: levels {low} to {high}" for name, low, high in levels),
        f"Proven: every recoding loses at least {claim.bound / shared.UNIT:.10f} (arithmetic mean"
        f"{weights}). This follows from {len(claim.prices):,} prices, which hold in every cell "
        f"({visited:,} parts of the table were visited).",
        "Compare this bound with the loss of your release, which the proof does not contain. The "
        "hierarchies and the way to read the table are those of the proof: compare them with "
        "yours." + widths * bool(taken),
    ]


def main(arguments: list[str] | None = None) -> int:
    """Run the program. Return 0 if the proof is right, 1 if not, and 2 without a verdict."""
    what = "Check that no recoding loses less than the bound of a proof."
    parser = argparse.ArgumentParser("roadstead-check-bound", description=what)
    parser.add_argument("table", metavar="TABLE", help="original table, as CSV, plain or gzipped")
    parser.add_argument("proof", metavar="PROOF", help="file written by roadstead --proof")
    given = parser.parse_args(arguments)
    try:
        claim = BoundClaim(shared.read_proof(given.proof))
        csv.field_size_limit(1 << 30)
        print("\n".join(sentences(claim, *shared.read_rows(given.table, claim))))
    except shared.WrongProofError as refused:
        why, code = refused.args
        start = "Not proven" if code == 1 else "Not checked"
    except (OSError, EOFError, ValueError, LookupError, TypeError, csv.Error, zlib.error) as error:
        start, why, code = "Cannot read a file", str(error), 2
    else:
        return 0
    shown = "".join(one if one.isprintable() else ascii(one)[1:-1] for one in why)
    print(f"{start}: {shown}", file=sys.stderr)
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
