"""Check the sum and the steps of the ledger of a differentially private release.

Amounts are compared exactly. The files do not show whether the noise in a step was generated.
However, the ledger of a release of groups can contain only certain steps, each for an attribute of
the right kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from roadstead.differential.budget import BudgetStep
from roadstead.differential.domains import AttributeCut, NumericCut, SetCut
from roadstead.release.private.certificate import PrivateCertificate
from roadstead.release.private.guarantee import amount
from roadstead.release.verification.checks import Check, counted


def check_ledger(certificate: PrivateCertificate) -> Check:
    """Check that the exact amounts add up to epsilon."""
    name = "the ledger adds up to epsilon"
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
        wrong = f"the entries add up to {amount(total)}, and epsilon is {amount(epsilon)}"
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
    elif any(_is_foreign(step, of) for step in steps[:-1]):
        wrong = "a step does not belong to such a release, or belongs to another attribute"
    name = "each step belongs to such a release"
    return Check.of(name, wrong, counted(len(steps), "step"))


def _is_foreign(step: BudgetStep, of: Mapping[str, Sequence[str]]) -> bool:
    """Return whether a step before the last step cannot occur in a release of groups."""
    if step.kind in of:
        return step.number is not None or len(step.of) != 1 or step.of[0] not in of[step.kind]
    plain = step in (BudgetStep("stopping"), BudgetStep("totals"))
    return not plain and step.kind not in ("first-split", "choice")
