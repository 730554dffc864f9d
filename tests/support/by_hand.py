"""A policy applied by hand: plain Python from the JSON document, for rows of text.

It shares no code with the package: rules are read from the document's JSON, groups are counted with
a `Counter`, and losses are added up record by record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import floor, prod
from typing import Any, TypeAlias

Row: TypeAlias = tuple[str, ...]
Json: TypeAlias = Mapping[str, Any]


def label(rule: Json, value: str) -> str:
    """Say what a rule makes of a value; a missing one stays missing below the top."""
    if rule["kind"] == "everything":
        return str(rule["text"])
    return "" if value == "" else _LABELS[rule["kind"]](rule, value)


def _prefix(rule: Json, value: str) -> str:
    keep, mask = int(rule["keep"]), str(rule["mask"])
    return value[:keep] + mask * (len(value) - keep)


def _bands(rule: Json, value: str) -> str:
    low, high = _band(rule, value)
    return str(low) if high - low == 1 else f"{low}-{high - 1}"


def _band(rule: Json, value: str) -> tuple[int, int]:
    width, origin = int(rule["width"]), int(rule["origin"])
    low = origin + (int(value) - origin) // width * width
    return low, low + width


def _calendar(rule: Json, value: str) -> str:
    year, month, _ = value.split("-")
    if int(year) < (rule["bottom"] or 0):
        return f"before {rule['bottom']:04d}"
    names = {
        "day": value,
        "month": f"{year}-{month}",
        "quarter": f"{year}-Q{(int(month) + 2) // 3}",
        "year": year,
        "decade": f"{year[:3]}0s",
    }
    return names[rule["unit"]]


_LABELS: dict[str, Callable[[Json, str], str]] = {
    "identity": lambda _, value: value,
    "prefix": _prefix,
    "bands": _bands,
    "calendar": _calendar,
}


@dataclass(frozen=True)
class Applied:
    """A table under a policy.

    Attributes
    ----------
    rows
        The rows of the release, as a bag.
    sizes
        Sizes of the classes released.
    suppressed, masked, dropped
        Numbers of records.
    loss_by_attribute
        Iyengar's loss of each quasi-identifier.
    """

    rows: Counter[Row]
    sizes: list[int]
    suppressed: int
    masked: int
    dropped: int
    loss_by_attribute: dict[str, float]


def apply(policy: Json, header: Sequence[str], rows: Sequence[Row]) -> Applied:
    """Apply a policy document to a table."""
    k = policy["privacy"][0]["k"]
    rules = {attribute["name"]: attribute["rule"] for attribute in policy["attributes"]}
    removed = set(policy["columns"]["removed"])
    places = {name: header.index(name) for name in rules}
    keys = [tuple(label(rules[name], row[at]) for name, at in places.items()) for row in rows]
    sizes = Counter(keys)
    suppressed = [sizes[key] < k for key in keys]
    number = sum(suppressed)
    masks = policy["suppression"]["records"] == "mask" and number >= k
    released: Counter[Row] = Counter()
    for row, key, gone in zip(rows, keys, suppressed, strict=True):
        if gone and not masks:
            continue
        cells = dict(zip(header, row, strict=True))
        cells |= dict.fromkeys(rules, "*") if gone else dict(zip(rules, key, strict=True))
        released[tuple(cell for name, cell in cells.items() if name not in removed)] += 1
    losses = {
        name: _loss(rules[name], [row[at] for row in rows], suppressed)
        for name, at in places.items()
    }
    return Applied(
        rows=released,
        sizes=[size for size in sizes.values() if size >= k],
        suppressed=number,
        masked=number if masks else 0,
        dropped=0 if masks else number,
        loss_by_attribute=losses,
    )


def shifted_geometric_mean(losses: Sequence[float]) -> float:
    """The mean of paper 003."""
    return float(prod(1 + loss for loss in losses) ** (1 / len(losses)) - 1)


def _loss(rule: Json, column: Sequence[str], suppressed: Sequence[bool]) -> float:
    """Mean over records of (values the label covers - 1) / (values of the domain - 1)."""
    domain = _domain(column)
    if len(domain) == 1:
        return 0.0
    covered = Counter(label(rule, value) for value in domain)
    total = sum(
        (len(domain) if gone else covered[label(rule, value)]) - 1
        for value, gone in zip(column, suppressed, strict=True)
    )
    return floor(total / (len(domain) - 1) / len(column) * 1e10) / 1e10


def _domain(column: Sequence[str]) -> set[str]:
    """Every value between the ends for numbers and dates, otherwise those that occur."""
    present = {value for value in column if value}
    missing = {""} & set(column)
    if _all(present, _is_number):
        numbers = [int(value) for value in present]
        return missing | {str(n) for n in range(min(numbers), max(numbers) + 1)}
    if _all(present, _is_date):
        days = [date.fromisoformat(value) for value in present]
        span = (max(days) - min(days)).days
        return missing | {str(min(days) + timedelta(days=n)) for n in range(span + 1)}
    return missing | present


def _all(values: set[str], test: Callable[[str], bool]) -> bool:
    return bool(values) and all(test(value) for value in values)


def _is_number(value: str) -> bool:
    return value.lstrip("-").isdecimal() and len(value.lstrip("-")) < len("00000")


def _is_date(value: str) -> bool:
    return len(value) == len("2024-01-01") and value.count("-") == len("--")
