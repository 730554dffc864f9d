"""The program of one file runs alone on old Pythons, and gives the verdicts of `roadstead verify`.

The tests in `tests/release` also ask it about each of their releases and forgeries.
"""

from __future__ import annotations

import ast
import hashlib
import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from second_opinion import FILE
from signed_releases import keys, sign, write_release
from small_tables import PATIENTS, patients, write_csv

import roadstead as rs
from roadstead.errors import RoadsteadError
from roadstead.release.documents import fingerprint, json_text
from roadstead.standalone import roadstead_verify as SECOND  # noqa: N812 - a second verifier


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release with suppressed records, and with a model of a sensitive column."""
    folder = tmp_path_factory.mktemp("original")
    rare = [(f"Rare{i}", f"R{i}", str(20 + 5 * i), "X", f"0213{i}", "flu") for i in range(8)]
    write_csv(folder / "patients.csv", PATIENTS, [*patients(400), *rare])
    rs.anonymize(
        folder / "patients.csv",
        quasi=["age", "sex", "zip"],
        identifiers=["name", "record"],
        sensitive=["diagnosis"],
        suppression=0.03,
        out=folder / "release",
    )
    return folder / "release"


@pytest.fixture
def release(original: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return Path(shutil.copytree(original, tmp_path / "release"))


def alone(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the file without any package."""
    return subprocess.run(
        [sys.executable, "-I", "-S", FILE, *arguments], capture_output=True, text=True, check=False
    )


def test_it_runs_without_packages_and_its_exit_codes_are_those_of_verify(release: Path) -> None:
    """0 for a release, 1 for a forgery, and 2 for a wrong request."""
    passed = alone(release)
    assert (passed.returncode, passed.stderr) == (0, "")
    assert passed.stdout.splitlines()[-1] == "Verdict: verified"
    content = (release / "patients.csv").read_bytes()
    (release / "patients.csv").write_bytes(content.replace(b"flu", b"flv", 1))
    refused = alone(release, "--json")
    document = json.loads(refused.stdout)
    assert (refused.returncode, document["verdict"]) == (1, "refused")
    failed = [one["id"] for one in document["checks"] if one["status"] == "failed"]
    assert "file:patients.csv" in failed
    assert alone(release / "nowhere").returncode == 2


def test_it_knows_the_page_of_its_version() -> None:
    """Also where the page is not next to it. Fault class: alone, it did not look at the page."""
    page = Path(SECOND.__file__).with_name("verify.html").read_bytes()
    assert (rs.__version__, hashlib.sha256(page).hexdigest()) == (SECOND.VERSION, SECOND.PAGE)
    docs = Path(__file__).parents[2] / "docs"
    recipe = (docs / "recipes" / "check-without-installing.md").read_text("utf-8")
    assert f"{SECOND.PAGE}  verify.html" in recipe
    assert f"version {SECOND.VERSION}." in recipe


def test_it_is_one_file_for_python_3_9_below_1500_lines() -> None:
    """With imports of the standard library alone."""
    source = FILE.read_text("utf-8")
    tree = ast.parse(source, feature_version=(3, 9))
    assert len(source.splitlines()) < 1500
    modules = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or "."] if isinstance(node, ast.ImportFrom) else [])
        + [alias.name for alias in node.names if isinstance(node, ast.Import)]
    }
    assert modules <= sys.stdlib_module_names


def _put(*path: str | int, value: object) -> Callable[[Any], None]:
    def change(document: Any) -> None:  # noqa: ANN401 - JSON
        for part in path[:-1]:
            document = document[part]
        document[path[-1]] = value

    return change


