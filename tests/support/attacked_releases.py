"""Small releases as targets of attacks: sound ones, and weak ones that fit their own certificate.

A weak release is a sound release with changed contents and a corrected fingerprint, as if the tool
had a bug.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from commands import undrawn
from small_tables import Row, read_csv, write_csv

import roadstead as rs
from roadstead.attacks.attacked_release import opened_release
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.registry import attack_named
from roadstead.attacks.target import Target
from roadstead.release.documents import fingerprint, json_text
from roadstead.tables.reading import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roadstead.attacks.finding import Findings

HEADER = ("age", "sex", "zip", "diagnosis", "tag")
QUASI = ("age", "sex", "zip")
TABLE = "people.csv"


def people(records: int, seed: int) -> list[Row]:
    """Make up people; a tag is of one person alone, and reads like nothing."""
    chance = random.Random(seed)  # noqa: S311 - a table of a test
    tags = chance.sample(range(10_000), records)
    return [
        (
            str(chance.randint(20, 69)),
            chance.choice("FM"),
            f"02{chance.randint(130, 149)}",
            chance.choices(("flu", "cold", "asthma", "gout"), (5, 3, 2, 1))[0],
            f"x{tag:04d}q",
        )
        for tag in tags
    ]


def write_release(
    folder: Path,
    rows: Sequence[Row],
    *,
    k: int | None = 5,
    header: Sequence[str] = HEADER,
    **asked: object,
) -> Path:
    """Release a table into a folder next to it."""
    folder.mkdir(parents=True, exist_ok=True)
    write_csv(folder / TABLE, header, rows)
    given: dict[str, object] = {
        "quasi": list(QUASI),
        "sensitive": ["diagnosis"],
        "identifiers": ["tag"],
        "suppression": 0.1,
        **asked,
    }
    with pytest.MonkeyPatch.context() as patch:
        undrawn(patch)
        rs.anonymize(folder / TABLE, k=k, out=folder / "release", **given)  # type: ignore[arg-type] # as each test says
    return folder / "release"


@contextmanager
def target_of(
    release: Path, original: Path | None = None, *, held_out: Path | None = None
) -> Iterator[Target]:
    """Open a release and what it is judged by."""
    with opened_release(release) as opened:
        tables = [None if one is None else read(one) for one in (original, held_out)]
        yield Target(opened, original=tables[0], held_out=tables[1])


def attacked(
    name: str,
    release: Path,
    original: Path | None = None,
    *,
    held_out: Path | None = None,
    settings: AttackSettings | None = None,
) -> Findings:
    """Try one attack on a release."""
    with target_of(release, original, held_out=held_out) as target:
        return attack_named(name).attempt(target, settings or AttackSettings())


def rewritten(release: Path, change: Callable[[list[Row]], list[Row]], table: str = TABLE) -> Path:
    """Change the rows of a released table, its header left alone, and put its fingerprint right."""
    header, *rows = read_csv(release / table)
    write_csv(release / table, header, change(rows))
    certificate = release / "certificate.json"
    document = json.loads(certificate.read_text("utf-8"))
    document["table"] = asdict(fingerprint(release / table))
    certificate.write_text(json_text(document), "utf-8")
    return release


def promising(release: Path, k: int) -> Path:
    """Let the policy of a release promise another k than it has."""
    for name in ("certificate.json", "policy.json"):
        document = json.loads((release / name).read_text("utf-8"))
        policy = document.get("policy", document)
        for model in policy["privacy"]:
            model["k"] = k
        (release / name).write_text(json_text(document), "utf-8")
    return release
