"""Check a proof that a policy is the best: ``roadstead-check-proof TABLE PROOF``.

This file is a standalone program. It imports nothing from Roadstead and needs only the standard
library. With NumPy, it is faster and gives the same results. It does not trust the proof: it counts
the table, repeats every evaluation from the definitions, and computes every bound. No decision uses
a floating-point number. docs/methods/checking-optimality.md describes the format and the reasons.

A *policy* gives each attribute a level of its hierarchy. Records with equal labels form a *class*.
A class is suppressed if it has fewer than k records, or if its sensitive values or person IDs break
a rule. A kept record loses (n - 1) / (|D| - 1) in an attribute whose label covers n of |D| values,
and a suppressed record loses 1. An attribute's loss is the mean over all records, cut to ten
decimals. The loss of a policy is the geometric mean (shifted by one) or the arithmetic mean of the
attributes' losses. A policy is *allowed* if its levels and its suppression are within the limits.

The steps of a proof are a tree of boxes. A box [low, high] contains all policies between two
policies. The first box contains all policies within the limits. Policies above a box give bounds:

- Levels are nested, so a class of a policy below b is part of a class of b. If two classes satisfy
  the rules, so does their union. So all records that a policy below b releases from a class of b
  satisfy the rules together. The largest part that satisfies the rules limits their number.
- A record in a class without such a part loses 1 under every policy in the box. Any other record
  loses at least as much as at `low`, because a label never covers less at a higher level.

A split divides a box in two, so the boxes cover all policies. A proof must close every box.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import json
import re
import sys
import zlib
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate, chain, compress, count, pairwise, repeat
from math import prod
from operator import mul
from typing import Any, NamedTuple, TypeAlias

np: Any = import_module("numpy") if find_spec("numpy") else None  # or the program uses lists
UNIT = 10**10  # an attribute's loss is a whole number of units of 1 / UNIT: ten decimals
CLOSE = 1 + Fraction(1, 10**9)  # a distance may exceed t by this factor
MOST_WEIGHT, MOST_BYTES = 1_000, 1 << 31  # the largest unpacked proof that is read
DECIMAL = re.compile(r"[0-9]{1,20}(\.[0-9]{1,400})?")
BLANK, DISTANCE = ("no-value", "value"), ("equal", "ordered")
LEVEL = {"labels": [str], "covers": [int], "label": [int]}
READ = {"delimiter": str, "quote": str, "encoding": str, "header": (True, False)}
SPACE = " \t\n\r\v\f"  # characters that are ignored around the code of a missing value
PROOF: dict[str, Any] = {  # the shape of a proof (see `require_shape`)
    "format": ("roadstead-proof",),
    "version": (1,),
    "table": {"sha256": str, "records": int, **READ, "missing": {...: [str]}},
    "attributes": [{"name": str, "values": [str], "levels": [LEVEL]}],
    "allowed": {"lowest": [int], "highest": [int]},
    "requirements": [Any],
    "suppression": {"share": DECIMAL, "records": int},
    "loss": {"mean": ("geometric", "arithmetic"), "weights": [int]},
    "policy": {"levels": [int], "suppressed": int, "losses": [int]},
    "steps": [Any],
}
REQUIREMENTS: dict[str, dict[str, Any]] = {
    "k-anonymity": {"k": int},
    "person-anonymity": {"column": str, "k": int},
    "distinct-l-diversity": {"column": str, "l": int, "blank": BLANK},
    "recursive-cl-diversity": {
        "column": str,
        "c": DECIMAL,
        "l": int,
        "blank": BLANK,
    },
    "t-closeness": {"column": str, "t": DECIMAL, "distance": DISTANCE, "order": [[str]]},
}

# The number of records with each sensitive value, in a class or in the whole table.
Values: TypeAlias = Counter[str]
# A name, and a function of a class and the table: the most records that can satisfy the rule.
Rule: TypeAlias = tuple[str, Callable[[Values, Values], int]]
# The table's distinct combinations, each with its sensitive value last, and their counts.
Combinations: TypeAlias = Counter[tuple[str, ...]]


class WrongProofError(Exception):
    """The proof fails: the reason, and 1, or 2 if the proof is about a different table."""


def require(holds: bool, why: str, code: int = 1) -> None:
    """Refuse the proof unless a condition holds."""
    if not holds:
        raise WrongProofError(why, code)


class Attribute(NamedTuple):
    """A column with its values and levels in the proof; if `counted`, labels cover only these."""

    name: str
    values: list[str]
    levels: list[Any]
    counted: bool
    size: int  # number of values in the domain
    details: list[list[int]]  # by level, the saving of a kept record with each value; 0 at the top


def largest(fits: Callable[[int], bool], most: int) -> int:
    """Return the largest number up to `most` that fits; smaller numbers above 0 then also fit."""
    return most if fits(most) else bisect_left(range(1, most), True, key=lambda n: not fits(n))


def most_diverse(held: Values, _: Values, *, l: int, c: tuple[int, int], blanks: bool) -> int:  # noqa: E741 - the model's own letter
    """Return the size of the largest diverse part of a class, which cuts values to one height.

    In the part, the most frequent value has less than c times the records of the l-th and later
    values. c is a fraction. For distinct l-diversity, c is 1 / 0: one such record is enough.
    """
    own = sorted((n for one, n in held.items() if blanks or one.strip()), reverse=True)
    tail, most = own[l - 1 :], max(own, default=0)
    height = largest(lambda h: h * c[1] < c[0] * sum(min(n, h) for n in tail), most)
    return height and sum(min(n, height) for n in own) + held.total() - sum(own)


def most_close(held: Values, whole: Values, *, t: Fraction, order: list[list[str]]) -> int:
    """Return an upper bound on the size of the largest part that is distributed like the table.

    A part cannot have more records of a value than the class. If a value has too few records for
    its share in the table, the part is at least that far from the table. With an `order`, this
    counts the values up to and after each place. `t` is the largest distance, in places.
    """
    records, total = held.total(), whole.total()
    if order:
        here, there = ([sum(map(one.get, at, repeat(0))) for at in order] for one in (held, whole))
        require(sum(there) == total, "a value has no place in the order")
        require(all(there), "a place in the order has no records")
        places = [at for at, number in enumerate(here) if number]
        way = sum(n * min(abs(at - one) for one in places) for at, n in enumerate(there))
        if way > t * total:  # even if all records of the table move to the nearest place
            return 0
        firsts = zip(accumulate(here), accumulate(there), strict=True)
        terms = [(a, b, records - a, total - b) for a, b in firsts]
    else:
        terms = [(number, whole[one], 0, 0) for one, number in held.items()]
        terms.append((0, total - sum(everywhere for _, everywhere, *_ in terms), 0, 0))

    def fits(size: int) -> bool:
        few = (max(0, size * b - total * a, size * d - total * c) for a, b, c, d in terms)
        return sum(few) <= t * size * total

    return largest(fits, records)


def opened(path: str, **text: Any) -> Any:
    """Open a plain or gzipped file for reading, as bytes or as text in a given form."""
    with open(path, "rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
    return (gzip.open if packed else open)(path, "rt" if text else "rb", **text)


def read_proof(path: str) -> Any:
    """Read a plain or gzipped JSON document, and refuse repeated names."""

    def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        require(len(dict(pairs)) == len(pairs), "the proof repeats a name in an object")
        return dict(pairs)

    with opened(path) as stream:
        content = stream.read(MOST_BYTES + 1)
    require(len(content) <= MOST_BYTES, "the proof is too large")
    try:
        return json.loads(content, object_pairs_hook=without_repeats)
    except (ValueError, RecursionError):
        raise WrongProofError("the proof is not a JSON document", 1) from None


def require_shape(value: Any, shape: Any, where: str) -> None:
    """Refuse a part of the proof that does not have the given shape.

    A shape is a type, a text pattern, a tuple of values, a list of one shape, or an object with a
    shape for each member. The member ... represents all names. Whole numbers are at least 0.
    """
    if isinstance(shape, dict):
        require(isinstance(value, dict), f"{where} is not an object")
        names = value if ... in shape else shape
        require(set(value) == set(names), f"{where} must have exactly {', '.join(names)}")
        for name in names:
            require_shape(value[name], shape.get(name, shape.get(...)), f"{where}, {name}")
    elif isinstance(shape, list):
        require(isinstance(value, list), f"{where} is not a list")
        for one in value:
            require_shape(one, shape[0], where)
    elif isinstance(shape, tuple):
        require(value in shape, f"{where}: this program does not know {value}")
    elif shape is int:
        require(type(value) is int and value >= 0, f"{where}: this is not a whole number from 0")
    elif shape is not Any:
        fits = isinstance(value, str) and (shape is str or shape.fullmatch(value) is not None)
        require(fits, f"{where}: this is not a {'text' if shape is str else 'decimal fraction'}")


class Claim:
    """The claim of a proof, checked against the definitions, and the steps of the proof.

    `rules` lists the rules that the values of each class satisfy.
    """

    def __init__(self, document: Any) -> None:
        require_shape(document, PROOF, "the proof")
        self.table, self.steps = document["table"], document["steps"]
        self.attributes = [read_attribute(**one) for one in document["attributes"]]
        self.lowest, self.highest = document["allowed"]["lowest"], document["allowed"]["highest"]
        self.k, sensitive, self.rules = read_requirements(document["requirements"])
        self.orders = [one["order"] for one in document["requirements"] if one.get("order")]
        self.columns = [*(one.name for one in self.attributes), *sensitive]
        require(set(self.table["missing"]) <= {*self.columns}, "missing values are wrong")
        self.limit = document["suppression"]["records"]
        self.share = Fraction(document["suppression"]["share"])
        self.mean, self.weights = document["loss"]["mean"], document["loss"]["weights"]
        self.levels, self.suppressed, self.losses = map(document["policy"].get, PROOF["policy"])
        number = len({one.name for one in self.attributes})
        require(number == len(self.attributes) > 0, "attributes need different names")
        for numbers in (self.lowest, self.highest, self.weights, self.levels, self.losses):
            require(len(numbers) == number, f"a list does not have {number} numbers")
        for one, low, at, high in zip(self.attributes, self.lowest, self.levels, self.highest):
            require(low <= at <= high < len(one.levels), f"the levels of {one.name} are wrong")
        small = self.mean == "arithmetic" or sum(self.weights) <= MOST_WEIGHT
        require(any(self.weights) and small, "the weights are all 0 or too large")
        require(max(self.losses) <= UNIT, "a loss is above 1")


def read_requirements(document: list[Any]) -> tuple[int, list[str], list[Rule]]:
    """Read k, the sensitive column if there is one, and the rules for its values."""
    least, columns = 1, set()
    rules: list[Rule] = []
    for one in document:
        kind = str(one.get("kind")) if isinstance(one, dict) else ""
        require(kind in REQUIREMENTS, f"this program does not support the requirement {kind}")
        require_shape(one, {"kind": str, **REQUIREMENTS[kind]}, kind)
        number = one.get("k", one.get("l", 2))
        require(number > 1, f"{kind} needs a number from 2")
        if kind == "k-anonymity":
            least = max(least, number)
            continue
        columns.add(one["column"])
        if kind == "t-closeness":
            order, values = one["order"], [*chain(*one["order"])]
            right = bool(order) == (one["distance"] == "ordered") and all(order)
            require(right and len(set(values)) == len(values), "the order is wrong")
            t = Fraction(one["t"]) * CLOSE * max(len(order) - 1, 1)
            most = partial(most_close, t=t, order=order)
        else:
            c = Fraction(one["c"]).as_integer_ratio() if "c" in one else (1, 0)
            most = partial(most_diverse, l=number, c=c, blanks=one.get("blank") != "no-value")
        said = (f"{at}={one[at]}" for at in ("k", "t", "c", "l", "distance", "blank") if at in one)
        rules.append((f"{kind} of {one['column']!r} ({', '.join(said)})", most))
    require(len(columns) <= 1, "this program supports requirements for only one sensitive column")
    return least, [*columns], rules


def read_attribute(name: str, values: list[str], levels: list[Any]) -> Attribute:
    """Read an attribute, and refuse a hierarchy for which the bounds would be wrong."""
    require(bool(values) and len(set(values)) == len(values), f"{name} has no or repeated values")
    counted = True
    for level in levels:
        labels, covers, label = level["labels"], level["covers"], level["label"]
        require(len(set(labels)) == len(labels) == len(covers), f"{name} has a repeated label")
        require(len(label) == len(values), f"{name} has values without a label")
        members_of = Counter(label)
        require(set(members_of) == set(range(len(labels))), f"{name} has labels without values")
        more = [covers[one] - number for one, number in members_of.items()]
        require(min(more) >= 0, f"a label of {name} has more values than it states")
        counted = counted and not any(more)
    require(bool(levels) and len(levels[-1]["covers"]) == 1, f"{name} lacks a single top label")
    for finer, coarser in pairwise(levels):
        parent: dict[int, int] = {}
        for low, high in zip(finer["label"], coarser["label"], strict=True):
            require(parent.setdefault(low, high) == high, f"the levels of {name} do not nest")
        fits = all(finer["covers"][low] <= coarser["covers"][high] for low, high in parent.items())
        require(fits, f"a label of {name} covers less than a label below it")
    size = levels[-1]["covers"][0]
    details = [[size - level["covers"][one] for one in level["label"]] for level in levels]
    return Attribute(name, values, levels, counted, size, details)


def read_rows(path: str, claim: Any) -> tuple[Combinations, Combinations]:
    """Count the combinations in a CSV file, and each column's codes for missing values."""
    delimiter, quote, encoding, header = map(claim.table.get, READ)
    codes = [set(claim.table["missing"].get(name, ())) for name in claim.columns]
    with opened(path, encoding=encoding, newline="") as lines:
        rows = filter(None, csv.reader(lines, delimiter=delimiter, quotechar=quote))
        first = next(rows, [])
        names = first if header else [f"column_{at}" for at in range(1, len(first) + 1)]
        once = all(names.count(name) == 1 for name in claim.columns)
        require(once, f"the table does not have one column each of {claim.columns}", 2)
        places = [names.index(name) for name in claim.columns]
        records = rows if header else chain([first], rows)
        found = Counter(tuple(row[at] for at in places) for row in records)
    combinations, absent = Combinations(), Combinations()
    for values, number in found.items():
        coded = [at for at, own in enumerate(codes) if values[at].strip(SPACE) in own]
        for at in coded:
            absent[claim.columns[at], values[at].strip(SPACE)] += number
        combinations[tuple("" if at in coded else one for at, one in enumerate(values))] += number
    return combinations, absent


