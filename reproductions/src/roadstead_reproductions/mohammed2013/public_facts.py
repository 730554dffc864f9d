"""The public facts about a data set, from `data`: ranges of numbers, and groups of categories."""

from __future__ import annotations

import tomllib
from importlib import resources

from roadstead.hierarchies.taxonomy import Branch


def public_facts(name: str) -> tuple[dict[str, tuple[int, int]], dict[str, Branch]]:
    """Read the ranges and the groups of a data set."""
    file = resources.files(__package__) / "data" / f"{name}.toml"
    facts = tomllib.loads(file.read_text(encoding="utf-8"))
    ranges = {column: (low, high) for column, (low, high) in facts.get("ranges", {}).items()}
    return ranges, facts["groups"]
