"""Check a proof that a policy is the best: ``roadstead-check-proof TABLE PROOF``.

This file is a program of its own. It imports nothing of Roadstead and needs only the standard
library. With NumPy it is faster, with the same results. It does not trust the proof: it counts the
table, repeats every evaluation from the definitions, and computes every bound. No decision uses a
floating-point number. docs/methods/checking-optimality.md describes the format and the reasons.

The definitions
---------------
A *policy* gives each attribute a level of its hierarchy. Records with equal labels form a *class*.
A class of fewer than k records is suppressed. A record that is kept loses (n - 1) / (|D| - 1) in an
attribute whose label covers n of |D| values. A suppressed record loses 1. An attribute loses the
mean over all records, cut to ten decimals. The loss is the geometric mean (shifted by one) or the
arithmetic mean of the attributes' losses. A policy is *allowed* if its levels are within the stated
limits and it suppresses at most the stated number of records.

The proof
---------
The steps are a tree of boxes. A box [low, high] has all policies between two policies. The first
box has all policies within the limits. A policy b above all policies of a box bounds them:

- A class of b that is too small is too small under every policy below b, because levels nest. So
  if b suppresses too many records, every policy of the box does.
- A record that b suppresses loses 1 under every policy of the box. Any other record loses at least
  as much as at `low`, because a label never covers less at a higher level.

A split divides a box in two, so the boxes always cover all policies. The proof is complete when
every box is closed.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import io
import json
import re
import sys
import zlib
from collections import Counter, defaultdict
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import compress, count, pairwise
from math import prod
from typing import Any, NamedTuple

try:
    import numpy as np
except ImportError:
    HAS_NUMPY = False  # the program then computes with lists
else:
    HAS_NUMPY = True

FORMAT, VERSION = "roadstead-proof", 1
UNIT = 10**10
"""Losses of attributes are whole numbers of this part: ten decimals."""
MOST_WEIGHT = 1_000
MOST_BYTES = 1 << 31
"""Largest proof that is read, unpacked."""
MOST_EXACT = 1 << 62
"""Sums below this number fit a machine word."""


class WrongProofError(Exception):
    """The proof does not show what it claims; the text says why."""


def require(holds: bool, why: str) -> None:
    """Refuse the proof unless a condition holds."""
    if not holds:
        raise WrongProofError(why)


class Level(NamedTuple):
    """One level of a hierarchy: the label of each value, and how many values each label covers."""

    label: list[int]
    covers: list[int]


class Attribute(NamedTuple):
    """A column, its values, and its levels; `counted` if every label covers the listed values."""

    name: str
    values: list[str]
    levels: list[Level]
    counted: bool

    @property
    def size(self) -> int:
        """Number of values of the domain."""
        return self.levels[-1].covers[0]

    def cost(self, level: int) -> list[int]:
        """Return what each value loses at a level, where a suppressed one loses `size` - 1."""
        own = self.levels[level]
        return [own.covers[label] - 1 for label in own.label]


class Claim(NamedTuple):
    """What a proof claims, and its steps."""

    attributes: list[Attribute]
    lowest: list[int]
    highest: list[int]
    k: int
    limit: int
    share: str
    geometric: bool
    weights: list[int]
    levels: list[int]
    suppressed: int
    losses: list[int]
    steps: list[Any]
    table: dict[str, Any]


def opened(path: str) -> Any:
    """Open a file for reading, plain or gzipped."""
    with open(path, "rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
    return gzip.open(path) if packed else open(path, "rb")


def read_proof(path: str) -> Any:
    """Read the JSON document, plain or gzipped; fractions and repeated names are refused."""
    with opened(path) as stream:
        content = stream.read(MOST_BYTES + 1)
    require(len(content) <= MOST_BYTES, "the proof is too large")
    try:
        return json.loads(
            content,
            parse_float=_no_fraction,
            parse_constant=_no_fraction,
            object_pairs_hook=_without_repeats,
        )
    except (ValueError, RecursionError):
        raise WrongProofError("the proof is not a JSON document") from None


def _no_fraction(text: str) -> None:
    raise WrongProofError(f"the proof has the number {text[:20]}, but all numbers must be whole")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    require(len(found) == len(pairs), "the proof repeats a name in an object")
    return found


def members(document: Any, where: str, *names: str) -> list[Any]:
    """Return the values of an object that has exactly these names."""
    require(isinstance(document, dict), f"{where} is not an object")
    require(set(document) == set(names), f"{where} must have exactly {', '.join(names)}")
    return [document[name] for name in names]


def whole(value: Any, where: str, least: int = 0) -> int:
    """Return a whole number of at least `least`."""
    require(type(value) is int and value >= least, f"{where} is not a whole number from {least}")
    return int(value)


def text(value: Any, where: str) -> str:
    """Return a text."""
    require(isinstance(value, str), f"{where} is not a text")
    return str(value)


def listed(value: Any, where: str, number: int | None = None) -> list[Any]:
    """Return a list, of this many entries if a number is given."""
    require(isinstance(value, list), f"{where} is not a list")
    require(number is None or len(value) == number, f"{where} does not have {number} entries")
    return list(value)


def read_claim(document: Any) -> Claim:
    """Read every part of a proof, and refuse what the definitions do not allow."""
    names = "attributes", "allowed", "requirements", "suppression", "loss", "policy", "steps"
    found = members(document, "the proof", "format", "version", "table", *names)
    require(found[:2] == [FORMAT, VERSION], f"this is not a proof in version {VERSION}")
    table, attributes, allowed, requirements, suppression, loss, policy, steps = found[2:]
    columns = [read_attribute(one) for one in listed(attributes, "attributes")]
    number = len(columns)
    require(len({one.name for one in columns}) == number > 0, "attributes need different names")
    lowest, highest = (
        [whole(level, "a level") for level in listed(one, "allowed levels", number)]
        for one in members(allowed, "allowed", "lowest", "highest")
    )
    for low, high, one in zip(lowest, highest, columns, strict=True):
        require(low <= high < len(one.levels), f"the allowed levels of {one.name} do not exist")
    least = [1]
    for one in listed(requirements, "requirements"):
        kind, k = members(one, "a requirement", "kind", "k")
        require(kind == "k-anonymity", f"this program does not know the requirement {kind}")
        least.append(whole(k, "k", 2))
    share, limit = members(suppression, "suppression", "share", "records")
    mean, weights = members(loss, "loss", "mean", "weights")
    require(mean in ("geometric", "arithmetic"), f"this program does not know the mean {mean}")
    weights = [whole(weight, "a weight") for weight in listed(weights, "weights", number)]
    require(any(weights), "all weights are 0")
    require(mean != "geometric" or sum(weights) <= MOST_WEIGHT, "the weights are too large")
    levels, suppressed, losses = members(policy, "policy", "levels", "suppressed", "losses")
    units = [whole(one, "a loss") for one in listed(losses, "losses", number)]
    require(max(units) <= UNIT, "a loss is above 1")
    return Claim(
        attributes=columns,
        lowest=lowest,
        highest=highest,
        k=max(least),
        limit=whole(limit, "the limit of suppression"),
        share=text(share, "the share of suppression"),
        geometric=mean == "geometric",
        weights=weights,
        levels=[whole(level, "a level") for level in listed(levels, "levels", number)],
        suppressed=whole(suppressed, "suppressed"),
        losses=units,
        steps=listed(steps, "steps"),
        table=table,
    )


def read_attribute(document: Any) -> Attribute:
    """Read an attribute, and refuse a hierarchy on which the bounds would not hold."""
    name, values, levels = members(document, "an attribute", "name", "values", "levels")
    name = text(name, "the name of an attribute")
    values = [text(value, f"a value of {name}") for value in listed(values, f"values of {name}")]
    require(bool(values) and len(set(values)) == len(values), f"{name} has no or repeated values")
    found, counted = [], True
    for document_of_level in listed(levels, f"levels of {name}"):
        labels, covers, label = members(document_of_level, name, "labels", "covers", "label")
        labels = [text(one, f"a label of {name}") for one in listed(labels, f"labels of {name}")]
        require(len(set(labels)) == len(labels), f"{name} has a repeated label")
        covers = [whole(n, "covers", 1) for n in listed(covers, f"covers of {name}", len(labels))]
        label = [whole(n, "a label") for n in listed(label, f"label of {name}", len(values))]
        members_of = Counter(label)
        require(set(members_of) == set(range(len(labels))), f"{name} has labels without values")
        more = [covers[one] - number for one, number in members_of.items()]
        require(min(more) >= 0, f"a label of {name} covers fewer values than it has")
        counted = counted and not any(more)
        found.append(Level(label, covers))
    require(bool(found) and len(found[-1].covers) == 1, f"{name} does not end in a single label")
    require_nested(name, found)
    return Attribute(name, values, found, counted)


def require_nested(name: str, levels: list[Level]) -> None:
    """Refuse values that part again at a higher level, and labels that cover less there."""
    for finer, coarser in pairwise(levels):
        parent: dict[int, int] = {}
        for low, high in zip(finer.label, coarser.label, strict=True):
            require(parent.setdefault(low, high) == high, f"the levels of {name} do not nest")
        fits = all(finer.covers[low] <= coarser.covers[high] for low, high in parent.items())
        require(fits, f"a label of {name} covers less than a label below it")


class Table(NamedTuple):
    """The distinct rows: for each attribute the place of each row's value, and the counts."""

    codes: list[list[int]]
    counts: list[int]


