"""Generate sentences about the guarantee of a differentially private release.

The sentences are generated from epsilon, the unit of privacy, the ledger, and the request. No
document contains the sentences, so a forger cannot insert other sentences into a certificate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import expm1, floor, log10
from typing import Any

from roadstead.differential.budget import BudgetStep
from roadstead.release.facts import amount
from roadstead.release.private.certificate import EVERYTHING, SAMPLE, PublicColumn
from roadstead.release.private.units import PrivacyUnit
from roadstead.release.verification.checks import counted

RANDOMNESS = (
    "All randomness came from the cryptographic generators of OpenDP and Python, which use the "
    "operating system. No seed was set or kept, so the noise cannot be generated again and "
    "removed."
)

POST_PROCESSING = (
    "The numbers of released records were computed from noisy counts and from public "
    "information. This computation did not use the table again, so it uses no privacy budget."
)

_POST_PROCESSING_OF_SAMPLE = (
    "The records are sorted by their labels. Sorting uses no privacy budget. Each record was "
    "in the table, and its values are true."
)
_SEVERAL_RECORDS_OF_SAMPLE = (
    "People with more than one record: for a person with n records, epsilon is multiplied by n, "
    "and delta by n e^((n - 1) epsilon) (group privacy)."
)
_SEVERAL_NAMES_OF_SAMPLE = (
    "People with several names in the table: for a person with n names, epsilon is multiplied by "
    "n, and delta by n e^((n - 1) epsilon) (group privacy)."
)
_LEFT_OUT = (
    "A record is left out if one of its values or numbers is outside the domain of its column, "
    "regardless of the other values. A number between two steps counts as the lower step."
)
_DELTA = (
    "Delta: the probability of a set of outputs may be above the limit that epsilon sets, but by "
    "at most delta."
)

_POST_PROCESSING_OF_MARGINS = (
    "The records were sampled from a model that was fitted to noisy margins and public "
    "information. The model and the error bars did not use the table again, so they use no "
    "privacy budget."
)

_SEVERAL_RECORDS = (
    "People with more than one record: for a person with n records, epsilon is n times as large "
    "(group privacy)."
)
_SEVERAL_NAMES = (
    "People with several names in the table: for a person with n names, epsilon is n times as "
    "large (group privacy)."
)
NOT_PROTECTED = (
    "Choices made after looking at the table or at earlier results: a range, a taxonomy, "
    "epsilon, or the choice of this release among several releases. The ledger does not record "
    "them.",
    "Other releases about the same people: their epsilons add up with this epsilon (composition).",
    "The existence of the table, its columns, and its owner.",
    "Whether the table could be read: Roadstead refuses a damaged file, or a file with a record "
    "that has too many cells, regardless of epsilon.",
    "The time of the computation, and other traces of the run on the machine.",
    "Facts about a group: they apply to everyone who is known to belong to the group, whether in "
    "the table or not.",
)

_NEIGHBORS = (
    "Add or remove: two tables are neighbors if one table has {} that the other table does not "
    "have."
)
_PLACES = (
    "A number outside its range counts as the nearest end of the range. An item that the "
    "taxonomy does not list is removed from its set. A record is left out if it has another "
    "unlisted value, a missing number, or an unlisted class."
)
_EACH_RECORD = "Each record is processed independently of the others."
_EACH_PERSON = (
    "A record combines the rows of one person, and uses only these rows. It has one value of each "
    "column, chosen as requested, and all items of a set."
)
_NOTHING_OUTSIDE = "If a value is outside its domain, Roadstead does not release the table."
_STOPS_AT_PERSONS = (
    "Whether a row lacks a person ID, or a person has two values in a column that must have one: "
    "Roadstead does not release a table with this error at all, and the ledger does not account "
    "for the refusal."
)
_STOPS = (
    "Whether a value is outside its domain: Roadstead does not release a table with such a value "
    "at all, and the ledger does not account for the refusal."
)

_MOST_EXPONENT = 700
"""The largest epsilon for which e to the power of epsilon fits into a float."""
_LONG = 10**6
_WHOLE = 100
_DIGITS, _SIGNIFICANT = 40, 3


def factor(epsilon: Fraction) -> str:
    """Return e to the power of epsilon, rounded up, with enough digits that it differs from 1."""
    if epsilon > _MOST_EXPONENT:
        return "more than 10^300"
    context = Context(prec=_DIGITS, rounding=ROUND_CEILING)
    exponent = context.divide(Decimal(epsilon.numerator), Decimal(epsilon.denominator))
    # The `exp` of `Decimal` always rounds to nearest, so the next larger number is an upper bound.
    value = context.next_plus(context.exp(exponent))
    if value >= _LONG:
        cut = Context(prec=_SIGNIFICANT, rounding=ROUND_CEILING).plus(value)
        return f"{cut:.{_SIGNIFICANT - 1}e}"
    decimals = 0 if value >= _WHOLE else max(2, 1 - floor(log10(expm1(epsilon))))
    return f"{value.quantize(Decimal(1).scaleb(-decimals), context=context):,}"


def guarantee(epsilon: Fraction, unit: PrivacyUnit, settings: Mapping[str, Any]) -> str:
    """Return the guarantee of the release as a sentence."""
    left_out = "; this does not include tables with a value outside its domain"
    written = amount(epsilon)
    power = f"e^({written})" if "/" in written else f"e^{written}"
    kind, any_output, more = f"epsilon-differential privacy with epsilon = {written}", "output", ""
    whom = unit.stated
    if settings.get("for") == SAMPLE:
        delta = settings.get("delta")
        kind = f"(epsilon, delta)-differential privacy with epsilon = {written}, delta = {delta}"
        any_output, more = "set of outputs", f", plus at most {delta}"
        if not unit.persons:
            whom += " In that case, delta is more than n times as large."
    return (
        f"{kind}: adding or removing {unit.words} changes the probability of any {any_output} by a "
        f"factor of at most {power} = "
        f"{factor(epsilon)}{more}{left_out if settings.get('outside') == 'stop' else ''}. {whom}"
    )


_CHOICE_OF_LEVELS = (
    (
        "Levels: permute-and-flip chooses among all combinations. It is as private as the "
        "exponential mechanism."
    ),
)
_SAMPLING = (
    "Sample: each record was sampled independently with the same probability. The sampled records "
    "were generalized to the levels, and groups smaller than the minimum were left out (SafePub).",
)


_SPLITS = {"first-split", "splits"}
_CHOICES = {"choice", "stopping", "values", "item", "pair", "levels"}


def mechanisms(steps: Sequence[BudgetStep], rows: int | None = None) -> tuple[str, ...]:
    """Return one sentence for each mechanism that the steps of a ledger use.

    `rows` is the maximum number of records that are used per person. The sensitivities are
    multiplied by this number.
    """
    kinds = {step.kind for step in steps}
    if "sample" in kinds:
        return (*_CHOICE_OF_LEVELS[: len(steps) - 1], *_SAMPLING)
    of_one = 1 if rows is None else rows
    made = {
        "Split points: the exponential mechanism chooses among all steps of the range.": bool(
            kinds & _SPLITS
        ),
        "Other choices: permute-and-flip. It is as private as the exponential mechanism.": bool(
            kinds & _CHOICES
        ),
        f"Counts: discrete Laplace noise with the scale {of_one:,} divided by the epsilon of the "
        "step.": True,
        f"People: at most {counted(of_one, 'record')} per person were used, chosen at random and "
        "independently for each person, with a key that was not kept. Every sensitivity is "
        f"{of_one:,} times the sensitivity for one record.": rows is not None,
    }
    return tuple(sentence for sentence, used in made.items() if used)


def declared_words(column: PublicColumn) -> str:
    """Describe the declared domain of a column."""
    if column.kind == "classes":
        return f"the class to predict, with {column.size:,} declared values"
    if column.range is not None:
        low, high, step = column.range
        return f"numbers from {low} to {high} in steps of {step}, as declared"
    kind = "sets of items" if column.kind == "set" else "values"
    return f"{kind} from a taxonomy with {column.size:,} values ({column.origin})"


def words(
    epsilon: Fraction,
    unit: PrivacyUnit,
    steps: Sequence[BudgetStep],
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the sentences of a page, which are generated from the facts of a release."""
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
