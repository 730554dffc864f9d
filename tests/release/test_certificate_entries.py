"""After any change of a certificate's entry, verification fails, or the entry is on a list.

The forger changes one entry, writes the certificate and the policy in Roadstead's form, and
corrects the fingerprints. The list names every entry that can then have another value. None of them
concerns the table, the requirements, the counts after suppression, or the risk of the release.
"""

from __future__ import annotations

import contextlib
import copy
import json
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
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
from roadstead.release.certified_facts import (
    CertifiedFrontier,
    CertifiedSearch,
    PolicySettings,
    PrivateRequestSettings,
    Quality,
    SearchSettings,
)
from roadstead.release.documents import fingerprint, json_text
from roadstead.release.verification.facts import wrong_time

FREE = {
    # The origin and the making of a release: verify says that it does not check them. A loss can
    # only be changed to another step.
    "search.optimal": "how the policy was found",
    "search.evaluated": "how the policy was found",
    "search.queries": "how the policy was found",
    "seed": "how the policy was found",
    "risk.maximum_before": "of the original",
    "risk.average_before": "of the original",
    "settings.time_limit": "how the policy was found",
    # Entries that the rules do not determine.
    "policy.attributes.*.level": "a level between others; the check of levels says so",
    "policy.attributes.*.levels": "how many levels its hierarchy has",
    "policy.attributes.*.rule.keep": "an asterisk may be a character of a value",
    "policy.columns.removed": "columns of the original that are not there",
}
"""Entries that may be changed, each with what they are about."""

Path_ = tuple[str | int, ...]
Change = Callable[[dict[str, Any]], None]


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


def put(*path: str | int, value: object) -> Change:
    """Change one entry of a certificate."""

    def change(document: dict[str, Any]) -> None:
        inner: Any = document
        for part in path[:-1]:
            inner = inner[part]
        inner[path[-1]] = value

    return change


FORGED: dict[str, Change] = {
    "a table in the settings": put("settings", "notes", value="age,sex\n40,F\n"),
    "a table in the search": put("search", "records", value=[{"name": "Ann"}]),
    "a sentence in the loss": put("loss", "why", value="Ann has it"),
    "a setting of another type": put("settings", "time_limit", value="x"),
    "no settings": put("settings", value={}),
    "levels that do not exist": put("settings", "levels_allowed", "age", value=[0, 99]),
    "levels of another column": put("settings", "levels_allowed", "name", value=[0, 1]),
    "a missing code of a removed column": put("settings", "missing", value={"name": ["?"]}),
    "a negative loss": put("loss", "loss", value=-1),
    "a loss below its parts": put("loss", "loss", value=0.0),
    "a loss that is not a step": put("loss", "loss", value=0.123),
    "the loss of another column": put("loss", "by_attribute", value={"x": 0.1}),
    "another quality model": put("settings", "quality", "kind", value="precision"),
    "an optimal policy with a gap": put("search", "gap", value=0.9),
    "an optimal policy of a search that was stopped": put("search", "ending", value="time limit"),
    "another search": put("search", "name", value="diffgen"),
    "a search without a loss": put("loss", value=None),
    "a release of the future": put("created", value="2199-01-01T00:00:00+00:00"),
    "a column that is not released": put(
        "identifiers", value=[{"column": "x", "number": 3, "objection": None, "forced": True}]
    ),
    "no count of what the columns add": lambda document: document.pop("added") and None,
    "a risk above 1": put("risk", "maximum_before", value=7.0),
    "another number of policies": put("search", "lattice_size", value=5),
    "no risk before the release": put("risk", "average_before", value=0.0),
    "a mean risk above the highest": put("risk", "maximum_before", value=0.0),
}


@pytest.mark.parametrize("kind", FORGED)
def test_an_entry_that_no_release_can_have_is_found_out(release: Path, kind: str) -> None:
    """Entries about the search and the request can contain nothing else, and must be possible."""
    forged = Path(shutil.copytree(release, release.parent / "impossible", dirs_exist_ok=True))
    document = json.loads((forged / "certificate.json").read_text("utf-8"))
    FORGED[kind](document)
    (forged / "certificate.json").write_text(json_text(document), "utf-8")
    failed = [one.check for one in rs.verify(forged).failed]
    assert failed == ["the entries about the request, the search, and the loss are valid"]


def test_the_clocks_of_two_computers_may_differ_by_a_day() -> None:
    """A release that is later than this is of the future."""

    def wrong(hours: int) -> str | None:
        time = datetime.now(UTC) + timedelta(hours=hours)
        return wrong_time(time.isoformat(timespec="seconds"))

    assert wrong(23) is None
    assert wrong(25) == "the time of the release is in the future"


NO_TEXT = ("delimiter", "quote", "encoding", "header", "compressed", "newline")


@pytest.mark.parametrize(
    "form",
    [
        {"kind": "parquet", **dict.fromkeys(NO_TEXT)},
        {"kind": "excel", "writer": "openpyxl 3.1", **dict.fromkeys(NO_TEXT)},
        {"kind": "stata", **dict.fromkeys(NO_TEXT)},
        {"kind": "table", **dict.fromkeys(NO_TEXT)},
        {"decimal_commas": ["x"]},
        {"delimiter": "age"},
        {"delimiter": ""},
        {"quote": ""},
        {"encoding": "x"},
        {"encoding": "utf-16"},
        {"header": None},
        {"columns": ["a"] * 4},
    ],
)
def test_a_format_of_another_file_is_found_out(release: Path, form: dict[str, Any]) -> None:
    """A format that does not fit the file is a failed check, and no failure of an engine."""
    forged = Path(shutil.copytree(release, release.parent / "form", dirs_exist_ok=True))
    document = json.loads((forged / "certificate.json").read_text("utf-8"))
    document["format"] |= form
    (forged / "certificate.json").write_text(json_text(document), "utf-8")
    with contextlib.suppress(RoadsteadError):
        assert not rs.verify(forged).passed


@pytest.mark.parametrize("k", ["5", 5.0, True])
def test_a_requirement_of_another_type_is_found_out(release: Path, k: object) -> None:
    """Another program could read it in another way."""
    forged = Path(shutil.copytree(release, release.parent / "types", dirs_exist_ok=True))
    document = json.loads((forged / "certificate.json").read_text("utf-8"))
    for entry in (document["policy"], document["settings"]):
        entry["privacy"][0]["k"] = k
    (forged / "policy.json").write_text(json_text(document["policy"]), "utf-8")
    document["files"][0] = vars(fingerprint(forged / "policy.json"))
    (forged / "certificate.json").write_text(json_text(document), "utf-8")
    with contextlib.suppress(RoadsteadError):
        assert not rs.verify(forged).passed


def test_the_documentation_lists_every_setting() -> None:
    """The declared entries are those of docs/files.md and docs/private-release-files.md."""
    docs = Path(__file__).parents[2] / "docs"
    for name, kinds in {
        "files.md": (SearchSettings, PolicySettings, CertifiedSearch, CertifiedFrontier, Quality),
        "private-release-files.md": (PrivateRequestSettings,),
    }.items():
        text = (docs / name).read_text("utf-8")
        for kind in kinds:
            assert [key for key in kind.__annotations__ if f"`{key}`" not in text] == []
