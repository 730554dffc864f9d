"""A gate lets a release pass only if it is verified and meets every rule."""

from __future__ import annotations

import json
import shutil
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from commands import run
from signed_releases import EXPIRES, SIGNED, keys, sign, write_release
from small_tables import PATIENTS, patients, write_csv

import roadstead as rs
from roadstead.errors import SettingError, SourceError, VerificationError
from roadstead.quality.for_sharing import rounded_from

DAY = SIGNED.isoformat()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Releases of three kinds, the first signed, and two keys."""
    folder = tmp_path_factory.mktemp("made")
    keys(folder, "officer", "stranger")
    for kind in ("table", "database", "private"):
        write_release(kind, folder / kind)
    document = certificate(folder / "table" / "release")
    assert document["risk"]["smallest_class"] == 2
    sign(folder / "table" / "release", folder / "officer")
    return folder


@pytest.fixture
def place(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with copies of all."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def certificate(release: Path) -> dict[str, Any]:
    """Read a certificate as JSON."""
    found: dict[str, Any] = json.loads((release / "certificate.json").read_text("utf-8"))
    return found


def gate(rules: str, release: str = "table/release", on: str = DAY) -> rs.GateFinding:
    """Check a release by rules."""
    Path("gate.toml").write_text(rules, encoding="utf-8")
    return rs.gate(release, rules="gate.toml", on=on)


def test_a_gate_says_what_depends_on_people_that_no_file_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without links, l is counted in the rows of each group; k and the risk are certified."""
    monkeypatch.chdir(tmp_path)
    rows = [("p" + str(at // 2), str(20 + at % 4), "uv"[at // 4 % 2]) for at in range(80)]
    given: dict[str, Any] = {"quasi": ["age"], "person": "who", "sensitive": ["ill"], "k": 2}
    table = write_csv(Path("visits.csv"), ("who", "age", "ill"), rows)
    models: dict[str, dict[str, Any]] = {"distinct": {"l": 2}, "entropy": {"l": 1.5}}
    for kind, settings in models.items():
        model = {"kind": f"{kind}-l-diversity", "column": "ill", **settings}
        rs.anonymize(table, **given, privacy=[model], out=Path(kind))
        found = gate("[promise]\nk = 2\nl = 1\n[measured]\nsmallest_class = 2", kind)
        assert found.passed
        kept, k, l_rule, smallest = (rule.detail for rule in found.rules)
        assert "the certified number of different people in each group" in kept
        said = "depends on the certificate"
        assert said in k
        assert said in smallest
        assert (said in l_rule) == (kind == "entropy")


def failing(found: rs.GateFinding) -> list[str]:
    """Name the rules that do not hold."""
    return [rule.check for rule in found.rules if not rule.passed]


def detail(found: rs.GateFinding) -> str:
    """Give the evidence of the last rule."""
    return found.rules[-1].detail


ALL = """
[promise]
k = 2
[measured]
smallest_class = 2
highest_risk = 0.5
average_risk = 0.5
suppression = 0.1
loss = 0.9
[columns]
absent = ["name", "record_*"]
identifiers = "none"
[signature]
keys = ["stranger.pub", "officer.pub"]
unexpired = true
[certificate]
software = "0.1.0"
"""


@pytest.mark.usefixtures("place")
def test_a_release_that_keeps_all_rules_passes() -> None:
    """One line each, the verification first."""
    found = gate(ALL)
    assert failing(found) == []
    assert found.rules[0].check == "the release meets its privacy requirements"
    assert len(found.rules) == 14
    given = ("gate", "table/release", "--rules", "gate.toml", "--on", DAY)
    ran = run(*given)
    *lines, verdict = ran.out.splitlines()
    assert (ran.code, verdict) == (0, "Passed: 14 rules")
    assert lines == [f"  ok    {rule.check}: {rule.detail}" for rule in found.rules]
    document = run(*given, "--json").json
    assert document["passed"]
    assert [one["rule"] for one in document["rules"]] == [one.check for one in found.rules]
    Path("gate.toml").write_text(ALL.replace("k = 2", "k = 3"), encoding="utf-8")
    ran = run(*given)
    assert (ran.code, ran.out.splitlines()[-1]) == (1, "REFUSED: 1 rule")
    assert "  FAIL  k required at least 3: 2 (k-anonymity)" in ran.out
    assert not run(*given, "--json").json["passed"]


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    ("key", "kept", "broken"),
    [
        ("promise.k", 2, 3),
        ("measured.smallest_class", 2, 3),
        ("measured.highest_risk", 0.5, 0.4999),
        ("measured.average_risk", None, None),
        ("measured.suppression", None, None),
    ],
)
@pytest.mark.usefixtures("place")
def test_each_number_is_compared_with_the_certificate(
    key: str, kept: float | None, broken: float | None
) -> None:
    """At the figure itself it passes, and just beyond it does not."""
    document = certificate(Path("table/release"))
    counts = document["counts"]
    figures = {
        "measured.average_risk": document["risk"]["average"],
        "measured.suppression": counts["suppressed"] / counts["records"],
    }
    if kept is None or broken is None:
        kept = figures[key]
        broken = kept - 1e-9
    table, _, name = key.partition(".")
    assert failing(gate(f"[{table}]\n{name} = {kept!r}")) == []
    if broken >= 0:
        (wrong,) = failing(gate(f"[{table}]\n{name} = {broken!r}"))
        assert wrong.split()[0] in key


@pytest.mark.usefixtures("place")
def test_a_rounded_loss_passes_only_if_every_loss_it_means_passes() -> None:
    """Fault class: a certified 0.2 passed 0.25, but it means losses up to 0.35."""
    loss = certificate(Path("table/release"))["loss"]["loss"]
    low, high = rounded_from(loss)
    assert low < loss < high
    for limit, said in (
        (low / 2, "which means"),
        (loss, "cannot be judged"),
        (high, "which means"),
    ):
        found = gate(f"[measured]\nloss = {limit!r}")
        assert found.passed == (limit == high)
        assert said in detail(found)
    assert gate("[measured]\nloss = 1.0").passed
    unjudged = detail(gate(f"[measured]\nloss = {(loss + high) / 2!r}"))
    assert unjudged.endswith(f"set the limit to {high:g}")


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        ("[promise]\nl = 2", "cannot be judged: no privacy model with l is required"),
        ("[promise]\nt = 0.5", "cannot be judged: no privacy model with t is required"),
        ("[promise]\nepsilon = 1.0", "cannot be judged: the release is not differentially private"),
        ('[columns]\nabsent = ["AGE"]', "age is released"),
        ('[columns]\nabsent = ["s*"]', "sex is released"),
        (
            '[attacks]\ntried = ["linkage"]',
            "the attack was not run, or the certificate does not contain its results",
        ),
        ('[signature]\nkeys = ["stranger.pub"]', "the release is signed with a different key"),
        ('[certificate]\nsoftware = "99"', "0.1.0"),
    ],
)
@pytest.mark.usefixtures("place")
def test_what_does_not_hold_or_cannot_be_judged_fails(rules: str, why: str) -> None:
    """Each with the reason."""
    found = gate(rules)
    assert len(failing(found)) == 1
    assert detail(found) == why


