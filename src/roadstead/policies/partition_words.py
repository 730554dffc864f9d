"""Describe a partition of ordered domains in words, and the differences between two partitions.

People choose policies by descriptions, such as "age: single years to 89, then 90 and over". A
comparison with Safe Harbor is, for example, "merges M and F; keeps every age over 89" (paper 004,
table 3; paper 000, figure 9). *Numbers* are described by bands, *codes* are described by ranges,
and *categories* are listed by name. Long names and lists are shortened.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from typing import Literal, NamedTuple, TypeAlias

from roadstead.errors import SettingError
from roadstead.policies.partition import Interval, OrderedDomains, Partition

Kind: TypeAlias = Literal["number", "code", "category"]

_INTEGER = re.compile(r"-?(?:0|[1-9]\d*)")
_DECIMAL = re.compile(r"-?\d+\.\d+")
_OPEN = re.compile(r"(\d+) ?(?:\+|and over|or older)")
_FEW_CATEGORIES = 40
_LONGEST_NAME = 32
_LEAST_CODE = 3
NAMED = 4
"""The largest number of categories that are named in a group."""


@dataclass(frozen=True)
class ValueWords:
    """The values of one ordered domain, and the information for describing these values.

    `unit` is the noun for one step between consecutive whole numbers, or an empty string.
    `open_ended` indicates whether the last band does not have an upper end, such as "90 and over".
    """

    name: str
    values: tuple[str, ...]
    kind: Kind
    unit: str = ""
    open_ended: bool = False

    @classmethod
    def of(cls, name: str, values: Sequence[str]) -> ValueWords:
        """Determine whether the values are numbers, codes, or categories.

        Whole numbers in ascending order count as numbers. However, they count as codes if all of
        them have three or more digits and some numbers between them are missing. Strings of equal
        length that contain digits are also codes. Other values are categories if there are only a
        few distinct values. Ages have the unit year and an open end.
        """
        texts = tuple(values)
        kind = _kind_of(texts)
        age = kind == "number" and "age" in re.split(r"[^a-z]+", name.casefold())
        opened = kind == "number" and bool(_OPEN.fullmatch(texts[-1]))
        return cls(name, texts, kind, "year" if age else "", opened or age)

    @cached_property
    def numbers(self) -> tuple[int, ...] | None:
        """The values as consecutive whole numbers, or None if the values have another form."""
        found = _integers(self.values) if self.kind == "number" else None
        steady = found is not None and all(b - a == 1 for a, b in pairwise(found))
        return found if steady else None

    @cached_property
    def prefixes(self) -> dict[frozenset[int], str]:
        """The prefixes that form groups of values, by the codes with which the groups begin."""
        found: dict[frozenset[int], str] = {}
        for length in range(1, min(map(len, self.values))):
            heads = [text[:length] for text in self.values]
            starts = [0, *(code for code, (a, b) in enumerate(pairwise(heads), 1) if a != b)]
            if len(starts) == len(set(heads)):
                noun = "digit" if all(map(str.isdigit, heads)) else "character"
                said = f"first {noun}" if length == 1 else f"first {length} {noun}s"
                found.setdefault(frozenset(starts), said)
        return found

    def value(self, code: int) -> str:
        """Return the text of a value, shortened if necessary."""
        text = " ".join(self.values[code].split()) or "(empty)"
        if len(text) <= _LONGEST_NAME:
            return text
        return f"{text[: _LONGEST_NAME - 1].rstrip()}\N{HORIZONTAL ELLIPSIS}"

    def interval(self, interval: Interval) -> str:
        """Name the values in an interval."""
        first, last = interval
        if first == last:
            return self.value(first)
        if self.kind == "category":
            return self._categories(first, last, ", ")
        if self.open_ended and first > 0 and last == len(self.values) - 1:
            return f"{self.value(first)} and over"
        return f"{self.value(first)} to {self.value(last)}"

    def example(self, intervals: Sequence[Interval]) -> str:
        """Return a comma and the name of the largest interval."""
        return f", e.g. {self.interval(max(intervals, key=lambda one: one[1] - one[0]))}"

    def merged(self, interval: Interval, parts: Sequence[Interval]) -> str:
        """Name the merged values, such as "52 and 53", "Asian, Black and Other", or "20 to 24"."""
        first, last = interval
        few = last - first + 1 <= (NAMED if self.kind == "category" else 2)
        if few:
            return self._categories(first, last, " and ")
        if self.kind != "category" or not 0 < len(parts) <= NAMED:
            return self.interval(interval)
        return " and ".join(self.interval(part) for part in parts)

    def _categories(self, first: int, last: int, joined: str) -> str:
        if last - first + 1 > NAMED:
            count = last - first + 1
            return f"{self.value(first)} .. {self.value(last)} ({count} values)"
        *most, end = (self.value(code) for code in range(first, last + 1))
        return f"{', '.join(most)}{joined}{end}"


def _kind_of(texts: Sequence[str]) -> Kind:
    whole = _integers(texts)
    if whole is not None:
        gaps = any(b - a > 1 for a, b in pairwise(whole))
        long = all(len(text) >= _LEAST_CODE for text in texts)
        return "code" if gaps and long else "number"
    decimals = [
        float(text) for text in texts if _DECIMAL.fullmatch(text) or _INTEGER.fullmatch(text)
    ]
    if len(decimals) == len(texts) and all(a < b for a, b in pairwise(decimals)):
        return "number"
    lengths = {len(text) for text in texts}
    digits = all(any(c.isdigit() for c in text) for text in texts)
    if len(lengths) == 1 and digits and min(lengths) >= _LEAST_CODE:
        return "code"
    return "category" if len(texts) <= _FEW_CATEGORIES else "code"


def _integers(texts: Sequence[str]) -> tuple[int, ...] | None:
    """Read whole numbers in ascending order. The last number may be open, such as 90+."""
    *most, last = texts
    opened = _OPEN.fullmatch(last)
    plain = [*most, opened.group(1) if opened else last]
    if not all(_INTEGER.fullmatch(text) for text in plain):
        return None
    found = tuple(map(int, plain))
    return found if all(a < b for a, b in pairwise(found)) else None


Intervals: TypeAlias = Sequence[Interval]

_SEGMENTS = 4
"""The largest number of segments of different widths that are named."""
_PHRASES = 3
"""The largest number of differences that are described for one attribute."""


class _Segment(NamedTuple):
    """Consecutive intervals that have the same width."""

    first: int
    last: int
    width: int
    bands: int


@dataclass(frozen=True)
class PartitionWords:
    """Describes partitions of ordered domains in words, given the values of each attribute."""

    domains: OrderedDomains
    values: tuple[ValueWords, ...]

    def __post_init__(self) -> None:
        names = tuple(words.name for words in self.values)
        sizes = tuple(len(words.values) for words in self.values)
        if names != self.domains.attributes or sizes != self.domains.sizes:
            raise SettingError(
                "the labels of the values do not match the ordered domains",
                fix="give one label for each value of each attribute, in the same order",
            )

    @classmethod
    def of(cls, attributes: Sequence[str], values: Sequence[Sequence[str]]) -> PartitionWords:
        """Determine for each attribute whether its values are numbers, codes, or categories."""
        domains = OrderedDomains(tuple(attributes), tuple(len(texts) for texts in values))
        return cls(domains, tuple(map(ValueWords.of, attributes, values)))

    def describe(self, partition: Partition) -> tuple[str, ...]:
        """Describe the rule of each attribute briefly, without its name, as in "all merged"."""
        intervals = self.domains.intervals(partition)
        return tuple(map(_described, self.values, intervals))

    def difference(self, partition: Partition, reference: Partition) -> tuple[str, ...]:
        """Describe the differences from a partition that the reader knows, such as Safe Harbor.

        The list of phrases is empty if and only if the two partitions are equal. Examples of
        phrases are "merges M and F" and "keeps every age over 89".
        """
        pairs = zip(
            self.values,
            self.domains.intervals(partition),
            self.domains.intervals(reference),
            strict=True,
        )
        return tuple(
            phrase for words, own, known in pairs for phrase in _differs(words, own, known)
        )

    def common(self, partitions: Sequence[Partition]) -> tuple[str, ...]:
        """Describe the common properties of several partitions, for each attribute.

        If all partitions have the same rule, the description states this rule. Otherwise, the
        description states the lowest and the highest number of groups.
        """
        found = [self.domains.intervals(partition) for partition in partitions]
        phrases = []
        for words, column in zip(self.values, zip(*found, strict=True), strict=True):
            counts = sorted(map(len, column))
            if all(intervals == column[0] for intervals in column):
                phrases.append(_described(words, column[0]))
            elif counts[0] == counts[-1]:
                phrases.append(f"{_counted(counts[0], 'group')}, cut at different places")
            else:
                phrases.append(f"{counts[0]:,} to {counts[-1]:,} groups")
        return tuple(phrases)


def _described(words: ValueWords, intervals: Intervals) -> str:
    values = len(words.values)
    if len(intervals) == values:
        return f"single {words.unit}s" if words.unit else "unchanged"
    if len(intervals) == 1:
        return "merged" if values == 2 else "all merged"  # noqa: PLR2004 - a pair
    if words.numbers is not None:
        return _bands(words, intervals)
    if words.kind == "category":
        return _sets(words, intervals)
    prefix = _prefix(words, intervals) if words.kind == "code" else ""
    return prefix or _ranges(words, intervals)


def _bands(words: ValueWords, intervals: Intervals) -> str:
    """Describe regular bands of numbers by their width. Name each other band if these are few."""
    pieces = _regular(words, intervals)
    if not pieces:
        segments = _segments(intervals)
        if len(segments) > _SEGMENTS:
            return _ranges(words, intervals)
        pieces = [_piece(words, segment) for segment in segments]
    *most, last = pieces
    return ", ".join([*most, f"then {last}"]) if most else last


def _regular(words: ValueWords, intervals: Intervals) -> list[str]:
    """Describe the bands if all bands except the outermost have the same width."""
    widths = [last - first + 1 for first, last in intervals]
    wide = max(widths)
    begins, ends = widths[0] < wide, widths[-1] < wide or words.open_ended
    inner = widths[begins : len(widths) - ends]
    if wide == 1 or len(inner) < 2 or set(inner) != {wide}:  # noqa: PLR2004 - two bands are regular
        return []
    first = [words.interval(intervals[0])] if begins else []
    last = [words.interval(intervals[-1])] if ends else []
    return [*first, _wide(words, wide), *last]


def _wide(words: ValueWords, width: int) -> str:
    return f"{width}-{words.unit} bands" if words.unit else f"bands of {width}"


def _segments(intervals: Intervals) -> list[_Segment]:
    segments = []
    for width, run in groupby(intervals, key=lambda interval: interval[1] - interval[0] + 1):
        members = list(run)
        segments.append(_Segment(members[0][0], members[-1][1], width, len(members)))
    return segments


def _piece(words: ValueWords, segment: _Segment) -> str:
    if segment.bands == 1:
        return words.interval((segment.first, segment.last))
    what = f"single {words.unit or 'value'}s" if segment.width == 1 else _wide(words, segment.width)
    if segment.last == len(words.values) - 1:
        return f"{what} from {words.value(segment.first)}"
    return f"{what} to {words.value(segment.last)}"


def _sets(words: ValueWords, intervals: Intervals) -> str:
    """Name the categories that are merged."""
    groups = [interval for interval in intervals if interval[0] < interval[1]]
    phrases = [f"{words.merged(group, ())} merged" for group in groups[:2]]
    if len(groups) > len(phrases):
        phrases.append(f"{_counted(len(groups) - len(phrases), 'more group')} merged")
    return f"{'; '.join(phrases)}; {_counted(len(intervals), 'group')}"


def _prefix(words: ValueWords, intervals: Intervals) -> str:
    """Describe intervals if each interval contains all codes with the same first characters."""
    first = words.prefixes.get(frozenset(first for first, _ in intervals))
    return f"{first}, {_counted(len(intervals), 'group')}" if first else ""


def _ranges(words: ValueWords, intervals: Intervals) -> str:
    """Describe the number of groups, their sizes, and one of the largest groups."""
    widths = [last - first + 1 for first, last in intervals]
    least, most = min(widths), max(widths)
    spread = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return (
        f"{len(words.values):,} values in {_counted(len(intervals), 'group')} of {spread} "
        f"{'value' if most == 1 else 'values'}{words.example(intervals)}"
    )


def _differs(words: ValueWords, own: Intervals, known: Intervals) -> tuple[str, ...]:
    """Describe how two divisions of an attribute differ. If the differences are few, list them."""
    places = [(mine, theirs) for mine, theirs in _aligned(own, known) if list(mine) != list(theirs)]
    if not places:
        return ()
    if len(own) == 1 and len(places) == 1:
        whole = words.merged(own[0], known)
        named = len(words.values) <= NAMED and words.kind == "category"
        return (f"merges {whole}" if named else f"merges all of {words.name}",)
    if len(own) == len(words.values) and len(places) > 1:
        return (f"keeps every {words.name}",)
    if len(places) <= _PHRASES:
        return tuple(_phrase(words, mine, theirs) for mine, theirs in places)
    return (_all_otherwise(words, own, known),)


def _all_otherwise(words: ValueWords, own: Intervals, known: Intervals) -> str:
    """Describe an attribute whose divisions differ in many places."""
    if words.numbers is not None:
        bands = _bands(words, own)
        if bands != _ranges(words, own):
            return f"cuts {words.name} into {bands}"
    before, after = {last for _, last in known}, {last for _, last in own}
    groups = f"{words.name} from {_counted(len(known), 'group')} into {len(own):,}"
    if before < after:
        return f"splits {groups}"
    if after < before:
        return f"merges {groups}"
    return f"cuts {words.name} {_at_other_places(own, known)}"


def _at_other_places(own: Sequence[object], known: Sequence[object]) -> str:
    before = "" if len(own) == len(known) else f", not into {len(known):,}"
    return f"into {_counted(len(own), 'group')} at other places{before}"


def _aligned(own: Intervals, known: Intervals) -> list[tuple[list[Interval], list[Interval]]]:
    """Split both lists of intervals at the boundaries that both partitions have."""
    ends = {last for _, last in own} & {last for _, last in known}
    return list(zip(_until(own, ends), _until(known, ends), strict=True))


def _until(intervals: Intervals, ends: Container[int]) -> list[list[Interval]]:
    """Split a list of intervals after each of the given ends."""
    parts: list[list[Interval]] = [[]]
    for interval in intervals:
        parts[-1].append(interval)
        if interval[1] in ends:
            parts.append([])
    return parts[:-1]


def _phrase(words: ValueWords, own: Intervals, known: Intervals) -> str:
    """Describe the difference between two divisions in one part of the domain."""
    whole = (own[0][0], own[-1][1])
    name = "" if words.kind == "category" else f"{words.name} "
    if len(own) == 1:
        return f"merges {name}{words.merged(whole, known)}"
    if len(known) == 1:
        if len(own) == whole[1] - whole[0] + 1:
            return _kept(words, whole)
        if len(own) > NAMED:
            return f"splits {name}{words.interval(whole)} into {_counted(len(own), 'group')}"
        return f"splits {name}{words.interval(whole)} into {_joined(words, own)}"
    if len(own) + len(known) > 2 * NAMED:
        return f"cuts {words.name} {words.interval(whole)} {_at_other_places(own, known)}"
    return f"has {name}{_joined(words, own)}, not {_joined(words, known)}"


def _kept(words: ValueWords, whole: Interval) -> str:
    """Describe values that this partition separates but the other partition merges."""
    first, last = whole
    if whole == (0, len(words.values) - 1):
        return f"keeps every {words.name}"
    if words.kind == "category":
        apart = words.merged(whole, ()) if last - first < NAMED else words.interval(whole)
        return f"keeps {apart} apart"
    if words.open_ended and last == len(words.values) - 1:
        return f"keeps every {words.name} over {words.value(first - 1)}"
    return f"keeps every {words.name} of {words.interval(whole)}"


def _joined(words: ValueWords, intervals: Intervals) -> str:
    *most, last = map(words.interval, intervals)
    return f"{', '.join(most)} and {last}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