CHANGES: dict[str, Callable[[Any], None]] = {
    "a file outside": _put("files", 0, "name", value="../policy.json"),
    "a name that moves the cursor": _put("files", 0, "name", value="\x1b[2Jpolicy.json"),
    "a note": lambda document: document.update(note="Jane Doe"),
    "a lower risk": _put("risk", "maximum", value=0.01),
    "a lower risk of masked records": _put("risk", "maximum_of_masked", value=0.01),
    "no risk of masked records": lambda document: document["risk"].pop("maximum_of_masked"),
    "a column that undoes nothing": _put(
        *("risk", "if_undone"),
        value={
            "columns": ["diagnosis"],
            "quasi": ["zip"],
            "maximum": 1.0,
            "unit": "record",
            "at_least": False,
        },
    ),
    "a count beyond numbers": _put("counts", "records", value=10**30),
    "another k": _put("policy", "privacy", 0, "k", value=4),
    "a rule that is none": _put("policy", "attributes", 0, "rule", value={"kind": "bands"}),
    "a level of a text": _put("settings", "levels_allowed", value={"age": "ab"}),
    "deep": lambda document: document.update(loss=json.loads("[" * 900 + "]" * 900)),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_a_hostile_certificate_is_refused_without_a_traceback(
    release: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """No text from it moves the cursor of the terminal."""
    path = release / "certificate.json"
    document = json.loads(path.read_text("utf-8"))
    CHANGES[kind](document)
    path.write_text(json_text(document), "utf-8")
    assert SECOND.main([str(release)]) == 1
    shown = capsys.readouterr()
    assert "\x1b" not in shown.out + shown.err


def _certify(folder: Path, change: Callable[[Any], None]) -> list[str]:
    """Change a certificate and make all else fit, as a forger does; return the failed checks."""
    document = json.loads((folder / "certificate.json").read_text("utf-8"))
    change(document)
    (folder / "policy.json").write_text(json_text(document["policy"]), "utf-8")
    for one in (document["table"], *document["files"]):
        one.update(vars(fingerprint(folder / one["name"])))
    (folder / "certificate.json").write_text(json_text(document), "utf-8")
    found = SECOND.verify(folder, [], SECOND.the_day("None"))
    return [one["id"] for one in found.checks if one["status"] == "failed"]


def _model(key: str, value: object) -> Callable[[Any], None]:
    """Change a parameter of the first model, in the policy and in the request."""

    def change(document: Any) -> None:  # noqa: ANN401 - JSON
        for one in (document["policy"], document["settings"]):
            one["privacy"][0][key] = value

    return change


IMPOSSIBLE: dict[str, Callable[[Any], None]] = {
    "a table in the settings": _put("settings", "notes", value="age,sex\n40,F\n"),
    "records in the search": _put("search", "records", value=[{"name": "Ann"}]),
    "a sentence in the loss": _put("loss", "why", value="Ann has it"),
    "a time limit that is text": _put("settings", "time_limit", value="x"),
    "levels of another column": _put("settings", "levels_allowed", "name", value=[0, 1]),
    "a negative loss": _put("loss", "loss", value=-1.0),
    "an optimal policy with a gap": _put("search", "gap", value=0.9),
    "an optimal policy of a stopped search": _put("search", "ending", value="time limit"),
    "a risk above 1": _put("risk", "maximum_before", value=7.0),
    "a mean above the highest risk": _put("risk", "maximum_before", value=0.0),
    "a limit of another type": _put("policy", "suppression", "limit", value=0),
    "k as text": _model("k", "5"),
    "k as a float": _model("k", 5.0),
    "a parameter that the model does not have": _model("column", "zip"),
    "an identifier that is not on the list": _put(
        "identifiers", value=[{"column": "zip", "number": 99, "objection": None, "forced": True}]
    ),
    "a reason that moves the cursor": _put(
        "below_promise", value={"declared": [{"kind": "k-anonymity", "k": 9}], "reason": "\x1b[2J"}
    ),
    "attacks without their page": _put("attacks", value=[]),
    "a comparison that is cut off": _put(
        "earlier_releases", value={"same_policy": 0, "other_policy": 0, "same_table": 0}
    ),
    "another program wrote the text": _put("format", "writer", value="duckdb 9"),
    "another line break": _put("format", "newline", value="\r\n"),
}


@pytest.mark.parametrize("kind", IMPOSSIBLE)
def test_an_entry_that_no_release_can_have_is_refused(release: Path, kind: str) -> None:
    """Although the rest of the certificate, and all fingerprints, fit."""
    assert _certify(release, lambda _: None) == []
    assert _certify(release, IMPOSSIBLE[kind])


def test_a_version_that_this_program_does_not_have_is_not_verified(release: Path) -> None:
    """The page in the folder is then not known to be the page of that version."""
    assert _certify(release, _put("software", value="99.0")) == []
    assert SECOND.verify(release).verdict == "verified in part"


@pytest.mark.parametrize(
    ("old", "new", "failed"),
    [
        (b",flu\n", b",fl\x00u\n", "table"),
        (b"age,", b"\xef\xbb\xbfage,", "table"),
        (b",diagnosis\n", b",\n", "table"),
        (b",diagnosis\n", b",\xef\xbd\x8eame\n", "identifiers"),  # a full-width n
        (b",diagnosis\n", b",NAME \n", "identifiers"),
        (b",diagnosis\n", b",n\xd0\xb0me\n", "identifiers"),  # a Cyrillic a
    ],
)
def test_cells_and_names_that_hide_something_are_refused(
    release: Path, old: bytes, new: bytes, failed: str
) -> None:
    """Some programs stop at a NUL byte, and people read some names as that of a removed column."""
    path = release / "patients.csv"
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    assert failed in _certify(release, lambda _: None)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"[" * 100_000, b'{"a": NaN}'])
def test_a_certificate_that_is_none_is_refused(release: Path, content: bytes) -> None:
    """Also one that is nested so deeply that a reader could fail."""
    (release / "certificate.json").write_bytes(content)
    assert SECOND.verify(release).verdict == "refused"


