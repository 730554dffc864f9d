"""Build taxonomies of diagnoses from ICD-9-CM, ICD-10-CM, and ICD-10.

The groups are chapters, blocks, and categories. The groups come from published code books, so the
taxonomies are public and reveal nothing about a table. The leaves are the categories, which usually
have three characters. All further characters of a code are ignored. Paper 002 (Methods) generalizes
a patient's ICD-9 codes to these groups. Codes may be written with or without the dot. A code with
an unknown category has no leaf.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from roadstead.code_systems.trees import tree_of
from roadstead.errors import HierarchyError, quoted
from roadstead.hierarchies.taxonomy import (
    Find,
    Taxonomy,
    by_longest_prefix,
    from_branches,
    from_paths,
)

_SHORT_NUMBER = re.compile(r"\s*(\d{1,2})(\.\d*)?\s*", re.ASCII)
_WIDTH = 3


def icd9cm(attribute: str) -> Taxonomy:
    """Build the taxonomy of ICD-9-CM diagnosis codes: chapter, block, category.

    Codes can be written as ``250.83`` or ``25083``, ``V27``, or ``E932``. Leading zeros that a
    spreadsheet removed are restored for unambiguous codes: ``38`` and ``38.4`` belong to the
    category ``038``.
    """
    return _taxonomy_of(attribute, "ICD-9-CM", "icd9cm.txt", by_icd9_category)


def icd10cm(attribute: str) -> Taxonomy:
    """Build the taxonomy of ICD-10-CM diagnosis codes: chapter, block, category."""
    return _taxonomy_of(attribute, "ICD-10-CM", "icd10cm.txt", by_longest_prefix)


def icd10who(attribute: str) -> Taxonomy:
    """Build the taxonomy of the diagnosis codes of the WHO's ICD-10: chapter, block, category."""
    return _taxonomy_of(attribute, "ICD-10", "icd10who.txt", by_longest_prefix)


def _taxonomy_of(attribute: str, origin: str, file: str, find: Find) -> Taxonomy:
    return from_branches(attribute, "any diagnosis", tree_of(file), origin=origin, find=find)


def by_icd9_category(leaves: Mapping[str, int], value: str) -> int:
    """Find the category of an ICD-9-CM code, and restore lost leading zeros."""
    if lost := _SHORT_NUMBER.fullmatch(value):
        value = lost[1].zfill(_WIDTH)
    return by_longest_prefix(leaves, value)


def by_prefix(attribute: str, codes: Sequence[str], lengths: Sequence[int]) -> Taxonomy:
    """Build a taxonomy from a list of codes, grouped by the first characters of the codes.

    The leaf of a value is the longest listed code that is a beginning of the value. The leaves are
    `codes`, which must come from a code book and not from the protected table. Dots and case are
    ignored. `lengths` contains the number of characters that groups have in common at each depth,
    from general to specific.
    """
    origin = f"prefixes of {attribute!r}"
    if not lengths or not all(shorter < longer for shorter, longer in pairwise([0, *lengths])):
        raise HierarchyError(
            "the prefix lengths are missing, not increasing, or below one",
            where=origin,
            fix="list them from general to specific, such as 1, 3",
        )
    plain = [code.replace(".", "").strip().upper() for code in codes]
    if "" in plain:
        what = f"the code {quoted(codes[plain.index('')])} is empty"
        raise HierarchyError(what, where=origin, fix="leave it out")
    paths = ([*(code[:keep] for keep in lengths if keep < len(code)), code] for code in plain)
    return from_paths(attribute, paths, root="any code", origin=origin, find=by_longest_prefix)
