"""Generate the records of a private release for general use from a private table.

The module reduces long lists to frequent values or items, counts margins with noise, fits a model
to the margins, and draws records from the model. Only ``long_lists``, ``frequent_items``, and
``choosing`` use the table, and each use is paid for from the budget.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Accountant, Grant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.domains import AttributeCut
from roadstead.differential.margins.choosing import NoisyMargin, measure
from roadstead.differential.margins.drawing import drawn_records
from roadstead.differential.margins.finest_cuts import finest_cut
from roadstead.differential.margins.frequent_items import with_frequent_items
from roadstead.differential.margins.long_lists import with_short_lists
from roadstead.differential.margins.variables import Variable, coded
from roadstead.differential.private_table import PrivateTable
from roadstead.errors import MissingExtraError, SettingError


@dataclass(frozen=True, eq=False)
class EveryUse:
    """The result for a private table. Every part of the result may be released."""

    ledger: tuple[Grant, ...]  # the payments from the budget
    cuts: tuple[AttributeCut, ...]
    variables: tuple[Variable, ...]
    margins: tuple[NoisyMargin, ...]
    # The drawn records; shape ``(variables, records)``.
    values: NDArray[np.int64] = field(repr=False)


def for_every_use(
    table: PrivateTable, epsilon: Fraction, target: str | None, mechanisms: Mechanisms
) -> EveryUse:
    """Spend a budget on margins, and draw records that agree with them."""
    try:
        from threadpoolctl import threadpool_limits  # noqa: PLC0415 - optional
    except ModuleNotFoundError:
        raise MissingExtraError(
            "a model of margins requires SciPy and threadpoolctl", fix="pip install 'roadstead[dp]'"
        ) from None
    accountant = Accountant(epsilon, table.of_one)
    table = with_short_lists(table, accountant, mechanisms)
    table = with_frequent_items(table, accountant, mechanisms)
    cuts = tuple(finest_cut(domain) for domain in table.domains)
    records = coded(table, cuts, target)
    _check_names(records.variables)
    # Threads that wait for each other are ten times slower if other processes are also busy.
    with threadpool_limits(limits=1, user_api="blas"):
        found = measure(records, accountant, mechanisms)
    values = drawn_records(found.model, mechanisms)
    return EveryUse(accountant.ledger, cuts, records.variables, found.margins, values)


def _check_names(variables: tuple[Variable, ...]) -> None:
    """Reject a release that could not show anything. Only the domains determine the answer."""
    names = [one.name for one in variables]
    if not names:
        what = "no attribute has two or more different values"
        fix = "declare domains with more values"
    elif len(set(names)) < len(names):
        what, fix = "a column has the same name as a node of a set", "rename the set"
    else:
        return
    raise SettingError(what, where="release for everything", fix=fix)