def test_a_link_is_not_followed(release: Path, tmp_path: Path) -> None:
    """Though what it leads to has the certified bytes."""
    shutil.move(release / "patients.csv", tmp_path / "patients.csv")
    (release / "patients.csv").symlink_to(tmp_path / "patients.csv")
    assert SECOND.verify(release).verdict == "refused"


def test_it_says_that_the_suppressed_records_are_a_group(release: Path) -> None:
    """The certificate and the report do not count this group."""
    said = "Suppressed records are one more group (risk 0.125)."
    found = SECOND.verify(release)
    classes = json.loads((release / "certificate.json").read_text("utf-8"))["risk"]["classes"]
    assert any(f"k-anonymity: {classes + 1:,} groups" in one["sentence"] for one in found.checks)
    assert said in found.notes


def test_a_group_of_stars_is_not_suppressed(tmp_path: Path) -> None:
    """Fault class: a group of a recoding was called the suppressed records."""
    rows = [(str(at), f"x{at}") for at in range(8)] + [("50", "y")] * 12
    flat = {"kind": "flat"}
    rs.anonymize(
        write_csv(tmp_path / "people.csv", ("age", "code"), rows),
        quasi=["age", "code"],
        k=4,
        hierarchies={"age": flat, "code": flat},
        suppression=0.0,
        recoding="local",
        out=tmp_path / "release",
    )
    found = SECOND.verify(tmp_path / "release")
    assert found.verdict == "verified"
    assert "\n*,*\n" in (tmp_path / "release" / "people.csv").read_text("utf-8")
    assert not any("suppressed" in one for one in found.notes)


