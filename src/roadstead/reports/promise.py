"""Describe the privacy requirements of a release, and the columns that they cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.reports import wording
from roadstead.reports.numbers import percent

if TYPE_CHECKING:
    from roadstead.release.verification.terms import PromiseTerms


def promise_line(terms: PromiseTerms) -> str:
    """Return one sentence with the privacy requirements. It does not say what was checked."""
    if not terms.promised:
        return f"No privacy requirement applies{_measured(terms)}."
    if not terms.reassures:
        return f"Privacy requirement: {terms.clause}. However, {shortfall(terms)}."
    return f"Privacy requirement: {terms.clause}."


def nothing_promised(terms: PromiseTerms) -> str:
    """Return a clause that says that no requirement applies, with the highest risk (if known)."""
    return f"no privacy requirement applies{_measured(terms)}"


def shortfall(terms: PromiseTerms) -> str:
    """Return a clause with the requirements that are not met, and with the risk if it is high."""
    declared = " and ".join(terms.not_kept)
    less = [f"{declared} was declared and is not met"] if declared else []
    return ", and ".join([*less, *([highest(terms)] if terms.risky else [])])


def highest(terms: PromiseTerms) -> str:
    """Return a clause about the highest risk and the knowledge that an attacker needs for it."""
    share = "not measured"
    if terms.highest_risk is not None:
        share = percent(terms.highest_risk, bound="upper")
    by = f" for an attacker who knows {wording.first_few(terms.about)}" if terms.about else ""
    return f"the highest risk is {share}{by}"


def _measured(terms: PromiseTerms) -> str:
    return "" if terms.highest_risk is None else f": {highest(terms)}"
