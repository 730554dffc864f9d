"""Read a code system: its forms, the parts of its codes, and its groups of codes.

Each system is one file in ``data``, named after the system. To add a system, add a file::

    title = "UK postcode"          # text before the name of a level
    values = "UK postcodes"        # what its codes are called
    source, edition                # where its facts come from
    country = "GB"                 # for postal codes: their country
    called = '...'                 # names of columns that mean these codes and no others
    also = '...'                   # names that other systems have too
    sure = ["AA0A 0AA"]            # forms that identify the system without the name
    known = true                   # an attacker may know the code of a person
    parts = ["areas", "districts"] # names of the parts, from general to specific; "": not a level
    width = 5                      # labels of parts are filled up with stars
    forms = ["AA|0A| 0|AA"]        # see forms.py
    first = "10-99"                # what the first part can be

    [[level]]                      # groups above the parts, from specific to general
    name = "states"
    groups = {NSW = "1000-1999 2000-2599"}
    split = {name = "districts", digits = 2}   # the level below: first digits in each group

A system is `whole` if its values, such as names of countries, do not have a form. The groups of a
whole system list complete values. If a system has a `tree`, its levels come from a file that lists
chapters (`trees.py`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from roadstead.code_systems.forms import (
    by_shape,
    first_parts,
    marks_of,
    plain,
    shape_of,
    with_signs,
)
from roadstead.code_systems.trees import run_of, tree_of
from roadstead.errors import SettingError
from roadstead.near_names import did_you_mean

_DATA = files(__package__) / "data"
_DIGITS = "0123456789"


@dataclass(frozen=True, eq=False)
class GroupLevel:
    """A level of groups: the code prefixes, or the complete values, of each label."""

    name: str
    groups: Mapping[str, tuple[str, ...]]

    @cached_property
    def listed(self) -> frozenset[str]:
        """Return the prefixes of all groups."""
        return frozenset(begin for begins in self.groups.values() for begin in begins)


@dataclass(frozen=True, eq=False)
class CodeSystem:
    """A code system, as described in its file.

    `levels` contains the levels of groups, from specific to general. The levels of groups are above
    the `parts`, which are listed from general to specific. A `loose` system also reads the first
    characters of any other string.
    """

    name: str
    title: str
    values: str
    source: str
    edition: str
    country: str = ""
    called: str = ""
    also: str = ""
    sure: tuple[str, ...] = ()
    known: bool = False
    proposed: bool = True
    parts: tuple[str, ...] = ()
    width: int = 0
    forms: tuple[str, ...] = ()
    first: frozenset[str] = frozenset()
    levels: tuple[GroupLevel, ...] = ()
    whole: bool = False
    loose: bool = False
    other: str = "other"

    @property
    def is_known(self) -> bool:
        """Return whether an attacker may know a person's code, such as a postal code."""
        return self.known or bool(self.country)

    @cached_property
    def marks(self) -> str:
        """Return the characters that may be between the parts of a code."""
        return marks_of(self.forms)

    @cached_property
    def _by_shape(self) -> Mapping[str, str]:
        return by_shape(self.forms)

    @property
    def _listed(self) -> frozenset[str]:
        return self.levels[0].listed

    @cached_property
    def _lengths(self) -> tuple[int, ...]:
        return tuple(sorted({len(begin) for begin in self._listed}))

    def has(self, value: str) -> bool:
        """Return whether a value is a code of the system."""
        if self.whole:
            return value in self._listed
        form = self._by_shape.get(shape_of(value))
        if form is None:
            return False
        code = plain(value, self.marks)
        if self.first and code[: len(first_parts(form, 1))] not in self.first:
            return False
        return not self.levels or any(code[:length] in self._listed for length in self._lengths)

    def share(self, values: Sequence[str]) -> float:
        """Return the share of values that are codes of the system."""
        return sum(map(self.has, values)) / len(values) if values else 0.0


def system_named(name: str, *, where: str) -> CodeSystem:
    """Return the system with this name. The error for an unknown name contains `where`."""
    if name not in systems():
        raise SettingError(
            f"there is no code book {name!r}",
            where=where,
            fix=did_you_mean(name, systems(), f"choose one of {', '.join(systems())}", show=repr),
        )
    return systems()[name]


@cache
def systems() -> Mapping[str, CodeSystem]:
    """Return all systems by name, in alphabetical order."""
    names = sorted(file.name for file in _DATA.iterdir() if file.name.endswith(".toml"))
    return {name.removesuffix(".toml"): _read(name) for name in names}


def _read(file: str) -> CodeSystem:
    written: dict[str, Any] = tomllib.loads((_DATA / file).read_text("utf-8"))
    groups = written.pop("level", ())
    tree = written.pop("tree", None)
    levels = _of_tree(tree) if tree else (level for one in groups for level in _of_groups(one))
    forms, sure = (
        tuple(one for form in written.pop(key, ()) for one in with_signs(form))
        for key in ("forms", "sure")
    )
    first = written.pop("first", "")
    parts = tuple(written.pop("parts", ()))
    return CodeSystem(
        **written,
        parts=parts,
        name=file.removesuffix(".toml"),
        forms=forms,
        sure=sure,
        first=frozenset(code for run in first.split() for code in run_of(run)),
        levels=tuple(levels),
    )


def _of_tree(file: str) -> Iterator[GroupLevel]:
    chapters = tree_of(file)
    blocks = {label: tuple(own) for one in chapters.values() for label, own in one.items()}
    yield GroupLevel("categories", {code: (code,) for own in blocks.values() for code in own})
    yield GroupLevel("blocks", blocks)
    whole = {
        label: tuple(c for own in one.values() for c in own) for label, one in chapters.items()
    }
    yield GroupLevel("chapters", whole)


def _of_groups(written: Mapping[str, Any]) -> Iterator[GroupLevel]:
    """Yield the level of first digits if the file declares this level, and then the groups."""
    groups = {label: _begins(own) for label, own in written["groups"].items()}
    if (split := written.get("split")) is not None:
        digits = split["digits"]
        parted: dict[str, list[str]] = {}
        for label, begins in groups.items():
            for begin in _at_least(begins, digits):
                parted.setdefault(f"{begin[:digits]}** {label}", []).append(begin)
        yield GroupLevel(split["name"], {label: tuple(own) for label, own in parted.items()})
    yield GroupLevel(written["name"], groups)


def _begins(written: str | Sequence[str]) -> tuple[str, ...]:
    """Return the fewest prefixes for a group, or the unchanged list if the group lists values."""
    if not isinstance(written, str):
        return tuple(written)
    found = {code for run in written.split() for code in run_of(run)}
    for length in range(max(map(len, found)), 1, -1):
        for begin in {code[:-1] for code in found if len(code) == length}:
            ten = {begin + digit for digit in _DIGITS}
            if ten <= found:
                found = (found - ten) | {begin}
    return tuple(sorted(found))


def _at_least(begins: Sequence[str], length: int) -> Iterator[str]:
    """Yield prefixes of at least this length. Extend a shorter prefix by every possible digit."""
    for begin in begins:
        if len(begin) < length:
            yield from _at_least([begin + digit for digit in _DIGITS], length)
        else:
            yield begin
