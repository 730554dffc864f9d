"""The hierarchy that a scan proposes for a quasi-identifier, and what was noticed in its values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from roadstead.hierarchies.declare import build_declared
from roadstead.hierarchies.defaults import propose
from roadstead.hierarchies.rules import MISSING
from roadstead.tables.frequency import summarize
from roadstead.tables.identifiers.vocabulary import meaning
from roadstead.tables.source import Source
from roadstead.verbs.noticed.gather import noticed
from roadstead.verbs.settings import USUAL_K

_DECIMAL_COMMA = re.compile(r"[+-]?\d+(?:,\d+)?", re.ASCII)


@dataclass(frozen=True)
class ProposedHierarchy:
    """A declaration, what was noticed in the values, and whether they have decimal commas."""

    declaration: Mapping[str, Any]
    noticed: tuple[str, ...]
    decimal_commas: bool


def proposed_hierarchy(source: Source, column: str) -> ProposedHierarchy:
    """Propose a hierarchy for the values of a column."""
    table = summarize(source, [column])
    (domain,) = table.domains
    declaration = propose(column, domain, meaning(column))
    found = noticed(table, [build_declared(column, declaration, domain)], fewest=USUAL_K)
    numbers = all(_DECIMAL_COMMA.fullmatch(value) for value in domain if value != MISSING)
    return ProposedHierarchy(declaration, found, numbers and any("," in one for one in domain))