def test_a_class_below_k_is_found_if_the_fingerprints_fit(release: Path) -> None:
    """One record moves to another group, and the certificate is made anew."""
    path = release / "patients.csv"
    head, *rows = path.read_text("utf-8").splitlines()
    labels = [row.rsplit(",", 1)[0] for row in rows]
    smallest = min({*labels} - {"*,*,*"}, key=labels.count)
    assert labels.count(smallest) >= 5
    kept = [row for row, own in zip(rows, labels, strict=True) if own != smallest]
    few = [row for row, own in zip(rows, labels, strict=True) if own == smallest][:4]
    masked = [row for row in kept if row.startswith("*,*,*")]
    others = sorted([*(row for row in kept if row not in masked), *few])
    path.write_text("\n".join([head, *others, *masked, ""]), "utf-8")
    document = json.loads((release / "certificate.json").read_text("utf-8"))
    document["table"] = vars(fingerprint(path))
    (release / "certificate.json").write_text(json_text(document), "utf-8")
    failed = {c["id"] for c in SECOND.verify(release).checks if c["status"] == "failed"}
    assert "model:0:k-anonymity" in failed
    assert "file:patients.csv" not in failed


@given(st.binary(max_size=200), st.integers(0, 511))
def test_its_signatures_are_those_of_the_library(message: bytes, bit: int) -> None:
    """One bit less or more in the signature, and it does not fit."""
    key = Ed25519PrivateKey.generate()
    public, signature = key.public_key().public_bytes_raw(), bytearray(key.sign(message))
    assert SECOND.ed25519_fits(public, message, bytes(signature))
    signature[bit // 8] ^= 1 << bit % 8
    assert not SECOND.ed25519_fits(public, message, bytes(signature))


def test_a_signature_is_checked_with_the_key_that_is_trusted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another key, an expired signature, and a key that came with the release are refused."""
    release = write_release("table", tmp_path / "made")
    keys(tmp_path, "officer.key", "stranger.key")
    sign(release, tmp_path / "officer.key")
    officer, stranger = (str(tmp_path / f"{one}.key.pub") for one in ("officer", "stranger"))
    at = [str(release), "--on", "2026-06-01"]
    assert SECOND.main([*at, "--signed-by", officer]) == 0
    assert SECOND.main([*at, "--signed-by", stranger]) == 1
    assert SECOND.main([str(release), "--on", "2199-01-01", "--signed-by", officer]) == 1
    shutil.copy(officer, release / "key.pub")
    assert SECOND.main([*at, "--signed-by", str(release / "key.pub")]) == 2
    capsys.readouterr()


def _stars(folder: Path, how: Mapping[str, Any]) -> Path:
    """Release eight people who share no value, and twelve who share all values."""
    rows = [(str(at), f"x{at}", ("flu", "none")[at % 2]) for at in range(8)]
    rows += [("50", "y", ("flu", "none")[at % 2]) for at in range(12)]
    write_csv(folder / "people.csv", ("age", "code", "diagnosis"), rows)
    flat = {"kind": "flat"}
    rs.anonymize(
        folder / "people.csv",
        quasi=["age", "code"],
        sensitive=["diagnosis"],
        k=4,
        hierarchies={"age": flat, "code": flat},
        time_limit=2,
        out=folder / "release",
        **how,
    )
    return folder / "release"


@pytest.mark.quick(2)
@pytest.mark.parametrize("recoding", ["cells", "local"])
@pytest.mark.parametrize(
    ("suppression", "suppressed"), [(0.0, "mask"), (0.2, "mask"), (0.2, "drop")]
)
def test_a_group_of_a_recoding_may_show_only_stars(
    tmp_path: Path, recoding: str, suppression: float, suppressed: str
) -> None:
    """Such records are not suppressed. Fault class: the one file took them for suppressed."""
    how = {"recoding": recoding, "suppression": suppression, "suppressed": suppressed}
    release = _stars(tmp_path, how)
    assert "\n*,*," in (release / "people.csv").read_text("utf-8")
    assert SECOND.verify(release, [], SECOND.the_day("None")).verdict == "verified"
    certificate = json.loads((release / "certificate.json").read_text("utf-8"))
    if not certificate["counts"]["suppressed"]:
        assert certificate["risk"]["classes"] == 2


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    "seed",
    [*range(6), *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(6, 60))],
)
def test_both_programs_accept_releases_of_random_tables(tmp_path: Path, seed: int) -> None:
    """With all recodings, models, and treatments of suppressed records."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    number, quasi = chance.randint(14, 60), ["a", "b", "c"][: chance.randint(1, 3)]
    values = {name: chance.choice([2, 3, 6, number]) for name in quasi}
    rows = [
        (
            *(str(20 + chance.randrange(values[name])) for name in quasi),
            chance.choice(["x", "y", ""]),
        )
        for _ in range(number)
    ]
    write_csv(tmp_path / "t.csv", (*quasi, "outcome"), rows)
    recoding = chance.choice([None, "cells", "local", "intervals"])
    diverse = {"kind": "distinct-l-diversity", "column": "outcome", "l": 2}
    try:
        result = rs.anonymize(
            tmp_path / "t.csv",
            quasi=quasi,
            sensitive=["outcome"],
            k=chance.choice([2, 3, 4]),
            suppression=chance.choice([0.0, 0.1, 0.3, 0.6]),
            suppressed=chance.choice(["mask", "drop"]),
            privacy=chance.choice([[], [diverse]]),
            time_limit=2,
            **({} if recoding is None else {"recoding": recoding}),  # type: ignore[arg-type] # a name
        )
    except RoadsteadError as refusal:
        pytest.skip(f"refused: {refusal.what}")
    assert result.write(tmp_path / "release").passed
    second = SECOND.verify(tmp_path / "release", [], SECOND.the_day("None"))
    assert second.verdict in {"verified", "verified in part"}


def test_a_treatment_and_a_recoding_do_not_contradict_themselves(tmp_path: Path) -> None:
    """Intervals need ends, groups need three records, and the kind of a recoding shows levels."""
    draw = random.Random(3)  # noqa: S311 - a made-up table
    rows = [(str(20 + at % 40), f"x{at % 3}", str(int(draw.expovariate(0.1)))) for at in range(300)]
    write_csv(tmp_path / "t.csv", ("age", "code", "days"), rows)
    rs.anonymize(
        tmp_path / "t.csv",
        quasi=["age", "code"],
        treat=[{"kind": "microaggregation", "columns": ["days"], "k": 5}],
        recoding="local",
        suppression=0.1,
        time_limit=2,
        out=tmp_path / "release",
    )
    treatment = ("policy", "treatments", 0)
    for number, change in enumerate(
        (
            _put(*treatment, "function", value="interval"),
            _put(*treatment, "k", value=1),
            _put(*treatment, "groups", value="whole"),
            _put("policy", "recoding", "kind", value="intervals"),
        )
    ):
        copy = Path(shutil.copytree(tmp_path / "release", tmp_path / f"copy{number}"))
        assert _certify(copy, lambda _: None) == []
        assert _certify(copy, change), number


def test_the_average_risk_of_unlinked_people_is_not_checked(tmp_path: Path) -> None:
    """Fault class: a forged average was said to match, though only linked rows show it."""
    rows = [(f"p{at // 2}", "f" if at < 40 else "m") for at in range(120)]
    write_csv(tmp_path / "t.csv", ("who", "sex"), rows)
    folder = tmp_path / "release"
    asked: dict[str, Any] = {"person": "who", "quasi": ["sex"], "k": 5, "link": "none", "knows": 1}
    rs.anonymize(tmp_path / "t.csv", out=folder, **asked)
    path = folder / "certificate.json"
    certificate = json.loads(path.read_text("utf-8"))
    for average in (certificate["risk"]["average"], 1 / 80):
        certificate["risk"]["average"] = average
        path.write_text(json_text(certificate), "utf-8")
        found = SECOND.verify(folder)
        said = {one["id"]: one["sentence"] for one in found.checks}
        assert found.verdict == "verified in part"
        assert said["people-found"].startswith("People per group and average risk")
        assert "matches" not in said["risk"]
