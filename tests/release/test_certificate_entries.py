"""After any change of a certificate's entry, verification fails, or the entry is on a list.

The forger changes one entry, writes the certificate and the policy in Roadstead's form, and
corrects the fingerprints. The list names every entry that can then have another value. None of them
concerns the table, the requirements, the counts after suppression, or the risk of the release.
"""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import undrawn
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from small_tables import PATIENTS, QUASI, patients, write_csv

import roadstead as rs
from roadstead.errors import RoadsteadError
from roadstead.release.documents import fingerprint, json_text

FREE = {
    # The origin and the making of a release: verify says that it does not check them.
    "loss": "of the original",
    "search": "how the policy was found",
    "seed": "how the policy was found",
    "risk.maximum_before": "of the original",
    "risk.average_before": "of the original",
    "settings.quality": "how the policy was found",
    "settings.search": "how the policy was found",
    "settings.time_limit": "how the policy was found",
    "settings.levels_allowed": "how the policy was found",
    "settings.+": "a later version may record more of the request",
    # Entries that the rules do not determine.
    "policy.attributes.*.level": "a level between others; the check of levels says so",
    "policy.attributes.*.levels": "how many levels its hierarchy has",
    "policy.attributes.*.rule.keep": "an asterisk may be a character of a value",
    "policy.columns.removed": "columns of the original that are not there",
}
"""Entries that may be changed, each with what they are about."""

Path_ = tuple[str | int, ...]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of 408 records, 8 of them masked."""
    folder = tmp_path_factory.mktemp("release")
    rare = [(f"Rare{i}", f"R{i}", str(20 + 5 * i), "X", f"0213{i}", "flu") for i in range(8)]
    write_csv(folder / "patients.csv", PATIENTS, [*patients(400), *rare])
    result = rs.anonymize(
        folder / "patients.csv",
        quasi=QUASI.split(","),
        identifiers=["name", "record"],
        unchanged=["diagnosis"],
        suppression=0.03,
    )
    with pytest.MonkeyPatch.context() as patch:
        undrawn(patch)
        result.write(folder / "release")
    return folder / "release"


def entries(document: Any, path: Path_ = ()) -> Iterator[Path_]:  # noqa: ANN401 - JSON
    """List every entry, and with a plus where one more could be."""
    if isinstance(document, dict | list):
        inner = document.items() if isinstance(document, dict) else enumerate(document)
        for key, value in inner:
            yield from entries(value, (*path, key))
        yield (*path, "+")
    else:
        yield path


def others(value: object) -> list[object]:
    """Values that an entry could have in the place of its own."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, max(value - 1, 0)]
    if isinstance(value, float):
        return [value * 0.99 if value else 0.5]
    return ["Jane Doe, HIV", 7] if value is None else [f"{value}x", "Jane Doe, HIV"]


def is_free(path: Path_) -> bool:
    """Whether an entry, or what it is in, is on the list."""
    named = [str(part) if isinstance(part, str) else "*" for part in path]
    return any(".".join(named[:end]) in FREE for end in range(1, len(named) + 1))


def changes(release: Path) -> list[tuple[Path_, object]]:
    """List what can be changed."""
    document = json.loads((release / "certificate.json").read_text("utf-8"))
    found: list[tuple[Path_, object]] = []
    for path in entries(document):
        inner = document
        for part in path[:-1]:
            inner = inner[part]
        more = path[-1] == "+"
        values = ["Jane Doe"] if more else others(inner[path[-1]])
        found += [(path, value) for value in values if more or value != inner[path[-1]]]
    return found


def passes(release: Path, path: Path_, value: object) -> bool:
    """Change one entry, make all else fit, and verify."""
    forged = Path(shutil.copytree(release, release.parent / "forged", dirs_exist_ok=True))
    document = json.loads((forged / "certificate.json").read_text("utf-8"))
    inner = document
    for part in path[:-1]:
        inner = inner[part]
    if path[-1] == "+":
        if isinstance(inner, dict):
            inner["note"] = value
        else:
            inner.append(copy.deepcopy(inner[0]) if inner else value)
    else:
        inner[path[-1]] = value
    if path[0] == "policy":
        (forged / "policy.json").write_text(json_text(document["policy"]), "utf-8")
        document["files"][0] = vars(fingerprint(forged / "policy.json"))
    (forged / "certificate.json").write_text(json_text(document), "utf-8")
    try:
        return rs.verify(forged).passed
    except RoadsteadError:
        return False


@given(st.data())
@examples(20)
def test_an_entry_that_is_changed_is_found_out_or_known_to_be_free(
    release: Path, data: st.DataObject
) -> None:
    """Some of them; the nightly test takes all."""
    held = [one for one in changes(release) if not is_free(one[0])]
    path, value = data.draw(st.sampled_from(held))
    assert not passes(release, path, value), (path, value)


@pytest.mark.nightly
def test_every_entry_that_is_changed_is_found_out_or_known_to_be_free(
    release: Path,
) -> None:
    """And none is on the list that is not free."""
    free = {path for path, value in changes(release) if passes(release, path, value)}
    assert not [path for path in free if not is_free(path)]
    for name in FREE:
        assert any(
            ".".join(str(p) if isinstance(p, str) else "*" for p in path).startswith(name)
            for path in free
        ), name
