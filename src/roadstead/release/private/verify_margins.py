"""Check the tables in a differentially private release for general use from its files alone.

The module rewrites the margins from their content and the ledger, and compares the bytes. The files
do not show whether the records were sampled from the model. However, the number of cells in which
records and margins agree must match the certificate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import count, takewhile
from pathlib import Path

from roadstead.differential.budget import BudgetStep
from roadstead.differential.domains import AttributeCut, CategoricalCut, SetCut
from roadstead.differential.margins.finest_cuts import finest_cut
from roadstead.differential.margins.groups import coded_groups
from roadstead.differential.margins.variables import variables_of
from roadstead.errors import RoadsteadError
from roadstead.regular_files import content_of
from roadstead.release.private.certificate import (
    PrivateCertificate,
    ReleasedMargins,
)
from roadstead.release.private.cut import CutDocument, names_of
from roadstead.release.private.margins import (
    MARGINS,
    Names,
    ReleasedMargin,
    certified_margins,
    columns_of,
    read_margins,
    rendered_margins,
)
from roadstead.release.private.tables import RECORDS, read_records
from roadstead.release.verification.checks import Check, counted


def check_margins(
    folder: Path,
    document: CutDocument,
    cuts: Sequence[AttributeCut],
    certificate: PrivateCertificate,
    stated: ReleasedMargins,
) -> Iterator[Check]:
    """Check margins and records, and skip each check that needs an unreadable file."""
    wrong = "there is a specialization" if certificate.specializations else None
    yield Check.of("the release is for general use", wrong, counted(len(cuts), "attribute"))
    yield _check_cuts(cuts)
    variables = variables_of(cuts, document.target, document.classes)
    names = Names(variables, tuple(cuts), document.classes)
    name = f"each margin of {MARGINS} counts each value exactly once"
    try:
        margins = read_margins(folder, names, rates_of(certificate))
    except RoadsteadError as error:
        yield Check(name, passed=False, detail=error.what)
        return
    yield Check(name, passed=True, detail=counted(len(margins), "margin"))
    yield _check_ledger(certificate, margins, names)
    same = rendered_margins(margins, names) == content_of(folder / MARGINS, own=True)
    wrong = None if same else "an error bar is different, or the lines are in a different order"
    cells = sum(one.counts.size for one in margins)
    yield Check.of("the error bars follow from the ledger", wrong, counted(cells, "cell"))
    try:
        listed, ordered = read_records(folder, document, cuts)
    except RoadsteadError as error:
        yield Check(f"each line of {RECORDS} is in the cut", passed=False, detail=error.what)
        return
    found = listed.records
    yield Check(
        "the number of records matches the certificate",
        passed=found == stated.records,
        detail=f"{found:,} found, {stated.records:,} certified",
    )
    wrong = None if ordered else "the lines are in a different order"
    yield Check.of(
        "the order of the lines reveals nothing", wrong, "the lines are in the order of the cut"
    )
    own = certified_margins(margins, found, coded_groups(listed.groups, listed.released, variables))
    wrong = None if own == stated else "the certified numbers are different"
    detail = f"{own.agreeing:,} of {own.cells:,} cells agree within their error bars"
    yield Check.of("the agreement of records and margins matches the certificate", wrong, detail)


def _check_cuts(cuts: Sequence[AttributeCut]) -> Check:
    """Check that the level of detail of each attribute follows from its domain."""
    other = [cut.attribute for cut in cuts if names_of(finest_cut(cut.domain)) != names_of(cut)]
    wrong = f"{other[0]!r} differs" if other else None
    return Check.of("each attribute has the values of its domain", wrong, counted(len(cuts), "cut"))


def rates_of(certificate: PrivateCertificate) -> list[Fraction]:
    """Return the noise rate of each margin in the ledger."""
    records = certificate.privacy_unit.records
    return [
        Fraction(one.exact) / records for one in certificate.ledger if one.step.kind == "margin"
    ]


def _check_ledger(
    certificate: PrivateCertificate, margins: Sequence[ReleasedMargin], names: Names
) -> Check:
    """Compare the steps in the ledger with the choices and margins of the release."""
    steps = [one.step for one in certificate.ledger]
    expected, pairs = list(_choices_of_lists(names.cuts, steps)), 0
    for margin in margins:
        if len(margin.at) > 1:
            pairs += 1
            expected.append(BudgetStep("pair", number=pairs))
        expected.append(BudgetStep("margin", columns_of(margin, names)))
    wrong = None if steps == expected else "a step belongs to a different margin"
    return Check.of("the margins match the ledger", wrong, counted(len(steps), "step"))


def _choices_of_lists(
    cuts: Sequence[AttributeCut], steps: Sequence[BudgetStep]
) -> Iterator[BudgetStep]:
    """Yield the steps in which values are chosen, and then the steps for items."""
    for cut in cuts:
        step = BudgetStep("values", (cut.attribute,))
        if isinstance(cut, CategoricalCut) and step in steps:
            yield step
    for cut in cuts:
        if isinstance(cut, SetCut):
            numbered = (BudgetStep("item", (cut.attribute,), number) for number in count(1))
            yield from takewhile(steps.__contains__, numbered)
