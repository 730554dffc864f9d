"""A release against the same policy applied by hand, on small random tables."""

from __future__ import annotations

import hashlib
import json
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from by_hand import Row, apply, shifted_geometric_mean
from effort import examples, sparing
from hypothesis import given
from hypothesis import strategies as st
from small_tables import read_csv, write_csv

from roadstead import Anonymization, Refusal, anonymize, read
from roadstead.quality.for_sharing import coarse
from roadstead.release.publish import publish_release

TABLE = "patients.csv"
COLUMNS = {
    "word": st.sampled_from(["red", "green", "blue", "*", "", "é, ü"]),
    "code": st.sampled_from(["02139", "02138", "02141", "10001", "10002", ""]),
    "number": st.sampled_from(["", *map(str, range(18, 60, 3)), "-4"]),
    "day": st.sampled_from(["2023-12-31", "2024-01-01", "2024-02-29", "2024-05-06", ""]),
}
"""Kinds of quasi-identifiers; each gets another kind of default hierarchy."""

NOTES = st.text(alphabet="ab*,;\"'\n\r ☃0", max_size=5)
HEADER = ("id", *COLUMNS, "note", "serial")


@dataclass(frozen=True)
class Request:
    """A table and its request."""

    rows: tuple[Row, ...]
    quasi: tuple[str, ...]
    k: int
    suppression: float
    suppressed: str


@st.composite
def requests(draw: st.DrawFn) -> Request:
    """Tables of up to 40 records; every record has an `id` and a `serial` of its own."""
    quasi = draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, unique=True))
    chosen = draw(st.lists(st.tuples(*COLUMNS.values(), NOTES), min_size=1, max_size=12))
    records = [row for row in chosen for _ in range(draw(st.integers(1, 4)))][:40]
    size = max(2, len(records))
    records += records[: size - len(records)]
    return Request(
        rows=tuple((f"id{i}", *row, f"s{i:03d}") for i, row in enumerate(records)),
        quasi=tuple(quasi),
        k=draw(st.integers(2, min(6, size))),
        suppression=draw(st.sampled_from([0.0, 0.05, 0.3, 1.0])),
        suppressed=draw(st.sampled_from(["mask", "drop"])),
    )


@contextmanager
def found(request: Request, rows: tuple[Row, ...]) -> Iterator[tuple[Path, Anonymization]]:
    """Anonymize the rows, read from a file; give it and a folder to write to."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_csv(folder / TABLE, HEADER, rows)
        with read(folder / TABLE, delimiter=",", quote='"', header=True) as source:
            result = anonymize(
                source,
                quasi=request.quasi,
                k=request.k,
                suppression=request.suppression,
                suppressed=request.suppressed,  # type: ignore[arg-type] # drawn from the two
                identifiers=["id"],
                sensitive=["note"],
            )
            yield folder / "release", result


def certificate(release: Path) -> dict[str, Any]:
    """Read a certificate."""
    document: dict[str, Any] = json.loads((release / "certificate.json").read_text("utf-8"))
    return document


@sparing
@given(requests())
def test_a_release_is_what_the_policy_makes_by_hand(request: Request) -> None:
    """The same rows as a bag, in the file and in memory; the same counts, risk and loss.

    Every class has k records, the masked ones too, and no column names or numbers people.
    """
    with found(request, request.rows) as (release, result):
        answer = result.to_dict()
        policy = answer["policy"]
        by_hand = apply(policy, HEADER, request.rows)
        if not by_hand.rows:
            with pytest.raises(Refusal, match="nothing would be released"):
                publish_release(result.draft, release, None, force=False)
            return
        assert publish_release(result.draft, release, None, force=False).passed
        head, *rows = read_csv(release / TABLE)
        memory = [tuple(row[name] or "" for name in head) for row in result.to_arrow().to_pylist()]
        measured = certificate(release)

    assert Counter(rows) == by_hand.rows
    assert memory == rows
    assert "id" not in head
    assert "serial" not in head
    places = [head.index(name) for name in request.quasi]
    assert min(Counter(tuple(row[at] for at in places) for row in rows).values()) >= request.k
    assert by_hand.suppressed <= request.suppression * len(request.rows) + 1e-9
    counts = {
        "records": len(request.rows),
        "released": len(rows),
        "suppressed": by_hand.suppressed,
        "masked": by_hand.masked,
        "dropped": by_hand.dropped,
    }
    assert measured["counts"] == counts
    assert {key: answer[key] for key in counts} == counts
    highest = 1 / min(by_hand.sizes) if by_hand.sizes else 0.0
    average = len(by_hand.sizes) / sum(by_hand.sizes) if by_hand.sizes else 0.0
    assert (answer["risk"]["maximum"], measured["risk"]["maximum"]) == (highest, highest)
    assert answer["risk"]["average"] == measured["risk"]["average"] == pytest.approx(average)
    assert answer["loss_by_attribute"] == pytest.approx(by_hand.loss_by_attribute, abs=1e-9)
    loss = shifted_geometric_mean(list(by_hand.loss_by_attribute.values()))
    assert answer["loss"] == pytest.approx(loss, abs=1e-9)
    assert measured["loss"]["loss"] == coarse(answer["loss"])


@examples(6)
@given(requests(), st.randoms(use_true_random=False))
def test_the_order_of_the_original_leaves_no_trace(request: Request, chance: random.Random) -> None:
    """Shuffled records give the same bytes."""
    shuffled = list(request.rows)
    chance.shuffle(shuffled)
    prints = []
    for rows in (request.rows, tuple(shuffled)):
        with found(request, rows) as (release, result):
            if not result.draft.counts.released:
                return
            publish_release(result.draft, release, None, force=False)
            content = (release / TABLE).read_bytes()
            sha256 = hashlib.sha256(content).hexdigest()
            assert certificate(release)["table"]["sha256"] == sha256
            prints.append((sha256, content))
    assert prints[0] == prints[1]
