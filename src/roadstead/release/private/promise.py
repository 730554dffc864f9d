"""What a differentially private release promises, in words that follow from its numbers.

Whoever reads a certificate reads these words, so none of them is written by hand: each follows from
epsilon, the unit of privacy, the ledger, the request and the cut, and can be compared with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import expm1, floor, log10
from typing import Any

from roadstead.differential.attribute_cuts import AttributeCut, NumericCut, SetCut
from roadstead.release.private.taxonomies import origin_of

RANDOMNESS = (
    "All chance came from generators made for cryptography, those of OpenDP and of Python, which "
    "the operating system feeds. No seed was set or kept, so the noise cannot be drawn again and "
    "taken off."
)

POST_PROCESSING = (
    "The numbers of records released were made from counts with noise and from what is public, "
    "without another look at the table, and so cost nothing."
)

NOT_PROTECTED = (
    "People behind more than one unit: for somebody behind n of them the guarantee is that of n "
    "times epsilon (group privacy).",
    "What was chosen after a look at the table or at earlier results: a range, a taxonomy, "
    "epsilon, or this release out of several. The ledger does not know of it.",
    "Other releases about the same people: their epsilons add up with this one (composition).",
    "That the table exists, which columns it has, and whose it is.",
    "That the table could be read: a file that is damaged, or has a record with too many cells, is "
    "refused, whatever epsilon.",
    "How long the computation took, and other traces of its run on the machine.",
    "What is true of a group: who is known to belong to it can be judged by it, in the table or "
    "not.",
)

_STOPS = (
    "Whether a value lies outside its domain: such a table would not have been released at all, "
    "and the ledger does not pay for that."
)

_MOST_EXPONENT = 700
"""Beyond it e to the power of epsilon is no float."""
_MOST_DECIMALS = 20
_LONG = 10**6
_WHOLE = 100
_DIGITS, _SIGNIFICANT = 40, 3


def amount(epsilon: Fraction) -> str:
    """Write an epsilon exactly: as a decimal number where it is one, else as a fraction."""
    decimals = 0
    while (epsilon * 10**decimals).denominator > 1 and decimals <= _MOST_DECIMALS:
        decimals += 1
    if decimals > _MOST_DECIMALS:
        return str(epsilon)
    digits = str(int(epsilon * 10**decimals)).zfill(decimals + 1)
    return f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits


def factor(epsilon: Fraction) -> str:
    """Write e to the power of epsilon, rounded up, so that its difference from 1 can be seen."""
    if epsilon > _MOST_EXPONENT:
        return "more than 10^300"
    context = Context(prec=_DIGITS, rounding=ROUND_CEILING)
    exponent = context.divide(Decimal(epsilon.numerator), Decimal(epsilon.denominator))
    # Decimal's exp rounds to nearest whatever the context says; one unit more is above it.
    value = context.next_plus(context.exp(exponent))
    if value >= _LONG:
        cut = Context(prec=_SIGNIFICANT, rounding=ROUND_CEILING).plus(value)
        return f"{cut:.{_SIGNIFICANT - 1}e}"
    decimals = 0 if value >= _WHOLE else max(2, 1 - floor(log10(expm1(epsilon))))
    return f"{value.quantize(Decimal(1).scaleb(-decimals), context=context):,}"


def guarantee(epsilon: Fraction, unit: str, settings: Mapping[str, Any]) -> str:
    """Say what holds of the release."""
    left_out = "; tables with a value outside its domain are left out of this"
    written = amount(epsilon)
    power = f"e^({written})" if "/" in written else f"e^{written}"
    return (
        f"epsilon-differential privacy with epsilon = {written}: adding or removing {unit} changes "
        f"the probability of any output by a factor of at most {power} = {factor(epsilon)}"
        f"{left_out if settings.get('outside') == 'stop' else ''}."
    )


def neighbors(unit: str) -> str:
    """Say which tables must be hard to distinguish."""
    return f"Add or remove: two tables are neighbors if one has {unit} that the other has not."


def mechanisms(steps: Sequence[str]) -> tuple[str, ...]:
    """Say by which mechanisms the steps of a ledger were made; noisy counts are in any release."""
    points = any(step.startswith(("first split point of ", "split points of ")) for step in steps)
    choices = any(step.startswith("choice of ") for step in steps)
    return (
        *(["Split points: exponential mechanism over every step of the range."] if points else []),
        *(
            ["Other choices: permute-and-flip, as private as the exponential mechanism."]
            if choices
            else []
        ),
        "Counts: discrete Laplace noise of scale 1 / epsilon of the step.",
    )


def outside(settings: Mapping[str, Any]) -> str:
    """Say what became of values that no domain has."""
    if settings.get("outside") == "stop":
        return "A table with a value outside its domain is not released."
    return (
        "A number beyond its range counts as the nearest end; an item that the taxonomy does not "
        "list is not in its set; a record with another value, a missing number or a class that is "
        "not listed is left out. Each record is judged by itself."
    )


def not_protected(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Say what the guarantee does not cover."""
    return (*NOT_PROTECTED, _STOPS) if settings.get("outside") == "stop" else NOT_PROTECTED


def public(cuts: Sequence[AttributeCut], target: str, classes: Sequence[str]) -> tuple[str, ...]:
    """Say what was declared, and not read off the table."""
    return (
        *(f"{cut.attribute}: {_domain(cut)}." for cut in cuts),
        f"{target}: the class to be predicted, {len(classes):,} values, declared.",
    )


def _domain(cut: AttributeCut) -> str:
    if isinstance(cut, NumericCut):
        domain = cut.domain
        return f"numbers from {domain.low} to {domain.high} in steps of {domain.step}, declared"
    taxonomy = cut.domain.taxonomy
    kind = "sets of items" if isinstance(cut, SetCut) else "values"
    return f"{kind} of a taxonomy of {taxonomy.size:,}, from {origin_of(taxonomy)}"
