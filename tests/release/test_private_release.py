"""A differentially private release holds the private answers, and reads back as written.

The tables are also read with Python's own csv module and compared with the output of a loop.
"""

from __future__ import annotations

import json
import resource
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import listing, without_charts
from effort import examples
from hypothesis import given
from private_releases import TARGET, draft_of, drafts, patients_table
from small_tables import PATIENTS, QUASI, patients, read_csv, write_csv

from roadstead import anonymize, verify
from roadstead.differential.budget import BudgetStep, Grant
from roadstead.differential.domains import (
    CutGroups,
    NumericCut,
    NumericDomain,
    SetCut,
    Specialization,
)
from roadstead.differential.listing import few_false
from roadstead.differential.synthesis import NoisyGroups
from roadstead.errors import OutputError, RoleError, SettingError, VerificationError
from roadstead.release.private.certificate import Released
from roadstead.release.private.cut import names_of
from roadstead.release.private.drafts.for_target import GroupsDraft
from roadstead.release.private.publish import publish_private
from roadstead.release.private.tables import PrivateRelease, read_private

FILES = {"certificate.json", "cut.json", "groups.csv", "records.csv"}


@pytest.fixture(scope="module")
def draft() -> GroupsDraft:
    """2,000 patients, eight specializations."""
    return draft_of(patients_table(2000), 8)


def keys_of(groups: CutGroups) -> list[tuple[Any, ...]]:
    """Give each group's place in each cut, or its combination of places."""
    columns: list[list[Any]] = [
        [int(code) for code in codes] if told is None else [told[code] for code in codes]
        for codes, told in zip(groups.codes, groups.combinations, strict=True)
    ]
    return list(zip(*columns, strict=True))


def by_group(groups: CutGroups, *counts: np.ndarray[Any, Any]) -> dict[tuple[Any, ...], Any]:
    """Give the counts of each group."""
    keys = keys_of(groups)
    assert len(set(keys)) == len(keys)
    return {key: [one[at].tolist() for one in counts] for at, key in enumerate(keys)}


def cell(cut: SetCut, key: tuple[int, ...]) -> str:
    """Write the cell of a set by hand."""
    names = [name.replace("\\", "\\\\").replace(";", "\\;") for name in names_of(cut)]
    names = ["\\(none)" if name == "(none)" else name for name in names]
    return "; ".join(names[place] for place in key) if key else "(none)"


