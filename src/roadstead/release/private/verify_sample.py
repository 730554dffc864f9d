"""Check a generalized sample from its files alone, without the table.

The values in each column must be at one level of the column's public domain. No class may have
fewer records than the certified minimum. The sampling probability and this minimum must be
sufficient for epsilon and delta. The files do not show whether each record was sampled at random
from the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, DecimalException
from fractions import Fraction
from pathlib import Path
from typing import Any

from roadstead.differential.domains import AttributeCut, NumericCut, SetCut
from roadstead.differential.sampled.accounting import deltas, largest_chance
from roadstead.differential.sampled.ladders import Ladder, Widths, ladder_of
from roadstead.differential.sampled.release import CHOICE, SAMPLE
from roadstead.errors import RoadsteadError, VerificationError
from roadstead.release.private.certificate import LedgerEntry, PrivateCertificate, ReleasedSample
from roadstead.release.private.cut import CutDocument, names_of
from roadstead.release.private.tables import RECORDS, read_records
from roadstead.release.verification.checks import Check, counted

UNSEEN = (
    "whether each record was sampled as stated, independently, from which file, and when",
    "whether the records were in the table, and the levels were chosen as stated",
)

_WORD = 1 << 64


def check_sample(
    folder: Path,
    document: CutDocument,
    cuts: Sequence[AttributeCut],
    certificate: PrivateCertificate,
    stated: ReleasedSample,
) -> Iterator[Check]:
    """Check the levels, the accounting, and the records."""
    settings = certificate.settings
    wrong = "there is a specialization" if certificate.specializations else None
    wrong = "a column is unchanged" if document.target is not None else wrong
    # The sampling probability and the smallest class size assume one record per person.
    wrong = "a person has several records" if certificate.rows_per_person is not None else wrong
    wrong = (
        "the request was for a different delta" if settings.get("delta") != stated.delta else wrong
    )
    yield Check.of("the release is a generalized sample", wrong, counted(len(cuts), "attribute"))
    yield _check_levels(cuts, settings, stated)
    yield _check_steps(certificate.ledger, settings)
    yield _check_accounting(certificate.ledger, stated)
    try:
        listed, ordered = read_records(folder, document, cuts)
    except RoadsteadError as error:
        yield Check(
            f"each line of {RECORDS} has the certified levels", passed=False, detail=error.what
        )
        return
    yield Check(
        f"each line of {RECORDS} has the certified levels",
        passed=True,
        detail=counted(listed.records, "record"),
    )
    sizes = listed.released.sum(axis=1)
    small = int((sizes < stated.least).sum())
    wrong = f"{counted(small, 'group')} with fewer" if small else None
    yield Check.of(f"each group has at least {stated.least:,} records", wrong, f"{sizes.size:,}")
    yield Check(
        "the numbers of records and groups match the certificate",
        passed=(listed.records, sizes.size) == (stated.records, stated.classes),
        detail=f"{listed.records:,} records in {sizes.size:,} groups found",
    )
    wrong = None if ordered else "the lines are in a different order"
    yield Check.of(
        "the order of the lines reveals nothing", wrong, "the lines are in the order of the cut"
    )


def _check_levels(
    cuts: Sequence[AttributeCut], settings: Mapping[str, Any], stated: ReleasedSample
) -> Check:
    """Check that all values in a column are at the same level of the column's domain."""
    name = "each attribute has the certified level"
    asked = settings.get("levels")
    given = [asked.get(one.attribute) for one in cuts] if isinstance(asked, Mapping) else None
    if len(stated.levels) != len(cuts) or (given is not None and given != [*stated.levels]):
        return Check(name, passed=False, detail="the request was for different levels")
    for cut, level in zip(cuts, stated.levels, strict=True):
        try:
            ladder = _ladder(cut, settings)
        except RoadsteadError as error:
            return Check(name, passed=False, detail=f"{cut.attribute!r}: {error.what}")
        if level >= ladder.height or names_of(ladder.levels[level]) != names_of(cut):
            return Check(name, passed=False, detail=f"{cut.attribute!r} differs")
    return Check(name, passed=True, detail=", ".join(f"{level}" for level in stated.levels))


def _ladder(cut: AttributeCut, settings: Mapping[str, Any]) -> Ladder:
    """Compute the levels of a domain from the settings in the request."""
    if isinstance(cut, SetCut):
        raise VerificationError("a set does not have levels")
    if not isinstance(cut, NumericCut):
        return ladder_of(cut.domain)
    try:
        own = settings["widths"][cut.attribute]
        widths = Widths(tuple(map(Decimal, own["widths"])), Decimal(own["origin"]))
        if not all(one.is_finite() for one in (*widths.widths, widths.origin)):
            raise VerificationError("a width is not a number")
        return ladder_of(cut.domain, widths)
    except (KeyError, TypeError, ValueError, DecimalException):
        raise VerificationError("its widths are missing") from None


def _check_steps(ledger: Sequence[LedgerEntry], settings: Mapping[str, Any]) -> Check:
    steps = [one.step for one in ledger]
    expected = [SAMPLE] if isinstance(settings.get("levels"), Mapping) else [CHOICE, SAMPLE]
    wrong = None if steps == expected else "there are other steps"
    return Check.of("the ledger lists the steps for a sample", wrong, counted(len(steps), "step"))


def _check_accounting(ledger: Sequence[LedgerEntry], stated: ReleasedSample) -> Check:
    """Check that delta covers the privacy loss beyond epsilon for classes of every size."""
    name = "the probability and the smallest group fit epsilon and delta"
    try:
        epsilon = float(Fraction(ledger[-1].exact))
        chance = Fraction(stated.chance)
        if not 0 < chance * _WORD <= largest_chance(epsilon):
            return Check(name, passed=False, detail="the probability is too large for epsilon")
        lost = deltas(epsilon, float(chance), stated.delta)
    except (RoadsteadError, ValueError, ZeroDivisionError, OverflowError, IndexError):
        return Check(name, passed=False, detail="the numbers are not valid")
    # For larger class sizes, the loss is at most a thousandth of delta.
    most = float(lost[min(stated.least, lost.size - 1)])
    detail = (
        f"each record was sampled with a probability of {float(chance):.4g}, which requires a "
        f"delta of at most {most:.3g}; delta is {stated.delta:g}"
    )
    return Check(name, passed=most <= stated.delta, detail=detail)
