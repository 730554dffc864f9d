"""Check the sum and the steps of the ledger of a differentially private release.

Amounts are compared exactly. The files do not show whether the noise in a step was generated.
However, the ledger of a release of groups can contain only certain steps, and each step requires a
certain kind of attribute.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import BudgetStep
from roadstead.differential.domains import AttributeCut, NumericCut, SetCut
from roadstead.differential.listing import expected_false_records, few_false, one_deviation
from roadstead.differential.synthesis import FALSE_SHARE, TOTALS, TOTALS_SHARE
from roadstead.release.facts import amount
from roadstead.release.private.certificate import PrivateCertificate, Released
from roadstead.release.verification.checks import Check, counted


def check_ledger(certificate: PrivateCertificate) -> Check:
    """Check that the exact amounts add up to epsilon."""
    name = "the entries of the ledger add up to epsilon"
    try:
        epsilon = Fraction(certificate.exact)
        spent = [Fraction(one.exact) for one in certificate.ledger]
        rounded = [float(one) for one in (epsilon, *spent)]
    except (ZeroDivisionError, OverflowError):
        return Check(name, passed=False, detail="an entry is not a fraction")
    total = sum(spent, Fraction(0))
    stated = [certificate.epsilon, *(one.epsilon for one in certificate.ledger)]
    wrong = None
    if min(spent, default=Fraction(0)) <= 0:
        wrong = "an entry is not above 0"
    elif total != epsilon:
        wrong = f"the entries add up to {amount(total)}, but epsilon is {amount(epsilon)}"
    elif certificate.spent != str(total):
        wrong = "the stated sum is different"
    elif rounded != stated or certificate.exact != str(epsilon):
        wrong = "a number does not match its fraction"
    detail = f"{counted(len(spent), 'entry', 'entries')}, {amount(total)} in all"
    return Check.of(name, wrong, detail)


def check_paid(cuts: Sequence[AttributeCut], certificate: PrivateCertificate) -> Check:
    """Check that each step can occur in the ledger of a release of groups."""
    steps = [one.step for one in certificate.ledger]
    ranges = [cut.attribute for cut in cuts if isinstance(cut, NumericCut) and cut.domain.size > 1]
    sets = [cut.attribute for cut in cuts if isinstance(cut, SetCut)]
    of = {"splits": ranges, "combinations": sets}
    first = [step.of for step in steps if step.kind == "first-split"]
    choices = [step.number for step in steps if step.kind == "choice"]
    told = len(certificate.specializations)
    wrong = None
    if first not in ([], [(name,) for name in ranges]) or (choices and ranges and not first):
        wrong = "the first split points belong to other attributes"
    elif choices != [*range(1, len(choices) + 1)] or len(choices) < told:
        wrong = "there are choices other than specializations"
    elif steps[-1:] != [BudgetStep("groups")]:
        wrong = "the counts of the groups are not the last entry"
    elif any(
        Fraction(one.exact) != Fraction(certificate.exact) * TOTALS_SHARE
        for one in certificate.ledger
        if one.step == TOTALS
    ):
        wrong = "the totals of the classes cost a different share of epsilon"
    elif any(_is_foreign(step, of) for step in steps[:-1]):
        wrong = "a step does not fit this kind of release, or belongs to another attribute"
    name = "each step fits this kind of release"
    return Check.of(name, wrong, counted(len(steps), "step"))


def _is_foreign(step: BudgetStep, of: Mapping[str, Sequence[str]]) -> bool:
    """Return whether any step before the last step cannot occur in a release of groups."""
    if step.kind in of:
        return step.number is not None or len(step.of) != 1 or step.of[0] not in of[step.kind]
    plain = step in (BudgetStep("stopping"), BudgetStep("totals"))
    return not plain and step.kind not in ("first-split", "choice")


def check_threshold(
    noisy: NDArray[np.int64], certificate: PrivateCertificate, stated: Released
) -> Check:
    """Check the listed counts, and whether their threshold follows from epsilon.

    The threshold depends on the noise, so a smaller epsilon requires a larger threshold.
    """
    least, wrong = stated.least, None
    if (below := int(((noisy > 0) & (noisy < least)).sum())) > 0:
        wrong = f"{counted(below, 'noisy count')} below {least:,}"
    elif (empty := int((noisy == 0).all(axis=1).sum())) > 0:
        wrong = f"{counted(empty, 'group')} without a listed count"
    elif not _follows(noisy, certificate, stated):
        wrong = f"a threshold of {least:,} does not follow from the epsilon of the counts"
    detail = f"all noisy counts are at least {least:,}"
    return Check.of("the listed counts reach the threshold", wrong, detail)


def _follows(noisy: NDArray[np.int64], certificate: PrivateCertificate, stated: Released) -> bool:
    """Compute the threshold again, as `roadstead.differential.synthesis.consistent` does."""
    if not certificate.specializations and any(one.step == TOTALS for one in certificate.ledger):
        return stated.least == stated.all_groups == 1  # only the totals of the classes are released
    try:
        each = Fraction(certificate.ledger[-1].exact) / certificate.privacy_unit.records
        cells = stated.all_groups * noisy.shape[1]
        lowest, highest = one_deviation(each, cells), few_false(each, cells)
        if not noisy.size or stated.least == highest:
            return lowest <= stated.least <= highest
        (false,) = expected_false_records(np.array([stated.least]), cells, float(each))
    except (IndexError, ValueError, ArithmeticError):
        return False
    listed = noisy[noisy > 0]
    believable = float(false) <= FALSE_SHARE * int(listed.sum()) * (1 + 1e-9)
    return lowest <= stated.least < highest and stated.least == listed.min() and believable