def read_rows(path: str, claim: Claim) -> Counter[tuple[str, ...]]:
    """Count the distinct combinations of the attributes in a CSV file."""
    names = "columns", "missing", "delimiter", "quote", "encoding", "sha256", "records"
    columns, missing, *form = members(claim.table, "table", *names)[:5]
    delimiter, quote, encoding = (text(one, "the form of the table") for one in form)
    wanted = [one.name for one in claim.attributes]
    require(isinstance(missing, dict) and set(missing) <= set(wanted), "missing values are wrong")
    absent = [listed(missing.get(name, []), "missing values") for name in wanted]
    with opened(path) as raw, io.TextIOWrapper(raw, encoding, newline="") as lines:
        rows = csv.reader(lines, delimiter=delimiter, quotechar=quote)
        header = next(rows, []) if columns is None else listed(columns, "columns")
        once = all(header.count(name) == 1 for name in wanted)
        require(once, f"the table does not have one column each of {', '.join(wanted)}")
        places = [header.index(name) for name in wanted]
        found = Counter(tuple(row[at] for at in places) for row in rows if row)
    combinations: Counter[tuple[str, ...]] = Counter()
    for values, number in found.items():
        pairs = zip(values, absent, strict=True)
        combinations[tuple("" if one.strip() in own else one for one, own in pairs)] += number
    return combinations


