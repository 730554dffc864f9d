"""The certificate of a differentially private release: what it guarantees, and what it cost.

It holds no exact count of the table, not even how many records there are or were left out: those
are data like any other. All its numbers are noisy, public, or chosen by whoever made the release.
None of its words is written by hand: each follows from epsilon, the unit of privacy, the ledger,
the request and the cut, and can be compared with them.

It ends with a seal, the SHA-256 of itself without the seal. That shows whatever was changed by
mistake. Somebody who knows how it is made can make it anew; it is not a signature.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import expm1, floor, log10
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Discriminator, Field, Tag, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.differential.budget import Grant
from roadstead.differential.domains import AttributeCut, NumericCut, SetCut
from roadstead.differential.sampled.release import SAMPLE as SAMPLE_STEP
from roadstead.release.documents import STRICT, Fingerprint, json_text, read_document
from roadstead.release.evidence import CertifiedAttack
from roadstead.release.private.cut import origin_of
from roadstead.release.private.units import PrivacyUnit, Protects
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

EVERYTHING = "everything"
"""What a release for every use says in its settings that it is for."""

SAMPLE = "sample"
"""What a generalized sample says in its settings that it is for."""

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


def mechanisms(steps: Sequence[str], rows: int | None = None) -> tuple[str, ...]:
    """Say by which mechanisms the steps of a ledger were made; noisy counts are in any release.

    `rows`: how many records of a person were used at most, which is what multiplies sensitivities.
    """
    if steps and steps[-1] == SAMPLE_STEP:
        return (*_CHOICE_OF_LEVELS[: len(steps) - 1], *_SAMPLING)
    of_one = 1 if rows is None else rows
    points = any(step.startswith(("first split point of ", "split points of ")) for step in steps)
    choices = any(step.startswith("choice of ") for step in steps)
    made = {
        "Split points: exponential mechanism over every step of the range.": points,
        "Other choices: permute-and-flip, as private as the exponential mechanism.": choices,
        f"Counts: discrete Laplace noise of scale {of_one:,} / epsilon of the step.": True,
        f"Persons: of each at most {counted(of_one, 'record')} could be used, chosen at random for "
        "each person independently of all others, with a key that was not kept; every sensitivity "
        f"is {of_one:,} times that of one record.": rows is not None,
    }
    return tuple(sentence for sentence, used in made.items() if used)


def public(
    cuts: Sequence[AttributeCut], target: str | None, classes: Sequence[str]
) -> tuple[str, ...]:
    """Say what was declared, and not read off the table."""
    named = f"{target}: the class to be predicted, {len(classes):,} values, declared."
    return (
        *(f"{cut.attribute}: {_domain(cut)}." for cut in cuts),
        *(() if target is None else (named,)),
    )


def _domain(cut: AttributeCut) -> str:
    if isinstance(cut, NumericCut):
        domain = cut.domain
        return f"numbers from {domain.low} to {domain.high} in steps of {domain.step}, declared"
    taxonomy = cut.domain.taxonomy
    kind = "sets of items" if isinstance(cut, SetCut) else "values"
    return f"{kind} of a taxonomy of {taxonomy.size:,}, from {origin_of(taxonomy)}"


_KIND = "roadstead_private_certificate"

Exact: TypeAlias = Annotated[str, Field(pattern=r"^[0-9]+(/[0-9]+)?$", max_length=1000)]
"""A fraction as text."""

Amount: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]
"""The same as a number, rounded."""

Number: TypeAlias = Annotated[int, Field(ge=0, lt=2**63)]


@checked_dataclass(frozen=True, config=STRICT)
class LedgerEntry:
    """An entry of the ledger: a step, what it cost as a number, and exactly."""

    step: str
    epsilon: Amount
    exact: Exact


@checked_dataclass(frozen=True, config=STRICT)
class Released:
    """What is in the tables."""

    groups: Number  # listed
    records: Number
    all_groups: Number  # that the cuts make, listed or not
    least: Annotated[int, Field(ge=1, lt=2**63)]  # the least noisy count that is listed


@checked_dataclass(frozen=True, config=STRICT)
class ReleasedMargins:
    """What is in the tables of a release for every use."""

    records: Number
    margins: Number
    cells: Number  # of all margins
    agreeing: Number  # cells in whose interval the number of released records lies


@checked_dataclass(frozen=True, config=STRICT)
class ReleasedSample:
    """What is in the table of a generalized sample, and what its cost comes to."""

    records: Number
    classes: Number
    least: Annotated[int, Field(ge=2, lt=2**31)]  # records that a class has at least
    chance: Exact  # that each record was drawn with
    delta: Annotated[float, Field(gt=0, lt=1)]
    levels: tuple[Annotated[int, Field(ge=0, lt=2**31)], ...]  # of the attributes, in order


def _kind_of(released: Any) -> str:  # noqa: ANN401 - what a file says, not yet checked
    """Tell the kinds apart before they are checked, so that an error names the entry."""
    if isinstance(released, ReleasedSample) or (
        isinstance(released, Mapping) and "delta" in released
    ):
        return "of a sample"
    margins = isinstance(released, ReleasedMargins) or (
        isinstance(released, Mapping) and "margins" in released
    )
    return "of margins" if margins else "of groups"


ReleasedTables: TypeAlias = Annotated[
    Annotated[Released, Tag("of groups")]
    | Annotated[ReleasedMargins, Tag("of margins")]
    | Annotated[ReleasedSample, Tag("of a sample")],
    Discriminator(_kind_of),
]


@checked_dataclass(frozen=True, config=STRICT)
class PrivateCertificate:
    """A certificate."""

    guarantee: str  # what holds of the release, in words
    epsilon: Amount
    exact: Exact
    neighbors: str  # which tables must be hard to distinguish
    unit: str  # what one of them has more
    protects: Protects  # whether that is a record, or a person with all records
    rows_per_person: Annotated[int, Field(ge=1, lt=2**31)] | None  # at most so many were used
    ledger: tuple[LedgerEntry, ...]
    spent: Exact  # the sum of the ledger
    specializations: tuple[str, ...]  # in order, in words
    mechanisms: tuple[str, ...]
    randomness: str
    public: tuple[str, ...]  # what was declared and not read off the table
    outside: str  # what became of values that no domain has
    post_processing: str  # how the records released came from the noisy counts
    not_protected: tuple[str, ...]
    released: ReleasedTables
    files: tuple[Fingerprint, ...]
    source: str  # the name of the table's file
    settings: dict[str, Any]  # the request
    software: str  # version of Roadstead
    created: str  # in UTC
    # What attacks found, tried before the release left; None where none were.
    attacks: tuple[CertifiedAttack, ...] | None = None
    seal: str = ""  # SHA-256 of the certificate with an empty seal
    roadstead_private_certificate: Literal[2] = 2  # version of this format, and of the words

    @property
    def delta(self) -> float:
        """What is promised beyond the factor of epsilon; 0 but of a generalized sample."""
        return self.released.delta if isinstance(self.released, ReleasedSample) else 0.0

    @property
    def privacy_unit(self) -> PrivacyUnit:
        """Whom the guarantee is for."""
        return PrivacyUnit(self.unit, self.protects, self.rows_per_person)


_CERTIFICATE: TypeAdapter[PrivateCertificate] = TypeAdapter(PrivateCertificate)


def ledger_entries(ledger: Sequence[Grant]) -> tuple[LedgerEntry, ...]:
    """Write a ledger down."""
    return tuple(LedgerEntry(one.step, float(one.epsilon), str(one.epsilon)) for one in ledger)


def words(
    epsilon: Fraction,
    unit: PrivacyUnit,
    ledger: Sequence[LedgerEntry | Grant],
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """Give the entries of a certificate that are words, as they follow from its numbers.

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
        "mechanisms": mechanisms([one.step for one in ledger], unit.rows),
        "randomness": RANDOMNESS,
        "outside": _NOTHING_OUTSIDE if stops else f"{places} {judged}",
        "post_processing": made.get(str(purpose), POST_PROCESSING),
        "not_protected": (several, *deltas, *NOT_PROTECTED, *not_paid),
    }


def rendered(certificate: PrivateCertificate) -> bytes:
    """Write a certificate as JSON; there is one way to write each."""
    document = _CERTIFICATE.dump_python(certificate, mode="json")
    document = {_KIND: document.pop(_KIND), **document}
    if document["attacks"] is None:
        del document["attacks"]
    return json_text(document).encode()


def sealed(certificate: PrivateCertificate) -> PrivateCertificate:
    """Put the seal on a certificate."""
    bare = replace(certificate, seal="")
    return replace(certificate, seal=hashlib.sha256(rendered(bare)).hexdigest())


def read_private_certificate(path: Path) -> PrivateCertificate:
    """Read a certificate; a `VerificationError` if there is none."""
    fix = "name the folder of a release"
    return read_document(path, _CERTIFICATE, "the certificate", where=str(path), fix=fix)