@pytest.mark.usefixtures("place")
def test_rules_of_other_kinds_of_releases() -> None:
    """Epsilon exactly; the k of a whole database; what such releases lack cannot be judged."""
    assert certificate(Path("private/release"))["exact"] == "1"
    lacking = """
        [measured]
        smallest_class = 1
        highest_risk = 1.0
        average_risk = 1.0
        left_out_by_shift = 1.0
        loss = 1.0
        [columns]
        identifiers = "none"
    """
    unjudged = [
        "smallest class at least 1",
        "highest risk at most 1.0",
        "average risk at most 1.0",
        "left out by shift at most 1.0",
        "loss at most 1.0",
        "no identifier is released",
    ]
    for release, kept, broken in (
        ("private/release", "epsilon = 1.0", "epsilon = 0.999999"),
        ("database/release", "k = 5", "k = 6"),
    ):
        found = gate(f"[promise]\n{kept}\n{lacking}", release)
        assert failing(found) == unjudged
        reasons = [rule.detail for rule in found.rules if not rule.passed]
        assert all(reason.startswith("cannot be judged: ") for reason in reasons)
        assert len(failing(gate(f"[promise]\n{broken}", release))) == 1
    found = gate(
        '[measured]\nsuppression = 1.0\n[columns]\nabsent = ["PERSON_ID", "nobody"]',
        "database/release",
    )
    assert failing(found) == ["no column PERSON_ID"]
    assert failing(gate('[columns]\nabsent = ["ward"]', "private/release")) == ["no column ward"]


