"""Check that the cells of each column with a date rule can result from the rule.

The files do not show by how many days a date was shifted. But numbers of days and ages are whole
numbers, and a shifted date is a day. So a policy cannot declare original dates as numbers of days
or as ages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roadstead.hierarchies.rules import Identity
from roadstead.policies.document import SUPPRESSED, Policy
from roadstead.policies.person_rules import ANCHOR
from roadstead.printable import named
from roadstead.release.verification.checks import Check, counted
from roadstead.tables.failures import engine_errors
from roadstead.tables.text import MISSING, as_text

if TYPE_CHECKING:
    from roadstead.tables.source import Source

_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_DAYS = "-?(0|[1-9][0-9]{0,4})"
_CELLS: Final = {
    "interval": _DAYS,
    "shifted-anchor": _DAYS,
    "since": _DAYS,
    "age": "([0-9]|[1-8][0-9]|90)",
    "shift": _DAY,
    "shift-time": f"{_DAY}([ T].*)?",
}
"""The cells of each form of a date rule, before generalization. Any cell can also be empty."""


def check_dates(source: Source, policy: Policy) -> list[Check]:
    """Check the columns with date rules. A generalized column must not show a day."""
    if policy.persons is None:
        return []
    forms = {rule.column: rule.form for rule in policy.persons.dates}
    if policy.persons.shifted_anchor is not None:
        forms[ANCHOR] = "shift"
    return [
        _check(source, policy, column, _CELLS[form], policy.persons.does[column])
        for column, form in forms.items()
        if column in source.columns
    ]


def _check(source: Source, policy: Policy, column: str, cells: str, does: str) -> Check:
    text = as_text(source.table[column])
    own = next((one for one in policy.attributes if one.name == column), None)
    if own is not None and (policy.recoding is not None or not isinstance(own.rule, Identity)):
        wrong = text.re_search(f"^{_DAY}")
    else:
        other = (MISSING,) if own is None else (MISSING, SUPPRESSED, *own.missing_codes)
        wrong = ~(text.re_search(f"^{cells}$") | text.isin(other))
    with engine_errors(source.name):
        number = int(source.table.filter(wrong).count().to_pyarrow().as_py())
    reason = f"{counted(number, 'cell')} cannot come from the date rule ({does})"
    return Check.of(f"{named(column)} follows its date rule", reason if number else None, does)