class Evaluated(NamedTuple):
    """An evaluated policy: the rows that it or a lower policy may release, and their `classes`.

    All these policies suppress at least `suppressed` records. The costs, by attribute and level,
    assume that all rows are at that level. They are None if too many records are suppressed.
    """

    levels: list[int]
    rows: Any
    classes: Any
    suppressed: int
    costs: list[list[int]] | None


class Lists:
    """Evaluations of a claim's policies on a table, with lists of whole numbers."""

    def __init__(self, claim: Any, combinations: Combinations) -> None:
        ordered, self.total = sorted(combinations.items()), combinations.total()
        digest, self.whole = hashlib.sha256(), Counter[str]()
        for row, number in ordered:  # one JSON list per line: the values and the count
            self.whole[row[-1]] += number
            line = json.dumps([*row, number], ensure_ascii=False, separators=(",", ":"))
            digest.update(line.encode("utf-8", "surrogatepass") + b"\n")
        same = (digest.hexdigest(), self.total) == (claim.table["sha256"], claim.table["records"])
        require(same, "this is not the table of the proof, or it was read differently", 2)
        self.claim = claim
        self.codes: list[list[int]] = []
        for at, one in enumerate(claim.attributes):
            place = {value: i for i, value in enumerate(one.values)}
            require(all(row[at] in place for row, _ in ordered), f"{one.name} lacks a value")
            self.codes.append([place[row[at]] for row, _ in ordered])
        self.counts: Any = [number for _, number in ordered]
        self.values = [row[-1] for row, _ in ordered]
        self.start: tuple[Any, Any] = list(range(len(ordered))), [0] * len(ordered)  # one class

    def split(self, known: Evaluated, levels: list[int], *, below: bool) -> tuple[Any, Any, int]:
        """Split classes at lower levels. Return the rows and classes left, and the most to keep."""
        keys = [known.classes]
        for at, level in enumerate(levels):
            if level != known.levels[at]:
                label = self.claim.attributes[at].levels[level]["label"]
                keys.append([label[self.codes[at][row]] for row in known.rows])
        number: defaultdict[tuple[int, ...], int] = defaultdict(count().__next__)
        classes = [number[key] for key in zip(*keys, strict=True)]
        sizes = [0] * len(number)
        for row, one in zip(known.rows, classes, strict=True):
            sizes[one] += self.counts[row]
        most = self.most(known.rows, classes, sizes, below=below)
        large = [most[one] > 0 for one in classes]
        return list(compress(known.rows, large)), list(compress(classes, large)), sum(most)

    def most(self, rows: Any, classes: Any, sizes: Any, *, below: bool) -> list[int]:
        """Return how many records of each class may be released: all or none, unless `below`."""
        found = [size if size >= self.claim.k else 0 for size in sizes]
        held: list[Values] = [Counter() for _ in sizes]
        for row, one in zip(rows, classes, strict=True) if self.claim.rules else ():
            held[one][self.values[row]] += self.counts[row]
        for _, most in self.claim.rules:
            pairs = zip(found, held, strict=True)
            found = [before and min(before, most(own, self.whole)) for before, own in pairs]
        least = [self.claim.k if below else size for size in sizes]
        return [n if n >= own else 0 for n, own in zip(found, least, strict=True)]

    def by_value(self, attribute: int, rows: Any) -> list[int]:
        """Count the records of rows by their value."""
        found = [0] * len(self.claim.attributes[attribute].values)
        for row in rows:
            found[self.codes[attribute][row]] += self.counts[row]
        return found

    def costs(self, rows: Any) -> list[list[int]]:
        """Return the costs of all records by attribute and level when these rows are released."""
        found = []
        for at, one in enumerate(self.claim.attributes):
            numbers, all_lost = self.by_value(at, rows), self.total * (one.size - 1)
            found.append([all_lost - sum(map(mul, numbers, detail)) for detail in one.details])
        return found


