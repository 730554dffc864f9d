"""Check a proof that a policy is the best: ``roadstead-check-proof TABLE PROOF``.

This file is a program of its own. It imports nothing of Roadstead and needs only the standard
library. With NumPy it is faster, with the same results. It does not trust the proof: it counts the
table, repeats every evaluation from the definitions, and computes every bound. No decision uses a
floating-point number. docs/methods/checking-optimality.md describes the format and the reasons.

A *policy* gives each attribute a level of its hierarchy. Records with equal labels form a *class*.
A class is suppressed if it has fewer than k records, or fewer than l different values of a
sensitive column. A record that is kept loses (n - 1) / (|D| - 1) in an attribute whose label covers
n of |D| values. A suppressed record loses 1. An attribute loses the mean over all records, cut to
ten decimals. The loss is the geometric mean (shifted by one) or the arithmetic mean of these. A
policy is *allowed* if its levels are within limits and it suppresses at most so many records.

The steps of a proof are a tree of boxes. A box [low, high] has all policies between two policies,
the first one all policies within the limits. A policy b above all policies of a box bounds them:

- A class that b suppresses is suppressed under every policy below b, because levels nest: its parts
  have no more records or values. So if b suppresses too many records, every policy of the box does.
- A record that b suppresses loses 1 under every policy of the box. Any other record loses at least
  as much as at `low`, because a label never covers less at a higher level.

A split divides a box in two, so the boxes cover all policies. A proof must close every box.
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
from importlib.util import find_spec
from itertools import compress, count, pairwise
from math import prod
from typing import Any, NamedTuple

HAS_NUMPY = find_spec("numpy") is not None  # without it, the program computes with lists
if HAS_NUMPY:
    import numpy as np

FORMAT, VERSION = "roadstead-proof", 1
UNIT = 10**10
"""Losses of attributes are whole numbers of this part: ten decimals."""
MOST_WEIGHT, MOST_BYTES = 1_000, 1 << 31  # the largest proof that is read, unpacked
MOST_EXACT = 1 << 62  # sums below this number fit a machine word


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
    """What a proof claims, and its steps; `diverse`: each l, and whether a blank is a value."""

    attributes: list[Attribute]
    lowest: list[int]
    highest: list[int]
    k: int
    sensitive: list[str]
    diverse: list[tuple[int, bool]]
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
            content, parse_float=_whole, parse_constant=_whole, object_pairs_hook=_without_repeats
        )
    except (ValueError, RecursionError):
        raise WrongProofError("the proof is not a JSON document") from None


def _whole(text: str) -> None:
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
    k, sensitive, diverse = read_requirements(requirements)
    share, limit = members(suppression, "suppression", "share", "records")
    mean, weights = members(loss, "loss", "mean", "weights")
    require(mean in ("geometric", "arithmetic"), f"this program does not know the mean {mean}")
    weights = [whole(weight, "a weight") for weight in listed(weights, "weights", number)]
    require(any(weights), "all weights are 0")
    require(mean != "geometric" or sum(weights) <= MOST_WEIGHT, "the weights are too large")
    levels, suppressed, losses = members(policy, "policy", "levels", "suppressed", "losses")
    units = [whole(one, "a loss") for one in listed(losses, "losses", number)]
    require(max(units) <= UNIT, "a loss is above 1")
    levels = [whole(level, "a level") for level in listed(levels, "levels", number)]
    limit, suppressed = whole(limit, "the limit of suppression"), whole(suppressed, "suppressed")
    share, steps = text(share, "the share of suppression"), listed(steps, "steps")
    terms = (k, sensitive, diverse, limit, share, mean == "geometric", weights)
    return Claim(columns, lowest, highest, *terms, levels, suppressed, units, steps, table)


def read_requirements(document: Any) -> tuple[int, list[str], list[tuple[int, bool]]]:
    """Read k, the sensitive column if there is one, and what its values must be."""
    least, columns, diverse = 1, set(), []
    for one in listed(document, "requirements"):
        if isinstance(one, dict) and one.get("kind") == "k-anonymity":
            least = max(least, whole(members(one, "a requirement", "kind", "k")[1], "k", 2))
            continue
        kind, column, number, blank = members(one, "a requirement", "kind", "column", "l", "blank")
        known = kind == "distinct-l-diversity" and blank in ("no-value", "value")
        require(known, f"this program does not know the requirement {kind}")
        columns.add(text(column, "a sensitive column"))
        diverse.append((whole(number, "l", 2), blank == "value"))
    require(len(columns) <= 1, "this program knows requirements of one sensitive column")
    return least, [*columns], diverse


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
    """The distinct rows: places of their values by attribute, counts, and sensitive values."""

    codes: list[list[int]]
    counts: list[int]
    values: list[str]


def read_rows(path: str, claim: Claim) -> Counter[tuple[str, ...]]:
    """Count the distinct combinations of the attributes in a CSV file."""
    names = "columns", "missing", "delimiter", "quote", "encoding", "sha256", "records"
    columns, missing, *form = members(claim.table, "table", *names)[:5]
    delimiter, quote, encoding = (text(one, "the form of the table") for one in form)
    wanted = [*(one.name for one in claim.attributes), *claim.sensitive]
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
    return Table(codes, [number for _, number in ordered], [row[-1] for row, _ in ordered])


def digest_of(combinations: list[tuple[tuple[str, ...], int]]) -> str:
    """Return the SHA-256 of sorted combinations: a JSON list of values and count on each line."""
    digest = hashlib.sha256()
    for row, number in combinations:
        line = json.dumps([*row, number], ensure_ascii=False, separators=(",", ":"))
        digest.update(line.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()


class Evaluated(NamedTuple):
    """A policy that was evaluated: its kept `rows`, their `classes`, and its `costs`.

    The costs of all records, by attribute and level, are those if the kept records were at that
    level. There are none if too many records are suppressed.
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
        place = {value: at for at, value in enumerate(sorted(set(table.values)))}
        self.diverse: list[tuple[int, Any]] = [
            (least, [place[one] if blanks or one.strip() else -1 for one in table.values])
            for least, blanks in claim.diverse
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
        fits = [size >= self.claim.k for size in sizes]
        for least, values in self.diverse:
            pairs = set(zip(classes, map(values.__getitem__, rows), strict=True))
            different = Counter(one for one, value in pairs if value >= 0)
            fits = [fit and different[one] >= least for one, fit in enumerate(fits)]
        large = [fits[one] for one in classes]
        dropped = [row for row, fit in zip(rows, large, strict=True) if not fit]
        return list(compress(rows, large)), list(compress(classes, large)), dropped

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
        self.diverse = [(least, np.array(one, dtype=np.int64)) for least, one in self.diverse]
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
        fits = added(classes, self.numbers[rows]) >= self.claim.k
        for least, values in self.diverse:
            inside, base = values[rows] >= 0, int(values.max(initial=0)) + 1
            pairs = np.unique(classes[inside] * base + values[rows][inside])
            fits &= np.bincount(pairs // base, minlength=fits.size) >= least
        large = fits[classes]
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
        return self.require_steps()

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
    diverse = "".join(f" and {least} values of {claim.sensitive[0]}" for least, _ in claim.diverse)
    widths = f" The numbers of values that labels of {', '.join(taken)} cover are the proof's."
    return [
        f"The table has {checker.total:,} records, and is the table of the proof.",
        f"The policy gives {len(claim.attributes)} columns these levels:",
        *levels,
        f"It leaves groups of at least {claim.k} records{diverse}, and suppresses "
        f"{claim.suppressed:,} records (at most {claim.limit:,} are allowed).",
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
