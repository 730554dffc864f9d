"""Check a differentially private release from its files alone, without the table.

The steps in the ledger must add up to epsilon, and the request must match the numbers. The cut must
cover each domain exactly once. Each group must be a combination of places in the cut, and the
released records must match the counts. The files do not show whether the noise was generated as
stated. A check that cannot be performed counts as failed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.domains import AttributeCut, CategoricalCut, NumericCut, SetCut
from roadstead.errors import RoadsteadError, VerificationError
from roadstead.printable import named
from roadstead.regular_files import content_of
from roadstead.release.certificate import CERTIFICATE, REPORT
from roadstead.release.certified_facts import PrivateRequestSettings, misplaced
from roadstead.release.facts import amount
from roadstead.release.private.certificate import (
    EVERYTHING,
    SAMPLE,
    PrivateCertificate,
    Released,
    ReleasedMargins,
    ReleasedSample,
    public_columns,
    read_private_certificate,
    rendered,
    sealed,
)
from roadstead.release.private.cut import CUT, CutDocument, cut_of, read_cut
from roadstead.release.private.margins import MARGINS
from roadstead.release.private.tables import (
    GROUPS,
    RECORDS,
    Lines,
    ListedGroups,
    in_order,
    read_groups,
    read_lines,
    records_header,
)
from roadstead.release.private.verify_ledger import (
    check_ledger,
    check_paid,
    check_threshold,
)
from roadstead.release.private.verify_margins import check_margins
from roadstead.release.private.verify_sample import UNSEEN, check_sample
from roadstead.release.private.verify_written import check_written
from roadstead.release.verification.attacks import (
    allowed_pages,
    check_attacks,
    unchecked_of_attacks,
)
from roadstead.release.verification.checks import (
    Check,
    Verification,
    counted,
)
from roadstead.release.verification.facts import wrong_time
from roadstead.release.verification.files import check_files
from roadstead.release.verification.terms import NO_TERMS, PromiseTerms

_NO_NUMBER = (ValueError, ZeroDivisionError, OverflowError)
_BY_COLUMN = ("levels", "widths", "per_person")
"""The entries of a request that list columns."""
NEEDED = (CUT, GROUPS, RECORDS)
"""The files that a release of groups must contain."""


def verify_private(folder: Path) -> Verification:
    """Check a differentially private release against its certificate."""
    certificate = read_private_certificate(folder / CERTIFICATE)
    names = [file.name for file in certificate.files]
    checks = (
        *check_files(
            folder,
            certificate.files,
            _needed(certificate),
            allowed_pages(certificate.attacks),
            certificate.software,
        ),
        _check_seal(folder, certificate),
        check_ledger(certificate),
        _check_unit(certificate),
        _check_guarantee(certificate),
        *_check_tables(folder, certificate),
        *check_attacks(names, certificate.attacks),
    )
    noise = "whether the noise was generated as stated, in which steps, from which file, and when"
    whose: list[str] = []
    if isinstance(certificate.released, ReleasedSample):
        noise, *whose = UNSEEN
    elif isinstance(certificate.released, ReleasedMargins):
        whose = [
            "whether the pairs were chosen as stated",
            "whether the records were sampled as stated",
        ]
    if certificate.privacy_unit.persons:
        whose.append(
            "which rows belonged to the same person, and whether a person had more records "
            "than stated"
        )
    return Verification(
        checks,
        (
            noise,
            *whose,
            *([f"the text of {REPORT}"] if REPORT in names else []),
            *unchecked_of_attacks(certificate.attacks),
        ),
        terms=_terms(folder, certificate),
        drawn=True,
    )


def _terms(folder: Path, certificate: PrivateCertificate) -> PromiseTerms:
    """Return the terms of the guarantee. A separate check reports a damaged cut."""
    try:
        document = read_cut(folder / CUT)
    except RoadsteadError:
        return NO_TERMS
    columns = [one.attribute for one in document.attributes]
    columns += [] if document.target is None else [document.target]
    delta = f", delta {certificate.delta:g}" if certificate.delta else ""
    unit = certificate.privacy_unit
    model = f"differential privacy with epsilon {named(certificate.exact)}{delta} per {unit.noun}"
    return PromiseTerms((model,), tuple(map(named, columns)))


def _needed(certificate: PrivateCertificate) -> tuple[str, ...]:
    match certificate.released:
        case ReleasedMargins():
            return (CUT, MARGINS, RECORDS)
        case ReleasedSample():
            return (CUT, RECORDS)
        case _:
            return NEEDED


def _check_seal(folder: Path, certificate: PrivateCertificate) -> Check:
    found = content_of(folder / CERTIFICATE, own=True)
    same = sealed(certificate).seal == certificate.seal and found == rendered(certificate)
    wrong = None if same else "the certificate was changed"
    wrong = wrong or misplaced(certificate.settings, PrivateRequestSettings, "settings")
    detail = f"its seal is SHA-256 {certificate.seal[:16]}…"
    return Check.of("the certificate is unchanged", wrong, detail)


def _check_guarantee(certificate: PrivateCertificate) -> Check:
    """Compare the request with epsilon and the kind of release."""
    name = "the guarantee follows from the numbers"
    try:
        epsilon = Fraction(certificate.exact)
        request = certificate.settings.get("epsilon")
        same = request is None or Fraction(str(request)) == epsilon or request == float(epsilon)
    except _NO_NUMBER:
        return Check(name, passed=False, detail="epsilon is not a number")
    wrong = None if same else "the request was for a different epsilon"
    wrong = wrong or wrong_time(certificate.created)
    purposes = {ReleasedMargins: EVERYTHING, ReleasedSample: SAMPLE}
    purpose = certificate.settings.get("for", "target")
    if purpose != purposes.get(type(certificate.released), "target"):
        wrong = "the request was for a different kind of release"
    detail = (
        f"epsilon = {amount(epsilon)}; files cannot show whether the noise was generated as "
        "stated, so this depends on the people who made the release"
    )
    return Check.of(name, wrong, detail)


def _check_unit(certificate: PrivateCertificate) -> Check:
    unit, request = certificate.privacy_unit, certificate.settings
    wrong = None if unit.consistent else "the unit is different"
    if (request.get("person") is not None) != unit.persons:
        wrong = "the request is about " + ("records" if unit.persons else "people")
    elif request.get("rows_per_person") != unit.rows:
        wrong = "the request was for a different number of rows per person"
    return Check.of(f"{'people' if unit.persons else 'records'} are protected", wrong, unit.stated)


def _check_tables(folder: Path, certificate: PrivateCertificate) -> Iterator[Check]:
    """Check the cut and the tables, and skip each check that needs an unreadable file."""
    try:
        document = read_cut(folder / CUT)
    except VerificationError as error:
        yield Check(f"{CUT} can be read", passed=False, detail=error.what)
        return
    yield from check_written(folder, document)
    cuts: list[AttributeCut] = []
    for entry in document.attributes:
        name = f"the cut of {named(entry.attribute)} covers its domain exactly once"
        try:
            cuts.append(cut_of(entry))
        except VerificationError as error:
            yield Check(name, passed=False, detail=error.what)
        else:
            yield Check(name, passed=True, detail=counted(len(cuts[-1].labels), "place"))
    if len(cuts) < len(document.attributes):
        return
    yield _check_public(document, cuts, certificate)
    stated = certificate.released
    if isinstance(stated, ReleasedMargins):
        yield from check_margins(folder, document, cuts, certificate, stated)
        return
    if isinstance(stated, ReleasedSample):
        yield from check_sample(folder, document, cuts, certificate, stated)
        return
    yield check_paid(cuts, certificate)
    yield _check_steps(cuts, certificate)
    yield from _check_groups(folder, document, cuts, certificate, stated)


def _check_public(
    document: CutDocument, cuts: Sequence[AttributeCut], certificate: PrivateCertificate
) -> Check:
    """Check the declared domains. Names must be unique, or the tables would be ambiguous."""
    public = public_columns(cuts, document.target, document.classes)
    names = [one.column for one in public]
    request = certificate.settings
    classes = request.get("classes", list(document.classes))
    of_groups = isinstance(certificate.released, Released)
    wrong = None
    if len(set(names)) < len(names) or len(set(document.classes)) < len(document.classes):
        wrong = "two attributes or two classes have the same name"
    elif of_groups and document.target is None:
        wrong = "the release does not have a target"
    elif any(set(_columns_of(request, entry)) - set(names) for entry in _BY_COLUMN):
        wrong = "the request names a column that is not released"
    elif certificate.public != public:
        wrong = "the declaration was different"
    elif (
        request.get("target", document.target) != document.target
        or not isinstance(classes, list)
        or sorted(map(str, classes)) != sorted(document.classes)
    ):
        wrong = "the request was for a different class"
    detail = f"{counted(len(cuts), 'domain')} and the classes"
    return Check.of("the public information matches the certificate", wrong, detail)


def _columns_of(request: Mapping[str, Any], entry: str) -> Mapping[str, Any]:
    found = request.get(entry)
    return found if isinstance(found, Mapping) else {}


def _check_steps(cuts: Sequence[AttributeCut], certificate: PrivateCertificate) -> Check:
    """Check that the specializations lead to the cut. Each specialization replaced one node."""
    steps = certificate.specializations
    left = Counter((one.attribute, one.node, one.end, one.label) for one in steps)
    numeric = [cut for cut in cuts if isinstance(cut, NumericCut)]
    for cut in cuts:
        if not isinstance(cut, NumericCut):
            left.subtract((cut.attribute, node, None, cut.label(node)) for node in _above(cut))
    splits = sum(cut.size - 1 for cut in numeric)
    possible = min(left.values(), default=0) >= 0 and sum(left.values()) == splits
    for cut in numeric if possible else ():
        halved = {
            (cut.attribute, cut.bounds[i], cut.bounds[j], None)
            for i, j in combinations(range(len(cut.bounds)), 2)
            if j - i > 1
        }
        possible &= sum(left[one] for one in halved) == cut.size - 1
    wrong = None if possible else "the specializations result in a different cut"
    name = "the specializations match the cut"
    return Check.of(name, wrong, counted(len(steps), "specialization"))


def _above(cut: CategoricalCut | SetCut) -> set[int]:
    """Return the nodes above the nodes of a cut."""
    parents = cut.domain.taxonomy.parents
    above: set[int] = set()
    for node in cut.nodes:
        parent = int(parents[node])
        while parent >= 0 and parent not in above:
            above.add(parent)
            parent = int(parents[parent])
    return above


def _check_groups(
    folder: Path,
    document: CutDocument,
    cuts: Sequence[AttributeCut],
    certificate: PrivateCertificate,
    stated: Released,
) -> Iterator[Check]:
    name = f"each line of {GROUPS} is a group of the cut"
    try:
        found = read_groups(folder, document, cuts)
    except RoadsteadError as error:
        yield Check(name, passed=False, detail=error.what)
        return
    yield Check(name, passed=True, detail=counted(found.groups.size, "group"))
    listed, order = in_order(found.groups, found.noisy, found.released)
    twice = f"{listed.repeated:,} lines repeat another line" if listed.repeated else None
    yield Check.of("no group is listed twice", twice, "no group is repeated")
    yield check_threshold(found.noisy, certificate, stated)
    yield _check_numbers(listed, cuts, stated)
    sorted_groups = bool((order == np.arange(order.size)).all())
    header = records_header([cut.attribute for cut in cuts], document.target)
    try:
        records = read_lines(folder / RECORDS, header)
    except RoadsteadError as error:
        yield Check(f"{RECORDS} can be read", passed=False, detail=error.what)
        return
    classes = document.classes
    yield from _check_records(listed, classes, records, certificate, sorted_groups=sorted_groups)


def _check_numbers(listed: ListedGroups, cuts: Sequence[AttributeCut], stated: Released) -> Check:
    """Check the numbers of groups. Without sets, each combination of places is a group."""
    found = listed.groups.size
    sets = any(isinstance(cut, SetCut) and cut.is_specialized for cut in cuts)
    most = prod(cut.size for cut in cuts)
    fits = found <= stated.all_groups <= most and (sets or stated.all_groups == most)
    return Check(
        "the numbers of groups match the certificate",
        passed=fits and stated.groups == found,
        detail=f"{found:,} listed, {stated.groups:,} certified, of {stated.all_groups:,}",
    )


def _check_records(
    listed: ListedGroups,
    classes: Sequence[str],
    records: Lines,
    certificate: PrivateCertificate,
    *,
    sorted_groups: bool,
) -> Iterator[Check]:
    """Check that the number, the content, and the order of the records match the counts."""
    stated, found, counted = certificate.released.records, records.size, listed.records
    yield Check(
        "the number of records matches the certificate",
        passed=found == stated == counted,
        detail=f"{found:,} found, {stated:,} certified, {counted:,} counted in {GROUPS}",
    )
    name = f"{RECORDS} contains the records of {GROUPS}"
    if found != counted:
        yield Check(name, passed=False, detail="the numbers of records differ")
        return
    expected = _expected(listed, len(classes))
    present = _present(listed, classes, records)
    in_place = np.array_equal(expected, present)
    same = in_place or np.array_equal(_sorted_lines(expected), _sorted_lines(present))
    kinds = int((listed.released > 0).sum())
    wrong = None if same else "some records belong to a different group"
    yield Check.of(name, wrong, f"{found:,} records of {kinds:,} kinds")
    wrong = None if in_place and sorted_groups else "the lines are in a different order"
    yield Check.of(
        "the order of the lines reveals nothing", wrong, "the lines are in the order of the cut"
    )


def _expected(listed: ListedGroups, classes: int) -> NDArray[np.int32]:
    """Return the codes that records.csv must have, with shape ``(columns, records)``."""
    cells = np.repeat(np.arange(listed.released.size), listed.released.reshape(-1))
    columns = [codes[cells // classes] for codes in listed.groups.codes]
    return np.stack([*columns, (cells % classes).astype(np.int32)])


def _present(listed: ListedGroups, classes: Sequence[str], records: Lines) -> NDArray[np.int32]:
    """Return the codes of the records in the file. A cell that is not in any group gets -1."""
    found = []
    columns = zip((*listed.cells, classes), records.texts, records.codes, strict=True)
    for known, texts, codes in columns:
        code = {text: place for place, text in enumerate(known)}
        found.append(np.array([code.get(text, -1) for text in texts], dtype=np.int32)[codes])
    return np.stack(found)


def _sorted_lines(columns: NDArray[np.int32]) -> NDArray[np.int32]:
    return columns[:, np.lexsort(columns)]
