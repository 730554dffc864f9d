"""A promise in words: what is promised of which columns, and what is not protected.

The report says it before and after all else, the page above what is written, `verify` last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.reports import wording
from roadstead.reports.numbers import percent

if TYPE_CHECKING:
    from roadstead.release.verification.terms import PromiseTerms


def promise_line(terms: PromiseTerms) -> str:
    """Say in one sentence what a release promises; not what was checked of it."""
    if not terms.promised:
        return f"Nothing is promised{_measured(terms)}."
    if not terms.reassures:
        return f"Promised: {terms.clause}; but {shortfall(terms)}."
    return f"Promised: {terms.clause}."


def nothing_promised(terms: PromiseTerms) -> str:
    """Say that nothing is promised, with the highest risk where it is known, as a clause."""
    return f"nothing is promised{_measured(terms)}"


def shortfall(terms: PromiseTerms) -> str:
    """Say why a promise does not reassure, as a clause: what is not kept, and the risk."""
    declared = " and ".join(terms.not_kept)
    less = [f"{declared} was declared and is not kept"] if declared else []
    return ", and ".join([*less, *([highest(terms)] if terms.risky else [])])


def highest(terms: PromiseTerms) -> str:
    """Give the highest risk, and who has to know what for it, as a clause."""
    share = "not measured"
    if terms.highest_risk is not None:
        share = percent(terms.highest_risk, bound="upper")
    by = f" to an attacker who knows {wording.first_few(terms.about)}" if terms.about else ""
    return f"the highest risk is {share}{by}"


def _measured(terms: PromiseTerms) -> str:
    return "" if terms.highest_risk is None else f": {highest(terms)}"
