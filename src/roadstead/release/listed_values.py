"""Reject a policy that lists rare values of the table, because a release contains its policy.

A hierarchy file that was generated from the table lists exactly the values that occur, such as each
date of birth. A list that also contains other values, such as all codes of a classification, does
not reveal which values occur.
"""

from __future__ import annotations

import numpy as np

from roadstead.code_systems.recognition import recognized
from roadstead.errors import PolicyError, quoted
from roadstead.hierarchies.rules import MISSING, Groups, Identity, Rule
from roadstead.policies.document import Policy
from roadstead.policies.recodings.document import NodeParts
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.identifiers.vocabulary import is_called, words
from roadstead.tables.persons.profiles import PersonTable

_MADE_FROM_THE_TABLE = 0.95
"""The share of a list's values that must occur in the table before the list can be rejected."""
_MOST_RARE = 100
"""The minimum number of rare values in a rejected list. Short lists are common."""


def require_no_list_of_rare_values(policy: Policy, table: FrequencyTable, k: int) -> None:
    """Reject rules that list many values with fewer than `k` records or people each."""
    unit = "people" if isinstance(table, PersonTable) else "records"
    for at, does in enumerate(policy.attributes):
        listed = _listed(policy, at)
        if not listed or does.name not in table.attributes:
            continue
        occurring, rare = _counted(table, does.name, listed, k)
        if rare >= _MOST_RARE and occurring >= _MADE_FROM_THE_TABLE * len(listed):
            raise PolicyError(
                f"the policy of the release would list {rare:,} values that fewer than {k} {unit} "
                "have, because the hierarchy lists the values of this table",
                where=f"column {quoted(does.name)}",
                fix=f"declare the hierarchy by a rule, such as {_rule_for(does.name, listed)}, or "
                "list all possible values, not only the values in the table",
            )


def _rule_for(column: str, listed: set[str]) -> str:
    """Name a code book if the codes of a column are recognized. Otherwise, name kinds of rules."""
    found = recognized(words(column), sorted(listed), postal=is_called(column, "zip"))
    if found is None or found.chosen is None:
        return "dates, intervals, or prefixes"
    return f'{{kind = "codes", book = "{found.chosen.name}"}}'


def _listed(policy: Policy, at: int) -> set[str]:
    """Return the values that the rules for a quasi-identifier list individually."""
    rules: list[Rule] = [policy.attributes[at].rule]
    found: set[str] = set()
    if policy.recoding is not None:
        parts = policy.recoding.attributes[at]
        if isinstance(parts, NodeParts):
            rules += parts.rules
        else:
            found.update(parts.listed)
    for rule in rules:
        if isinstance(rule, Groups):
            found.update(value for _, values in rule.groups for value in values)
        elif isinstance(rule, Identity):
            found.update(rule.values or ())
    return found - {MISSING}


def _counted(table: FrequencyTable, name: str, listed: set[str], k: int) -> tuple[int, int]:
    """Count the listed values that occur in the table, and the rare values among them.

    A value is rare if fewer than `k` records or people have the value.
    """
    at = table.attributes.index(name)
    domain, size = table.domains[at], len(table.domains[at])
    occurs = np.bincount(table.codes[at], weights=table.counts, minlength=size) > 0
    own = np.array([value in listed for value in domain], dtype=np.bool_) & occurs
    having = table.units_in(table.codes[at], size)
    if table.population is not None:
        others = np.bincount(table.codes[at], weights=table.population, minlength=size)
        having = np.maximum(having, others)
    return int(np.count_nonzero(own)), int(np.count_nonzero(own & (having < k)))