def coded(combinations: Counter[tuple[str, ...]], claim: Claim) -> Table:
    """Replace values by their places; refuse a table other than the proof's."""
    ordered = sorted(combinations.items())
    same = combinations.total() == claim.table["records"]
    same = same and digest_of(ordered) == claim.table["sha256"]
    require(same, "this is not the table of the proof")
    codes = []
    for at, one in enumerate(claim.attributes):
        place = {value: i for i, value in enumerate(one.values)}
        require(all(row[at] in place for row, _ in ordered), f"{one.name} lacks a value")
        codes.append([place[row[at]] for row, _ in ordered])
    return Table(codes, [number for _, number in ordered])


def digest_of(combinations: list[tuple[tuple[str, ...], int]]) -> str:
    """Return the SHA-256 of sorted combinations: a JSON list of values and count on each line."""
    digest = hashlib.sha256()
    for row, number in combinations:
        line = json.dumps([*row, number], ensure_ascii=False, separators=(",", ":"))
        digest.update(line.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()


class Evaluated(NamedTuple):
    """A policy that was evaluated.

    `rows` are the distinct rows in classes that are large enough, and `classes` the class of each.
    `costs` has the cost of all records by attribute and level, if the kept records were at that
    level. If too many records are suppressed, there are no costs, and the rows are not used.
    """

    levels: list[int]
    rows: Any
    classes: Any
    suppressed: int
    costs: list[list[int]] | None


class Lists:
    """Evaluations with lists of whole numbers."""

    def __init__(self, claim: Claim, table: Table) -> None:
        self.claim, self.codes, self.counts = claim, table.codes, table.counts
        self.labels: list[list[Any]] = [
            [[level.label[code] for code in codes] for level in one.levels]
            for one, codes in zip(claim.attributes, table.codes, strict=True)
        ]

    def all_rows(self) -> tuple[Any, Any]:
        """Return all rows, in one class."""
        return list(range(len(self.counts))), [0] * len(self.counts)

    def split(self, known: Evaluated, levels: list[int]) -> tuple[Any, Any, Any]:
        """Split classes by the labels at lower levels; return kept rows, classes, other rows."""
        rows = known.rows
        changed = [(at, one) for at, one in enumerate(levels) if one != known.levels[at]]
        columns = [map(self.labels[at][level].__getitem__, rows) for at, level in changed]
        number: defaultdict[tuple[int, ...], int] = defaultdict(count().__next__)
        classes = list(map(number.__getitem__, zip(known.classes, *columns, strict=True)))
        sizes = [0] * len(number)
        for records, one in zip(map(self.counts.__getitem__, rows), classes, strict=True):
            sizes[one] += records
        small = [sizes[one] < self.claim.k for one in classes]
        large = [not one for one in small]
        kept, classes = list(compress(rows, large)), list(compress(classes, large))
        return kept, classes, list(compress(rows, small))

    def records(self, rows: Any) -> int:
        """Count the records of rows."""
        return sum(map(self.counts.__getitem__, rows))

    def costs(self, rows: Any) -> list[list[int]]:
        """Add up the costs of rows by attribute and level."""
        found = []
        for one, codes in zip(self.claim.attributes, self.codes, strict=True):
            number: Counter[int] = Counter()
            for row in rows:
                number[codes[row]] += self.counts[row]
            prices = [one.cost(level) for level in range(len(one.levels))]
            found.append([sum(n * price[value] for value, n in number.items()) for price in prices])
        return found


class Arrays(Lists):
    """The same with NumPy's whole numbers, which are exact because all sums fit."""

    def __init__(self, claim: Claim, table: Table) -> None:
        super().__init__(claim, table)
        self.values = [np.array(codes, dtype=np.int64) for codes in table.codes]
        self.labels = [[np.array(one, dtype=np.int64) for one in own] for own in self.labels]
        self.numbers = np.array(table.counts, dtype=np.int64)
        self.prices = [
            np.array([one.cost(level) for level in range(len(one.levels))], dtype=np.int64)
            for one in claim.attributes
        ]

    def all_rows(self) -> tuple[Any, Any]:
        """Return all rows, in one class."""
        return np.arange(self.numbers.size), np.zeros(self.numbers.size, dtype=np.int64)

    def split(self, known: Evaluated, levels: list[int]) -> tuple[Any, Any, Any]:
        """Split classes by the labels at lower levels; return kept rows, classes, other rows."""
        rows, classes = known.rows, known.classes
        for at, level in enumerate(levels):
            if level != known.levels[at]:
                number = len(self.claim.attributes[at].levels[level].covers)
                classes = renumbered(classes * number + self.labels[at][level][rows])
        large = (added(classes, self.numbers[rows]) >= self.claim.k)[classes]
        return rows[large], renumbered(classes[large]), rows[~large]

    def records(self, rows: Any) -> int:
        """Count the records of rows."""
        return int(self.numbers[rows].sum())

    def costs(self, rows: Any) -> list[list[int]]:
        """Add up the costs of rows by attribute and level."""
        found, numbers = [], self.numbers[rows]
        for values, prices in zip(self.values, self.prices, strict=True):
            by_value = added(values[rows], numbers)
            found.append((prices[:, : by_value.size] @ by_value).tolist())
        return found


def added(keys: Any, numbers: Any) -> Any:
    """Add up numbers by key."""
    found = np.zeros(int(keys.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(found, keys, numbers)
    return found


def renumbered(keys: Any) -> Any:
    """Number distinct keys from 0, in order."""
    most = int(keys.max(initial=-1)) + 1
    if most > 8 * keys.size:
        return np.unique(keys, return_inverse=True)[1].reshape(-1)
    present = np.zeros(most, dtype=np.int64)
    present[keys] = 1
    return (np.cumsum(present) - 1)[keys]


class Checker:
    """The evaluations and bounds of one claim on one table."""

    def __init__(self, claim: Claim, table: Table, *, arrays: bool = True) -> None:
        self.claim, self.total = claim, sum(table.counts)
        fits = max(one.size for one in claim.attributes) * self.total < MOST_EXACT
        self.means = (Arrays if arrays and HAS_NUMPY and fits else Lists)(claim, table)
        self.evaluations = 0
        rows, classes = self.means.all_rows()
        top = [len(one.levels) - 1 for one in claim.attributes]
        self.start = Evaluated(top, rows, classes, 0, self.means.costs(rows))
        self.best = self.mean(claim.losses)

    def evaluate(self, known: Evaluated, levels: list[int]) -> Evaluated:
        """Evaluate a policy below one that does not suppress too many records."""
        require(known.costs is not None, "a step evaluates below a policy that suppresses too much")
        self.evaluations += 1
        rows, classes, dropped = self.means.split(known, levels)
        suppressed = known.suppressed + (more := self.means.records(dropped))
        if suppressed > self.claim.limit:
            return Evaluated(levels, rows, classes, suppressed, None)
        lost = self.means.costs(dropped)
        costs = [
            [before + more * (one.size - 1) - cost for before, cost in zip(own, gone, strict=True)]
            for one, own, gone in zip(self.claim.attributes, known.costs or [], lost, strict=True)
        ]
        return Evaluated(levels, rows, classes, suppressed, costs)

    def losses(self, levels: list[int], known: Evaluated) -> list[int]:
        """Return the losses in units if the records that `known` keeps were at these levels."""
        require(known.costs is not None, "a step bounds by a policy that suppresses too much")
        pairs = zip(self.claim.attributes, known.costs or [], levels, strict=True)
        return [own[at] * UNIT // (max(one.size - 1, 1) * self.total) for one, own, at in pairs]

    def mean(self, losses: list[int]) -> int:
        """Combine losses into a whole number that rises with the mean."""
        pairs = zip(self.claim.weights, losses, strict=True)
        if self.claim.geometric:
            return prod((UNIT + loss) ** weight for weight, loss in pairs)
        return sum(weight * loss for weight, loss in pairs)

    def run(self) -> Counter[str]:
        """Check the policy and the steps; count the policies that each kind of step closes."""
        self.require_policy()
        return self.require_steps()

    def require_policy(self) -> None:
        """Refuse a policy that is not allowed, or that is not as the proof says."""
        claim = self.claim
        for low, level, high in zip(claim.lowest, claim.levels, claim.highest, strict=True):
            require(low <= level <= high, "the policy is outside of the allowed levels")
        decimal = re.fullmatch(r"[01](\.[0-9]{1,40})?", claim.share, re.ASCII) is not None
        require(decimal and Fraction(claim.share) <= 1, "the share of suppression is wrong")
        limit = int(Fraction(claim.share) * self.total)
        require(claim.limit == limit, "the limit is not this share of the records")
        own = self.evaluate(self.start, claim.levels)
        require(own.costs is not None, "the policy suppresses more records than allowed")
        require(own.suppressed == claim.suppressed, "the policy suppresses another number")
        require(self.losses(claim.levels, own) == claim.losses, "the policy has another loss")

    def require_steps(self) -> Counter[str]:
        """Follow the steps, and refuse a proof that leaves a policy open; count what they close."""
        closed: Counter[str] = Counter()
        waiting = [(self.claim.lowest, self.claim.highest, self.start)]
        for number, step in enumerate(self.claim.steps):
            require(bool(waiting), f"step {number} comes after all policies are closed")
            low, high, known = waiting.pop()
            if step == "evaluate":
                waiting.append((low, high, self.evaluate(known, high)))
            elif step in ("suppressed", "loss"):
                if step == "loss":
                    self.require_bound(low, known, number)
                enough = step == "loss" or known.suppressed > self.claim.limit
                require(enough, f"step {number}: the policy suppresses few enough records")
                closed[step] += volume(low, high)
            else:
                at, level = self.split(step, low, high, number)
                below, above = [*high], [*low]
                below[at], above[at] = level - 1, level
                if step[2:]:
                    self.require_bound(above, known, number)
                    closed["loss"] += volume(above, high)
                else:
                    waiting.append((above, high, known))
                waiting.append((low, below, known))
        covered = closed.total() == volume(self.claim.lowest, self.claim.highest)
        require(covered and not waiting, "the steps do not close all policies")
        return closed

    def require_bound(self, low: list[int], known: Evaluated, number: int) -> None:
        """Refuse a box in which a policy may lose less than the best."""
        enough = self.mean(self.losses(low, known)) >= self.best
        require(enough, f"step {number}: the bound is below the loss of the policy")

    def split(self, step: Any, low: list[int], high: list[int], number: int) -> tuple[int, int]:
        """Return the attribute and the level of a split."""
        form = isinstance(step, list) and len(step) in (2, 3) and step[2:] in ([], ["loss"])
        require(form, f"step {number} is unknown")
        at, level = (whole(part, f"step {number}") for part in step[:2])
        require(at < len(low), f"step {number} splits an attribute that does not exist")
        require(low[at] < level <= high[at], f"step {number} splits outside of its box")
        return at, level


def volume(low: list[int], high: list[int]) -> int:
    """Count the policies of a box."""
    return prod(b - a + 1 for a, b in zip(low, high, strict=True))


def check(table: str, proof: str, *, arrays: bool = True) -> list[str]:
    """Check a proof on a table; return what it proves, in sentences, or raise `WrongProofError`."""
    claim = read_claim(read_proof(proof))
    checker = Checker(claim, coded(read_rows(table, claim), claim), arrays=arrays)
    return sentences(claim, checker, checker.run())


def sentences(claim: Claim, checker: Checker, closed: Counter[str]) -> list[str]:
    """Say what was proven, and what was taken from the proof."""
    mean = "geometric" if claim.geometric else "arithmetic"
    pairs = zip(claim.attributes, claim.levels, claim.lowest, claim.highest, strict=True)
    levels = [f"  {one.name}: level {at} of {low}-{high}" for one, at, low, high in pairs]
    weights = "" if len(set(claim.weights)) == 1 else f", weights {claim.weights}"
    taken = [one.name for one in claim.attributes if not one.counted]
    widths = f" The numbers of values that labels of {', '.join(taken)} cover are the proof's."
    return [
        f"The table has {checker.total:,} records, and is the table of the proof.",
        f"The policy gives {len(claim.attributes)} columns these levels:",
        *levels,
        f"It leaves groups of at least {claim.k} records, and suppresses {claim.suppressed:,} "
        f"records (at most {claim.limit:,} are allowed).",
        f"Its loss is {in_decimals(claim, checker.best)} ({mean} mean{weights}).",
        f"Proven: none of the {closed.total():,} allowed policies has a lower loss. "
        f"{closed['suppressed']:,} suppress too much, and {closed['loss']:,} lose at least as "
        f"much ({checker.evaluations:,} evaluations repeated).",
        "The hierarchies are those of the proof: compare them with yours."
        + (widths if taken else ""),
    ]


def in_decimals(claim: Claim, number: int) -> str:
    """Write a mean in ten decimals; only for reading, no decision uses it."""
    weight = Decimal(sum(claim.weights))
    with localcontext(prec=60):
        mean = Decimal(number) ** (1 / weight) - UNIT if claim.geometric else number / weight
        return f"{mean / UNIT:.10f}"


def main(arguments: list[str] | None = None) -> int:
    """Run the program: 0 if the proof is right, 1 if it is refused, 2 if a file is unreadable."""
    parser = argparse.ArgumentParser(
        prog="roadstead-check-proof",
        description="Check that no allowed policy loses less than the policy of a proof.",
    )
    parser.add_argument("table", metavar="TABLE", help="original table, as CSV, plain or gzipped")
    parser.add_argument("proof", metavar="PROOF", help="file written by roadstead --proof")
    given = parser.parse_args(arguments)
    try:
        print("\n".join(check(given.table, given.proof)))
    except WrongProofError as refused:
        print(f"Not proven: {refused}", file=sys.stderr)
        return 1
    except (OSError, EOFError, ValueError, LookupError, TypeError, csv.Error, zlib.error) as error:
        print(f"Cannot read a file: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
