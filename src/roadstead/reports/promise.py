"""Describe the privacy requirements of a release, and the columns that they cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.reports import wording
from roadstead.reports.numbers import percent

if TYPE_CHECKING:
    from roadstead.release.certificate import RiskIfUndone
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
    worst, undone, of = terms.worst_risk, terms.risk_if_undone, ""
    share = "not measured" if worst is None else percent(worst, bound="upper")
    by = f" for an attacker who knows {wording.first_few(terms.about)}" if terms.about else ""
    if undone is not None and undone.maximum == worst:
        by += f", because {undone.clause}"
    elif worst is not None and worst != terms.highest_risk:
        of = f" ({wording.counted(terms.masked_records or 0, 'record')} with *)"
    return f"the highest risk is {share}{of}{by}"


def _measured(terms: PromiseTerms) -> str:
    return "" if terms.worst_risk is None else f": {highest(terms)}"


def of_masked(masked: int, highest: float) -> str:
    """Return the risk of the masked records in words if it is above the highest risk, or ""."""
    if not masked or 1.0 / masked <= highest:
        return ""
    own, records = percent(1.0 / masked, bound="upper"), wording.counted(masked, "record")
    return f"{own} for {'each of ' * (masked > 1)}the {records} with *"


def undone_sentence(found: RiskIfUndone) -> str:
    """Return the risk if columns undo the generalization of others, with the reason."""
    columns = wording.listed(found.columns)
    more = " With several known rows, the probability can be higher." if found.at_least else ""
    return (
        f"{found.clause}. If an attacker knows only the quasi-identifiers, and which of their "
        f"values belong to each value of {columns}, the attacker picks the right {found.unit} with "
        f"a probability of up to {percent(found.maximum, bound='upper')}.{more}"
    )
