"""Subtraction on accepted releases singles out no person, for any union."""

from __future__ import annotations

import hashlib
import random
from dataclasses import replace

import ibis
import pyarrow as pa
import pytest
from differencing_by_hand import MASKED, Extract, drawn, holes
from monthly_extracts import COLUMNS, Record, policy_of, released_by_hand, table_of

from roadstead.policies.document import Suppression, to_json
from roadstead.release.ledger.classes import counted_classes, masked_class
from roadstead.release.ledger.entry import EarlierRelease
from roadstead.release.ledger.facts import OverlayFinding
from roadstead.release.ledger.masked import Side, left_over
from roadstead.release.ledger.overlay import ReleaseToLay, laid_over
from roadstead.reports.ledger import findings_fix, overlay_notes
from roadstead.tables.source import Engine, Source

EVERY = ((0, 0), (0, 1), (1, 0), (0, 2), (1, 1))


def to_lay(extract: Extract, everyone: list[Record], k: int) -> ReleaseToLay | None:
    """Release an extract by hand; None where nothing is left."""
    records = [everyone[person] for person in extract.people]
    released = released_by_hand(records, *extract.levels, k=k)
    if extract.suppressed == "drop":
        released = [one for one in released if one[:2] != MASKED]
    if not released:
        return None
    own = policy_of(*extract.levels, k=k)
    policy = replace(own, suppression=Suppression(1.0, extract.suppressed))
    held = {name: [one[at] for one in records] for at, name in enumerate(COLUMNS)}
    source = Source(ibis.memtable(pa.table(held)), COLUMNS, "t.csv", Engine("duckdb"))
    content = hashlib.sha256(repr(extract.people).encode()).hexdigest()
    return ReleaseToLay(source, content, policy, k, counted_classes(table_of(released), policy))


def entered(new: ReleaseToLay, number: int) -> EarlierRelease:
    """Enter a release."""
    return EarlierRelease(
        certificate=hashlib.sha256(str(number).encode()).hexdigest(),
        kind="table",
        created="2026-01-01T00:00:00+00:00",
        people="",
        source="t.csv",
        content=new.content,
        k=new.k,
        policy=to_json(new.policy),
        classes=new.classes,
    )


def accepted(
    extracts: list[Extract], everyone: list[Record], k: int
) -> tuple[list[Extract], list[OverlayFinding]]:
    """Release one extract after the other, and leave out those that the ledger refuses."""
    kept: list[Extract] = []
    earlier: list[EarlierRelease] = []
    found: list[OverlayFinding] = []
    for number, extract in enumerate(extracts):
        if (new := to_lay(extract, everyone, k)) is None:
            continue
        laid = laid_over(new, earlier)
        found += laid.findings
        if not laid.findings:
            kept.append(extract)
            earlier.append(entered(new, number))
    return kept, found


def searched(seeds: range) -> tuple[int, int]:
    """Search accepted releases for holes; how many pairs were accepted, and how many refused."""
    together = refused = 0
    for seed in seeds:
        chance = random.Random(seed)  # noqa: S311 - of test cases
        same = chance.random() < 0.5
        levels = (chance.choice(EVERY),) if same else EVERY
        everyone, extracts = drawn(chance, levels=levels, mixed=chance.random() < 0.5)
        kept, found = accepted(extracts, everyone, 3)
        together += len(kept) > 1
        refused += bool(found)
        assert not [*holes(kept, everyone, 3)], seed
    return together, refused


def test_no_union_of_accepted_releases_singles_out_a_few() -> None:
    """Three small releases each, under one policy or several, of an attacker who knows who came."""
    together, refused = searched(range(40))
    assert together > 10
    assert refused > 10


@pytest.mark.nightly
def test_no_union_of_many_accepted_releases_singles_out_a_few() -> None:
    """The same, of many more."""
    together, refused = searched(range(1000, 2000))
    assert together > 200
    assert refused > 200


def test_a_newcomer_among_masked_records_is_found() -> None:
    """Four records that were masked and a newcomer: all rows are in both, but the newcomer's."""
    flu, cold = "flu", "cold"
    january = [
        *[("f", "11", one) for one in (flu, flu, cold, cold)],
        *[("m", "12", one) for one in (flu, cold, flu, cold)],
        *[("f", "21", one) for one in (flu, cold, flu, cold)],
        *[("m", "22", flu)] * 20,
    ]
    everyone = [*january, ("f", "11", "HIV")]
    extracts = [Extract(tuple(range(n)), (0, 0), "mask") for n in (32, 33)]
    assert [*holes(extracts, everyone, 5)]
    kept, found = accepted(extracts, everyone, 5)
    assert kept == extracts[:1]
    assert ("added", 1) in {(one.kind, one.smallest) for one in found}
    assert all(one.masked for one in found)
    assert findings_fix(found).endswith(
        'without suppressed records (anonymize with suppressed="drop")'
    )
    dropped = [Extract(one.people, one.levels, "drop") for one in extracts]
    assert accepted(dropped, everyone, 5) == (dropped, [])


def test_two_masked_records_more_are_found() -> None:
    """Two classes became too small, and what is left of them joined those who were masked."""
    everyone = [
        *[("A", "11", "x")] * 6,
        *[("A", "12", one) for one in "xyx"],
        *[("B", "21", one) for one in "yxy"],
        *[("B", "12", one) for one in "xy"],
    ]
    extracts = [
        Extract(tuple(range(14)), (0, 0), "mask"),
        Extract((0, 1, 2, 3, 4, 5, 6, 9, 12, 13), (0, 0), "mask"),
    ]
    assert [*holes(extracts, everyone, 3)]
    assert accepted(extracts, everyone, 3)[0] == extracts[:1]


def test_a_comparison_that_ends_early_says_that_not_all_was_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Twelve classes of two, which only the later release shows, have 4,096 unions."""
    everyone = [
        *[("C", "11", "x")] * 4,
        *[("ABDEFGHIJKLM"[at // 2], "12", "x") for at in range(24)],
    ]
    extracts = [Extract(tuple(range(28)), (0, 0), "mask")] * 2
    one, other = (to_lay(extract, everyone, k) for extract, k in zip(extracts, (3, 2), strict=True))
    assert one is not None
    assert other is not None
    masked = masked_class(one.classes.texts)
    hiding = Side(one.classes, masked, keeps=True, k=3, by_size=False)
    showing = Side(other.classes, None, keeps=True, k=2, by_size=False)
    assert not left_over(hiding, showing, 3).cut_short
    monkeypatch.setattr("roadstead.release.ledger.masked.MOST_CHOICES", 100)
    assert left_over(hiding, showing, 3).cut_short
    laid = laid_over(other, [entered(replace(one, content="0" * 64), 0)])
    assert laid.cut_short
    assert any(
        note.startswith("Roadstead did not compare everything") for note in overlay_notes(laid)
    )
