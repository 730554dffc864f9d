"""What a differentially private release guarantees, in sentences made of its facts.

No document holds them. They are made of epsilon, the unit of privacy, the ledger and the request
where somebody reads them, so nobody can write others into a certificate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import expm1, floor, log10
from typing import Any

from roadstead.differential.budget import BudgetStep
from roadstead.release.private.certificate import EVERYTHING, SAMPLE, PublicColumn
from roadstead.release.private.units import PrivacyUnit
from roadstead.release.verification.checks import counted

RANDOMNESS = (
    "All chance came from generators made for cryptography, those of OpenDP and of Python, which "
    "the operating system feeds. No seed was set or kept, so the noise cannot be drawn again and "
    "taken off."
)

POST_PROCESSING = (
    "The numbers of records released were made from counts with noise and from what is public, "
    "without another look at the table, and so cost nothing."
)

_POST_PROCESSING_OF_SAMPLE = (
    "The records stand in the order of their labels, which costs nothing. Each was in the table, "
    "and what is said of it is true."
)
_SEVERAL_RECORDS_OF_SAMPLE = (
    "Persons with more than one record: for somebody with n of them epsilon is n times as large, "
    "and delta n times e to the power of (n - 1) epsilon (group privacy)."
)
_SEVERAL_NAMES_OF_SAMPLE = (
    "Persons whom the table names in more than one way: for somebody with n names epsilon is n "
    "times as large, and delta n times e to the power of (n - 1) epsilon (group privacy)."
)
_LEFT_OUT = (
    "A record with a value, or a number, that is not in the domain of its column is left out, "
    "whatever the others are. A number between two steps counts as the lower one."
)
_DELTA = (
    "Delta: outputs of which epsilon alone does not hold come with a probability of at most delta "
    "more than epsilon allows."
)

_POST_PROCESSING_OF_MARGINS = (
    "The records were drawn from a model that was fitted to margins with noise and to what is "
    "public, without another look at the table, and so cost nothing; nor do the error bars."
)

_SEVERAL_RECORDS = (
    "Persons with more than one record: for somebody with n of them the guarantee is that of n "
    "times epsilon (group privacy)."
)
_SEVERAL_NAMES = (
    "Persons whom the table names in more than one way: for somebody with n names the guarantee is "
    "that of n times epsilon (group privacy)."
)
NOT_PROTECTED = (
    "What was chosen after a look at the table or at earlier results: a range, a taxonomy, "
    "epsilon, or this release out of several. The ledger does not know of it.",
    "Other releases about the same persons: their epsilons add up with this one (composition).",
    "That the table exists, which columns it has, and whose it is.",
    "That the table could be read: a file that is damaged, or has a record with too many cells, is "
    "refused, whatever epsilon.",
    "How long the computation took, and other traces of its run on the machine.",
    "What is true of a group: who is known to belong to it can be judged by it, in the table or "
    "not.",
)

_NEIGHBORS = "Add or remove: two tables are neighbors if one has {} that the other has not."
_PLACES = (
    "A number beyond its range counts as the nearest end; an item that the taxonomy does not "
    "list is not in its set; a record with another value, a missing number or a class that is "
    "not listed is left out."
)
_EACH_RECORD = "Each record is judged by itself."
_EACH_PERSON = (
    "A record is what the rows of one person were gathered into, by these rows alone: one value of "
    "each column, as the request says, and all items of a set."
)
_NOTHING_OUTSIDE = "A table with a value outside its domain is not released."
_STOPS_AT_PERSONS = (
    "Whether a row has no person, or a person has two values of a column that was to have one: "
    "such a table would not have been released at all, and the ledger does not pay for that."
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


def guarantee(epsilon: Fraction, unit: PrivacyUnit, settings: Mapping[str, Any]) -> str:
    """Say what holds of the release."""
    left_out = "; tables with a value outside its domain are left out of this"
    written = amount(epsilon)
    power = f"e^({written})" if "/" in written else f"e^{written}"
    kind, any_output, more = f"epsilon-differential privacy with epsilon = {written}", "output", ""
    whom = unit.stated
    if settings.get("for") == SAMPLE:
        delta = settings.get("delta")
        kind = f"(epsilon, delta)-differential privacy with epsilon = {written}, delta = {delta}"
        any_output, more = "set of outputs", f", and by at most {delta} beyond that"
        if not unit.persons:
            whom += " Delta is more than n times as large then."
    return (
        f"{kind}: adding or removing {unit.words} changes "
        f"the probability of any {any_output} by a factor of at most {power} = {factor(epsilon)}"
        f"{more}{left_out if settings.get('outside') == 'stop' else ''}. {whom}"
    )


_CHOICE_OF_LEVELS = (
    "Levels: permute-and-flip among all combinations, as private as the exponential mechanism.",
)
_SAMPLING = (
    "Sample: each record was drawn by itself, with one chance for all. Those drawn were "
    "generalized by the levels, and classes of fewer than the least number left out (SafePub).",
)


_SPLITS = {"first-split", "splits"}
_CHOICES = {"choice", "stopping", "values", "item", "pair", "levels"}


def mechanisms(steps: Sequence[BudgetStep], rows: int | None = None) -> tuple[str, ...]:
    """Say by which mechanisms the steps of a ledger were made; noisy counts are in any release.

    `rows`: how many records of a person were used at most, which is what multiplies sensitivities.
    """
    kinds = {step.kind for step in steps}
    if "sample" in kinds:
        return (*_CHOICE_OF_LEVELS[: len(steps) - 1], *_SAMPLING)
    of_one = 1 if rows is None else rows
    made = {
        "Split points: exponential mechanism over every step of the range.": bool(kinds & _SPLITS),
        "Other choices: permute-and-flip, as private as the exponential mechanism.": bool(
            kinds & _CHOICES
        ),
        f"Counts: discrete Laplace noise of scale {of_one:,} / epsilon of the step.": True,
        f"Persons: of each at most {counted(of_one, 'record')} could be used, chosen at random for "
        "each person independently of all others, with a key that was not kept; every sensitivity "
        f"is {of_one:,} times that of one record.": rows is not None,
    }
    return tuple(sentence for sentence, used in made.items() if used)


def declared_words(column: PublicColumn) -> str:
    """Say what was declared of a column, and not read off the table."""
    if column.kind == "classes":
        return f"the class to be predicted, {column.size:,} values, declared"
    if column.range is not None:
        low, high, step = column.range
        return f"numbers from {low} to {high} in steps of {step}, declared"
    kind = "sets of items" if column.kind == "set" else "values"
    return f"{kind} of a taxonomy of {column.size:,}, from {column.origin}"


def words(
    epsilon: Fraction,
    unit: PrivacyUnit,
    steps: Sequence[BudgetStep],
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the sentences of a page, as they follow from the facts of a release.

    Neighbors are tables that must be hard to distinguish.
    """
    purpose = settings.get("for")
    stops = settings.get("outside") == "stop"
    not_paid = ([_STOPS, _STOPS_AT_PERSONS] if unit.persons else [_STOPS]) if stops else []
    judged = _EACH_PERSON if unit.persons and unit.rows is None else _EACH_RECORD
    sample = purpose == SAMPLE
    of_records = _SEVERAL_RECORDS_OF_SAMPLE if sample else _SEVERAL_RECORDS
    of_persons = _SEVERAL_NAMES_OF_SAMPLE if sample else _SEVERAL_NAMES
    several = of_persons if unit.persons else of_records
    places = _LEFT_OUT if sample else _PLACES
    made = {EVERYTHING: _POST_PROCESSING_OF_MARGINS, SAMPLE: _POST_PROCESSING_OF_SAMPLE}
    deltas = [_DELTA] if sample else []
    return {
        "guarantee": guarantee(epsilon, unit, settings),
        "neighbors": _NEIGHBORS.format(unit.words),
        "mechanisms": mechanisms(steps, unit.rows),
        "randomness": RANDOMNESS,
        "outside": _NOTHING_OUTSIDE if stops else f"{places} {judged}",
        "post_processing": made.get(str(purpose), POST_PROCESSING),
        "not_protected": (several, *deltas, *NOT_PROTECTED, *not_paid),
    }