def lines_by_hand(draft: GroupsDraft) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Write groups.csv and records.csv with loops, in order, without their headers."""
    noisy = draft.synthesis.groups
    order = sorted((key, at) for at, key in enumerate(keys_of(noisy.groups)))
    groups, records = [], []
    for key, at in order:
        cells = tuple(
            cell(cut, one) if isinstance(cut, SetCut) else names_of(cut)[one]
            for cut, one in zip(noisy.groups.cuts, key, strict=True)
        )
        numbers = (*noisy.counts[at].tolist(), *draft.counts[at].tolist())
        groups.append((*cells, *map(str, numbers)))
        for label, count in zip(noisy.classes, draft.counts[at].tolist(), strict=True):
            records += [(*cells, label)] * count
    return groups, records


@examples(10)
@given(drafts())
def test_a_release_of_any_table_comes_back(
    tmp_path_factory: pytest.TempPathFactory, draft: GroupsDraft
) -> None:
    """Cuts and counts, whatever the labels hold; and the files are what loops would write."""
    out = tmp_path_factory.mktemp("out") / "release"
    publish_private(draft, out, force=False)
    found, noisy = read_private(out), draft.synthesis.groups
    assert (found.target, found.classes) == (draft.target, noisy.classes)
    assert [one.labels for one in found.listed.groups.cuts] == [
        one.labels for one in noisy.groups.cuts
    ]
    for one, other in zip(found.listed.groups.cuts, noisy.groups.cuts, strict=True):
        if isinstance(one, NumericCut) or isinstance(other, NumericCut):
            assert one == other
        else:
            assert one.nodes == other.nodes
    expected = by_group(noisy.groups, noisy.counts, draft.counts)
    assert by_group(found.listed.groups, found.listed.noisy, found.listed.released) == expected
    groups, records = lines_by_hand(draft)
    assert read_csv(out / "groups.csv")[1:] == groups
    assert read_csv(out / "records.csv")[1:] == records
    certificate = found.certificate
    assert isinstance(certificate.released, Released)
    assert certificate.released.records == len(records)
    assert certificate.released.groups == len(groups)
    assert verify(out).passed


def test_the_folder_holds_the_files_and_the_report(tmp_path: Path, draft: GroupsDraft) -> None:
    """A report only where there is one."""
    publish_private(draft, tmp_path / "a", force=False)
    assert set(listing(tmp_path / "a")) == FILES
    publish_private(draft, tmp_path / "b", force=False, report=lambda: "<p>told</p>\n")
    assert set(listing(tmp_path / "b")) == FILES | {"report.html"}
    assert (tmp_path / "b" / "report.html").read_text() == "<p>told</p>\n"


def test_the_header_names_attributes_and_classes(tmp_path: Path, draft: GroupsDraft) -> None:
    """The class is last in a record."""
    publish_private(draft, tmp_path / "out", force=False)
    assert read_csv(tmp_path / "out" / "groups.csv")[0] == (
        "age",
        "ward",
        "diagnoses",
        "noisy count of died=no",
        "noisy count of died=yes",
        "records of died=no",
        "records of died=yes",
    )
    assert read_csv(tmp_path / "out" / "records.csv")[0] == ("age", "ward", "diagnoses", "died")


def test_the_order_of_the_groups_found_is_not_that_of_the_lines(
    tmp_path: Path, draft: GroupsDraft
) -> None:
    """Two runs that found the same in another order write the same."""
    noisy = draft.synthesis.groups
    turned = np.random.default_rng(1).permutation(noisy.groups.size)
    combinations = [
        None if told is None else tuple(reversed(told)) for told in noisy.groups.combinations
    ]
    codes = [
        code if told is None else np.int32(len(told) - 1) - code
        for code, told in zip(noisy.groups.codes, noisy.groups.combinations, strict=True)
    ]
    groups = CutGroups(noisy.groups.cuts, tuple(codes), tuple(combinations)).chosen(turned)
    other = NoisyGroups(groups, noisy.classes, noisy.counts[turned], noisy.all_groups, noisy.least)
    again = replace(
        draft, synthesis=replace(draft.synthesis, groups=other), counts=draft.counts[turned]
    )
    publish_private(draft, tmp_path / "a", force=False)
    publish_private(again, tmp_path / "b", force=False)
    for name in ("cut.json", "groups.csv", "records.csv"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def numbers_in(document: object) -> Iterator[float]:
    """Give all numbers of a document, however deep."""
    if isinstance(document, dict):
        document = list(document.values())
    if isinstance(document, list):
        for part in document:
            yield from numbers_in(part)
    elif isinstance(document, int | float):
        yield document


def test_no_file_tells_how_many_records_the_table_has(tmp_path: Path) -> None:
    """The numbers of records left out, or beyond a range, are hidden too."""
    table = replace(
        patients_table(1237), left_out=4111, clamped=(("age", 4112),), unlisted=(("x", 4113),)
    )
    publish_private(draft_of(table, 6), tmp_path / "out", force=False)
    certificate = json.loads((tmp_path / "out" / "certificate.json").read_text("utf-8"))
    assert not {1237, 4111, 4112, 4113} & {*numbers_in(certificate)}
    for name in ("certificate.json", "cut.json", "groups.csv"):
        text = (tmp_path / "out" / name).read_text("utf-8")
        assert not any(number in text for number in ("4111", "4112", "4113", "1,237"))


def test_a_release_of_nothing_is_a_release(tmp_path: Path) -> None:
    """The answer can be that no count reached the threshold."""
    draft = draft_of(patients_table(0), 0)
    empty = draft.synthesis.groups.groups.chosen(np.array([], dtype=np.int64))
    none = np.zeros((0, 2), dtype=np.int64)
    groups = NoisyGroups(empty, ("no", "yes"), none, 1, 2)
    draft = replace(draft, synthesis=replace(draft.synthesis, groups=groups), counts=none)
    assert publish_private(draft, tmp_path / "out", force=False).passed
    assert read_csv(tmp_path / "out" / "records.csv") == [("age", "ward", "diagnoses", "died")]
    found = read_private(tmp_path / "out")
    assert isinstance(found, PrivateRelease)
    assert found.listed.groups.size == 0


def large(groups: int, records: int) -> GroupsDraft:
    """Draft a release of one attribute with so many groups and about so many records."""
    draft = draft_of(patients_table(10), 0)
    domain = NumericDomain("place", Decimal(0), Decimal(groups - 1))
    cut = NumericCut(domain, tuple(range(groups + 1)))
    counts = np.random.default_rng(0).poisson(records / groups / 2, size=(groups, 2)) + 1
    noisy = NoisyGroups(
        CutGroups((cut,), (np.arange(groups, dtype=np.int32),), (None,)),
        ("no", "yes"),
        counts.astype(np.int64),
        groups,
        few_false(Fraction(1, 2), 2 * groups),
    )
    spans = tuple(
        Specialization("place", at, groups, domain.words(at, groups)) for at in range(groups - 1)
    )
    splits, price = BudgetStep("first-split", ("place",)), Fraction(1, 2 * groups)
    choices = [BudgetStep("choice", number=number) for number in range(1, groups)]
    paid = (*(Grant(step, price) for step in (splits, *choices)),)
    ledger = (*paid, Grant(BudgetStep("groups"), Fraction(1, 2)))
    synthesis = replace(draft.synthesis, groups=noisy, steps=spans, ledger=ledger)
    return replace(draft, synthesis=synthesis, counts=noisy.counts)


def test_many_records_are_all_written(tmp_path: Path) -> None:
    """More than one batch of them; counted by hand."""
    draft = large(300, 150_000)
    assert publish_private(draft, tmp_path / "out", force=False).passed
    found = Counter(read_csv(tmp_path / "out" / "records.csv")[1:])
    assert found == {
        (str(at), label): count
        for at, row in enumerate(draft.counts.tolist())
        for label, count in zip(("no", "yes"), row, strict=True)
    }
    assert sum(found.values()) > 2 * 65_536


def test_a_folder_that_exists_is_replaced_by_force_only(tmp_path: Path, draft: GroupsDraft) -> None:
    """If it holds a former release, of either kind, and nothing else."""
    out = tmp_path / "out"
    publish_private(draft, out, force=False)
    before = listing(out)
    with pytest.raises(OutputError, match="already exists"):
        publish_private(draft, out, force=False)
    assert listing(out) == before
    other = replace(draft, counts=draft.counts + 1)
    publish_private(other, out, force=True)
    assert listing(out) != before
    assert verify(out).passed
    (out / "notes.txt").write_text("mine")
    with pytest.raises(OutputError, match=r"the folder contains 'notes\.txt'"):
        publish_private(draft, out, force=True)
    assert (out / "notes.txt").read_text() == "mine"
    assert listing(tmp_path).keys() == {"out", *(f"out/{name}" for name in listing(out))}


def test_a_file_that_was_changed_is_somebodys(tmp_path: Path, draft: GroupsDraft) -> None:
    """And the folder is kept; so it is without a certificate that can be read."""
    for name, content in (("records.csv", b"mine"), ("certificate.json", b"{}")):
        out = tmp_path / name
        publish_private(draft, out, force=False)
        (out / name).write_bytes(content)
        with pytest.raises(OutputError, match="not part of an earlier release"):
            publish_private(draft, out, force=True)
        assert (out / name).read_bytes() == content


def test_an_anonymized_release_makes_way_by_force(
    tmp_path: Path, draft: GroupsDraft, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a former release, too."""
    without_charts(monkeypatch)
    data = write_csv(tmp_path / "patients.csv", PATIENTS, patients())
    out = tmp_path / "release"
    anonymize(data, quasi=QUASI.split(","), identifiers=["name", "record"]).write(out)
    with pytest.raises(OutputError, match="already exists"):
        publish_private(draft, out, force=False)
    publish_private(draft, out, force=True)
    assert set(listing(out)) == FILES


