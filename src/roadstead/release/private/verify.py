"""Check a differentially private release from its files alone, without the table.

What can be seen from files is checked: that the ledger adds up to epsilon, that the words follow
from the numbers, that the cut covers each domain once, that the groups are the cut's, and that the
records released are those of the counts. What cannot be seen is that the noise was drawn as stated;
that rests on who made the release, and the check of the guarantee says so.

A check that cannot be made counts as failed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from fractions import Fraction
from itertools import combinations
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.attribute_cuts import AttributeCut, NumericCut, SetCut
from roadstead.errors import RoadsteadError, VerificationError
from roadstead.printable import named
from roadstead.regular_files import content_of
from roadstead.release.certificate import CERTIFICATE, REPORT
from roadstead.release.private.certificate import (
    PrivateCertificate,
    read_private_certificate,
    rendered,
    sealed,
    words,
)
from roadstead.release.private.cut import CUT, CutDocument, Entry, cut_of, read_cut
from roadstead.release.private.groups import ListedGroups, in_order
from roadstead.release.private.promise import amount, public
from roadstead.release.private.reading import Lines, counts_of, groups_of, read_lines
from roadstead.release.private.tables import GROUPS, RECORDS, groups_header, records_header
from roadstead.release.verification.checks import Check, Verification, check_file, counted

NEEDED = (CUT, GROUPS, RECORDS)
"""The files that each release has; a report may be there too."""


def verify_private(folder: Path) -> Verification:
    """Check a differentially private release against its certificate.

    Raises
    ------
    VerificationError
        When there is no certificate that can be read.
    """
    certificate = read_private_certificate(folder / CERTIFICATE)
    return Verification(
        (
            *(check_file(folder, file) for file in certificate.files),
            _check_folder(folder, certificate),
            _check_seal(folder, certificate),
            _check_ledger(certificate),
            _check_guarantee(certificate),
            _check_words(certificate),
            *_check_tables(folder, certificate),
        ),
        _unchecked(certificate),
    )


def _unchecked(certificate: PrivateCertificate) -> tuple[str, ...]:
    """Name what a certificate says that its files cannot show."""
    report = any(file.name == REPORT for file in certificate.files)
    told = "that the noise was drawn as stated, in which steps, from which file, and when"
    return (told, *([f"what {REPORT} says"] if report else []))


def _check_folder(folder: Path, certificate: PrivateCertificate) -> Check:
    certified = [file.name for file in certificate.files]
    missing = [name for name in NEEDED if name not in certified]
    known = {CERTIFICATE, *certified}
    others = sorted(
        {entry.name for entry in folder.iterdir()} - known | (set(certified) - {*NEEDED, REPORT})
    )
    if missing:
        detail = f"{missing[0]} is not certified"
    elif others:
        detail = f"{named(others[0])!r} is there too"
    elif len(certified) != len(set(certified)):
        detail = "a file is certified twice"
    else:
        return Check("the folder holds nothing else", True, counted(len(known), "file"))
    return Check("the folder holds nothing else", passed=False, detail=detail)


def _check_seal(folder: Path, certificate: PrivateCertificate) -> Check:
    """Whoever changes a letter of the certificate breaks its seal, or has to make a new one."""
    found = content_of(folder / CERTIFICATE, own=True)
    same = sealed(certificate).seal == certificate.seal and found == rendered(certificate)
    detail = f"its seal is SHA-256 {certificate.seal[:16]}…" if same else "it was changed"
    return Check("the certificate is as it was written", passed=same, detail=detail)


def _check_ledger(certificate: PrivateCertificate) -> Check:
    """Add up exactly: a hundred hundredths are one, and not nearly so."""
    name = "the ledger adds up to epsilon"
    try:
        epsilon = Fraction(certificate.exact)
        spent = [Fraction(one.exact) for one in certificate.ledger]
        rounded = [float(one) for one in (epsilon, *spent)]
    except (ZeroDivisionError, OverflowError):
        return Check(name, passed=False, detail="an entry is no fraction")
    total = sum(spent, Fraction(0))
    told = [certificate.epsilon, *(one.epsilon for one in certificate.ledger)]
    if min(spent, default=Fraction(0)) <= 0:
        wrong = "an entry is not above 0"
    elif total != epsilon:
        wrong = f"the entries add up to {amount(total)}, and epsilon is {amount(epsilon)}"
    elif certificate.spent != str(total):
        wrong = "the sum that is stated is another one"
    elif rounded != told or certificate.exact != str(epsilon):
        wrong = "a number is not the fraction beside it"
    else:
        detail = f"{counted(len(spent), 'entry', 'entries')}, {amount(total)} in all"
        return Check(name, passed=True, detail=detail)
    return Check(name, passed=False, detail=wrong)


def _check_guarantee(certificate: PrivateCertificate) -> Check:
    """Compare the sentence and the request with epsilon; say what no file can show."""
    name = "the guarantee follows from the numbers"
    try:
        epsilon = Fraction(certificate.exact)
        asked = certificate.settings.get("epsilon")
        same = asked is None or Fraction(str(asked)) == epsilon or asked == float(epsilon)
        right = words(epsilon, certificate.unit, certificate.ledger, certificate.settings)
    except (ValueError, ZeroDivisionError, OverflowError):
        return Check(name, passed=False, detail="epsilon is no number")
    if not same:
        return Check(name, passed=False, detail="another epsilon was asked for")
    if certificate.guarantee != right["guarantee"]:
        return Check(name, passed=False, detail="it says something else")
    return Check(
        name,
        passed=True,
        detail=f"epsilon = {amount(epsilon)}; that the noise was drawn as stated cannot be seen "
        "from files, and rests on who made the release",
    )


def _check_words(certificate: PrivateCertificate) -> Check:
    name = "the other words are those of such a release"
    try:
        epsilon = Fraction(certificate.exact)
        right = words(epsilon, certificate.unit, certificate.ledger, certificate.settings)
        datetime.fromisoformat(certificate.created)
    except (ValueError, ZeroDivisionError, OverflowError):
        return Check(name, passed=False, detail="epsilon is no number, or the time is none")
    wrong = [entry for entry, text in right.items() if getattr(certificate, entry) != text]
    detail = f"{wrong[0]} says something else" if wrong else counted(len(right), "entry", "entries")
    return Check(name, passed=not wrong, detail=detail)


def _check_tables(folder: Path, certificate: PrivateCertificate) -> Iterator[Check]:
    """Check cut and tables; what builds on something that cannot be read is not checked."""
    try:
        document = read_cut(folder / CUT)
    except VerificationError as error:
        yield Check(f"{CUT} can be read", passed=False, detail=error.what)
        return
    checked = [_check_cut(entry) for entry in document.attributes]
    yield from (check for check, _ in checked)
    cuts = [cut for _, cut in checked if cut is not None]
    if len(cuts) < len(checked):
        return
    yield _check_public(document, cuts, certificate)
    yield _check_steps(cuts, certificate)
    yield from _check_groups(folder, document, cuts, certificate)


def _check_cut(entry: Entry) -> tuple[Check, AttributeCut | None]:
    name = f"the cut of {named(entry.attribute)} covers its domain once"
    try:
        cut = cut_of(entry)
    except VerificationError as error:
        return Check(name, passed=False, detail=error.what), None
    return Check(name, passed=True, detail=counted(len(cut.labels), "place")), cut


def _check_public(
    document: CutDocument, cuts: Sequence[AttributeCut], certificate: PrivateCertificate
) -> Check:
    """Names that stand for two things would make the tables ambiguous."""
    names = [*(cut.attribute for cut in cuts), document.target]
    if len(set(names)) < len(names) or len(set(document.classes)) < len(document.classes):
        wrong = "two attributes or two classes have one name"
    elif certificate.public != public(cuts, document.target, document.classes):
        wrong = "the certificate says something else"
    elif not _is_what_was_asked(document, certificate):
        wrong = "another class was asked for"
    else:
        wrong = ""
    detail = wrong or f"{counted(len(cuts), 'domain')} and the classes"
    return Check("what is public is as certified", passed=not wrong, detail=detail)


def _is_what_was_asked(document: CutDocument, certificate: PrivateCertificate) -> bool:
    """Whether the request that the certificate tells of has the class of the tables."""
    asked = certificate.settings
    classes = asked.get("classes", list(document.classes))
    return asked.get("target", document.target) == document.target and (
        isinstance(classes, list) and sorted(map(str, classes)) == sorted(document.classes)
    )


def _check_steps(cuts: Sequence[AttributeCut], certificate: PrivateCertificate) -> Check:
    """Each specialization replaced one node, so the cut tells which ones were replaced."""
    name, steps = "the specializations are those of the cut", certificate.specializations
    left = Counter(steps)
    intervals = 0
    for cut in cuts:
        if isinstance(cut, NumericCut):
            intervals += len(cut.bounds) - 2
        else:
            taxonomy = cut.domain.taxonomy
            left.subtract(f"{cut.attribute}: {taxonomy.labels[node]}" for node in _above(cut))
    possible = min(left.values(), default=0) >= 0 and sum(left.values()) == intervals
    for cut in cuts if possible else ():
        if isinstance(cut, NumericCut):
            spans = combinations(range(len(cut.bounds)), 2)
            halved = {
                f"{cut.attribute}: {cut.domain.words(cut.bounds[i], cut.bounds[j])}"
                for i, j in spans
                if j - i > 1
            }
            possible &= sum(left[one] for one in halved) == len(cut.bounds) - 2
    detail = counted(len(steps), "specialization") if possible else "they make another cut"
    return Check(name, passed=possible, detail=detail)


def _above(cut: AttributeCut) -> set[int]:
    """Find the nodes above those of a cut."""
    assert not isinstance(cut, NumericCut)  # noqa: S101 - has no nodes
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
) -> Iterator[Check]:
    attributes, classes = [cut.attribute for cut in cuts], document.classes
    begin, number = len(cuts), len(classes)
    try:
        lines = read_lines(folder / GROUPS, groups_header(attributes, document.target, classes))
        groups = groups_of(lines, cuts)
        noisy = counts_of(lines, range(begin, begin + number))
        released = counts_of(lines, range(begin + number, begin + 2 * number))
    except RoadsteadError as error:
        yield Check(f"each line of {GROUPS} is a group of the cut", passed=False, detail=error.what)
        return
    found = counted(groups.size, "group")
    yield Check(f"each line of {GROUPS} is a group of the cut", passed=True, detail=found)
    listed, order = in_order(groups, noisy, released)
    yield _check_once(listed)
    yield _check_threshold(noisy, certificate)
    yield _check_numbers(listed, cuts, certificate)
    sorted_groups = bool((order == np.arange(order.size)).all())
    try:
        header = records_header(attributes, document.target)
        records = read_lines(folder / RECORDS, header)
    except RoadsteadError as error:
        yield Check(f"{RECORDS} can be read", passed=False, detail=error.what)
        return
    yield from _check_records(listed, classes, records, certificate, sorted_groups=sorted_groups)


def _check_once(listed: ListedGroups) -> Check:
    twice = listed.repeated
    detail = f"{twice:,} lines are another one again" if twice else "none is there twice"
    return Check("no group is listed twice", passed=not twice, detail=detail)


def _check_threshold(noisy: NDArray[np.int64], certificate: PrivateCertificate) -> Check:
    least = certificate.released.least
    below = int(((noisy > 0) & (noisy < least)).sum())
    empty = int((noisy == 0).all(axis=1).sum())
    if below:
        detail = f"{counted(below, 'noisy count')} below {least:,}"
    elif empty:
        detail = f"{counted(empty, 'group')} without a listed count"
    else:
        detail = f"all noisy counts are at least {least:,}"
    name = "the listed counts reach the threshold"
    return Check(name, passed=not below and not empty, detail=detail)


def _check_numbers(
    listed: ListedGroups, cuts: Sequence[AttributeCut], certificate: PrivateCertificate
) -> Check:
    """Without sets the cuts make every combination of their places; a set may be in many ways."""
    stated, found = certificate.released, listed.groups.size
    sets = any(isinstance(cut, SetCut) and cut.told for cut in cuts)
    most = prod(
        2 ** len(cut.nodes) if isinstance(cut, SetCut) and cut.told else len(cut.labels)
        for cut in cuts
    )
    fits = found <= stated.all_groups <= most and (sets or stated.all_groups == most)
    return Check(
        "the numbers of groups are as certified",
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
    """Compare the records with the counts: how many, which, and in what order."""
    stated, found, counted = certificate.released.records, records.size, listed.records
    yield Check(
        "the number of records is as certified",
        passed=found == stated == counted,
        detail=f"{found:,} found, {stated:,} certified, {counted:,} counted in {GROUPS}",
    )
    name = f"{RECORDS} holds the records of {GROUPS}"
    if found != counted:
        yield Check(name, passed=False, detail="there are fewer or more")
        return
    expected = _expected(listed, len(classes))
    present = _present(listed, classes, records)
    in_place = all(np.array_equal(one, other) for one, other in zip(expected, present, strict=True))
    same = in_place or _same_lines(expected, present)
    kinds = int((listed.released > 0).sum())
    detail = f"{found:,} records of {kinds:,} kinds" if same else "some are of another group"
    yield Check(name, passed=same, detail=detail)
    ordered = in_place and sorted_groups
    detail = "lines stand in the order of the cut" if ordered else "lines stand in another order"
    yield Check("the order of lines tells nothing", passed=ordered, detail=detail)


def _expected(listed: ListedGroups, classes: int) -> list[NDArray[np.int32]]:
    """Give for each column of records.csv the codes that the counts make."""
    cells = np.repeat(np.arange(listed.released.size), listed.released.reshape(-1))
    columns = [codes[cells // classes] for codes in listed.groups.codes]
    return [*columns, (cells % classes).astype(np.int32)]


def _present(
    listed: ListedGroups, classes: Sequence[str], records: Lines
) -> list[NDArray[np.int32]]:
    """Give the same of the records found; -1 where no group has the cell."""
    found = []
    for at, known in enumerate((*listed.cells, classes)):
        code = {text: place for place, text in enumerate(known)}
        places = [code.get(text, -1) for text in records.texts[at]]
        found.append(np.array(places, dtype=np.int32)[records.codes[at]])
    return found


def _same_lines(one: Sequence[NDArray[np.int32]], other: Sequence[NDArray[np.int32]]) -> bool:
    """Whether two tables of codes have the same lines, each as often, in whatever order."""
    orders = [np.lexsort(columns) for columns in (one, other)]
    return all(
        np.array_equal(left[orders[0]], right[orders[1]])
        for left, right in zip(one, other, strict=True)
    )