@pytest.mark.nightly
def test_models_of_sensitive_columns_must_cover_all(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The laxest bound of all sensitive columns counts; one that nothing is promised of fails."""
    monkeypatch.chdir(place)
    write_csv(place / "patients.csv", PATIENTS, patients(300))
    models = [{"kind": "distinct-l-diversity", "column": "diagnosis", "l": 2}]
    for out, sensitive in (("one", ["diagnosis"]), ("two", ["diagnosis", "zip"])):
        rs.anonymize(
            "patients.csv",
            quasi=["sex"],
            sensitive=sensitive,
            k=2,
            privacy=models,
            out=Path(out),
        )
    assert failing(gate("[promise]\nl = 2", "one")) == []
    assert detail(gate("[promise]\nl = 2", "one")) == "2 (diagnosis)"
    assert failing(gate("[promise]\nl = 3", "one")) == ["l required at least 3"]
    assert "sensitive column zip" in detail(gate("[promise]\nl = 2", "two"))


def test_signatures_are_judged_by_the_keys_of_the_gate(place: Path) -> None:
    """No key, another, an expired one, one without a last day; a broken one always fails."""
    rules = '[signature]\nkeys = ["officer.pub"]\nunexpired = true'
    release = place / "table" / "release"
    late = (EXPIRES + timedelta(1)).isoformat()
    assert failing(gate(rules)) == []
    assert failing(gate(rules, on=late)) == [
        "the release meets its privacy requirements",
        "the signature has not expired",
    ]
    sign(release, place / "stranger")
    found = gate(rules)
    assert failing(found) == ["signed with the expected key", "the signature has not expired"]
    assert detail(found) == "cannot be judged: the signature was not made with an expected key"
    sign(release, place / "officer", expires=None)
    found = gate(rules)
    assert failing(found) == ["the signature has not expired"]
    assert detail(found) == "cannot be judged: the signature does not have an expiry date"
    text = (release / "signature.json").read_text("utf-8")
    (release / "signature.json").write_text(text.replace('"sig": "', '"sig": "A'), encoding="utf-8")
    assert failing(gate("[promise]\nk = 2")) == ["the release meets its privacy requirements"]
    (release / "signature.json").unlink()
    assert detail(gate('[signature]\nkeys = ["officer.pub"]')) == "the release is not signed"
    assert failing(gate("[promise]\nk = 2")) == []


def test_without_a_key_it_is_said_what_rests_on_the_sender(place: Path) -> None:
    """Fault class: a certificate's claim treated as a measurement."""
    (place / "gate.toml").write_text("[promise]\nk = 2", encoding="utf-8")
    said = run("gate", "table/release", "--rules", "gate.toml", "--on", DAY).out
    assert "No rule requires a signature" in said
    (place / "gate.toml").write_text(ALL, encoding="utf-8")
    said = run("gate", "table/release", "--rules", "gate.toml", "--on", DAY).out
    assert "No rule requires a signature" not in said


def test_a_release_that_fails_is_judged_by_nothing_else(place: Path) -> None:
    """A certificate's claims about other files are not evidence."""
    path = place / "table" / "release" / "patients.csv"
    path.write_bytes(path.read_bytes().replace(b"F", b"M", 1))
    found = gate(ALL)
    assert not any(rule.passed for rule in found.rules)
    assert "was changed after certification" in found.rules[0].detail
    assert {rule.detail for rule in found.rules[1:]} == {
        "cannot be judged, because the release fails verification"
    }
    assert len(found.rules) == 12


@pytest.mark.usefixtures("place")
def test_the_age_of_a_certificate_is_in_days() -> None:
    """The day is the day of its creation, in UTC; a future date is refused."""
    made = date.fromisoformat(certificate(Path("private/release"))["created"][:10])
    rules, release = "[certificate]\ndays = 30", "private/release"
    for after, good in ((0, True), (30, True), (31, False), (-1, True), (-2, False)):
        on = (made + timedelta(after)).isoformat()
        assert gate(rules, release, on=on).passed is good


@pytest.mark.parametrize(
    ("rules", "what"),
    [
        ("", "the file has no rule"),
        ("[promise]", "the file has no rule"),
        ("[signature]", "signature.keys is missing"),
        ("[signature]\nunexpired = true", "signature.keys is missing"),
        ("[promise]\nk = 0", "promise.k is too small"),
        ("[promise]\nk = 5.5", "promise.k must be a whole number"),
        ("[promise]\nk = true", "promise.k must be a whole number"),
        ('[promise]\nk = "5"', "promise.k must be a whole number"),
        ("[promise]\nepsilon = 0", "promise.epsilon is too small"),
        ("[promise]\nepsilon = inf", "promise.epsilon must be a number"),
        ("[measured]\nhighest_risk = 20", "write 20% as 0.2"),
        ("[measured]\nhighest_risk = nan", "measured.highest_risk"),
        ("[measured]\nhighest_risk = -0.1", "is too small"),
        ("[measured]\nhigest_risk = 0.2", "did you mean measured.highest_risk?"),
        ("[measured]\nk = 5", "did you mean promise.k?"),
        ("[mesured]\nloss = 0.2", "did you mean measured?"),
        ("[measured]\nxyz = 1", "use one of smallest_class, highest_risk"),
        ('[columns]\nabsent = "name"', "columns.absent must be a list"),
        ("[columns]\nabsent = []", "columns.absent must have between 1 and 200 names"),
        ("[columns]\nabsent = [5]", "columns.absent must be text"),
        ('[columns]\nidentifiers = "some"', 'columns.identifiers must be "none"'),
        ('[attacks]\ntried = ["scan"]\nknown = "few"', 'attacks.known must be "all" or "any"'),
        ('[certificate]\nsoftware = "new"', "certificate.software must be a version"),
        ("[certificate]\nsoftware = 1", "certificate.software must be text"),
        ("promise = 5", "promise must be a table"),
        ("[promise", "not valid TOML"),
        ("[promise]\nk = 5\nk = 6", "not valid TOML"),
        ('[attacks]\ntried = ["thinking-hard"]', "there is no attack 'thinking-hard'"),
        ('[signature]\nkeys = ["nowhere.pub"]', "cannot be read"),
        ('[signature]\nkeys = ["officer"]', "this is a private key"),
        ('[signature]\nkeys = ["table/release/policy.json"]', "came with the release"),
    ],
)
@pytest.mark.usefixtures("place")
def test_rules_that_are_none_are_refused(rules: str, what: str) -> None:
    """Before anything is judged: exit code 2, and one line with what to write."""
    Path("gate.toml").write_text(rules, encoding="utf-8")
    ran = run("gate", "table/release", "--rules", "gate.toml")
    assert ran.code == 2
    assert what in ran.error
    with pytest.raises(SettingError):
        rs.gate("table/release", rules="gate.toml")


def test_what_cannot_be_held_against_rules_is_said(place: Path) -> None:
    """Wrong input gives 2; a folder that is not a release is refused."""
    (place / "gate.toml").write_text("[promise]\nk = 2", encoding="utf-8")
    (place / "empty").mkdir()
    with pytest.raises(SourceError):
        rs.gate("nowhere", rules="gate.toml")
    with pytest.raises(SettingError, match="no rules"):
        rs.gate("table/release")
    with pytest.raises(SettingError, match="the file does not exist"):
        rs.gate("table/release", rules="nowhere.toml")
    with pytest.raises(VerificationError):
        rs.gate("empty", rules="gate.toml")
    assert run("gate", "nowhere", "--rules", "gate.toml").code == 2
    assert run("gate", "empty", "--rules", "gate.toml").code == 1
    (place / "gate.toml").write_bytes(b"\xff\xfe")
    assert "not UTF-8" in run("gate", "table/release", "--rules", "gate.toml").error


def test_a_certificate_that_promises_no_number_does_not_pass(place: Path) -> None:
    """Fault class: NaN, which is neither above nor below, gets through."""
    path = place / "table" / "release" / "certificate.json"
    document = certificate(place / "table" / "release")
    document["loss"]["loss"] = float("nan")
    path.write_text(json.dumps(document), encoding="utf-8")
    (place / "table" / "release" / "signature.json").unlink()
    assert not gate("[measured]\nloss = 1.0").passed


def test_what_an_attack_certified_is_judged(place: Path) -> None:
    """From the attack to the gate; the signature was of the former certificate, and is gone."""
    rules = '[attacks]\ntried = ["linkage"]\nattempts = 20'
    assert failing(gate(rules)) == ["attack linkage was run and failed"]
    given = ("--attacks", "linkage", "--attempts", "50", "--certify")
    assert run("attack", "table/release", "--original", "table/patients.csv", *given).code == 0
    assert not (place / "table" / "release" / "signature.json").exists()
    found = gate(rules)
    assert failing(found) == []
    assert "variant" in detail(found)
    assert failing(gate(rules.replace("20", "100000"))) != []
    sign(place / "table" / "release", place / "officer")
    assert failing(gate('[signature]\nkeys = ["officer.pub"]')) == []


@pytest.mark.usefixtures("place")
def test_an_attack_by_who_knows_little_does_not_pass() -> None:
    """It is in the certificate what was known, and so in the gate's answer."""
    rules = '[attacks]\ntried = ["linkage"]'
    given = ("--original", "table/patients.csv", "--attacks", "linkage", "--certify")
    assert run("attack", "table/release", *given, "--known", "sex").code == 0
    found = gate(rules)
    assert failing(found) == ["attack linkage was run and failed"]
    assert detail(found) == "no attacker knew age as well; run the attack without known"
    assert "without --known" in run("gate", "table/release", "--rules", "gate.toml").out
    assert failing(gate(f'{rules}\nknown = "any"\nundecided = "pass"')) == []
    assert run("attack", "table/release", *given).code == 0
    assert failing(gate(rules)) == []