@pytest.mark.parametrize("size", [100, 2_000, 5_000])
def test_a_disk_that_fills_up_leaves_nothing(tmp_path: Path, draft: GroupsDraft, size: int) -> None:
    """No file may be larger than so many bytes."""
    former = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, former[1]))
    try:
        with pytest.raises(OutputError) as caught:
            publish_private(draft, tmp_path / "out", force=False)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, former)
    assert str(tmp_path / "out") in caught.value.message
    assert listing(tmp_path) == {}


def test_a_report_that_fails_leaves_nothing(tmp_path: Path, draft: GroupsDraft) -> None:
    """The output reports its error."""

    def fail() -> str:
        raise ValueError("no report")

    with pytest.raises(ValueError, match="no report"):
        publish_private(draft, tmp_path / "out", force=False, report=fail)
    assert listing(tmp_path) == {}


def test_a_release_that_fails_its_check_is_not_published(
    tmp_path: Path, draft: GroupsDraft
) -> None:
    """Such as one whose ledger does not add up."""
    broken = replace(draft.synthesis, ledger=draft.synthesis.ledger[1:])
    with pytest.raises(VerificationError, match=r"the release was not published.*the ledger"):
        publish_private(replace(draft, synthesis=broken), tmp_path / "out", force=False)
    assert listing(tmp_path) == {}


def test_names_that_would_be_one_column_are_refused(tmp_path: Path, draft: GroupsDraft) -> None:
    """Two columns with one name are useless for most readers."""
    with pytest.raises(RoleError, match="two columns of the release would have the name 'age'"):
        publish_private(replace(draft, target="age"), tmp_path / "out", force=False)
    with pytest.raises(SettingError, match="do not match the groups"):
        publish_private(replace(draft, counts=draft.counts[1:]), tmp_path / "out", force=False)
    with pytest.raises(SettingError, match="do not match the groups"):
        publish_private(replace(draft, counts=-draft.counts), tmp_path / "out", force=False)
    assert draft.target == TARGET
    assert listing(tmp_path) == {}