class Arrays(Lists):
    """The same with NumPy integers. They only count records and classes, so all of them fit."""

    def __init__(self, claim: Claim, combinations: Combinations) -> None:
        super().__init__(claim, combinations)
        self.arrays = [np.array(codes, dtype=np.int64) for codes in self.codes]
        self.labels = [
            [np.array(level["label"], dtype=np.int64)[codes] for level in one.levels]
            for one, codes in zip(claim.attributes, self.arrays, strict=True)
        ]
        self.numbers = np.array(self.counts, dtype=np.int64)
        self.start = np.arange(self.numbers.size), np.zeros(self.numbers.size, dtype=np.int64)

    def split(self, known: Evaluated, levels: list[int], *, below: bool) -> tuple[Any, Any, int]:
        """Split classes by the labels at lower levels, with the same results."""
        rows, classes = known.rows, known.classes
        for at, level in enumerate(levels):
            if level != known.levels[at]:
                number = len(self.claim.attributes[at].levels[level]["covers"])
                classes = renumbered(classes * number + self.labels[at][level][rows])
        sizes = added(classes, self.numbers[rows])
        most = np.where(sizes >= self.claim.k, sizes, 0)
        if self.claim.rules:
            given = rows.tolist(), classes.tolist(), sizes.tolist()
            most = np.array(self.most(*given, below=below), dtype=np.int64)
        large = (most > 0)[classes]
        return rows[large], renumbered(classes[large]), int(most.sum())

    def by_value(self, attribute: int, rows: Any) -> list[int]:
        """Count the records of rows by their value."""
        return [*map(int, added(self.arrays[attribute][rows], self.numbers[rows]))]


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

    def __init__(self, claim: Claim, table: Combinations, *, arrays: bool = True) -> None:
        self.claim, self.total = claim, table.total()
        self.means = (Arrays if arrays and np else Lists)(claim, table)
        top = [len(one.levels) - 1 for one in claim.attributes]
        costs = self.means.costs(self.means.start[0])
        self.start = Evaluated(top, *self.means.start, 0, costs)
        self.best = self.mean(claim.losses)

    def evaluate(self, known: Evaluated, levels: list[int], *, below: bool = True) -> Evaluated:
        """Evaluate a policy that is not above a known one, and what lower policies may release."""
        require(known.costs is not None, "a step evaluates below a policy that suppresses too much")
        rows, classes, most = self.means.split(known, levels, below=below)
        within = self.total - most <= self.claim.limit
        costs = self.means.costs(rows) if within else None
        return Evaluated(levels, rows, classes, self.total - most, costs)

    def losses(self, levels: list[int], known: Evaluated) -> list[int]:
        """Return the losses, in units, when the records that `known` keeps are at these levels."""
        require(known.costs is not None, "a step bounds by a policy that suppresses too much")
        pairs = zip(self.claim.attributes, known.costs or [], levels, strict=True)
        return [own[at] * UNIT // (max(one.size - 1, 1) * self.total) for one, own, at in pairs]

    def mean(self, losses: list[int]) -> int:
        """Combine losses into a whole number that rises with the mean."""
        pairs = zip(self.claim.weights, losses, strict=True)
        if self.claim.mean == "geometric":
            return prod((UNIT + loss) ** weight for weight, loss in pairs)
        return sum(weight * loss for weight, loss in pairs)

    def run(self) -> Counter[str]:
        """Check the policy and the steps, and count the policies that each kind of step closes."""
        claim = self.claim
        same = claim.share <= 1 and claim.limit == int(claim.share * self.total)
        require(same, "the limit is not this share of the records")
        own = self.evaluate(self.start, claim.levels, below=False)
        require(own.costs is not None, "the policy suppresses more records than allowed")
        require(own.suppressed == claim.suppressed, "the policy suppresses another number")
        require(self.losses(claim.levels, own) == claim.losses, "the policy has another loss")
        return self.require_steps()

    def require_steps(self) -> Counter[str]:
        """Follow the steps, count the policies they close, and refuse a proof that misses one."""

        def volume(low: list[int], high: list[int]) -> int:
            return prod(b - a + 1 for a, b in zip(low, high, strict=True))

        closed: Counter[str] = Counter()
        waiting = [(self.claim.lowest, self.claim.highest, self.start)]
        for number, step in enumerate(self.claim.steps):
            require(bool(waiting), f"step {number} comes after all policies are closed")
            low, high, known = waiting.pop()
            if step == "evaluate":
                waiting.append((low, high, self.evaluate(known, high)))
            elif step in ("suppressed", "loss"):
                if low == high == known.levels and known.costs is not None:
                    known = self.evaluate(known, high, below=False)
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
        """Refuse a box in which a policy may lose less than the proven policy."""
        enough = self.mean(self.losses(low, known)) >= self.best
        require(enough, f"step {number}: the bound is below the loss of the policy")

    def split(self, step: Any, low: list[int], high: list[int], number: int) -> tuple[int, int]:
        """Return the attribute and the level of a split."""
        form = isinstance(step, list) and [*map(type, step[:2])] == [int, int]
        require(form and step[2:] in ([], ["loss"]), f"step {number} is unknown")
        at, level = step[:2]
        inside = 0 <= at < len(low) and low[at] < level <= high[at]
        require(inside, f"step {number} splits outside of its box")
        return at, level


def sentences(checker: Checker, absent: Combinations) -> list[str]:
    """Say what was proven and what was taken from the proof. Text from the files is quoted."""
    claim, closed = checker.claim, checker.run()
    parts = [(n / UNIT, w / sum(claim.weights)) for n, w in zip(claim.losses, claim.weights)]
    loss = sum(share * weight for share, weight in parts)
    if claim.mean == "geometric":
        loss = prod((1 + share) ** weight for share, weight in parts) - 1
    pairs = zip(claim.attributes, claim.levels, claim.lowest, claim.highest, strict=True)
    weights = "" if len(set(claim.weights)) == 1 else f", weights {claim.weights}"
    taken = [repr(one.name) for one in claim.attributes if not one.counted]
    rules = "".join(f", with {name}" for name, _ in claim.rules)
    order = ", the order of values," if claim.orders else ""
    widths = f" The proof states how many values the labels of {', '.join(taken)} cover."
    delimiter, quote, encoding, header = map(claim.table.get, READ)
    return [
        f"The table has {checker.total:,} records, and is the table of the proof.",
        f"It is read with{'' if header else 'out'} a header. Its delimiter is {delimiter!r}, its "
        f"quote {quote!r}, and its encoding {encoding!r}.",
        *(f"Missing in {at!r}: {n:,} with the code {code!r}." for (at, code), n in absent.items()),
        f"The policy gives {len(claim.attributes)} columns these levels:",
        *(f"  {one.name!r}: level {at} of {low}-{high}" for one, at, low, high in pairs),
        f"Each of its groups has {claim.k} or more records{rules}. It suppresses "
        f"{claim.suppressed:,} records (at most {claim.limit:,} are allowed).",
        *(
            f"Places in the order: {len(one)}. With several values: "
            f"{sum(len(at) > 1 for at in one)}."
            for one in claim.orders
        ),
        f"Its loss is {loss:.10f} ({claim.mean} mean{weights}).",
        f"Proven: no allowed policy within these levels loses less. {closed['suppressed']:,} of "
        f"the {closed.total():,} policies suppress too much, and {closed['loss']:,} lose at least "
        f"as much ({claim.steps.count('evaluate') + 1:,} evaluations repeated).",
        f"The hierarchies{order} and the way to read the table are those of the proof: compare "
        "them with yours." + widths * bool(taken),
    ]


def main(arguments: list[str] | None = None) -> int:
    """Run the program. Return 0 if the proof is right, 1 if not, and 2 without a verdict."""
    what = "Check that no allowed policy loses less than the policy of a proof."
    parser = argparse.ArgumentParser("roadstead-check-proof", description=what)
    parser.add_argument("table", metavar="TABLE", help="original table, as CSV, plain or gzipped")
    parser.add_argument("proof", metavar="PROOF", help="file written by roadstead --proof")
    given = parser.parse_args(arguments)
    try:
        claim = Claim(read_proof(given.proof))
        csv.field_size_limit(1 << 30)
        combinations, absent = read_rows(given.table, claim)
        print("\n".join(sentences(Checker(claim, combinations), absent)))
    except WrongProofError as refused:
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
